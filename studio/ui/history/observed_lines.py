"""Table columns, rows and texts for file changes that no plan wrote."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from studio.engine import Operation
from studio.names import show_name
from studio.ui.history.table import BUTTONS_COLUMN, Cell, Column, TableRow
from studio.ui.language import translator
from studio.ui.look.states import NO_LINES
from studio.ui.look.words import files, moment, say, split_path
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.engine import ObservedChange
    from studio.ui.review.observed import ObservedRow

_tr = translator("Observed")


def observed_columns() -> tuple[Column, ...]:
    return (
        Column(_tr("When"), 96),
        Column(_tr("Outside change"), 0),
        Column(_tr("Change"), 150),
        Column(_tr("Lines"), 100),
        Column(_tr("Hint"), 320),
        BUTTONS_COLUMN,
    )


def observed_row(row: ObservedRow, lines: Mapping[str, tuple[int, int]], now: datetime) -> TableRow:
    """Return one row of the dock's list."""
    first = row.changes[0]
    if not row.is_group:
        return _change_row(first, lines.get(first.revision), now)
    assert first.group is not None
    name, amount, seen = show_name(first.group.name), files(len(row.changes)), moment(first.seen, now)
    hint = hint_words(first)
    cells = (
        Cell(seen, "muted"),
        Cell(name, icon="observed", icon_token="observed", weight=500),
        Cell(amount, size=SECOND),
        Cell(NO_LINES, "muted", size=SECOND),
        Cell(hint, "muted", size=SECOND),
        Cell(),
    )
    return TableRow(row.key, cells, _spoken(seen, name, amount, hint))


def _change_row(change: ObservedChange, lines: tuple[int, int] | None, now: datetime) -> TableRow:
    folder, name = split_path(show_name(change.target))
    seen, what, hint = moment(change.seen, now), change_words(change), hint_words(change)
    cells = (
        Cell(seen, "muted"),
        Cell(
            name, icon="observed", icon_token="observed", second=folder.rstrip("/"), weight=500, is_path=True
        ),
        Cell(what, size=SECOND),
        _counts(lines),
        Cell(hint, "muted", size=SECOND),
        Cell(),
    )
    return TableRow(change.id, cells, _spoken(seen, show_name(change.target), what, hint))


def observed_file_columns() -> tuple[Column, ...]:
    return (Column(_tr("File"), 0), Column(_tr("Change"), 360))


def observed_file_rows(changes: tuple[ObservedChange, ...]) -> list[TableRow]:
    """Return the rows of a group's files; slow for thousands of them."""
    return [_file_row(change) for change in changes]


def _file_row(change: ObservedChange) -> TableRow:
    folder, name = split_path(show_name(change.target))
    what = change_words(change)
    cells = (
        Cell(name, icon="file", second=folder.rstrip("/"), weight=500, is_path=True),
        Cell(what, size=SECOND),
    )
    return TableRow(change.id, cells, f"{show_name(change.target)}, {what}")


def change_words(change: ObservedChange) -> str:
    """Return what happened to a path since the baseline."""
    if change.is_before_unknown:
        is_gone = change.after is None
        return _tr("deleted while indexing") if is_gone else _tr("changed while indexing")
    image = change.after if change.after is not None else change.before
    is_folder = image is not None and image.is_folder
    was_link, is_link = (side is not None and side.is_link for side in (change.before, change.after))
    if change.op is not Operation.MOVE and (was_link or is_link):
        return _link_words(change, was_link=was_link, is_link=is_link)
    words = {
        Operation.CREATE: _tr("new"),
        Operation.MKDIR: _tr("new folder"),
        Operation.DELETE: _tr("folder deleted") if is_folder else _tr("deleted"),
        Operation.MODE: _tr("permissions changed"),
        Operation.MOVE: say(_tr("moved from {path}"), path=show_name(change.path)),
    }
    return words.get(change.op, _tr("changed"))


def _link_words(change: ObservedChange, *, was_link: bool, is_link: bool) -> str:
    if change.before is None:
        return _tr("new link")
    if change.after is None:
        return _tr("link deleted")
    if was_link and is_link:
        return _tr("link target changed")
    return _tr("now a link") if is_link else _tr("no longer a link")


def hint_words(change: ObservedChange) -> str:
    """Return who was active at the time, "" for no one.

    This is a hint, not a proof.
    """
    if not change.hints:
        return ""
    hints = "; ".join(show_name(hint) for hint in change.hints)
    return say(_tr("possible cause: {hints}"), hints=hints)


def _counts(lines: tuple[int, int] | None) -> Cell:
    if lines is None or lines == (0, 0):
        return Cell(NO_LINES, "muted", size=SECOND)
    return Cell(added=lines[0], removed=lines[1])


def _spoken(*parts: str) -> str:
    return ", ".join(part for part in (_tr("outside change"), *parts) if part)
