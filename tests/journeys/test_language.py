"""A second language by real clicks: a file is put into a folder, chosen, and the next window speaks it."""

from __future__ import annotations

import stat

from PySide6.QtWidgets import QApplication

from studio.program.app_folders import state_directory
from studio.ui.actions.action import Action
from studio.ui.configuration.parts import Part
from studio.ui.language import LANGUAGE, use_language
from studio.ui.settings import Settings
from studio.ui.window.interface_settings import LanguageChoice
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person
from tests.journeys.test_settings import open_settings
from tests.tools.languages import every_text, lay


def part_of(person: Person) -> LanguageChoice:
    page = open_settings(person, Part.LOOK)
    part = page.findChild(LanguageChoice)
    assert isinstance(part, LanguageChoice)
    wait_for(lambda: part.choice is not None or not part.isVisible(), "the languages")
    return part


def test_a_language_is_chosen_and_spoken_by_the_next_window(
    harbour: Harbour, desktop: Desktop, qapp: QApplication
) -> None:
    person = desktop.open(harbour.root)
    open_settings(person, Part.LOOK)
    assert person.sees("own-colours") and not person.sees("own-languages"), "there is nothing to choose"
    person.window.close()

    lay(every_text())
    person = desktop.open(harbour.root)
    part = part_of(person)
    choice = part.choice
    assert choice is not None and choice.accessibleName() == "Language"
    assert [choice.itemText(at) for at in range(choice.count())] == [
        "System default", "English", "Deutsch (de)",
    ]  # fmt: skip
    ini = state_directory() / "window.ini"
    assert stat.S_IMODE(ini.stat().st_mode) == 0o600
    ini.chmod(0o644)  # as a build before had it made by Qt
    person.find("own-languages").setFocus()
    person.press("Down")
    person.press("Down")
    wait_for(lambda: "language=de" in ini.read_text(), "it to be remembered")
    assert stat.S_IMODE(ini.stat().st_mode) == 0o600, "it names the projects, as all else of the state does"
    assert person.window.menus[0].title() == "File", "this window goes on as it was"
    person.window.close()

    use_language(qapp, Settings(ini).text(LANGUAGE))
    person = desktop.open(harbour.root)
    assert person.window.menus[0].title() == "ÄFileß"
    assert person.control.actions[Action.SETTINGS].text() == "ÄSettings…ß"
