"""Filter and sort order of the review queue's plans and steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any

from studio.engine import Operation, Plan, Severity, Step, StepState
from studio.ui.look.states import has_warnings, warnings_of
from studio.ui.review.queue_state import is_conflict
from studio.values import Value


class Show(Enum):
    """Filter of the queue's steps."""

    ALL = "all"
    UNDECIDED = "undecided"
    NOT_VIEWED = "not_viewed"
    WARNINGS = "look_out"
    CONFLICTS = "conflicts"
    APPROVED = "approved"
    REJECTED = "rejected"
    STALE = "stale"
    REFUSED = "refused"


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

    `agent` None is every agent, "" the reviewer; `path` are words that the path must contain.
    """

    show: Show = Show.ALL
    agent: str | None = None
    path: str = ""
    order: Order = Order.OLDEST_FIRST
    step_order: StepOrder = StepOrder.AS_PROPOSED

    @property
    def hides(self) -> bool:
        """Whether steps may be hidden."""
        return self.show is not Show.ALL or self.agent is not None or bool(self.path.split())

    def passes(self, plan: Plan, step: Step, *, viewed: bool) -> bool:
        """Return whether a step is listed."""
        if self.agent is not None and plan.agent != self.agent:
            return False
        if self.path and not holds_words(step, self.path):
            return False
        return _SHOWN[self.show](step, viewed)

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
        key = step_key(self.step_order)
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


def step_key(order: StepOrder) -> Callable[[Step], Any]:
    """Return the sort key of an order other than as proposed."""
    return _STEP_KEYS[order]


_SHOWN: dict[Show, Callable[[Step, bool], bool]] = {
    Show.ALL: lambda _step, _viewed: True,
    Show.UNDECIDED: lambda step, _viewed: step.state in (StepState.PENDING, StepState.STALE),
    Show.NOT_VIEWED: lambda _step, viewed: not viewed,
    Show.WARNINGS: lambda step, _viewed: has_warnings(step),
    Show.CONFLICTS: lambda step, _viewed: is_conflict(step),
    Show.APPROVED: lambda step, _viewed: step.state is StepState.APPROVED,
    Show.REJECTED: lambda step, _viewed: step.state is StepState.REJECTED,
    Show.STALE: lambda step, _viewed: step.state is StepState.STALE,
    Show.REFUSED: lambda step, _viewed: step.state is StepState.INVALID,
}

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
