"""Facts of observed changes: nothing is claimed that nobody saw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.engine.names import show_name
from studio.ui.facts.sheet import Passage, Row, Sheet, WarningText
from studio.ui.language import translator
from studio.ui.look.times import full_moment, utc_now
from studio.ui.look.words import files

if TYPE_CHECKING:
    from studio.engine.observed_change import ObservedChange

_tr = translator("Facts")


def observed_sheet(changes: tuple[ObservedChange, ...]) -> Sheet:
    """Of what stands in the middle, or would be reverted."""
    first = changes[0]
    words = _tr("No plan wrote this: it is on disk already, and was seen afterwards.")
    hints = tuple(Passage(_tr("A hint, no proof"), show_name(" ".join(first.hints))) for _ in first.hints[:1])
    return Sheet(
        warnings=(WarningText("info", _tr("Observed, not proposed"), words),),
        rows=(
            Row(_tr("First seen"), full_moment(first.seen, utc_now())),
            Row(_tr("Changes"), files(len(changes))),
        ),
        passages=hints,
    )
