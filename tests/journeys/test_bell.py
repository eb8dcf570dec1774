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


def seconds_until_shown(harbour: Harbour, person: Person) -> list[float]:
    """From the exit of each `studio submit` to the moment the queue's model holds its plan.

    Below 0 is before the exit. One process follows the other without waiting for the window.
    """
    model = person.panes.queue.model
    arrived: dict[str, float] = {}
    ended: dict[str, float] = {}

    def noticed() -> None:
        for title in person.queue_titles():
            arrived.setdefault(title, time.monotonic())

    model.rowsInserted.connect(noticed)
    for number in range(TIMES):
        title = f"new {number}"
        file = harbour.texts / f"new-{number}.diff"
        file.write_text(f"--- /dev/null\n+++ b/new-{number}.txt\n@@ -0,0 +1 @@\n+new\n")
        process = harbour.agent.start("submit", str(file), "--title", title)
        watched = ExitTime(process)
        try:
            wait_for(lambda process=process: process.poll() is not None, "the end of submit")
        finally:
            process.wait()
            watched.close()
        assert process.returncode == 0
        ended[title] = watched.at
    wait_for(lambda: len(arrived) == TIMES, "every plan in the queue")
    model.rowsInserted.disconnect(noticed)
    return [arrived[title] - ended[title] for title in ended]


def test_the_bell_brings_a_plan_at_once(harbour: Harbour, desktop: Desktop) -> None:
    """Ten of ten within 200 ms of the end of `submit`."""
    person = desktop.open(harbour.root)
    taken = seconds_until_shown(harbour, person)
    print("with the bell, ms:", *(round(each * 1000) for each in taken))
    assert max(taken) <= AT_ONCE


def test_without_the_bell_a_plan_comes_with_the_next_look(harbour: Harbour, desktop: Desktop) -> None:
    """The bell may be lost, a plan is not: half of them later than 200 ms, all within 3 s."""
    person = desktop.open(harbour.root)
    address().unlink()
    let_pass(0.3)
    taken = seconds_until_shown(harbour, person)
    print("without the bell, ms:", *(round(each * 1000) for each in taken))
    assert sum(each > AT_ONCE for each in taken) >= TIMES // 2
    assert max(taken) <= AT_LATEST
