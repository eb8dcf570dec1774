"""Several windows, one bell: what other processes ring for is seen at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.__main__ import main
from studio.doors.connect import carry_out, client_of, plan_connection, plan_removal
from studio.doors.doctor import gate_statuses
from studio.extras.observed import inotify_tree
from studio.program.notify_socket import NotifyListener, hand_over
from studio.ui.actions.action import Action
from studio.ui.app.application import Gates, Session
from studio.ui.look.theme import theme
from studio.ui.review import desk
from studio.ui.review.state import Tone
from studio.ui.settings import Settings
from studio.workspace import Workspace
from tests.tools.idle import run_until_idle

_RUN = (
    "import sys; from pathlib import Path; from studio.ui.app.main import run;"
    "sys.exit(run([Path(sys.argv[2])], project=Path(sys.argv[1])))"
)


@pytest.fixture
def session(qapp: QApplication, runner: Any) -> Iterator[Session]:
    made = Session(qapp, runner, Settings(None))
    made.start_theme("light")
    made.load_after_paint()
    made.listen()
    yield made
    made.close_all()
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def open_on(session: Session, root: Path) -> Any:
    control = session.open_window(root)
    control.window.show()
    # Activation looks at the store by itself, which is not what these tests are about.
    QTest.qWaitForWindowActive(control.window)
    run_until_idle()
    return control


def test_the_bell_shows_a_new_plan_at_once(
    session: Session, bench: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "WINDOW_POLL_SECONDS", 3600)  # a look at the store would find it as well
    control = open_on(session, bench.root)
    bench.propose_three()
    assert control.desk.queue.plans == (), "a process does not ring for itself"
    program = "import sys; from studio.program.notify_socket import notify; notify(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, f"changed {control.key}"], timeout=60, check=True)
    qtbot.waitUntil(lambda: len(control.desk.queue.plans) == 1, timeout=1000)


def test_a_bell_for_another_project_is_not_for_this_window(
    session: Session, bench: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    drain = NotifyListener.drain

    def noting(bell: NotifyListener) -> list[str]:
        messages = drain(bell)
        heard.extend(messages)
        return messages

    monkeypatch.setattr(NotifyListener, "drain", noting)
    monkeypatch.setattr(desk, "WINDOW_POLL_SECONDS", 3600)
    control = open_on(session, bench.root)
    bench.propose_three()
    hand_over("changed 00000000000000000000000000000000")
    hand_over("something nobody knows")
    hand_over("")
    qtbot.waitUntil(lambda: len(heard) == 3)
    run_until_idle()
    assert control.desk.queue.plans == ()


def test_opening_a_project_again_brings_its_window_back(
    session: Session, bench: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    open_on(session, bench.root)
    hand_over(f"open {bench.root}")
    other = tmp_path / "other"
    other.mkdir()
    hand_over(f"open {other}")
    qtbot.waitUntil(lambda: len(session.controls) == 2, timeout=1000)
    assert [control.root_path for control in session.controls] == [bench.root, other]


def test_a_window_with_the_start_page_takes_the_project(session: Session, bench: Any, qtbot: QtBot) -> None:
    """No empty window is left behind the one that was asked for."""
    session.open_window(None)
    hand_over(f"open {bench.root}")
    qtbot.waitUntil(lambda: [control.root_path for control in session.controls] == [bench.root], timeout=1000)


def test_a_second_start_hands_its_files_to_the_first(
    session: Session, bench: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    """`studio --project DIR FILE.diff` while a window is open: one process, and the plan is in it."""
    control = open_on(session, bench.root)
    diff = tmp_path / "first line.diff"
    diff.write_text("--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-line 1\n+first\n")
    second = subprocess.run(
        [
            sys.executable, "-c",
            _RUN,
            str(bench.root), str(diff),
        ],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (second.returncode, second.stdout) == (0, "")
    assert "opened in the running window" in second.stderr
    qtbot.waitUntil(lambda: len(control.desk.queue.plans) == 1, timeout=2000)
    assert control.desk.queue.plans[0].steps[0].path == "two.txt"
    assert len(session.controls) == 1


@pytest.mark.parametrize("is_watching", [True, False], ids=["watched", "before the watching began"])
def test_a_file_that_changes_on_disk_turns_its_step_stale(
    session: Session, bench: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, *, is_watching: bool
) -> None:
    """By the watcher alone: nobody rings, nobody polls."""
    monkeypatch.setattr(desk, "WINDOW_POLL_SECONDS", 3600)

    def change(*_: object) -> None:
        (bench.root / "one.txt").write_text("changed by somebody\n")

    if not is_watching:
        monkeypatch.setattr(Workspace, "listen", change)
    bench.propose_three()
    control = open_on(session, bench.root)  # it watches then: this runner does everything at once
    if is_watching:
        change()
    qtbot.waitUntil(lambda: control.desk.queue.plans[0].stale, timeout=5000)
    assert control.desk.queue.current_step.state.value == "stale"


def test_what_keeps_the_tree_from_being_watched_is_said(
    session: Session, bench: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError(24, "inotify instance limit reached")

    monkeypatch.setattr(inotify_tree, "InotifyFD", fail)
    control = open_on(session, bench.root)
    status = control.window.status
    qtbot.waitUntil(lambda: "max_user_instances" in status.sentence.text(), timeout=5000)
    assert status.message.tone is Tone.WARNING


def test_the_session_ends_with_its_last_window(session: Session, bench: Any, tmp_path: Path) -> None:
    ended: list[bool] = []
    session.ended.connect(lambda: ended.append(True))
    first = open_on(session, bench.root)
    other = tmp_path / "other"
    other.mkdir()
    second = open_on(session, other)
    first.window.close()
    assert ended == []
    second.window.close()
    assert ended == [True]


def test_a_theme_is_remembered(session: Session, bench: Any) -> None:
    control = open_on(session, bench.root)
    control.actions.trigger(Action.DARK)
    assert theme().name == "dark"
    assert control.actions["dark"].isChecked()
    control.actions.trigger(Action.COLOUR_BLIND)
    assert theme().colour_blind
    session.start_theme(None)
    assert (theme().name, theme().colour_blind) == ("dark", True)
    control.actions.trigger(Action.COLOUR_BLIND)
    session.start_theme("light")
    assert theme().name == "light"


@pytest.mark.parametrize("words", [["nowhere"], ["nowhere/at/all.diff"]])
def test_a_path_that_is_not_there_ends_with_4(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["studio", *words])
    assert main() == 4
    assert words[0] in capsys.readouterr().err


def test_without_a_display_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys, "argv", ["studio"])
    assert main() == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert "no display" in message


def test_every_window_says_what_the_gates_are_worth(
    qapp: QApplication, session: Session, bench: Any, qtbot: QtBot, private_folders: Path
) -> None:
    """Looked at through the very function that the program hands in: connected, and never tried."""
    second, third = private_folders / "second", private_folders / "third"
    second.mkdir()
    third.mkdir()
    controls = [open_on(session, bench.root), open_on(session, second)]
    (private_folders / "home").mkdir(exist_ok=True)
    assert [control.window.toolbar.gate_indicator.words() for control in controls] == ["Checking gates…"] * 2
    carry_out(plan_connection(client_of("claude-code")))
    session.watch_gates(gate_statuses)
    qtbot.waitUntil(lambda: controls[1].window.toolbar.gate_indicator.words() == "Not verified", timeout=2000)
    assert controls[0].window.toolbar.gate_indicator.detail() == "claude-code"
    assert "not tested yet" in controls[0].window.toolbar.gate_indicator.toolTip()
    assert open_on(session, third).window.toolbar.gate_indicator.words() == "Not verified"
    broken = private_folders / "broken"
    broken.mkdir()
    (broken / "studio.yaml").write_text("limits: many\n")
    refused = open_on(session, broken)
    qtbot.waitUntil(refused.window.notice.isVisible, timeout=2000)
    assert refused.window.toolbar.gate_indicator.words() == "Not verified", "its project is not opened"
    (third / ".claude").mkdir()
    (third / ".claude/settings.local.json").write_text('{"disableAllHooks": true}')
    # Its project is watched: nobody need come to the front.
    qtbot.waitUntil(
        lambda: controls[0].window.toolbar.gate_indicator.words() == "Not protected", timeout=5000
    )
    assert "settings.local.json" in controls[0].window.toolbar.gate_indicator.toolTip()
    carry_out(plan_removal(client_of("claude-code")))
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    qtbot.waitUntil(
        lambda: controls[0].window.toolbar.gate_indicator.words() == "No agent connected", timeout=2000
    )
    # Nobody comes to the front: each minute it looks by itself.
    minute = next(each for each in session.findChildren(QTimer) if isinstance(each.parent(), Gates))
    assert minute.isActive() and minute.interval() == 60_000
    carry_out(plan_connection(client_of("claude-code")))
    minute.timeout.emit()
    qtbot.waitUntil(
        lambda: controls[0].window.toolbar.gate_indicator.words() == "Not protected", timeout=2000
    )
