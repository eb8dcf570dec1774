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
    program = tmp_path / "usr/lib/exacta-studio/lib/python3.11/site-packages/studio/ui/help/documentation.py"
    found = documentation.first_page(program, tmp_path / "usr")
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


@pytest.mark.parametrize("below", ["x/venv", "lib/exacta-studio", "usr/lib/exacta-studio-2", "usr/share"])
def test_pages_that_anybody_may_have_put_there_are_not_taken(below: str, tmp_path: Path) -> None:
    """Whatever the program is installed below: it was packaged for one folder of the system."""
    for prefix in (tmp_path, tmp_path / "x", tmp_path / "usr"):
        page = prefix / "share/doc/exacta-studio/html/index.html"
        page.parent.mkdir(parents=True)
        page.write_text("<p>Not ours")
    program = tmp_path / below / "lib/python3.11/site-packages/studio/ui/help/documentation.py"
    assert documentation.first_page(program) is None
    assert documentation.first_page(program, tmp_path / "usr") is None


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
