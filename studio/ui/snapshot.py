"""What the desk reads from the engine in one go; these functions run on the engine thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from studio.engine.plan import OPEN_PLAN_STATES, Plan, PlanState

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.engine.history import HistoryEntry
    from studio.engine.workspace import Workspace

_ALWAYS_IN_QUEUE = OPEN_PLAN_STATES | {PlanState.EXECUTING, PlanState.PAUSED}
_RECENTLY_IN_QUEUE = frozenset({PlanState.INVALID, PlanState.FAILED})
_RECENT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The queue (oldest plan first), the history (newest first) and what the lamp must show."""

    plans: tuple[Plan, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    command_line: str = "ask"
    version: int = field(default=-1, compare=False)


def read_snapshot(workspace: Workspace, decided_here: frozenset[str]) -> Snapshot:
    """Read everything the window shows of the store.

    `decided_here` are plans that a person decided in this window: a rejected one stays in the queue,
    so that it can be taken back in one press.
    """
    proposer = workspace.proposer
    version = workspace.data_version()
    newest = datetime.now(UTC) - _RECENT
    plans = [plan for state in _ALWAYS_IN_QUEUE for plan in proposer.plans(state)]
    plans += [plan for state in _RECENTLY_IN_QUEUE for plan in proposer.plans(state) if plan.created > newest]
    plans += [
        plan
        for state in (PlanState.REJECTED, PlanState.CHANGES_REQUESTED)
        for plan in proposer.plans(state)
        if plan.id in decided_here
    ]
    plans.sort(key=lambda plan: (plan.created, plan.id))
    return Snapshot(tuple(plans), tuple(proposer.history()), workspace.config.review_command_line, version)


def refresh_and_read(workspace: Workspace, decided_here: frozenset[str]) -> Snapshot:
    """Look at the files of open steps again, then read everything."""
    workspace.proposer.refresh()
    return read_snapshot(workspace, decided_here)


def diff_of(base: bytes | None, result: bytes | None) -> FileDiff | None:
    """The line diff of a step, None where a side is not text or nothing has content."""
    from studio.engine.diff import compute
    from studio.engine.text import NotText, describe

    if base is None and result is None:
        return None
    if any(isinstance(describe(side), NotText) for side in (base, result) if side is not None):
        return None
    return compute(base or b"", result or b"")
