"""Display text and icon of a project's pending reviews, or read failure."""

from __future__ import annotations

from typing import NamedTuple

from studio.extras.backlog import Backlog, Unknown
from studio.ui.language import translator
from studio.ui.look.words import counted

_tr = translator("BacklogWords")


class BacklogStyle(NamedTuple):
    """Display of a backlog: most urgent item, all items, and an icon.

    Texts are "" where nothing waits. `why_not` is why the project can't be opened now.
    """

    first: str
    words: str = ""
    icon: str = ""
    token: str = "muted"
    why_not: str = ""


def backlog_style(backlog: Backlog | None) -> BacklogStyle:
    """Return how to display a backlog, empty while it is unknown."""
    if backlog is None:
        return BacklogStyle("")
    if backlog.unknown is not None:
        return _unknown(backlog.unknown)
    parts = [(words, icon, token) for number, words, icon, token in _parts(backlog) if number]
    if not parts:
        return BacklogStyle(_tr("nothing pending"), _tr("nothing pending"))
    words, icon, token = parts[0]
    return BacklogStyle(words, ", ".join(each[0] for each in parts), icon, token)


def _parts(backlog: Backlog) -> tuple[tuple[int, str, str, str], ...]:
    """Return count, words, icon and token of each item, most urgent first."""
    calls, undecided, approved = backlog.calls, backlog.undecided, backlog.approved
    return (
        (int(backlog.is_interrupted), _tr("an apply was interrupted"), "look-out", "warn"),
        (calls, counted(calls, _tr("1 agent waiting"), _tr("{n} agents waiting")), "agent", "muted"),
        (
            undecided,
            counted(undecided, _tr("{n} plan to review"), _tr("{n} plans to review")),
            "pending",
            "muted",
        ),
        (approved, counted(approved, _tr("{n} plan to apply"), _tr("{n} plans to apply")), "approved", "ok"),
    )


def _unknown(why: Unknown) -> BacklogStyle:
    match why:
        case Unknown.GONE:
            words = _tr("missing")
            return BacklogStyle(words, words, why_not=words)
        case Unknown.SILENT:
            words = _tr("disk not responding")
            return BacklogStyle(words, words, "look-out", "warn", why_not=words)
        case Unknown.REPLACED:
            words = _tr("replaced by another folder")
            return BacklogStyle(words, words, "look-out", "warn")
        case Unknown.DAMAGED:
            words = _tr("history damaged")
            return BacklogStyle(words, words, "look-out", "warn")
        case Unknown.UNREADABLE:
            words = _tr("currently unreadable")
            return BacklogStyle(words, words, "look-out", "warn")
        case Unknown.NEWER:
            words = _tr("saved by a newer version")
            return BacklogStyle(words, words)
        case Unknown.OLDER:
            words = _tr("saved by an older version")
            return BacklogStyle(words, words)
        case Unknown.NO_STORE:
            words = _tr("no history")
            return BacklogStyle(words, words)
