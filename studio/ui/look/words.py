"""Formatting of counts, ages, times, sizes and paths; filling of translated sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from itertools import takewhile
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDate, QLocale
from PySide6.QtGui import Qt

from studio.errors import show_lines
from studio.ui.language import translator, window_locale

_tr = translator("Words")

_GAP = re.compile(r"\{([a-z_]+)\}")


# With one replace after the other, a plan titled "{files}" was shown with the number of its files.
def say(text: str, /, **values: object) -> str:
    """Fill the placeholders of a translated sentence.

    "{title}" is replaced by the value called title. All are replaced at once, so that placeholders in a value
    stay. So do those without a value. Counts are written by `count_text`; a line number is passed as text.
    """
    return _GAP.sub(lambda gap: _value_text(values.get(gap[1], gap[0])), text)


def count_text(count: int) -> str:
    """Return a count with the thousands separators of the window's language."""
    return window_locale().toString(count)


def _value_text(value: object) -> str:
    return count_text(value) if isinstance(value, int) else str(value)


def counted(number: int, one: str, many: str) -> str:
    """Return `one` or `many`, both translated, with the number for `{n}`."""
    return say(one if number == 1 else many, n=number)


def files(number: int) -> str:
    """Return for example "1 file", "6 files"."""
    return counted(number, _tr("{n} file"), _tr("{n} files"))


def steps(number: int) -> str:
    """Return for example "1 step", "4 steps"."""
    return counted(number, _tr("{n} step"), _tr("{n} steps"))


def change_counts(added: int, removed: int, *, is_short: bool = False) -> tuple[str, ...]:
    """Return added and removed lines without zeros: "+12,400" and "-8".

    The short form is "+12k".
    """
    write = _short_number if is_short else count_text
    return tuple(sign + write(count) for sign, count in (("+", added), ("-", removed)) if count)


def _short_number(count: int) -> str:
    for unit, factor in (("M", 1_000_000), ("k", 1_000)):
        if count >= factor:
            return f"{count // factor}{unit}"
    return str(count)


def age(then: datetime, now: datetime) -> str:
    """Return an age: "just now", "4 min", "2 h", "3 days".

    Both times are timezone-aware.
    """
    minutes = max(0, int((now - then).total_seconds())) // 60
    if minutes == 0:
        return _tr("just now")
    if minutes < 60:
        return say(_tr("{n} min"), n=minutes)
    if minutes < 24 * 60:
        return say(_tr("{n} h"), n=minutes // 60)
    return counted(minutes // (24 * 60), _tr("{n} day"), _tr("{n} days"))


def ago(then: datetime, now: datetime) -> str:
    """Return an age as a phrase: "just now", "4 min ago"."""
    if (now - then).total_seconds() < 60:
        return _tr("just now")
    return say(_tr("{age} ago"), age=age(then, now))


def size(octets: int) -> str:
    """Return a size in bytes for display: "412 B", "4.1 KiB"."""
    if octets < 1024:
        return f"{octets} B"
    units = ("KiB", "MiB", "GiB", "TiB", "PiB")
    power = min((octets.bit_length() - 1) // 10, len(units))
    return f"{octets / 1024**power:.1f} {units[power - 1]}"


def short_words(text: str, most: int = 60) -> str:
    """Shorten a text in its middle to at most `most` characters."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1].rstrip()}…{text[-end:].lstrip()}"


@lru_cache(maxsize=512)
def plain_tip(text: str, *, wraps: bool = False) -> str:
    """Return a tooltip that shows the text as text, hidden characters escaped.

    Qt recognizes markup by more than a "<": also by "&lt;" before the first line end. With `wraps` a long
    text is broken into lines.
    """
    shown = show_lines(text)
    return f"<span>{escape(shown)}</span>" if shown and (wraps or Qt.mightBeRichText(shown)) else shown


def split_path(path: str) -> tuple[str, str]:
    """Split a path into its folder with final slash, and its name."""
    folder, slash, name = path.rpartition("/")
    return folder + slash, name


# A path of this machine, for display


def short_path(path: Path) -> str:
    """Return the path with ~ for the home directory."""
    try:
        return "~/" + path.relative_to(Path.home()).as_posix()
    except (ValueError, RuntimeError):
        return str(path)


# Folders of a plan's steps in short: what steps of the same name share is elided


class CommonFolders:
    """Common folder parts of files with one name, and of all files."""

    def __init__(self, paths: Iterable[str]) -> None:
        by_name: dict[str, list[list[str]]] = {}
        for path in paths:
            *folders, name = path.split("/")
            by_name.setdefault(name, []).append(folders)
        everywhere = _shared([folders for alike in by_name.values() for folders in alike])
        self._ends = {
            name: (_shared(alike), _shared([folders[::-1] for folders in alike]))
            if len(alike) > 1
            else (everywhere, 0)
            for name, alike in by_name.items()
        }

    def shortened(self, path: str) -> str:
        """Return a path's folder with the common parts elided."""
        *folders, name = path.split("/")
        before, after = self._ends.get(name, (0, 0))
        middle = folders[before : len(folders) - after]
        if not middle or len(middle) == len(folders):
            return "/".join(folders)
        return "/".join(["…"] * bool(before) + middle + ["…"] * bool(after))


def _shared(paths: Sequence[Sequence[str]]) -> int:
    """Return the number of leading names that all paths share."""
    return sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False)))


# Points in time for display: the time of day today, the day for earlier ones

Clock = Callable[[], datetime]
"""Clock for ages on display."""


def utc_now() -> datetime:
    """Return the current time in UTC; tests pass another clock."""
    return datetime.now(UTC)


def moment(then: datetime, now: datetime) -> str:
    """Return a local time: time of day today, "Yesterday", or the date."""
    local = then.astimezone()
    days = (now.astimezone().date() - local.date()).days
    if days == 0:
        return f"{local:%H:%M}"
    if days == 1:
        return QCoreApplication.translate("Times", "Yesterday")
    return _date(local)


def full_moment(then: datetime, now: datetime) -> str:
    """Return a local time with time of day: "10:37", "Yesterday 10:37".

    Earlier times have their date.
    """
    time = f"{then.astimezone():%H:%M}"
    day = moment(then, now)
    return time if day == time else f"{day} {time}"


def exact_moment(then: datetime, now: datetime) -> str:
    """Return a local time with seconds, for the journal: "10:38:02".

    Times before today have their date.
    """
    local = then.astimezone()
    time = f"{local:%H:%M:%S}"
    return time if local.date() == now.astimezone().date() else f"{_date(local)} {time}"


def _date(local: datetime) -> str:
    if QLocale().language() is QLocale.Language.C:
        # Without a language, Qt would write "21 11 2026".
        return local.date().isoformat()
    return QLocale().toString(QDate(local.year, local.month, local.day), QLocale.FormatType.ShortFormat)
