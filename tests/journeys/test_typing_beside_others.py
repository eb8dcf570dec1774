"""Typing while other processes take away what is typed about: no letter becomes anything else (promise 4)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from studio.engine.plan import PersonSource
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.lab.robot.looking import Looker, Truth
from tests.lab.robot.other_process import OtherProcess

EVERY_COMMAND = "arznyvxlecuwfbpijk 123 "
"""Every command of one sign."""
LONGER_THAN_A_DEAD_TIME = 0.6
"""Seconds, and shorter than the pause after which a person may mean a key again."""


@dataclass
class Scene:
    """Two plans of two agents; the person looks at the first step of the first one."""

    harbour: Harbour
    person: Person
    other: OtherProcess
    first: str
    before: Truth
    ran: list[str] = field(default_factory=list[str])

    def run_beside(self, *words: str, stdin: str = "") -> None:
        """Another process does something, and the window gets to know while the hands rest."""
        looked: list[bool] = []
        self.person.desk.queue.store_changed.connect(lambda: looked.append(True))
        answer = self.other.run(self.harbour.root, *words, stdin=stdin)
        assert answer.code == 0, answer
        self.person.desk.queue.disk_changed()
        wait_for(lambda: looked, "the window to look at the store")
        let_pass(LONGER_THAN_A_DEAD_TIME)

    def type(self, text: str) -> None:
        """Prose: no command is run by it."""
        self.ran.clear()
        for sign in text:
            self.person.type(sign)
        let_pass(0.1)
        assert not self.ran, f"prose ran {self.ran}"

    def check_nothing_was_made(self, kind: str = "") -> None:
        """No decision, no unsent text but of that kind on the first plan; nothing was written or copied."""
        now = _look(self.harbour.root)
        made = [key for key, each in now.decisions.items() if each.by is PersonSource.WINDOW]
        assert not made, f"nobody decided {made}"
        fresh = {key for key in now.unsent if now.unsent[key] != self.before.unsent.get(key)}
        strange = {key for key in fresh if (key[0], key[2]) != (self.first, kind)}
        assert not strange, f"nobody typed there: {strange}"
        assert now.clipboard == self.before.clipboard
        assert self.person.place[0] in (self.first, ""), "the window went elsewhere under the hands"


@pytest.fixture(scope="module")
def other() -> Iterator[OtherProcess]:
    process = OtherProcess()
    yield process
    process.close()


@pytest.fixture
def scene(harbour: Harbour, desktop: Desktop, other: OtherProcess) -> Scene:
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("review: {command_line: allow}\n")

    def propose(title: str, agent: str, *steps: dict[str, object]) -> str:
        document = {"title": title, "agent": agent, "steps": steps}
        answer = other.run(harbour.root, "submit", "-", stdin=json.dumps(document))
        assert answer.code == 0, answer
        return str(answer.said["plan"])

    def change(name: str, **lines: str) -> dict[str, object]:
        return {"op": "modify", "path": name, "content": lines_with(**lines)}

    executable: dict[str, object] = {"op": "mode", "path": "three.txt", "executable": True}
    first = propose("First", "claude-code", change("one.txt", l3="changed 3", l30="changed 30"), executable)
    propose("Second", "codex", change("two.txt", l5="changed 5"))
    QApplication.clipboard().setText("mine")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    made = Scene(harbour, person, other, first, _look(harbour.root))
    person.control.actions.triggered.connect(made.ran.append)
    return made


def _look(root: Path) -> Truth:
    looker = Looker(root)
    try:
        return looker.look()
    finally:
        looker.close()


def open_field(scene: Scene, action: str, key: str, name: str) -> None:
    person = scene.person
    person.wait_until_on(action)
    person.press(key)
    wait_for(lambda: person.focused().objectName() == name, name)


def test_a_reason_stays_what_it_is_when_the_project_is_forgotten(scene: Scene) -> None:
    """The store is deleted under the window, and the agent of another plan submits again."""
    open_field(scene, "reject_step", "R", "reason-editor")
    scene.type("Bec")
    assert scene.other.run(scene.harbour.root, "forget").code == 0
    document = {"title": "Anew", "steps": [{"op": "delete", "path": "two.txt"}]}
    scene.run_beside("submit", "-", stdin=json.dumps(document))
    scene.type(EVERY_COMMAND)
    assert scene.person.find("reason-editor").toPlainText() == "Bec" + EVERY_COMMAND
    scene.check_nothing_was_made("reason")
