"""The SHA-256 of every file that is shipped, in one text that `sha256sum -c` reads."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from system_packages import Problem

from shipping.outcome import Outcome, State, Unavailable
from shipping.source import Source

NAME = "SHA256SUMS"
SIGNATURE = f"{NAME}.asc"
TABLE = "RELEASE.txt"
"""What the release command says at its end; it is written after the checksums."""


def build(_source: Source, into: Path) -> list[Outcome]:
    """Write the checksums of all that lies there. Raises Problem where nothing does."""
    files = sorted(shipped(into))
    if not files:
        raise Problem("Nothing was made that checksums could be of.")
    lines = [f"{_digest(file)}  {file.relative_to(into).as_posix()}\n" for file in files]
    (into / NAME).write_text("".join(lines), encoding="utf-8")
    return [Outcome("checksums", State.BUILT, f"of {len(files)} files", into / NAME)]


def try_out(_source: Source, into: Path) -> list[Outcome]:
    """Have `sha256sum` check them as a person would, and find a file that was changed."""
    if shutil.which("sha256sum") is None:
        raise Unavailable("sha256sum is not on the path.")
    if not _holds(into):
        raise Problem("sha256sum finds other checksums than were written.")
    with tempfile.TemporaryDirectory(prefix="exacta-sums-") as made:
        copy = Path(made)
        shutil.copy(into / NAME, copy)
        files = sorted(shipped(into), key=lambda file: file.stat().st_size)
        for file in files[1:]:
            place = copy / file.relative_to(into)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(file.resolve())
        changed = copy / files[0].relative_to(into)
        changed.parent.mkdir(parents=True, exist_ok=True)
        changed.write_bytes(files[0].read_bytes() + b"\n")
        if _holds(copy):
            raise Problem("sha256sum does not see that a file was changed.")
    return [Outcome("checksums", State.TESTED, "sha256sum accepts them, and refuses a changed file")]


def shipped(into: Path) -> Iterator[Path]:
    """Every file there that has a checksum."""
    return (file for file in into.rglob("*") if file.is_file() and file.name not in (NAME, SIGNATURE, TABLE))


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _holds(folder: Path) -> bool:
    words = ["sha256sum", "--check", "--strict", "--quiet", NAME]
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode == 0
