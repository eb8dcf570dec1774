"""The bell of another process that waits, held by the test."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from studio.program.notify_paths import socket_path
from studio.system.own_files import make_own_folder

ANOTHER = 4_194_305
"""The number of no process on Linux."""


@contextmanager
def bell_of_another_process(number: int = 1) -> Iterator[socket.socket]:
    """What a process that waits has; its file stays, as after a kill."""
    path = socket_path(ANOTHER, number)
    make_own_folder(path.parent)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        listener.setblocking(False)
        yield listener


def heard(listener: socket.socket) -> list[bytes]:
    """The messages that came since it was asked last."""
    messages: list[bytes] = []
    while select.select([listener], [], [], 0)[0]:
        messages.append(listener.recv(100))
    return messages
