"""Where bells hang, and what they are called: names of sockets, and no socket (design 7)."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

from studio.engine.limits import SOCKET_PATH_BYTES

_NAME = "bell.sock"
BELLS_UP_TO = 100
"""Bells of one process; whoever gets none looks at the store."""
_LONGEST_ENDING = f"-{2**32}-{BELLS_UP_TO}.sock"


# A file and no abstract socket, at which any user of the machine could ring, or hang a bell before us.
def address() -> Path:
    """Where the window's bell hangs: in STUDIO_STATE_DIR when that is set, else in the user's runtime folder.

    Without such a folder, or where its path is too long for a socket, an owner-only temporary folder
    stands in; a long path becomes a hashed name there.
    """
    state, runtime = os.environ.get("STUDIO_STATE_DIR"), os.environ.get("XDG_RUNTIME_DIR")
    if not state and not runtime:
        return temporary_folder() / _NAME
    path = Path(state) / _NAME if state else Path(runtime or "") / "exacta-studio" / _NAME
    return path if _fits(path) else _hashed(path)


def temporary_folder() -> Path:
    """The owner-only folder that stands in where a bell has no other place."""
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"exacta-studio-{user}"


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES


def _hashed(path: Path) -> Path:
    return temporary_folder() / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def bell_of(process: int, number: int = 1) -> Path:
    """Where a process that waits hangs its bell; each of several threads has one, numbered from 1."""
    folder, begins = _beside()
    return folder / f"{begins}-{process}{f'-{number}' if number > 1 else ''}.sock"


def bells() -> dict[Path, int]:
    """Every bell of a process that waits, or waited before it was killed, with the number of that process."""
    folder, begins = _beside()
    pattern = re.compile(rf"{begins}-(\d+)(?:-\d+)?\.sock")
    try:
        found = [(path, pattern.fullmatch(path.name)) for path in folder.iterdir()]
    except OSError:
        return {}
    return {path: int(match[1]) for path, match in found if match is not None}


def _beside() -> tuple[Path, str]:
    """The folder in which the bells of all processes hang, and how their names begin: beside the window's,
    wherever its path and the longest number fit."""
    window = address()
    if not _fits(window.with_name(window.stem + _LONGEST_ENDING)):
        window = _hashed(window)
    return window.parent, window.stem
