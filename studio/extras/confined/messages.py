"""Message types of the sandbox launcher process: project layer, command, mounts, reports.

Messages to the launcher are marshal'ed, with a built-in module; its reports are lines of text (`said`). The
ground comes first, and the launcher reports whether it can be prepared. Then comes the command, and it
reports how that started and ended.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypedDict

What = Literal["private", "copied", "empty", "blank", "shown", "project"]


class SandboxBase(TypedDict):
    """The project and layer that a command will run on.

    `identity` is the project's device and inode. `run` is the folder of this run: with an overlay it has
    `upper`, `work` and the empty `stage`, and, where it `has_laid` files, the lower folder `laid` on top of
    the project; else `copy` and `stage`. `handles` are those that the launcher was started with, for the
    command alone. `has_files` requests a handle of the overlay. `bubblewrap` is the path of the program that
    creates the namespaces, empty where we do. `container` is the command that removes the container, which
    the task's `argv` makes; empty without one.
    """

    project: bytes
    identity: tuple[int, int]
    run: bytes
    is_overlay: bool
    has_laid: bool
    handles: list[int]
    has_files: bool
    bubblewrap: bytes
    container: list[bytes]


class Mount(TypedDict):
    """One path of the machine that differs for the command.

    `what` is mounted there: "private" (an empty writable folder, with the permission bits `mode`), "copied"
    (a file in such a folder, with `content` and `mode`), "empty" (an empty folder), "blank" (a read-only file
    with `content`), "shown" (`source`, read-only), "project". With `is_made` a missing path is created; else
    it is skipped.
    """

    path: bytes
    what: What
    source: bytes
    content: bytes
    mode: int
    is_made: bool


class Task(TypedDict):
    """A command and its environment.

    `mounts` are in order: each after those that contain it. The handles are numbers in the launcher. `limits`
    are pairs of a resource's number and its value.
    """

    argv: list[bytes]
    folder: bytes
    variables: dict[bytes, bytes]
    has_network: bool
    mounts: list[Mount]
    private_bytes: int
    private_files: int
    processes: int
    limits: list[tuple[int, int]]
    given: int
    output: int
    errors: int


class LauncherEvent(Enum):
    """The first word of each line that the launcher writes.

    READY: the ground is prepared; if requested, the process and number of the overlay's handle. REFUSED: the
    failed action and the errno. LACKS: what the kernel can't enforce. STARTED. UNSTARTED: the command can't
    run, with the errno. EXIT, SIGNAL: how it ended.
    """

    READY = "ready"
    REFUSED = "refused"
    LACKS = "lacks"
    STARTED = "started"
    UNSTARTED = "unstarted"
    EXIT = "exit"
    SIGNAL = "signal"
