"""Search panel for plans, project and history; results preview in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from studio.extras.reader import LineHit, LineQuery, SearchPlace
from studio.names import show_name
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.limits import SEARCH_ROWS_SHOWN
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.widgets import STRETCH, CheckBox, Label, Surface, column_of, row_of
from studio.ui.widgets.choice import Choice
from studio.ui.widgets.row_painter import SECOND
from studio.ui.widgets.text_field import SearchField

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk

_tr = translator("Find")

_PAUSE_MS = 150
_FIELD_WIDTH = 220
"""Least width of the field and what is around it in one row with the choices."""


class FindPanel(Surface):
    """Search field and results; the current row is previewed at once.

    Enter moves the focus to the preview.
    """

    shown = Signal(object)
    """The `LineHit` to preview."""
    left = Signal()
    """The focus should move to the preview."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._hits: dict[str, LineHit] = {}
        self.setObjectName("find-across")
        self.setAccessibleName(self.tr("Find"))
        self.field = SearchField("find-across-field", self.tr("Find lines"), self)
        self.place = self._choice(
            "find-across-place",
            self.tr("Scope"),
            {
                SearchPlace.PLAN: self.tr("This plan"),
                SearchPlace.PLANS: self.tr("All plans in the queue"),
                SearchPlace.PROJECT: self.tr("Project"),
                SearchPlace.HISTORY: self.tr("History"),
            },
        )
        self.side = self._choice(
            "find-across-side",
            self.tr("Side"),
            {"": self.tr("Both sides"), "base": self.tr("Before"), "result": self.tr("After")},
        )
        self.changed_only = self._make_check_box("find-across-changed", self.tr("Changed lines only"))
        self.matches_case = self._make_check_box("find-across-case", self.tr("Match case"))
        self.is_expression = self._make_check_box("find-across-expression", self.tr("Regex"))
        self._count = Label("", self, size=12, token="muted", name="find-across-count")
        self.table = TableView(
            _columns(), self, name="find-across-list", accessible=self.tr("Search results")
        )
        self._lay_out()
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._search)
        self.field.textChanged.connect(self._pause.start)
        self.field.moved.connect(self._move)
        self.field.done.connect(self._enter_list)
        self.field.cancelled.connect(self.left)
        self.table.acted.connect(lambda _key: self.left.emit())
        self.table.selectionModel().currentRowChanged.connect(self._preview)
        desk.line_search.changed.connect(self._show)
        desk.queue.current_changed.connect(self._follow_plan)
        self.setFocusProxy(self.field)
        self._show()

    def minimumSizeHint(self) -> QSize:
        """Return a size as small as the other dock panels'.

        Nothing above the dock makes room for it.
        """
        return QSize(px(60), px(60))

    def ask(self, words: str) -> None:
        """Focus the field; `words` are the selected text, "" for none."""
        if words:
            self.field.setText(words)
            self.place.setCurrentIndex(self.place.findData(SearchPlace.PROJECT))
        elif self._desk.queue.current_plan is None and self._search_place is SearchPlace.PLAN:
            self.place.setCurrentIndex(self.place.findData(SearchPlace.PROJECT))
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._search()

    @property
    def _search_place(self) -> SearchPlace:
        return SearchPlace(self.place.currentData())

    def _choice(self, name: str, words: str, entries: dict[object, str]) -> Choice:
        choice = Choice(self)
        choice.setObjectName(name)
        choice.setAccessibleName(words)
        for key, text in entries.items():
            choice.addItem(text, key)
        choice.currentIndexChanged.connect(self._search)
        return choice

    def _make_check_box(self, name: str, words: str) -> CheckBox:
        box = CheckBox(words, self, name=name)
        box.toggled.connect(self._search)
        return box

    def _lay_out(self) -> None:
        boxes = self.changed_only, self.matches_case, self.is_expression
        self._choices = row_of(self.place, self.side, *boxes, STRETCH, self._count, spacing=px(10))
        self._top = row_of((self.field, 1), margins=(px(12), px(6), px(12), px(4)), spacing=px(10))
        self._top.addLayout(self._choices)
        column_of(self._top, (self.table, 1), parent=self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the choices below the field in a narrow dock."""
        super().resizeEvent(event)
        fits = self._choices.sizeHint().width() + px(_FIELD_WIDTH) <= self.width()
        direction = QBoxLayout.Direction
        self._top.setDirection(direction.LeftToRight if fits else direction.TopToBottom)

    def _search(self) -> None:
        self._pause.stop()
        words, request = self.field.text(), self._search_place
        of_plans = request is not SearchPlace.PROJECT
        self.side.setEnabled(of_plans)
        self.changed_only.setEnabled(of_plans)
        plan = self._desk.queue.current_plan
        if not words or (request is SearchPlace.PLAN and plan is None):
            self._desk.line_search.clear()
            return
        query = LineQuery(
            words, request, plan.id if plan is not None and request is SearchPlace.PLAN else "",
            is_expression=self.is_expression.isChecked(), matches_case=self.matches_case.isChecked(),
            changed_only=of_plans and self.changed_only.isChecked(),
            side=self.side.currentData() if of_plans else "",
        )  # fmt: skip
        if query != self._desk.line_search.query:
            self._desk.line_search.search(query)

    def _follow_plan(self) -> None:
        """Search again in another current plan, where only it is searched."""
        if self._search_place is SearchPlace.PLAN and self.isVisible():
            self._search()

    def _show(self) -> None:
        found = self._desk.line_search
        shown = found.hits[:SEARCH_ROWS_SHOWN]
        self._hits = {str(number): hit for number, hit in enumerate(shown)}
        current = self.table.current_row()
        self.table.selectionModel().blockSignals(True)
        self.table.rows.set_rows([_row(number, hit) for number, hit in enumerate(shown)])
        self.table.selectionModel().blockSignals(False)
        if current is None or current.key not in self._hits:
            self.table.setCurrentIndex(self.table.rows.index(-1, 0))
        self.table.empty_text = found.refusal or self._nothing_words()
        self._count.setText(self._count_words())
        self.table.viewport().update()

    def _nothing_words(self) -> str:
        found = self._desk.line_search
        if found.query is None:
            return self.tr("Type to search. Use Up and Down to move through the results.")
        return self.tr("Searching…") if found.is_running else self.tr("No matching lines.")

    def _count_words(self) -> str:
        found = self._desk.line_search
        if found.query is None or found.refusal:
            return ""
        summary = counted(len(found.hits), self.tr("{n} line"), self.tr("{n} lines"))
        if len(found.hits) > SEARCH_ROWS_SHOWN:
            return say(self.tr("{lines}, showing the first {n}"), lines=summary, n=SEARCH_ROWS_SHOWN)
        return summary if found.is_whole else say(self.tr("At least {lines}"), lines=summary)

    def _move(self, by: int) -> None:
        last = self.table.rows.rowCount() - 1
        if last >= 0:
            row = min(max(0, self.table.currentIndex().row() + by), last)
            self.table.setCurrentIndex(self.table.rows.index(row, 0))

    def _preview(self) -> None:
        row = self.table.current_row()
        if row is not None and row.key in self._hits:
            self.shown.emit(self._hits[row.key])

    def _enter_list(self) -> None:
        """Select the first row if none is current, then leave."""
        if self.table.current_row() is None:
            self._move(1)
        if self.table.current_row() is not None:
            self.left.emit()


def _columns() -> tuple[Column, ...]:
    return (Column(_tr("Line"), 0), Column(_tr("File"), 240), Column(_tr("Plan"), 180))


def _row(number: int, hit: LineHit) -> TableRow:
    signs = {("base", True): ("minus", "delSign"), ("result", True): ("plus", "addSign")}
    icon, token = signs.get((hit.side, hit.is_changed), ("file", "muted"))
    location = f"{show_name(hit.path)}:{hit.line}"
    cells = (
        Cell(show_name(hit.text.strip()), icon=icon, icon_token=token),
        Cell(location, "muted", size=SECOND, is_path=True),
        Cell(show_name(hit.title), "muted", size=SECOND),
    )
    change = {("base", True): _tr("removed"), ("result", True): _tr("added")}.get(
        (hit.side, hit.is_changed), ""
    )
    return TableRow(
        str(number), cells, ", ".join(filter(None, (location, change, show_name(hit.text.strip()))))
    )
