"""Steps of a plan that are alike, by what their names end in and by what they do: offered to be ticked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from studio.engine.gathering import Precedent, ReviewGroup, may_be_gathered
from studio.engine.plan import Step
from studio.ui.look.states import has_warnings
from studio.ui.plan.filter import GROUP, IS

_ENDINGS = 8
"""How many are offered, those with most steps."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`words` is the filter's text that lists exactly these steps; `same` the mark of what all of them do,
    "" where they differ."""

    words: str
    steps: int
    same: str = ""
    before: Precedent | None = None
    """What was decided of such files before."""


def groups_of(steps: Iterable[Step], groups: Iterable[ReviewGroup]) -> tuple[Kind, ...]:
    """The user's own groups that gather any of the steps, in their order."""
    listed = list(steps)
    gathered = [(group, [step for step in listed if group.gathers(step)]) for group in groups]
    return tuple(Kind(GROUP + group.name, len(found), _same(found)) for group, found in gathered if found)


def endings_of(steps: Iterable[Step], before: Mapping[str, Precedent] | None = None) -> tuple[Kind, ...]:
    """Files that end alike and may be gathered, two at least, the most first."""
    by_ending: dict[str, list[Step]] = {}
    for step in filter(may_be_gathered, steps):
        ending = PurePosixPath(step.target).suffix
        if ending and not any(sign in ending for sign in "*?[] "):
            by_ending.setdefault(ending.casefold(), []).append(step)
    known = before or {}
    kinds = [
        Kind(f"*{ending}", len(alike), _same(alike), known.get(ending))
        for ending, alike in by_ending.items()
        if len(alike) > 1
    ]
    return tuple(sorted(kinds, key=lambda kind: (-kind.steps, kind.words))[:_ENDINGS])


def marks_of(steps: Iterable[Step], is_viewed: Callable[[Step], bool]) -> tuple[Kind, ...]:
    """What steps do or ask for: each operation, what to look out for, what nobody looked at."""
    counted: Counter[str] = Counter()
    for step in steps:
        counted[step.op.value] += 1
        counted["look-out"] += has_warnings(step)
        counted["unviewed"] += not is_viewed(step)
    return tuple(Kind(IS + mark, number) for mark, number in counted.items() if number)


def _same(steps: Iterable[Step]) -> str:
    """What all of them do: only add lines, only remove some, or one operation."""
    listed = list(steps)
    if all(step.added > 0 == step.removed for step in listed):
        return "only-added"
    if all(step.removed > 0 == step.added for step in listed):
        return "only-removed"
    operations = {step.op for step in listed}
    return operations.pop().value if len(operations) == 1 else ""
