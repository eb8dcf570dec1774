"""What a person has made of the steps so far, as far as a decision carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.engine.plan import Plan, Step, StepState

if TYPE_CHECKING:
    from studio.ui.desk.choices import Choices
    from studio.ui.desk.comments import Comments
    from studio.ui.desk.consent import Consent
    from studio.ui.desk.edited import EditedResults
    from studio.ui.desk.kept_text import KeptTexts
    from studio.ui.desk.shown_step import ShownStep


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of the desk that a decision asks."""

    shown: ShownStep
    edited: EditedResults
    choices: Choices
    kept: KeptTexts
    comments: Comments
    consent: Consent

    def approvable(self, plan: Plan) -> list[Step]:
        """The pending steps of a plan that can be approved without another look."""
        return [step for step in plan.steps if self.is_approvable(plan, step)]

    def is_approvable(self, plan: Plan, step: Step) -> bool:
        """Whether a step of a plan can be approved without another look."""
        is_pending = step.state is StepState.PENDING
        return is_pending and not self.consent.missing(step) and not self.kept.has(plan, step)
