"""Some journeys on an X server with a window manager: `python -m tests.journeys.xvfb [PICTURE.png]`.

Needs Xvfb, openbox, xdotool, setxkbmap and dbus-monitor. Mouse and keyboard go through the X server, so that
activation, focus and key repeat are the real ones. With a file name, a picture of the screen is written to
it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from studio.ui.widgets.painting import key_hint
from studio.workspace import Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import XHands, let_pass, wait_for
from tests.journeys.harbour import Harbour, lines_with

PICTURE = "STUDIO_JOURNEY_PICTURE"
"""Environment variable: the file that a picture of the whole screen is written to."""
_SCREEN = "1600x1000x24"
_HERE = Path(__file__).parent
_JOURNEYS = (
    "xvfb.py",
    "test_deciding.py",
    "test_moving_on.py",
    "test_typing_in_the_diff.py",
    "test_stale.py",
    "test_history.py::test_a_rollback_takes_chosen_files_is_rolled_back_and_leaves_what_changed_since",
    "test_long_talk.py",
    "test_guards.py",
)


def main(words: list[str]) -> int:
    """Run the journeys; returns pytest's exit code."""
    with screen() as environment:
        if environment is None:
            return 2
        if words:
            environment[PICTURE] = str(Path(words[0]).absolute())
        tests = [str(_HERE / journey) for journey in _JOURNEYS]
        command = [sys.executable, "-m", "pytest", "-q", f"--basetemp={environment['XDG_RUNTIME_DIR']}/t"]
        whole = [*command, *tests]
        return subprocess.run(whole, cwd=_HERE.parents[1], env=environment, check=False).returncode


@contextmanager
def screen() -> Iterator[dict[str, str] | None]:
    """The environment of programs on an X server with a window manager; None, and a sentence on stderr, where
    that is not installed."""
    missing = [
        name
        for name in ("Xvfb", "openbox", "xdotool", "setxkbmap", "dbus-monitor")
        if shutil.which(name) is None
    ]
    if missing:
        print(f"Install {', '.join(missing)} first.", file=sys.stderr)
        yield None
        return
    with _display() as display, tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_RUNTIME_DIR": home}
        window_manager = subprocess.Popen(["openbox"], env={**environment, "HOME": home})
        try:
            yield environment
        finally:
            window_manager.terminate()
            window_manager.wait()


@contextmanager
def _display() -> Iterator[str]:
    """An X server on a free display."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", _SCREEN, "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


# Journeys that need both


@pytest.fixture
def hands(desktop: Desktop) -> XHands:
    assert QGuiApplication.platformName() == "xcb", "python -m tests.journeys.xvfb starts what this needs"
    return XHands()


def test_a_letter_that_is_held_down_approves_one_step(
    harbour: Harbour, desktop: Desktop, hands: XHands
) -> None:
    """The X server repeats the key well beyond the dead time."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    hands.hold("a", 2.5)
    assert harbour.agent.states(plan) == ["approved", "pending", "pending"]
    person.wait_for_step(2)
    person.click_on(person.panes.pages.step.diff.canvas.viewport())  # after repeats single keys wait
    person.press("A")
    person.wait_for_step(3)
    if picture := os.environ.get(PICTURE):
        screen = QGuiApplication.primaryScreen()
        assert screen.grabWindow(0).save(str(Path(picture)))


def test_the_click_through_the_window_manager_activates_and_decides_nothing(
    harbour: Harbour, desktop: Desktop, hands: XHands
) -> None:
    """The window manager hands the click on to the window it has just brought to the front."""
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


@pytest.fixture(params=["us", "ru,us", "us,gr", "il,us", "us,il", "ara,us", "ru", "gr", "il", "ara", "ir"])
def layout(request: pytest.FixtureRequest) -> Iterator[str]:
    """Keyboard layouts, of which the first is in hand."""
    choose = ["setxkbmap", "-option", "", "-layout"]
    subprocess.run([*choose, request.param], check=True)
    yield request.param
    subprocess.run([*choose, "us"], check=True)


HINTS = {"ru": "Ф", "gr": "\N{GREEK CAPITAL LETTER ALPHA}", "il": "ש", "ara": "ش", "ir": "ش"}


def test_letter_keys_work_in_layouts_of_other_scripts(
    harbour: Harbour, desktop: Desktop, hands: XHands, layout: str
) -> None:
    """Keys are pressed by their code: where A, X and J are on a US keyboard."""
    plan = harbour.propose("Lines", one_txt=lines_with(l3="a", l30="z"), two_txt=lines_with(l3="a"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    let_pass(0.7)
    choices = person.desk.choices
    person.press("Shift+53")
    wait_for(lambda: choices.current.get(2) is False, "only the first hunk")
    person.press("Shift+53")
    wait_for(lambda: not choices.current.named, "both hunks")
    person.press("53")
    wait_for(lambda: choices.current.get(1) is False, "all but the first hunk")
    person.press("Shift+38")
    let_pass(0.5)
    assert harbour.agent.states(plan) == ["pending", "pending"], "Shift and A decide nothing"
    person.press("44")
    person.wait_for_step(2)
    let_pass(0.7)
    person.press("38")
    wait_for(lambda: harbour.agent.states(plan) == ["pending", "approved"], "the step approved")
    assert key_hint("A") == HINTS.get(layout, "A")
    assert key_hint("Shift+X").startswith("Shift+")


def test_the_count_of_waiting_agents_goes_to_the_taskbar(harbour: Harbour, tmp_path: Path) -> None:
    """The window on a message bus of its own, as Qt drops a signal whose path it built of an unfit name."""
    picture = tmp_path / "window.png"
    program = f"{sys.executable} -m studio {harbour.root} --screenshot {picture}"
    watch = "dbus-monitor --session interface=com.canonical.Unity.LauncherEntry"
    with closing(Workspace.open(harbour.root)) as workspace:
        workspace.proposer.ask(workspace.proposer.open_session("codex", "hook"), "Bash", command="make")
        done = subprocess.run(
            ["dbus-run-session", "--", "bash", "-c", f"{watch} & {program} >&2; sleep 1; kill $!"],
            cwd=_HERE.parents[1], capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert picture.exists(), done.stderr
    assert "application://org.exacta.Studio.desktop" in done.stdout, done.stderr
    assert re.search(r'"count"\s+variant\s+int64 1\b', done.stdout), done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
