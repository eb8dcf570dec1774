"""State of an open project that enables actions; status and decision messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from studio.engine import Decision, Plan, PlanState, Step, StepState
from studio.names import show_name
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say
from studio.values import Value

_tr = translator("Decided")


DECIDED = (StepState.APPROVED, StepState.REJECTED)
"""Step states that come from a reviewer's decision and can be undone."""


class RecentDecision(Value):
    """The decisions that one click made, by step number."""

    plan_id: str
    title: str
    decisions: Mapping[int, Decision]

    def is_in_effect(self, plan: Plan) -> bool:
        """Return whether any of its decisions still holds and can be undone."""
        return next(self._find_in_effect(plan), None) is not None

    def steps_in_effect(self, plan: Plan) -> tuple[Step, ...]:
        """Return the steps whose decision still holds and can be undone."""
        return tuple(self._find_in_effect(plan))

    def _find_in_effect(self, plan: Plan) -> Iterator[Step]:
        if not can_take_back(plan):
            return
        for number, decision in self.decisions.items():
            step = plan.step(number)
            if step is not None and step.state in DECIDED and step.decision == decision:
                yield step


def recent_decision(plan: Plan, numbers: Sequence[int]) -> RecentDecision:
    """Return the decisions just made on these steps of a plan."""
    found = (plan.step(number) for number in numbers)
    steps = [step for step in found if step is not None]
    decisions = {step.number: step.decision for step in steps if step.decision is not None}
    return RecentDecision(plan.id, plan.title, decisions)


def can_take_back(plan: Plan) -> bool:
    """Return whether decisions on the plan's steps can still be undone."""
    return plan.state.is_open or plan.state is PlanState.REJECTED


def decided_words(step: Step) -> str:
    """Return the sentence that reports the decision on one step."""
    decision, file = step.decision, _file(step)
    if step.state is StepState.REJECTED:
        sentence = _tr("Rejected {file}.")
    elif decision is not None and decision.edited:
        sentence = _tr("Approved {file} with your edits.")
    elif decision is not None and any(choice is not True for choice in decision.choices.values()):
        sentence = _tr("Approved part of {file}.")
    else:
        sentence = _tr("Approved {file}.")
    return say(sentence, file=file)


def take_back_words(title: str, steps: Sequence[Step]) -> tuple[str, str]:
    """Return the button text for undoing these decisions, and the name within.

    That is the file of a single step, else the plan's title.
    """
    label = _about(
        title, steps,
        one=(_tr("Undo approval of {file}"), _tr("Undo rejection of {file}")),
        many=(
            _tr("Undo {n} approvals in “{title}”"),
            _tr("Undo {n} rejections in “{title}”"),
            _tr("Undo {n} decisions in “{title}”"),
        ),
    )  # fmt: skip
    return label, _file(steps[0]) if len(steps) == 1 else show_name(title)


def undone_words(title: str, steps: Sequence[Step]) -> str:
    """Return the sentence that reports which decisions were undone."""
    return _about(
        title, steps,
        one=(_tr("Undid the approval of {file}."), _tr("Undid the rejection of {file}.")),
        many=(
            _tr("Undid {n} approvals in “{title}”."),
            _tr("Undid {n} rejections in “{title}”."),
            _tr("Undid {n} decisions in “{title}”."),
        ),
    )  # fmt: skip


def _about(title: str, steps: Sequence[Step], *, one: tuple[str, str], many: tuple[str, str, str]) -> str:
    """Return the words for one step, or several: approvals, rejections, both."""
    states = [step.state for step in steps]
    if len(steps) == 1:
        return say(one[states[0] is StepState.REJECTED], file=_file(steps[0]))
    kind = 2 if len(set(states)) > 1 else int(StepState.REJECTED in states)
    return say(words.counted(len(steps), many[kind], many[kind]), title=show_name(title))


def _file(step: Step) -> str:
    return show_name(words.split_path(step.target)[1])


class Choosing(Enum):
    """How many of the current step's hunks are included."""

    ALL = "all"
    SOME = "some"
    NOTHING = "nothing"


class Undecided(Enum):
    """What can be done about all pending steps of the plan."""

    APPROVABLE = "approvable"
    HAS_DRAFTS = "begun"
    """Each needs a consent or has an unused draft, at least one a draft."""
    REVISED = "revised"
    """None has a draft, at least one was revised after it was seen."""
    ASKS = "asks for a consent"


class ConsentSubject(Enum):
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


class Ticked(Value):
    """Number of ticked steps, and how many each action applies to."""

    steps: int
    undecided: int
    approvable: int
    decided: int


class Conflicts(Value):
    """The conflicts shown.

    `open` is how many are unresolved, `unused_drafts` those (from 0) with unused typed lines.
    """

    open: int
    unused_drafts: tuple[int, ...]
    is_outdated: bool


# Status messages: one sentence about what just happened.


class Tone(Enum):
    """Kind of a status message, which sets its colour and icon."""

    DONE = "done"
    NEWS = "news"
    WARNING = "warning"
    BAD = "bad"


class StatusMessage(Value):
    """Status message; `undo` is the plan that Undo would roll back.

    `decided` is the decision it reports, which Take back voids. `is_configuration` is an error that the
    settings page shows, too.
    """

    sentence: str
    tone: Tone = Tone.DONE
    hint: str = ""
    undo: str | None = None
    decided: RecentDecision | None = None
    is_configuration: bool = False
