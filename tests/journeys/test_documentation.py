"""Help ▸ Documentation opens the site that came with the program, in the person's browser (R194)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel

from studio.ui.actions.action import Action
from studio.ui.help import documentation
from tests.journeys.desktop import Desktop
from tests.journeys.harbour import Harbour


class Browser(QObject):
    """What the desktop would show pages with."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    @Slot("QUrl")
    def show(self, url: QUrl) -> None:
        self.shown.append(url.toLocalFile())


def test_the_installed_pages_are_opened_or_why_not_is_said(
    harbour: Harbour, desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Path] = []
    monkeypatch.setattr(documentation, "first_page", lambda: found[0] if found else None)
    person = desktop.open(harbour.root)
    reason = person.control.actions.reason(Action.DOCUMENTATION)
    assert reason.startswith("It was not installed with the program")
    person.control.actions.trigger(Action.DOCUMENTATION)
    notice = person.control.window.notice
    assert notice.isHidden()

    found.append(tmp_path / "index.html")
    person = desktop.open(None)
    browser = Browser()
    # The stubs say bytes, and text is what it takes (PySide6 6.11.3).
    cast("Any", QDesktopServices).setUrlHandler("file", browser, "show")
    try:
        person.control.actions.trigger(Action.DOCUMENTATION)
        assert browser.shown == [str(found[0])]
    finally:
        QDesktopServices.unsetUrlHandler("file")

    monkeypatch.setattr(documentation, "open_page", lambda page: False)
    person.control.actions.trigger(Action.DOCUMENTATION)
    notice = person.control.window.notice
    assert notice.isVisible()
    said = " ".join(label.text() for label in notice.findChildren(QLabel))
    assert "This desktop has no program that shows pages." in said
    assert str(tmp_path) in said
