"""What a format makes of a text: steps as they were read, before any check against the project."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from studio.engine.plan import Fact, Operation, Problem

if TYPE_CHECKING:
    from studio.engine.diff import FilePatch


REPAIRED: Final = "repaired"
"""The kind of the fact that a step's text is not as it was proposed."""

TREE_FORMAT: Final = "tree"
"""The format of a folder beside the project."""

RUN_FORMAT: Final = "run"
"""The format of what a command did in the sandbox."""

OWN_FORMATS: Final = frozenset({TREE_FORMAT, RUN_FORMAT})
"""Formats of drafts that studio makes itself, of folders: no text is in them; they may have more steps."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `old`, which must occur at exactly one place, by `new`."""

    old: str
    new: str
    whole_lines: bool = False
    """Both are whole lines, each with its end; one that the file's last line lacks is no difference."""
    after: tuple[str, ...] = ()
    """Lines that stand before it, the outermost first: the place is looked for behind them. With `old` ""
    it is directly behind the last of them, which must be there once."""
    in_order: bool = False
    """The place is behind that of the edit before."""
    at_end: bool = False
    """The place is the end of the file; `old` may be "" then."""
    every: bool = False
    """All places are meant, one at least."""
    at_line: int | None = None
    """`new` goes behind so many lines of the file as the edits before left it; `old` is "" then."""
    on_line: int | None = None
    """The place is this line of the file, 1-based, as the edits before left it; `old` is whole lines then."""
    line: int | None = None
    """Where it stands in the text, 1-based."""


class CellChange(StrEnum):
    """What becomes of a notebook's cell."""

    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class CellEdit:
    """A change of one cell of a Jupyter notebook, named by its `cell_id`.

    A new cell goes behind the one that is named, or before the first one without a name. With `number` the
    cell is named by its place instead, from 0, and a new one gets that place. `cell_type` is "code",
    "markdown" or "raw"; "" keeps that of a cell that is there.
    """

    change: CellChange
    cell_id: str
    source: str = ""
    cell_type: str = ""
    line: int | None = None
    """Where it stands in the text, 1-based."""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class MadeOn:
    """What an overlay saw at a path before it was changed there: None for `content` is no file at all."""

    content: bytes | None
    mode: int = 0


@dataclass(frozen=True, slots=True)
class DraftStep:
    """One step as a format read it, before any check against the project.

    Exactly one of `content`, `exact`, `edits`, `cells` and `patch` is given where the operation needs new
    bytes, or `content` with `edits` of it: `content` is text in UTF-8, which takes the form of the file it
    changes; `exact` is the bytes themselves, text or not. `problems` already found by the format make the
    step invalid. `line` is where it stands in the text. A create that `may_exist` is a modify where the file
    is there, with `over_empty` where the file is there and empty. `repaired` says what was not as it was
    proposed; such a step gets no second repair.
    """

    op: Operation
    path: str
    to: str | None = None
    base_sha256: str | None = None
    content: bytes | None = None
    encoding: str | None = None
    """The encoding that the step names for its file, by a label of `encodings`; None leaves it open."""
    exact: bytes | None = None
    edits: tuple[TextEdit, ...] = ()
    cells: tuple[CellEdit, ...] = ()
    patch: FilePatch | None = None
    following: tuple[FilePatch, ...] = ()
    """Further patches of the same file, where `patch` has hunks: see `apply_series`."""
    executable: bool | None = None
    reason: str = ""
    problems: tuple[Problem, ...] = ()
    line: int | None = None
    may_exist: bool = False
    over_empty: bool = False
    ends_like_file: bool = False
    """Appended text without a line end is given one where the file ends with one (C14)."""
    repaired: Fact | None = None
    made_on: MadeOn | None = None
    """What its path held for whoever made it; None where only `base_sha256` says so, if that."""
    parts: tuple[DraftStep, ...] = ()
    """Steps on the same paths in their order, which this one represents until the files are read."""
    rewrites: bool = False
    """A delete and a create of its path: what is there may be a folder."""
    changes_kind: bool = False
    """A deleted file becomes a folder, or a created file replaces a folder that the plan empties."""
    unit: str | None = None
    """Id shared by the steps that are decided, applied and rolled back together."""
    mode: int | None = None
    """Permission bits of the result; None: those of its base or of a new file."""
    mode_limit: int = 0o777
    """Permission bits that a new file gets at most."""
    facts: tuple[Fact, ...] = ()
    """What a reviewer must know about how `exact` came to be."""

    @property
    def patches(self) -> tuple[FilePatch, ...]:
        """All patches of a diff in it, in their order."""
        own = () if self.patch is None else (self.patch, *self.following)
        return (*own, *(patch for part in self.parts for patch in part.patches))


@dataclass(frozen=True, slots=True)
class LeftOutPath:
    """What of a folder is not proposed, a folder with its slash, and why, as a clause."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """What a format made of a text. With `problems` the text as a whole can't be read.

    `message` is what stands around its blocks: the agent's own words to whoever reviews. `remarks` are ours
    about the whole, and make nothing invalid; `left_out` is the beginning of what they count. With
    `takes_repairs` a step that fits with one repair alone is proposed so; else only the repair is told.
    `repair` names the one with which a text that can't be read could be, or was, "" where there is none.
    """

    format: str
    steps: tuple[DraftStep, ...]
    title: str = ""
    agent: str = ""
    problems: tuple[Problem, ...] = ()
    message: str = ""
    remarks: tuple[Problem, ...] = ()
    left_out: tuple[LeftOutPath, ...] = ()
    takes_repairs: bool = False
    repair: str = ""
