"""Review queue controller: plans, history, current step, waiting agents, configuration trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from studio.engine import Plan, PlanState, Step
from studio.names import show_name
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.states import is_collapsed
from studio.ui.look.words import say
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.review.queue_state import (
    CachedPlans,
    DecidedCounts,
    Pulse,
    QueueState,
    StepRef,
    is_archived,
    read_pulse,
    read_queue_state,
    refresh_and_read,
    reuse_unchanged,
)
from studio.ui.review.state import Tone
from studio.ui.review.unsent import VIEWED, WHOLE_PLAN, DraftKey
from studio.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.engine import HistoryEntry, ProjectFile, Session, ToolCall
    from studio.errors import StudioError
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.settings import Settings
    from studio.workspace import Workspace


# A plan that leaves the queue while shown stays visible as a closed plan, with its status.
#
# The window does not move on by itself: what is typed or pressed then was meant for this plan.

_tr = translator("ClosedPlan")

_LAST_PLACE = DraftKey("-", WHOLE_PLAN, VIEWED, 3)
"""Draft of the plan and step that a window showed last; its place differs from those of marks."""


class ClosedPlan(Value):
    """A closed plan that is still shown, and what became of it."""

    plan: Plan
    sentence: str


def closed_plan_of(
    before: Plan, state: QueueState, reported: ClosedPlan | None, *, is_own: bool
) -> ClosedPlan | None:
    """Return the shown plan's closing, None while it is queued.

    `reported` is the one reported so far; `is_own` means that the user's own action closed the plan.
    """
    current = next((plan for plan in state.plans if plan.id == before.id), None)
    if current is not None:
        was_archived = is_archived(before) and reported is None
        if not is_archived(current) or was_archived:
            return None
    elif state.shown_plan is not None and state.shown_plan.id == before.id:
        current = state.shown_plan
    if current is None:
        # Its last state is unknown; shown as dismissed it does not look pending.
        return ClosedPlan(replace(before, state=PlanState.DISMISSED), _tr("This plan is no longer stored."))
    if before.state is not current.state:
        return ClosedPlan(current, _own_closing(current) if is_own else _closing_by_others(current))
    if reported is not None:
        return ClosedPlan(current, reported.sentence)
    return ClosedPlan(current, say(_tr("{agent} revised this plan."), agent=_agent_of(current)))


def with_closed_plan(state: QueueState, closed_plan: ClosedPlan | None) -> QueueState:
    """Return the state with the closed plan at its queue position."""
    if closed_plan is None or any(plan.id == closed_plan.plan.id for plan in state.plans):
        return state
    plans = sorted((*state.plans, closed_plan.plan), key=lambda plan: (plan.created, plan.id))
    return replace(state, plans=tuple(plans))


def _agent_of(plan: Plan) -> str:
    return show_name(plan.agent) or _tr("The agent")


def _own_closing(plan: Plan) -> str:
    if plan.state is PlanState.COMPLETED:
        return _tr("This plan is now applied.")
    return say(_tr("This plan is now {state}."), state=plan.state.words)


def _closing_by_others(plan: Plan) -> str:
    if plan.is_review and plan.state is PlanState.CANCELLED:
        return _tr("A newer review replaced this one.")
    return {
        PlanState.CANCELLED: say(_tr("{agent} withdrew this plan."), agent=_agent_of(plan)),
        PlanState.REJECTED: _tr("This plan was rejected in another window or on the command line."),
        PlanState.CHANGES_REQUESTED: _tr(
            "Changes to this plan were requested in another window or on the command line."
        ),
        PlanState.COMPLETED: _tr("This plan was applied in another window or on the command line."),
        PlanState.DISMISSED: _tr("This plan was dismissed in another window or on the command line."),
    }.get(plan.state, say(_tr("This plan is now {state}."), state=plan.state.words))


class Queue(QObject):
    """Review queue, read from the store, and its current step."""

    previews_close_requested = Signal()
    """The user goes to a step or plan of the queue; previews close."""
    plans_changed = Signal()
    step_replaced = Signal()
    """Another step is current from now on: views drop the one before."""
    current_changed = Signal()
    contents_wanted = Signal()
    """The current step's contents have to be read; follows `current_changed`."""
    history_changed = Signal()
    store_changed = Signal()
    """The store was read again, because something in it may have changed."""
    tree_changed = Signal()
    rules_changed = Signal()
    """A configuration file changed."""

    def __init__(self, project: Project, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._guards = project, guards
        self._state = QueueState()
        self._counts = DecidedCounts()
        self.plan_id: str | None = None
        self.step_number: int | None = None
        self.current_plan: Plan | None = None
        self.current_step: Step | None = None
        """The selected step, None while a whole plan is selected."""
        self._decided_here: set[str] = set()
        self._own_closed_id = ""
        """Id of the plan that the user's own action removes from the queue."""
        self._are_lists_outdated = False
        """Whether `plans_changed` is delayed until the next step is painted."""
        self.is_loaded = False
        """Whether the first state was read."""
        self.last_write = ""
        """Id of the plan this window wrote last."""
        self._read_error = ""
        """The last reported read error of the store or configuration."""
        self.closed_plan: ClosedPlan | None = None
        """How the current plan was closed, where it left the queue while shown."""
        self.new_plans: frozenset[str] = frozenset()
        project.unsent.loaded.connect(self._show_drafts)
        for signal in (self.plans_changed, self.current_changed, self.history_changed):
            signal.connect(guards.allowed_changed)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The queue, oldest first; new plans are appended."""
        return self._state.plans

    @property
    def ended(self) -> tuple[Plan, ...]:
        """Closed plans that the queue does not hold."""
        return self._state.ended

    @property
    def history(self) -> tuple[HistoryEntry, ...]:
        """Applied plans, newest first."""
        return self._state.history

    @property
    def project_file(self) -> ProjectFile | None:
        """The project's own configuration, None without one."""
        return self._state.project_file

    @property
    def command_line(self) -> str:
        """Whether the command line may approve.

        "ask", "allow" (red gate indicator) or "off".
        """
        return self._state.command_line

    @property
    def waiting(self) -> frozenset[str]:
        """Ids of sessions, plans and tool calls that a process waits on."""
        return self._state.pulse.waiting

    @property
    def is_command_running(self) -> bool:
        """Whether a sandbox command runs, from any process.

        Writing to the project ends it.
        """
        return self._state.pulse.is_command_running

    @property
    def quiet(self) -> frozenset[str]:
        """Agents whose waiting triggers no desktop notification."""
        return self._state.quiet

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Tool calls that wait for an answer, oldest first."""
        return self._state.calls

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Sessions of the queued plans, by id."""
        return self._state.sessions

    def _set_current(self, plan_id: str | None, step: int | None) -> None:
        """Set the current plan and step from the cached plans."""
        self.plan_id, self.step_number = plan_id, step
        # Resolved once: each part reads them hundreds of times for every key press.
        self.current_plan = next((plan for plan in self._state.plans if plan.id == plan_id), None)
        self.current_step = (
            self.current_plan.step(step) if self.current_plan is not None and step is not None else None
        )

    def is_archived(self, plan: Plan) -> bool:
        """Return whether a plan is archived.

        The plan that is shown keeps its place.
        """
        return is_archived(plan) and (self.closed_plan is None or plan.id != self.closed_plan.plan.id)

    def draft_key(self, kind: str, place: int = 0, *, of_plan: bool = False) -> DraftKey:
        """Return the draft key for the current step, or its plan."""
        step = WHOLE_PLAN if of_plan else self.step_number or WHOLE_PLAN
        return DraftKey(self.plan_id or "-", step, kind, place)

    def refresh(self) -> None:
        """Check the files of open steps again and read the store."""
        self._read(refresh_and_read)

    def disk_changed(self) -> None:
        """Refresh after a write in the project, ours or others'."""
        self.refresh()
        self.tree_changed.emit()

    def poll(self) -> None:
        """Read the store if another process wrote it.

        Also updates lists whose step was never painted.
        """
        self.update_lists()
        workspace = self._project.workspace
        self._project.ask(read_pulse, workspace, then=self._compare_pulse, failed=self._report_read_error)

    def reload(self) -> None:
        """Read the store again."""
        self._read(read_queue_state)

    def _read(self, read: Callable[[Workspace, CachedPlans], QueueState]) -> None:
        workspace = self._project.workspace
        self._project.ask(
            read, workspace, self._cached_state(), then=self._handle_state, failed=self._report_read_error
        )

    def _handle_state(self, state: QueueState) -> None:
        if self._read_error:
            self._read_error = ""
            self._project.report_status(self.tr("The project and its settings are readable again."))
        self._apply_state(state)

    def _report_read_error(self, error: StudioError) -> None:
        """Report a read error once: every poll fails until it is fixed."""
        message = f"{error.message} {error.hint}"
        if message != self._read_error:
            self._read_error = message
            self._project.report(error)

    def _cached_state(self) -> CachedPlans:
        return CachedPlans(frozenset(self._decided_here), self.plans, self.plan_id or "", self._counts)

    def select(self, plan_id: str | None, step: int | None = None, *, by_user: bool = True) -> None:
        """Make a step current, or the whole plan if `step` is None."""
        self.previews_close_requested.emit()
        if (plan_id, step) == (self.plan_id, self.step_number):
            return
        self._set_current(plan_id, step)
        leaves_closed = self.closed_plan is not None and plan_id != self.closed_plan.plan.id
        if leaves_closed:
            self.closed_plan = None
        if plan_id in self.new_plans or leaves_closed:
            self.new_plans -= {plan_id}
            self.plans_changed.emit()
        self._show_current(OWN_CHANGE_SECONDS if by_user else foreign_change_seconds())
        if leaves_closed:
            self.reload()

    def _show_drafts(self) -> None:
        if self.is_loaded:
            self.plans_changed.emit()
            self._show_current(OWN_CHANGE_SECONDS)

    @property
    def current_ref(self) -> StepRef:
        """The current position; the plan id is "" for an empty queue."""
        return (self.plan_id or "", self.step_number or WHOLE_PLAN)

    def _show_current(self, guard_seconds: float) -> None:
        self._guards.dead_time.begin(guard_seconds)
        self.step_replaced.emit()
        self.current_changed.emit()
        self.contents_wanted.emit()

    def _compare_pulse(self, pulse: Pulse) -> None:
        if pulse != self._state.pulse or self._read_error:
            self.reload()

    def _apply_state(self, state: QueueState) -> None:
        """Show a state and emit signals for what differs."""
        before, plan_before, step_before = self._state, self.current_plan, self.current_step
        place_before = self.current_ref
        is_first = not self.is_loaded
        self.closed_plan = self._closed_plan_after(plan_before, state)
        self._state = state = with_closed_plan(state, self.closed_plan)
        self._decided_here -= {plan.id for plan in state.ended}
        self._set_current(self.plan_id, self.step_number)
        self.is_loaded = True
        last_ref = self._last_ref() if is_first else None
        if is_first:
            ids = (frozenset(plan.id for plan in plans) for plans in (self.plans, self.ended))
            self._project.unsent.forget_except(*ids)
        if not is_first:
            self._report_new_plans(before, state)
        self.new_plans &= {plan.id for plan in self.plans}
        is_other = before.plans != state.plans or before.pulse.waiting != state.pulse.waiting
        if is_first or is_other or self._are_lists_outdated:
            self._are_lists_outdated = False
            self.plans_changed.emit()
        if is_first or before.history != state.history:
            self.history_changed.emit()
        was_running, is_running = before.pulse.is_command_running, state.pulse.is_command_running
        status_before = (before.command_line, before.sessions, was_running)
        if status_before != (state.command_line, state.sessions, is_running):
            self._guards.allowed_changed.emit()
        self.store_changed.emit()
        if not is_first and before.pulse.configuration != state.pulse.configuration:
            self.rules_changed.emit()
        if self.current_plan is None:
            self._select_first(place_before, last_ref, is_loaded=not is_first)
        else:
            self._follow_current(plan_before, step_before)

    def _closed_plan_after(self, before: Plan | None, state: QueueState) -> ClosedPlan | None:
        """Return how the current plan was closed, if it left the queue.

        None where the window may move on: after the user's own action, unless they are typing.
        """
        if before is None:
            return None
        is_own = before.id == self._own_closed_id
        closed_plan = closed_plan_of(before, state, self.closed_plan, is_own=is_own)
        moves_on = is_own and not self._guards.key_guard.expects_text and self.closed_plan is None
        return None if moves_on else closed_plan

    def _report_new_plans(self, before: QueueState, after: QueueState) -> None:
        ids_before = {plan.id for plan in before.plans} | {entry.plan.id for entry in before.history}
        ids_after = {plan.id for plan in after.plans if plan.state is not PlanState.CANCELLED}
        new_ids = ids_after - ids_before - self._decided_here
        if new_ids:
            # Earlier ones not viewed yet stay new.
            self.new_plans = (self.new_plans | new_ids) & {plan.id for plan in after.plans}
            sentences = self.tr("{n} new plan received."), self.tr("{n} new plans received.")
            self._project.report_status(words.counted(len(self.new_plans), *sentences), Tone.NEWS)

    def note_place(self) -> None:
        """Store the current step, to which the next window returns."""
        self._project.unsent.store_later(_LAST_PLACE, "{} {}".format(*self.current_ref).encode())

    def _last_ref(self) -> StepRef | None:
        """Return the undecided step that the window before showed last."""
        plan_id, _, number = self._project.unsent.text(_LAST_PLACE).partition(" ")
        plan = next((plan for plan in self.plans if plan.id == plan_id), None)
        steps = () if plan is None or self.is_archived(plan) else plan.undecided
        return next(((plan_id, step.number) for step in steps if str(step.number) == number), None)

    def _select_first(
        self, place_before: tuple[str, int], last_ref: StepRef | None, *, is_loaded: bool
    ) -> None:
        """Go to the last window's step, or the first undecided one."""
        self._set_current(None, None)
        listed = [plan for plan in self.plans if not self.is_archived(plan)]
        candidates = [plan for plan in listed if plan.undecided] or listed
        if candidates:
            plan = candidates[0]
            first = min(plan.undecided or plan.steps, key=is_collapsed, default=None)
            self._set_current(*(last_ref or (plan.id, first.number if first else None)))
            self.new_plans -= {self.plan_id or ""}
        # A preview beside an empty queue keeps the focus when others write to the store.
        if place_before != self.current_ref or not is_loaded:
            self._show_current(foreign_change_seconds())

    def _follow_current(self, plan_before: Plan | None, step_before: Step | None) -> None:
        plan, step = self.current_plan, self.current_step
        if step_before is not None and step is not None and step.revision != step_before.revision:
            self._guards.dead_time.begin(foreign_change_seconds())
            self.current_changed.emit()
            self.contents_wanted.emit()
        elif (
            step is None
            and plan is not None
            and plan_before is not None
            and _have_steps_changed(plan_before, plan)
        ):
            self._guards.dead_time.begin(foreign_change_seconds())

    def note_decided(self, plan_id: str) -> None:
        """Record that the user decided or proposed this plan here.

        It is not reported as new, and stays in the queue.
        """
        self._decided_here.add(plan_id)

    def note_exit(self, plan_id: str) -> None:
        """Record that the user's own action removes this plan."""
        self._own_closed_id = plan_id

    def with_counts(self, cached: Plan | None, plan: Plan) -> Plan:
        """Return the plan with its decisions' line counts.

        Runs on the engine thread.
        """
        return reuse_unchanged(cached, self._counts.count(self._project.workspace, plan))

    def replace_plan(self, plan: Plan) -> None:
        """Show a plan's new state before the store is read."""
        self._apply_state(self._with_plan(plan))

    def show_step_first(self, plan: Plan, number: int) -> None:
        """Show a plan's next step first and its lists later.

        The lists follow once the step is painted: see `update_lists`. A step that is shown already stays.
        """
        shown = self.current_step
        self._state = self._with_plan(plan)
        self._are_lists_outdated = True
        step = plan.step(number)
        if shown is None or step is None or (shown.number, shown.revision) != (number, step.revision):
            self.show_step(number)
            return
        self._set_current(self.plan_id, number)
        # Its lines may come only now: their reading waited behind the decision.
        self._guards.dead_time.begin(foreign_change_seconds())
        self._project.runner.next_turn(self.update_lists)

    def show_step(self, number: int) -> None:
        """Show another step of the current plan after a decision."""
        self._set_current(self.plan_id, number)
        self._show_current(foreign_change_seconds())

    def update_lists(self) -> None:
        """Update the lists and read the store, if delayed for a step."""
        if self._are_lists_outdated:
            self._are_lists_outdated = False
            self.plans_changed.emit()
            self.reload()

    def _with_plan(self, plan: Plan) -> QueueState:
        plan = self._counts.with_cached(plan)
        plans = (plan if each.id == plan.id else each for each in self.plans)
        listed = tuple(each for each in plans if each.state is not PlanState.DISMISSED)
        return replace(self._state, plans=listed)

    def note_written(self, plan: Plan, *, leaves: bool = False) -> None:
        """Record that this window wrote a plan or a part of it.

        `leaves` means that the write removes it from the queue.
        """
        self.last_write = plan.last_part_key
        if leaves:
            self._own_closed_id = plan.id


def _have_steps_changed(before: Plan, after: Plan) -> bool:
    return [step.revision for step in before.steps] != [step.revision for step in after.steps]


# Agents that wait for an answer, and news of further ones.


class Waiter(Value):
    """A waiting agent, with its plan's title or the tool requested."""

    id: str
    agent: str
    what: str
    is_call: bool = False


class Waiters(QObject):
    """Waiting agents of each queue state; those at startup are not news."""

    waiter_added = Signal(object)
    """A new `Waiter` whose agent has desktop notifications enabled."""
    count_changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._queue = queue
        self._ids_before: frozenset[str] | None = None
        self.count = 0
        queue.store_changed.connect(self._update)

    def _update(self) -> None:
        waiters = tuple(self._waiters())
        ids = frozenset(waiter.id for waiter in waiters)
        ids_before, self._ids_before = self._ids_before, ids
        if self.count != len(waiters):
            self.count = len(waiters)
            self.count_changed.emit()
        if ids_before is not None:
            for waiter in waiters:
                if waiter.id not in ids_before and waiter.agent not in self._queue.quiet:
                    self.waiter_added.emit(waiter)

    def _waiters(self) -> Iterator[Waiter]:
        for plan in self._queue.plans:
            if plan.id in self._queue.waiting:
                yield Waiter(plan.id, plan.agent, plan.title)
        for call in self._queue.calls:
            yield Waiter(call.id, call.agent, call.tool, is_call=True)


_POSTPONED_KEY = "trust_put_aside"


class Trust(QObject):
    """Trust prompt, once per version of the file.

    What is allowed without trust waits for no answer.
    """

    changed = Signal()
    """The file or its trust changed."""

    def __init__(self, project: Project, queue: Queue, settings: Settings) -> None:
        super().__init__(project)
        self._project, self._queue, self._settings = project, queue, settings
        self._shown: ProjectFile | None = None
        queue.store_changed.connect(self._follow_file)

    @property
    def file(self) -> ProjectFile | None:
        """The project's configuration as read last, None without one."""
        return self._queue.project_file

    @property
    def needs_answer(self) -> bool:
        """Whether this version widens something and the user has not answered."""
        file = self.file
        if file is None or not file.waiting:
            return False
        return file.sha256 != self._settings.text(_POSTPONED_KEY)

    def postpone(self) -> None:
        """Postpone trust in this version; what it widens has no effect."""
        if self.file is not None:
            self._settings.store_text(_POSTPONED_KEY, self.file.sha256)
            self.changed.emit()

    def trust(self, sha256: str) -> None:
        """Trust the file as long as its bytes are those shown."""
        done = partial(self._report_done, self.tr("studio.yaml is trusted until it changes."))
        self._project.runner.call(
            self._project.reviewer.trust_configuration, sha256, then=done, failed=self._report_failure
        )

    def distrust(self) -> None:
        """Revoke trust in every version."""
        done = partial(self._report_done, self.tr("studio.yaml is no longer trusted."))
        self._project.runner.call(
            self._project.reviewer.distrust_configuration, then=done, failed=self._report_failure
        )

    def _follow_file(self) -> None:
        if self.file != self._shown:
            if self._shown is not None:  # one of the notices lists what waits for trust
                self._project.read_notices()
            self._shown = self.file
            self.changed.emit()

    def _report_done(self, sentence: str, _nothing: None) -> None:
        self._project.report_status(sentence)
        self._queue.reload()

    def _report_failure(self, error: StudioError) -> None:
        self._project.report(error)
        self._queue.reload()
