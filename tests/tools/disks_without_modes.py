"""A stand-in for disks that keep no permission bits, or some: chmod succeeds and does something else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Rounding = Callable[[int], int]

ROUNDINGS: dict[str, Rounding] = {
    # ntfs-3g without options, and WSL's drvfs without metadata
    "none": lambda _mode: 0o777,
    # vfat with fmask=0022: the owner's right to write stands for all
    "write": lambda mode: 0o755 if mode & 0o200 else 0o555,
    # exfat with fmask=0133
    "no program": lambda mode: 0o644 if mode & 0o200 else 0o444,
}


@contextmanager
def rounded_modes(folder: Path, rounding: Rounding) -> Iterator[None]:
    """Have every entry of a folder, and all that are made in it, the modes that such a disk would give."""

    def is_there(at: int | str | bytes | os.PathLike[str], dir_fd: int | None = None) -> bool:
        start = Path("/") if dir_fd is None else Path(f"/proc/self/fd/{dir_fd}").readlink()
        path = Path(f"/proc/self/fd/{at}").readlink() if isinstance(at, int) else start / os.fsdecode(at)
        return path.is_relative_to(folder)

    chmod, fchmod, mkdir = os.chmod, os.fchmod, os.mkdir

    def rounded_chmod(path: Any, mode: int, **words: Any) -> None:
        chmod(path, rounding(mode) if is_there(path, words.get("dir_fd")) else mode, **words)

    def rounded_fchmod(handle: int, mode: int) -> None:
        fchmod(handle, rounding(mode) if is_there(handle) else mode)

    def rounded_mkdir(path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        mkdir(path, mode, dir_fd=dir_fd)
        if is_there(path, dir_fd):
            chmod(path, rounding(0o777) | 0o111, dir_fd=dir_fd)

    for path in folder.rglob("*"):
        chmod(path, rounding(0o777) | 0o111 if path.is_dir() else rounding(0o644))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "chmod", rounded_chmod)
        patch.setattr(os, "fchmod", rounded_fchmod)
        patch.setattr(os, "mkdir", rounded_mkdir)
        yield
