"""High and low water: the values everything else passes around."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, order=True)
class Tide:
    """Water of one moment; `metres` above chart datum."""

    at: datetime
    metres: float
    high: bool


def next_high(tides: Iterable[Tide], now: datetime) -> Tide | None:
    """The first high water after `now`."""
    return min((tide for tide in tides if tide.high and tide.at > now), default=None)


def time_above(tides: Iterable[Tide], mark: float) -> timedelta:
    """How long the water stays above `mark`, taking its rise and fall as straight lines."""
    total = timedelta()
    ordered = sorted(tides)
    for before, after in zip(ordered, ordered[1:], strict=False):
        low, high = sorted((before.metres, after.metres))
        if high <= mark:
            continue
        share = 1.0 if low >= mark else (high - mark) / (high - low)
        total += (after.at - before.at) * share
    return total
