"""Points in time as a person says them, in the local zone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from PySide6.QtCore import QLocale

from studio.ui.look.words import full_moment, moment

NOW = datetime(2026, 11, 21, 12, 0).astimezone()


@pytest.fixture(params=["C", "de_DE"])
def locale(request: pytest.FixtureRequest) -> Iterator[str]:
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield request.param
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("before", "short", "full"),
    [
        (timedelta(hours=1, minutes=23), "10:37", "10:37"),
        (timedelta(days=1), "Yesterday", "Yesterday 12:00"),
    ],
)
def test_today_has_a_time_and_yesterday_a_name(locale: str, before: timedelta, short: str, full: str) -> None:
    assert (moment(NOW - before, NOW), full_moment(NOW - before, NOW)) == (short, full)


def test_an_older_day_has_the_date_of_the_language_or_else_iso(locale: str) -> None:
    then = NOW - timedelta(days=9)
    date = {"C": "2026-11-12", "de_DE": "12.11.26"}[locale]
    assert (moment(then, NOW), full_moment(then, NOW)) == (date, f"{date} 12:00")
