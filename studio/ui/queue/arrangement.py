"""Filter and sort order of the review queue's plans and steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any, Final

from studio.engine import Operation, Plan, Severity, Step, StepState
from studio.extras.grouping import ReviewGroup
from studio.ui.look.states import has_warnings, is_generated, warnings_of
from studio.ui.review.queue_state import is_conflict
from studio.values import Value


class Order(Enum):
    """Order of the queue's plans."""

    OLDEST_FIRST = "oldest_first"
    NEWEST_FIRST = "newest_first"
    BY_AGENT = "by_agent"
    MOST_TO_DECIDE = "most_to_decide"


class StepOrder(Enum):
    """Order of the steps within each plan."""

    AS_PROPOSED = "as_proposed"
    BY_PATH = "by_path"
    BY_STATE = "by_state"
    LARGEST_FIRST = "largest_first"
    GRAVEST_FIRST = "gravest_first"


class Arrangement(Value):
    """Filter and order of the queue.

    `words` is the text of the filter (`is_listed`); `agent` None is every agent, "" the reviewer.
    """

    words: str = ""
    agent: str | None = None
    order: Order = Order.OLDEST_FIRST
    step_order: StepOrder = StepOrder.AS_PROPOSED
    groups: tuple[ReviewGroup, ...] = ()
    """Groups that `group:` in the filter may name."""

    @property
    def hides(self) -> bool:
        """Whether steps may be hidden."""
        return self.agent is not None or bool(self.words.split())

    def passes(self, plan: Plan, step: Step, *, viewed: bool) -> bool:
        """Return whether a step is listed."""
        if self.agent is not None and plan.agent != self.agent:
            return False
        return is_listed(step, self.words, viewed=viewed, groups=self.groups)

    def sorted_plans(self, plans: Sequence[Plan]) -> tuple[Plan, ...]:
        """Return the plans in the chosen order, sessions together.

        The sort is stable; plans of a session are at the position of its first one.
        """
        return by_session(self._sort_plans(plans))

    def _sort_plans(self, plans: Sequence[Plan]) -> tuple[Plan, ...]:
        oldest = sorted(plans, key=lambda plan: plan.created)
        match self.order:
            case Order.OLDEST_FIRST:
                return tuple(oldest)
            case Order.NEWEST_FIRST:
                return tuple(reversed(oldest))
            case Order.BY_AGENT:
                return tuple(sorted(oldest, key=lambda plan: plan.agent.casefold()))
            case Order.MOST_TO_DECIDE:
                return tuple(sorted(oldest, key=lambda plan: -len(plan.undecided)))

    def sorted_steps(self, plan: Plan, positions: Sequence[int]) -> list[int]:
        """Return positions in `plan.steps` in the chosen order."""
        if self.step_order is StepOrder.AS_PROPOSED:
            return list(positions)
        key = _STEP_KEYS[self.step_order]
        return sorted(positions, key=lambda position: key(plan.steps[position]))


def by_session(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Group plans by session, at the position of the session's first."""
    groups: dict[str, list[Plan]] = {}
    for plan in plans:
        groups.setdefault(plan.session or plan.id, []).append(plan)
    return tuple(plan for group in groups.values() for plan in group)


def holds_words(step: Step, words: str) -> bool:
    """Return whether a step's paths contain every word, ignoring case.

    A word with a `*` must match a whole path, or if it has no slash the last name.
    """
    paths = [path.casefold() for path in (step.path, step.to) if path is not None]
    return all(any(_path_matches(path, word) for path in paths) for word in words.casefold().split())


def _path_matches(path: str, word: str) -> bool:
    if "*" not in word:
        return word in path
    return fnmatchcase(path if "/" in word else path.rpartition("/")[2], word)


# Filter by path words, patterns and marks

IS, FACT, GROUP = "is:", "fact:", "group:"
"""Prefixes of words that filter by mark, fact kind, or group."""

Mark = Callable[[Step, bool], bool]
"""Predicate of a step; the flag is whether it was viewed."""

MARKS: Final[Mapping[str, Mark]] = {
    "undecided": lambda step, _viewed: step.state in (StepState.PENDING, StepState.STALE),
    "unviewed": lambda _step, viewed: not viewed,
    "warning": lambda step, _viewed: has_warnings(step),
    "generated": lambda step, _viewed: is_generated(step),
    "conflict": lambda step, _viewed: is_conflict(step),
    "only-added": lambda step, _viewed: step.added > 0 == step.removed,
    "only-removed": lambda step, _viewed: step.removed > 0 == step.added,
    **{
        state.value: lambda step, _viewed, state=state: step.state is state
        for state in (StepState.APPROVED, StepState.REJECTED, StepState.STALE, StepState.INVALID)
    },
    **{op.value: lambda step, _viewed, op=op: step.op is op for op in Operation},
}
"""Marks after `is:`; operations and states are named as in the JSON of a plan."""


def is_listed(step: Step, words: str, *, viewed: bool, groups: Sequence[ReviewGroup] = ()) -> bool:
    """Return whether a step matches every word; an unknown mark matches nothing."""
    plain: list[str] = []
    for word in words.split():
        if word.startswith(IS):
            mark = MARKS.get(word.removeprefix(IS))
            if mark is None or not mark(step, viewed):
                return False
        elif word.startswith(FACT):
            if all(fact.kind != word.removeprefix(FACT) for fact in step.facts):
                return False
        elif word.startswith(GROUP):
            name = word.removeprefix(GROUP)
            if not any(group.name == name and group.gathers(step) for group in groups):
                return False
        else:
            plain.append(word)
    return holds_words(step, " ".join(plain))


def unknown_mark(words: str) -> str:
    """Return the first unknown `is:` word, else ""."""
    marks = (word for word in words.split() if word.startswith(IS))
    return next((word for word in marks if word.removeprefix(IS) not in MARKS), "")


# Order of steps

_STATE_ORDER = (
    StepState.PENDING,
    StepState.STALE,
    StepState.INVALID,
    StepState.APPROVED,
    StepState.REJECTED,
)


def _state_rank(step: Step) -> int:
    return _STATE_ORDER.index(step.state) if step.state in _STATE_ORDER else len(_STATE_ORDER)


def _danger_rank(step: Step) -> tuple[int, bool]:
    """Return a rank: dangers, other warnings, deletions, then the rest."""
    facts = warnings_of(step)
    danger = bool(facts) and facts[0].severity is Severity.DANGER
    rank = 0 if danger else 1 if has_warnings(step) else 2
    return rank, step.op is not Operation.DELETE


def _size(step: Step) -> tuple[int, int]:
    """Return a key for most changed lines first, then most bytes."""
    octets = sum(image.size for image in (step.base, step.result) if image is not None)
    return -(step.added + step.removed), -octets


_STEP_KEYS: dict[StepOrder, Callable[[Step], Any]] = {
    StepOrder.BY_PATH: lambda step: step.target.casefold(),
    StepOrder.BY_STATE: _state_rank,
    StepOrder.LARGEST_FIRST: _size,
    StepOrder.GRAVEST_FIRST: _danger_rank,
}
