"""The SHA-256 of every file that is shipped, in one text that `sha256sum -c` reads."""

from __future__ import annotations

import shutil
from pathlib import Path

from system_packages import Problem, run_quietly

from shipping.parts import Outcome, Source, State, Unavailable

NAME = "SHA256SUMS"
TABLE = "RELEASE.txt"
"""What the release command says at its end; it is written after the checksums."""


def build(_source: Source, into: Path) -> list[Outcome]:
    """Write the checksums of all that is there, and check them as a person would. Raises Problem where
    nothing is, and Unavailable."""
    files = sorted(file.relative_to(into).as_posix() for file in into.rglob("*") if file.is_file())
    if not files:
        raise Problem("Nothing was made that checksums could be of.")
    if shutil.which("sha256sum") is None:
        raise Unavailable("sha256sum is not on the path.")
    (into / NAME).write_text(run_quietly(["sha256sum", *files], folder=into), encoding="utf-8")
    run_quietly(["sha256sum", "--check", "--strict", "--quiet", NAME], folder=into)
    return [Outcome("checksums", State.BUILT, f"of {len(files)} files", into / NAME)]
