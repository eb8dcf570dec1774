"""The reviewer's input on steps that a decision includes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.engine.plan import OPEN_STEP_STATES, Plan, Step, StepDecision, StepState
from studio.ui.desk.hunk_choices import HunkChoices

if TYPE_CHECKING:
    from studio.ui.desk.choices import Choices
    from studio.ui.desk.comments import Comments
    from studio.ui.desk.consent import Consent
    from studio.ui.desk.edit_drafts import EditDrafts
    from studio.ui.desk.edited import EditedResults
    from studio.ui.desk.shown_step import ShownStep


@dataclass(frozen=True, slots=True)
class ChosenSteps:
    """Step numbers, and the selections or edits of undecided ones."""

    numbers: tuple[int, ...]
    decisions: Mapping[int, StepDecision]


@dataclass(frozen=True, slots=True)
class Work:
    """The parts of the desk that a decision reads."""

    shown: ShownStep
    edited: EditedResults
    choices: Choices
    edit_drafts: EditDrafts
    comments: Comments
    consent: Consent

    def chosen(self, plan: Plan) -> ChosenSteps:
        """Return what of a plan would be written.

        Steps with no hunk included are not in it.
        """
        numbers: list[int] = []
        decisions: dict[int, StepDecision] = {}
        for step in plan.steps:
            if step.state not in OPEN_STEP_STATES:
                continue
            choices, edited = self.choices.of(plan, step), self.edited.of(plan, step)
            if step.state is StepState.PENDING and (choices or edited is not None):
                if edited is None and HunkChoices(len(step.hunks), choices).is_nothing:
                    continue
                decisions[step.number] = StepDecision(step.number, choices if edited is None else {}, edited)
            numbers.append(step.number)
        return ChosenSteps(tuple(numbers), decisions)

    def approvable(self, plan: Plan) -> list[Step]:
        """Return the pending steps that can be approved without another check."""
        return [step for step in plan.steps if self.is_approvable(plan, step)]

    def is_approvable(self, plan: Plan, step: Step) -> bool:
        """Return whether the step's unit can be approved without another check."""
        return (
            step.state is StepState.PENDING and self._is_ready(plan, step) and self.is_unit_ready(plan, step)
        )

    def is_unit_ready(self, plan: Plan, step: Step) -> bool:
        """Return whether the unit's other steps are decided or approvable."""
        others = (plan.step(number) for number in plan.with_units([step.number])[1:])
        return all(other is not None and self._is_ready(plan, other) for other in others)

    def _is_ready(self, plan: Plan, step: Step) -> bool:
        if step.state is not StepState.PENDING:
            return step.state is not StepState.STALE
        return not self.consent.missing(step) and not self.edit_drafts.has(plan, step)
