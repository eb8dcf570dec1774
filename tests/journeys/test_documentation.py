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


@pytest.mark.parametrize("has_project", [False, True])
def test_the_installed_pages_are_opened(
    has_project: bool, harbour: Harbour, desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "usr/share/doc/exacta-studio/html/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>Exacta Studio")
    program = tmp_path / "usr/lib/exacta-studio/studio/ui/help/documentation.py"
    found = documentation.first_page(program, tmp_path)
    assert found == page
    monkeypatch.setattr(documentation, "first_page", lambda: found)
    person = desktop.open(harbour.root if has_project else None)
    browser = Browser()
    # The stubs say bytes, and text is what it takes (PySide6 6.11.3).
    cast("Any", QDesktopServices).setUrlHandler("file", browser, "show")
    try:
        person.control.actions.trigger(Action.DOCUMENTATION)
        assert browser.shown == [str(page)]
    finally:
        QDesktopServices.unsetUrlHandler("file")


@pytest.mark.parametrize("below", ["", "environment/lib/python3.12/site-packages"])
def test_pages_that_somebody_laid_above_the_program_are_not_opened(below: str, tmp_path: Path) -> None:
    """Into an environment in a folder that others write to, too, such as /tmp."""
    planted = tmp_path / "share/doc/exacta-studio/html/index.html"
    planted.parent.mkdir(parents=True)
    planted.write_text("<p>Press here")
    assert documentation.first_page(tmp_path / below / "studio/ui/help/documentation.py") is None


def test_where_none_was_installed_the_action_is_off_and_says_why(
    harbour: Harbour, desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert documentation.first_page(tmp_path / "program.py") is None
    monkeypatch.setattr(documentation, "first_page", lambda: None)
    for place in (None, harbour.root):
        person = desktop.open(place)
        reason = person.control.actions.reason(Action.DOCUMENTATION)
        assert reason.startswith("It was not installed with the program")
        person.control.actions.trigger(Action.DOCUMENTATION)
        assert person.control.window.notice.isHidden()


def test_without_a_browser_the_place_is_said(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documentation, "first_page", lambda: tmp_path / "index.html")
    monkeypatch.setattr(documentation, "open_page", lambda page: False)
    person = desktop.open(None)
    person.control.actions.trigger(Action.DOCUMENTATION)
    notice = person.control.window.notice
    assert notice.isVisible()
    said = " ".join(label.text() for label in notice.findChildren(QLabel))
    assert "This desktop has no program that shows pages." in said
    assert str(tmp_path) in said
