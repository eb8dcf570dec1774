"""What others write is listed by itself: a process of the window looks, however it fares."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from studio.engine.plan import StepState
from studio.ui.actions.action import Action
from studio.ui.review.observed import THREAD
from studio.workspace import Workspace
from tests.doors.awaited import soon
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

WOKEN_SECONDS = 10.0


@pytest.fixture
def is_observing() -> bool:
    return True


def has_baseline(root: Path) -> bool:
    workspace = Workspace.open(root)
    try:
        return workspace.observed.has_baseline
    finally:
        workspace.close()


def opened(harbour: Harbour, desktop: Desktop) -> Person:
    """A window whose project is known as it is."""
    person = desktop.open(harbour.root)
    wait_for(lambda: has_baseline(harbour.root), "the baseline")
    return person


def write_from_outside(harbour: Harbour, name: str, text: str) -> None:
    """Put a whole file in place: a look between open and write would find an empty one."""
    new = harbour.texts / f"{name}.new"
    new.write_text(text)
    subprocess.run(["mv", new, harbour.root / name], check=True)
    harbour.on_write(name)


def listed(person: Person) -> list[str]:
    return sorted(change.target for row in person.desk.observed.rows for change in row.changes)


def looking_processes() -> list[int]:
    running = multiprocessing.active_children()
    return [each.pid for each in running if each.name == THREAD and each.pid is not None]


def test_what_others_write_is_listed_also_while_no_window_is_open_and_no_process_looks(
    harbour: Harbour, desktop: Desktop
) -> None:
    """P23: a step that they wrote past the gate is there already, and in the list."""
    before = harbour.read("one.txt")
    plan = harbour.propose("Two", one_txt=lines_with(l3="proposed 3"), two_txt=lines_with(l6="proposed 6"))
    person = opened(harbour, desktop)
    person.click_step(plan, 1)
    person.wait_for_step(1)
    write_from_outside(harbour, "one.txt", lines_with(l3="proposed 3"))
    wait_for(
        lambda: person.desk.queue.plans[0].steps[0].state is StepState.ALREADY_APPLIED, "the step closed"
    )
    wait_for(lambda: not person.find("step-approve_step").isEnabled(), "nothing to approve")
    wait_for(lambda: listed(person) == ["one.txt"], "the change of others")
    person.click_step(plan, 2)
    person.wait_for_step(2)
    person.press("A")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file")
    assert harbour.agent.states(plan) == ["already_applied", "applied"]
    assert harbour.read("two.txt") == lines_with(l6="proposed 6")
    write_from_outside(harbour, "one.txt", before)
    wait_for(lambda: listed(person) == [], "that it is as before")

    (process,) = looking_processes()
    os.kill(process, signal.SIGSTOP)
    waker = threading.Timer(WOKEN_SECONDS, os.kill, (process, signal.SIGCONT))
    waker.start()
    looking = person.control.scan_client
    assert looking is not None
    # Were all these names sent, the window would wait until they are read.
    looking.disk_changed(f"{number}/{'long' * 20}" for number in range(9_999))
    assert waker.is_alive(), "nobody had to wake it"
    waker.cancel()
    waker.join()
    write_from_outside(harbour, "one.txt", "while it was stopped\n")
    os.kill(process, signal.SIGCONT)
    wait_for(lambda: listed(person) == ["one.txt"], "what was written meanwhile")
    os.kill(process, signal.SIGKILL)
    write_from_outside(harbour, "two.txt", "while there was none\n")
    wait_for(lambda: listed(person) == ["one.txt", "two.txt"], "what another process looked for")

    person.window.close()
    wait_for(lambda: not looking_processes(), "the end of the looking process")
    write_from_outside(harbour, "three.txt", "while all was closed\n")
    person = desktop.open(harbour.root)
    wait_for(lambda: listed(person) == ["one.txt", "three.txt", "two.txt"], "what was written meanwhile")

    looking = person.control.scan_client
    assert looking is not None
    said: list[str] = []
    looking.failed.connect(lambda message, _hint: said.append(message))

    def kill_all() -> bool:
        for process in looking_processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return bool(said)

    wait_for(kill_all, "that nothing is observed any more")
    assert said == ["Outside changes are no longer listed because the scanner keeps stopping unexpectedly."]


def test_what_was_stopped_or_cannot_be_looked_at_is_said_and_made_later(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipes in git's places, no room, a folder of snapshots that is none, damaged objects."""
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    (harbour.root / ".git").mkdir()
    for place in (
        harbour.root / ".git/config",
        harbour.root / ".git/HEAD",
        Path(os.environ["HOME"], ".gitconfig"),
    ):
        os.mkfifo(place)
    for number in range(12):
        (harbour.root / f"{number}.bin").touch()
        os.truncate(harbour.root / f"{number}.bin", 64 << 20)
    config = Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml")
    config.write_text("observe: {bytes: 1}\n")
    person = desktop.open(harbour.root)
    person.wait_until_said("snapshots are limited to 1 bytes")
    assert not has_baseline(harbour.root)
    person.window.close()
    config.unlink()

    person = desktop.open(harbour.root)
    wait_for(lambda: person.sees("status-busy"), "how far it is")
    assert "Indexing project:" in person.find("status-busy").text()
    person.click("status-stop")
    person.wait_until_said("outside changes are not listed")
    assert not person.sees("status-busy") and not has_baseline(harbour.root)
    person.control.trigger(Action.DOCK_2)
    assert "was stopped" in person.find("observed-list").empty_text
    looking = person.control.scan_client
    assert looking is not None
    looking.disk_changed(["one.txt"])
    assert not looking.is_busy, "what changes begins it no more"
    for number in range(12):
        os.truncate(harbour.root / f"{number}.bin", number)
    write_from_outside(harbour, "one.txt", "while it was stopped\n")
    person.control.trigger(Action.RESCAN_OBSERVED)
    person.wait_until_said("Scanned the whole project")
    before = sorted([*(f"{number}.bin" for number in range(12)), "one.txt"])
    wait_for(lambda: listed(person) == before, "what changed since all files were found")
    assert all(change.is_before_unknown for row in person.desk.observed.rows for change in row.changes)
    write_from_outside(harbour, "two.txt", "by others\n")
    wait_for(lambda: listed(person) == [*before, "two.txt"], "the change")
    assert "changed without a plan are listed here" in person.find("observed-list").empty_text

    (folder,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/snapshots.git")
    aside = folder.rename(folder.with_name("aside"))
    folder.write_text("no folder")
    write_from_outside(harbour, "three.txt", "by others\n")
    told = person.find("observed-list")
    wait_for(lambda: told.empty_text and told.empty_text in person.said(), "why it is not listed")
    folder.unlink()
    aside.rename(folder)
    person.control.trigger(Action.RESCAN_OBSERVED)
    wait_for(lambda: "three.txt" in listed(person), "the change")
    assert len(looking_processes()) == 1

    for file in folder.glob("objects/??/*"):
        file.chmod(0o600)
        os.truncate(file, 5)
    write_from_outside(harbour, "two.txt", lines_with(l3="not to be told any more"))
    person.wait_until_said("What was kept of the project is gone or damaged")
    write_from_outside(harbour, "four.txt", lines_with(l3="by others"))
    wait_for(lambda: "four.txt" in listed(person), "the change after that")


def processes_below(number: int) -> list[int]:
    """The processes that this one started, and those they started."""
    found: list[int] = []
    pending = [number]
    while pending:
        at = pending.pop()
        for children in Path(f"/proc/{at}/task").glob("*/children"):
            with suppress(OSError):
                pending += map(int, children.read_text().split())
        found.append(at)
    return found[1:]


def test_a_window_that_is_killed_leaves_no_process(harbour: Harbour) -> None:
    subprocess.run(["git", "init", "-q"], cwd=harbour.root, check=True)
    command = [sys.executable, "-m", "studio", str(harbour.root)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(command, env=environment, start_new_session=True) as window:
        try:
            soon(lambda: has_baseline(harbour.root), 60)
            below = processes_below(window.pid)
        finally:
            window.kill()
    assert len(below) >= 2, "who looks, and who reads git's data"
    soon(lambda: not any(is_running(each) for each in below))


def is_running(number: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
