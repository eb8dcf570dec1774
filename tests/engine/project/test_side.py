"""Both sides ring by themselves: a door that forgets it can't be written."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from studio.engine.plan import Plan, PlanState
from studio.engine.reviewer import ApplyControl, UnsentKind, UnsentText
from studio.engine.session import Session, ToolCall
from studio.errors import ApplyStopped, Refused
from studio.extras.user_configuration import SettingChange, plan_edit
from studio.journal.file_image import sha256
from studio.program.app_folders import config_directory
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON
from tests.engine.test_sides import DECIDING
from tests.tools.socket_paths import bell_of_another_process, heard

SILENT = {"unsent", "keep_unsent"}
"""What is begun is shown by no other process before it is opened anew."""


class Rings:
    """Counts them, call by call."""

    def __init__(self, listener: socket.socket, key: str) -> None:
        self._listener = listener
        self._message = f"changed {key}".encode()
        self.rung: set[str] = set()

    def count(self) -> int:
        messages = heard(self._listener)
        assert set(messages) <= {self._message}
        return len(messages)

    def once(self, call: Callable[..., object], *args: object, **named: object) -> object:
        """Make the call, which must ring once."""
        assert self.count() == 0
        result = call(*args, **named)
        assert self.count() == 1, call
        self.rung.add(getattr(call, "__name__", ""))
        return result


@pytest.fixture
def rings(workspace: Workspace) -> Iterator[Rings]:
    with bell_of_another_process() as listener:
        yield Rings(listener, workspace.key)


def step(path: str, op: str = "create") -> str:
    return json.dumps({"title": path, "steps": [{"op": op, "path": path, "content": "a\n"}]})


def test_whatever_a_side_writes_rings_once(
    project: Path, workspace: Workspace, reviewer: Reviewer, propose: Callable[..., Plan], rings: Rings
) -> None:
    proposer = workspace.proposer

    def proposed(path: str, op: str = "create") -> str:
        plan = rings.once(propose, step(path, op))
        assert isinstance(plan, Plan)
        return plan.id

    plan = proposed("a.txt")
    rings.once(reviewer.approve, plan)
    rings.once(reviewer.take_back, plan)
    reviewer.approve(plan)
    assert rings.count() == 1
    rings.once(reviewer.apply, plan)
    rings.once(reviewer.rollback, plan)
    rings.once(reviewer.discard_undo, plan)
    rings.once(reviewer.reject, proposed("b.txt"), reason="no")
    sent_back = proposed("c.txt")
    rings.once(reviewer.request_changes, sent_back, reason="more")
    rings.once(reviewer.dismiss, sent_back)
    rings.once(proposer.withdraw, proposed("d.txt"))
    stale = proposed("e.txt")
    (project / "e.txt").write_text("theirs\n")
    rings.once(proposer.refresh)
    rings.once(reviewer.discard_stale, stale, [1])
    (project / "f.txt").write_text("old\n")
    stale = proposed("f.txt", "append")
    (project / "f.txt").write_text("theirs\n")
    rings.once(proposer.refresh)
    rings.once(reviewer.rebase, stale, 1, settled=b"both\n")
    session = rings.once(proposer.open_session, "claude-code", "hook")
    assert isinstance(session, Session)
    for decide in (partial(reviewer.allow), partial(reviewer.deny, reason="no")):
        call = rings.once(proposer.ask, session, "Bash", command="make")
        assert isinstance(call, ToolCall)
        rings.once(decide, call.id)
        rings.rung.add(decide.func.__name__)
        proposer.leave_call(call.id)
    asked = rings.once(proposer.ask, session, "Bash")
    assert isinstance(asked, ToolCall)
    rings.once(proposer.leave_call, asked.id)
    (project / "studio.yaml").write_text("file_rules: {allow: ['x/']}\n")
    rings.once(reviewer.trust_configuration, sha256((project / "studio.yaml").read_bytes()))
    rings.once(reviewer.distrust_configuration)
    edit = plan_edit(config_directory(), SettingChange("file_rules.allow", "bin/", ""))
    rings.once(reviewer.write_configuration, edit)
    made = workspace.snapshots.create("kept")
    (project / "g.txt").write_text("theirs\n")
    rings.count()
    rings.once(reviewer.snapshots.restore, made.id)
    rings.once(reviewer.snapshots.delete, [made.id])
    for settle in (reviewer.observed.keep, reviewer.observed.revert):
        workspace.observed.look()
        (project / "h.txt").write_text(f"{settle.__name__}\n")
        workspace.observed.look()
        rings.count()
        rings.once(settle, workspace.observed.open())
    rings.once(reviewer.delete_store)
    assert {*rings.rung, "recover", "snapshots", "observed"} >= DECIDING - SILENT


def test_what_looks_or_changes_nothing_does_not_ring(
    workspace: Workspace, reviewer: Reviewer, propose: Callable[..., Plan], rings: Rings
) -> None:
    """Nor does what is refused before anything is stored: nobody is woken for nothing."""
    plan = propose(step("a.txt"))
    assert rings.count() == 1
    assert propose(step("a.txt")).duplicate
    proposer = workspace.proposer
    for look in (proposer.plans, proposer.history, proposer.retention, proposer.refresh, workspace.recover):
        look()
    proposer.contents(plan.id, 1)
    with pytest.raises(Refused):
        reviewer.apply(plan.id)
    reviewer.keep_unsent(UnsentText(plan.id, 1, UnsentKind.NOTE, b"begun"))
    assert rings.count() == 0


def test_an_apply_that_was_begun_and_failed_rings(
    workspace: Workspace, reviewer: Reviewer, propose: Callable[..., Plan], rings: Rings
) -> None:
    plan = propose(step("a.txt"))
    reviewer.approve(plan.id)
    assert rings.count() == 2
    control = ApplyControl()
    control.pause.set()
    with pytest.raises(ApplyStopped):
        reviewer.apply(plan.id, control=control)
    assert workspace.proposer.plan(plan.id).state is PlanState.PAUSED
    assert rings.count() == 1


def test_a_recovery_rings(project: Path, rings: Rings) -> None:
    """As the one that says that the folder now at this place is the project."""
    project.rename(project.with_name("moved"))
    project.mkdir()
    again = Workspace.open(project)
    rings.once(again.reviewer(PERSON).recover)
    again.close()


def test_what_a_session_writes_rings_once(workspace: Workspace, rings: Rings) -> None:
    proposer = workspace.proposer
    session = rings.once(proposer.open_session, "claude-code", "mcp")
    assert isinstance(session, Session)
    with workspace.overlay(session) as files:
        files.write("a.txt", "a\n")
        rings.once(proposer.propose_changes, files, session)
    proposer.close_session(session)
    assert rings.count() == 0, "a lock is let go, nothing is stored"
