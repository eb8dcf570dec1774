"""Review groups of proposed file changes: user's patterns, past decisions, grouping eligibility.

A group sorts for a person and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from studio.engine.patterns import PatternList
from studio.engine.plan import Operation, Severity, Step, StepState
from studio.engine.store.precedents import Precedent
from studio.values import Value

__all__ = ["Precedent", "ReviewGroup", "StepGrouping", "can_be_grouped"]


class ReviewGroup(Value, dict=True):
    """A group name and its patterns from `review.groups`."""

    name: str
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        """Parse the patterns. Raises PatternRefused."""
        _ = self.patterns

    @cached_property
    def patterns(self) -> PatternList:
        """The parsed patterns."""
        return PatternList(self.texts)

    def gathers(self, step: Step) -> bool:
        """Return whether a pending step belongs to the group."""
        return can_be_grouped(step) and self.patterns.match(step.target) is not None


class StepGrouping(Value):
    """The user's own groups, and past decisions by file ending."""

    groups: tuple[ReviewGroup, ...] = ()
    precedents: Mapping[str, Precedent] | None = None


def can_be_grouped(step: Step) -> bool:
    """Return whether a step may be decided with others of its kind.

    It may not if it deletes, is refused or stale, or has a danger, as each file has that runs or configures
    something.
    """
    is_grave = any(fact.severity is Severity.DANGER for fact in step.facts)
    return step.state is StepState.PENDING and step.op is not Operation.DELETE and not is_grave
