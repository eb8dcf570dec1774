"""Small words that many places of the window say the same way: counts, ages, sizes, file names."""

from __future__ import annotations

import re
from datetime import datetime
from html import escape

from PySide6.QtCore import QLocale
from PySide6.QtGui import Qt

from studio.engine.display import show_lines
from studio.ui.language import translator

_tr = translator("Words")

_GAP = re.compile(r"\{([a-z_]+)\}")


# With one replace after the other a plan called "{files}" was told with the number of its files.
def say(text: str, /, **values: object) -> str:
    """A translated sentence with its gaps filled: "{title}" by the value called title.

    All at once, so that a value with a gap of its own stays as it is. Gaps without a value stay, too.
    """
    return _GAP.sub(lambda gap: str(values.get(gap[1], gap[0])), text)


def counted(number: int, one: str, many: str) -> str:
    """`one` or `many` (both already translated) with `{n}` replaced by the number."""
    return say(one if number == 1 else many, n=QLocale().toString(number))


def files(number: int) -> str:
    """For example "1 file", "6 files"."""
    return counted(number, _tr("{n} file"), _tr("{n} files"))


def steps(number: int) -> str:
    """For example "1 step", "4 steps"."""
    return counted(number, _tr("{n} step"), _tr("{n} steps"))


def age(then: datetime, now: datetime) -> str:
    """How long ago, short: "just now", "4 min", "2 h", "3 days"; both times carry their zone."""
    minutes = max(0, int((now - then).total_seconds())) // 60
    if minutes == 0:
        return _tr("just now")
    if minutes < 60:
        return say(_tr("{n} min"), n=minutes)
    if minutes < 24 * 60:
        return say(_tr("{n} h"), n=minutes // 60)
    return counted(minutes // (24 * 60), _tr("{n} day"), _tr("{n} days"))


def ago(then: datetime, now: datetime) -> str:
    """The same as a phrase: "just now", "4 min ago"."""
    if (now - then).total_seconds() < 60:
        return _tr("just now")
    return say(_tr("{age} ago"), age=age(then, now))


def size(octets: int) -> str:
    """A size in bytes for people: "412 B", "4.1 KiB"."""
    if octets < 1024:
        return f"{octets} B"
    amount = float(octets)
    for unit in ("KiB", "MiB", "GiB"):
        amount /= 1024
        if amount < 1024 or unit == "GiB":
            return f"{amount:.1f} {unit}"
    return f"{amount:.1f} GiB"


def short_words(text: str, most: int = 60) -> str:
    """The text, or where it has more than so many characters its beginning and its end."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1].rstrip()}…{text[-end:].lstrip()}"


def plain_tip(text: str, *, wraps: bool = False) -> str:
    """Return a tooltip that shows the text as text, hidden characters as escapes.

    Qt takes a text for mark-up by more than a "<": also "&lt;" before the first line end. With `wraps` a long
    text is broken into lines.
    """
    shown = show_lines(text)
    return f"<span>{escape(shown)}</span>" if shown and (wraps or Qt.mightBeRichText(shown)) else shown


def split_path(path: str) -> tuple[str, str]:
    """Folder with its final slash ("" at the top) and the last name of a path."""
    folder, slash, name = path.rpartition("/")
    return folder + slash, name
