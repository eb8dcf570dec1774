"""A whole review of two releases of Django in the window, by keys alone and by the mouse alone.

`python -m tests.tools.long_review` fetches the releases, submits what git says is between them, decides the
catalogues as one kind and every other file by itself, applies, compares what lies there with the newer
release and takes it back. It prints how many presses that took and how soon the next file stood there, and
ends with an error where a byte is another one. Add `keys` or `mouse` for one of the two.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from studio.engine.plan import StepState
from studio.ui.actions.action import Action
from studio.ui.app.gc_pauses import GarbagePauses
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose
from tests.journeys.test_plan_tree import popup
from tests.journeys.test_press_counts import Counted
from tests.tools.packages import FileContent, Versions, contents, git_diff, wheel

RELEASES = {
    "Django-4.2.16-py3-none-any.whl": "1ddc333a16fc139fd253035a1606bb24261951bbc3a6ca256717fa06cc41a898",
    "Django-5.0.9-py3-none-any.whl": "f219576ba53be4e83f485130a7283f0efde06a9f2e3a7c3c5180327549f078fa",
}
KIND = "*.po"
_PATIENCE = 120.0
_LOOKED_AT = 0.25
"""Seconds for which each file is looked at; a hand is kept from deciding for twice as long."""


def expected_after(steps: list[dict[str, Any]], versions: Versions) -> Mapping[str, FileContent]:
    """The old tree with the paths of all valid steps as they are in the new one."""
    old, new = contents(versions.old), contents(versions.new)
    valid = [step for step in steps if step["state"] != "invalid"]
    changed = {path for step in valid for path in _written(step)}
    kept = {path: content for path, content in old.items() if path not in changed}
    return kept | {path: new[path] for path in changed if path in new}


def _written(step: dict[str, Any]) -> set[str]:
    if step["op"] == "copy":
        return {step["to"]}
    return {step["path"], step.get("to", step["path"])}


@dataclass
class Pace:
    """What the review took: seconds from a decision to the next file, and how long nothing was painted."""

    next_file: list[float] = field(default_factory=list[float])
    stalls: list[float] = field(default_factory=list[float])
    last: float = field(default_factory=time.perf_counter)

    def beat(self) -> None:
        now = time.perf_counter()
        self.stalls.append(now - self.last)
        self.last = now

    def words(self) -> str:
        taken, waits = sorted(self.next_file), sorted(self.stalls)
        return (
            f"next file {statistics.median(taken) * 1000:.0f} ms median, "
            f"{taken[int(len(taken) * 0.95)] * 1000:.0f} ms at 95 of 100; "
            f"{sum(wait > 0.05 for wait in waits)} stalls over 50 ms, the longest {waits[-1] * 1000:.0f} ms"
        )


class Review:
    """One person, one plan, and one way to press."""

    def __init__(self, person: Person, *, by_keys: bool) -> None:
        self.person, self.by_keys = person, by_keys
        self.hands = Counted(person.hands)
        person.hands = self.hands
        self.pace = Pace()
        self._left, self._pressed = 0, 0.0
        person.desk.guards.allowed_changed.connect(self._note_next)
        self._timer = QTimer()
        self._timer.timeout.connect(self.pace.beat)
        self._timer.start(5)

    def pending(self) -> int:
        plans = self.person.desk.queue.plans
        return sum(step.state is StepState.PENDING for step in plans[0].steps) if plans else 0

    def approve_kind(self, kind: str) -> None:
        """All steps of a kind, after the window listed them."""
        before = self.pending()
        if self.by_keys:
            self.person.press("S")
        else:
            self.person.click("plan-kinds-button")
        menu = popup()
        entries = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
        at = next(at for at, action in enumerate(entries) if action.text().startswith(kind))
        if self.by_keys:
            handle = menu.windowHandle()
            assert handle is not None
            for _ in range(at):
                self.hands.press(handle, "Down")
            self.hands.press(handle, "Return")
        else:
            choose(self.person, menu, entries[at].text())
        wait_for(lambda: self.person.desk.ticked.steps, "the ticks")
        self.person.wait_until_on("approve_step")
        self._press("A", "ticked-approve_step")
        if self.by_keys:
            wait_for(self.person.find("plan-approve-now").isEnabled, "the button")
            self.person.press("Space")
        else:
            self.person.click("plan-approve-now")
        wait_for(lambda: self.pending() < before, f"the decision about {kind}", _PATIENCE)
        self.person.wait_until_on("take_back")

    def approve_one(self) -> None:
        """The current step, once it has been looked at; then the next one stands there."""
        desk = self.person.desk
        step = desk.queue.current_step
        assert step is not None
        wait_for(lambda: desk.shown.painted_revision == desk.choices.key, f"the lines of {step.target}")
        for matter in desk.consent.missing(step):
            self._accept(f"{matter.name.lower()}-accept")
        self.person.wait_until_on("approve_step")
        why = desk.can(Action.APPROVE_STEP)
        assert not why, f"{step.target}: {why}"
        let_pass(_LOOKED_AT)
        left = self.pending()
        self._left, self._pressed = step.number, time.perf_counter()
        self._press("A", "step-approve_step")
        wait_for(lambda: self.pending() < left or desk.queue.current_step is not step, step.target, _PATIENCE)
        if self.pending():
            wait_for(lambda: not self._left, f"what follows {step.target}", _PATIENCE)

    def _note_next(self) -> None:
        """As soon as the next file's lines are painted."""
        if self._left and self._stands_on_another(self._left):
            self.pace.next_file.append(time.perf_counter() - self._pressed)
            self._left = 0

    def _accept(self, button: str) -> None:
        """What the step's banner asks about before it can be approved."""
        if not self.by_keys:
            self.person.click(button)
            return
        self.person.find(button)
        while self.person.focused().objectName() != button:
            self.person.press("Tab")
        self.person.press("Space")

    def _stands_on_another(self, number: int) -> bool:
        desk = self.person.desk
        now = desk.queue.current_step
        return now is not None and now.number != number and desk.shown.painted_revision == desk.choices.key

    def _press(self, key: str, button: str) -> None:
        if self.by_keys:
            self.person.press(key)
        else:
            self.person.click(button)

    def go_to_the_first(self) -> None:
        """Of what is still to be decided."""
        plan = self.person.desk.queue.plans[0]
        first = next(step for step in plan.steps if step.state is StepState.PENDING)
        if self.by_keys:
            while not self._is_pending():
                self.person.press("J")
        else:
            self.person.click_step(plan.id, first.number)
        self.person.wait_until_on("approve_step")

    def _is_pending(self) -> bool:
        step = self.person.desk.queue.current_step
        return step is not None and step.state is StepState.PENDING

    def apply(self) -> None:
        self.person.wait_until_on("apply")
        self._press("Ctrl+Shift+Return", "toolbar-apply")
        wait_for(lambda: self.person.history_states() == ["applied"], "it in the history", _PATIENCE)

    def take_back(self) -> None:
        self.person.wait_until_on("undo_last")
        self._press("Ctrl+Alt+Z", "status-undo")
        wait_for(lambda: len(self.person.history_states()) == 2, "the rollback in the history", _PATIENCE)


def review(folder: Path, versions: Versions, diff: Path, *, by_keys: bool) -> None:
    """Go through all of it once, and say what it took."""
    project = folder / "project"
    shutil.copytree(versions.old, project)
    os.environ.update(STUDIO_STATE_DIR=str(folder / "state"), STUDIO_CONFIG_DIR=str(folder / "config"))
    words = [
        sys.executable,
        "-m",
        "studio",
        "--json",
        "submit",
        str(diff),
        "--title",
        "Django 4.2.16 to 5.0.9",
    ]
    done = subprocess.run(words, cwd=project, check=True, capture_output=True)
    told = json.loads(done.stdout)
    plan, expected = str(told["plan"]), expected_after(told["steps"], versions)
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    with qasync.QEventLoop(app) as loop:
        asyncio.set_event_loop(loop)
        desktop = Desktop(app, loop)
        person = desktop.open(project)
        pauses = GarbagePauses(app)  # as in the program
        pauses.begin()
        person.click_step(plan)
        wait_for(lambda: person.sees("plan-pane"), "the plan")
        own = Review(person, by_keys=by_keys)
        steps = own.pending()
        own.approve_kind(KIND)
        print(f"  {KIND}: {steps - own.pending()} of {steps} decided, {own.hands.presses} presses")
        own.go_to_the_first()
        alone = own.pending()
        while own.pending():
            own.approve_one()
        print(f"  {alone} files by themselves: {own.hands.presses} presses; {own.pace.words()}")
        own.apply()
        assert contents(project) == expected, "what was applied is another release"
        own.take_back()
        assert contents(project) == contents(versions.old), "what was taken back is another release"
        print(f"  applied, as the release to the byte, and taken back: {own.hands.presses} presses")
        pauses.end()
        desktop.close()
        asyncio.set_event_loop(None)


def main(ways: list[str]) -> None:
    """Both ways of pressing, unless one is named."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        old, new = folder / "old", folder / "new"
        for (name, sha256), tree in zip(RELEASES.items(), (old, new), strict=True):
            zipfile.ZipFile(wheel(name, sha256)).extractall(tree)
            for about in tree.glob("*.dist-info"):
                shutil.rmtree(about)
        diff = folder / "release.diff"
        versions = Versions("Django", old, new, git_diff(old, new, folder / "git"))
        diff.write_bytes(versions.diff)
        for way in ways or ["keys", "mouse"]:
            print(f"By {way}:")
            (folder / way).mkdir()
            review(folder / way, versions, diff, by_keys=way == "keys")


if __name__ == "__main__":
    main(sys.argv[1:])
