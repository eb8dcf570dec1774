"""The queue of a project as it is shown: its plans and history, and the step that is current."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, Step
from studio.ui.desk.guards import OWN_MOVE, surprise
from studio.ui.desk.happening import Tone
from studio.ui.desk.queue_state import (
    DecidedCounts,
    Known,
    Pulse,
    QueueState,
    StepRef,
    is_put_aside,
    read_pulse,
    read_queue_state,
    refresh_and_read,
    used_again,
)
from studio.ui.desk.unsent import WHOLE_PLAN, UnsentPlace
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.config import ProjectFile
    from studio.engine.errors import StudioError
    from studio.engine.history import HistoryEntry
    from studio.engine.proposer import Call
    from studio.engine.workspace import Session, Workspace
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project

# A plan that leaves the queue while it is looked at stays as a dead page that says what became of it.
#
# The window goes nowhere by itself: what is typed or pressed at that moment was meant for this plan.

_tr = translator("Departure")


@dataclass(frozen=True, slots=True)
class Departure:
    """The plan as it is now, and what became of it."""

    plan: Plan
    sentence: str


def departure_of(
    before: Plan, state: QueueState, known: Departure | None, *, is_own: bool
) -> Departure | None:
    """What became of the plan that is looked at; None while it stands in the queue.

    `known` is what was said of it so far; with `is_own` the person's own act took it out.
    """
    now = next((plan for plan in state.plans if plan.id == before.id), None)
    if now is not None:
        was_aside = is_put_aside(before) and known is None
        if not is_put_aside(now) or was_aside:
            return None
    elif state.looked_at is not None and state.looked_at.id == before.id:
        now = state.looked_at
    if now is None:
        # Nobody knows any more what it was; as a dismissed one it looks like nothing that waits.
        return Departure(replace(before, state=PlanState.DISMISSED), _tr("This plan is not kept any more."))
    return Departure(now, _own(now) if is_own else _by_others(now))


def with_departed(state: QueueState, departure: Departure | None) -> QueueState:
    """The state with the departed plan at its place in the queue."""
    if departure is None or any(plan.id == departure.plan.id for plan in state.plans):
        return state
    plans = sorted((*state.plans, departure.plan), key=lambda plan: (plan.created, plan.id))
    return replace(state, plans=tuple(plans))


def _own(plan: Plan) -> str:
    if plan.state is PlanState.COMPLETED:
        return _tr("This plan is applied now.")
    return say(_tr("This plan is {state} now."), state=plan.state.words)


def _by_others(plan: Plan) -> str:
    agent = show_name(plan.agent) or _tr("The agent")
    return {
        PlanState.CANCELLED: say(_tr("{agent} has withdrawn this plan."), agent=agent),
        PlanState.REJECTED: _tr("This plan was rejected in another window or on the command line."),
        PlanState.CHANGES_REQUESTED: _tr(
            "Changes of this plan were asked for in another window or on the command line."
        ),
        PlanState.COMPLETED: _tr("This plan was applied in another window or on the command line."),
        PlanState.DISMISSED: _tr("This plan was dismissed in another window or on the command line."),
    }.get(plan.state, say(_tr("This plan is {state} now."), state=plan.state.words))


class Queue(QObject):
    """Holds the last state of the store and which step of it is current; asks the engine for more."""

    left = Signal()
    """The person goes to a step or plan of the queue: nothing else stands over it any more."""
    plans_changed = Signal()
    goes_on = Signal()
    """Another step is current from now on: nothing of the one before is to be shown."""
    current_changed = Signal()
    contents_wanted = Signal()
    """What stands there of the current step is to be read; `current_changed` was told before."""
    history_changed = Signal()
    store_changed = Signal()
    """The store was read again, because something in it may have changed."""
    tree_changed = Signal()
    rules_changed = Signal()
    """A file of the configuration is another one."""

    def __init__(self, project: Project, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._guards = project, guards
        self._state = QueueState()
        self._counts = DecidedCounts()
        self.plan_id: str | None = None
        self.step_number: int | None = None
        self.current_plan: Plan | None = None
        self.current_step: Step | None = None
        """The selected step, None while a plan as a whole is selected."""
        self._decided_here: set[str] = set()
        self._own_exit = ""
        """The plan that the person's own act takes out of the queue."""
        self._are_lists_behind = False
        """Whether `plans_changed` waits until the lines of the next step stand on screen."""
        self.is_loaded = False
        """Whether the first state has come."""
        self.written = ""
        """The id of the plan that this window wrote last."""
        self._unread = ""
        """Why the store or the configuration could not be read the last time, as it was said."""
        self.departure: Departure | None = None
        """What became of the current plan, where it has left the queue while it was looked at."""
        self.new_plans: frozenset[str] = frozenset()
        project.unsent.loaded.connect(self._unsent_loaded)
        for signal in (self.plans_changed, self.current_changed, self.history_changed):
            signal.connect(guards.allowed_changed)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The queue, oldest first; new plans come at the end."""
        return self._state.plans

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
        """Whether the command line may approve: "ask", "allow" (red lamp) or "off"."""
        return self._state.command_line

    @property
    def waiting(self) -> frozenset[str]:
        """The ids of the sessions, plans and calls for whose answer a process waits."""
        return self._state.pulse.waiting

    @property
    def is_command_running(self) -> bool:
        """Whether a command works in the sandbox, for whomever: to write to the project ends it."""
        return self._state.pulse.is_command_running

    @property
    def quiet(self) -> frozenset[str]:
        """Agents of whose waiting the user wants no word outside of the window."""
        return self._state.quiet

    @property
    def calls(self) -> tuple[Call, ...]:
        """What agents ask for and wait for, the oldest first."""
        return self._state.calls

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Who proposed the plans of the queue, by the session's id."""
        return self._state.sessions

    def _go(self, plan_id: str | None, step: int | None) -> None:
        """Be there from now on, in the plans as they are known now."""
        self.plan_id, self.step_number = plan_id, step
        # Found once: each part asks hundreds of times for every press.
        self.current_plan = next((plan for plan in self._state.plans if plan.id == plan_id), None)
        self.current_step = (
            self.current_plan.step(step) if self.current_plan is not None and step is not None else None
        )

    def is_put_aside(self, plan: Plan) -> bool:
        """Whether a plan stands in the group below the queue; what is looked at stays where it is."""
        return is_put_aside(plan) and (self.departure is None or plan.id != self.departure.plan.id)

    def unsent_place(self, kind: str, place: int = 0, *, of_plan: bool = False) -> UnsentPlace:
        """Where the book keeps what is begun on the current step, or on its plan."""
        step = WHOLE_PLAN if of_plan else self.step_number or WHOLE_PLAN
        return UnsentPlace(self.plan_id or "-", step, kind, place)

    def refresh(self) -> None:
        """Look at the files of open steps again and read the store."""
        self._read(refresh_and_read)

    def disk_changed(self) -> None:
        """Something was written in the project, by us or by others."""
        self.refresh()
        self.tree_changed.emit()

    def poll(self) -> None:
        """Read the store again if another process wrote it, or if lines for which that waits never came."""
        self.tell_lists()
        workspace = self._project.workspace
        self._project.ask(read_pulse, workspace, then=self._compare_pulse, failed=self._not_read)

    def reload(self) -> None:
        """Read the store again."""
        self._read(read_queue_state)

    def _read(self, question: Callable[[Workspace, Known], QueueState]) -> None:
        workspace = self._project.workspace
        self._project.ask(question, workspace, self._known(), then=self._was_read, failed=self._not_read)

    def _was_read(self, state: QueueState) -> None:
        if self._unread:
            self._unread = ""
            self._project.say(self.tr("The project and its settings can be read again."))
        self._take(state)

    def _not_read(self, error: StudioError) -> None:
        """Say it once, for every look at the store ends so until somebody mends it."""
        said = f"{error.message} {error.hint}"
        if said != self._unread:
            self._unread = said
            self._project.report(error)

    def _known(self) -> Known:
        return Known(frozenset(self._decided_here), self.plans, self.plan_id or "", self._counts)

    def select(self, plan_id: str | None, step: int | None = None, *, by_user: bool = True) -> None:
        """Make a step (or with `step` None a whole plan) the current one."""
        self.left.emit()
        if (plan_id, step) == (self.plan_id, self.step_number):
            return
        self._go(plan_id, step)
        left = self.departure is not None and plan_id != self.departure.plan.id
        if left:
            self.departure = None
        if plan_id in self.new_plans or left:
            self.new_plans -= {plan_id}
            self.plans_changed.emit()
        self._show_current(OWN_MOVE if by_user else surprise())
        if left:
            self.reload()

    def _unsent_loaded(self) -> None:
        if self.is_loaded:
            self.plans_changed.emit()
            self._show_current(OWN_MOVE)

    @property
    def place(self) -> StepRef:
        """Where the person is; plan id "" where the queue is empty."""
        return (self.plan_id or "", self.step_number or WHOLE_PLAN)

    def _show_current(self, dead: float) -> None:
        self._guards.dead_time.begin(dead)
        self.goes_on.emit()
        self.current_changed.emit()
        self.contents_wanted.emit()

    def _compare_pulse(self, pulse: Pulse) -> None:
        if pulse != self._state.pulse or self._unread:
            self.reload()

    def _take(self, state: QueueState) -> None:
        """Make a state the one that is shown; tell only what differs."""
        before, plan_before, step_before = self._state, self.current_plan, self.current_step
        place_before = self.place
        first = not self.is_loaded
        self.departure = self._departure(plan_before, state)
        self._state = state = with_departed(state, self.departure)
        self._go(self.plan_id, self.step_number)
        self.is_loaded = True
        if first:
            self._project.unsent.forget_except(frozenset(plan.id for plan in self.plans))
        if not first:
            self._notice_new_plans(before, state)
        self.new_plans &= {plan.id for plan in self.plans}
        is_other = before.plans != state.plans or before.pulse.waiting != state.pulse.waiting
        if first or is_other or self._are_lists_behind:
            self._are_lists_behind = False
            self.plans_changed.emit()
        if first or before.history != state.history:
            self.history_changed.emit()
        was_running, is_running = before.pulse.is_command_running, state.pulse.is_command_running
        told = (before.command_line, before.sessions, was_running)
        if told != (state.command_line, state.sessions, is_running):
            self._guards.allowed_changed.emit()
        self.store_changed.emit()
        if not first and before.pulse.configuration != state.pulse.configuration:
            self.rules_changed.emit()
        if self.current_plan is None:
            self._select_first(place_before, is_loaded=not first)
        else:
            self._follow_current(plan_before, step_before)

    def _departure(self, before: Plan | None, state: QueueState) -> Departure | None:
        """What became of the current plan where it has left the queue; None where the person goes on anyway:
        after their own act, unless they are typing."""
        if before is None:
            return None
        is_own = before.id == self._own_exit
        departure = departure_of(before, state, self.departure, is_own=is_own)
        goes_on = is_own and not self._guards.press_guard.expects_text and self.departure is None
        return None if goes_on else departure

    def _notice_new_plans(self, before: QueueState, after: QueueState) -> None:
        known = {plan.id for plan in before.plans} | {entry.plan.id for entry in before.history}
        came = {plan.id for plan in after.plans if plan.state is not PlanState.CANCELLED}
        fresh = came - known - self._decided_here
        if fresh:
            # Those that came before and that nobody looked at yet are still news.
            self.new_plans = (self.new_plans | fresh) & {plan.id for plan in after.plans}
            arrived = self.tr("{n} new plan arrived."), self.tr("{n} new plans arrived.")
            self._project.say(words.counted(len(self.new_plans), *arrived), Tone.NEWS)

    def _select_first(self, place_before: tuple[str, int], *, is_loaded: bool) -> None:
        """The current plan is gone (or there was none): go to the first undecided step that waits."""
        self._go(None, None)
        listed = [plan for plan in self.plans if not self.is_put_aside(plan)]
        waiting = [plan for plan in listed if plan.undecided] or listed
        if waiting:
            plan = waiting[0]
            first = plan.undecided[0] if plan.undecided else (plan.steps[0] if plan.steps else None)
            self._go(plan.id, first.number if first else None)
            self.new_plans -= {plan.id}
        # Whoever reads a preview beside an empty queue keeps their keys when others write to the store.
        if place_before != self.place or not is_loaded:
            self._show_current(surprise())

    def _follow_current(self, plan_before: Plan | None, step_before: Step | None) -> None:
        plan, step = self.current_plan, self.current_step
        if step_before is not None and step is not None and step.revision != step_before.revision:
            self._guards.dead_time.begin(surprise())
            self.current_changed.emit()
            self.contents_wanted.emit()
        elif step is None and plan is not None and plan_before is not None and _changed(plan_before, plan):
            self._guards.dead_time.begin(surprise())

    def note_decided(self, plan_id: str) -> None:
        """The person decided about that plan, or proposed it: it is no news, and stays in the queue."""
        self._decided_here.add(plan_id)

    def note_exit(self, plan_id: str) -> None:
        """The person's own act takes that plan out of the queue."""
        self._own_exit = plan_id

    def counted(self, known: Plan | None, plan: Plan) -> Plan:
        """On the engine thread: the plan with the lines that its decisions write."""
        return used_again(known, self._counts.count(self._project.workspace, plan))

    def replace_plan(self, plan: Plan) -> None:
        """Show a plan as it is now, before the store is read again."""
        self._take(self._with_plan(plan))

    def go_on_to(self, plan: Plan, number: int) -> None:
        """The same, first a step of it that is to be decided next, and once its lines stand there the lists
        around it: `tell_lists`."""
        self._state = self._with_plan(plan)
        self._go(self.plan_id, number)
        self._are_lists_behind = True
        self._show_current(surprise())

    def tell_lists(self) -> None:
        """Tell of the plans, and read the store again: both waited for the lines of a step."""
        if self._are_lists_behind:
            self._are_lists_behind = False
            self.plans_changed.emit()
            self.reload()

    def _with_plan(self, plan: Plan) -> QueueState:
        plan = self._counts.with_known(plan)
        plans = (plan if each.id == plan.id else each for each in self.plans)
        listed = tuple(each for each in plans if each.state is not PlanState.DISMISSED)
        return replace(self._state, plans=listed)

    def note_written(self, plan_id: str, *, leaves: bool = False) -> None:
        """This window wrote that plan; `leaves`: it takes the plan out of the queue."""
        self.written = plan_id
        if leaves:
            self._own_exit = plan_id


def _changed(before: Plan, after: Plan) -> bool:
    return [step.revision for step in before.steps] != [step.revision for step in after.steps]
