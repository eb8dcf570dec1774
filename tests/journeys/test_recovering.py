"""An apply that was really killed, and the window that is started next; also where that can't settle it."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest

from studio.engine.disk import files
from studio.engine.disk.temporary_names import is_temporary
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import NAMES, Harbour, lines_with
from tests.journeys.person import PROCESS_SECONDS, Person

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="strace kills at system calls of Linux")

TABS = 60
"""How often Tab may be pressed at most until the keyboard stands on something."""

BY_SETTING = "applied · decided through your “command_line: allow” setting"

NEW = {
    "one.txt": lines_with(l3="changed 3", l30="changed 30"),
    "two.txt": lines_with(l5="changed 5"),
    "three.txt": lines_with(l7="changed 7"),
}


def _kill_apply(harbour: Harbour, call: str, state: str = "executing") -> str:
    """Apply a plan of three files as a process that is killed at a system call; the plan's id."""
    plan = harbour.propose_three()
    config = Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml")
    config.write_text("review: {command_line: allow}\n")
    harbour.agent.run("approve", plan)
    kill = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"inject={call}"]
    command = [*kill, sys.executable, "-m", "studio", "apply", plan]
    with Popen(command, cwd=harbour.root, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL) as killed:
        wait_for(lambda: killed.poll() is not None, "the kill", PROCESS_SECONDS)
    config.unlink()
    assert harbour.agent.json("show", plan)["state"] == state
    assert _temporaries(harbour)
    return plan


def _texts(harbour: Harbour) -> dict[str, str]:
    return {name: harbour.read(name) for name in NAMES}


def _temporaries(harbour: Harbour) -> list[str]:
    return [path.name for path in harbour.root.iterdir() if is_temporary(path.name)]


def _go_to(person: Person, name: str) -> None:
    """Press Tab until the keyboard stands on the widget of that name."""
    for _ in range(TABS):
        if person.focused().objectName() == name:
            return
        person.press("Tab")
    raise AssertionError(f"{TABS} times Tab did not lead to {name}")


def test_the_next_window_undoes_or_finishes_it_and_asks_about_another_folder(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Killed between two exchanges, and at the first removal of a displaced file, when everything
    is there; the person is told, and presses once."""
    plan = _kill_apply(harbour, "renameat2:signal=KILL:when=2")
    assert not harbour.untouched()
    person = desktop.open(harbour.root)
    person.wait_until_said("An interrupted apply of “Three files” was undone.")
    assert harbour.untouched() and not _temporaries(harbour)
    assert not person.sees("recovery")
    assert harbour.agent.json("show", plan)["state"] == "paused"
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: person.history_states() == [BY_SETTING], "the plan in the history")
    assert _texts(harbour) == NEW
    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    wait_for(lambda: len(person.history_states()) == 2, "the rollback in the history")
    person.window.close()

    _kill_apply(harbour, "unlinkat:signal=KILL:when=1", state="completed")
    person = desktop.open(harbour.root)
    person.wait_until_said("An interrupted apply of “Three files” was finished.")
    assert _texts(harbour) == NEW and not _temporaries(harbour)
    wait_for(lambda: person.history_states()[0] == BY_SETTING, "the plan in the history")
    person.window.close()

    copied = harbour.root.with_name("copied")
    shutil.copytree(harbour.root, copied)
    shutil.rmtree(harbour.root)
    copied.rename(harbour.root)
    person = desktop.open(harbour.root)
    assert "another folder" in person.find("recovery").accessibleName()
    person.click("recovery-settle")
    person.wait_until_said("This folder is now the project folder.")
    assert not person.sees("recovery")
    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    person.click("rollback-write")
    wait_for(harbour.untouched, "the old files in the new folder")


@pytest.fixture
def blocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A disk that does not let a file be put back, until it is mended."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(files, "exchange", refuse)
        yield patch


def test_where_it_cannot_a_person_says_what_comes_next_by_keys(
    harbour: Harbour, desktop: Desktop, blocked: pytest.MonkeyPatch
) -> None:
    """What happened, to which file, what comes next; nothing modal, and Later is an answer too."""
    plan = _kill_apply(harbour, "renameat2:signal=KILL:when=2")
    person = desktop.open(harbour.root)
    strip = person.find("recovery")
    assert "Not everything was restored" in strip.accessibleName() and "one.txt" in strip.accessibleName()
    assert "click “Try again”" in strip.accessibleDescription()
    said = [label.text() for label in person.find("recovery-files").findChildren(type(strip.title))]
    assert len(said) == len(NAMES)
    assert "one.txt has already been written by “Three files”" in said[0]
    assert "two.txt has not been written yet" in said[1]
    _go_to(person, "recovery-settle")
    person.press("Space")
    wait_for(lambda: not person.desk.recovery.is_busy, "the answer of the disk")
    assert person.sees("recovery"), "it still can't be put back"
    assert harbour.agent.json("show", plan)["state"] == "executing"
    _go_to(person, "recovery-later")
    person.press("Space")
    wait_for(lambda: not person.sees("recovery"), "the banner gone")
    assert _temporaries(harbour) and not harbour.untouched(), "Later leaves everything to the next start"
    person.window.close()

    person = desktop.open(harbour.root)
    person.find("recovery")
    blocked.undo()
    _go_to(person, "recovery-settle")
    person.press("Space")
    person.wait_until_said("Resolved 1 interrupted apply.")
    assert not person.sees("recovery")
    assert harbour.untouched() and not _temporaries(harbour)
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: person.history_states() == [BY_SETTING], "the plan in the history")
