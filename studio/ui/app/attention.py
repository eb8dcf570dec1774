"""Desktop notifications, taskbar badge and alert for agents waiting for review."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from studio.errors import show_lines
from studio.names import show_name
from studio.ui.look.words import counted, plain_tip, say
from studio.ui.review.queue import Waiter

if TYPE_CHECKING:
    from studio.ui.window.control import WindowControl


class Notifier(Protocol):
    """Interface that shows notifications outside of the window."""

    def show(self, name: str, title: str, words: str, pressed: Callable[[], None]) -> None:
        """Show a notification, replacing one of the same name.

        `pressed` is called when the user clicks it to open the window.
        """
        ...

    def count(self, waiting: int, words: str, pressed: Callable[[], None]) -> None:
        """Set how many agents wait; `words` says it in words."""
        ...


class Attention(QObject):
    """Reporter of waiting agents for all windows of the process.

    A window in the foreground gets no alert: it shows them itself.
    """

    def __init__(
        self, app: QApplication, notifier: Notifier, raise_window: Callable[[WindowControl], None]
    ) -> None:
        super().__init__(app)
        self._app = app
        self._notifier = notifier
        self._raise = raise_window
        self._counts: dict[WindowControl, int] = {}

    def follow(self, control: WindowControl) -> None:
        """Report the agents that wait in a window's project."""
        desk = control.desk
        assert desk is not None
        desk.waiters.waiter_added.connect(partial(self._on_arrival, control))
        desk.waiters.count_changed.connect(partial(self._count, control))
        control.closed.connect(partial(self._remove, control))
        self._count(control)

    def _on_arrival(self, control: WindowControl, waiter: Waiter) -> None:
        if control.window.isActiveWindow():
            return
        self._app.alert(control.window)
        agent = show_name(waiter.agent) or self.tr("An agent")
        what = self.tr("Wants to use {what}.") if waiter.is_call else self.tr("Proposes: {what}")
        project = control.root_path.name if control.root_path is not None else ""
        title = say(self.tr("{agent} is waiting in {project}"), agent=agent, project=show_name(project))
        words = say(what, what=show_name(waiter.what))
        self._notifier.show(waiter.id, title, words, partial(self._raise, control))

    def _count(self, control: WindowControl) -> None:
        assert control.desk is not None
        self._counts[control] = control.desk.waiters.count
        self._show_waiting()

    def _remove(self, control: WindowControl) -> None:
        self._counts.pop(control, None)
        self._show_waiting()

    def _show_waiting(self) -> None:
        waiting = sum(self._counts.values())
        self._app.setBadgeNumber(waiting)
        words = counted(waiting, self.tr("{n} agent waiting"), self.tr("{n} agents waiting"))
        first = next((control for control, count in self._counts.items() if count), None)
        self._notifier.count(
            waiting, words, partial(self._raise, first) if first is not None else _do_nothing
        )


def _do_nothing() -> None:
    pass


# Desktop notifications: by the portal on Linux, or by a tray icon where there is no portal.

_SERVICE = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_INTERFACE = "org.freedesktop.portal.Notification"
# The older notification interface takes an unsigned number, which PySide can't put into a message.


class Notifications(QObject):
    """Notifications by portal or tray icon.

    The callback of a portal notification runs once; the tray icon is hidden while no agent waits.
    """

    def __init__(self, app: QApplication, icon: QIcon) -> None:
        super().__init__(app)
        self._tray = QSystemTrayIcon(icon, self)
        self._pressed: dict[str, Callable[[], None]] = {}
        self._newest: Callable[[], None] | None = None
        self._on_tray_click: Callable[[], None] | None = None
        self._is_listening = False
        self._tray.messageClicked.connect(self._message_pressed)
        self._tray.activated.connect(self._tray_pressed)

    def show(self, name: str, title: str, words: str, pressed: Callable[[], None]) -> None:
        """See `Notifier`."""
        self._pressed[name] = self._newest = pressed
        title, words = show_lines(title), show_lines(words)
        if sys.platform != "linux" or not self._send(name, title, words):
            self._show_in_tray(title, words)

    def count(self, waiting: int, words: str, pressed: Callable[[], None]) -> None:
        """See `Notifier`."""
        self._on_tray_click = pressed
        self._tray.setToolTip(plain_tip(words))
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._tray.setVisible(waiting > 0)

    def _show_in_tray(self, title: str, words: str) -> None:
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._tray.show()
            # The body is markup (Desktop Notifications 1.2), and may be in Qt's own balloon too.
            self._tray.showMessage(title, escape(words, quote=False), self._tray.icon())

    def _send(self, name: str, title: str, words: str) -> bool:
        """Send a message to the portal; return whether it was sent."""
        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return False
        if not self._is_listening:
            # PySide's type stub asks for bytes, but connect accepts only what SLOT returns.
            slot = cast("bytes", SLOT("_on_action(QString,QString,QVariantList)"))
            self._is_listening = bus.connect(_SERVICE, _PATH, _INTERFACE, "ActionInvoked", self, slot)
        message = QDBusMessage.createMethodCall(_SERVICE, _PATH, _INTERFACE, "AddNotification")
        arguments = {
            "title": title,
            "body": words,
            "priority": "high",
            "default-action": "show",
        }
        message.setArguments([name, arguments])
        watcher = QDBusPendingCallWatcher(bus.asyncCall(message), self)

        def answered(done: QDBusPendingCallWatcher) -> None:
            if done.isError():
                self._show_in_tray(title, words)
            done.deleteLater()

        watcher.finished.connect(answered)
        return True

    @Slot("QString", "QString", "QVariantList")
    def _on_action(self, name: str, _action: str, _parameters: list[object]) -> None:
        pressed = self._pressed.pop(name, None)
        if pressed is not None:
            pressed()

    def _message_pressed(self) -> None:
        if self._newest is not None:
            self._newest()

    def _tray_pressed(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger and self._on_tray_click is not None:
            self._on_tray_click()
