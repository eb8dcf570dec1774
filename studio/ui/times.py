"""Points in time as a person says them: the time of day today, which day before."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale


def moment(then: datetime, now: datetime) -> str:
    """When, in the local zone: the time of day today, "Yesterday", else the date."""
    local = then.astimezone()
    days = (now.astimezone().date() - local.date()).days
    if days == 0:
        return f"{local:%H:%M}"
    if days == 1:
        return QCoreApplication.translate("Times", "Yesterday")
    return QLocale().toString(_local(then).date(), QLocale.FormatType.ShortFormat)


def full_moment(then: datetime) -> str:
    """Date and time in the local zone, for tooltips and facts."""
    return QLocale().toString(_local(then), QLocale.FormatType.ShortFormat)


def _local(then: datetime) -> QDateTime:
    return QDateTime.fromMSecsSinceEpoch(round(then.timestamp() * 1000))
