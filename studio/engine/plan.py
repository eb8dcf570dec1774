"""Plans of file changes: steps, facts, problems, decisions, and state transition tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import field
from msgspec.structs import replace

from studio.errors import Refused
from studio.journal.file_image import FileImage
from studio.limits import FACT_KINDS_UP_TO, PATH_BYTES, PROBLEM_CHARACTERS, REFUSED_NAME_CHARACTERS
from studio.values import Value


class Operation(Enum):
    CREATE = "create"
    MODIFY = "modify"
    APPEND = "append"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    MKDIR = "mkdir"
    MODE = "mode"

    @property
    def has_target(self) -> bool:
        """Whether the operation names a second path, `to`."""
        return self in (Operation.MOVE, Operation.COPY)


class _State(Enum):
    # Enum's own is Python code; a press in a window asks for 5,000 of a plan of 600 steps.
    __hash__ = object.__hash__

    @property
    def words(self) -> str:
        return self.value.replace("_", " ")


class StepState(_State):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    STALE = "stale"
    INVALID = "invalid"
    APPLIED = "applied"
    ROLLED_BACK = "rolled_back"
    ALREADY_APPLIED = "already_applied"

    @cached_property
    def is_open(self) -> bool:
        """Whether a person can still decide or apply the step."""
        return self in (StepState.PENDING, StepState.APPROVED, StepState.STALE)


class PlanState(_State):
    DRAFT = "draft"
    INVALID = "invalid"
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    CHANGES_REQUESTED = "changes_requested"
    CANCELLED = "cancelled"
    EXECUTING = "executing"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    ROLLED_BACK = "rolled_back"
    DISMISSED = "dismissed"

    @cached_property
    def is_open(self) -> bool:
        """Whether a person can still decide or apply the plan."""
        return self in OPEN_PLAN_STATES

    @cached_property
    def is_active(self) -> bool:
        """Whether the plan's results may still be written."""
        return self in ACTIVE_PLAN_STATES

    @cached_property
    def is_decided(self) -> bool:
        """Whether an agent has nothing left to wait for."""
        return self is not PlanState.DRAFT and not self.is_active

    @cached_property
    def is_dismissible(self) -> bool:
        """Whether a person may dismiss the plan; an applied one never is."""
        return PlanState.DISMISSED in PLAN_TRANSITIONS[self]


STEP_TRANSITIONS: Mapping[StepState, frozenset[StepState]] = {
    # Invalid: a later round of its plan no longer contains it.
    StepState.PENDING: frozenset(
        set(StepState) - {StepState.PENDING, StepState.APPLIED, StepState.ROLLED_BACK}
    ),
    StepState.APPROVED: frozenset({StepState.PENDING, StepState.STALE, StepState.APPLIED}),
    # A rejection is a decision like any other: it can be undone while its plan is open.
    StepState.REJECTED: frozenset({StepState.PENDING}),
    # Approved: its base is back, and the earlier approval is valid again.
    StepState.STALE: frozenset(set(StepState) - {StepState.STALE, StepState.APPLIED, StepState.ROLLED_BACK}),
    StepState.INVALID: frozenset(),
    StepState.APPLIED: frozenset({StepState.ROLLED_BACK}),
    StepState.ROLLED_BACK: frozenset({StepState.APPLIED}),
    StepState.ALREADY_APPLIED: frozenset(),
}


PLAN_TRANSITIONS: Mapping[PlanState, frozenset[PlanState]] = {
    PlanState.DRAFT: frozenset({PlanState.INVALID, PlanState.PENDING}),
    PlanState.INVALID: frozenset({PlanState.DISMISSED}),
    # Executing: a part of it is written. Completed, rolled back: the last undecided step after a part is
    # closed, or every valid step turned out to be on disk already.
    PlanState.PENDING: frozenset(
        {
            PlanState.APPROVED,
            PlanState.REJECTED,
            PlanState.CHANGES_REQUESTED,
            PlanState.CANCELLED,
            PlanState.EXECUTING,
            PlanState.COMPLETED,
            PlanState.ROLLED_BACK,
        }
    ),
    PlanState.APPROVED: frozenset({PlanState.PENDING, PlanState.EXECUTING, PlanState.CANCELLED}),
    # The last rejection of a plan can be undone, which opens the plan again.
    PlanState.REJECTED: frozenset({PlanState.PENDING, PlanState.DISMISSED}),
    PlanState.CHANGES_REQUESTED: frozenset({PlanState.DISMISSED}),
    PlanState.CANCELLED: frozenset({PlanState.DISMISSED}),
    # Pending, approved: a plan applied in parts stays open until its last step is closed.
    PlanState.EXECUTING: frozenset(
        {
            PlanState.PENDING,
            PlanState.APPROVED,
            PlanState.COMPLETED,
            PlanState.PAUSED,
            PlanState.FAILED,
            PlanState.CANCELLED,
        }
    ),
    PlanState.PAUSED: frozenset({PlanState.EXECUTING, PlanState.CANCELLED}),
    PlanState.COMPLETED: frozenset({PlanState.ROLLED_BACK}),
    PlanState.FAILED: frozenset({PlanState.DISMISSED}),
    PlanState.ROLLED_BACK: frozenset({PlanState.COMPLETED}),
    PlanState.DISMISSED: frozenset(),
}


OPEN_PLAN_STATES = frozenset({PlanState.PENDING, PlanState.APPROVED})
"""Plans that a person can still decide or apply."""


ACTIVE_PLAN_STATES = OPEN_PLAN_STATES | {PlanState.EXECUTING, PlanState.PAUSED}
"""Plans whose results may still be written.

Their session counts them as its own work.
"""


def open_plan_state(states: Iterable[StepState]) -> PlanState:
    """Return the state of an open plan with steps in these states.

    Some may be applied, or rolled back since: those of its parts.
    """
    valid = {state for state in states if state is not StepState.INVALID}
    if not valid:
        return PlanState.INVALID
    if valid & {StepState.PENDING, StepState.STALE}:
        return PlanState.PENDING
    if StepState.APPROVED in valid:
        return PlanState.APPROVED
    if StepState.APPLIED in valid:
        return PlanState.COMPLETED
    if StepState.ROLLED_BACK in valid:
        return PlanState.ROLLED_BACK
    return PlanState.REJECTED if StepState.REJECTED in valid else PlanState.COMPLETED


class Severity(Enum):
    """Severity of a fact (note, warning, danger) or problem (warning, error)."""

    NOTE = "note"
    WARNING = "warning"
    DANGER = "danger"
    ERROR = "error"


class Problem(Value):
    """Reason why a text or a step is refused.

    `at` is "input" when `line` and `column` (1-based) refer to the submitted text, "target" when they refer
    to the file of the step. `count` is how many problems this one represents: the last one of a long list
    represents all that were omitted.
    """

    code: str
    message: str
    hint: str
    severity: Severity = Severity.ERROR
    at: str = "input"
    line: int | None = None
    column: int | None = None
    count: int = 1

    @staticmethod
    def shorten(problems: Iterable[Problem], up_to: int) -> tuple[Problem, ...]:
        """Return at most `up_to` problems, then one that counts the rest.

        Idempotent.
        """
        found = ProblemList(up_to)
        for problem in problems:
            found.add(problem)
        return found.listed()


KINDS_ABOUT_BYTES = frozenset(
    "bidi binary bom_changed confusable control delete encoding_changed encoding_guessed encoding_unknown"
    " executable far_right final_newline_changed final_newline_missing git_configuration invisible"
    " kind_differs large line_ending_changed lock_contents lock_file lock_source lock_unread long_line"
    " mixed_script odd_space placeholder secret".split()
)
"""Kinds of fact about a file's bytes, recomputed for an edited result."""


class Fact(Value):
    """Something a reviewer must know about a step; never a refusal.

    `side` is "base" or "result"; `line` and `column` are 1-based in that side's text.
    """

    kind: str
    severity: Severity
    message: str
    side: str | None = None
    line: int | None = None
    column: int | None = None

    @property
    def is_about_bytes(self) -> bool:
        """Whether it is recomputed for an edited result."""
        return self.kind in KINDS_ABOUT_BYTES

    @staticmethod
    def of_repair(message: str) -> Fact:
        """Return the fact that the text of a step was repaired."""
        return Fact(REPAIRED, Severity.WARNING, message)

    @staticmethod
    def shorten(facts: Sequence[Fact], up_to: int) -> tuple[Fact, ...]:
        """Return about `up_to` facts, most severe first, and a count.

        The first fact of every kind stays whatever the number, because a reviewer accepts them by kind.
        """
        cut = tuple(map(_shorten_fact, facts))
        if len(cut) <= up_to:
            return cut
        firsts = {fact.kind: place for place, fact in reversed(list(enumerate(cut)))}
        selected = set(sorted(firsts.values())[:FACT_KINDS_UP_TO])
        for place in sorted(range(len(cut)), key=lambda place: -_GRAVITY.index(cut[place].severity)):
            if len(selected) >= up_to:
                break
            selected.add(place)
        left = [fact for place, fact in enumerate(cut) if place not in selected]
        if not left:
            return cut
        worst = max((fact.severity for fact in left), key=_GRAVITY.index)
        noun = "thing" if len(left) == 1 else "things"
        rest = Fact("more", worst, f"And {len(left):,} more {noun} about this file.")
        return (*(cut[place] for place in sorted(selected)), rest)


HunkChoice = bool | frozenset[int]


class HunkRange(Value, gc=False):
    """One hunk of a step as proposed, with the decision on it.

    Number and lines are 1-based. `chosen` is True (all), False (none) or the set of the hunk's changed lines,
    counted from 1.
    """

    hunk: int
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    chosen: HunkChoice = True


class PersonSource(Enum):
    """How a decision was made: window, terminal, or the person's own setting."""

    WINDOW = "window"
    TERMINAL = "terminal"
    CONFIGURATION = "configuration"


class Verdict(Enum):
    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_CHANGES = "request_changes"

    @property
    def words(self) -> str:
        """The outcome for the step, for use in a sentence."""
        return {"approve": "approved", "reject": "rejected"}.get(self.value, "changes requested")


class LineComment(Value):
    """A person's comment on one line.

    `side` is "base" or "result", `line` counts from 1 in it.
    """

    side: str
    line: int
    text: str


class StepDecision(Value):
    """A person's input on one step that deviates from full approval.

    `choices` has what of which hunk goes in, hunks not named do; `edited` is the whole content to be written
    instead. `text` is the note or reason, None: the one that all steps get.
    """

    step: int
    choices: Mapping[int, HunkChoice] = field(default_factory=dict[int, HunkChoice])
    edited: bytes | None = None
    text: str | None = None
    comments: Sequence[LineComment] = ()


class Decision(Value, gc=False):
    """A person's verdict on one step, and everything it was based on.

    Any of base, result, mode, path, root identity or policy fingerprint that differs at apply makes the step
    stale. `text` is the note of an approval or the reason of a rejection. `seen` is how the person was
    identified, None where that was not recorded yet, and `folder` their configuration folder then.
    """

    verdict: Verdict
    who: str
    when: datetime
    text: str
    base_sha256: str | None
    decided_sha256: str | None
    choices: Mapping[int, HunkChoice]
    edited: bool
    root_identity: str
    policy_fingerprint: str
    comments: tuple[LineComment, ...] = ()
    seen: PersonSource | None = None
    folder: Path | None = None


class Dismissal(Value):
    """Who dismissed a closed plan, how and when, and its earlier state."""

    was: PlanState
    who: str
    when: datetime
    seen: PersonSource
    folder: Path | None = None


class Effect(Value, gc=False):
    """A step's precondition and outcome for one path."""

    path: str
    before: FileImage | None
    after: FileImage | None


REPAIRED: Final = "repaired"
"""Kind of the fact that a step's text was repaired."""

REPLACES_STALE: Final = "replaces_stale"
"""Kind of the fact that a step replaces a stale one."""

FOREIGN_KEPT: Final = "recovery.kept"
"""Code of the problem that an old file, which somebody wrote into, was kept."""

STEP_WITHDRAWN: Final = "step.withdrawn"
"""Code of the problem of a step that was open when its agent withdrew the plan."""

RUN_FORMAT: Final = "run"
"""Format of a plan made from a sandboxed command's changes."""

REVIEW_FORMAT: Final = "review"
"""Format of a review, and of a plan made from one."""

WORK_TREE: Final = "HEAD"
"""Subject of a review of the work tree's uncommitted changes."""


class Step(Value):
    """One operation on a path.

    `base` None: must not exist; `result` None: will not exist. For move and copy `base` is the file at `path`
    and `result` the file at `to`.
    """

    number: int
    id: str
    op: Operation
    path: str
    to: str | None
    state: StepState
    base: FileImage | None
    result: FileImage | None
    added: int = 0
    removed: int = 0
    hunks: tuple[HunkRange, ...] = ()
    problems: tuple[Problem, ...] = ()
    facts: tuple[Fact, ...] = ()
    reason: str = ""
    made_folders: tuple[str, ...] = ()
    """Parent folders that the apply of this step created."""
    undoes: str | None = None
    """Id of the step that this one undoes, in a rollback."""
    decision: Decision | None = None
    rebased_from: Effect | None = None
    """The original proposal of a rebased step."""
    recontext: str = ""
    """What an agent needs to redo a diff that did not match."""
    unit: str | None = None
    """Id shared by steps that are decided, applied and rolled back together."""
    part: int | None = None
    """Number of the part that wrote it, None before it is applied."""
    revised: datetime | None = None
    """When a later round of its plan proposed it, None if the first did."""

    @property
    def is_repaired(self) -> bool:
        """Whether the text that proposed it was repaired."""
        return any(fact.kind == REPAIRED for fact in self.facts)

    @property
    def is_withdrawn(self) -> bool:
        """Whether its agent withdrew the plan after a part of it."""
        return any(problem.code == STEP_WITHDRAWN for problem in self.problems)

    @property
    def target(self) -> str:
        """The path that holds the step's result."""
        return self.to if self.to is not None else self.path

    @property
    def written_paths(self) -> tuple[str, ...]:
        """Every path the step changes; of a copy only the target."""
        if self.op is Operation.COPY:
            return (self.target,)
        return (self.path,) if self.to is None else (self.path, self.to)

    @property
    def decided(self) -> FileImage | None:
        """What an apply leaves at the target: decided bytes, proposed mode."""
        if self.result is None or not self.is_decided_otherwise:
            return self.result
        return replace(self.result, sha256=self.decided_sha256)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The step's paths with their contents before and after.

        For a copy also its source.
        """
        if self.op is Operation.MOVE:
            return (Effect(self.path, self.base, None), Effect(self.target, None, self.decided))
        if self.op is Operation.COPY:
            return (Effect(self.path, self.base, self.base), Effect(self.target, None, self.decided))
        return (Effect(self.path, self.base, self.decided),)

    @property
    def decided_sha256(self) -> str | None:
        """Hash of the bytes that an apply would write, None for none."""
        return self.decision.decided_sha256 if self.decision is not None else None

    @property
    def is_decided_otherwise(self) -> bool:
        """Whether an apply would write other bytes than were proposed."""
        return self.result is not None and self.decided_sha256 not in (None, self.result.sha256)

    @property
    def has_link_side(self) -> bool:
        """Whether a side is a symbolic link, which has no lines."""
        return any(image is not None and image.is_link for image in (self.base, self.result))

    @property
    def mode_change(self) -> tuple[str, str] | None:
        """The git modes before and after, where they differ."""
        if self.base is None or self.result is None or self.base.is_folder or self.result.is_folder:
            return None
        before, after = self.base.git_mode, self.result.git_mode
        return (before, after) if before != after else None

    @property
    def contents(self) -> frozenset[str]:
        """SHA-256 of all bytes that the step refers to.

        Both sides, what was decided instead, and both before a rebase.
        """
        sides = [self.base, self.result]
        if self.rebased_from is not None:
            sides += [self.rebased_from.before, self.rebased_from.after]
        named = (*(side.sha256 for side in sides if side is not None), self.decided_sha256)
        return frozenset(sha256 for sha256 in named if sha256)

    @property
    def revision(self) -> str:
        """Hash that changes whenever what a reviewer sees of this step changes.

        A click carries it.
        """
        sides = (
            f"{side.sha256} {side.mode:o}" if side is not None else "" for side in (self.base, self.result)
        )
        seen = (self.id, self.state.value, *sides, self.target, self.decided_sha256 or "")
        return hashlib.sha256("\0".join(seen).encode()).hexdigest()[:16]


def part_key(plan_id: str, part: int) -> str:
    """Return the key of a part: of the first, the plan's id."""
    return plan_id if part == 1 else f"{plan_id}/{part}"


class Part(Value):
    """Steps of a plan that one apply wrote.

    `number` counts from 1 in the order of applies. `discarded` is when their stored bytes were freed, which
    ended their rollback.
    """

    number: int
    applied: datetime
    discarded: datetime | None = None
    discarded_by: str | None = None
    """The person who freed them, None where they had expired."""
    discarded_seen: PersonSource | None = None


class Plan(Value):
    """One agent's proposal, made at one time.

    It changes only by its own session's calls, before any step of it is decided, and each change raises
    `version`.
    """

    id: str
    version: int
    title: str
    agent: str
    state: PlanState
    created: datetime
    steps: tuple[Step, ...]
    problems: tuple[Problem, ...] = ()
    format: str = "plan"
    rolls_back: str | None = None
    restores: str | None = None
    """The snapshot that it restores, whole or in part.

    For observed changes that is the baseline.
    """
    reviews: str | None = None
    """The subject of a review: WORK_TREE, commits as `A..B`, or a snapshot's id."""
    duplicate: bool = False
    applied: datetime | None = None
    """When its last part was applied."""
    discarded: datetime | None = None
    """When its stored bytes were freed, which ended apply and rollback."""
    discarded_by: str | None = None
    """The person who freed them, None where they had expired."""
    discarded_seen: PersonSource | None = None
    dismissal: Dismissal | None = None
    session: str | None = None
    """Id of the proposing session, None for a pasted text."""
    message: str = ""
    """The agent's own message about the changes, displayed but never obeyed."""
    parts: tuple[Part, ...] = ()
    """What was applied: one part, or several where some steps were still undecided."""
    waits: bool = False
    """Whether its agent waits for the answer and does nothing else."""

    @property
    def review_base(self) -> str:
        """What a review compares with: HEAD, a commit's name, a snapshot."""
        base = (self.reviews or "").partition("..")[0]
        return base if base in ("", WORK_TREE) or self.is_of_commits else f"snapshot {base[:8]}"

    @property
    def unwanted(self) -> tuple[Step, ...]:
        """Decided steps of which something was not approved."""
        return tuple(
            step
            for step in self.steps
            if step.state is StepState.REJECTED
            or (step.state is StepState.APPROVED and step.is_decided_otherwise)
        )

    @property
    def short_id(self) -> str:
        """The first eight hex digits, which a person types to identify themselves."""
        return self.id[:8]

    @property
    def is_proposal(self) -> bool:
        """Whether an agent proposed it.

        If not, a person had it made: a rollback, a restore, a revert, a review.
        """
        return self.rolls_back is None and self.restores is None and self.reviews is None

    @property
    def is_review(self) -> bool:
        """Whether its steps are only marked, never written."""
        return self.reviews is not None

    @property
    def is_of_commits(self) -> bool:
        """Whether it reviews commits, whose results need not be on disk."""
        return self.reviews is not None and ".." in self.reviews

    @property
    def stale(self) -> bool:
        return any(step.state is StepState.STALE for step in self.steps)

    @property
    def undecided(self) -> tuple[Step, ...]:
        """Valid steps without a verdict, stale ones included."""
        return tuple(step for step in self.steps if step.state in (StepState.PENDING, StepState.STALE))

    @property
    def approved(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.state is StepState.APPROVED)

    @property
    def approved_revisions(self) -> Mapping[int, str]:
        """The revisions of its approved steps, by number."""
        return {step.number: step.revision for step in self.approved}

    @property
    def valid_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.state is not StepState.INVALID)

    @property
    def is_in_parts(self) -> bool:
        """Whether an apply left or leaves steps of it open.

        Such a plan never pauses or fails: what could not be written stays approved.
        """
        return bool(self.parts or self.undecided)

    @property
    def has_applied_step(self) -> bool:
        return any(step.state is StepState.APPLIED for step in self.steps)

    @property
    def is_sent_back(self) -> bool:
        """Whether changes were requested of what a part left open."""
        return bool(self.parts) and any(
            step.state is StepState.REJECTED
            and step.decision is not None
            and step.decision.verdict is Verdict.REQUEST_CHANGES
            for step in self.steps
        )

    @property
    def last_part_key(self) -> str:
        """The key of what its last apply wrote."""
        return part_key(self.id, len(self.parts))

    def part_of(self, step: Step) -> int | None:
        """Return the number of the part whose undo keeps a step's contents.

        Those of a closed plan's other steps go with its last part.
        """
        if step.part is not None or not self.parts or self.state.is_active:
            return step.part
        return self.parts[-1].number

    def steps_of_part(self, number: int) -> tuple[Step, ...]:
        """Return the steps that a part wrote."""
        return tuple(step for step in self.steps if step.part == number)

    @property
    def is_of_command(self) -> bool:
        """Whether the plan holds a sandboxed command's changes."""
        return self.format == RUN_FORMAT

    @property
    def contents(self) -> frozenset[str]:
        """SHA-256 of all bytes that its steps refer to."""
        return frozenset[str]().union(*(step.contents for step in self.steps))

    def step(self, number: int) -> Step | None:
        """Return the step with that number, counted from 1."""
        return self.steps[number - 1] if 0 < number <= len(self.steps) else None

    @property
    def is_dismissible(self) -> bool:
        """Whether a person may dismiss it: a closed plan, any review."""
        return self.state.is_dismissible or (self.is_review and self.state.is_open)

    def check_dismissible(self) -> None:
        """Raise Refused for an open, applied or dismissed plan."""
        if not self.is_dismissible:
            raise Refused(
                "plan.state",
                f"“{self.title}” is {self.state.words}; it can't be dismissed.",
                _DISMISSAL_HINTS.get(self.state, "Reject or withdraw it first."),
            )

    def step_with_target(self, step: Step) -> Step | None:
        """Return the valid step with the same target, as in another round."""
        return next((other for other in self.valid_steps if other.target == step.target), None)

    def with_units(self, step_numbers: Iterable[int]) -> tuple[int, ...]:
        """Return step numbers followed by those of the same units."""
        named = tuple(step_numbers)
        units = {step.unit for number in named if (step := self.step(number)) is not None and step.unit}
        unit_steps = (step.number for step in self.steps if step.unit in units) if units else ()
        return tuple(dict.fromkeys((*named, *unit_steps)))


_DISMISSAL_HINTS = {
    PlanState.COMPLETED: "It remains in the history; its undo data expires.",
    PlanState.ROLLED_BACK: "It remains in the history; its undo data expires.",
    PlanState.DISMISSED: "No action is needed.",
    PlanState.EXECUTING: "Wait until it is applied, or recover the project.",
}

MORE_PROBLEMS: Final = "problems.more"
"""Code of a truncated list's last problem, which counts the omitted ones."""


_GRAVITY = (Severity.NOTE, Severity.WARNING, Severity.DANGER, Severity.ERROR)


class ProblemList:
    """Collector that stores the first `up_to` problems and counts the others."""

    def __init__(self, up_to: int) -> None:
        self.up_to = up_to
        self._stored: list[Problem] = []
        self._more = 0
        self._severity = Severity.NOTE

    def __len__(self) -> int:
        """Return the number of problems, including those only counted."""
        return len(self._stored) + self._more

    @property
    def room(self) -> int:
        """How many more are stored; further ones need only be counted."""
        return self.up_to - len(self._stored)

    def add(self, problem: Problem) -> None:
        """Store or count a problem; one that counts others adds its count."""
        if problem.code == MORE_PROBLEMS:
            self.count(problem.count, problem.severity)
        elif self.room > 0:
            self._stored.append(_shorten_problem(problem))
        else:
            self.count(1, problem.severity)

    def count(self, number: int, severity: Severity = Severity.ERROR) -> None:
        """Count problems that were not created."""
        self._more += number
        if number:
            self._severity = max(self._severity, severity, key=_GRAVITY.index)

    def forget_after(self, number: int) -> None:
        """Discard all but the first `number` that were found."""
        del self._stored[number:]
        self._more = number - len(self._stored)

    def listed(self) -> tuple[Problem, ...]:
        """Return the stored problems in order, then one that counts the rest."""
        return self._append_rest(self._stored)

    def listed_by_place(self) -> tuple[Problem, ...]:
        """Return the same as `listed`, sorted by line and column."""
        return self._append_rest(sorted(self._stored, key=lambda each: (each.line or 0, each.column or 0)))

    def _append_rest(self, listed: Sequence[Problem]) -> tuple[Problem, ...]:
        if not self._more:
            return tuple(listed)
        noun = "problem" if self._more == 1 else "problems"
        rest = Problem(
            MORE_PROBLEMS,
            f"And {self._more:,} more {noun}.",
            "Correct these first; the others are often of the same kind.",
            self._severity,
            count=self._more,
        )
        return (*listed, rest)


class Share:
    """Budget shared by steps: one entry each, more while it lasts."""

    def __init__(self, beyond_firsts: int, up_to: int) -> None:
        self._free_entries = beyond_firsts
        self._up_to = up_to

    @property
    def of_one(self) -> int:
        """How many entries the next step may have."""
        return min(self._up_to, 1 + max(0, self._free_entries))

    def subtract(self, count: int) -> None:
        """Subtract the entries of a step."""
        self._free_entries -= max(0, count - 1)


def shortened_path(path: str) -> str:
    """Return the path, truncated if it is longer than any valid path.

    Such a step is refused, but its name is stored and listed all the same.
    """
    return path if len(path) <= PATH_BYTES else f"{path[:REFUSED_NAME_CHARACTERS]}…"


def _shorten_problem(problem: Problem) -> Problem:
    if len(problem.message) <= PROBLEM_CHARACTERS and len(problem.hint) <= PROBLEM_CHARACTERS:
        return problem
    return replace(problem, message=_shorten_text(problem.message), hint=_shorten_text(problem.hint))


def _shorten_fact(fact: Fact) -> Fact:
    return (
        fact
        if len(fact.message) <= PROBLEM_CHARACTERS
        else replace(fact, message=_shorten_text(fact.message))
    )


def _shorten_text(text: str) -> str:
    return text if len(text) <= PROBLEM_CHARACTERS else f"{text[: PROBLEM_CHARACTERS - 1]}…"
