"""First steps (onboarding) page, and the controller that decides when it appears."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from studio import engine
from studio.program.app_folders import config_directory
from studio.ui.actions.action import Action
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.widgets import STRETCH, STYLE_GAP, Button, HairLine, Label, Surface, column_of, row_of

if TYPE_CHECKING:
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings
    from studio.ui.window.main_window import MainWindow

_WIDTH = 900
_PAUSE_MS = 2000
_DEMO = "demo"
"""Settings key that remembers that a demo was opened."""


class _Step(NamedTuple):
    """One step; `action` is run by its button and identifies it."""

    action: Action
    title: str
    words: str
    label: str


class FirstDayPage(Surface):
    """Steps with their status and a button each; Esc closes the page."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""
    left = Signal()
    """Emitted to close the page."""
    looked_at = Signal()
    """Emitted when shown, to update the status of the steps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("first-day")
        self.setAccessibleName(self.tr("First steps"))
        self._states: dict[str, tuple[Sign, Label]] = {}
        self.done = Button(self.tr("Done"), self, key="Esc", name="first-day-done", pressed=self.left)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(Label(self.tr("First steps"), size=22, weight=500))
        column.addSpacing(px(6))
        words = self.tr(
            "All steps are optional and can be done in any order. To see them again, choose "
            "Help ▸ First steps."
        )
        column.addWidget(Label(words, token="muted", wrap=True))
        column.addSpacing(px(20))
        column.addWidget(HairLine(self))
        column.addSpacing(px(20))
        column.addLayout(self._rows())
        column.addSpacing(px(20))
        column.addWidget(HairLine(self))
        column.addSpacing(px(14))
        column.addLayout(self._gate_row())
        frame = QWidget(self)
        frame.setObjectName("first-day-frame")
        frame.setLayout(column)
        frame.setMaximumWidth(px(_WIDTH))
        # Not by its alignment: Qt would compute the text's height for the page's width.
        middle = row_of(STRETCH, (frame, 1000), STRETCH, spacing=STYLE_GAP)
        page = QVBoxLayout(self)
        page.addStretch(3)
        page.addLayout(middle)
        page.addStretch(8)
        self._timer = QTimer(self, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.looked_at)

    def is_done(self, action: str) -> bool:
        """Return whether the page shows a step as done."""
        return not self._states[action][1].isHidden()

    def show_done(self, action: str, *, is_done: bool) -> None:
        """Show whether a step is done."""
        for widget in self._states[action]:
            widget.setVisible(is_done)

    def _steps(self) -> tuple[_Step, ...]:
        return (
            _Step(
                Action.OPEN,
                self.tr("How it works"),
                self.tr(
                    "Agents propose file changes; you see exactly what would be written, "
                    "decide what to apply, and can undo it. Nothing is sent anywhere."
                ),
                self.tr("Open project…"),
            ),
            _Step(
                Action.CONNECT_AGENTS,
                self.tr("Connect an agent"),
                self.tr(
                    "The agent's changes then wait here for review. The indicator at the "
                    "top shows its gate status."
                ),
                self.tr("Connect agents…"),
            ),
            _Step(
                Action.RULES,
                self.tr("Your rules"),
                self.tr("Choose paths that agents can't change. Your rules are added to the built-in ones."),
                self.tr("Rules…"),
            ),
            _Step(
                Action.DEMO,
                self.tr("Demo project"),
                self.tr("A small program with plans to review. It contains none of your files."),
                self.tr("Try the demo project"),
            ),
        )

    def _rows(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(px(14))
        grid.setVerticalSpacing(px(18))
        grid.setColumnMinimumWidth(0, px(24))
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(2, px(64))
        for row, step in enumerate(self._steps()):
            number = Label(str(row + 1), size=17, weight=500, token="muted")
            grid.addWidget(number, row, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
            texts = column_of(
                Label(step.title, weight=600),
                Label(step.words, size=12, token="muted", wrap=True),
                spacing=px(3),
            )
            grid.addLayout(texts, row, 1)
            grid.addWidget(self._state(step), row, 2)
            button = Button(
                step.label,
                self,
                name=f"first-day-{step.action}",
                pressed=lambda _checked=False, action=step.action: self.pressed.emit(action),
            )
            grid.addWidget(button, row, 3, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return grid

    def _state(self, step: _Step) -> QWidget:
        state = QWidget(self)
        state.setObjectName("first-day-state")
        sign = Sign("first-day-sign", state, icon="check", token="ok")
        word = Label(self.tr("done"), state, size=12, token="ok")
        row_of(STRETCH, sign, word, parent=state, spacing=px(6))
        self._states[step.action] = (sign, word)
        self.show_done(step.action, is_done=False)
        return state

    def _gate_row(self) -> QHBoxLayout:
        row = row_of(Sign("first-day-gate", self, icon="gate"), spacing=px(10))
        promise = self.tr(
            "Exacta Studio runs only on this computer. Nothing is written until you "
            "click Apply, which agents can't do."
        )
        row.addWidget(Label(promise, token="muted", wrap=True), 1)
        row.addWidget(self.done)
        return row

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self.looked_at.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


class FirstDay(QObject):
    """Controller that shows the page, and again after other pages close."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, window: MainWindow, settings: Settings, runner: Runner, parent: QObject) -> None:
        super().__init__(parent)
        self._window, self._settings, self._runner = window, settings, runner
        self._page: FirstDayPage | None = None
        self._is_over = self._is_covered = False
        """Whether the page covers the window, or is covered by another page."""
        self._has_rules = self._is_scanning = False
        window.over_changed.connect(self._on_cover_changed)
        window.toolbar.gate_indicator.changed.connect(self._show_steps)

    def show_page(self) -> None:
        """Show the page, even if it was shown before."""
        if self._page is None:
            page = self._page = FirstDayPage(self._window)
            page.pressed.connect(self.pressed)
            page.left.connect(self._window.close_over)
            page.looked_at.connect(self._scan_project)
        self._window.show_over(self._page)

    def project_opens(self) -> None:
        """Note that a project replaces all pages."""
        self._is_over = self._is_covered = False

    def project_opened(self, *, is_demo: bool) -> None:
        """Stop showing the page automatically."""
        self._settings.end_first_day()
        if is_demo:
            self._settings.store_text(_DEMO, "opened")

    def _on_cover_changed(self) -> None:
        over = self._window.over
        was_over, self._is_over = self._is_over, over is not None and over is self._page
        if was_over and over is not None:
            self._is_covered = not self._is_over
        elif over is None and self._is_covered:
            self._is_covered = False
            self.show_page()
        elif over is None and was_over:
            self._settings.end_first_day()

    def _scan_project(self) -> None:
        self._show_steps()
        if not self._is_scanning:
            self._is_scanning = True
            self._runner.compute_alone(_has_rules, then=self._rules_known, failed=self._rules_unknown)

    def _rules_known(self, has_rules: bool) -> None:
        self._is_scanning, self._has_rules = False, has_rules
        self._show_steps()

    def _rules_unknown(self, _error: object) -> None:
        self._is_scanning = False

    def _show_steps(self) -> None:
        if self._page is not None:
            self._page.show_done("open", is_done=bool(self._settings.recent_projects()))
            self._page.show_done("connect_agents", is_done=bool(self._window.toolbar.gate_indicator.gates))
            self._page.show_done("rules", is_done=self._has_rules)
            self._page.show_done("demo", is_done=bool(self._settings.text(_DEMO)))


def _has_rules() -> bool:
    return engine.has_own_rules(config_directory())
