"""Which steps of a plan's table are listed: words of the path, patterns, and what a step is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from studio.engine.gathering import ReviewGroup
from studio.engine.plan import Operation, Step, StepState
from studio.ui.look.states import has_warnings
from studio.ui.queue.arrangement import holds_words

IS, FACT, GROUP = "is:", "fact:", "group:"
"""How a word begins that asks what a step is, whether it has a fact of that kind, or is of that group."""

Mark = Callable[[Step, bool], bool]
"""Whether it holds of a step; the flag says whether somebody looked at that."""

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
"""What may stand after `is:`; operations and states are called as in the JSON of a plan."""


def is_listed(step: Step, words: str, *, viewed: bool, groups: Sequence[ReviewGroup] = ()) -> bool:
    """Whether a step passes every word; one that is not known passes nothing."""
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
    """The first `is:` word that is not known, "" where each is."""
    asked = (word for word in words.split() if word.startswith(IS))
    return next((word for word in asked if word.removeprefix(IS) not in MARKS), "")
