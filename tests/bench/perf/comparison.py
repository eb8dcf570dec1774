"""How speed is stated: interleaved pairs, medians, spread, and a verdict that knows noise."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FEWEST_PAIRS = 7
"""A statement rests on at least so many pairs; a test that a benchmark runs at all takes one."""

_SMALL_RATIO = 0.1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Milliseconds of ours and of a peer, measured in turns. `target` is the ratio not to be exceeded.

    Without a target the numbers are told and nothing is judged. `unit` says where it is not time.
    """

    ours_name: str
    peer_name: str
    ours: tuple[float, ...]
    peer: tuple[float, ...]
    target: float | None = None
    unit: str = "ms"
    legs: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    """The parts of both, where they were measured by themselves."""

    @property
    def ratios(self) -> tuple[float, ...]:
        """Ours divided by the peer, pair by pair."""
        return tuple(mine / other for mine, other in zip(self.ours, self.peer, strict=True))

    @property
    def ratio(self) -> float:
        """The median of the pairs' ratios."""
        return statistics.median(self.ratios)

    @property
    def spread(self) -> tuple[float, float]:
        """Lower and upper quartile of the pairs' ratios."""
        if len(self.ratios) == 1:
            return self.ratio, self.ratio
        lower, _, upper = statistics.quantiles(self.ratios, n=4, method="inclusive")
        return lower, upper

    @property
    def verdict(self) -> str:
        """`met`, `met within noise` (the target lies inside the spread) or `missed`; else empty."""
        if self.target is None:
            return ""
        lower, upper = self.spread
        if upper <= self.target:
            return "met"
        return "met within noise" if lower <= self.target else "missed"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`measure(folder, pairs)` compares in an empty folder of its own, with that many pairs."""

    name: str
    what: str
    measure: Callable[[Path, int], Comparison]


def compare(
    ours: Callable[[], float], peer: Callable[[], float], pairs: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Milliseconds of both, pair by pair after one turn each that only warms caches.

    Who goes first alternates, so that a machine that slows down slows both.
    """
    ours()
    peer()
    mine: list[float] = []
    other: list[float] = []
    for number in range(pairs):
        turns = [(ours, mine), (peer, other)]
        for measure, kept in turns if number % 2 == 0 else reversed(turns):
            kept.append(measure())
    return tuple(mine), tuple(other)


def statement(benchmark: Benchmark, comparison: Comparison) -> str:
    """What was measured, both medians with their ranges, ratio with spread, and the verdict."""
    lower, upper = comparison.spread
    lines = [f"{benchmark.name}: {benchmark.what}"]
    for name, values in (
        (comparison.ours_name, comparison.ours),
        (comparison.peer_name, comparison.peer),
    ):
        lines.append(_line(name, values, comparison.unit))
    lines.extend(_line(f"  {name}", values, comparison.unit) for name, values in comparison.legs.items())
    digits = 2 if comparison.ratio >= _SMALL_RATIO else 4
    ratio = (
        f"  {comparison.ratio:9.{digits}f} x   ({lower:.{digits}f} to {upper:.{digits}f}, the middle half of "
    )
    lines.append(ratio + f"{len(comparison.ratios)} pairs)")
    if comparison.target is not None:
        lines.append(f"  target <= {comparison.target:g} x: {comparison.verdict}")
    return "\n".join(lines)


def _line(name: str, values: tuple[float, ...], unit: str) -> str:
    return f"  {statistics.median(values):9.2f} {unit:3} ({min(values):.2f} to {max(values):.2f})  {name}"
