"""The person at our own gate: what they do about what agents ask, and what stands in the store behind it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from studio.engine.branch import FileWrite, FileWritten, SessionRead
from studio.engine.plan import (
    PersonSource,
    Plan,
    PlanState,
    Step,
    StepDecision,
    StepState,
)
from studio.engine.session import CallState, ToolCall
from studio.errors import Conflict, Refused
from studio.journal.file_image import sha256
from studio.workspace import Person, Workspace
from tests.doors.awaited import soon
from tests.lab.agents.lab import Started
from tests.lab.agents.wishes import AFTER, BEFORE, EDITED, NOTES

PATIENCE_SECONDS = 40.0
REASON = "Keep the Greek small."
MEANWHILE = b"delta\n"

Found = TypeVar("Found")


class Desk:
    """A person who waits for what agents ask, and answers it; `clients` are those that run, in order."""

    def __init__(self, project: Path) -> None:
        self.notes = project / NOTES
        self.workspace = Workspace.open(project)
        self.proposer = self.workspace.proposer
        self.reviewer = self.workspace.reviewer(Person(PersonSource.WINDOW, "ada"))
        self.clients: list[Started] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.workspace.close()

    def plan(self) -> Plan:
        """The plan that an agent waits for."""
        return self.plans(1)[0]

    def plans(self, count: int) -> Sequence[Plan]:
        """So many plans that agents wait for."""
        return self.until(lambda: _all_of(count, self._waiting_plans()))

    def call(self) -> ToolCall:
        """The call that an agent waits for."""
        return self.until(lambda: _all_of(1, self._waiting_calls()))[0]

    def write(self, plan: Plan, *decisions: StepDecision) -> None:
        """Approve and apply it."""
        self.reviewer.approve(plan.id, decisions or None)
        self.reviewer.apply(plan.id)

    def until(self, look: Callable[[], Found | None]) -> Found:
        """What `look` finds, as soon as it does. Raises TimedOut where no agent does what is waited for."""
        return soon(look, PATIENCE_SECONDS)

    def until_alone(self, waited: Plan | ToolCall) -> None:
        """Wait until nobody waits for this any more."""
        self.until(lambda: waited.id not in self.proposer.waiting() or None)

    def left(self) -> tuple[str, ...]:
        """A line for each plan and then each call, the oldest first. Raises AssertionError where the journal
        tells of anything but the writes of applied steps, or ends with other bytes than the disk's."""
        plans = self.proposer.plans()
        self._check_journal(
            [step for plan in plans for step in plan.steps if step.state is StepState.APPLIED]
        )
        steps = [", ".join(step.state.value for step in plan.steps) for plan in plans]
        return (
            *(f"{plan.state.value}: {states}" for plan, states in zip(plans, steps, strict=True)),
            *(f"call {call.state.value}" for call in self.proposer.calls()),
        )

    def _check_journal(self, applied: Sequence[Step]) -> None:
        assert self.workspace.journal.verify().damaged_at is None, "the journal's chain is broken"
        # What an agent only read stands there, too.
        newest = self.workspace.journal.newest(limit=1000)[::-1]
        rows = [row for row in newest if not isinstance(row.entry, SessionRead)]
        assert {row.step_id for row in rows} == {step.id for step in applied}, f"the journal holds {rows}"
        done = {row.entry.correlation_id for row in rows if isinstance(row.entry, FileWritten)}
        written = {
            row.step_id: (row.entry.path, row.entry.result.sha256)
            for row in rows
            if isinstance(row.entry, FileWrite) and row.entry.correlation_id in done and row.entry.result
        }
        expected = {step.id: (step.target, step.decided and step.decided.sha256) for step in applied}
        assert written == expected, f"the journal tells of {written}"
        last = [sha for path, sha in written.values() if path == NOTES][-1:]
        assert last in ([], [sha256(self.notes.read_bytes())]), "the journal ends with other bytes"

    def _waiting_plans(self) -> list[Plan]:
        there = self.proposer.waiting()
        plans = self.proposer.plans()
        return [plan for plan in plans if plan.state.is_active and plan.id in there]

    def _waiting_calls(self) -> list[ToolCall]:
        return [call for call in self.proposer.calls() if call.state is CallState.WAITING]


def _all_of(count: int, found: list[Found]) -> list[Found] | None:
    return found if len(found) >= count else None


@dataclass(frozen=True, slots=True)
class Deed:
    """What a person does at the desk, and the lines that it leaves in the store."""

    act: Callable[[Desk], object]
    left: tuple[str, ...]


def leaves(*left: str) -> Callable[[Callable[[Desk], object]], Deed]:
    """Marks what a person does with what it leaves: see `Desk.left`."""
    return lambda act: Deed(act, left)


_APPLIED, _REJECTED = "completed: applied", "rejected: rejected"


@leaves()
def nothing(_desk: Desk) -> None:
    """Nobody is asked."""


@leaves("invalid: invalid")
def refused_unasked(_desk: Desk) -> None:
    """Nobody is asked, for no step of the plan can be taken."""


@leaves(_APPLIED)
def approves(desk: Desk) -> None:
    desk.write(desk.plan())


@leaves(_REJECTED)
def rejects(desk: Desk) -> None:
    desk.reviewer.reject(desk.plan().id, reason=REASON)


@leaves(_APPLIED)
def edits(desk: Desk) -> None:
    desk.write(desk.plan(), StepDecision(1, edited=EDITED))


@leaves("changes_requested: pending")
def asks_for_changes(desk: Desk) -> None:
    desk.reviewer.request_changes(desk.plan().id, reason=REASON)


@leaves("cancelled: pending")
def withdraws(desk: Desk) -> None:
    desk.proposer.withdraw(desk.plan().id)


@leaves(_APPLIED)
def approves_one_hunk(desk: Desk) -> None:
    """The first one; the second one is left out."""
    desk.write(desk.plan(), StepDecision(1, choices={2: False}, text=REASON))


@leaves("completed: rejected, applied")
def approves_one_file(desk: Desk) -> None:
    """The second one; the first one is rejected."""
    plan = desk.plan()
    desk.reviewer.reject(plan.id, [1], reason=REASON)
    desk.write(plan)


@leaves(_REJECTED, _APPLIED)
def approves_the_second(desk: Desk) -> None:
    """Two calls, one after the other."""
    for deed in (rejects, approves):
        deed.act(desk)


@leaves(_APPLIED, _REJECTED, _APPLIED)
def approves_two_of_three(desk: Desk) -> None:
    """The calls of one turn come one after the other."""
    for deed in (approves, rejects, approves):
        deed.act(desk)


@leaves(_APPLIED, _APPLIED)
def approves_each(desk: Desk) -> None:
    """Two calls, one after the other."""
    for _ in range(2):
        approves.act(desk)


@leaves(_APPLIED)
def writes_meanwhile(desk: Desk) -> None:
    """Somebody adds a line while the plan waits; the change is put on the file as it is then."""
    plan = desk.plan()
    desk.notes.write_bytes(BEFORE + MEANWHILE)
    desk.write(_rebased(desk, plan))


def _rebased(desk: Desk, plan: Plan) -> Plan:
    """The plan put on the file as it is now; before that it can't be approved."""
    desk.proposer.refresh()
    try:
        desk.reviewer.approve(plan.id)
    except Conflict:
        return desk.reviewer.rebase(plan.id, 1)
    raise AssertionError("a change of a file that is no longer there was approved")


@leaves(_APPLIED, _APPLIED)
def approves_both(desk: Desk) -> None:
    """Two agents wait, each with a change of the same file."""
    first, second = desk.plans(2)
    desk.write(first)
    desk.write(_rebased(desk, second))


@leaves(_APPLIED, _REJECTED)
def approves_one_of_both(desk: Desk) -> None:
    """Two agents wait, each with another change of the same line."""
    first, second = desk.plans(2)
    desk.write(first)
    desk.proposer.refresh()
    desk.reviewer.discard_stale(second.id, [1])


@leaves("call allowed")
def allows(desk: Desk) -> None:
    desk.reviewer.allow(desk.call().id)


@leaves("call denied")
def denies(desk: Desk) -> None:
    desk.reviewer.deny(desk.call().id, reason=REASON)


# What is killed while an agent waits


def window_killed(moment: str) -> Deed:
    """The process in which a person decides is killed, and the plan is decided in another one."""

    @leaves(_APPLIED)
    def act(desk: Desk) -> None:
        plan = desk.plan()
        command = [
            sys.executable,
            "-m",
            "tests.lab.agents.window_process",
            str(desk.notes.parent),
            plan.id,
            moment,
        ]
        done = subprocess.run(command, check=False, timeout=PATIENCE_SECONDS)
        assert done.returncode == -signal.SIGKILL, done
        assert desk.workspace.needs_recovery == (moment == "writing")
        desk.reviewer.recover()
        assert desk.notes.read_bytes() == BEFORE, "nobody applied it"
        left = desk.plan()
        if left.state is PlanState.PENDING:
            desk.reviewer.approve(left.id)
        desk.reviewer.apply(left.id)

    return act


@leaves(_APPLIED)
def client_killed(desk: Desk) -> None:
    """Its plan stays, with nobody who waits, and can be decided."""
    plan = desk.plan()
    desk.clients[0].kill()
    _write_alone(desk, plan)


@leaves(_APPLIED)
def program_killed(desk: Desk) -> None:
    """Ours, before it answered: Codex is alone in its sandbox, and ends without a word."""
    plan = desk.plan()
    os.kill(_program_of(desk.clients[0].process.pid), signal.SIGKILL)
    # Its output is held open by Codex as well: read to the end, both are gone.
    desk.clients[0].wait()
    _write_alone(desk, plan)


@leaves(_APPLIED)
def talker_killed(desk: Desk) -> None:
    """Ours, that talks with an agent: that hears of it, and ends without having written."""
    plan = desk.plan()
    ours, agent = _talking(desk)
    os.kill(ours, signal.SIGKILL)
    # Qwen Code takes half a minute to end once nobody listens.
    soon(lambda: not Path(f"/proc/{agent}/exe").exists() or None, 2 * PATIENCE_SECONDS)
    _write_alone(desk, plan)


@leaves(_APPLIED)
def agent_killed(desk: Desk) -> None:
    """The agent that ours talks with: ours ends, and says so."""
    plan = desk.plan()
    os.killpg(_talking(desk)[1], signal.SIGKILL)
    _write_alone(desk, plan)


def _talking(desk: Desk) -> tuple[int, int]:
    """Our program, and the agent that it started."""
    ours = _program_of(desk.clients[0].process.pid)
    return ours, _children(ours)[0]


def _write_alone(desk: Desk, plan: Plan) -> None:
    desk.until_alone(plan)
    left = desk.proposer.plan(plan.id)
    assert left.waits, "it says that its caller is gone"
    assert left.state.is_open
    assert desk.notes.read_bytes() == BEFORE
    desk.write(left)
    assert desk.notes.read_bytes() == AFTER


@leaves("call gone")
def client_killed_in_call(desk: Desk) -> None:
    """What it asked for is gone with it, and can't be allowed."""
    call = desk.call()
    desk.clients[0].kill()
    desk.until_alone(call)
    with suppress(Refused):
        desk.reviewer.allow(call.id)
        raise AssertionError("a call was allowed for which nobody waits")


def _program_of(process: int) -> int:
    """Our program, behind what gave it a network of its own, if anything did."""
    is_ours = b"studio" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    return process if is_ours else _program_of(_children(process)[0])


def _children(process: int) -> list[int]:
    return [
        int(child)
        for task in Path(f"/proc/{process}/task").iterdir()
        for child in (task / "children").read_text(encoding="utf-8").split()
    ]
