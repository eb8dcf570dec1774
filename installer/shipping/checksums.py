"""The SHA-256 of every file that is shipped, in one text that `sha256sum -c` reads."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from system_packages import Problem, run_quietly

from shipping.outcome import Outcome, State, Unavailable
from shipping.source import Source

NAME = "SHA256SUMS"
SIGNATURE = f"{NAME}.asc"
TABLE = "RELEASE.txt"
"""What the release command says at its end; it is written after the checksums."""


def build(_source: Source, into: Path) -> list[Outcome]:
    """Write the checksums of all that is there. Raises Problem where nothing is."""
    files = sorted(file for file in into.rglob("*") if file.is_file())
    if not files:
        raise Problem("Nothing was made that checksums could be of.")
    lines = [f"{sha256(file)}  {file.relative_to(into).as_posix()}\n" for file in files]
    (into / NAME).write_text("".join(lines), encoding="utf-8")
    return [Outcome("checksums", State.BUILT, f"of {len(files)} files", into / NAME)]


def try_out(_source: Source, into: Path) -> list[Outcome]:
    """Have `sha256sum` check them as a person would. Raises Problem."""
    if shutil.which("sha256sum") is None:
        raise Unavailable("sha256sum is not on the path.")
    run_quietly(["sha256sum", "--check", "--strict", "--quiet", NAME], folder=into)
    return [Outcome("checksums", State.TESTED, "sha256sum accepts them")]


def sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
