"""Filter of a plan's steps by path words, patterns and marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from studio.engine.gathering import ReviewGroup
from studio.engine.plan import Operation, Step, StepState
from studio.ui.look.states import has_warnings
from studio.ui.queue.arrangement import holds_words

IS, FACT, GROUP = "is:", "fact:", "group:"
"""Prefixes of words that filter by mark, fact kind, or group."""

Mark = Callable[[Step, bool], bool]
"""Predicate of a step; the flag is whether it was viewed."""

MARKS: Final[Mapping[str, Mark]] = {
    "undecided": lambda step, _viewed: step.state in (StepState.PENDING, StepState.STALE),
    "unviewed": lambda _step, viewed: not viewed,
    "look-out": lambda step, _viewed: has_warnings(step),
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
