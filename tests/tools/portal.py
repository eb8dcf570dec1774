"""Stands in for the desktop's portal on a bus of its own: prints each notification, and presses it."""

from __future__ import annotations

import json
import sys
from typing import Any

from PySide6.QtCore import ClassInfo, QCoreApplication, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage

_NAME = "org.freedesktop.portal.Notification"
_PATH = "/org/freedesktop/portal/desktop"
_class_info: Any = ClassInfo  # PySide's description of itself knows no class that can be called


@_class_info({"D-Bus Interface": _NAME})
class Portal(QObject):
    @Slot(str, "QVariantMap")
    def AddNotification(self, name: str, said: dict[str, object]) -> None:
        print(json.dumps([name, said]), flush=True)
        pressed = QDBusMessage.createSignal(_PATH, _NAME, "ActionInvoked")
        pressed.setArguments([name, "show", []])
        QDBusConnection.sessionBus().send(pressed)


def main() -> int:
    app = QCoreApplication([])
    portal, bus = Portal(), QDBusConnection.sessionBus()
    everything = QDBusConnection.RegisterOption.ExportAllSlots
    if not bus.registerObject(_PATH, portal, everything):
        return 1
    if not bus.registerService("org.freedesktop.portal.Desktop"):
        return 1
    print("ready", flush=True)
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
