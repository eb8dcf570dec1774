"""Value types of git data: HEAD, blame, tree entries, worker requests."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, TypedDict

from studio.values import Value

_USUAL: Final = frozenset({".venv", "__pycache__", "node_modules", "venv"})
"""Names of folders with generated content."""

Doing = Literal["merge", "rebase", "cherry-pick", "revert", "bisect"]
"""A git operation in progress."""


class Head(Value):
    """State of the work tree's HEAD.

    `branch` is None where HEAD is detached, `commit` (hex) where there is none yet. `action` is the text of
    the newest line of HEAD's reflog ("checkout: moving from main to v2"), empty without a reflog. `stash` is
    the commit of the newest stash.
    """

    branch: str | None
    commit: str | None
    action: str
    in_progress: Doing | None
    stash: str | None


class HeldObject(Value):
    """A commit's entry at a path: mode and object id (hex).

    The object of a submodule is a commit, of a folder a tree.
    """

    mode: int
    object_id: str


class CommittedLines(Value):
    """Consecutive lines of a file in HEAD that share a commit.

    `first` is 1-based, `commit` in hex.
    """

    first: int
    count: int
    commit: str
    author: str
    when: datetime | None
    is_boundary: bool
    """Whether it may be an older commit, which a shallow clone lacks."""


class GitBlame(Value):
    """Content of a file in HEAD, and its lines' commits in order."""

    content: bytes
    lines: tuple[CommittedLines, ...]


class ChangedFile(Value):
    """A path that differs between commits, or may differ from HEAD.

    `new` is None for a path that the newer commit lacks, and always for the work tree. `converter` names what
    git runs on the file between object and work tree, such as "lfs"; "" for nothing.
    """

    path: str
    old: HeldObject | None
    new: HeldObject | None
    converter: str


class WorkTreeChanges(Value):
    """Files that may differ from HEAD, untracked ones included.

    `has_modes` is whether git compares the executable bit there (`core.fileMode`).
    """

    head: Head
    files: tuple[ChangedFile, ...]
    has_modes: bool


LineEnds = Literal["kept", "converted", "guessed"]
"""What git does with a file's line ends."""


class ObjectContents(Value):
    """Bytes of a file's object, and those that a checkout writes.

    Where its line ends are "converted", git takes CRLF in the work tree for LF; where they are "guessed", if
    neither side looks binary and the object has no CR.
    """

    stored: bytes
    written: bytes
    line_ends: LineEnds


class CommitChanges(Value):
    """The files that commits change.

    `names` and `commits` (in hex) are those of the older and the newer one.
    """

    names: tuple[str, str]
    commits: tuple[str, str]
    files: tuple[ChangedFile, ...]


What = Literal[
    "ignored",
    "head",
    "objects_at",
    "blame",
    "tracked_folders",
    "work_tree_changes",
    "commit_changes",
    "contents",
]


def is_usual(folder: str) -> bool:
    """Return whether a folder has a name usual for generated content."""
    return folder.rpartition("/")[2] in _USUAL


class Question(TypedDict):
    """A question as sent to the process, in one line of JSON.

    `root` is the project's folder, and paths are beneath it. After `seconds` the process ends itself, in case
    its parent no longer can.
    """

    what: What
    root: str
    paths: list[str]
    folders: list[bool]
    commit: str
    objects: list[str]
    seconds: float
