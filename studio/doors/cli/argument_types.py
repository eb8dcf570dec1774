"""How the words of a command line are read: each raises ArgumentTypeError or ValueError where it can't."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.engine.plan import HunkChoice, PlanState


def number(text: str) -> int:
    """Read a whole number from 1 on."""
    found = int(text)
    if found < 1:
        raise ArgumentTypeError("counting starts at 1")
    return found


def words(text: str) -> str:
    """What is no UTF-8 in a word that is no path, replaced: no store takes it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def seconds(text: str) -> float:
    """Read a time in seconds that is not negative."""
    found = float(text)
    if not 0 <= found < float("inf"):
        raise ArgumentTypeError("seconds can't be negative")
    return found


def plan_state(text: str) -> PlanState:
    """Read the name of a state of plans."""
    from studio.engine.plan import PlanState

    try:
        return PlanState(text)
    except ValueError:
        known = ", ".join(state.value for state in PlanState)
        raise ArgumentTypeError(f"there is no state {text}; the states are {known}") from None


def hunks(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """`2:1,3`: of step 2 the hunks 1 and 3. The other hunks are filled in when the step is known."""
    step, separator, listed = text.partition(":")
    if not separator or not listed:
        raise ArgumentTypeError("give a step and its hunks, as in 2:1,3")
    return number(step), dict.fromkeys(numbers(listed), True)


def lines(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """`2:1:1,3`: of the first hunk of step 2 the changed lines 1 and 3."""
    parts = text.split(":")
    if len(parts) != 3 or not parts[2]:
        raise ArgumentTypeError("give a step, a hunk and its lines, as in 2:1:1,3")
    return number(parts[0]), {number(parts[1]): frozenset(numbers(parts[2]))}


def numbers(text: str) -> tuple[int, ...]:
    """Read numbers between commas."""
    return tuple(number(part) for part in text.split(","))
