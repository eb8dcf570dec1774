"""How soon a plan that another process submits stands in the open window (issue of the first window)."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time

from studio.engine.doorbell import address
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person

AT_ONCE = 0.200
AT_LATEST = 3.0
TIMES = 10


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


def seconds_until_shown(harbour: Harbour, person: Person, number: int) -> float:
    """From the exit of `studio submit` to the moment the queue's model holds its plan; below 0 is before."""
    model = person.panes.queue.model
    arrived: list[float] = []

    def noticed() -> None:
        arrived.append(time.monotonic())

    before = model.rowCount()
    file = harbour.texts / f"new-{number}.diff"
    file.write_text(f"--- /dev/null\n+++ b/new-{number}.txt\n@@ -0,0 +1 @@\n+new\n")
    model.rowsInserted.connect(noticed)
    process = harbour.agent.start("submit", str(file))
    ended = ExitTime(process)
    try:
        wait_for(lambda: ended.at and model.rowCount() > before, "the plan in the queue")
    finally:
        process.wait()
        ended.close()
        model.rowsInserted.disconnect(noticed)
    assert process.returncode == 0
    return arrived[0] - ended.at


def test_the_bell_brings_a_plan_at_once(harbour: Harbour, desktop: Desktop) -> None:
    """Ten of ten within 200 ms of the end of `submit`."""
    person = desktop.open(harbour.root)
    taken = [seconds_until_shown(harbour, person, number) for number in range(TIMES)]
    print("with the bell, ms:", *(round(each * 1000) for each in taken))
    assert max(taken) <= AT_ONCE


def test_without_the_bell_a_plan_comes_with_the_next_look(harbour: Harbour, desktop: Desktop) -> None:
    """The bell may be lost, a plan is not: half of them later than 200 ms, all within 3 s."""
    person = desktop.open(harbour.root)
    address().unlink()
    let_pass(0.3)
    taken = [seconds_until_shown(harbour, person, number) for number in range(TIMES)]
    print("without the bell, ms:", *(round(each * 1000) for each in taken))
    assert sum(each > AT_ONCE for each in taken) >= TIMES // 2
    assert max(taken) <= AT_LATEST
