"""What an agent could not be told at once, and is told before its user's next words."""

from __future__ import annotations

from studio.doors import gate
from studio.engine.plan import DECIDED_STATES, Plan
from studio.engine.workspace import Workspace

_FROM_US = "Exacta Studio, through which your user decides, says: "
"""Before what the model reads as its user's words."""


def from_us(text: str) -> str:
    """Words of ours that the model reads as its user's."""
    return _FROM_US + text


class Untold:
    """What one agent is still to be told. With `of_layer`, which is said with each plan, it sees itself what
    it proposed, and hears of a plan only once that is decided."""

    def __init__(self, *, of_layer: str = "") -> None:
        self._of_layer = of_layer
        self._plans: list[str] = []
        self._texts: list[str] = []

    def add_plan(self, plan: Plan) -> None:
        """What became of a plan, once it is decided; until then how it stands, each time anew."""
        if plan.id not in self._plans:
            self._plans.append(plan.id)

    def add(self, text: str) -> None:
        """A text, once."""
        self._texts.append(from_us(text))

    def put_back(self, texts: list[str]) -> None:
        """Put back what was taken and could not be sent."""
        self._texts = [*texts, *self._texts]

    def take(self, workspace: Workspace) -> list[str]:
        """All of it, in its order; plans that still wait are told of again next time."""
        plans = [workspace.proposer.plan(plan) for plan in self._plans]
        told = [plan for plan in plans if plan.state in DECIDED_STATES or not self._of_layer]
        texts = [*self._texts, *(from_us(self._text(workspace, plan)) for plan in told)]
        self._plans = [plan.id for plan in plans if plan.state not in DECIDED_STATES]
        self._texts = []
        return texts

    def _text(self, workspace: Workspace, plan: Plan) -> str:
        told = gate.told_of(workspace, plan)
        return f"{told.rstrip()}\n\n{self._of_layer}" if self._of_layer else told
