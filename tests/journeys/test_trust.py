"""A project's own file that would allow more: asked about, shown, trusted by its bytes."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

from studio.ui.configuration.trust_part import TrustPart
from studio.ui.window.settings_page import SettingsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person

WIDENS = "schema_version: 1\nfile_rules:\n  deny: ['two.txt']\n  allow: ['bin/']\nlimits: {steps: 3000}\n"


def own_file(harbour: Harbour, text: str) -> Path:
    file = harbour.root / "studio.yaml"
    file.write_text(text)
    return file


def is_allowed(harbour: Harbour, path: str) -> bool:
    agent = harbour.agent.start("check", path, "--json", output=subprocess.PIPE)
    told, _ = agent.communicate()
    # Before it stands a warning, that the file widens what does not count.
    return bool(json.loads(told[told.index("{") :])["verdicts"][0]["allowed"])


def trusted() -> list[str]:
    """The sums that the user's own folder holds."""
    file = Path(os.environ["STUDIO_CONFIG_DIR"]) / "trust.json"
    said = json.loads(file.read_text()) if file.exists() else {"trusted": {}}
    return [sha256 for sums in said["trusted"].values() for sha256 in sums]


def look_at_it(person: Person) -> TrustPart:
    strip = person.find("trust-strip")
    wait_for(strip.isVisible, "the strip")
    person.click("trust-look")
    wait_for(lambda: isinstance(person.window.over, SettingsPage), "the page")
    part = person.find("trust-part")
    assert isinstance(part, TrustPart)
    wait_for(lambda: part.list.rows.rows, "what the file would allow")
    return part


def wait_for_answer(person: Person) -> None:
    """Until the engine has done all that was asked before."""
    answers: list[int] = []
    person.desk.project.ask(int, then=answers.append)
    wait_for(lambda: answers, "what was asked before to be done")


def test_bytes_that_were_shown_count_until_one_changes_or_trust_is_taken_back(
    harbour: Harbour, desktop: Desktop
) -> None:
    plan = harbour.propose("One file", one_txt="changed\n")
    own_file(harbour, "file_rules: {deny: ['two.txt']}\nlimits: {steps: 5}\n")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    assert not person.sees("trust-strip"), "it widens nothing"
    file = own_file(harbour, WIDENS)
    wait_for(lambda: person.sees("trust-strip"), "the strip")
    person.wait_until_on("approve_step")
    person.click_step(plan, 1)
    person.press("A")
    wait_for(lambda: harbour.agent.states(plan) == ["approved"], "it is not in the way")
    person.click("trust-later")
    wait_for(lambda: not person.sees("trust-strip"), "it to go")
    file.write_text(WIDENS + "# new\n")
    wait_for(lambda: person.sees("trust-strip"), "it asked about anew")

    part = look_at_it(person)
    shown = [[cell.text.replace(",", "") for cell in row.cells] for row in part.list.rows.rows]
    assert shown == [["Maximum steps per plan", "3000", "1000"], ["Allowed files", "bin/", "none"]]
    assert not is_allowed(harbour, "bin/tool.sh")
    assert not is_allowed(harbour, "two.txt"), "what it denies counts at once"
    person.press("Return")
    wait_for_answer(person)
    assert not trusted(), "no key trusts"
    project = person.desk.project
    assert "until you trust the file" in " ".join(project.notices)
    person.click("trust-yes")
    wait_for(trusted, "it to be trusted")
    assert trusted() == [hashlib.sha256(file.read_bytes()).hexdigest()]
    assert part.isAncestorOf(person.focused()) or person.focused() is part, "the keyboard stays"
    wait_for(lambda: "trust the file" not in " ".join(project.notices), "that nothing waits for trust")
    wait_for(lambda: "is trusted" in part.sentence.text(), "the page to say so")
    assert is_allowed(harbour, "bin/tool.sh")
    wait_for(lambda: not person.sees("trust-strip"), "nothing to be asked any more")

    own_file(harbour, WIDENS + "# another byte\n")
    wait_for(lambda: "is not trusted" in part.sentence.text(), "that another byte is another file")
    wait_for(lambda: person.sees("trust-strip"), "it asked about anew")
    assert not is_allowed(harbour, "bin/tool.sh")
    person.click("trust-yes")
    wait_for(part.no.isVisible, "a way back")
    person.click("trust-no")
    wait_for(lambda: "is not trusted" in part.sentence.text(), "that it is not trusted any more")
    assert not is_allowed(harbour, "bin/tool.sh")

    # Another file comes while the hand is on its way, or between the look and the press.
    wait_for(part.yes.isEnabled, "the button to be on")
    pressed: list[bool] = []

    def press_at_once() -> None:
        if not pressed:
            pressed.append(True)
            person.click_on(part.yes)

    page = person.window.over
    assert isinstance(page, SettingsPage)
    page.model.changed.connect(press_at_once)
    other = file.with_name("other")
    other.write_text(WIDENS.replace("'bin/'", "'bin/', 'obj/'"))
    other.replace(file)
    wait_for(lambda: pressed, "the other file to be shown")
    wait_for_answer(person)
    wait_for(part.yes.isEnabled, "the time to look at it")
    assert not trusted() and part.yes.isVisible()

    page.model.pause()
    own_file(harbour, WIDENS)
    person.click("trust-yes")
    person.wait_until_said("changed after it was shown")
    assert not trusted() and not is_allowed(harbour, "bin/tool.sh")
