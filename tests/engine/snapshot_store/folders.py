"""Random folders, and what stands in one, for tests of whole states."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Mapping
from pathlib import Path

FolderState = Mapping[str, tuple[int, bytes]]
"""By path: kind and permission bits (of links the kind alone), and the bytes or where the link leads."""

NAMES = ("a", "b.txt", "C", "ü", "%41", ".GIT", "git~1", os.fsdecode(b"\xff\xfe"), "line\nbreak", ".git ")
BITS = (0o644, 0o755, 0o600, 0o640, 0o4755, 0o444)
FOLDER_BITS = (0o755, 0o700, 0o750, 0o2775)


def standing(folder: Path) -> FolderState:
    """All entries beneath a folder."""
    found: dict[str, tuple[int, bytes]] = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                entry = (stat.S_IFLNK, os.fsencode(path.readlink()))
            else:
                entry = (status.st_mode, path.read_bytes() if stat.S_ISREG(status.st_mode) else b"")
            found[path.relative_to(folder).as_posix()] = entry
    return found


def disturb(folder: Path, chance: random.Random, times: int) -> None:
    """Do something at random so many times: make, change, move and remove what is beneath the folder."""
    for _ in range(times):
        places = [folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())]
        path = chance.choice(places) / chance.choice(NAMES)
        if not os.path.lexists(path):
            _make(path, chance)
        elif chance.random() < 0.5:
            _remove(path)
        else:
            _change(path, chance, places)


def _make(path: Path, chance: random.Random) -> None:
    kind = chance.randrange(4)
    if kind == 0:
        path.mkdir()
        path.chmod(chance.choice(FOLDER_BITS))
    elif kind == 1:
        path.symlink_to(chance.choice(["a", "../C", "/nowhere", ".", "ü"]))
    else:
        path.write_bytes(chance.choice([b"", b"one\r\ntwo", b"\xff\0", b"x" * 3000]))
        path.chmod(chance.choice(BITS))


def _change(path: Path, chance: random.Random, places: list[Path]) -> None:
    if chance.random() < 0.5:
        target = chance.choice(places) / chance.choice(NAMES)
        if not os.path.lexists(target) and path not in (target, *target.parents):
            path.rename(target)
    elif path.is_symlink():
        path.unlink()
        path.symlink_to(chance.choice(["b", "elsewhere"]))
    elif path.is_dir():
        path.chmod(chance.choice(FOLDER_BITS))
    else:
        bits = chance.choice(BITS)
        path.chmod(0o600)
        path.write_bytes(path.read_bytes() + b"more")
        path.chmod(bits)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for below in sorted(path.rglob("*"), key=lambda each: -len(each.parts)):
            below.rmdir() if below.is_dir() and not below.is_symlink() else below.unlink()
        path.rmdir()
    else:
        path.unlink()
