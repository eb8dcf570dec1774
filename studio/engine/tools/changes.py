"""How a change of a tool takes effect: at once, or as a plan that a person decides (C42)."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

from studio.engine.names import show_name
from studio.engine.plan import Plan, Step, StepState
from studio.engine.system.log_file import LOGGER
from studio.engine.tools.context import Proposals, ToolContext


@dataclass(slots=True)
class Effect:
    """What a call changes: the paths it names, and, when it is over, what became of that."""

    paths: list[str] = field(default_factory=list[str])
    plan: str | None = None
    state: str = "done"


class Changes:
    """The changes of one tool, one call at a time; calls within a call are part of it."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._current: Effect | None = None

    @contextmanager
    def call(self, operation: str, *paths: str) -> Generator[Effect]:
        """What is changed inside becomes one round of the session's plan, or is dropped with the error.

        Raises Refused for what the checks of a proposal turn away: then nothing of the call is proposed.
        """
        if self._current is not None:
            self._current.paths += paths
            yield self._current
            return
        effect = self._current = Effect([*paths])
        try:
            if self._context.proposals is None:
                yield effect
                self._written(operation, effect)
            else:
                yield from self._proposed(self._context.proposals, effect)
        finally:
            self._current = None

    def _proposed(self, proposals: Proposals, effect: Effect) -> Generator[Effect]:
        proposals.renew()
        try:
            yield effect
            plan = proposals.propose()
        except BaseException:
            proposals.renew()
            raise
        if plan is None:
            effect.state = "unchanged"
        else:
            effect.plan, effect.state = plan.id, _state_of(plan, effect.paths)

    def _written(self, operation: str, effect: Effect) -> None:
        """Without a journal the log says what was done, and never with what content (R169, R170)."""
        if not self._context.writes_at_once:
            effect.state = "pending"
        elif self._context.policy.enable_audit_logging:
            LOGGER.info("tool operation=%s path=%s", operation, show_name(" ".join(effect.paths)))


def _state_of(plan: Plan, paths: Iterable[str]) -> str:
    """The state of the plan, or "stale" where all steps for these paths wait for another plan."""
    states = {
        step.state
        for step in plan.steps
        if step.state is not StepState.INVALID and any(_is_about(step, path) for path in paths)
    }
    return StepState.STALE.value if states == {StepState.STALE} else plan.state.value


def _is_about(step: Step, path: str) -> bool:
    return any(there == path or there.startswith(f"{path}/") for there in (step.path, step.target))
