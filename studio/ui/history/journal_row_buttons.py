"""What a row of the journal offers: all entries of its request, of its step, or of its plan (R191)."""

from __future__ import annotations

from enum import Enum
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal

from studio.ui.history.row_buttons import RowButtons
from studio.ui.history.row_keys import plain_key
from studio.ui.history.table import TableView
from studio.ui.widgets import Button, ButtonKind


class AllOf(Enum):
    """What the listed entries have in common."""

    REQUEST = "request"
    STEP = "step"
    PLAN = "plan"


_KEYS = {Qt.Key.Key_Q: AllOf.REQUEST, Qt.Key.Key_S: AllOf.STEP, Qt.Key.Key_P: AllOf.PLAN}


class JournalRowButtons(QObject):
    """At the row under the pointer, else at the current one; their keys work in the list alone."""

    wanted = Signal(str, object)
    """The key of a row, and `AllOf` what of it is to be listed."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self._view = view
        words = {
            AllOf.REQUEST: (self.tr("This request"), "Q"),
            AllOf.STEP: (self.tr("This step"), "S"),
            AllOf.PLAN: (self.tr("This plan"), "P"),
        }
        self._buttons: list[Button] = []
        for of, (text, key) in words.items():
            button = Button(text, view.viewport(), kind=ButtonKind.TOOL, height=20, key=key)
            button.setObjectName(f"journal-this-{of.value}")
            button.set_tip(self.tr("Lists all entries of it, by its id."))
            button.clicked.connect(partial(self._want, of))
            self._buttons.append(button)
        self._at_row = RowButtons(view, self._buttons)
        self._at_row.moved.connect(self._place)
        view.rows.rowsInserted.connect(self._place)
        view.rows.rowsRemoved.connect(self._place)
        view.setAccessibleDescription(self.tr("Q, S and P list all of a row’s request, step or plan."))
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        of = _KEYS.get(Qt.Key(key)) if (key := plain_key(event)) is not None else None
        row = self._view.current_row() if watched is self._view else None
        if of is None or row is None:
            return super().eventFilter(watched, event)
        self.wanted.emit(row.key, of)
        return True

    def _place(self) -> None:
        self._at_row.show_at(self._at_row.key, self._buttons[::-1])

    def _want(self, of: AllOf) -> None:
        self.wanted.emit(self._at_row.key, of)
