"""Grouping of observed changes by git operation or simultaneous burst, with summaries."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from os.path import commonpath

from msgspec.structs import replace

from studio.engine.observed_change import GroupKind, ObservedChange, ObservedGroup
from studio.engine.plan import Operation
from studio.engine.store.observed import ObservedRows
from studio.extras.observed.comparison import Comparison
from studio.limits import GROUPED_FROM, GROUPED_SECONDS
from studio.names import show_name

_VERBS = {
    Operation.CREATE: "made",
    Operation.MKDIR: "made",
    Operation.MODIFY: "changed",
    Operation.DELETE: "deleted",
    Operation.MOVE: "moved",
    Operation.MODE: "with other permissions",
}


def grouped(
    connection: sqlite3.Connection,
    rows: ObservedRows,
    comparison: Comparison,
    by_git: tuple[str, frozenset[str]],
) -> tuple[ObservedChange, ...]:
    """Assign changes to groups and return those to store.

    Changes that had no group so far may be among them.
    """
    every = {change.id: change for change in (*comparison.staying, *comparison.put)}
    changed = {change.id for change in comparison.put}
    name, ids = by_git
    if ids:
        group = _find_git_group(connection, rows, comparison, name, [every[each] for each in ids])
        for each in ids:
            every[each] = replace(every[each], group=group, hints=())
        changed |= ids
    changed |= _join_burst(connection, rows, comparison, every, changed)
    return tuple(every[each] for each in every if each in changed)


def _find_git_group(
    connection: sqlite3.Connection,
    rows: ObservedRows,
    comparison: Comparison,
    name: str,
    changes: Sequence[ObservedChange],
) -> ObservedGroup:
    first = min(change.seen for change in changes)
    group = ObservedGroup(0, name, GroupKind.GIT, first, comparison.moment)
    return rows.store_group(connection, group)


def _join_burst(
    connection: sqlite3.Connection,
    rows: ObservedRows,
    comparison: Comparison,
    every: dict[str, ObservedChange],
    updated: set[str],
) -> set[str]:
    """Add new changes to a burst; return the ids of changed ones.

    A burst is renamed with each change that joins or leaves it.
    """
    moment, touched = comparison.moment, set[str]()
    since = moment - timedelta(seconds=GROUPED_SECONDS)
    alone = [change for change in every.values() if change.group is None and change.seen >= since]
    bursts = {
        change.group.number: change.group
        for change in every.values()
        if change.group is not None and change.group.kind is GroupKind.BURST
    }
    recent_burst = next((burst for burst in bursts.values() if burst.last >= since), None)
    if any(change.id in updated for change in alone) and (
        recent_burst is not None or len(alone) >= GROUPED_FROM
    ):
        burst = recent_burst or ObservedGroup(0, "", GroupKind.BURST, alone[0].seen, moment)
        burst = rows.store_group(connection, replace(burst, last=moment))
        bursts[burst.number] = burst
        for change in alone:
            every[change.id] = replace(change, group=burst)
            touched.add(change.id)
    changed = {change.group.number for change in comparison.gone if change.group is not None}
    changed |= {group.number for each in updated | touched if (group := every[each].group) is not None}
    for number in changed & bursts.keys():
        members = [each for each in every.values() if each.group is not None and each.group.number == number]
        if members:
            rows.store_group(connection, replace(bursts[number], name=describe_burst(members)))
    return touched


def describe_burst(changes: Sequence[ObservedChange]) -> str:
    """Return a summary of what happened to so many files."""
    renamed = _find_renamed_folder(changes)
    if renamed is not None:
        old, new = renamed
        return f"{show_name(old)} moved to {show_name(new)}: {_count_files_text(len(changes))}"
    counts = Counter(_VERBS.get(change.op, "changed") for change in changes)
    where = _shared_folder([change.target for change in changes])
    if len(counts) == 1:
        (verb,) = counts
        return f"{_count_files_text(len(changes))}{_shared_extension(changes)} {verb}{where}"
    summary = ", ".join(f"{count:,} {verb}" for verb, count in counts.most_common())
    return f"{_count_files_text(len(changes))}{_shared_extension(changes)}{where}: {summary}"


def _count_files_text(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _shared_extension(changes: Sequence[ObservedChange]) -> str:
    """Return the file name extension that all changes share."""
    endings = {change.target.rpartition("/")[2].rpartition(".")[2] for change in changes}
    dotted = all("." in change.target.rpartition("/")[2][1:] for change in changes)
    return f" (.{show_name(endings.pop())})" if dotted and len(endings) == 1 else ""


def _shared_folder(paths: Collection[str]) -> str:
    above = {path.rpartition("/")[0] for path in paths}
    common = commonpath(above) if "" not in above else ""
    return f" in {show_name(common)}/" if common else ""


def _find_renamed_folder(changes: Sequence[ObservedChange]) -> tuple[str, str] | None:
    """Return the old and new folder if one folder's move explains everything."""
    pairs = {
        _strip_common_end(change.path, change.to)
        for change in changes
        if change.op is Operation.MOVE and change.to is not None
    }
    if len(pairs) != 1 or any(change.op is not Operation.MOVE for change in changes):
        return None
    old, new = pairs.pop()
    return (old, new) if old and new else None


def _strip_common_end(path: str, to: str) -> tuple[str, str]:
    old, new = path.split("/"), to.split("/")
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    return "/".join(old), "/".join(new)
