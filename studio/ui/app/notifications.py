"""Notifications of the desktop: by its portal on Linux, where there is none by a sign in the tray."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from studio.engine.display import show_lines
from studio.ui.look.words import plain_tip

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusPendingCallWatcher

_SERVICE = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_INTERFACE = "org.freedesktop.portal.Notification"
# The older interface of notifications takes an unsigned number, which PySide can't put into a message.


class Notifications(QObject):
    """What is pressed is called once; nothing is shown before somebody waits."""

    def __init__(self, app: QApplication, icon: QIcon) -> None:
        super().__init__(app)
        self._tray = QSystemTrayIcon(icon, self)
        self._pressed: dict[str, Callable[[], None]] = {}
        self._newest: Callable[[], None] | None = None
        self._of_tray: Callable[[], None] | None = None
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
        self._of_tray = pressed
        self._tray.setToolTip(plain_tip(words))
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._tray.setVisible(waiting > 0)

    def _show_in_tray(self, title: str, words: str) -> None:
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._tray.show()
            # The body is mark-up (Desktop Notifications 1.2), also in a balloon of Qt's own where it may be.
            self._tray.showMessage(title, escape(words, quote=False), self._tray.icon())

    def _send(self, name: str, title: str, words: str) -> bool:
        """Whether a message is on its way to the portal."""
        from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return False
        if not self._is_listening:
            # PySide's description of itself asks for bytes, and takes only what SLOT makes.
            slot = cast("bytes", SLOT("_invoked(QString,QString,QVariantList)"))
            self._is_listening = bus.connect(_SERVICE, _PATH, _INTERFACE, "ActionInvoked", self, slot)
        message = QDBusMessage.createMethodCall(_SERVICE, _PATH, _INTERFACE, "AddNotification")
        said = {
            "title": title,
            "body": words,
            "priority": "high",
            "default-action": "show",
        }
        message.setArguments([name, said])
        watcher = QDBusPendingCallWatcher(bus.asyncCall(message), self)

        def answered(done: QDBusPendingCallWatcher) -> None:
            if done.isError():
                self._show_in_tray(title, words)
            done.deleteLater()

        watcher.finished.connect(answered)
        return True

    @Slot("QString", "QString", "QVariantList")
    def _invoked(self, name: str, _action: str, _parameters: list[object]) -> None:
        pressed = self._pressed.pop(name, None)
        if pressed is not None:
            pressed()

    def _message_pressed(self) -> None:
        if self._newest is not None:
            self._newest()

    def _tray_pressed(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger and self._of_tray is not None:
            self._of_tray()
