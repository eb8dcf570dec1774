"""Reviewer-only API: decide plans and tool calls, apply, roll back, trust configuration.

Agents' doors never get it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from studio.engine import disk, history
from studio.engine.apply import gateway, recovery, retention
from studio.engine.apply.gateway import ApplyRefused, Drifted
from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.apply.retention import UndoLoss
from studio.engine.config import distrust, trust
from studio.engine.history import dismissal
from studio.engine.plan import (
    Decision,
    LineComment,
    Plan,
    PlanState,
    Step,
    StepDecision,
    StepState,
    Verdict,
)
from studio.engine.policy import Policy
from studio.engine.project import calls
from studio.engine.project.context import Context, Person, Side
from studio.engine.review import decision_errors, rebase, staleness
from studio.engine.review.chosen_result import chosen_result
from studio.engine.review.edited_result import with_result
from studio.engine.review.editor_text import EditableText
from studio.engine.review.rebase import RebasePreview
from studio.engine.session import ToolCall
from studio.engine.store.forgetting import delete_store
from studio.engine.store.rows import now
from studio.engine.store.unsaved_input import UnsentKind, UnsentText
from studio.errors import Refused
from studio.program.app_folders import config_directory

__all__ = [
    "ApplyControl",
    "ApplyRefused",
    "Comments",
    "Drifted",
    "EditableText",
    "PlanReviewer",
    "Progress",
    "RebasePreview",
    "UnsentKind",
    "UnsentText",
    "with_result",
]

Comments = Mapping[int, Sequence[LineComment]]
"""Line comments by step number."""


class PlanReviewer(Side):
    """Operations on plans and settings that only a person may use."""

    def __init__(self, context: Context, person: Person) -> None:
        super().__init__(context)
        self._person = person

    @property
    def person(self) -> Person:
        """The person who decides."""
        return self._person

    @Side._notifies
    def approve(
        self,
        plan_id: str,
        steps: Sequence[int | StepDecision] | None = None,
        *,
        note: str = "",
        seen: Mapping[int, str] | None = None,
        version: int | None = None,
    ) -> Plan:
        """Approve steps, or all undecided valid ones; nothing is written yet.

        A step that is given by its number is approved completely, with `note`, and so are the others of its
        unit. `seen` maps step numbers to the displayed revisions: another revision decides nothing and raises
        Conflict, as does another `version` of the plan. A stale step raises Conflict when named, and stays
        undecided with its unit otherwise.

        Raises UsageError for an unknown hunk, Refused for a state that can't be approved, for a part of a
        step that has a unit, or for edited content that a rule forbids or that is not text in the file's
        encoding.
        """
        by_step = {each.step: each for each in steps or () if isinstance(each, StepDecision)}
        numbers = None if steps is None else [each if isinstance(each, int) else each.step for each in steps]
        plan = self._open_plan(plan_id, version, numbers)
        targets = self._select_steps(plan, numbers)
        self._check_seen(targets, seen)
        rules, folder = self._context.policy_of(plan), self._context.config().folder
        decisions: list[tuple[Step, Decision]] = []
        contents: list[bytes] = []
        for step in targets:
            if step.state is StepState.STALE:
                raise decision_errors.stale(step, is_review=plan.is_review)
            chosen = by_step.get(step.number, StepDecision(step.number))
            if chosen.text is None:
                chosen = replace(chosen, text=note)
            decision_errors.check_whole(step, chosen.choices)
            decided, content = chosen_result(self._context, plan, step, chosen)
            contents.extend(content)
            decision = self._build_decision(Verdict.APPROVE, step, chosen, rules, folder, decided=decided)
            decisions.append((step, decision))
        # Stored before the decision: a crash in between leaves contents that nothing references.
        self._context.store.blobs.add(contents)
        self._record_decisions(plan, decisions, StepState.APPROVED)
        return self._plan(plan.id)

    @Side._notifies
    def reject(
        self,
        plan_id: str,
        steps: Sequence[int] | None = None,
        *,
        reason: str,
        comments: Comments | None = None,
        seen: Mapping[int, str] | None = None,
        version: int | None = None,
    ) -> Plan:
        """Reject steps with their units, or all undecided ones.

        The agent gets the reason.
        """
        plan = self._open_plan(plan_id, version, steps)
        targets = self._select_steps(plan, steps, stale_too=True)
        self._check_seen(targets, seen)
        decisions = self._build_refusals(Verdict.REJECT, plan, targets, reason, comments)
        self._record_decisions(plan, decisions, StepState.REJECTED)
        return self._plan(plan.id)

    @Side._notifies
    def rebase(
        self, plan_id: str, step: int, *, settled: bytes | None = None, onto: str | None = None
    ) -> Plan:
        """Rebase a stale step onto the current file; it becomes pending.

        See `review.rebase`.
        """
        return rebase.rebase(self._context, plan_id, step, settled, onto)

    def discard_stale(self, plan_id: str, steps: Sequence[int]) -> Plan:
        """Reject stale steps, reporting to the agent that the file changed."""
        return self.reject(plan_id, steps, reason="The file has changed since this step was proposed.")

    @Side._notifies
    def request_changes(
        self, plan_id: str, *, reason: str, comments: Comments | None = None, version: int | None = None
    ) -> Plan:
        """Request changes of a plan, which closes it.

        The agent's next round is a new plan. Of a plan in parts this rejects what is not applied yet.
        """
        plan, store = self._open_plan(plan_id, version), self._context.store
        if plan.is_review:
            raise Refused("plan.state", f"“{plan.title}” is a review without an agent.", "Reject its steps.")
        steps = (*plan.undecided, *plan.approved) if plan.parts else plan.valid_steps
        decisions = self._build_refusals(Verdict.REQUEST_CHANGES, plan, steps, reason, comments)
        if plan.parts:
            self._record_decisions(plan, decisions, StepState.REJECTED)
            return self._plan(plan.id)
        with store.database.write() as connection:
            self._check_unchanged(connection, plan)
            for step, decision in decisions:
                store.plans.decide(connection, plan.id, step.number, decision)
            # The table has no transition from approved to changes requested.
            if plan.state is PlanState.APPROVED:
                store.plans.set_plan_state(connection, plan.id, PlanState.PENDING)
            store.plans.set_plan_state(connection, plan.id, PlanState.CHANGES_REQUESTED)
        return self._plan(plan.id)

    @Side._notifies
    def take_back(self, plan_id: str, steps: Sequence[int] | None = None) -> Plan:
        """Void decisions on these steps with their units, or on all.

        The steps become pending. Raises Refused where there are none.
        """
        plan = self._plan(plan_id)
        steps = None if steps is None else plan.with_units(steps)
        if not plan.state.is_open and plan.state is not PlanState.REJECTED:
            raise decision_errors.closed(plan)
        store = self._context.store
        decided = [
            step
            for step in plan.steps
            if step.state in (StepState.APPROVED, StepState.REJECTED)
            and (steps is None or step.number in steps)
        ]
        if not decided:
            raise Refused("decision.none", "No decision to undo.", "Decide on a step first.")
        with store.database.write() as connection:
            self._check_unchanged(connection, plan, PlanState.REJECTED)
            for step in decided:
                store.plans.set_step_state(connection, plan.id, step.number, StepState.PENDING)
            store.plans.update_state(connection, plan.id)
        staleness.refresh(self._context)
        return self._plan(plan.id)

    @Side._notifies
    def dismiss(self, plan_id: str) -> Plan:
        """Remove a closed, unapplied plan from the queue for good.

        See `dismissal.dismiss`.
        """
        return dismissal.dismiss(self._context, plan_id, self._person)

    @Side._notifies
    def allow(self, call_id: str, *, note: str = "") -> ToolCall:
        """Allow an agent's tool call.

        Raises as `calls.decide`.
        """
        return calls.decide(self._context, call_id, self._person, note, is_allowed=True)

    @Side._notifies
    def deny(self, call_id: str, *, reason: str) -> ToolCall:
        """Deny an agent's tool call, with a reason.

        Raises as `calls.decide`.
        """
        return calls.decide(self._context, call_id, self._person, reason, is_allowed=False)

    @Side._notifies
    def apply(
        self,
        plan_id: str,
        *,
        approved_only: bool = False,
        seen: Mapping[int, str] | None = None,
        progress: Progress | None = None,
        control: ApplyControl | None = None,
    ) -> Plan:
        """Write a plan's approved steps, all or nothing.

        With `approved_only` others may be undecided, and stay so. `seen` has the revisions of the steps that
        were shown as approved, by number: others raise Conflict. Raises as `gateway.apply`.
        """
        return gateway.apply(
            self._context, plan_id, approved_only=approved_only, seen=seen, progress=progress, control=control
        )

    @Side._notifies
    def rollback(
        self,
        plan_id: str,
        steps: Sequence[int] | None = None,
        *,
        ways: Mapping[int, history.DriftResolution] | None = None,
        shown: Mapping[int, str] | None = None,
    ) -> Plan:
        """Roll back a plan or some of its steps.

        Returns the plan that did it. `ways` has the drift resolution for changed files by step number;
        Conflict is raised where one is missing. `shown` are the fingerprints of a preview: Conflict is raised
        if the result would differ.
        """
        choice = history.RollbackChoice(steps, ways or {}, shown)
        return history.roll_back(self._context, plan_id, choice, self._person)

    @Side._notifies
    def discard_undo(self, plan_id: str) -> UndoLoss:
        """Delete a plan's undo; the plan and its journal stay.

        Raises NotFound, UsageError, Refused for a plan that keeps no undo, TimedOut while another process
        writes.
        """
        context = self._context
        context.check_root()
        with disk.writer_lock(context.store.lock_file):
            return retention.discard(context, plan_id, self._person)

    def unsent(self, plan_id: str | None = None) -> tuple[UnsentText, ...]:
        """Return the unsaved input of one plan or of all."""
        return self._context.store.unsent.all(plan_id)

    def keep_unsent(self, *unsent: UnsentText) -> None:
        """Store unsaved input together, which survives a killed process.

        Empty input is deleted. Other processes are not notified: they load it when they open the project.
        """
        self._context.store.unsent.record(*unsent)

    @Side._notifies
    def recover(self) -> tuple[Plan, ...]:
        """Recover interrupted applies, and accept the current root folder."""
        context = self._context
        if not context.is_same_root:
            context.store.accept_root(context.root.identity, context.root.lasting_identity)
            context.is_same_root = True
        return recovery.recover(context)

    def trust_configuration(self, sha256: str) -> None:
        """Trust the project's configuration while its bytes hash to `sha256`.

        Only then it can extend what agents may do. Raises Conflict where it has other bytes by now,
        ConfigRefused, or OSError.
        """
        trust(self._context.root.path, config_directory(), sha256=sha256)
        self._context.notify()

    def distrust_configuration(self) -> None:
        """Revoke trust in all versions of the project's configuration.

        Raises OSError.
        """
        distrust(self._context.root.path, config_directory())
        self._context.notify()

    def delete_store(self) -> int:
        """Delete the project's store; return the number of plans it had.

        Plans, decisions, history and undo are lost; the project's files are unchanged. The workspace can't be
        used afterwards. Raises Refused while an apply is unfinished.
        """
        context = self._context
        with disk.writer_lock(context.store.lock_file):
            if context.store.plans.unfinished():
                raise Refused(
                    "forget.unfinished",
                    "An interrupted apply is unfinished and still needs the store.",
                    "Recover the project first.",
                )
            count = len(context.store.plans.all())
            context.close_thread()
            delete_store(context.folder)
        context.notify()
        return count

    def _plan(self, plan_id: str) -> Plan:
        return self._context.store.plans.get(plan_id)

    def _open_plan(
        self, plan_id: str, version: int | None = None, numbers: Sequence[int] | None = None
    ) -> Plan:
        """Return a plan that can still be decided, after checking its version.

        The steps with these numbers are refreshed from disk; all of them for None. Refreshing hundreds takes
        longer than deciding.
        """
        self._context.check_root()
        named, prefix = frozenset(numbers or ()), plan_id.strip().lower()

        def is_meant(plan: Plan, step: Step) -> bool:
            return numbers is None or (step.number in named and plan.id.startswith(prefix))

        staleness.refresh(self._context, is_meant)
        plan = self._plan(plan_id)
        if version not in (None, plan.version):
            raise decision_errors.other_version(plan)
        if not plan.state.is_open:
            raise decision_errors.closed(plan)
        return plan

    def _select_steps(
        self, plan: Plan, numbers: Sequence[int] | None, *, stale_too: bool = False
    ) -> tuple[Step, ...]:
        """Return the steps to decide: named ones with units, or all.

        Stale ones are included only where they can be decided, and the other steps of a unit only where they
        are not decided the same way already.
        """
        if numbers is None and stale_too and plan.undecided:
            numbers = [step.number for step in plan.undecided]
        if numbers is not None:
            require = self._context.store.plans.require
            named = tuple(require(plan, number) for number in dict.fromkeys(numbers))
            unit_steps = (require(plan, number) for number in plan.with_units(numbers)[len(named) :])
            open_states = (StepState.PENDING, StepState.STALE, *((StepState.APPROVED,) if stale_too else ()))
            steps = (*named, *(step for step in unit_steps if step.state in open_states))
            for step in named:
                if step.state not in (StepState.PENDING, StepState.STALE):
                    raise Refused(
                        "step.state",
                        f"Step {step.number} is {step.state.words}; it can't be decided.",
                        decision_errors.hint(step),
                        path=step.path,
                    )
            return steps
        stale = {step.unit or step.id for step in plan.undecided if step.state is StepState.STALE}
        undecided = tuple(step for step in plan.undecided if (step.unit or step.id) not in stale)
        if undecided:
            return undecided
        if plan.undecided:
            raise decision_errors.stale(plan.undecided[0])
        raise Refused(
            "plan.decided", f"Every step of “{plan.title}” is decided.", "Apply it, or undo a decision."
        )

    def _check_seen(self, steps: Sequence[Step], seen: Mapping[int, str] | None) -> None:
        if seen is None:
            return
        for step in steps:
            if seen.get(step.number) != step.revision:
                raise decision_errors.changed_under_you(step)

    def _check_unchanged(self, connection: sqlite3.Connection, plan: Plan, *also: PlanState) -> None:
        """Check that no process changed the plan since it was loaded.

        Raises Refused for a withdrawn or dismissed one, or Conflict for another version: a decision is valid
        for the version that it was made on.
        """
        plans = self._context.store.plans
        state = plans.state_of(connection, plan.id)
        if not state.is_open and state not in also:
            raise decision_errors.closed(replace(plan, state=state))
        if plans.version_of(connection, plan.id) != plan.version:
            raise decision_errors.other_version(plan)

    def _build_refusals(
        self, verdict: Verdict, plan: Plan, steps: Sequence[Step], reason: str, comments: Comments | None
    ) -> list[tuple[Step, Decision]]:
        """Build decisions that refuse steps, each with the reason and its comments."""
        rules, folder = self._context.policy_of(plan), self._context.config().folder
        words = (decision_errors.build_decision(step, reason, comments) for step in steps)
        return [
            (step, self._build_decision(verdict, step, each, rules, folder))
            for step, each in zip(steps, words, strict=True)
        ]

    def _build_decision(
        self,
        verdict: Verdict,
        step: Step,
        words: StepDecision,
        rules: Policy,
        folder: Path,
        *,
        decided: str | None = None,
    ) -> Decision:
        """Build a decision.

        `rules` are those it is bound to, `folder` is that of the configuration, `decided` the hash of what
        would be written.
        """
        return Decision(
            verdict=verdict,
            who=self._person.name,
            when=now(),
            text=words.text or "",
            base_sha256=step.base.sha256 if step.base is not None else None,
            decided_sha256=decided,
            choices=dict(words.choices),
            edited=words.edited is not None and decision_errors.is_other(step, decided),
            root_identity=self._context.root.lasting_identity,
            policy_fingerprint=staleness.rules_for(rules, step),
            comments=tuple(words.comments),
            seen=self._person.source,
            folder=folder,
        )

    def _record_decisions(
        self, plan: Plan, decisions: Sequence[tuple[Step, Decision]], state: StepState
    ) -> None:
        store = self._context.store
        numbers = [step.number for step, _ in decisions]
        with store.database.write() as connection, store.plans.changing_steps(plan.id, numbers):
            self._check_unchanged(connection, plan)
            states = store.plans.step_states(connection, plan.id)
            for step, _ in decisions:
                if states.get(step.number) is not step.state:
                    raise decision_errors.changed_under_you(step)
            void = [step.number for step, _ in decisions if step.state is StepState.APPROVED]
            store.plans.set_step_states(connection, plan.id, void, StepState.PENDING)
            store.plans.set_step_states(connection, plan.id, numbers, state)
            for step, decision in decisions:
                store.plans.decide(connection, plan.id, step.number, decision)
            store.plans.update_state(connection, plan.id)
