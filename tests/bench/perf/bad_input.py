"""`python -m tests.perf.bad_input [NAME…]`: the real window before input that is far too large, or that goes.

Each trial runs in a process of its own with a heartbeat of 1 ms: printed are what the window said, how long
things took, and every time the loop was held up for more than 16 ms, with the stack that ran. The same trials
run small in `tests/journeys/test_bad_input.py`. Exit code 1 where one does not say or do what it must.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.ui.actions.action import Action
from tests.bench.perf.stalls import WORST_MS, Heartbeat

if TYPE_CHECKING:
    from studio.engine.plan import Plan, StepState
    from studio.ui.review.desk import Desk
    from tests.journeys.desktop import Desktop
    from tests.journeys.person import Person

_PATIENCE_SECONDS = 100.0
_LARGEST = 1 << 30
_TOLD_STALLS = 12
_LOCK_PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@dataclass(slots=True)
class Trial:
    """A project in a folder, the window on it, and what is to be noted of a run; `size` is the trial's own
    measure (bytes, hunks or times)."""

    folder: Path
    desktop: Desktop
    size: int
    heartbeat: Heartbeat = field(default_factory=Heartbeat)
    begin: Callable[[], object] = lambda: None
    """Called before the window opens."""
    tell: Callable[[str], object] = lambda _line: None
    """Takes a line about what has just been done."""
    said: list[str] = field(default_factory=list[str])

    @property
    def root(self) -> Path:
        return self.folder / "project"

    def write(self, name: str, data: bytes) -> Path:
        self.root.mkdir(exist_ok=True)
        file = self.root / name
        file.write_bytes(data)
        return file

    def propose(self, **results: bytes) -> Plan:
        """Store a plan before the window opens; `one_txt` stands for one.txt. No file is too large."""
        from studio.engine.draft import DraftStep, PlanDraft
        from studio.engine.plan import Operation
        from studio.program.app_folders import config_directory
        from studio.workspace import Workspace

        config_directory().mkdir(parents=True, exist_ok=True)
        (config_directory() / "config.yaml").write_text(f"limits: {{file_bytes: {_LARGEST}}}\n")
        steps = [
            DraftStep(Operation.MODIFY, name.replace("_", "."), content=data)
            for name, data in results.items()
        ]
        workspace = Workspace.open(self.root)
        plan = workspace.proposer.propose(PlanDraft("plan", tuple(steps), "Far too much", "agent"))
        workspace.close()
        self.tell("  proposed")
        return plan

    def open(self) -> Person:
        self.heartbeat.during = "opening"
        self.begin()
        return self.desktop.open(self.root)

    def wait(self, name: str, done: Callable[[], object]) -> None:
        """Let the window run until it is so, and note how long that took."""
        from tests.journeys.hands import wait_for

        self.heartbeat.during = name
        started = time.perf_counter()
        wait_for(done, name, _PATIENCE_SECONDS)
        self.tell(f"  {time.perf_counter() - started:8.2f} s  {name}")

    def wait_until_said(self, person: Person, words: str) -> None:
        self.wait(f"saying “{words}”", lambda: words in person.said())
        self.said.append(person.said())


def huge_patch(trial: Trial) -> None:
    """A patch file of that many bytes is dropped on the window."""
    trial.write("one.txt", b"one\n")
    patch = trial.folder / "huge.diff"
    line = b"+" + b"x" * 98 + b"\n"
    lines = trial.size // len(line)
    with patch.open("wb") as stream:
        stream.write(b"--- a/one.txt\n+++ b/one.txt\n@@ -1 +1,%d @@\n one\n" % (lines + 1))
        for _ in range(lines // 1000):
            stream.write(line * 1000)
    person = trial.open()
    person.window.dropped.emit([patch])
    trial.wait_until_said(person, "larger than")
    assert not any(plan.steps for plan in person.desk.queue.plans)


def long_diff(trial: Trial) -> None:
    """A step whose two sides are that many bytes together is read, decided, written and taken back."""
    lines = trial.size // 2 // 32
    base = b"".join(b"value_%08d = compute(%08d)\n" % (line, line) for line in range(lines))
    result = base.replace(b"5 = compute", b"5 = measure")
    trial.write("long.py", base)
    plan = trial.propose(long_py=result)
    _review(trial, plan)
    assert (trial.root / "long.py").read_bytes() == base


def many_hunks(trial: Trial) -> None:
    """A step of that many changes is read, decided, written and taken back; so many that no comparison ends
    in time become one hunk."""
    base = b"a\n" * (8 * trial.size)
    result = (b"b\n" + b"a\n" * 7) * trial.size
    trial.write("many.txt", base)
    plan = trial.propose(many_txt=result)
    trial.tell(f"  {len(plan.steps[0].hunks):,} hunks")
    _review(trial, plan)
    assert (trial.root / "many.txt").read_bytes() == base


def _review(trial: Trial, plan: Plan) -> None:
    person = trial.open()
    desk = person.desk
    trial.wait("the first screen", lambda: desk.shown.diff is not None)
    trial.wait(
        "all of it compared",
        lambda: desk.shown.painted_revision == desk.choices.key and not desk.shown.is_head,
    )
    canvas = person.panes.pages.step.diff.canvas
    bar = canvas.verticalScrollBar()
    trial.heartbeat.during = "scrolling"
    for part in range(40):
        bar.setValue(bar.maximum() * part // 40)
        canvas.viewport().repaint()
        _let_pass(0.02)
    person.press("Alt+Down")
    trial.wait("the next change", lambda: canvas.current_hunk > 1)
    trial.wait("a key that approves", person.control.actions[Action.APPROVE_STEP].isEnabled)
    person.press("A")
    trial.wait("approved", lambda: not desk.guards.deciding and not desk.can(Action.APPLY))
    trial.wait("Apply on", person.control.actions[Action.APPLY].isEnabled)
    person.press("Ctrl+Shift+Return")
    trial.wait_until_said(person, "Applied 1 file")
    trial.wait("Undo on", person.control.actions[Action.UNDO_LAST].isEnabled)
    person.press("Ctrl+Alt+Z")
    trial.wait_until_said(person, "Rolled back 1 file")
    trial.wait("the end of it", lambda: len(desk.queue.history) == 2 and not desk.guards.busy)


def _let_pass(seconds: float) -> None:
    from tests.journeys.hands import let_pass

    let_pass(seconds)


def changing_file(trial: Trial) -> None:
    """The file that is shown is written again and again, goes, comes back as it was and is gone for good."""
    from studio.engine.plan import StepState

    base = b"".join(b"line %d\n" % line for line in range(1000))
    file = trial.write("one.txt", base)
    trial.propose(one_txt=base.replace(b"line 5\n", b"line five\n"))
    person = trial.open()
    desk = person.desk

    trial.wait(
        "shown", lambda: desk.shown.painted_revision and desk.shown.painted_revision == desk.choices.key
    )
    trial.heartbeat.during = "being written again and again"
    for number in range(trial.size):
        file.write_bytes(base + b"more %d\n" % number)
        _let_pass(0.002)
    trial.wait("stale for the change", _state_is(desk, StepState.STALE))
    file.write_bytes(base)
    trial.wait("pending again", _state_is(desk, StepState.PENDING))
    file.unlink()
    trial.wait("stale for the missing file", _state_is(desk, StepState.STALE))
    trial.said.append(desk.can(Action.APPROVE_STEP))
    assert "changed on disk" in trial.said[-1]
    file.write_bytes(base)
    trial.wait("pending once more", _state_is(desk, StepState.PENDING))


def _state_is(desk: Desk, state: StepState) -> Callable[[], object]:
    return lambda: desk.queue.current_step is not None and desk.queue.current_step.state is state


def locked_store(trial: Trial) -> None:
    """Another process keeps the store locked for so many decisions."""
    base = b"".join(b"line %d\n" % line for line in range(100))
    trial.write("one.txt", base)
    trial.write("two.txt", base)
    changed = base.replace(b"line 5\n", b"line five\n")
    trial.propose(one_txt=changed, two_txt=changed)
    person = trial.open()
    desk = person.desk
    trial.wait("a key that approves", person.control.actions[Action.APPROVE_STEP].isEnabled)
    for _ in range(trial.size):
        with _held(desk):
            person.press("A")
            trial.wait_until_said(person, "Your decision is still being saved.")
            trial.wait_until_said(person, "Another process keeps the store busy.")
        trial.wait("a key that approves again", person.control.actions[Action.APPROVE_STEP].isEnabled)
    person.press("A")
    trial.wait("approved in the end", lambda: not desk.guards.deciding and person.place[1] == 2)


@contextmanager
def _held(desk: Desk) -> Iterator[None]:
    """Another process holds the desk's store with a transaction that nobody else can write beside."""
    from studio.engine.store.database import FILE_NAME
    from studio.program.app_folders import state_directory

    (file,) = state_directory().glob(f"*/{FILE_NAME}")
    holder = subprocess.Popen(
        [sys.executable, "-c", _LOCK_PROGRAM, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        holder.stdout.readline()
        yield
    finally:
        holder.stdin.close()
        holder.stdout.close()
        holder.wait()


def moved_project(trial: Trial) -> None:
    """The project's folder is moved away while it is shown, so many times, and comes back."""
    from studio.engine.plan import StepState

    base = b"".join(b"line %d\n" % line for line in range(100))
    file = trial.write("one.txt", base)
    trial.propose(one_txt=base.replace(b"line 5\n", b"line five\n"))
    person = trial.open()
    desk = person.desk
    trial.wait(
        "shown", lambda: desk.shown.painted_revision and desk.shown.painted_revision == desk.choices.key
    )
    for _ in range(trial.size):
        away = trial.folder / "elsewhere"
        trial.root.rename(away)
        trial.wait_until_said(person, "was moved, deleted or unmounted")
        trial.said.append(desk.can(Action.APPROVE_STEP))
        assert "no longer exists" in trial.said[-1]
        away.rename(trial.root)
        trial.wait_until_said(person, "is available again")
        trial.wait("a key that approves", person.control.actions[Action.APPROVE_STEP].isEnabled)
        file.write_bytes(base + b"more\n")
        trial.wait("stale for a change after it", _state_is(desk, StepState.STALE))
        file.write_bytes(base)
        trial.wait("pending again", _state_is(desk, StepState.PENDING))


TRIALS: dict[str, tuple[Callable[[Trial], None], int]] = {
    "huge_patch": (huge_patch, 200_000_000),
    "long_diff": (long_diff, 200_000_000),
    "many_hunks": (many_hunks, 1_000_000),
    "changing_file": (changing_file, 500),
    "locked_store": (locked_store, 2),
    "moved_project": (moved_project, 5),
}


def measure(name: str, folder: Path) -> bool:
    """Run one trial in this process and print what was measured; whether no stall was above the limit."""
    import qasync
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from studio.ui.look.theme import FUSION
    from tests.journeys.desktop import Desktop

    app = QApplication([*sys.argv[:1], *FUSION, "-platform", "offscreen"])
    do, size = TRIALS[name]
    heartbeat, timer = Heartbeat(), QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(1)
    timer.timeout.connect(heartbeat.beat)

    def begin() -> None:
        heartbeat.begin()
        timer.start()

    print(f"{name}, {size:,}: {do.__doc__}", flush=True)
    with qasync.QEventLoop(app) as loop:
        asyncio.set_event_loop(loop)
        trial = Trial(folder, Desktop(app, loop), size, heartbeat, begin, tell=partial(print, flush=True))
        try:
            do(trial)
        finally:
            print(statement(trial), flush=True)
            heartbeat.end()
            timer.stop()
            trial.desktop.close()
            asyncio.set_event_loop(None)
    return max(heartbeat.delays, default=0.0) <= WORST_MS


def statement(trial: Trial) -> str:
    """What the window said, and the longest stalls with their stacks."""
    lines = [f"  said: {said}" for said in dict.fromkeys(trial.said)]
    worst = max(trial.heartbeat.delays, default=0.0)
    own = max(trial.heartbeat.owns, default=0.0)
    lines.append(f"  longest stall {worst:.1f} ms, of the window's own thread {own:.1f} ms")
    for stall in sorted(trial.heartbeat.stalls, key=lambda each: -each.milliseconds)[:_TOLD_STALLS]:
        lines.append(f"  {stall.milliseconds:8.1f} ms ({stall.own:.1f} own) while {stall.during}")
        lines.append(stall.stack)
    return "\n".join(lines)


def main(words: list[str]) -> int:
    from tests.bench.perf.processes import environment

    if len(words) == 2 and words[0] == "--here":
        with tempfile.TemporaryDirectory(prefix="studio-bad-input-") as folder:
            os.environ.update(environment(Path(folder)))
            return 0 if measure(words[1], Path(folder)) else 1
    unknown = [name for name in words if name not in TRIALS]
    if unknown:
        print(f"usage: python -m tests.perf.bad_input [{' | '.join(TRIALS)}]…", file=sys.stderr)
        return 2
    program = [sys.executable, "-m", "tests.bench.perf.bad_input", "--here"]
    return max(subprocess.call([*program, name]) for name in words or TRIALS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
