"""Steps that belong together: by a name that the user gave them, or by what was decided of such files before.

A group sorts for a person and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.engine.patterns import PatternList
from studio.engine.plan import Operation, Severity, Step, StepState
from studio.engine.store.precedents import Precedent

__all__ = ["Gathering", "Precedent", "ReviewGroup", "may_be_gathered"]


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """A name and the patterns of `review.groups` that it stands for."""

    name: str
    texts: tuple[str, ...]
    patterns: PatternList = field(compare=False)

    @classmethod
    def of(cls, name: str, texts: Sequence[str]) -> ReviewGroup:
        """Raises PatternRefused."""
        return cls(name, tuple(texts), PatternList(texts))

    def gathers(self, step: Step) -> bool:
        """Whether a step that waits is of the group."""
        return may_be_gathered(step) and self.patterns.match(step.target) is not None


@dataclass(frozen=True, slots=True)
class Gathering:
    """The user's own groups, and by the ending of a name what was decided of such files before."""

    groups: tuple[ReviewGroup, ...] = ()
    precedents: Mapping[str, Precedent] | None = None


def may_be_gathered(step: Step) -> bool:
    """Whether a step may be decided with others of its kind: none that deletes, is refused or stale, or of
    which a danger is known, as of each file that runs or configures something."""
    is_grave = any(fact.severity is Severity.DANGER for fact in step.facts)
    return step.state is StepState.PENDING and step.op is not Operation.DELETE and not is_grave
