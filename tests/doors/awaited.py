"""What agents wait for, as soon as it stands in the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from studio.engine.plan import Plan
from studio.engine.session import CallState, ToolCall
from studio.program.notify_socket import wait_until
from studio.workspace import Workspace

PATIENCE_SECONDS = 20.0

Found = TypeVar("Found")


def soon(look: Callable[[], Found | None], seconds: float = PATIENCE_SECONDS) -> Found:
    """What a look finds, as soon as it finds something. Raises TimedOut."""

    def looked() -> tuple[Found | None, bool]:
        found = look()
        return found, bool(found)

    found = wait_until(looked, lambda _: "nothing came", seconds)
    assert found is not None
    return found


def waiting_plan(workspace: Workspace) -> Plan:
    """The plan that an agent waits for."""

    def look() -> Plan | None:
        there = workspace.proposer.waiting()
        return next((plan for plan in workspace.proposer.plans() if plan.id in there), None)

    return soon(look)


def waiting_call(workspace: Workspace) -> ToolCall:
    """The call that an agent waits for."""
    calls = workspace.proposer.calls
    return soon(lambda: next((call for call in calls() if call.state is CallState.WAITING), None))
