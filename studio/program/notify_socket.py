"""Notify sockets between processes: "something changed", "show this project".

Messages carry no content. Each waiting process listens on a datagram socket of its own in the user's runtime
folder; `notify` notifies all of them. The window has another socket, to which a second start of the program
passes what it was to show. A lost message loses nothing: the store is the truth, and listeners poll it
anyway.
"""

from __future__ import annotations

import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from studio.errors import TimedOut
from studio.limits import BELL_MESSAGE_BYTES, CANCEL_LOOK_SECONDS, WAIT_POLL_SECONDS
from studio.program.notify_paths import (
    MAX_SOCKETS,
    address,
    socket_path,
    socket_paths,
    temporary_folder,
)
from studio.system.own_files import make_own_folder

_T = TypeVar("_T")


def hand_over(message: str) -> bool:
    """Send a short message to the window; return whether it was received.

    Never raises, never waits.
    """
    return _send_message(address(), message)


def notify(message: str) -> None:
    """Notify every other listening process. Never raises, never waits.

    Sockets of dead processes are removed.
    """
    own = os.getpid()
    for path, process in socket_paths().items():
        if process != own:  # this process knows what it did
            _send_message(path, message)


def _send_message(path: Path, message: str) -> bool:
    """Send a message to a socket; return whether it was received.

    The socket of a dead process is removed.
    """
    socket_id = _read_socket_id(path)
    if socket_id is None:
        return False
    data = message.encode("utf-8", "surrogateescape")[:BELL_MESSAGE_BYTES]
    try:
        # A datagram is never accepted, so a hanging process does not block the sender.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(data, str(path))
    except ConnectionRefusedError:
        _remove_socket(path, socket_id)
        return False
    except OSError:  # among them a full socket: its process is notified already
        return False
    return True


def _read_socket_id(path: Path) -> tuple[int, int] | None:
    """Return device and inode of our socket at a path.

    None for another user's, any other file, and for none.
    """
    try:
        status = path.lstat()
    except OSError:
        return None
    is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return (status.st_dev, status.st_ino) if is_ours and stat.S_ISSOCK(status.st_mode) else None


def _remove_socket(path: Path, socket_id: tuple[int, int]) -> None:
    """Remove a dead socket, unless another one has its path by now."""
    if _read_socket_id(path) == socket_id:
        path.unlink(missing_ok=True)


class NotifyListener:
    """Listening end of a notify socket, held by a waiting process."""

    def __init__(self, listener: socket.socket, path: Path) -> None:
        self._listener = listener
        self._path = path
        self._socket_id = _read_socket_id(path)

    def fileno(self) -> int:
        """Return the file descriptor to wait on for messages."""
        return self._listener.fileno()

    def drain(self) -> list[str]:
        """Return the messages received so far, oldest first."""
        messages: list[str] = []
        while True:
            try:
                data = self._listener.recv(BELL_MESSAGE_BYTES)
            except (BlockingIOError, InterruptedError):
                return messages
            messages.append(data.decode("utf-8", "surrogateescape"))

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for a message; return whether one came.

        All messages received by then are discarded.
        """
        self._listener.settimeout(seconds)
        try:
            self._listener.recv(BELL_MESSAGE_BYTES)
        except TimeoutError:
            return False
        finally:
            self._listener.setblocking(False)
        self.drain()
        return True

    def close(self) -> None:
        """Stop listening, and remove the socket if it is still ours."""
        self._listener.close()
        if self._socket_id is not None:
            _remove_socket(self._path, self._socket_id)


def listen() -> NotifyListener | None:
    """Listen on the window's notify socket.

    None if another window process has it already, or the system has no such sockets. A folder chosen by the
    user keeps its mode, and a file that is no socket is not replaced. Raises OSError where the folder can't
    be used or belongs to another user, or where such a file is at the path.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    path = address()
    _make_folder(path.parent)
    if not _is_free(path):
        if _read_socket_id(path) is None:
            raise FileExistsError(f"{path} is no bell of Exacta Studio's")
        return None
    return _bind_listener(path)


def open_listener() -> NotifyListener | None:
    """Listen on a socket of this process; None if that is impossible.

    The caller can only poll then.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    # Another thread may wait too, or a process with our number in another PID namespace or system.
    paths = (socket_path(os.getpid(), number) for number in range(1, MAX_SOCKETS))
    try:
        _make_folder(socket_path(os.getpid()).parent)
        free = next(filter(_is_free, paths), None)
        return None if free is None else _bind_listener(free)
    except OSError:
        return None


@contextmanager
def notify_listener() -> Generator[NotifyListener | None]:
    """Listen as `open_listener` does, while the block runs."""
    listener = open_listener()
    try:
        yield listener
    finally:
        if listener is not None:
            listener.close()


def wait_for_notification(
    listener: NotifyListener | None, seconds: float, cancel: threading.Event | None
) -> bool:
    """Wait up to `seconds` for a message; return True if cancelled."""
    if listener is None:
        return (cancel or threading.Event()).wait(seconds)
    if cancel is None:
        listener.wait(seconds)
        return False
    # No single call waits for both a socket and an event.
    end = time.monotonic() + seconds
    while not cancel.is_set():
        left = min(end - time.monotonic(), CANCEL_LOOK_SECONDS)
        if left <= 0 or listener.wait(left):
            return False
    return True


def wait_until(
    poll: Callable[[], tuple[_T, bool]],
    describe: Callable[[_T], str],
    timeout: float | None = None,
    cancel: threading.Event | None = None,
) -> _T:
    """Poll until `poll` reports the end; return what it found.

    It is called with each message, and four times a second. Raises TimedOut after `timeout` seconds, or when
    `cancel` is set, with the sentence of `describe`.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    # Listening starts before the first check: what is committed after that check sends a message.
    with notify_listener() as listener:
        while True:
            found, has_ended = poll()
            if has_ended:
                return found
            left = WAIT_POLL_SECONDS
            if deadline is not None:
                left = min(left, deadline - time.monotonic())
            if left <= 0 or wait_for_notification(listener, left, cancel):
                hint = "It stays in the queue; wait again later."
                raise TimedOut("wait.timed_out", describe(found), hint)


def _make_folder(folder: Path) -> None:
    make_own_folder(folder)
    status = folder.lstat()
    # In a shared temporary folder another user may have made a folder or a link of this name first.
    if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is not a folder of this user")
    if not os.environ.get("STUDIO_STATE_DIR") or folder == temporary_folder():
        folder.chmod(0o700)


def _is_free(path: Path) -> bool:
    """Return whether a socket can be bound here.

    One that a killed process left is removed.
    """
    socket_id = _read_socket_id(path)
    if socket_id is None:
        return not os.path.lexists(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except ConnectionRefusedError:
            _remove_socket(path, socket_id)
            return True
        except OSError:
            return False
    return False


def _bind_listener(path: Path) -> NotifyListener:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        listener.setblocking(False)
        listener.bind(str(path))
        path.chmod(0o600)
    except OSError:
        listener.close()
        raise
    return NotifyListener(listener, path)
