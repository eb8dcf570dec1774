"""A project's own file that would allow more: asked about, shown, trusted by its bytes (promise 8)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from studio.engine.plan import StepState
from studio.ui.configuration.trust_part import TrustPart
from studio.ui.window.settings_page import SettingsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
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


def trusted() -> str:
    file = Path(os.environ["STUDIO_CONFIG_DIR"]) / "trust.json"
    return file.read_text() if file.exists() else ""


def look_at_it(person: Person) -> TrustPart:
    strip = person.find("trust-strip")
    wait_for(strip.isVisible, "the strip")
    person.click("trust-look")
    wait_for(lambda: isinstance(person.window.over, SettingsPage), "the page")
    part = person.find("trust-part")
    assert isinstance(part, TrustPart)
    wait_for(lambda: part.list.rows.rows, "what it would allow")
    return part


def test_what_it_would_allow_is_shown_and_counts_once_it_is_trusted(
    harbour: Harbour, desktop: Desktop
) -> None:
    own_file(harbour, WIDENS)
    person = desktop.open(harbour.root)
    part = look_at_it(person)
    shown = [[cell.text.replace(",", "") for cell in row.cells] for row in part.list.rows.rows]
    assert shown == [["Most steps of a plan", "3000", "1000"], ["Allowed files", "bin/", "nothing"]]
    assert not is_allowed(harbour, "bin/tool.sh")
    assert not is_allowed(harbour, "two.txt"), "what it denies counts at once"
    person.press("Return")
    let_pass(0.2)
    assert not trusted(), "no key trusts"
    project = person.desk.project
    assert "once you trust the file" in " ".join(project.notices)
    person.click("trust-yes")
    wait_for(trusted, "it to be trusted")
    wait_for(lambda: "trust the file" not in " ".join(project.notices), "that nothing waits for trust")
    wait_for(lambda: "is trusted" in part.sentence.text(), "the page to say so")
    assert is_allowed(harbour, "bin/tool.sh")
    wait_for(lambda: not person.sees("trust-strip"), "nothing to be asked any more")

    own_file(harbour, WIDENS + "# another byte\n")
    wait_for(lambda: "is not trusted" in part.sentence.text(), "that another byte is another file")
    wait_for(lambda: person.sees("trust-strip"), "it asked about anew")
    assert not is_allowed(harbour, "bin/tool.sh")
    person.press("Escape")


def test_trust_is_taken_back(harbour: Harbour, desktop: Desktop) -> None:
    own_file(harbour, WIDENS)
    person = desktop.open(harbour.root)
    part = look_at_it(person)
    person.click("trust-yes")
    wait_for(part.no.isVisible, "a way back")
    person.click("trust-no")
    wait_for(lambda: "is not trusted" in part.sentence.text(), "that it is not trusted any more")
    assert not is_allowed(harbour, "bin/tool.sh")


def test_bytes_that_came_after_those_that_were_shown_are_not_trusted(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Somebody puts another file there between the look and the press."""
    own_file(harbour, WIDENS)
    person = desktop.open(harbour.root)
    look_at_it(person)
    page = person.window.over
    assert isinstance(page, SettingsPage)
    page.model.pause()
    own_file(harbour, WIDENS.replace("'bin/'", "'bin/', 'obj/'"))
    person.click("trust-yes")
    person.wait_until_said("no longer the file that was shown")
    assert not trusted()
    assert not is_allowed(harbour, "bin/tool.sh")


def test_put_aside_it_is_not_asked_again_until_it_changes(harbour: Harbour, desktop: Desktop) -> None:
    """Never in the way: meanwhile what is allowed anyway is decided as ever."""
    plan = harbour.propose("One file", one_txt="changed\n")
    file = own_file(harbour, WIDENS)
    person = desktop.open(harbour.root)
    strip = person.find("trust-strip")
    wait_for(strip.isVisible, "the strip")
    person.wait_for_step(1)
    person.wait_until_on("approve_step")
    person.click_step(plan, 1)
    person.press("A")
    step = person.desk.queue.plans[0].steps[0]
    wait_for(lambda: person.desk.queue.plans[0].steps[0].state is StepState.APPROVED, "it to be approved")
    assert (plan, step.number) == (person.desk.queue.plans[0].id, 1)
    assert strip.isVisible()
    person.click("trust-later")
    wait_for(lambda: not strip.isVisible(), "it to go")
    assert not trusted()
    person.control.window.close()
    person = desktop.open(harbour.root)
    wait_for(lambda: person.desk.queue.project_file is not None, "the queue")
    let_pass(0.3)
    assert not person.sees("trust-strip")
    file.write_text(WIDENS + "# new\n")
    wait_for(lambda: person.sees("trust-strip"), "it asked about anew")


def test_a_file_that_widens_nothing_is_not_asked_about(harbour: Harbour, desktop: Desktop) -> None:
    own_file(harbour, "file_rules: {deny: ['two.txt']}\nlimits: {steps: 5}\n")
    person = desktop.open(harbour.root)
    let_pass(0.5)
    assert not person.sees("trust-strip")
