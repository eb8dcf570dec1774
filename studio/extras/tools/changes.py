"""Tool call wrapper that proposes its file changes or logs direct writes."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

from msgspec import Struct, field

from studio.engine.plan import Plan, Step, StepState
from studio.extras.tools.context import Proposals, ToolContext
from studio.names import show_name
from studio.program.log_file import LOGGER


class Effect(Struct):
    """Changes of a call: the paths it names, and finally the outcome."""

    paths: list[str] = field(default_factory=list[str])
    plan: str | None = None
    state: str = "done"


class Changes:
    """Changes of one tool, one call at a time.

    A nested call is part of the outer one.
    """

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._current: Effect | None = None

    @contextmanager
    def call(self, operation: str, *paths: str) -> Generator[Effect]:
        """Propose the block's changes as one round of the session's plan.

        On an error they are dropped. Raises Refused for what the checks of a proposal refuse: then nothing of
        the call is proposed.
        """
        if self._current is not None:
            self._current.paths += paths
            yield self._current
            return
        effect = self._current = Effect([*paths])
        try:
            if self._context.proposals is None:
                yield effect
                self._log_write(operation, effect)
            else:
                yield from self._collect_proposals(self._context.proposals, effect)
        finally:
            self._current = None

    def _collect_proposals(self, proposals: Proposals, effect: Effect) -> Generator[Effect]:
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
            effect.plan, effect.state = plan.id, _find_state(plan, effect.paths)

    def _log_write(self, operation: str, effect: Effect) -> None:
        """Log an immediate change, without its content.

        There is no journal that records it.
        """
        if not self._context.writes_at_once:
            effect.state = "pending"
        elif self._context.policy.enable_audit_logging:
            LOGGER.info("tool operation=%s path=%s", operation, show_name(" ".join(effect.paths)))


def _find_state(plan: Plan, paths: Iterable[str]) -> str:
    """Return the plan's state.

    It is "stale" where all steps for these paths wait for another plan.
    """
    states = {
        step.state
        for step in plan.steps
        if step.state is not StepState.INVALID and any(_is_about(step, path) for path in paths)
    }
    return StepState.STALE.value if states == {StepState.STALE} else plan.state.value


def _is_about(step: Step, path: str) -> bool:
    return any(there == path or there.startswith(f"{path}/") for there in (step.path, step.target))
