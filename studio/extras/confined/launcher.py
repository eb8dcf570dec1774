"""Sandbox launcher process: creates namespaces, kills the command when its requester ends.

It ends the command, with all that the command has started, when the process that requested it is gone: the
pipe from that process then has no writer. If the launcher itself is killed, the kernel ends the first process
of the new namespaces, and with it all others inside.
"""

from __future__ import annotations

import marshal
import os
import select

from studio.extras.confined import bubblewrap, container, first_process
from studio.extras.confined.reports import Step, report
from studio.system import isolation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from studio.extras.confined.messages import SandboxBase

_REQUEST_PIPE = 0
"""The pipe from the requesting process."""

SPACES = (
    isolation.NEW_USERS
    | isolation.NEW_MOUNTS
    | isolation.NEW_PROCESSES
    | isolation.NEW_MESSAGES
    | isolation.NEW_NAMES
    | isolation.NEW_CONTROL_GROUPS
)


def serve() -> None:
    """Prepare the ground read from standard input, then run the command.

    The command is the next message there.
    """
    # Ctrl-C at a terminal is for the requesting process.
    os.setsid()
    base = _read_message()
    if base is None:
        return
    if base["container"]:
        report("ready")
        task = _read_message()
        if task is not None:
            container.run(_REQUEST_PIPE, base, task)
        return
    if base["bubblewrap"]:
        _run_bubblewrap(base)
        return
    with Step("users"):
        _enter_namespaces()
    # We are its only writer: a reader notices our end at any time.
    alive, alive_writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(alive_writer)
        first_process.serve(_REQUEST_PIPE, alive, base)
    os.close(alive)
    # No other process holds the command's own files: a reader of its output sees its end by that.
    for handle in base["handles"]:
        os.close(handle)
    _watch(child)


def _run_bubblewrap(base: SandboxBase) -> None:
    with Step("bubblewrap"):
        bubblewrap.check(base)
    report("ready")
    task = _read_message()
    if task is not None:
        bubblewrap.run(_REQUEST_PIPE, base, task)


def _enter_namespaces() -> None:
    """Enter new namespaces that map only our own user and group."""
    user, group = os.geteuid(), os.getegid()
    isolation.unshare(SPACES)
    maps = (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"))
    for name, text in maps:
        handle = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)


def _watch(child: int) -> None:
    """Wait for the first process; kill it once the requester is gone."""
    ended = os.pidfd_open(child)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(_REQUEST_PIPE, 0)  # its hang-up is reported in any case
    found = dict(waiting.poll())
    if ended not in found:
        os.kill(child, 9)
    # It is over only when every process inside has ended.
    os.waitpid(child, 0)


def _read_message() -> Any | None:
    """Return the next message, None at the end of input."""
    length = int.from_bytes(_read(8), "little")
    return marshal.loads(_read(length)) if length else None


def _read(length: int) -> bytes:
    """Read `length` bytes of a message, none at the end of input."""
    found = b""
    while len(found) < length:
        part = os.read(_REQUEST_PIPE, length - len(found))
        if not part:
            return b""
        found += part
    return found
