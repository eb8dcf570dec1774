"""The process that is started for a command: it leaves the machine's name spaces and stays to watch.

It ends the command, with all that the command has started, when the process that asked for it is gone: the
pipe from that one then has no writer. Should it be killed itself, the kernel ends the first process of the
new name space, and with that one all others in there.
"""

from __future__ import annotations

import marshal
import os
import select

from studio.engine.confined import bubblewrap, first_process
from studio.engine.confined.said import Step, say
from studio.engine.system import isolation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from studio.engine.confined.order import Ground

_ASKED = 0
"""The pipe from the process that asked."""

SPACES = (
    isolation.NEW_USERS
    | isolation.NEW_MOUNTS
    | isolation.NEW_PROCESSES
    | isolation.NEW_MESSAGES
    | isolation.NEW_NAMES
    | isolation.NEW_CONTROL_GROUPS
)


def serve() -> None:
    """Make the ground that standard input tells of, run the command that it tells of next, and end."""
    # Ctrl-C at a terminal is for who asked.
    os.setsid()
    ground = _told()
    if ground is None:
        return
    if ground["bubblewrap"]:
        _leave_it_to_bubblewrap(ground)
        return
    with Step("users"):
        _leave()
    # It has no writer but us: whoever reads it is told of our end, at any time.
    alive, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        first_process.serve(_ASKED, alive, ground)
    os.close(alive)
    # The command's own handles are held by nobody else: whoever reads its output sees its end by that.
    for handle in ground["handles"]:
        os.close(handle)
    _watch(child)


def _leave_it_to_bubblewrap(ground: Ground) -> None:
    with Step("bubblewrap"):
        bubblewrap.check(ground)
    say("ready")
    task = _told()
    if task is not None:
        bubblewrap.run(_ASKED, ground, task)


def _leave() -> None:
    """Have name spaces of our own, in which we are nobody else but who we are."""
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
    """Wait for the end of the first process, and bring it about once nobody asks any more."""
    ended = os.pidfd_open(child)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(_ASKED, 0)  # its end is told in any case
    found = dict(waiting.poll())
    if ended not in found:
        os.kill(child, 9)
    # It is over only when every process in there is.
    os.waitpid(child, 0)


def _told() -> Any | None:
    """What we are told next; None where nobody is left to tell."""
    length = int.from_bytes(_read(8), "little")
    return marshal.loads(_read(length)) if length else None


def _read(length: int) -> bytes:
    """So many bytes of what we are told, or none where nobody is left to tell."""
    found = b""
    while len(found) < length:
        part = os.read(_ASKED, length - len(found))
        if not part:
            return b""
        found += part
    return found
