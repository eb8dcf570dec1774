"""An agent that waits is heard outside of the window, too; nothing is decided there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, Plan
from studio.ui.app.application import Session
from studio.ui.settings import Settings
from tests.doors.conftest import set_configuration
from tests.journeys.hands import wait_for
from tests.ui.shell.test_sessions import propose_waiting, waiting

ROOT = Path(__file__).parents[3]


@dataclass
class Heard:
    """What the desktop was told."""

    shown: list[tuple[str, str, str]] = field(default_factory=list)
    counts: list[tuple[int, str]] = field(default_factory=list)
    pressed: Callable[[], None] | None = None

    def show(self, name: str, title: str, words: str, pressed: Callable[[], None]) -> None:
        self.shown.append((name, title, words))
        self.pressed = pressed

    def count(self, waiting: int, words: str, pressed: Callable[[], None]) -> None:
        self.counts.append((waiting, words))


@pytest.fixture
def heard(qapp: QApplication, runner: Any, bench: Any) -> Iterator[tuple[Heard, Any]]:
    """What is heard of a window that is open on the bench's project, and is not in front."""
    session, told = Session(qapp, runner, Settings(None), clock=bench.clock), Heard()
    session.start_theme("light")
    session.load_after_paint()
    session.report_waiters(told)
    control = session.open_window(bench.root)
    yield told, control
    session.close_all()
    session.close()
    session.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def plan(bench: Any) -> Callable[..., Plan]:
    def propose(agent: str = "claude-code") -> Plan:
        session = bench.agent.proposer.open_session(agent, "hook", name=agent)
        step = DraftStep(Operation.CREATE, f"{agent}.txt", content=b"x\n")
        return propose_waiting(bench, session, f"A file of {agent}", step)

    return propose


def test_a_plan_that_an_agent_waits_for_is_told_once(heard: Any, bench: Any, plan: Any) -> None:
    told, control = heard
    made = plan()
    control.desk.poll()
    assert told.shown == [], "nobody waits yet"
    with waiting(bench, made):
        control.desk.poll()
        control.desk.poll()
        title = "claude-code is waiting in tidewatch"
        assert told.shown == [(made.id, title, "Proposes: A file of claude-code")]
        assert told.counts[-1] == (1, "1 agent waiting")
        words = control.panes.queue.model.agent_words(control.desk.queue.plans[0])
        assert words == "claude-code is waiting"
    control.desk.poll()
    assert told.counts[-1][0] == 0
    assert control.panes.queue.model.agent_words(control.desk.queue.plans[0]) == "claude-code, disconnected"


def test_a_call_is_told_and_its_notification_only_raises_the_window(heard: Any, bench: Any) -> None:
    told, control = heard
    proposer = bench.agent.proposer
    call = proposer.ask(proposer.open_session("codex", "hook"), "Bash", command="make")
    control.desk.poll()
    assert told.shown == [(call.id, "codex is waiting in tidewatch", "Wants to use Bash.")]
    assert not control.window.isVisible()
    told.pressed()
    assert control.window.isVisible()
    assert proposer.call(call.id).state.value == "waiting"


def test_what_waited_before_the_window_was_open_is_counted_and_no_news(
    qapp: QApplication, runner: Any, bench: Any, plan: Any
) -> None:
    with waiting(bench, plan()):
        session, told = Session(qapp, runner, Settings(None), clock=bench.clock), Heard()
        session.start_theme("light")
        session.load_after_paint()
        session.open_window(bench.root)
        session.report_waiters(told)
        assert told.shown == [] and told.counts[-1] == (1, "1 agent waiting")
        session.close_all()
        assert told.counts[-1][0] == 0
        session.close()


def test_a_plan_for_which_a_command_waits_is_counted(heard: Any, bench: Any) -> None:
    told, control = heard
    text = b'{"title": "By a script", "steps": [{"op": "create", "path": "new.txt", "content": "x\\n"}]}'
    words = ["--project", str(bench.root), "submit", "--agent", "mybot", "--wait", "--timeout", "60"]
    command = [sys.executable, "-m", "studio", *words]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as waiting:
        assert waiting.stdin is not None
        waiting.stdin.write(text)
        waiting.stdin.close()
        wait_for(lambda: control.desk.poll() or told.counts[-1] == (1, "1 agent waiting"), "the count")
        assert [title for _, title, _ in told.shown] == ["mybot is waiting in tidewatch"]
        made = next(plan for plan in control.desk.queue.plans if plan.agent == "mybot")
        assert control.panes.queue.model.agent_words(made) == "mybot is waiting"
        waiting.kill()
    wait_for(lambda: control.desk.poll() or told.counts[-1][0] == 0, "the count without it")
    made = next(plan for plan in control.desk.queue.plans if plan.agent == "mybot")
    assert control.panes.queue.model.agent_words(made) == "mybot"


def test_an_agent_can_be_kept_quiet(heard: Any, bench: Any, plan: Any) -> None:
    told, control = heard
    set_configuration("notify: {claude-code: false, codex: true}")
    with waiting(bench, plan()), waiting(bench, plan("codex")):
        control.desk.poll()
        assert [title for _, title, _ in told.shown] == ["codex is waiting in tidewatch"]
        assert told.counts[-1] == (2, "2 agents waiting")


_SHOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication
from studio.ui.app.attention import Notifications
app = QApplication([])
made = Notifications(app, QIcon())
def pressed():
    print("pressed", flush=True)
    app.quit()
made.show("id", "claude-code is waiting", "It proposes: <b>x</b>", pressed)
QTimer.singleShot(30_000, app.quit)
app.exec()
"""


@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="no bus of messages is here")
def test_the_desktop_s_portal_is_told_and_says_what_was_pressed(tmp_path: Any) -> None:
    """On a bus of its own, with a portal that presses every notification."""
    (tmp_path / "show.py").write_text(_SHOW)
    both = (
        f"{sys.executable} -m tests.tools.portal > portal.txt & "
        "until grep -q ready portal.txt; do sleep 0.05; done; "
        f"{sys.executable} show.py; kill %1"
    )
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", both],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "pressed" in done.stdout, done.stderr
    name, said = json.loads((tmp_path / "portal.txt").read_text().splitlines()[1])
    assert (name, said["title"], said["body"]) == ("id", "claude-code is waiting", "It proposes: <b>x</b>")
