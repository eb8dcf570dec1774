"""One window for many tests: what brings it back to how it was first shown, and what differs then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, QSize
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from studio.engine.store.unsaved_input import UnsentKind
from studio.ui.actions.action import Action
from studio.ui.finders.finder import Finder
from studio.ui.look.theme import set_theme, theme
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.review.unsent import VIEWED

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk
    from studio.ui.window.control import WindowControl

_TURNS_BACK = 6
"""No state of the window is more pages and banners deep."""
_NOTHING_SAID = StatusMessage("", Tone.NEWS)


class SharedWindow:
    """A window that is cleaned after each test, and how it looked when it was new."""

    def __init__(self, control: WindowControl, settle: Callable[[], None]) -> None:
        self._control, self._settle = control, settle
        # Its menus are windows, which no single test may seem to leave behind.
        assert control.panes is not None
        assert control.panes.pages.plan.tools is not None and control.panes.pages.rollback is not None
        self._size = control.window.size()
        self._clean()
        self._new = seen(control)

    def bring_to_front(self) -> None:
        """Give it the keyboard: another window may have had it."""
        if not self._control.window.isActiveWindow():
            self._control.window.activateWindow()
            QTest.qWaitForWindowActive(self._control.window)
            self._clean()

    def _clean(self) -> None:
        clean(self._control, self._settle, self._size)

    def give_back(self) -> None:
        """Clean it; fail the test that left anything different, and no later one for the same."""
        self.bring_to_front()
        self._clean()
        now = seen(self._control)
        left, self._new = differences(self._new, now), now
        if left:
            pytest.fail("The test left the window different:\n" + "\n".join(left), pytrace=False)


def clean(control: WindowControl, settle: Callable[[], None], size: QSize) -> None:
    """Take a window on a project to its first plan and step, with nothing open and everything as usual."""
    window, desk, panes = control.window, control.desk, control.panes
    assert desk is not None and panes is not None
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if theme().name != "light" or theme().colour_blind:
        set_theme(app, "light")
        control.show_theme("light", colour_blind=False)
    for finder in window.findChildren(Finder):
        if finder.isVisible():
            finder.close_finder()
    for _ in range(_TURNS_BACK):
        if window.over is None and not panes.close_innermost():
            break
        control.trigger(Action.BACK)
        settle()
    window.status.end_tip()
    window.notice.close_banner()
    control.show_gates(())
    window.toolbar.gate_indicator.set_command_line_allowed(desk.queue.command_line == "allow")
    window.resize(size)
    if window.left.isHidden():
        window.toggle_left()
    if not panes.facts.isHidden():
        window.toggle_facts()
    window.left.show_pane(panes.queue)
    panes.dock.show_panel(panes.dock.history)
    panes.dock.set_folded(True)
    first = desk.queue.plans[0] if desk.queue.plans else None
    if first is not None:
        desk.select(first.id, first.steps[0].number)
        desk.viewed.set_all_viewed(first, first.steps, viewed=False)
    settle()
    diff = panes.diff()
    if diff is not None:
        diff.set_mode("side_by_side")
        diff.set_whitespace(False)
        diff.set_folds(True)
        diff.canvas.verticalScrollBar().setValue(0)
    control.bindings.set_letters(True)
    desk.guards.key_guard.release()
    control.show_status_message(_NOTHING_SAID)
    QApplication.clipboard().clear()
    panes.queue.setFocus()
    settle()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if diff is not None and diff.toggles()["wrap"]:
        diff.set_wrap(False)  # of the kind of file that is shown by now


def seen(control: WindowControl) -> Counter[str]:
    """Count what a window shows and its project keeps: of each widget kind, name, place, state and words.

    Pages are made at their first use and hidden afterwards, so that hidden widgets say nothing of a state.
    """
    window, found = control.window, Counter[str]()
    focus = QApplication.focusWidget()
    for each in window.findChildren(QWidget):
        if not each.isVisible():
            continue
        corner = each.mapTo(window, QPoint(0, 0))
        said = [type(each).__name__, each.objectName(), f"{corner.x()},{corner.y()}"]
        said += [f"{each.width()}x{each.height()}", "" if each.isEnabled() else "off"]
        said += ["has the keyboard" if each is focus else "", _words(each)]
        found[" ".join(filter(None, said))] += 1
    diff = control.panes.diff() if control.panes is not None else None
    if diff is not None:
        found[f"diff {diff.mode()} {diff.toggles()} at {diff.canvas.verticalScrollBar().value()}"] += 1
    found[f"theme {theme().name} {theme().colour_blind}"] += 1
    found.update(_kept(control.desk) if control.desk is not None else ())
    return found


def _kept(desk: Desk) -> Iterator[str]:
    """Plans with their decisions, drafts, and the files of the project."""
    for plan in (*desk.queue.plans, *(entry.plan for entry in desk.queue.history)):
        yield f"plan {plan.title} {plan.state} {[(step.state, step.decision) for step in plan.steps]}"
    for kind in UnsentKind:
        for place, value in desk.project.unsent.every(kind.value).items():
            if place.kind == VIEWED and place.slot:
                continue  # what was painted, by no press
            yield f"draft {place} {value[:60]!r}"
    for file in desk.project.root_path.rglob("*"):
        if file.is_file():
            yield f"file {file} of {file.stat().st_size} bytes"


def differences(before: Counter[str], after: Counter[str]) -> list[str]:
    """What is no longer there (-) and what was not there (+)."""
    return [f"- {each}" for each in before - after] + [f"+ {each}" for each in after - before]


def _words(widget: QWidget) -> str:
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return widget.text()
    if isinstance(widget, QPlainTextEdit):
        return widget.toPlainText()
    if isinstance(widget, QTabBar):
        return " | ".join(widget.tabText(tab) for tab in range(widget.count()))
    if isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
        current = widget.currentIndex()
        with suppress(RuntimeError):
            return f"{model.rowCount()} rows, current {current.row()} of {str(current.data())[:60]}"
    return ""
