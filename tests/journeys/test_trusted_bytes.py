"""Trusting the project's own file by real clicks: the bytes that were shown, or none (promises 4 and 8)."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from studio.ui.configuration.trust_part import TrustPart
from studio.ui.window.settings_page import SettingsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person

WIDER = 'schema_version: 1\nfile_rules: {allow: ["dist/"]}\n'
WIDEST = 'schema_version: 1\nfile_rules: {allow: [".github/"]}\n'


@pytest.fixture
def part(harbour: Harbour, desktop: Desktop) -> tuple[Person, TrustPart, Path]:
    """The page about a file that would widen the rules, by the strip's own button."""
    file = harbour.root / "studio.yaml"
    file.write_text(WIDER)
    person = desktop.open(harbour.root)
    wait_for(lambda: person.sees("trust-strip"), "the strip")
    person.click("trust-look")
    wait_for(lambda: person.sees("trust-yes"), "the page")
    found = person.find("trust-part")
    assert isinstance(found, TrustPart)
    wait_for(found.yes.isEnabled, "the button to be on")
    return person, found, file


def trusted() -> list[str]:
    """The sums that the user's own folder holds."""
    file = Path(os.environ["STUDIO_CONFIG_DIR"]) / "trust.json"
    said = json.loads(file.read_text()) if file.exists() else {"trusted": {}}
    return [sha256 for sums in said["trusted"].values() for sha256 in sums]


def test_what_was_shown_is_trusted_and_the_keyboard_stays(part: tuple[Person, TrustPart, Path]) -> None:
    person, page, _ = part
    person.click("trust-yes")
    wait_for(page.no.isVisible, "the file to be trusted")
    assert trusted() == [hashlib.sha256(WIDER.encode()).hexdigest()]
    assert page.isAncestorOf(person.focused()) or person.focused() is page
    wait_for(lambda: not person.sees("trust-strip"), "the strip to go")
    wait_for(page.no.isEnabled, "the button to be on")
    person.click("trust-no")
    wait_for(page.yes.isVisible, "the trust to be taken back")
    assert trusted() == []


def test_a_file_that_comes_under_the_hand_is_not_trusted(part: tuple[Person, TrustPart, Path]) -> None:
    """Somebody writes it while the hand is on its way: the press is for what was there before."""
    person, page, file = part
    pressed: list[bool] = []

    def press_at_once() -> None:
        if not pressed:
            pressed.append(True)
            person.click_on(page.yes)

    over = person.window.over
    assert isinstance(over, SettingsPage)
    over.model.changed.connect(press_at_once)
    other = file.with_name("other")
    other.write_text(WIDEST)
    other.replace(file)
    wait_for(lambda: pressed, "the other file to be shown")
    answers: list[int] = []
    person.desk.project.ask(int, then=answers.append)
    wait_for(lambda: answers, "what was asked before to be done")
    wait_for(page.yes.isEnabled, "the time to look at it")
    assert trusted() == []
    assert page.yes.isVisible()
    person.click("trust-yes")
    wait_for(page.no.isVisible, "the file to be trusted")
    assert trusted() == [hashlib.sha256(WIDEST.encode()).hexdigest()]
