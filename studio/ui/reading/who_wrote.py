"""Texts on authors of lines, and on plans that changed files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from studio.engine.names import show_name
from studio.engine.plan import Operation
from studio.engine.reader import BlamedLines, FileChange, Origin
from studio.ui.history.table import Cell, Column, TableRow
from studio.ui.language import translator
from studio.ui.look.people import seen_words
from studio.ui.look.words import full_moment, moment, say
from studio.ui.widgets.row_painter import SECOND

_tr = translator("Reading")


def author_of(lines: BlamedLines) -> str:
    """Return the author of lines: agent, reviewer, or git author, else "".

    Lines that the reviewer wrote into a proposed result are the reviewer's.
    """
    if lines.origin is Origin.PLAN and lines.agent and not lines.is_edited:
        return show_name(lines.agent)
    # `^` marks a shallow boundary, as in `git blame`.
    return f"^{show_name(lines.who)}" if lines.is_boundary else show_name(lines.who)


def lines_words(lines: BlamedLines, now: datetime) -> str:
    """Return all that is known about lines, for tooltip and screen readers."""
    if lines.origin is Origin.UNKNOWN:
        return _tr("No plan and no commit is known to have brought this line.")
    when = full_moment(lines.when, now) if lines.when is not None else ""
    if lines.origin is Origin.GIT:
        words = _tr("Commit {commit}, by {who}")
        if lines.is_boundary:
            words = _tr("Commit {commit}, by {who}, or an older one that this shallow clone lacks")
        sentence = say(words, commit=(lines.commit or "")[:8], who=show_name(lines.who))
        return f"{sentence}, {when}" if when else sentence
    sentence = [say(_tr("“{title}”"), title=show_name(lines.title))]
    if lines.is_edited:
        sentence.append(say(_tr("written into the result by {who}"), who=show_name(lines.who)))
    else:
        if lines.agent:
            sentence.append(say(_tr("proposed by {agent}"), agent=show_name(lines.agent)))
        by = say(_tr("approved by {who}"), who=show_name(lines.who))
        sentence.append(f"{by} {seen_words(lines.seen)}".rstrip())
    return ", ".join((*sentence, when))


def change_columns() -> tuple[Column, ...]:
    return (Column(_tr("Plans that changed it"), 0), Column(_tr("When"), 72))


def change_rows(changes: Sequence[FileChange], now: datetime) -> tuple[TableRow, ...]:
    """Return a row per plan, newest first, keyed by plan and step."""
    return tuple(_change_row(change, now) for change in changes)


def change_key(change: FileChange) -> str:
    return f"{change.plan_id}/{change.step}"


def _change_row(change: FileChange, now: datetime) -> TableRow:
    by, when, what = (
        show_name(change.agent or change.who),
        moment(change.when, now),
        _operation_word(change.op),
    )
    state = ("rolled-back", "muted") if change.is_undone else ("applied", "ok")
    title = show_name(change.title)
    cells = (
        Cell(title, icon=state[0], icon_token=state[1], second=" · ".join(filter(None, (what, by)))),
        Cell(when, "muted", size=SECOND),
    )
    undone = _tr("rolled back") if change.is_undone else ""
    return TableRow(change_key(change), cells, ", ".join(filter(None, (title, what, by, when, undone))))


def _operation_word(op: Operation) -> str:
    """Return a word for an operation other than an edit, else ""."""
    return {
        Operation.CREATE: _tr("made"),
        Operation.DELETE: _tr("deleted"),
        Operation.MOVE: _tr("moved"),
        Operation.COPY: _tr("copied"),
        Operation.MODE: _tr("permissions"),
    }.get(op, "")
