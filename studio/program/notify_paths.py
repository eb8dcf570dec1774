"""Paths of notify sockets; no socket is opened here."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from studio.limits import SOCKET_PATH_BYTES

_NAME = "bell.sock"
MAX_SOCKETS = 100
"""Notify sockets of one process; a listener without one polls the store."""
_LONGEST_ENDING = f"-{2**32}-{MAX_SOCKETS}.sock"


# A file and no abstract socket: any user of the machine could send to that, or bind its name first.
def address() -> Path:
    """Return the path of the window's notify socket.

    It is in STUDIO_STATE_DIR when that is set, else in the user's runtime folder. Without such a folder, or
    where its path is too long for a socket, an owner-only temporary folder is used instead; a long path
    becomes a hashed name there.
    """
    state, runtime = os.environ.get("STUDIO_STATE_DIR"), os.environ.get("XDG_RUNTIME_DIR")
    if not state and not runtime:
        return temporary_folder() / _NAME
    path = Path(state) / _NAME if state else Path(runtime or "") / "exacta-studio" / _NAME
    return path if _fits(path) else _hash_path(path)


def temporary_folder() -> Path:
    """Return the owner-only fallback folder for notify sockets."""
    import tempfile  # most have a runtime folder

    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"exacta-studio-{user}"


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES


def _hash_path(path: Path) -> Path:
    return temporary_folder() / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def socket_path(process: int, number: int = 1) -> Path:
    """Return the socket path of a waiting process.

    Each of its threads has one, numbered from 1.
    """
    folder, begins = _shared_folder()
    return folder / f"{begins}-{process}{f'-{number}' if number > 1 else ''}.sock"


def socket_paths() -> dict[Path, int]:
    """Return all notify sockets of processes, with the process IDs.

    Killed processes may have left some.
    """
    folder, begins = _shared_folder()
    pattern = re.compile(rf"{begins}-(\d+)(?:-\d+)?\.sock")
    try:
        found = [(path, pattern.fullmatch(path.name)) for path in folder.iterdir()]
    except OSError:
        return {}
    return {path: int(match[1]) for path, match in found if match is not None}


def _shared_folder() -> tuple[Path, str]:
    """Return the folder of all processes' sockets, and their names' prefix.

    They are beside the window's, or in the temporary folder where that path with the longest number does not
    fit.
    """
    window = address()
    if not _fits(window.with_name(window.stem + _LONGEST_ENDING)):
        window = _hash_path(window)
    return window.parent, window.stem
