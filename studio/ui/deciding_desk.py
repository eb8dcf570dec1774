"""Deciding at the desk: approve, reject, take back. Nothing here writes a project file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from studio.engine.errors import Conflict, StudioError
from studio.engine.plan import Plan, StepState
from studio.ui.dead_time import surprise
from studio.ui.happening import Tone
from studio.ui.reading_desk import ReadingDesk, viewed_mark


class DecidingDesk(ReadingDesk):
    """A press carries the revision that was painted, and is dropped during the dead time (look.md 9)."""

    def approve_step(self, note: str = "") -> None:
        """Approve the current step with its chosen hunks, then go to the next undecided one."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None or self.can("approve_step"):
            return
        chosen = {number: choice for number, choice in self.choices.items() if choice is not True}
        self._decide(
            plan.id,
            partial(
                self._reviewer.approve, plan.id, [step.number],
                choices={step.number: chosen} if chosen else None,
                note=note or self.note, seen={step.number: self.painted_revision},
            ),
            forget=(self.draft_key("note"),),
            jump=True,
        )  # fmt: skip

    def reject_step(self, reason: str) -> None:
        """Reject the current step; the reason goes to the agent."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None or self.can("reject_step"):
            return
        seen = {step.number: self.painted_revision}
        self._decide(
            plan.id,
            partial(self._reviewer.reject, plan.id, [step.number], reason=reason, seen=seen),
            forget=(self.draft_key("reason"),),
            jump=True,
        )

    def take_back(self) -> None:
        """Take back the decision on the current step, or on every step of the current plan."""
        plan, step = self.current_plan, self.current_step
        if plan is None or self.can("take_back"):
            return
        numbers = None if step is None else [step.number]
        self._decide(plan.id, partial(self._reviewer.take_back, plan.id, numbers))

    def approve_undecided(self, seen: Mapping[int, str] | None = None) -> None:
        """Approve every pending step of the current plan; stale ones stay undecided.

        `seen` are the revisions that the person was asked about, by step number.
        """
        plan = self.current_plan
        if plan is None or self.can("approve_undecided"):
            return
        pending = [step for step in plan.steps if step.state is StepState.PENDING]
        shown = dict(seen) if seen is not None else {step.number: step.revision for step in pending}
        numbers = [step.number for step in pending if step.number in shown]
        choices = {n: dict(self._choices[plan.id, n]) for n in numbers if (plan.id, n) in self._choices}
        self._decide(
            plan.id,
            partial(self._reviewer.approve, plan.id, numbers, choices=choices or None, seen=shown),
        )

    def reject_plan(self, reason: str) -> None:
        """Reject every undecided step of the current plan."""
        plan = self.current_plan
        if plan is None or self.can("reject_plan"):
            return
        self._decide(
            plan.id,
            partial(self._reviewer.reject, plan.id, reason=reason),
            forget=(self.draft_key("plan_reason"),),
            said=self._about(self.tr("Rejected “{title}”. Take back reopens it."), plan),
        )

    def request_changes(self, reason: str) -> None:
        """Send the current plan back to its agent with what should be different."""
        plan = self.current_plan
        if plan is None or self.can("request_changes"):
            return
        said = self._about(self.tr("Asked for changes of “{title}”."), plan)
        self._decide(
            plan.id,
            partial(self._reviewer.request_changes, plan.id, reason=reason),
            forget=(self.draft_key("changes"), self.draft_key("reason")),
            said=said,
        )

    def discard_stale(self) -> None:
        """Reject the current stale step because its file has moved on."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None or self.can("discard_stale"):
            return
        self._decide(plan.id, partial(self._reviewer.discard_stale, plan.id, [step.number]), jump=True)

    def _decide(
        self,
        plan_id: str,
        decision: Callable[[], Plan],
        *,
        forget: Sequence[str] = (),
        jump: bool = False,
        said: str = "",
    ) -> None:
        self.deciding = True
        self._decided_here.add(plan_id)
        self.allowed_changed.emit()
        self.runner.call(
            decision,
            then=partial(self._decided, tuple(forget), self._step_number if jump else None, said),
            failed=self._decision_failed,
        )

    def _decided(self, forget: tuple[str, ...], jump_from: int | None, said: str, plan: Plan) -> None:
        self.deciding = False
        for key in forget:
            self.memory.keep_text(key, "")
        self._replace_plan(plan)
        if said:
            self._say(said)
        decided = plan.step(jump_from) if jump_from is not None else None
        if decided is not None:
            # Whoever decides a step by itself has looked at it.
            self._keep_viewed(self.viewed | {viewed_mark(plan, decided)})
        if jump_from is not None and plan.id == self._plan_id and jump_from == self._step_number:
            after = plan.steps[jump_from:] + plan.steps[:jump_from]
            following = next((step for step in after if step.state is StepState.PENDING), None)
            if following is not None:
                self.select(plan.id, following.number, by_user=False)
        self.allowed_changed.emit()
        self.reload()

    def _replace_plan(self, plan: Plan) -> None:
        plans = tuple(plan if each.id == plan.id else each for each in self.plans)
        self._take(replace(self._snapshot, plans=plans))

    def _decision_failed(self, error: StudioError) -> None:
        self.deciding = False
        self.allowed_changed.emit()
        if isinstance(error, Conflict):
            self._say(
                self.tr("This step changed while you pressed. Nothing was decided. Look again."),
                Tone.WARNING,
            )
        else:
            self._report(error)
        self.dead_time.begin(surprise())
        self.reload()
