"""Tells the desktop that an agent waits: taskbar, count and notification. Nothing is decided there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from studio.engine.names import show_name
from studio.ui.desk.waiters import Waiter
from studio.ui.look.words import counted, say

if TYPE_CHECKING:
    from studio.ui.window.control import WindowControl


class Notifier(Protocol):
    """Shows a notification outside of the window."""

    def show(self, name: str, title: str, words: str, pressed: Callable[[], None]) -> None:
        """Show one; `pressed` is called when the person asks for the window. The same name replaces it."""
        ...

    def count(self, waiting: int, words: str, pressed: Callable[[], None]) -> None:
        """How many wait now, and that in words."""
        ...


class Attention(QObject):
    """One for all windows of this process. A window that is in front is told nothing more: it shows it."""

    def __init__(
        self, app: QApplication, notifier: Notifier, raise_window: Callable[[WindowControl], None]
    ) -> None:
        super().__init__(app)
        self._app = app
        self._notifier = notifier
        self._raise = raise_window
        self._counts: dict[WindowControl, int] = {}

    def follow(self, control: WindowControl) -> None:
        """Hear of who waits in a window's project from now on."""
        desk = control.desk
        assert desk is not None
        desk.waiters.came.connect(partial(self._came, control))
        desk.waiters.count_changed.connect(partial(self._count, control))
        control.closed.connect(partial(self._forget, control))
        self._count(control)

    def _came(self, control: WindowControl, waiter: Waiter) -> None:
        if control.window.isActiveWindow():
            return
        self._app.alert(control.window)
        agent = show_name(waiter.agent) or self.tr("An agent")
        what = self.tr("It asks to use {what}.") if waiter.is_call else self.tr("It proposes: {what}")
        project = control.root_path.name if control.root_path is not None else ""
        title = say(self.tr("{agent} waits in {project}"), agent=agent, project=show_name(project))
        words = say(what, what=show_name(waiter.what))
        self._notifier.show(waiter.id, title, words, partial(self._raise, control))

    def _count(self, control: WindowControl) -> None:
        assert control.desk is not None
        self._counts[control] = control.desk.waiters.count
        self._tell()

    def _forget(self, control: WindowControl) -> None:
        self._counts.pop(control, None)
        self._tell()

    def _tell(self) -> None:
        waiting = sum(self._counts.values())
        self._app.setBadgeNumber(waiting)
        words = counted(waiting, self.tr("{n} agent waits"), self.tr("{n} agents wait"))
        first = next((control for control, count in self._counts.items() if count), None)
        self._notifier.count(waiting, words, partial(self._raise, first) if first is not None else _nothing)


def _nothing() -> None:
    pass
