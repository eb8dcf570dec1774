"""What the launcher is told, and what it says; both in the words of `marshal`, which needs no import.

First comes where the command will work, and the launcher says whether that can be made. Then comes the
command, and it says how that began and ended.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypedDict

What = Literal["private", "copied", "empty", "blank", "shown", "project"]


class Ground(TypedDict):
    """Where a command works. `identity` is the project's device and inode. `run` is the folder of this run:
    with an overlay `upper`, `work` and the empty `stage` in it, and where it `has_laid` files `laid`, which
    lies between; else `copy` and `stage`. `handles` are those that the launcher was started with, for the
    command alone. `bubblewrap` is the path of the program that makes the name spaces, empty where we do."""

    project: bytes
    identity: tuple[int, int]
    run: bytes
    is_overlay: bool
    has_laid: bool
    handles: list[int]
    bubblewrap: bytes


class Mount(TypedDict):
    """One place of the machine that looks otherwise to the command.

    `what` it is there: "private" (an empty folder to write to, with the permission bits `mode`), "copied" (a
    file in such a folder, with `content` and `mode`), "empty" (a folder without anything), "blank" (a file
    with `content`, to read), "shown" (`source`, to read), "project". Where `is_made` it is made if it is
    missing; else it is left out then.
    """

    path: bytes
    what: What
    source: bytes
    content: bytes
    mode: int
    is_made: bool


class Task(TypedDict):
    """A command, and what it is given. `places` are in order: each behind those that it lies in. The handles
    are numbers in the launcher. `limits` are pairs of a resource's number and its value."""

    argv: list[bytes]
    folder: bytes
    variables: dict[bytes, bytes]
    has_network: bool
    places: list[Mount]
    private_bytes: int
    private_files: int
    processes: int
    limits: list[tuple[int, int]]
    given: int
    output: int
    errors: int


class Said(Enum):
    """The first word of each line that the launcher says.

    READY: the ground is there. REFUSED: what was being done, and the system's number of why not. LACKS: what
    the kernel can't enforce. STARTED. UNSTARTED: the command can't be run, with the number. EXIT, SIGNAL:
    how it ended.
    """

    READY = "ready"
    REFUSED = "refused"
    LACKS = "lacks"
    STARTED = "started"
    UNSTARTED = "unstarted"
    EXIT = "exit"
    SIGNAL = "signal"
