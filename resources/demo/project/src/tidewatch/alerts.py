"""Says when the water gets too high."""

from collections.abc import Iterable

from tidewatch.config import Station
from tidewatch.tides import Tide, time_above


def alert(station: Station, tides: Iterable[Tide]) -> str | None:
    """One sentence when a tide passes the station's mark, else None."""
    tides = list(tides)
    over = [tide for tide in tides if tide.high and tide.metres > station.alert_above]
    if not over:
        return None
    worst = max(over, key=lambda tide: tide.metres)
    minutes = time_above(tides, station.alert_above).total_seconds() / 60
    peak = f"{worst.metres:.2f} m at {worst.at:%H:%M}"
    return f"{station.name}: {peak}, above the mark for {minutes:.0f} minutes"
