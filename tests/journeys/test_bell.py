"""One message wakes the window and all commands that wait, and nobody for what they did themselves."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time

import pytest

from studio.engine.plan import PlanState
from studio.program.notify_paths import socket_path, socket_paths
from studio.program.notify_socket import NotifyListener
from studio.ui.review import desk as desk_module
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with


class ExitTime:
    """When a process ended, noticed by a thread that does nothing else."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.at = 0.0
        self._descriptor = os.pidfd_open(process.pid)
        self._thread = threading.Thread(target=self._wait, name="exit-time")
        self._thread.start()

    def _wait(self) -> None:
        select.select([self._descriptor], [], [])
        self.at = time.monotonic()

    def close(self) -> None:
        self._thread.join()
        os.close(self._descriptor)


class Waiting:
    """A command that waits, and looks by itself every ten minutes only."""

    def __init__(self, harbour: Harbour, *words: str) -> None:
        program = (
            "from studio import limits; limits.WAIT_POLL_SECONDS = 600\n"
            "import sys; from studio.__main__ import main; sys.exit(main())"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *words], cwd=harbour.root, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._exit = ExitTime(self.process)

    def end(self) -> tuple[int, str, float]:
        """Its exit code, what it printed, and when it ended."""
        wait_for(lambda: self.process.poll() is not None, "the end of the waiting")
        said, _ = self.process.communicate()
        self._exit.close()
        return self.process.returncode, said, self._exit.at


def test_one_ring_wakes_who_waits_and_nobody_for_what_they_did_themselves(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks by themselves before ten minutes are over; a command that was killed while it waited
    leaves its bell, which the next ring takes down."""
    monkeypatch.setattr(desk_module, "WINDOW_POLL_SECONDS", 600.0)
    withdrawn = harbour.propose_three()
    plan = harbour.propose("One line", two_txt=lines_with(l6="changed 6"))
    person = desktop.open(harbour.root)
    assert len(socket_paths()) == 1
    text = harbour.texts / "0.json"
    waiting = [
        Waiting(harbour, "wait", withdrawn),
        Waiting(harbour, "submit", str(text), "--title", "Once more", "--wait", "600"),
    ]
    other, killed = Waiting(harbour, "wait", plan), Waiting(harbour, "wait", plan)
    wait_for(lambda: len(socket_paths()) == 5, "the bells of the commands")
    killed.process.kill()
    killed.end()
    assert len(socket_paths()) == 5 and all(each.process.poll() is None for each in waiting)
    left: list[float] = []
    person.desk.queue.plans_changed.connect(lambda: left.append(time.monotonic()))
    withdrawing = harbour.agent.start("withdraw", withdrawn)
    watched = ExitTime(withdrawing)
    ended = [each.end() for each in waiting]
    wait_for(lambda: person.desk.queue.plans[0].state is PlanState.CANCELLED, "the withdrawn plan")
    wait_for(lambda: withdrawing.poll() is not None, "the end of withdraw")
    watched.close()
    assert [(code, "cancelled" in said) for code, said, _ in ended] == [(1, True), (1, True)]
    print("after the end of withdraw, ms: commands", *(round((at - watched.at) * 1000) for *_, at in ended))
    print("window", round((left[-1] - watched.at) * 1000))
    assert max(*(at for *_, at in ended), left[-1]) - watched.at < 2.0

    rung: list[str] = []
    drain = NotifyListener.drain

    def noting(bell: NotifyListener) -> list[str]:
        messages = drain(bell)
        rung.extend(messages)
        return messages

    person.click_step(plan, 1)
    person.wait_for_step(1)
    monkeypatch.setattr(NotifyListener, "drain", noting)
    person.click("step-approve_step")
    person.wait_until_on("apply")
    assert other.process.poll() is None
    person.click("toolbar-apply")
    code, said, at = other.end()
    assert (code, "completed" in said) == (0, True)
    person.wait_until_said("Applied 1 file from “One line”.")
    print("after the apply was said, ms:", round((at - time.monotonic()) * 1000))
    assert rung == [], "what the window wrote is no news to it"
    assert list(socket_paths()) == [socket_path(os.getpid())]
