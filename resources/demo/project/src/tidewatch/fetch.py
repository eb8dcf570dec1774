"""Fetches a day's tide table from the hydrographic office."""

import csv
import io
import logging
from collections.abc import Callable
from datetime import date, datetime
from urllib.error import URLError
from urllib.request import urlopen

from tidewatch.tides import Tide

log = logging.getLogger(__name__)

TIMEOUT = 10
OFFICE = "https://tides.example/v2"
COLUMNS = ["time", "metres", "kind"]

Opener = Callable[..., io.BufferedIOBase]


class FetchFailed(Exception):
    """The office did not answer, or not with a table."""

    def __init__(self, station: str, day: date) -> None:
        super().__init__(f"No table for {station} on {day}")
        self.station = station
        self.day = day


def table_url(station: str, day: date) -> str:
    """Where the office keeps the table of one station and day."""
    return f"{OFFICE}/{station}/{day.isoformat()}.csv"


def fetch_table(station: str, day: date, opener: Opener = urlopen) -> bytes:
    """One day's table, as the office sends it."""
    url = table_url(station, day)
    log.info("fetching %s", url)
    try:
        with opener(url, timeout=TIMEOUT) as reply:
            return reply.read()
    except URLError as error:
        raise FetchFailed(station, day) from error


def is_published(day: date, today: date) -> bool:
    """Whether the office has a table already: it computes one year ahead."""
    return (day - today).days <= 365


def parse(raw: bytes, day: date) -> list[Tide]:
    """The tides of a table; lines without a time are skipped."""
    text = raw.decode("utf-8")
    rows = csv.reader(io.StringIO(text), delimiter=";")
    header = next(rows, [])
    if header != COLUMNS:
        raise ValueError("not a tide table: " + ";".join(header))
    tides = []
    for row in rows:
        if row[0] == "":
            continue
        tides.append(Tide(moment(day, row[0]), float(row[1]), row[2] == "high"))
        log.debug("row %r", row)
    return tides


def moment(day: date, clock: str) -> datetime:
    """The day at a clock time such as 04:17."""
    hour, minute = clock.split(":")
    return datetime(day.year, day.month, day.day, int(hour), int(minute))


def cached_name(station: str, day: date) -> str:
    """The file name under which a table is kept for the next start."""
    return f"{station}-{day:%Y%m%d}.csv"


def tides_of(station: str, day: date, opener: Opener = urlopen) -> list[Tide]:
    """Fetches and reads one day, in order of time."""
    tides = parse(fetch_table(station, day, opener), day)
    tides.sort()
    return tides
