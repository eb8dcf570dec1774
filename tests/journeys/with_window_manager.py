"""Journeys that need an X server and a window manager; `python -m tests.journeys.xvfb` runs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tests.journeys.desktop import Desktop
from tests.journeys.hands import XHands, let_pass, wait_for
from tests.journeys.harbour import Harbour

PICTURE = "STUDIO_JOURNEY_PICTURE"
"""Environment variable: the file that a picture of the whole screen is written to."""


@pytest.fixture
def hands(desktop: Desktop) -> XHands:
    assert QGuiApplication.platformName() == "xcb", "python -m tests.journeys.xvfb starts what this needs"
    return XHands()


def test_a_letter_that_is_held_down_approves_one_step(
    harbour: Harbour, desktop: Desktop, hands: XHands
) -> None:
    """look.md 9.1: the X server repeats the key well beyond the dead time."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    hands.hold("a", 2.5)
    assert harbour.agent.states(plan) == ["approved", "pending", "pending"]
    person.wait_for_step(2)
    person.press("A")
    person.wait_for_step(3)
    if picture := os.environ.get(PICTURE):
        screen = QGuiApplication.primaryScreen()
        assert screen.grabWindow(0).save(str(Path(picture)))


def test_the_click_through_the_window_manager_activates_and_decides_nothing(
    harbour: Harbour, desktop: Desktop, hands: XHands
) -> None:
    """look.md 9.2: the window manager hands the click on to the window it has just brought to the front."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    approve = person.find("step-approve_step")
    other = QWidget()
    other.setWindowTitle("Something else")
    other.setGeometry(40, 500, 200, 150)
    other.show()
    wait_for(other.isActiveWindow, "the other window in front")
    let_pass(0.7)
    assert not person.window.isActiveWindow()
    person.click_on(approve)
    wait_for(person.window.isActiveWindow, "the window in front")
    let_pass(0.7)
    assert harbour.agent.states(plan) == ["pending"] * 3
    person.click_on(approve)
    person.wait_for_step(2)
    assert harbour.agent.states(plan) == ["approved", "pending", "pending"]
    other.close()
    other.deleteLater()
