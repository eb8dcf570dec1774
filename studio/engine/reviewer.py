"""The side of an open project that only a person gets: decide, apply, take back (promise 4)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from studio.engine import disk, history
from studio.engine.app_folders import config_directory
from studio.engine.apply import gateway, recovery, retention
from studio.engine.apply.gateway import ApplyRefused, Drifted
from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.apply.retention import UndoLoss
from studio.engine.call import Call
from studio.engine.config import distrust, trust
from studio.engine.errors import Refused
from studio.engine.history import dismissal
from studio.engine.plan import (
    OPEN_PLAN_STATES,
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
from studio.engine.project.context import Context, Person
from studio.engine.project.side import Side
from studio.engine.review import decision_problems, rebase, staleness
from studio.engine.review.chosen_result import chosen_result
from studio.engine.review.conflict_choices import Cell, ConflictRow, Kind, Look, Settlement, Taken
from studio.engine.review.conflict_gaps import Column
from studio.engine.review.edited_result import with_result
from studio.engine.review.editor_text import EditableText, edited
from studio.engine.review.rebase import RebasePreview
from studio.engine.store.forgetting import forget
from studio.engine.store.rows import now
from studio.engine.store.unsent import UnsentKind, UnsentText

if TYPE_CHECKING:
    from studio.engine.observed.decisions import ObservedDecisions
    from studio.engine.snapshots import SnapshotDecisions
    from studio.engine.snapshots.folder import SnapshotFolder
    from studio.engine.user_configuration import ConfigurationEdit

__all__ = [
    "ApplyControl",
    "ApplyRefused",
    "Cell",
    "Column",
    "Comments",
    "ConflictRow",
    "Drifted",
    "EditableText",
    "Kind",
    "Look",
    "Progress",
    "RebasePreview",
    "Reviewer",
    "Settlement",
    "Taken",
    "UnsentKind",
    "UnsentText",
    "edited",
    "with_result",
]

Comments = Mapping[int, Sequence[LineComment]]
"""Step number → what is said about its lines."""


class Reviewer(Side):
    """What a person may do with a project."""

    def __init__(self, context: Context, person: Person, folder: Callable[[], SnapshotFolder]) -> None:
        super().__init__(context)
        self._person = person
        self._folder = folder

    @property
    def person(self) -> Person:
        """Who decides here."""
        return self._person

    @property
    def snapshots(self) -> SnapshotDecisions:
        """To bring whole states back, or delete them."""
        from studio.engine.snapshots import SnapshotDecisions

        return SnapshotDecisions(self._context, self._folder(), self._person)

    @property
    def observed(self) -> ObservedDecisions:
        """To keep what others wrote, or take it back."""
        from studio.engine.observed.decisions import ObservedDecisions

        return ObservedDecisions(self._context, self._folder(), self._person)

    @Side._rings
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

        A step that is named by its number alone goes in as a whole, with `note`, and so do the others of its
        unit. `seen` maps step numbers to the revisions that were painted: another one decides nothing and
        raises Conflict, as does another `version` of the plan. A step that is stale raises Conflict when
        named, and stays undecided otherwise, with its unit.

        Raises UsageError for a hunk that is not there, Refused for a state that can't be approved, for a part
        of a step that has a unit, or for an edited content that a rule forbids or that is not text in the
        file's encoding.
        """
        said = {each.step: each for each in steps or () if isinstance(each, StepDecision)}
        numbers = None if steps is None else [each if isinstance(each, int) else each.step for each in steps]
        plan = self._open_plan(plan_id, version, numbers)
        targets = self._targets(plan, numbers)
        self._check_seen(targets, seen)
        rules = self._context.policy_of(plan)
        decisions: list[tuple[Step, Decision]] = []
        contents: list[bytes] = []
        for step in targets:
            if step.state is StepState.STALE:
                raise decision_problems.stale(step)
            wanted = said.get(step.number, StepDecision(step.number))
            if wanted.text is None:
                wanted = replace(wanted, text=note)
            decision_problems.check_whole(step, wanted.choices)
            decided, content = chosen_result(self._context, plan, step, wanted)
            contents.extend(content)
            decisions.append((step, self._decision(Verdict.APPROVE, step, wanted, rules, decided=decided)))
        # Before the decision that names them: a crash in between leaves contents that nobody names.
        self._context.store.blobs.add(contents)
        self._record(plan, decisions, StepState.APPROVED)
        return self._plan(plan.id)

    @Side._rings
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
        """Reject steps with their units, or every undecided one, with a reason that the agent gets."""
        plan = self._open_plan(plan_id, version, steps)
        targets = self._targets(plan, steps, stale_too=True)
        self._check_seen(targets, seen)
        rules = self._context.policy_of(plan)
        words = [decision_problems.said(step, reason, comments) for step in targets]
        decisions = [
            (step, self._decision(Verdict.REJECT, step, said, rules))
            for step, said in zip(targets, words, strict=True)
        ]
        self._record(plan, decisions, StepState.REJECTED)
        return self._plan(plan.id)

    @Side._rings
    def rebase(
        self, plan_id: str, step: int, *, settled: bytes | None = None, onto: str | None = None
    ) -> Plan:
        """Put a stale step on the file as it is now; it is pending then. See `review.rebase`."""
        return rebase.rebase(self._context, plan_id, step, settled, onto)

    def discard_stale(self, plan_id: str, steps: Sequence[int]) -> Plan:
        """Drop stale steps: the agent is told that the file has moved on."""
        return self.reject(plan_id, steps, reason="The file has changed since this step was proposed.")

    @Side._rings
    def request_changes(
        self, plan_id: str, *, reason: str, comments: Comments | None = None, version: int | None = None
    ) -> Plan:
        """Send the plan back to the agent; it ends here, a new round is a new plan."""
        plan = self._open_plan(plan_id, version)
        store, rules = self._context.store, self._context.policy_of(plan)
        with store.database.write() as connection:
            self._check_unchanged(connection, plan)
            for step in plan.valid_steps:
                said = decision_problems.said(step, reason, comments)
                decision = self._decision(Verdict.REQUEST_CHANGES, step, said, rules)
                store.plans.decide(connection, plan.id, step.number, decision)
            # The table has no way from approved to changes requested.
            if plan.state is PlanState.APPROVED:
                store.plans.set_plan_state(connection, plan.id, PlanState.PENDING)
            store.plans.set_plan_state(connection, plan.id, PlanState.CHANGES_REQUESTED)
        return self._plan(plan.id)

    @Side._rings
    def take_back(self, plan_id: str, steps: Sequence[int] | None = None) -> Plan:
        """Void decisions: those steps with their units, or all decided ones, are pending again.

        Raises Refused for none.
        """
        plan = self._plan(plan_id)
        steps = None if steps is None else plan.with_units(steps)
        if plan.state not in OPEN_PLAN_STATES and plan.state is not PlanState.REJECTED:
            raise decision_problems.closed(plan)
        store = self._context.store
        decided = [
            step
            for step in plan.steps
            if step.state in (StepState.APPROVED, StepState.REJECTED)
            and (steps is None or step.number in steps)
        ]
        if not decided:
            raise Refused("decision.none", "There is no decision to take back.", "Decide a step first.")
        with store.database.write() as connection:
            self._check_unchanged(connection, plan, PlanState.REJECTED)
            for step in decided:
                store.plans.set_step_state(connection, plan.id, step.number, StepState.PENDING)
            store.plans.settle(connection, plan.id)
        staleness.refresh(self._context)
        return self._plan(plan.id)

    @Side._rings
    def dismiss(self, plan_id: str) -> Plan:
        """Take a closed plan that was not applied out of the queue for good. See `dismissal.dismiss`."""
        return dismissal.dismiss(self._context, plan_id, self._person)

    @Side._rings
    def allow(self, call_id: str, *, note: str = "") -> Call:
        """Let an agent do what it asks for. See `calls.decide` for what it raises."""
        return calls.decide(self._context, call_id, self._person, note, is_allowed=True)

    @Side._rings
    def deny(self, call_id: str, *, reason: str) -> Call:
        """Tell an agent not to do what it asks for, and why. See `calls.decide` for what it raises."""
        return calls.decide(self._context, call_id, self._person, reason, is_allowed=False)

    @Side._rings
    def apply(
        self, plan_id: str, *, progress: Progress | None = None, control: ApplyControl | None = None
    ) -> Plan:
        """Write an approved plan, whole or not at all; see `gateway.apply` for what it raises."""
        return gateway.apply(self._context, plan_id, progress=progress, control=control)

    @Side._rings
    def rollback(
        self,
        plan_id: str,
        steps: Sequence[int] | None = None,
        *,
        ways: Mapping[int, history.WayOut] | None = None,
        shown: Mapping[int, str] | None = None,
    ) -> Plan:
        """Take a plan, or these steps of it, back; returns the plan that did it.

        `ways` says by step number what becomes of files that changed since; raises Conflict where one did
        and none is given. `shown` are the fingerprints of a preview: something else raises Conflict.
        """
        choice = history.RollbackChoice(steps, ways or {}, shown)
        return history.roll_back(self._context, plan_id, choice, self._person)

    @Side._rings
    def discard_undo(self, plan_id: str) -> UndoLoss:
        """Free what is kept so that a plan can be taken back; the plan and its journal stay (contract 9).

        Raises NotFound, UsageError, Refused for a plan that keeps no undo, TimedOut while another process
        writes.
        """
        context = self._context
        context.check_root()
        with disk.writer_lock(context.store.lock_file):
            return retention.discard(context, plan_id, self._person)

    def unsent(self, plan_id: str | None = None) -> tuple[UnsentText, ...]:
        """What was begun and not decided, of one plan or of all."""
        return self._context.store.unsent.all(plan_id)

    def keep_unsent(self, unsent: UnsentText) -> None:
        """Store what was begun, so that a kill of the process does not lose it; an empty one is dropped.

        Nobody is rung for it: another process shows what was begun only after it is opened anew.
        """
        self._context.store.unsent.keep(unsent)

    @Side._rings
    def recover(self) -> tuple[Plan, ...]:
        """Finish or undo interrupted applies, and accept the folder now at this path as the project."""
        context = self._context
        if not context.is_same_root:
            context.store.accept_root(context.root.identity, context.root.lasting_identity)
            context.is_same_root = True
        return recovery.recover(context)

    def trust_configuration(self, sha256: str) -> None:
        """Let the project's own configuration widen what agents may do while its bytes hash to `sha256`.

        Raises Conflict where it has other bytes by now, ConfigRefused, or OSError (promise 8).
        """
        trust(self._context.root.path, config_directory(), sha256=sha256)
        self._context.ring()

    def write_configuration(self, edit: ConfigurationEdit) -> None:
        """Write a change of the user's own configuration, as a person was shown it.

        Raises Conflict where the file is another by now, Refused or FileError; then nothing is written.
        """
        from studio.engine.user_configuration import write_edit  # a hook starts without it: TOML and YAML

        write_edit(edit)
        self._context.ring()

    def distrust_configuration(self) -> None:
        """Take back the trust in every version of the project's own configuration. Raises OSError."""
        distrust(self._context.root.path, config_directory())
        self._context.ring()

    def forget(self) -> int:
        """Delete the project's store: plans, decisions, history, undo; the number of plans it held.

        The project's files stay as they are. Raises Refused while an apply is unfinished. Nothing else may be
        asked of the workspace after it.
        """
        context = self._context
        with disk.writer_lock(context.store.lock_file):
            if context.store.plans.unfinished():
                raise Refused(
                    "forget.unfinished",
                    "An interrupted apply is not finished yet; its store is needed for that.",
                    "Run: studio recover",
                )
            count = len(context.store.plans.all())
            context.close_thread()
            forget(context.folder)
        context.ring()
        return count

    def _plan(self, plan_id: str) -> Plan:
        return self._context.store.plans.get(plan_id)

    def _open_plan(
        self, plan_id: str, version: int | None = None, numbers: Sequence[int] | None = None
    ) -> Plan:
        """A plan that can be decided, in the version that a person was told of. Its steps with these numbers
        are as the disk is now; all of them unless told: to look at hundreds takes longer than to decide."""
        self._context.check_root()
        named, prefix = frozenset(numbers or ()), plan_id.strip().lower()

        def is_meant(plan: Plan, step: Step) -> bool:
            return numbers is None or (step.number in named and plan.id.startswith(prefix))

        staleness.refresh(self._context, is_meant)
        plan = self._plan(plan_id)
        if version not in (None, plan.version):
            raise decision_problems.other_version(plan)
        if plan.state not in OPEN_PLAN_STATES:
            raise decision_problems.closed(plan)
        return plan

    def _targets(
        self, plan: Plan, numbers: Sequence[int] | None, *, stale_too: bool = False
    ) -> tuple[Step, ...]:
        """The steps meant: named ones with their units, or all undecided; stale ones only where they can be
        decided. Of the units those steps are meant that are not decided in the same way already."""
        if numbers is None and stale_too and plan.undecided:
            numbers = [step.number for step in plan.undecided]
        if numbers is not None:
            require = self._context.store.plans.require
            named = tuple(require(plan, number) for number in dict.fromkeys(numbers))
            also = (require(plan, number) for number in plan.with_units(numbers)[len(named) :])
            open_states = (StepState.PENDING, StepState.STALE, *((StepState.APPROVED,) if stale_too else ()))
            steps = (*named, *(step for step in also if step.state in open_states))
            for step in named:
                if step.state not in (StepState.PENDING, StepState.STALE):
                    raise Refused(
                        "step.state",
                        f"Step {step.number} is {step.state.words}; it can't be decided.",
                        decision_problems.hint(step),
                        path=step.path,
                    )
            return steps
        stale = {step.unit or step.id for step in plan.undecided if step.state is StepState.STALE}
        undecided = tuple(step for step in plan.undecided if (step.unit or step.id) not in stale)
        if undecided:
            return undecided
        if plan.undecided:
            raise decision_problems.stale(plan.undecided[0])
        raise Refused(
            "plan.decided", f"Every step of “{plan.title}” is decided.", "Apply it, or take a decision back."
        )

    def _check_seen(self, steps: Sequence[Step], seen: Mapping[int, str] | None) -> None:
        if seen is None:
            return
        for step in steps:
            if seen.get(step.number) != step.revision:
                raise decision_problems.changed_under_you(step)

    def _check_unchanged(self, connection: sqlite3.Connection, plan: Plan, *also: PlanState) -> None:
        """Another process may have withdrawn, dismissed or changed the plan since it was looked at.

        Raises Refused, or Conflict for another version: a decision counts for the one it was made on.
        """
        plans = self._context.store.plans
        state = plans.state_of(connection, plan.id)
        if state not in OPEN_PLAN_STATES and state not in also:
            raise decision_problems.closed(replace(plan, state=state))
        if plans.version_of(connection, plan.id) != plan.version:
            raise decision_problems.other_version(plan)

    def _decision(
        self,
        verdict: Verdict,
        step: Step,
        said: StepDecision,
        rules: Policy,
        *,
        decided: str | None = None,
    ) -> Decision:
        """`rules` are those that the decision is bound to, `decided` the hash of what would be written."""
        return Decision(
            verdict=verdict,
            who=self._person.name,
            when=now(),
            text=said.text or "",
            base_sha256=step.base.sha256 if step.base is not None else None,
            decided_sha256=decided,
            choices=dict(said.choices),
            edited=said.edited is not None and decision_problems.is_other(step, decided),
            root_identity=self._context.root.lasting_identity,
            policy_fingerprint=staleness.rules_for(rules, step),
            comments=tuple(said.comments),
            seen=self._person.source,
            folder=self._context.config().folder,
        )

    def _record(self, plan: Plan, decisions: Sequence[tuple[Step, Decision]], state: StepState) -> None:
        store = self._context.store
        with store.database.write() as connection:
            self._check_unchanged(connection, plan)
            states = store.plans.step_states(connection, plan.id)
            for step, _ in decisions:
                if states.get(step.number) is not step.state:
                    raise decision_problems.changed_under_you(step)
            numbers = [step.number for step, _ in decisions]
            void = [step.number for step, _ in decisions if step.state is StepState.APPROVED]
            store.plans.set_step_states(connection, plan.id, void, StepState.PENDING)
            store.plans.set_step_states(connection, plan.id, numbers, state)
            for step, decision in decisions:
                store.plans.decide(connection, plan.id, step.number, decision)
            store.plans.settle(connection, plan.id)
