"""A step in the middle of the history, folders, and stored bytes that no longer verify."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard
from msgspec.structs import replace

from studio.engine.apply import gateway
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.project.context import Context
from studio.engine.store import Store
from studio.engine.store.rows import time_text
from studio.errors import StudioError
from studio.workspace import Reviewer, Workspace

Apply = Callable[..., Plan]
LARGE = "".join(f"{number * number * 7919}\n" for number in range(90_000))
"""A content that is stored as a file beside the database."""


@pytest.fixture
def apply(propose: Callable[..., Plan], reviewer: Reviewer) -> Apply:
    def call(*steps: dict[str, Any]) -> Plan:
        plan = propose(json.dumps({"title": "t", "steps": steps}))
        reviewer.approve(plan.id)
        return reviewer.apply(plan.id)

    return call


def texts(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(project.rglob("*")) if path.is_file()}


def modify(*names: str) -> list[dict[str, Any]]:
    return [{"op": "modify", "path": f"{name}.txt", "content": "new\n"} for name in names]


def test_a_step_in_the_middle_of_the_history_goes_back_alone(
    project: Path, apply: Apply, reviewer: Reviewer, workspace: Workspace
) -> None:
    """Neither the other steps of its plan nor the plans around it; and forth again."""
    for name in "abcdef":
        (project / f"{name}.txt").write_text("old\n")
    first, middle, last = apply(*modify("a", "b")), apply(*modify("c", "d")), apply(*modify("e", "f"))
    back = reviewer.rollback(middle.id, [2])
    assert texts(project) == {f"{name}.txt": "old\n" if name == "d" else "new\n" for name in "abcdef"}
    states = [step.state for step in workspace.proposer.plan(middle.id).steps]
    assert states == [StepState.APPLIED, StepState.ROLLED_BACK]
    for plan in (first, last):
        assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED
    reviewer.rollback(back.id)
    assert set(texts(project).values()) == {"new\n"}
    reviewer.rollback(first.id)
    assert texts(project)["a.txt"] == "old\n" and texts(project)["d.txt"] == "new\n"


def test_a_rollback_is_carried_out_as_it_is_stored(
    project: Path,
    apply: Apply,
    reviewer: Reviewer,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is handed to the gateway is what another process would read."""
    (project / "sub").mkdir()
    for name in ("a.txt", "log.txt", "old.txt", "here.txt", "c.bin", "run.sh", "sub/in.txt"):
        (project / name).write_text("old\n")
    plan = apply(
        {"op": "create", "path": "new/deep.txt", "content": "new\n"},
        {"op": "modify", "path": "a.txt", "content": "one\ntwo\n"},
        {"op": "append", "path": "log.txt", "content": "more\n"},
        {"op": "delete", "path": "old.txt"},
        {"op": "move", "path": "here.txt", "to": "there.txt", "edits": [{"old": "old", "new": "moved"}]},
        {"op": "copy", "path": "c.bin", "to": "d.bin"},
        {"op": "mkdir", "path": "empty"},
        {"op": "mode", "path": "run.sh", "executable": True},
        {"op": "delete", "path": "sub"},
    )
    carried_out = gateway.apply_locked
    seen: list[tuple[Plan, Plan]] = []

    def watched(context: Context, handed: Plan, *rest: Any, **options: Any) -> Plan:
        seen.append((handed, workspace.proposer.plan(handed.id)))
        return carried_out(context, handed, *rest, **options)

    monkeypatch.setattr(gateway, "apply_locked", watched)
    reviewer.rollback(plan.id)
    ((handed, stored),) = seen
    assert len(handed.steps) == len(plan.steps) == 10
    assert in_milliseconds(handed) == stored


def in_milliseconds(plan: Plan) -> Plan:
    """The plan with its times as they are stored."""
    steps = tuple(
        replace(step, decision=replace(step.decision, when=stored_time(step.decision.when)))
        for step in plan.steps
        if step.decision is not None
    )
    return replace(plan, created=stored_time(plan.created), steps=steps)


def stored_time(moment: datetime) -> datetime:
    return datetime.fromisoformat(time_text(moment))


def test_a_folder_goes_only_if_the_step_made_it(project: Path, apply: Apply, reviewer: Reviewer) -> None:
    """An empty one that was there before stays."""
    (project / "there").mkdir()
    plan = apply(
        {"op": "create", "path": "there/a.txt", "content": "a\n"},
        {"op": "create", "path": "made/deep/b.txt", "content": "b\n"},
        {"op": "mkdir", "path": "asked"},
    )
    reviewer.rollback(plan.id)
    assert [path.name for path in project.rglob("*")] == ["there"]


def _other_bytes(store: Store, digest: bytes, size: int) -> None:
    """Bytes of the same length that are well packed, and others."""
    packed = zstandard.ZstdCompressor().compress(b"x" * size)
    _put(store, digest, packed)


def _garbage(store: Store, digest: bytes, size: int) -> None:
    _put(store, digest, b"\xff" * min(size, 100))


def _cut_short(store: Store, digest: bytes, size: int) -> None:
    file = _file(store, digest)
    if file.exists():
        _put(store, digest, file.read_bytes()[:-10])
    else:
        with store.database.write() as connection:
            connection.execute(
                "UPDATE blobs SET packed = substr(packed, 1, length(packed) - 3) WHERE sha256 = ?", (digest,)
            )


def _gone(store: Store, digest: bytes, size: int) -> None:
    if _file(store, digest).exists():
        _file(store, digest).unlink()
    else:
        with store.database.write() as connection:
            connection.execute("DELETE FROM blobs WHERE sha256 = ?", (digest,))


def _file(store: Store, digest: bytes) -> Path:
    return store.database.folder / "blobs" / digest.hex()[:2] / digest.hex()[2:]


def _put(store: Store, digest: bytes, packed: bytes) -> None:
    if _file(store, digest).exists():
        _file(store, digest).write_bytes(packed)
    else:
        with store.database.write() as connection:
            connection.execute("UPDATE blobs SET packed = ? WHERE sha256 = ?", (packed, digest))


@pytest.mark.parametrize("spoil", [_other_bytes, _garbage, _cut_short, _gone])
@pytest.mark.parametrize("old", ["old\n", LARGE], ids=["in the database", "beside it"])
def test_a_blob_that_no_longer_verifies_is_never_restored(
    project: Path,
    apply: Apply,
    reviewer: Reviewer,
    workspace: Workspace,
    *,
    old: str,
    spoil: Callable[[Store, bytes, int], None],
) -> None:
    """The rollback is refused in a sentence, as a whole; nothing waits in the queue for it."""
    (project / "a.txt").write_text(old)
    (project / "b.txt").write_text("b\n")
    plan = apply(*modify("a", "b"), {"op": "create", "path": "c.txt", "content": "c\n"})
    base = plan.steps[0].base
    assert base is not None and base.sha256 is not None
    store = Store(workspace.state_folder)
    assert _file(store, bytes.fromhex(base.sha256)).exists() == (old is LARGE)
    spoil(store, bytes.fromhex(base.sha256), base.size)
    store.close()
    before = texts(project)
    with pytest.raises(StudioError) as refused:
        reviewer.rollback(plan.id)
    assert "gone or damaged" in refused.value.message and refused.value.hint
    assert texts(project) == before
    assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED
    assert not any(entry.rolls_back for entry in workspace.proposer.history())
    assert {each.state for each in workspace.proposer.plans()} <= {PlanState.COMPLETED, PlanState.CANCELLED}
    reviewer.rollback(plan.id, [2, 3])
    assert texts(project) == {"a.txt": "new\n", "b.txt": "b\n"}
