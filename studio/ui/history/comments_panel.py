"""Panel of a plan's review comments: threads per file across review rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine import LineComment, Plan, Step, StepState
from studio.extras.reader import LineHit
from studio.names import show_name
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.look.words import say
from studio.ui.widgets import STYLE_GAP, HairLine, Surface, column_of
from studio.ui.widgets.row_painter import SECOND
from studio.values import Value

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk

# Comments on each file of a plan, by round: the reviewer's on lines and steps, and the agent's


class CommentRow(Value):
    """Comment on `line` (from 1) of `side`, or 0 for the step.

    `who` is "" for the reviewer. `is_draft`: it is sent to the agent with the decision.
    """

    plan_id: str
    step: int
    round: int
    side: str
    line: int
    who: str
    text: str
    is_draft: bool = False


class CommentThread(Value):
    """All comments on one file, in order of the rounds."""

    path: str
    comments: tuple[CommentRow, ...]


def comment_threads(
    plan: Plan, earlier: Sequence[Plan], drafts: Mapping[int, Sequence[LineComment]]
) -> tuple[CommentThread, ...]:
    """Return the comment threads of a plan, with earlier rounds, by path.

    Files without a comment of the reviewer have none. `drafts` are the draft comments on undecided steps, by
    step number.
    """
    rows: dict[str, list[CommentRow]] = {}
    for number, each in enumerate((*earlier, plan), 1):
        for step in each.steps:
            if step.decision is None and step.number not in drafts and (number == 1 or not step.reason):
                continue  # most of them
            own = _reviewer_comments(each, step, number, drafts.get(step.number, ()) if each is plan else ())
            things = rows.get(step.target, [])
            if number > 1 and things and step.reason:
                things.append(CommentRow(each.id, step.number, number, "result", 0, each.agent, step.reason))
            if own:
                rows.setdefault(step.target, []).extend(own)
    return tuple(CommentThread(path, tuple(things)) for path, things in sorted(rows.items()))


def _reviewer_comments(
    plan: Plan, step: Step, number: int, drafts: Sequence[LineComment]
) -> list[CommentRow]:
    decision = step.decision if step.state is not StepState.PENDING else None
    if decision is None and not drafts:
        return []
    comments = drafts if decision is None else decision.comments
    things = [
        CommentRow(plan.id, step.number, number, each.side, each.line, "", each.text, decision is None)
        for each in comments
    ]
    if decision is not None and decision.text:
        things.append(CommentRow(plan.id, step.number, number, "result", 0, "", decision.text))
    return things


_tr = translator("CommentsPanel")
_ROWS = 8


class CommentsPanel(Surface):
    """Comments of a plan; Enter or a click shows the line.

    A line of an earlier round is shown as it was decided.
    """

    shown = Signal(object)
    """Emitted with the `LineHit` to show in the centre."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._hits: dict[str, LineHit] = {}
        self.setObjectName("comments")
        self.setAccessibleName(self.tr("Comments"))
        self.view = TableView(
            _columns(), self, name="comments-list", accessible=self.tr("Comments on this plan's files")
        )
        column_of(HairLine(self), self.view, parent=self, spacing=STYLE_GAP)
        self.setFocusProxy(self.view)
        self.view.chosen.connect(self._go_to_comment)
        for changed in (desk.comments.changed, desk.rounds.changed, desk.queue.plans_changed):
            changed.connect(self._refresh)
        desk.queue.current_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        plan = self._desk.queue.current_plan
        threads: tuple[CommentThread, ...] = ()
        if plan is not None:
            threads = comment_threads(plan, self._desk.rounds.earlier, self._desk.comments.of_plan(plan))
        rows: list[TableRow] = []
        self._hits = {}
        for thread in threads:
            for number, comment in enumerate(thread.comments):
                key = f"{thread.path}/{number}"
                rows.append(_row(key, thread, comment, is_first=number == 0))
                self._hits[key] = LineHit(
                    thread.path, max(1, comment.line), "", 0, 0, side=comment.side, plan_id=comment.plan_id,
                    step=comment.step,
                )  # fmt: skip
        self.view.rows.set_rows(rows)
        self.view.fit_rows(_ROWS)
        self.setVisible(bool(rows))

    def _go_to_comment(self, key: str) -> None:
        if key in self._hits:
            self.shown.emit(self._hits[key])


def _columns() -> tuple[Column, ...]:
    return (
        Column(_tr("File and line"), 300),
        Column(_tr("Round"), 70),
        Column(_tr("Author"), 130),
        Column(_tr("Comment"), 0),
    )


def _row(key: str, thread: CommentThread, comment: CommentRow, *, is_first: bool) -> TableRow:
    path = show_name(thread.path)
    line = _line_words(comment)
    who = say(_tr("{agent} (reply)"), agent=show_name(comment.who)) if comment.who else _tr("You")
    if comment.is_draft:
        who = _tr("You (unsent draft)")
    text = " ".join(comment.text.split())
    where = Cell(path, second=line, is_path=True) if is_first else Cell(line, "muted", size=SECOND)
    round_words = say(_tr("{n}"), n=comment.round)
    accessible = say(
        _tr("{path}, {line}, round {n}, {who}: {text}"),
        path=path, line=line, n=comment.round, who=who, text=text,
    )  # fmt: skip
    icon = "agent" if comment.who else "comment"
    cells = (where, Cell(round_words, "muted"), Cell(who, "muted", size=SECOND), Cell(text, icon=icon))
    return TableRow(key, cells, accessible)


def _line_words(comment: CommentRow) -> str:
    if comment.line == 0:
        return _tr("whole step")
    words = _tr("old line {n}") if comment.side == "base" else _tr("line {n}")
    return say(words, n=str(comment.line))
