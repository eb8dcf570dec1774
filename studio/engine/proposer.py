"""Agent-side API of an open project: proposals, sessions, tool calls and queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from studio.engine import apply, diff, disk, history, propose, review
from studio.engine.draft import ExcludedPath, PlanDraft
from studio.engine.plan import ACTIVE_PLAN_STATES, Plan, PlanState, Step
from studio.engine.policy import PathVerdict, Policy
from studio.engine.project import calls
from studio.engine.project.context import Side
from studio.engine.root import EntryKind, Guard, PathLocked, ReservedNames
from studio.engine.session import CallState, EventKind, Session, SessionEvent, SessionState, ToolCall
from studio.engine.store.database import translated
from studio.engine.trial import Trial
from studio.errors import Refused
from studio.limits import AGENT_CHARACTERS, CLOSED_PLANS_UP_TO, EVENTS_AT_ONCE, SESSION_NAME_CHARACTERS
from studio.names import project_path, show_name
from studio.program.notify_socket import wait_until
from studio.system.os_errors import failure
from studio.text import Forms, NotText, TextForm, detect_forms
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine.apply.retention import RetentionReport, UndoLoss
    from studio.engine.history import (
        CommitMessage,
        DriftResolution,
        HistoryEntry,
        RollbackEntry,
        RollbackPreview,
    )
    from studio.engine.propose.layer_draft import LayerChanges
    from studio.engine.propose.path_conflicts import PathConflict
    from studio.engine.propose.session_files import SessionFiles
    from studio.engine.review.editor_text import EditableText
    from studio.engine.review.rebase import RebasePreview
    from studio.engine.store import Store

_CLOSED_STATES = (PlanState.INVALID, PlanState.CANCELLED, PlanState.FAILED)

_WITHDRAWN_FROM = frozenset({PlanState.PENDING, PlanState.APPROVED, PlanState.PAUSED})


class StepContents(Value, dict=True):
    """Bytes of a step's sides.

    None where there is no file, or the bytes are not stored any more. `setting` is the configured encoding of
    the path.
    """

    base: bytes | None
    result: bytes | None
    decided: bytes | None
    setting: str | None = None

    @cached_property
    def forms(self) -> Forms:
        """Encodings of base and result, detected on first access.

        This takes time for large files.
        """
        return detect_forms(self.base, self.result, self.setting)

    @property
    def form(self) -> TextForm | NotText | None:
        """Form of the result, or of the base for an empty result."""
        return self.forms.result if self.result or not self.base else self.forms.base


class PlanPreview(Value):
    """A plan as it would be proposed, not stored.

    With the 1-based line of each step in the text, and the reply that the agent would get now. `twin` is the
    queued plan with an identical proposal, if any. `repairs` names for each step the one repair that would
    make it match, or did, "" where there is none.
    """

    plan: Plan
    lines: tuple[int | None, ...]
    reply: str
    twin: Plan | None = None
    repairs: tuple[str, ...] = ()


class Proposer(Side):
    """Operations on a project that an agent's door may use."""

    @Side._notifies
    def propose(self, draft: PlanDraft, *, session: Session | None = None, waits: bool = False) -> Plan:
        """Check a draft, store it and return the plan.

        Every byte that an apply needs is stored. A submission identical to a pending plan's returns that
        plan, marked `duplicate`. An unreadable draft becomes an `invalid` plan. A session's proposal joins
        its open plan as long as no step of that is decided, unless its agent `waits` for the answer. Raises
        Refused for too many steps or an unusable store.
        """
        context = self._context
        context.check_root()
        if session is None:
            return propose.propose_alone(context, draft, propose.prepare(context, draft))
        draft = replace(draft, agent=session.agent or draft.agent)
        if waits:
            return propose.propose_alone(
                context, draft, propose.prepare(context, draft), session.id, waits=True
            )
        # The session's own plans may hide another plan with an identical proposal.
        if context.store.plans.find_by_session(session.id, ACTIVE_PLAN_STATES):
            twin = propose.open_twin(context, propose.prepare(context, draft))
            if twin is not None:
                return replace(twin, duplicate=True)
        return propose.propose_in_session(context, draft, session)

    def preview(self, draft: PlanDraft) -> PlanPreview:
        """Return what `propose` would make of a draft, without storing it.

        Raises Refused.
        """
        context = self._context
        context.check_root()
        prepared = propose.prepare(context, draft)
        plan = propose.plan_of(draft, prepared)
        twin = propose.open_twin(context, prepared)
        return PlanPreview(
            plan,
            tuple(item.line for item in prepared),
            propose.reply_text(replace(plan, id=""), plan.steps, {}),
            twin,
            tuple(item.repair for item in prepared),
        )

    @Side._notifies
    def propose_tree(
        self, folder: Path, *, deletes: bool = False, title: str = "", agent: str = ""
    ) -> Plan | None:
        """Propose the differences from another folder; None if there are none.

        Files missing from the folder are deleted only with `deletes`. Raises NotFound, Refused; see
        `build_tree_draft`.
        """
        self._context.check_root()
        draft = propose.build_tree_draft(self._context, folder, deletes=deletes, title=title, agent=agent)
        if not draft.steps:
            return None
        return propose.propose_alone(self._context, draft, propose.prepare(self._context, draft))

    @Side._notifies
    def propose_layer(self, found: LayerChanges, session: Session, *, alone: bool = False) -> Plan | None:
        """Propose what a command changed in a sandbox.

        It joins the session's plan (`layer_rounds`), or with `alone` is a plan of its own, where the session
        proposes other changes as well. None where nothing changed.
        """
        self._context.check_root()
        if not alone:
            return propose.propose_layer(self._context, found, session)
        draft = propose.build_layer_draft(self._context, found, session.agent)
        prepared = propose.prepare(self._context, draft)
        return propose.propose_alone(self._context, draft, prepared, session.id) if draft.steps else None

    @Side._notifies
    def propose_changes(
        self,
        overlay: SessionFiles,
        session: Session,
        *,
        whole: bool = False,
    ) -> Plan | None:
        """Propose what a session changed in its overlay, or return None.

        The overlay then shows the proposal as the session's own. With `whole` everything is proposed, or
        nothing, and Refused is raised for the first refused change. Other errors as `propose`.
        """
        changes = overlay.changes()
        if not changes:
            return None
        draft = PlanDraft(overlay.format_name, changes, agent=session.agent)
        self._context.check_root()
        plan = propose.propose_in_session(self._context, draft, session, joins=True, whole=whole)
        overlay.close()
        overlay.renew()
        return plan

    @Side._notifies
    def open_session(self, agent: str, door: str, *, name: str = "") -> Session:
        """Open a session that lives until `close_session` or this process ends.

        With a name the agent's previous session of that name at this door is resumed, if there is one. Raises
        Refused for an unusable store or state folder.
        """
        context = self._context
        with context.store.database.write() as connection:
            session = context.store.sessions.begin(
                connection, agent[:AGENT_CHARACTERS], door, name[:SESSION_NAME_CHARACTERS]
            )
        with translated(context.folder / "sessions"):
            context.presence.acquire(session)
        return next(found for found in self.sessions() if found.id == session)

    @Side._notifies
    def adopt(self, plan_id: str, session: Session) -> Plan | None:
        """Return an agent's plan of an ended session.

        While it is open, it belongs to this session from now on, whose agent sees and revises it as before.
        None for a plan of another agent, or of a session that has not ended.
        """
        plan, store = self.plan(plan_id), self._context.store
        is_ended = plan.session not in self._context.presence.states()
        if not (plan.is_proposal and plan.agent == session.agent and is_ended):
            return None
        if plan.state.is_open:
            with store.database.write() as connection:
                store.sessions.adopt(connection, session.id, plan.id)
        return self.plan(plan.id)

    def close_session(self, session: Session) -> None:
        """End a session; its proposals stay.

        A session without plan or name is deleted.
        """
        context = self._context
        context.presence.release(session.id)
        with context.store.database.write() as connection:
            context.store.sessions.forget_unused(connection, session.id)

    def sessions(self) -> tuple[Session, ...]:
        """Return all sessions, current and past, in order of their start."""
        return self._context.store.sessions.all(self._context.presence.states())

    @Side._notifies
    def record(self, session: Session, events: Iterable[tuple[EventKind, Mapping[str, Any]]]) -> None:
        """Store events of a conversation; texts are truncated."""
        context = self._context
        with context.store.database.write(durable=False) as connection:
            for kind, fields in events:
                context.store.session_events.add(connection, session.id, kind, fields)
            context.store.sessions.record_activity(connection, session.id)

    def events(self, session_id: str, after: int = 0) -> tuple[SessionEvent, ...]:
        """Return a session's events after a number, at most EVENTS_AT_ONCE.

        Call it until none is returned.
        """
        return self._context.store.session_events.after(session_id, after, EVENTS_AT_ONCE)

    def waiting(self) -> frozenset[str]:
        """Return the ids of sessions, plans and calls with a waiting process.

        The store does not contain this.
        """
        states = self._context.presence.states()
        return frozenset(session for session, state in states.items() if state is SessionState.WAITING)

    @Side._notifies
    def ask(self, session: Session, tool: str, *, command: str = "", cwd: str = "") -> ToolCall:
        """Ask the reviewer to allow a tool call.

        The call is no file change. This process waits for it until `leave_call`. Raises Refused for more text
        than a person could read.
        """
        return calls.ask(self._context, session, tool, command=command, cwd=cwd)

    @Side._notifies
    def leave_call(self, call_id: str) -> ToolCall:
        """Stop waiting for a call, which ends it if it is undecided."""
        return calls.leave(self._context, call_id)

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the tool calls, oldest first; of ended ones only the newest."""
        return self._context.store.calls.all(self.waiting())

    def call(self, id_or_prefix: str) -> ToolCall:
        """Return one call by its id or a unique prefix.

        A prefix has at least 4 characters. Raises NotFound, UsageError.
        """
        return self._context.store.calls.get(id_or_prefix, self.waiting())

    def wait_for_call(
        self, call_id: str, *, timeout: float | None = None, cancel: threading.Event | None = None
    ) -> ToolCall:
        """Block until a call is allowed or denied.

        Raises TimedOut after `timeout` seconds.
        """

        def look() -> tuple[ToolCall, bool]:
            call = self.call(call_id)
            return call, call.state is not CallState.WAITING

        return wait_until(look, lambda call: f"Call {call.short_id} is not decided yet.", timeout, cancel)

    def plans(self, state: PlanState | None = None) -> tuple[Plan, ...]:
        """Return plans, oldest first; dismissed ones only if asked for."""
        states = frozenset(PlanState) - {PlanState.DISMISSED} if state is None else (state,)
        return self._context.store.plans.all(states)

    def closed_plans(self) -> tuple[Plan, ...]:
        """Return the newest refused, withdrawn and failed proposals.

        Oldest first, without dismissed ones.
        """
        return self._context.store.plans.newest(_CLOSED_STATES, CLOSED_PLANS_UP_TO)

    def plan(self, id_or_prefix: str) -> Plan:
        """Return one plan by its id or a unique prefix.

        A prefix has at least 4 characters. Raises NotFound, UsageError.
        """
        return self._context.store.plans.get(id_or_prefix)

    def trials(self, plan_id: str) -> tuple[Trial, ...]:
        """Return the trials of a plan, newest first; see `Workspace.trials`."""
        return self._context.store.trials.of(plan_id)

    def excluded_paths(self, plan_id: str) -> tuple[ExcludedPath, ...]:
        """Return paths that a plan of a folder or command excludes.

        Only the first ones are stored.
        """
        return self._context.store.left_out.of(plan_id)

    def path_conflicts(self, plan_id: str) -> tuple[PathConflict, ...]:
        """Return a plan's open steps whose path another open plan writes, too."""
        return propose.find_conflicts(self._context, self.plan(plan_id).id)

    def contents(self, plan_id: str, number: int) -> StepContents:
        """Return the bytes of a step's sides.

        Raises NotFound, UsageError.
        """
        step = self._context.store.plans.step(plan_id, number)
        return StepContents(
            self.content(step.base.sha256 if step.base is not None else None),
            self.content(step.result.sha256 if step.result is not None else None),
            self.content(step.decided_sha256),
            self._context.config().encoding_for(step.path),
        )

    def content(self, sha256: str | None) -> bytes | None:
        """Return stored bytes by their hash, None where they are gone."""
        with suppress(Refused):
            return self._context.store.blobs.get(sha256) if sha256 else None
        return None

    def excluded_diff(self, plan_id: str, number: int) -> bytes:
        """Return what was not approved of a decided step, as a diff.

        From the decided result to the proposed one, or the complete proposal where nothing was approved; it
        is for the agent. Empty where everything was approved, and for files that are not text.
        """
        step = self._context.store.plans.require(self.plan(plan_id), number)
        sides = self.contents(plan_id, number)
        return _excluded_diff_bytes(step, sides)

    def reply(self, plan_id: str, numbers: Sequence[int] | None = None) -> str:
        """Return the reply to the agent about a plan or its steps.

        Plain text, with diffs of what was not approved.
        """
        plan, require = self.plan(plan_id), self._context.store.plans.require
        steps = plan.steps if numbers is None else tuple(require(plan, number) for number in numbers)
        return propose.reply_text(
            plan, steps, {step.number: self._excluded_text(plan, step) for step in steps}
        )

    def commit_message(self, plan_id: str) -> CommitMessage:
        """Return a commit message for an applied plan, with its paths.

        The commit itself is left to the user. Raises Refused for a plan that left nothing on disk.
        """
        return history.commit_message(self._context, self.plan(plan_id))

    def _excluded_text(self, plan: Plan, step: Step) -> str:
        sides = self.contents(plan.id, step.number)
        return diff.decode_diff(_excluded_diff_bytes(step, sides), sides.form)

    def rounds(self, plan_id: str) -> tuple[Plan, ...]:
        """Return the earlier rounds of a plan, oldest first.

        See `earlier_rounds`.
        """
        return list_rounds(self._context.store, self.plan(plan_id))

    def revised(self, closed: Sequence[Plan], plans: Iterable[Plan]) -> frozenset[str]:
        """Return the ids of closed plans that are earlier rounds of others."""
        return frozenset(earlier.id for plan in plans for earlier in earlier_rounds(closed, plan))

    def editable(self, plan_id: str, number: int, content: bytes, line: int = 0) -> EditableText:
        """Return content for a step's target as text for an editor.

        Of a large one, the part around the 0-based `line`. Raises Refused for what can't be edited as text.
        """
        step = self._context.store.plans.require(self.plan(plan_id), number)
        return review.editor_text.editable(
            step.target, content, line, self._context.config().encoding_for(step.path)
        )

    def preview_rebase(self, plan_id: str, number: int) -> RebasePreview:
        """Preview the rebase of a stale step onto the current file.

        Raises Refused.
        """
        return review.rebase.preview(self._context, self.plan(plan_id).id, number)

    def wait(
        self,
        plan_id: str,
        *,
        timeout: float | None = None,
        cancel: threading.Event | None = None,
        on_part: Callable[[Plan], object] | None = None,
    ) -> Plan:
        """Block until the agent has nothing left to wait for.

        An approved plan is still to be applied; `on_part` is called after each part of one that stays open.
        Meanwhile the plan and the session that proposed it are shown as waiting. A
        notify socket wakes it; where none can be used, and for a lost notification, it checks four times a
        second. Raises TimedOut after `timeout` seconds.
        """

        reported = len(self.plan(plan_id).parts)

        def look() -> tuple[Plan, bool]:
            nonlocal reported
            plan = self.plan(plan_id)
            if on_part is not None and plan.state.is_open and len(plan.parts) > reported:
                reported = len(plan.parts)
                on_part(plan)
            return plan, plan.state.is_decided

        def standing(plan: Plan) -> str:
            return f"“{plan.title}” is still {plan.state.value}."

        plan = self.plan(plan_id)
        presence = self._context.presence
        with presence.waiting(plan.session or plan.id), presence.waiting(plan.id):
            self._context.notify()  # no commit announces the waiting state
            return wait_until(look, standing, timeout, cancel)

    @Side._notifies
    def withdraw(self, plan_id: str) -> Plan:
        """Withdraw an open plan on behalf of its agent.

        What a part of it wrote stays. Raises Refused for a plan that is closed or being written, TimedOut
        while another process writes.
        """
        plan = self.plan(plan_id)
        store = self._context.store
        # Under the lock no apply of this plan is running: one in the state executing was interrupted.
        with disk.writer_lock(store.lock_file):
            plan = self.plan(plan.id)
            if not plan.is_proposal:
                raise Refused("plan.state", f"No agent proposed “{plan.title}”.", "Reject it or dismiss it.")
            if plan.state not in _WITHDRAWN_FROM:
                raise Refused(
                    "plan.state",
                    f"“{plan.title}” is {plan.state.words}; it can't be withdrawn.",
                    "Only a plan that is not applied yet can be withdrawn.",
                )
            with store.database.write() as connection:
                if plan.parts:
                    store.plans.withdraw_steps(connection, plan.id)
                else:
                    store.plans.set_plan_state(connection, plan.id, PlanState.CANCELLED)
        return self.plan(plan.id)

    def check(
        self, paths: Iterable[str], *, format_name: str = "", agent: str = ""
    ) -> tuple[PathVerdict, ...]:
        """Check paths against the rules, as for a plan's step.

        The rules for that format and agent are used.
        """
        rules = self._context.policy(format_name, agent)
        guard, reserved = self._context.guard(), ReservedNames(self._context.root)
        named = (project_path(path, (self._context.root.path,)) for path in paths)
        return tuple(self._find_verdict(rules, guard, path, exists=reserved.has(path)) for path in named)

    def _find_verdict(self, rules: Policy, guard: Guard, path: str, *, exists: bool) -> PathVerdict:
        verdict = rules.check(path, exists=exists)
        if not verdict.allowed:
            return verdict
        root = self._context.root
        try:
            guard.check(path)
            state = root.state(path)
            if state is not None and state.kind is EntryKind.FOLDER:
                return rules.check(path, folder=True, exists=exists)
            if state is not None and state.kind is not EntryKind.FILE:
                root.read(path, 0)
        except PathLocked as error:
            return PathVerdict(path, False, error.rule, "locked", error.message, error.hint)
        except Refused as error:
            return PathVerdict(path, False, error.code, "disk", error.message, error.hint)
        except OSError as error:
            failed = failure(error, f"{show_name(path)} can't be accessed", path=path)
            return PathVerdict(path, False, failed.code, "disk", failed.message, failed.hint)
        return verdict

    def preview_rollback(
        self,
        plan_id: str,
        steps: Sequence[int] | None = None,
        ways: Mapping[int, DriftResolution] | None = None,
        *,
        whole: bool = False,
    ) -> RollbackPreview:
        """Preview the rollback of a plan or some of its steps.

        `ways` has the drift resolution for changed files by step number; `whole` also checks for obstacles to
        writing, and may wait for a file that another program has locked.
        """
        return history.preview(self._context, self.plan(plan_id).id, steps, ways, whole=whole)

    def rollback_entries(self, plan_id: str) -> Iterator[RollbackEntry]:
        """Yield the stored rollback data of an applied plan, by step."""
        return history.rollback_entries(self._context, self.plan(plan_id))

    def count_decided_lines(self, plan_id: str, number: int) -> tuple[int, int] | None:
        """Return how many lines a step's decided result adds and removes.

        None where its bytes are not stored any more. Raises NotFound, UsageError.
        """
        return history.count_decided_lines(self._context, self._context.store.plans.step(plan_id, number))

    def history(self) -> tuple[HistoryEntry, ...]:
        """Return applied plans, newest first."""
        return history.entries(self._context)

    def retention(self) -> RetentionReport:
        """Return which undo is kept, and its size on disk.

        Also the plans whose undo the next apply will discard.
        """
        return apply.retention.report(self._context)

    def undo_expiry(
        self, next_plan: str | None = None, *, next_is_rollback: bool = False
    ) -> RetentionReport | None:
        """Return `retention` if the next apply would discard any undo, else None.

        It is fast if not. The next apply is that of any plan, of `next_plan`, or of a rollback. Raises
        NotFound, UsageError.
        """
        return apply.retention.undo_expiry(self._context, next_plan, next_is_rollback=next_is_rollback)

    def undo_loss(self, plan_id: str) -> UndoLoss:
        """Return what discarding a plan's undo would lose.

        Raises NotFound, UsageError, Refused for a plan that has none.
        """
        return apply.retention.loss(self._context, plan_id)

    @Side._notifies
    def refresh(self) -> bool:
        """Update the states of open steps from disk; return whether any changed."""
        return review.staleness.refresh(self._context)


def _excluded_diff_bytes(step: Step, sides: StepContents) -> bytes:
    return propose.excluded_diff(
        step, sides.base, sides.result, sides.decided, forms=sides.forms, setting=sides.setting
    )


ENDED = (PlanState.CHANGES_REQUESTED, PlanState.REJECTED, PlanState.CANCELLED)
"""End states of a round that may be followed by another."""


def list_rounds(store: Store, plan: Plan) -> tuple[Plan, ...]:
    """Return the earlier rounds of a plan, oldest first."""
    return earlier_rounds(store.plans.all(ENDED), plan)


def earlier_rounds(plans: Iterable[Plan], plan: Plan) -> tuple[Plan, ...]:
    """Return those of `plans` that are earlier rounds of a plan.

    `plans` are oldest first. None are found for a plan without an agent's name, except for a review: that of
    the same subject.
    """
    if plan.is_review:
        return tuple(
            other for other in plans if other.reviews == plan.reviews and other.created < plan.created
        )
    paths = _plan_paths(plan)
    return tuple(
        other
        for other in plans
        if plan.agent
        and other.agent == plan.agent
        and other.id != plan.id
        and other.state in ENDED
        and other.created <= plan.created
        and other.is_proposal
        and (other.title == plan.title or paths & _plan_paths(other))
    )


def _plan_paths(plan: Plan) -> frozenset[str]:
    return frozenset(path for step in plan.steps for path in step.written_paths)
