"""Start page without a project: first actions and recent projects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.limits import RECENT_PROJECTS_SHOWN
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.look.words import short_path
from studio.ui.widgets import HairLine, Label, Surface, row_of
from studio.ui.window.choice_row import SIGN_LEFT, ChoiceRow

if TYPE_CHECKING:
    from studio.extras.backlog import Backlog

_WIDTH = 900


class StartPage(Surface):
    """Actions to open a project or the demo, and recent projects."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""
    chosen = Signal(object)
    """Emitted with the `Path` of a recent project."""

    def __init__(self, recent: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._rows: dict[Path, ChoiceRow] = {}
        self.setObjectName("start-page")
        self.setAccessibleName(self.tr("Start"))
        self.open = ChoiceRow(
            self.tr("Open project…"),
            self.tr("A folder on this computer"),
            self,
            icon="open",
            key="Ctrl+O",
            pressed=lambda: self.pressed.emit(Action.OPEN),
        )
        self.demo = ChoiceRow(
            self.tr("Try the demo project"),
            self.tr("A small program with plans to review"),
            self,
            icon="plan",
            pressed=lambda: self.pressed.emit(Action.DEMO),
        )
        self.connect_agents = ChoiceRow(
            self.tr("Connect an agent…"),
            self.tr("The agent's changes then wait here for review"),
            self,
            icon="agent",
            pressed=lambda: self.pressed.emit(Action.CONNECT_AGENTS),
        )
        self.paste = ChoiceRow(self.tr("Paste a plan"), "", self, icon="paste")
        self.paste.set_reason(self.tr("Open a project first"))
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(Label("Exacta Studio", size=22, weight=500))
        column.addSpacing(px(6))
        promise = self.tr("Agents propose file changes. ") + self.tr(
            "You see exactly what would be written, decide what to apply, and can undo it."
        )
        column.addWidget(Label(promise, token="muted"))
        column.addSpacing(px(20))
        column.addWidget(HairLine(self))
        column.addSpacing(px(24))
        column.addLayout(self._choices(recent))
        column.addSpacing(px(24))
        column.addWidget(HairLine(self))
        column.addSpacing(px(14))
        column.addLayout(self._local_only())
        frame = QWidget(self)
        frame.setObjectName("start-frame")
        frame.setLayout(column)
        frame.setFixedWidth(px(_WIDTH))
        page = QVBoxLayout(self)
        page.addStretch(3)
        page.addWidget(frame, 0, Qt.AlignmentFlag.AlignHCenter)
        page.addStretch(8)

    def _choices(self, recent: Sequence[Path]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(px(52))
        grid.setVerticalSpacing(px(2))
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._heading(self.tr("Start")), 0, 0)
        grid.setRowMinimumHeight(0, px(28))
        for row, choice in enumerate((self.open, self.demo, self.connect_agents, self.paste), 1):
            grid.addWidget(choice, row, 0)
        if recent:
            grid.addWidget(self._heading(self.tr("Recent projects")), 0, 1)
        for row, path in enumerate(dict.fromkeys(recent[:RECENT_PROJECTS_SHOWN]), 1):
            grid.addWidget(self._recent(path), row, 1)
        return grid

    def _heading(self, words: str) -> Label:
        """Return a heading aligned with the icons of its rows."""
        heading = Label(words, weight=600)
        heading.setContentsMargins(px(SIGN_LEFT), 0, 0, 0)
        return heading

    # Whether the folder exists is reported with its backlog: a disk that does not respond would delay the
    # first paint.
    def _recent(self, path: Path) -> ChoiceRow:
        row = ChoiceRow(
            show_name(path.name),
            show_name(short_path(path)),
            self,
            icon="folder",
            token="muted",
            pressed=lambda: self.chosen.emit(path),
        )
        self._rows[path] = row
        return row

    @property
    def recent(self) -> tuple[Path, ...]:
        """The listed projects."""
        return tuple(self._rows)

    def show_backlog(self, path: Path, backlog: Backlog | None) -> None:
        """Show a project's backlog; None means unknown yet."""
        from studio.ui.look.backlog_words import backlog_style  # not needed by the first paint

        row = self._rows.get(path)
        if row is not None:
            style = backlog_style(backlog)
            row.set_note(style.first, icon=style.icon, token=style.token, words=style.words)
            row.setEnabled(not style.why_not)

    def _local_only(self) -> QHBoxLayout:
        row = row_of(Sign("start-gate", self, icon="gate"), spacing=px(10))
        promise = self.tr(
            "Exacta Studio runs only on this computer. Nothing is written until you "
            "click Apply, which agents can't do."
        )
        row.addWidget(Label(promise, token="muted"))
        row.addStretch(1)
        return row

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.open.setFocus(Qt.FocusReason.OtherFocusReason)
