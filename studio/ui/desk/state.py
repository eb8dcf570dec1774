"""Snapshot of all state that decides which actions are enabled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from studio.engine.plan import Plan, Step

if TYPE_CHECKING:
    from studio.ui.desk.recent_decision import RecentDecision


class Choosing(Enum):
    """How many of the current step's hunks are included."""

    ALL = "all"
    SOME = "some"
    NOTHING = "nothing"


class Undecided(Enum):
    """What can be done about all pending steps of the plan."""

    APPROVABLE = "approvable"
    BEGUN = "begun"
    """Each needs a consent or has an unused draft, at least one a draft."""
    ASKS = "asks for a consent"


class Matter(Enum):
    """Subject of an explicit consent."""

    UNREAD = "lines that could never be shown"
    SECRETS = "lines that look like they hold a secret"


class Pasting(Enum):
    """Status of the pasted text that is shown."""

    NOTHING = "none is on show"
    WHOLE = "nothing of it is refused"
    REFUSED = "something is, and no one repair would make it fit"
    REPAIRABLE = "something is, and one would"
    REPAIRED = "that was made"


class Running(Enum):
    """What runs in the sandbox for the window."""

    NOTHING = "nothing"
    COMMAND = "a command"
    TRIAL = "a command over a plan's result"


@dataclass(frozen=True, slots=True)
class Ticked:
    """Number of ticked steps, and how many each action applies to."""

    steps: int
    undecided: int
    approvable: int
    decided: int
    viewed: int


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The conflicts shown.

    `open` is how many are unresolved, `unused_drafts` those (from 0) with unused typed lines.
    """

    open: int
    unused_drafts: tuple[int, ...]
    is_outdated: bool


@dataclass(frozen=True, slots=True)
class DeskState:
    """Input of `reasons.why_not`.

    A sentence is "" where it does not apply.
    """

    plan: Plan | None = None
    step: Step | None = None
    ticked: Ticked | None = None
    """What is ticked while the whole plan is current; None where nothing is."""
    closed_sentence: str = ""
    """How the plan was closed, where it has left the queue."""

    # Blocks everything
    is_gone: bool = False
    """Whether the project's folder is missing."""
    busy: str = ""
    is_deciding: bool = False
    is_input_guarded: bool = False
    """Whether the input guard runs: the view changed just now."""
    needs_recovery: bool = False
    is_stopping: bool | None = None
    """Whether the running apply was asked to stop; None where none runs."""

    is_scanning: bool = False
    """Whether a process scans for changes by others."""
    is_indexing: bool = False
    """Whether that is the first scan."""

    # The step as shown
    painted_revision: str = ""
    has_contents: bool = False
    has_diff: bool = False
    hunks_differ: bool = False
    needs_consent: Matter | None = None
    """The next consent that the step still needs."""
    is_unit_ready: bool = True
    """Whether the other steps approved with it need no separate check."""
    pasting: Pasting = Pasting.NOTHING
    """Status of the pasted text that covers the step."""
    moves_code: bool = False
    """Whether the plan moves code into or out of the step's file."""
    is_comparing: bool = False
    """Whether the step is compared with an earlier version."""
    has_earlier_round: bool = False

    # The reviewer's changes to it
    choice: Choosing = Choosing.ALL
    is_edited: bool = False
    is_edit_needless: bool = False
    """Whether the edited result equals the file on disk."""
    is_editing: bool = False
    is_edit_outdated: bool = False
    has_edit_draft: bool = False
    can_restore_draft: bool = False
    undecided: Undecided = Undecided.APPROVABLE

    # The changed file of a stale step
    has_staleness: bool = False
    stale_refused: str = ""
    conflicts: Conflicts | None = None

    has_call: bool = False
    """Whether an agent's tool call waits for an answer."""
    is_call_unread: bool = False

    # Earlier writes
    has_history: bool = False
    has_reply: bool = False
    """Whether an agent's plan was applied, on which a reply can be copied."""
    has_commit_message: bool = False
    """Whether an applied plan has a commit message."""
    no_undo: str = ""
    """Why there is nothing to undo."""
    rollback_files: int | None = None
    """Files chosen in the previewed rollback; None without a preview."""

    # Snapshots and restores
    is_reading: bool = False
    """Whether a snapshot is being made, or the project is read for a preview."""
    restores: int | None = None
    """Paths that the previewed restore would change; None without a preview."""
    restore_refused: str = ""

    running: Running = Running.NOTHING

    # Changes without a plan
    observed: int = 0
    """Number of open observed changes."""
    is_observing: bool = False
    """Whether an observed change covers the step."""

    # The reading view
    is_reading_on: bool = False
    """Whether a file or an applied plan covers the step."""
    can_read_back: bool = False
    can_read_ahead: bool = False
    has_file: bool = False
    """Whether the middle shows a file that may be on disk."""

    @property
    def is_settling(self) -> bool:
        """Whether conflicts are shown."""
        return self.conflicts is not None


# Status messages: one sentence about what just happened.


class Tone(Enum):
    """Kind of a status message, which sets its colour and icon."""

    DONE = "done"
    NEWS = "news"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class StatusMessage:
    """Status message; `undo` is the plan that Undo would roll back.

    `decided` is the decision it reports, which Take back voids.
    """

    sentence: str
    tone: Tone = Tone.DONE
    hint: str = ""
    undo: str | None = None
    decided: RecentDecision | None = None
