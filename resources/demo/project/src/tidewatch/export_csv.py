"""Writes tides for the old spreadsheet of the harbour office."""

import csv
from collections.abc import Iterable
from pathlib import Path

from tidewatch.tides import Tide

FIELDS = ("date", "time", "height", "kind")


def export(tides: Iterable[Tide], file: Path) -> int:
    """Writes one line per tide with a decimal comma, as the spreadsheet wants it."""
    count = 0
    with file.open("w", encoding="windows-1252", newline="") as target:
        writer = csv.writer(target, delimiter=";")
        writer.writerow(FIELDS)
        for tide in tides:
            kind = "HW" if tide.high else "NW"
            height = f"{tide.metres:.2f}".replace(".", ",")
            writer.writerow((f"{tide.at:%d.%m.%Y}", f"{tide.at:%H:%M}", height, kind))
            count += 1
    return count
