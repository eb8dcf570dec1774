"""A page that stands over everything: nothing below it is decided, and Esc brings back what was there."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QVBoxLayout

from studio.ui.actions.action import Action
from studio.ui.widgets import Surface
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour


class Page(Surface):
    """As small as such a page can be."""

    def __init__(self) -> None:
        super().__init__("content")
        self.setObjectName("some-page")
        self.setAccessibleName("Some page")
        self.field = QLineEdit(self)
        QVBoxLayout(self).addWidget(self.field)


def test_nothing_is_decided_below_a_page_and_esc_brings_back_what_was_there(
    harbour: Harbour, desktop: Desktop
) -> None:
    plan = harbour.propose("One file", one_txt="changed\n")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    before, page = person.focused(), Page()
    person.window.show_over(page)
    wait_for(lambda: person.focused() is page.field, "the keyboard in the page")
    assert person.control.actions.reason(Action.APPROVE_STEP) == "Close “Some page” first."
    wait_for(lambda: not person.window.toolbar.apply.isEnabled(), "Apply to be off")
    person.press("Ctrl+Shift+Return")
    person.type("aaa")
    assert page.field.text() == "aaa"
    assert not person.control.actions.reason(Action.PALETTE), "what needs no project goes on"
    assert "Close" not in person.control.actions.reason(Action.STOP), "what ends something is not held up"
    person.clock.stop()
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the page to be closed")
    assert person.focused() is before
    person.press("A")
    assert harbour.agent.states(plan) == ["pending"], "it had just come out from under the page"
    person.clock.go_on()
    person.wait_until_on("approve_step")
    person.press("A")
    wait_for(lambda: harbour.agent.states(plan) == ["approved"], "the step to be approved")
    assert not person.window.close_over()


def test_a_project_that_opens_closes_the_page(harbour: Harbour, desktop: Desktop) -> None:
    person = desktop.open(None)
    page, other = Page(), Page()
    person.window.show_over(page)
    person.window.show_over(other)
    assert person.window.over is other and page.isHidden()
    person.control.open_project(harbour.root)
    wait_for(lambda: person.control.panes is not None, "the project")
    assert person.window.over is None
