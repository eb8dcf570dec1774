"""A bell between processes: "something changed", "show this project". It carries no content (design 7).

A datagram socket in the user's runtime folder; whoever binds it first is the window process. Losing a
ring loses nothing: the store is the truth, and the window looks at it anyway.
"""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import tempfile
from pathlib import Path

from studio.engine.limits import BELL_MESSAGE_BYTES, SOCKET_PATH_BYTES
from studio.engine.system.own_files import make_own_folder

_NAME = "bell.sock"


def address() -> Path:
    """Where the bell hangs: in STUDIO_STATE_DIR when that is set, else in the user's runtime folder.

    Without such a folder, or where its path is too long for a socket, an owner-only temporary folder
    stands in; a long path becomes a hashed name there.
    """
    state, runtime = os.environ.get("STUDIO_STATE_DIR"), os.environ.get("XDG_RUNTIME_DIR")
    own = Path(tempfile.gettempdir()) / f"exacta-studio-{_user()}"
    if not state and not runtime:
        return own / _NAME
    path = Path(state) / _NAME if state else Path(runtime or "") / "exacta-studio" / _NAME
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES:
        return path
    return own / hashlib.sha256(os.fsencode(path)).hexdigest()[:32]


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def ring(message: str) -> bool:
    """Send one short message; True if a window process received it. Never raises, never waits."""
    if not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bell:
        bell.setblocking(False)
        try:
            bell.sendto(message.encode("utf-8", "surrogateescape")[:BELL_MESSAGE_BYTES], str(address()))
        except OSError:
            return False
    return True


class Bell:
    """The receiving end, held by the window process."""

    def __init__(self, listener: socket.socket, path: Path) -> None:
        self._listener = listener
        self._path = path
        self._inode = path.stat().st_ino

    def fileno(self) -> int:
        """The handle to wait on until a message has arrived."""
        return self._listener.fileno()

    def drain(self) -> list[str]:
        """The messages that have arrived, oldest first."""
        messages: list[str] = []
        while True:
            try:
                data = self._listener.recv(BELL_MESSAGE_BYTES)
            except (BlockingIOError, InterruptedError):
                return messages
            messages.append(data.decode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """Stop listening, and take the socket away where it is still ours."""
        self._listener.close()
        try:
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()
        except FileNotFoundError:
            pass


def listen() -> Bell | None:
    """Hang the bell; None if another window process has it already, or the system knows no such sockets.

    A folder that was chosen keeps its mode, and a file that is no socket its place. Raises OSError where the
    folder can't be used or belongs to somebody else, or where such a file hangs there.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    path = address()
    make_own_folder(path.parent)
    folder = path.parent.lstat()
    if not stat.S_ISDIR(folder.st_mode) or (hasattr(os, "getuid") and folder.st_uid != os.getuid()):
        raise PermissionError(f"{path.parent} is not a folder of this user")
    if not os.environ.get("STUDIO_STATE_DIR"):
        path.parent.chmod(0o700)
    if path.exists():
        if ring("hello"):
            return None
        if not path.is_socket():
            raise FileExistsError(f"{path} is no bell of Exacta Studio's")
        path.unlink()  # what a killed process left behind
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        listener.setblocking(False)
        listener.bind(str(path))
        path.chmod(0o600)
    except OSError:
        listener.close()
        raise
    return Bell(listener, path)
