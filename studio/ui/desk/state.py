"""All that decides which actions are possible, as one value: what the desk knew at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from studio.engine.plan import Plan, Step


class Choosing(Enum):
    """How much of the current step's hunks goes in."""

    ALL = "all"
    SOME = "some"
    NOTHING = "nothing"


class Undecided(Enum):
    """What can be done about the pending steps of the current plan together."""

    APPROVABLE = "approvable"
    BEGUN = "begun"
    """Each asks for a consent or has a text that was begun, one at least such a text."""
    ASKS = "asks for a consent"


class Matter(Enum):
    """What nobody approves without saying so."""

    UNREAD = "lines that could never be shown"
    SECRETS = "lines that look like they hold a secret"


class Pasting(Enum):
    """How a pasted text on show stands."""

    NOTHING = "none is on show"
    WHOLE = "nothing of it is refused"
    REFUSED = "something is, and no one repair would make it fit"
    REPAIRABLE = "something is, and one would"
    REPAIRED = "that was made"


class Running(Enum):
    """What works in the sandbox for the window."""

    NOTHING = "nothing"
    COMMAND = "a command"
    TRIAL = "a command over a plan's result"


@dataclass(frozen=True, slots=True)
class Ticked:
    """How many steps of the plan on show are ticked, and what can be done about so many of them."""

    steps: int
    undecided: int
    approvable: int
    decided: int
    viewed: int


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The conflicts on show: how many are open, and at which (from 0) lines were typed and not used."""

    open: int
    begun: tuple[int, ...]
    is_outdated: bool


@dataclass(frozen=True, slots=True)
class DeskState:
    """What `reasons.why_not` goes by. A sentence is "" where there is nothing to say."""

    plan: Plan | None = None
    step: Step | None = None
    ticked: Ticked | None = None
    """What is ticked while the plan as a whole is current; None where nothing is."""
    departed: str = ""
    """What became of the plan, where it has left the queue."""

    # What holds up everything
    is_gone: bool = False
    """Whether the project's folder is not there."""
    busy: str = ""
    is_deciding: bool = False
    is_dead: bool = False
    """Whether something changed under the hand just now."""
    needs_recovery: bool = False
    is_stopping: bool | None = None
    """Whether the apply that runs is asked to stop; None where none runs."""

    is_looking: bool = False
    """Whether a process looks for what others write."""
    is_noting: bool = False
    """Whether it looks for the first time ever."""

    # What is shown of the step
    painted_revision: str = ""
    has_contents: bool = False
    has_diff: bool = False
    hunks_differ: bool = False
    needs_consent: Matter | None = None
    """What of the step nobody has accepted yet."""
    is_unit_ready: bool = True
    """Whether the other steps that are approved with it need no look of their own."""
    pasting: Pasting = Pasting.NOTHING
    """Which pasted text stands before it."""
    moves_code: bool = False
    """Whether the plan moves code into or out of the step's file."""
    is_comparing: bool = False
    """Whether another round stands beside the step."""
    has_earlier_round: bool = False

    # What was made of it
    choice: Choosing = Choosing.ALL
    is_edited: bool = False
    is_edit_needless: bool = False
    """Whether the edited result is the file as it is."""
    is_editing: bool = False
    is_edit_outdated: bool = False
    has_kept_text: bool = False
    can_put_back_text: bool = False
    undecided: Undecided = Undecided.APPROVABLE

    # Where its file changed
    has_staleness: bool = False
    stale_refused: str = ""
    conflicts: Conflicts | None = None

    has_call: bool = False
    """Whether an agent waits for a word on what is no file change."""
    is_call_unread: bool = False

    # What was written before
    has_history: bool = False
    has_reply: bool = False
    """Whether an agent's plan was applied about which its agent can be told."""
    has_commit_message: bool = False
    """Whether a plan stands applied that could be committed."""
    no_undo: str = ""
    """Why there is nothing to undo."""
    rollback_files: int | None = None
    """How many files of the previewed rollback are chosen; None where none is previewed."""

    # Whole states
    is_reading: bool = False
    """Whether a snapshot is being made, or the project is read for the preview of one."""
    restores: int | None = None
    """How many paths the previewed restore would change; None where none is previewed."""
    restore_refused: str = ""

    running: Running = Running.NOTHING

    # What no plan wrote
    observed: int = 0
    """How many observed changes are open."""
    is_observing: bool = False
    """Whether such a change stands over the step."""

    # What is read beside deciding
    is_reading_on: bool = False
    """Whether a file or an applied plan stands over the step, to be read."""
    can_read_back: bool = False
    can_read_ahead: bool = False
    has_file: bool = False
    """Whether what stands in the middle is about a file that may be on disk."""

    @property
    def is_settling(self) -> bool:
        """Whether conflicts are on show."""
        return self.conflicts is not None
