"""Value types of parsed proposals: draft plans, steps, text and cell edits."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from studio.engine.plan import REVIEW_FORMAT, RUN_FORMAT, Fact, Operation, Problem
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine.diff import FilePatch


TREE_FORMAT: Final = "tree"
"""Format of a plan made from a folder beside the project."""

OWN_FORMATS: Final = frozenset({TREE_FORMAT, RUN_FORMAT, REVIEW_FORMAT})
"""Formats of drafts made without a text; they may have more steps."""


class TextEdit(Value):
    """Replacement of `old`, which must occur exactly once, by `new`."""

    old: str
    new: str
    whole_lines: bool = False
    """Both are whole lines with their ends; a missing end of the file's last line is no difference."""
    after: tuple[str, ...] = ()
    """Lines that precede the place, outermost first.

    With `old` "" the place is directly after the last of them, which must occur once.
    """
    in_order: bool = False
    """The place is after that of the previous edit."""
    at_end: bool = False
    """The place is the end of the file; `old` may be "" then."""
    every: bool = False
    """All occurrences are replaced, at least one."""
    at_line: int | None = None
    """`new` goes after so many lines of the file as the previous edits left it; `old` is "" then."""
    on_line: int | None = None
    """The place is this 1-based line, as the previous edits left the file; `old` is whole lines then."""
    line: int | None = None
    """Its line in the text, 1-based."""


class CellChange(StrEnum):
    """Kind of change to a notebook's cell."""

    REPLACE = "replace"
    INSERT = "insert"
    DELETE = "delete"


class CellEdit(Value):
    """A change of one cell of a Jupyter notebook.

    `cell_id` names the cell. A new one goes after the named one, or before the first one without a name. With
    `number` the cell is named by its 0-based index instead, and a new one gets that index. `cell_type` is
    "code", "markdown" or "raw"; "" keeps that of an existing cell.
    """

    change: CellChange
    cell_id: str
    source: str = ""
    cell_type: str = ""
    line: int | None = None
    """Its line in the text, 1-based."""
    number: int | None = None


class DraftBase(Value):
    """A path's state before its change in an overlay.

    `content` None: no file.
    """

    content: bytes | None
    mode: int = 0


class DraftStep(Value):
    """One step as a format read it, unchecked against the project.

    Exactly one of `content`, `exact`, `edits`, `cells` and `patch` is given where the operation needs new
    bytes, or `content` with `edits` of it: `content` is UTF-8 text, which takes the form of the file it
    changes; `exact` is the bytes themselves, text or not. `problems` found by the format make the step
    invalid. `line` is its line in the text. A create that `may_exist` is a modify where the file exists, with
    `over_empty` where it exists and is empty. `repaired` names the change to the proposed text; such a step
    gets no second repair.
    """

    op: Operation
    path: str
    to: str | None = None
    base_sha256: str | None = None
    content: bytes | None = None
    encoding: str | None = None
    """The encoding that the step names for its file, by a label of `encodings`; None if it names none."""
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
    """Appended text without a line end is given one where the file ends with one."""
    repaired: Fact | None = None
    made_on: DraftBase | None = None
    """The path's content on which the step was made; None where at most `base_sha256` identifies it."""
    parts: tuple[DraftStep, ...] = ()
    """Steps on the same paths in their order, which this one represents until the files are read."""
    rewrites: bool = False
    """A delete and a create of its path: a folder may be there."""
    changes_kind: bool = False
    """A deleted file becomes a folder, or a created file replaces a folder that the plan empties."""
    unit: str | None = None
    """Id shared by the steps that are decided, applied and rolled back together."""
    mode: int | None = None
    """Permission bits of the result; None: those of its base or of a new file."""
    mode_limit: int = 0o777
    """The most permission bits that a new file gets."""
    facts: tuple[Fact, ...] = ()
    """What a reviewer must know about how `exact` was made."""

    @property
    def patches(self) -> tuple[FilePatch, ...]:
        """All patches of a diff in it, in order."""
        own = () if self.patch is None else (self.patch, *self.following)
        return (*own, *(patch for part in self.parts for patch in part.patches))


class ExcludedPath(Value):
    """A path that is not proposed, and why, as a clause.

    A folder's path ends with a slash.
    """

    path: str
    why: str


class PlanDraft(Value):
    """What a format read from a text; unreadable with `problems`.

    `message` is the text around its blocks: the agent's own words to the reviewer. `remarks` are ours about
    the whole, and make nothing invalid; `left_out` is the beginning of what they count. With `takes_repairs`
    a step that fits only with one repair is proposed with it; else the repair is only reported. `repair`
    names the one that made an unreadable text readable, or would, "" where there is none.
    """

    format: str
    steps: tuple[DraftStep, ...]
    title: str = ""
    agent: str = ""
    problems: tuple[Problem, ...] = ()
    message: str = ""
    remarks: tuple[Problem, ...] = ()
    left_out: tuple[ExcludedPath, ...] = ()
    takes_repairs: bool = False
    repair: str = ""
