"""Comparison of a scan with earlier observed changes: new, altered, gone."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from studio.engine.observed_change import GroupKind, ObservedChange
from studio.engine.store.rows import now
from studio.extras.observed.differences import DetectedChange
from studio.limits import GIT_SECONDS
from studio.values import Value


class Recent(Value):
    """A change first seen or altered a short time ago.

    `object_id` is git's id of the present content, None for nothing.
    """

    change: ObservedChange
    object_id: bytes | None


class Comparison(Value):
    """Result of a scan: `put` are new or altered, `gone` ended."""

    moment: datetime
    put: tuple[ObservedChange, ...]
    gone: tuple[ObservedChange, ...]
    staying: tuple[ObservedChange, ...]
    recent: tuple[Recent, ...]

    @property
    def is_news(self) -> bool:
        return bool(self.put or self.gone)


def compare(
    recorded: Sequence[ObservedChange],
    found: Iterable[DetectedChange],
    *,
    unsettled: Iterable[ObservedChange],
    hints: Callable[[datetime], tuple[str, ...]],
) -> Comparison:
    """Compare the recorded changes with those found by a scan.

    `unsettled` stay whatever was found. `hints` is called at most once, when something is new.
    """
    moment = now()
    by_key = {(change.path, change.to): change for change in recorded}
    remaining = {change.id: change for change in unsettled}
    changed: list[ObservedChange] = []
    recent: list[Recent] = []
    event_hints: tuple[str, ...] | None = None
    for each in found:
        change = by_key.get((each.path, each.to))
        sides = (each.op, each.before, each.after)
        if change is not None and (change.op, change.before, change.after) == sides:
            remaining[change.id] = change
        else:
            event_hints = hints(moment) if event_hints is None else event_hints
            change = _update_change(change, each, moment, event_hints)
            changed.append(change)
        if change.seen > moment - timedelta(seconds=GIT_SECONDS):
            recent.append(Recent(change, each.entry.object_id if each.entry is not None else None))
    over = remaining.keys() | {change.id for change in changed}
    obsolete = tuple(change for change in recorded if change.id not in over)
    return Comparison(moment, tuple(changed), obsolete, tuple(remaining.values()), tuple(recent))


def _update_change(
    change: ObservedChange | None, found: DetectedChange, moment: datetime, hints: tuple[str, ...]
) -> ObservedChange:
    if change is None:
        change = ObservedChange(
            str(uuid.uuid4()), found.op, found.path, found.to, found.before, found.after, moment
        )
    # Somebody else has since changed what git left there.
    group = None if change.group is not None and change.group.kind is GroupKind.GIT else change.group
    return replace(
        change,
        op=found.op,
        before=found.before,
        after=found.after,
        seen=moment,
        group=group,
        hints=hints,
    )
