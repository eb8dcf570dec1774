"""What is asked of the user's git data, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypedDict

_USUAL: Final = frozenset({".venv", "__pycache__", "node_modules", "venv"})
"""Names of folders that hold what a tool made."""

Doing = Literal["merge", "rebase", "cherry-pick", "revert", "bisect"]
"""What git has begun and not ended."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where the work tree stands.

    `branch` is None where HEAD is detached, `commit` (hex) where there is none yet. `action` is the text of
    the newest line of HEAD's log ("checkout: moving from main to v2"), empty without a log. `stash` is the
    commit of the newest stash.
    """

    branch: str | None
    commit: str | None
    action: str
    in_progress: Doing | None
    stash: str | None


@dataclass(frozen=True, slots=True)
class HeldObject:
    """What a commit holds at a path: git's mode, and the name of the object in hex. Of a submodule that is
    a commit, of a folder a tree."""

    mode: int
    object_id: str


@dataclass(frozen=True, slots=True)
class CommittedLines:
    """Lines of a file as HEAD holds it, from `first` on (from 1), and the commit (hex) they came with."""

    first: int
    count: int
    commit: str
    author: str
    when: datetime | None
    is_boundary: bool
    """Whether it may be an older commit, which a shallow clone lacks."""


@dataclass(frozen=True, slots=True)
class GitBlame:
    """The bytes that HEAD holds at a path, and what brought their lines, in order."""

    content: bytes
    lines: tuple[CommittedLines, ...]


What = Literal["ignored", "head", "objects_at", "blame", "tracked_folders"]


def is_usual(folder: str) -> bool:
    """Whether a folder is called as tools call those they fill."""
    return folder.rpartition("/")[2] in _USUAL


class Question(TypedDict):
    """One line for the process. `root` is the project's folder, `what` the question; paths lie beneath the
    root. `seconds` is when the process ends itself, should nobody be left to end it."""

    what: What
    root: str
    paths: list[str]
    folders: list[bool]
    commit: str
    seconds: float
