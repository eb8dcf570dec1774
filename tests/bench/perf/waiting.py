"""`python -m tests.perf.waiting [AGENTS]`: the window while so many agents propose at once, and wait (50).

Each agent is a process of its own. A heartbeat of 1 ms tells how late the window's event loop comes back;
its memory is looked at before the first agent and once all of them wait. Exit code 1 when a target is
missed: no stall above 50 ms, at most 2 MB for each agent.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.perf.stalls import Heartbeat, make_project, statement

AGENTS = 50
MEGABYTES_EACH = 2.0
_REST_MS = 3000
"""How long all of them are watched as they wait."""

# One process that has loaded everything and becomes all of them: what is measured is the window's own.
_CROWD = """
import os, sys
from pathlib import Path
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation
from studio.workspace import Workspace
print("there", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    if os.fork() == 0:
        workspace = Workspace.open(Path(sys.argv[1]))
        session = workspace.proposer.open_session("claude-code", "hook", name=f"agent {number}")
        step = DraftStep(Operation.CREATE, f"new_{number}.py", content=b"value = 1\\n" * 100)
        draft = PlanDraft("plan", (step,), f"Agent {number}", "claude-code")
        plan = workspace.proposer.propose(draft, session=session, waits=True)
        workspace.proposer.wait(plan.id)
        os._exit(0)
sys.stdin.readline()
"""


def _megabytes() -> float:
    """What this process holds in memory now."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def measure(root: Path, heartbeat: Heartbeat, agents: int) -> float:
    """Open the window, let the agents come, and watch them wait; the megabytes that each of them takes."""
    import qasync
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from studio.ui.look.theme import FUSION
    from tests.journeys.desktop import Desktop
    from tests.journeys.hands import wait_for

    app = QApplication([*sys.argv[:1], *FUSION, "-platform", "offscreen"])
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(1)
    timer.timeout.connect(heartbeat.beat)
    command = [sys.executable, "-c", _CROWD, str(root), str(agents)]
    with (
        qasync.QEventLoop(app) as loop,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as crowd,
    ):
        asyncio.set_event_loop(loop)
        desktop = Desktop(app, loop)
        try:
            assert crowd.stdin is not None and crowd.stdout is not None
            crowd.stdout.readline()
            person = desktop.open(root)
            queue = person.desk.queue
            QTest.qWait(_REST_MS)
            before = _megabytes()
            heartbeat.during = "the agents come"
            heartbeat.begin()
            timer.start()
            QTest.qWait(1100)  # the first second is not counted
            crowd.stdin.write(b"\n")
            crowd.stdin.flush()
            here = {plan.id for plan in queue.plans}
            wait_for(lambda: len({p.id for p in queue.plans} & queue.waiting - here) == agents, "them", 120)
            heartbeat.during = "they wait"
            QTest.qWait(_REST_MS)
            return (_megabytes() - before) / agents
        finally:
            heartbeat.end()
            timer.stop()
            os.killpg(crowd.pid, 9)
            desktop.close()
            asyncio.set_event_loop(None)


def main(words: list[str]) -> int:
    from tests.bench.perf.processes import environment

    agents = int(words[0]) if words else AGENTS
    with tempfile.TemporaryDirectory(prefix="studio-waiting-", ignore_cleanup_errors=True) as folder:
        os.environ.update(environment(Path(folder)))
        heartbeat = Heartbeat()
        each = measure(make_project(Path(folder), 1), heartbeat, agents)
    said, is_met = statement(heartbeat, {})
    print(f"{agents} agents wait\n{said}")
    is_small = each <= MEGABYTES_EACH
    verdict = "met" if is_small else "missed"
    print(f"  memory for each   {each:6.2f} MB   target <= {MEGABYTES_EACH:g}: {verdict}")
    return 0 if is_met and is_small else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
