"""Queue of messages for an agent, sent before its user's next prompt."""

from __future__ import annotations

from studio.doors import gate
from studio.engine.plan import DECIDED_STATES, Plan
from studio.engine.workspace import Workspace

_FROM_US = "Exacta Studio, through which your user decides, says: "
"""Prefix for text that the model reads as its user's words."""


def prefix_sender(text: str) -> str:
    """Prefix a text to show that it comes from Exacta Studio."""
    return _FROM_US + text


class PendingMessages:
    """Pending messages for one agent.

    With `of_layer`, a text added to each plan's message, the agent sees its own changes itself, and a plan is
    reported only once it is decided.
    """

    def __init__(self, *, of_layer: str = "") -> None:
        self._of_layer = of_layer
        self._plans: list[str] = []
        self._texts: list[str] = []

    def add_plan(self, plan: Plan) -> None:
        """Queue a plan, reported with its status until it is decided."""
        if plan.id not in self._plans:
            self._plans.append(plan.id)

    def add(self, text: str) -> None:
        """Queue a text to be sent once."""
        self._texts.append(prefix_sender(text))

    def requeue(self, texts: list[str]) -> None:
        """Requeue texts that were taken and could not be sent."""
        self._texts = [*texts, *self._texts]

    def take_messages(self, workspace: Workspace) -> list[str]:
        """Return all texts in order and clear them; undecided plans stay queued."""
        plans = [workspace.proposer.plan(plan) for plan in self._plans]
        reportable = [plan for plan in plans if plan.state in DECIDED_STATES or not self._of_layer]
        texts = [*self._texts, *(prefix_sender(self._text(workspace, plan)) for plan in reportable)]
        self._plans = [plan.id for plan in plans if plan.state not in DECIDED_STATES]
        self._texts = []
        return texts

    def _text(self, workspace: Workspace, plan: Plan) -> str:
        report = gate.plan_report(workspace, plan)
        return f"{report.rstrip()}\n\n{self._of_layer}" if self._of_layer else report
