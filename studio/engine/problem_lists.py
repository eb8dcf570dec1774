"""Bounded lists of problems and facts, whose last entry counts the rest.

One invalid text may have a hundred thousand problems. No one reads them all, and every listing of plans would
load them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from studio.engine.limits import FACT_KINDS_UP_TO, PATH_BYTES, PROBLEM_CHARACTERS, REFUSED_NAME_CHARACTERS
from studio.engine.plan import Fact, Problem, Severity

MORE_PROBLEMS: Final = "problems.more"
"""Code of a truncated list's last problem, which counts the omitted ones."""

_GRAVITY = (Severity.NOTE, Severity.WARNING, Severity.DANGER, Severity.ERROR)


@dataclass(slots=True)
class ProblemList:
    """Collector that stores the first `up_to` problems and counts the others."""

    up_to: int
    _kept: list[Problem] = field(default_factory=list[Problem], init=False)
    _more: int = field(default=0, init=False)
    _severity: Severity = field(default=Severity.NOTE, init=False)

    def __len__(self) -> int:
        """Return the number of problems, including those only counted."""
        return len(self._kept) + self._more

    @property
    def room(self) -> int:
        """How many more are stored; further ones need only be counted."""
        return self.up_to - len(self._kept)

    def add(self, problem: Problem) -> None:
        """Store or count a problem; one that counts others adds its count."""
        if problem.code == MORE_PROBLEMS:
            self.count(problem.count, problem.severity)
        elif self.room > 0:
            self._kept.append(_shorten_problem(problem))
        else:
            self.count(1, problem.severity)

    def count(self, number: int, severity: Severity = Severity.ERROR) -> None:
        """Count problems that were not created."""
        self._more += number
        if number:
            self._severity = max(self._severity, severity, key=_GRAVITY.index)

    def forget_after(self, number: int) -> None:
        """Discard all but the first `number` that were found."""
        del self._kept[number:]
        self._more = number - len(self._kept)

    def listed(self) -> tuple[Problem, ...]:
        """Return the stored problems in order, then one that counts the rest."""
        return self._append_rest(self._kept)

    def listed_by_place(self) -> tuple[Problem, ...]:
        """Return the same as `listed`, sorted by line and column."""
        return self._append_rest(sorted(self._kept, key=lambda each: (each.line or 0, each.column or 0)))

    def _append_rest(self, listed: Sequence[Problem]) -> tuple[Problem, ...]:
        if not self._more:
            return tuple(listed)
        noun = "problem" if self._more == 1 else "problems"
        rest = Problem(
            MORE_PROBLEMS,
            f"And {self._more:,} more {noun}.",
            "Mend these first; the others are often of the same kind.",
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

    def take(self, count: int) -> None:
        """Subtract the entries of a step."""
        self._free_entries -= max(0, count - 1)


def shortened(problems: Iterable[Problem], up_to: int) -> tuple[Problem, ...]:
    """Return at most `up_to` problems, then one that counts the rest.

    Idempotent.
    """
    found = ProblemList(up_to)
    for problem in problems:
        found.add(problem)
    return found.listed()


def shortened_facts(facts: Sequence[Fact], up_to: int) -> tuple[Fact, ...]:
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
    rest = Fact("more", worst, f"And {len(left):,} more {noun} to know about this file.")
    return (*(cut[place] for place in sorted(selected)), rest)


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
