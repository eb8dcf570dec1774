"""Display texts for a decision's author and place (window, terminal, setting)."""

from __future__ import annotations

from studio.engine import Decision, PersonSource
from studio.names import show_name
from studio.ui.language import translator
from studio.ui.look.words import say

_tr = translator("People")


def decided_words(decision: Decision) -> str:
    """Return for example "by ada, in the window".

    Only by whom, where it was not recorded how.
    """
    by = say(_tr("by {who}"), who=show_name(decision.who))
    how = seen_words(decision.seen)
    return f"{by}, {how}" if how else by


def seen_words(source: PersonSource | None) -> str:
    """Return where a person decided, "" if not recorded."""
    match source:
        case PersonSource.WINDOW:
            return _tr("in the window")
        case PersonSource.TERMINAL:
            return _tr("in a terminal")
        case PersonSource.CONFIGURATION:
            return _tr("through your “command_line: allow” setting")
        case None:
            return ""
