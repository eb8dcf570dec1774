"""Bells between processes: "something changed", "show this project". They carry no content (design 7).

Each process that waits hangs a bell of its own, a datagram socket in the user's runtime folder; a ring goes
to all of them. Beside them hangs that of the window, to which a second start hands over what it was to show.
Losing a ring loses nothing: the store is the truth, and who waits looks at it anyway.
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

from studio.engine.bell_places import BELLS_UP_TO, address, bell_of, bells, temporary_folder
from studio.engine.errors import TimedOut
from studio.engine.limits import (
    BELL_MESSAGE_BYTES,
    CANCEL_LOOK_SECONDS,
    WAIT_POLL_SECONDS,
)
from studio.engine.system.own_files import make_own_folder

_T = TypeVar("_T")


def hand_over(message: str) -> bool:
    """Send one short message to the window; True if its process received it. Never raises, never waits."""
    return _send(address(), message)


def ring(message: str) -> None:
    """Send one short message to every other process that waits. Never raises, never waits.

    The bells of processes that are dead are taken down.
    """
    own = os.getpid()
    for path, process in bells().items():
        if process != own:  # who rings knows what it did
            _send(path, message)


def _send(path: Path, message: str) -> bool:
    """Whether a bell hangs there and took the message; one that nobody hears any more is taken down."""
    hanging = _bell_at(path)
    if hanging is None:
        return False
    data = message.encode("utf-8", "surrogateescape")[:BELL_MESSAGE_BYTES]
    try:
        # A datagram: nobody has to accept it, so a process that hangs holds up nobody who rings.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            sender.sendto(data, str(path))
    except ConnectionRefusedError:
        _take_down(path, hanging)
        return False
    except OSError:  # among them a bell that is full: it has been rung often enough
        return False
    return True


def _bell_at(path: Path) -> tuple[int, int] | None:
    """What identifies the bell at a path; None for another user's, any other file, and for none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return (status.st_dev, status.st_ino) if is_ours and stat.S_ISSOCK(status.st_mode) else None


def _take_down(path: Path, hanging: tuple[int, int]) -> None:
    """Remove a bell that nobody hears, unless another one hangs there by now."""
    if _bell_at(path) == hanging:
        path.unlink(missing_ok=True)


class Bell:
    """The receiving end, held by a process that waits."""

    def __init__(self, listener: socket.socket, path: Path) -> None:
        self._listener = listener
        self._path = path
        self._hanging = _bell_at(path)

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

    def wait(self, seconds: float) -> bool:
        """Whether a message came within so many seconds; takes all that are there by then."""
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
        """Stop listening, and take the socket away where it is still ours."""
        self._listener.close()
        if self._hanging is not None:
            _take_down(self._path, self._hanging)


def listen() -> Bell | None:
    """Hang the window's bell; None if another window process has it already, or the system knows no such
    sockets.

    A folder that was chosen keeps its mode, and a file that is no socket its place. Raises OSError where the
    folder can't be used or belongs to somebody else, or where such a file hangs there.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    path = address()
    _make_folder(path.parent)
    if not _is_free(path):
        if _bell_at(path) is None:
            raise FileExistsError(f"{path} is no bell of Exacta Studio's")
        return None
    return _hang(path)


def hang() -> Bell | None:
    """Hang a bell for this process, which waits; None where that can't be: then only looking tells."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    # Another thread may wait too, or a process of another system that only seems to have our number.
    paths = (bell_of(os.getpid(), number) for number in range(1, BELLS_UP_TO))
    try:
        _make_folder(bell_of(os.getpid()).parent)
        free = next(filter(_is_free, paths), None)
        return None if free is None else _hang(free)
    except OSError:
        return None


@contextmanager
def hung() -> Generator[Bell | None]:
    """As `hang`, for as long as the block runs."""
    bell = hang()
    try:
        yield bell
    finally:
        if bell is not None:
            bell.close()


def wait_for_ring(bell: Bell | None, seconds: float, cancel: threading.Event | None) -> bool:
    """Wait until somebody rings, for so many seconds at most; True if `cancel` was set before."""
    if bell is None:
        return (cancel or threading.Event()).wait(seconds)
    if cancel is None:
        bell.wait(seconds)
        return False
    # A socket and an event can't be waited for in one call.
    end = time.monotonic() + seconds
    while not cancel.is_set():
        left = min(end - time.monotonic(), CANCEL_LOOK_SECONDS)
        if left <= 0 or bell.wait(left):
            return False
    return True


def wait_until(
    look: Callable[[], tuple[_T, bool]],
    standing: Callable[[_T], str],
    timeout: float | None = None,
    cancel: threading.Event | None = None,
) -> _T:
    """What `look` finds, once it says that it ended: looked at with each ring, and four times a second.

    Raises TimedOut after `timeout` seconds, or when `cancel` is set, with how it stands.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    # Hung before the first look: what is committed after that look rings it.
    with hung() as bell:
        while True:
            found, has_ended = look()
            if has_ended:
                return found
            left = WAIT_POLL_SECONDS
            if deadline is not None:
                left = min(left, deadline - time.monotonic())
            if left <= 0 or wait_for_ring(bell, left, cancel):
                hint = "It stays in the queue; wait again later."
                raise TimedOut("wait.timed_out", standing(found), hint)


def _make_folder(folder: Path) -> None:
    make_own_folder(folder)
    status = folder.lstat()
    # In a shared temporary folder another user may have made one of this name first, or a link.
    if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is not a folder of this user")
    if not os.environ.get("STUDIO_STATE_DIR") or folder == temporary_folder():
        folder.chmod(0o700)


def _is_free(path: Path) -> bool:
    """Whether a bell can hang there; one that a killed process left behind is taken down."""
    hanging = _bell_at(path)
    if hanging is None:
        return not os.path.lexists(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except ConnectionRefusedError:
            _take_down(path, hanging)
            return True
        except OSError:
            return False
    return False


def _hang(path: Path) -> Bell:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        listener.setblocking(False)
        listener.bind(str(path))
        path.chmod(0o600)
    except OSError:
        listener.close()
        raise
    return Bell(listener, path)
