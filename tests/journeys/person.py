"""A person before a window: looks at what is on screen, presses there, and reads files back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from PySide6.QtCore import QModelIndex, QPoint, QRect
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QFileDialog, QWidget

from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.diff.canvas.painting import check_box
from studio.ui.diff.model.cells import Side
from studio.ui.history.journal_lines import HistoryShow
from studio.ui.queue.model import Role
from studio.ui.review.desk import Desk
from studio.ui.window.control import WindowControl
from studio.ui.window.panes import Panes
from tests.journeys.clock import Clock
from tests.journeys.hands import Hands, QtHands, wait_for
from tests.tools.forked import ForkServer, command_of
from tests.tools.in_process import is_for_here, run_here

PROCESS_SECONDS = 60.0


class Person:
    """One window and the person who works in it.

    Presses go to places of the window; before each one the person looks whether what is aimed at is there.
    """

    def __init__(self, control: WindowControl, hands: Hands, clock: Clock) -> None:
        self.control = control
        self.window = control.window
        self.hands = hands
        self.clock = clock

    @property
    def desk(self) -> Desk:
        assert self.control.desk is not None
        return self.control.desk

    @property
    def panes(self) -> Panes:
        assert self.control.panes is not None
        return self.control.panes

    @property
    def place(self) -> tuple[str, int | None]:
        """The current plan's id and the current step's number, None while the plan as a whole is current."""
        plan, step = self.desk.queue.current_plan, self.desk.queue.current_step
        return (plan.id if plan is not None else "", step.number if step is not None else None)

    # Looking

    def find(self, name: str) -> Any:
        """The visible widget of that name; waits until it is there."""
        wait_for(lambda: self._visible(name), f"{name} on screen")
        return self._visible(name)[0]

    def sees(self, name: str) -> bool:
        return bool(self._visible(name))

    def said(self) -> str:
        """The sentence in the status bar."""
        return self.window.status.sentence.text()

    def wait_until_said(self, words: str) -> None:
        wait_for(lambda: words in self.said(), f"“{words}” in the status bar, which says “{self.said()}”")

    def wait_for_step(self, number: int) -> None:
        """Until that pending step is current, painted, and can be decided."""
        wait_for(lambda: self._stands_on(number), f"step {number} on screen")
        self.wait_until_on("reject_step")

    def wait_until_on(self, action: str) -> None:
        """Until the key of an action does something."""
        its = self.control.actions[Action(action)]
        if action == "apply":
            # It is on for a part, and drops what is pressed while a decision is saved.
            wait_for(lambda: not self.desk.guards.deciding, "the last decision")
        wait_for(
            lambda: self.is_free_to_press() and its.isEnabled(), f"{action}, which says “{its.toolTip()}”"
        )

    def is_free_to_press(self) -> bool:
        """Whether no dead time runs; what is left of one is over at once where hands don't need the time."""
        if self.control.desk is None:
            return True
        input_guard = self.control.desk.guards.dead_time
        if input_guard.seconds_left > 0 and not self.clock.is_stopped and isinstance(self.hands, QtHands):
            self.clock.skip(input_guard.seconds_left)
            input_guard.changed.emit()
        return input_guard.seconds_left <= 0

    def focused(self) -> QWidget:
        focused = QApplication.focusWidget()
        assert focused is not None
        return focused

    def _visible(self, name: str) -> list[QWidget]:
        return [widget for widget in self.window.findChildren(QWidget, name) if widget.isVisible()]

    def _stands_on(self, number: int) -> bool:
        step = self.desk.queue.current_step
        if step is None or step.number != number:
            return False
        return self.desk.shown.painted_revision == self.desk.choices.key

    # Pressing

    def click(self, name: str) -> None:
        """Wait until the button of that name can be pressed, and press it."""
        button: QAbstractButton = self.find(name)
        wait_for(button.isEnabled, f"{name} to be enabled; it says “{button.toolTip()}”")
        if name == "toolbar-apply":
            self.wait_until_on("apply")
        self.click_on(button)

    def click_on(self, widget: QWidget, place: QPoint | None = None) -> None:
        """Press at a place of a widget, its middle unless told, whether or not that does anything."""
        self.hands.click(self._handle(widget), self._aim(widget, place))

    def hover(self, widget: QWidget, place: QPoint) -> None:
        self.hands.move(self._handle(widget), self._aim(widget, place))

    def click_row(self, view: QAbstractItemView, index: QModelIndex, x: int | None = None) -> None:
        """Press a row of a list, in its middle or `x` pixels from its left edge."""
        assert index.isValid()
        view.scrollTo(index)
        area = view.visualRect(index)
        self.click_on(view.viewport(), QPoint(area.left() + x, area.center().y()) if x else area.center())

    def click_hunk_box(self, hunk: int, diff: DiffView | None = None) -> None:
        """Press the check box of a hunk in a diff, that of the step unless told."""
        canvas = (diff or self.panes.pages.step.diff).canvas
        layout = canvas.layout_
        assert layout is not None
        first = layout.hunk_rows(hunk)[0]
        top = layout.top(first) - canvas.view_lines()[0]
        band = QRect(0, top, canvas.viewport().width(), layout.row_height(first))
        self.click_on(canvas.viewport(), check_box(band).center())

    def click_line(self, side: Side, line: int) -> None:
        """Press a line (from 1) of one side in the diff."""
        canvas = self.panes.pages.step.diff.canvas
        canvas.go_to_line(side, line - 1)
        layout = canvas.layout_
        assert layout is not None
        row = layout.row_of(side, line - 1)
        assert row is not None
        top = layout.top(row) - canvas.view_lines()[0]
        width = canvas.viewport().width()
        across = width * 3 // 4 if side is Side.RESULT else width // 4
        self.click_on(canvas.viewport(), QPoint(across, top + layout.row_height(row) // 2))

    def click_step(self, plan: str, number: int | None = None) -> None:
        """Press a step's row in the queue, or with None the plan's own."""
        queue = self.panes.queue
        wait_for(lambda: queue.model.index_of(plan, number).isValid(), f"step {number} in the queue")
        self.click_row(queue.view, queue.model.index_of(plan, number))

    def press(self, keys: str) -> None:
        """Press keys where the keyboard is."""
        self.hands.press(self._handle(self._active()), keys)

    def type(self, text: str) -> None:
        self.hands.type(self._handle(self._active()), text)

    def _active(self) -> QWidget:
        return QApplication.activeModalWidget() or QApplication.activeWindow() or self.window

    def _handle(self, widget: QWidget) -> Any:
        handle = widget.window().windowHandle()
        assert handle is not None
        return handle

    def _aim(self, widget: QWidget, place: QPoint | None) -> QPoint:
        assert widget.isVisible()
        window = widget.window()
        aimed = widget.mapTo(window, place or widget.rect().center())
        there = window.childAt(aimed)
        assert there is not None and (there is widget or widget.isAncestorOf(there)), (
            f"{widget.objectName()} is covered by {there.objectName() if there is not None else 'nothing'}"
        )
        return aimed

    def come_back(self) -> None:
        """Bring the window to the front, as a window manager does when a dialog closes."""
        self.window.activateWindow()
        wait_for(self.window.isActiveWindow, "the window in front")

    # The history

    def choose_file(self, file: Path) -> None:
        """Choose a place in the dialog that is open; the dialog is Qt's, and tells it as if it was typed."""
        dialog = self.window.findChild(QFileDialog, "file-dialog")
        assert isinstance(dialog, QFileDialog)
        wait_for(dialog.isVisible, "the dialog")
        dialog.fileSelected.emit(str(file))
        dialog.reject()
        self.come_back()

    def open_tab(self, number: int) -> None:
        """Press a tab of the dock, unless it is open; another press would close it."""
        dock = self.panes.dock
        if dock.is_folded() or dock.tabs.currentIndex() != number:
            self.click_on(dock.tabs, dock.tabs.tabRect(number).center())

    def open_history(self, show: HistoryShow = HistoryShow.CHANGES) -> None:
        """Open the history, and choose by keys what it lists."""
        self.open_tab(0)
        kinds = self.panes.dock.history.tools.kinds
        self.click_on(kinds)
        wait_for(kinds.view().isVisible, "the list of filters")
        self.press("Home")
        wanted = kinds.itemText(kinds.findData(show.value))
        while kinds.view().currentIndex().data() != wanted:
            self.press("Down")
        self.press("Return")
        wait_for(lambda: self.panes.dock.history.tools.kind is show, wanted)

    def open_rollback(self, row: int) -> None:
        """Ask for the preview of a rollback at a row of the history, counted from the newest, 0."""
        self.open_history()
        history = self.panes.dock.history
        wait_for(lambda: history.view.rows.index(row, 1).isValid(), f"row {row} of the history")
        index = history.view.rows.index(row, 1)
        self.click_row(history.view, index)
        self.hover(history.view.viewport(), history.view.visualRect(index).center())
        self.click("history-roll-back")
        wait_for(lambda: self.desk.rollback.preview is not None, "the preview of the rollback")

    def history_states(self) -> list[str]:
        """What the column State of the history says, newest first."""
        return [row.cells[2].text for row in self.panes.dock.history.view.rows.rows]

    def queue_ids(self) -> list[str]:
        """The plans that wait, oldest first."""
        return [plan.id for plan in self.desk.queue.plans]

    def queue_titles(self) -> list[str]:
        """The plans in the queue from top to bottom."""
        model = self.panes.queue.model
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        return [index.data(Role.PLAN).title for index in rows]


class Program:
    """`studio` beside the window on a project: in this process, or `apart` as processes of their own."""

    def __init__(self, root: Path, forks: ForkServer | None = None, *, apart: bool = False) -> None:
        self.root, self._forks, self._apart = root, forks, apart

    def start(self, *words: str, output: IO[str] | int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "studio", *words],
            cwd=self.root, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def run(self, *words: str) -> str:
        """What the command says; it must end with 0. Where it needs no process of its own it is run here."""
        if not self._apart and is_for_here(words):
            code, out, errors = run_here(words, stdin=b"", folder=self.root, environment={})
            assert code == 0, (out + errors).decode()
            return out.decode()
        command, handles = command_of(self._forks, *words)
        # A file, not a pipe: nobody reads while the process runs, and a pipe would fill up.
        with TemporaryFile("w+", encoding="utf-8") as output:
            process = subprocess.Popen(
                command, cwd=self.root, pass_fds=handles,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
            wait_for(lambda: process.poll() is not None, f"studio {words[0]}", PROCESS_SECONDS)
            output.seek(0)
            said = output.read()
        assert process.returncode == 0, said
        return said

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json"))

    def submit(self, file: Path, title: str, agent: str = "claude-code") -> str:
        """Propose what stands in a file; returns the plan's id."""
        return self.json("submit", str(file), "--title", title, "--agent", agent)["plan"]

    def states(self, plan: str) -> list[str]:
        """The states of a plan's steps as another process sees them."""
        return [step["state"] for step in self.json("show", plan)["steps"]]
