"""Points in time as a person says them: the time of day today, which day before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale

Clock = Callable[[], datetime]
"""What says how late it is, for whoever shows how long ago something was."""


def utc_now() -> datetime:
    """The clock that people go by; a test gives another."""
    return datetime.now(UTC)


def moment(then: datetime, now: datetime) -> str:
    """When, in the local zone: the time of day today, "Yesterday", else the date."""
    local = then.astimezone()
    days = (now.astimezone().date() - local.date()).days
    if days == 0:
        return f"{local:%H:%M}"
    if days == 1:
        return QCoreApplication.translate("Times", "Yesterday")
    return _date(local)


def full_moment(then: datetime, now: datetime) -> str:
    """The same with the time of day, for facts: "10:37", "Yesterday 10:37", else date and time."""
    time = f"{then.astimezone():%H:%M}"
    day = moment(then, now)
    return time if day == time else f"{day} {time}"


def exact_moment(then: datetime, now: datetime) -> str:
    """To the second, for the journal: "10:38:02", else date and time."""
    local = then.astimezone()
    time = f"{local:%H:%M:%S}"
    return time if local.date() == now.astimezone().date() else f"{_date(local)} {time}"


def _date(local: datetime) -> str:
    if QLocale().language() is QLocale.Language.C:
        # Without a language nobody chose Qt's "21 11 2026".
        return local.date().isoformat()
    return QLocale().toString(QDate(local.year, local.month, local.day), QLocale.FormatType.ShortFormat)
