"""What the desk of a project shows and how one moves on it: plans, steps, contents, viewed marks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.errors import StudioError
from studio.engine.limits import WINDOW_POLL_SECONDS
from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, Step
from studio.ui.actions.action import Action
from studio.ui.actions.press_guard import PressGuard
from studio.ui.desk.asking import AskingDesk
from studio.ui.desk.dead_time import OWN_MOVE, DeadTime, surprise
from studio.ui.desk.departure import Departure, departure_of, with_departed
from studio.ui.desk.draft_book import VIEWED, DraftBook, DraftPlace
from studio.ui.desk.happening import Tone
from studio.ui.desk.queue_state import (
    DecidedCounts,
    Known,
    Pulse,
    QueueState,
    is_put_aside,
    read_pulse,
    read_queue_state,
    refresh_and_read,
    used_again,
)
from studio.ui.desk.step_order import Place, next_place, places_of
from studio.ui.desk.viewed import ViewedMark, content_key, viewed_mark
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.settings import Settings

if TYPE_CHECKING:
    from studio.engine.history import HistoryEntry
    from studio.engine.workspace import Reviewer, Session, Workspace
    from studio.ui.runner import Runner

_TOP = 0


class ReadingDesk(AskingDesk):
    """Holds the last state of the store and asks the engine for more through the runner."""

    left = Signal()
    """The person goes to a step or plan of the queue: nothing else stands over it any more."""
    plans_changed = Signal()
    goes_on = Signal()
    """Another step is current from now on: nothing of the one before is to be shown."""
    current_changed = Signal()
    contents_wanted = Signal()
    """What stands there of the current step is to be read; `current_changed` was told before."""
    closed = Signal()
    choices_changed = Signal()
    history_changed = Signal()
    store_changed = Signal()
    """The store was read again, because something in it may have changed."""
    tree_changed = Signal()
    busy_changed = Signal()
    dead_time_changed = Signal()
    allowed_changed = Signal()
    """Something that `can` depends on changed; buttons and actions ask again."""

    def __init__(
        self,
        runner: Runner,
        workspace: Workspace,
        reviewer: Reviewer,
        *,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(runner, workspace, parent)
        self._reviewer = reviewer
        self._queue_state = QueueState()
        self._counts = DecidedCounts()
        self._loaded = False
        self._plan_id: str | None = None
        self._step_number: int | None = None
        self._decided_here: set[str] = set()
        self._written = ""
        self._own_exit = ""
        """The plan that the person's own act takes out of the queue."""
        self.departure: Departure | None = None
        """What became of the current plan, where it has left the queue while it was looked at."""
        self.settings = settings or Settings(None)
        self.name = workspace.name
        self.root_path = workspace.root_path
        self.notices: tuple[str, ...] = tuple(workspace.notices)
        self.new_plans: frozenset[str] = frozenset()
        self.listed_steps: tuple[Place, ...] | None = None
        """Plan id and number of the steps as the queue lists them; None: as they came."""
        self.drafts = DraftBook(runner, reviewer, self)
        self.drafts.loaded.connect(self._drafts_loaded)
        self.viewed: frozenset[ViewedMark] = frozenset()
        self.busy = ""
        self.busy_share = 0.0
        self.deciding = False
        self.dead_time = DeadTime(clock, self)
        self.dead_time.changed.connect(self.dead_time_changed)
        self.press_guard = PressGuard(clock, self)
        for signal in (
            self.plans_changed, self.current_changed, self.choices_changed, self.history_changed,
            self.busy_changed, self.dead_time_changed,
        ):  # fmt: skip
            signal.connect(self.allowed_changed)
        self._poll_timer = QTimer(self)
        self._poll_timer.setInterval(round(WINDOW_POLL_SECONDS * 1000))
        self._poll_timer.timeout.connect(self.poll)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The queue, oldest first; new plans come at the end."""
        return self._queue_state.plans

    @property
    def history(self) -> tuple[HistoryEntry, ...]:
        """Applied plans, newest first."""
        return self._queue_state.history

    @property
    def command_line(self) -> str:
        """Whether the command line may approve: "ask", "allow" (red lamp) or "off"."""
        return self._queue_state.command_line

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Who proposed the plans of the queue, by the session's id."""
        return self._queue_state.sessions

    @property
    def is_loaded(self) -> bool:
        """Whether the first state has come."""
        return self._loaded

    @property
    def current_plan(self) -> Plan | None:
        # Asked a hundred times for every press: each action that may be off asks.
        for plan in self._queue_state.plans:
            if plan.id == self._plan_id:
                return plan
        return None

    @property
    def current_step(self) -> Step | None:
        """The selected step, None while a plan as a whole is selected."""
        plan = self.current_plan
        if plan is None or self._step_number is None:
            return None
        return plan.step(self._step_number)

    @property
    def config_path(self) -> Path:
        """The user's own configuration file; it need not exist."""
        from studio.engine.app_folders import config_directory

        return config_directory() / "config.yaml"

    @property
    def undoable(self) -> HistoryEntry | None:
        """The newest history entry that Undo last would take back."""
        newest = next((entry for entry in self.history if entry.rolled_back_by is None), None)
        return newest if newest is not None and newest.kept else None

    @property
    def is_history_behind(self) -> bool:
        """Whether what was written last is not in the history yet, so that the newest entry is another."""
        return bool(self._written) and all(entry.plan.id != self._written for entry in self.history)

    def is_put_aside(self, plan: Plan) -> bool:
        """Whether a plan stands in the group below the queue; what is looked at stays where it is."""
        return is_put_aside(plan) and (self.departure is None or plan.id != self.departure.plan.id)

    @property
    def newest_write(self) -> str:
        """The id of the plan that was written last, "" where nothing was."""
        return self._written if self.is_history_behind else next((e.plan.id for e in self.history), "")

    def is_viewed(self, plan: Plan, step: Step) -> bool:
        return viewed_mark(plan, step) in self.viewed

    def can(self, action: Action) -> str:
        """'' when the action is possible now, else the sentence why not."""
        raise NotImplementedError

    def draft_place(self, kind: str, place: int = 0, *, of_plan: bool = False) -> DraftPlace:
        """Where the book keeps what is begun on the current step, or on its plan."""
        step = _TOP if of_plan else self._step_number or _TOP
        return DraftPlace(self._plan_id or "-", step, kind, place)

    def draft(self, kind: str) -> str:
        """Half-typed text of a kind ("reason", "note") for the current step or plan."""
        return self.drafts.text(self.draft_place(kind))

    def keep_draft(self, kind: str, text: str) -> None:
        """Keep half-typed text; "" forgets it."""
        self.drafts.keep(self.draft_place(kind), text)

    def start(self) -> None:
        """Read the project for the first time and look for changes from now on."""
        self.drafts.load()
        self.refresh()
        self._poll_timer.start()

    def close(self) -> None:
        """Stop looking; nothing of this desk is called back afterwards."""
        self._is_closed = True
        self._poll_timer.stop()
        self.closed.emit()

    def refresh(self) -> None:
        """Look at the files of open steps again and read the store."""
        self._ask(refresh_and_read, self._workspace, self._known(), then=self._take)

    def disk_changed(self) -> None:
        """Something was written in the project, by us or by others."""
        self.refresh()
        self.tree_changed.emit()

    def window_activated(self) -> None:
        """The window came to the front: what was pressed to do so decides nothing; look at the store."""
        self.dead_time.begin(surprise())
        self.poll()

    def poll(self) -> None:
        """Read the store again if another process wrote it; store drafts that could not be stored."""
        self.drafts.save()
        self._ask(read_pulse, self._workspace, then=self._compare_pulse)

    def reload(self) -> None:
        """Read the store again."""
        self._ask(read_queue_state, self._workspace, self._known(), then=self._take)

    def _known(self) -> Known:
        return Known(frozenset(self._decided_here), self.plans, self._plan_id or "", self._counts)

    def select(self, plan_id: str | None, step: int | None = None, *, by_user: bool = True) -> None:
        """Make a step (or with `step` None a whole plan) the current one."""
        self.left.emit()
        if (plan_id, step) == (self._plan_id, self._step_number):
            return
        self._plan_id, self._step_number = plan_id, step
        left = self.departure is not None and plan_id != self.departure.plan.id
        if left:
            self.departure = None
        if plan_id in self.new_plans or left:
            self.new_plans -= {plan_id}
            self.plans_changed.emit()
        self._show_current(OWN_MOVE if by_user else surprise())
        if left:
            self.reload()

    def next_step(self) -> None:
        self._move(1)

    def previous_step(self) -> None:
        self._move(-1)

    def next_unviewed(self) -> None:
        """Go to the next step that is not marked as viewed, across plans."""
        order = self.step_order()
        start = order.index(self._place()) + 1 if self._place() in order else 0
        plans = {plan.id: plan for plan in self.plans}
        for plan_id, number in order[start:] + order[:start]:
            plan = plans[plan_id]
            step = plan.step(number)
            if step is not None and not self.is_viewed(plan, step):
                self.select(plan_id, number)
                return
        self._say(self.tr("Every step in the queue is viewed."), Tone.NEWS)

    def mark_viewed(self, viewed: bool) -> None:
        """Mark the current step as looked at, or take the mark away."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None or self.can(Action.MARK_VIEWED):
            return
        if self.keep_viewed(plan, step, viewed):
            self.plans_changed.emit()

    def keep_viewed(self, plan: Plan, step: Step, viewed: bool) -> bool:
        """Keep or drop a mark; says whether it was the other way before."""
        if viewed == self.is_viewed(plan, step):
            return False
        self.drafts.keep(DraftPlace(plan.id, step.number, VIEWED), content_key(step) if viewed else "")
        self._read_viewed()
        return True

    def _read_viewed(self) -> None:
        marks = self.drafts.every(VIEWED).items()
        self.viewed = frozenset((place.plan_id, place.step, value.decode()) for place, value in marks)

    def _drafts_loaded(self) -> None:
        self._read_viewed()
        if self._loaded:
            self.plans_changed.emit()
            self._show_current(OWN_MOVE)

    def _place(self) -> Place:
        return (self._plan_id or "", self._step_number or _TOP)

    def step_order(self) -> list[Place]:
        """Every step one can move to, in the order in which the queue shows them."""
        if self.listed_steps is not None:
            return places_of(self.plans, self.listed_steps)
        return places_of((plan for plan in self.plans if not self.is_put_aside(plan)), None)

    def _move(self, by: int) -> None:
        ahead = next_place(self.step_order(), self._place(), by)
        if ahead is not None:
            self.select(*ahead)

    def _show_current(self, dead: float) -> None:
        self.dead_time.begin(dead)
        self.goes_on.emit()
        self.current_changed.emit()
        self.contents_wanted.emit()

    def _compare_pulse(self, pulse: Pulse) -> None:
        if pulse != self._queue_state.pulse:
            self.reload()

    def _take(self, state: QueueState) -> None:
        """Make a state the one that is shown; tell only what differs."""
        before, plan_before, step_before = self._queue_state, self.current_plan, self.current_step
        place_before = self._place()
        first = not self._loaded
        self.departure = self._departure(plan_before, state)
        self._queue_state = state = with_departed(state, self.departure)
        self._loaded = True
        if first:
            self.drafts.forget_except(frozenset(plan.id for plan in self.plans))
            self._read_viewed()
        if not first:
            self._notice_new_plans(before, state)
        self.new_plans &= {plan.id for plan in self.plans}
        if first or before.plans != state.plans:
            self.plans_changed.emit()
        if first or before.history != state.history:
            self.history_changed.emit()
        if (before.command_line, before.sessions) != (state.command_line, state.sessions):
            self.allowed_changed.emit()
        self.store_changed.emit()
        if self.current_plan is None:
            self._select_first(place_before, before)
        else:
            self._follow_current(plan_before, step_before)

    def _departure(self, before: Plan | None, state: QueueState) -> Departure | None:
        """What became of the current plan where it has left the queue; None where the person goes on anyway:
        after their own act, unless they are typing."""
        if before is None:
            return None
        is_own = before.id == self._own_exit
        departure = departure_of(before, state, self.departure, is_own=is_own)
        return None if is_own and not self.press_guard.expects_text and self.departure is None else departure

    def _notice_new_plans(self, before: QueueState, after: QueueState) -> None:
        known = {plan.id for plan in before.plans} | {entry.plan.id for entry in before.history}
        came = {plan.id for plan in after.plans if plan.state is not PlanState.CANCELLED}
        fresh = came - known - self._decided_here
        if fresh:
            # Those that came before and that nobody looked at yet are still news.
            self.new_plans = (self.new_plans | fresh) & {plan.id for plan in after.plans}
            arrived = self.tr("{n} new plan arrived."), self.tr("{n} new plans arrived.")
            self._say(words.counted(len(self.new_plans), *arrived), Tone.NEWS)

    def _select_first(self, place_before: tuple[str, int], before: QueueState) -> None:
        """The current plan is gone (or there was none): go to the first undecided step that waits."""
        self._plan_id, self._step_number = None, None
        listed = [plan for plan in self.plans if not self.is_put_aside(plan)]
        waiting = [plan for plan in listed if plan.undecided] or listed
        if waiting:
            plan = waiting[0]
            first = plan.undecided[0] if plan.undecided else (plan.steps[0] if plan.steps else None)
            self._plan_id, self._step_number = plan.id, first.number if first else None
            self.new_plans -= {plan.id}
        if place_before != self._place() or not before.plans:
            self._show_current(surprise())

    def _follow_current(self, plan_before: Plan | None, step_before: Step | None) -> None:
        plan, step = self.current_plan, self.current_step
        if step_before is not None and step is not None and step.revision != step_before.revision:
            self.dead_time.begin(surprise())
            self.current_changed.emit()
            self.contents_wanted.emit()
        elif step is None and plan is not None and plan_before is not None and _changed(plan_before, plan):
            self.dead_time.begin(surprise())

    # What was decided here

    @property
    def plan_id(self) -> str | None:
        """The id of the current plan."""
        return self._plan_id

    @property
    def step_number(self) -> int | None:
        """The number of the current step."""
        return self._step_number

    def note_decided(self, plan_id: str) -> None:
        """The person decided about that plan, or proposed it: it is no news, and stays in the queue."""
        self._decided_here.add(plan_id)

    def note_exit(self, plan_id: str) -> None:
        """The person's own act takes that plan out of the queue."""
        self._own_exit = plan_id

    def counted(self, known: Plan | None, plan: Plan) -> Plan:
        """On the engine thread: the plan with the lines that its decisions write."""
        return used_again(known, self._counts.count(self._workspace, plan))

    def replace_plan(self, plan: Plan) -> None:
        """Show a plan as it is now, before the store is read again."""
        self._take(self._with_plan(plan))

    def go_on_to(self, plan: Plan, number: int) -> None:
        """The same, first a step of it that is to be decided next, and a turn later the lists around it."""
        self._queue_state = self._with_plan(plan)
        self._step_number = number
        self._show_current(surprise())
        self.runner.next_turn(self.plans_changed.emit)

    def _with_plan(self, plan: Plan) -> QueueState:
        plan = self._counts.with_known(plan)
        plans = (plan if each.id == plan.id else each for each in self.plans)
        listed = tuple(each for each in plans if each.state is not PlanState.DISMISSED)
        return replace(self._queue_state, plans=listed)

    def set_busy(self, sentence: str, share: float = 0.0) -> None:
        """Say what is being written, and how much of it is done (0.0 to 1.0); "" when it is over."""
        self.busy, self.busy_share = sentence, share
        self.busy_changed.emit()

    def write_failed(self, error: StudioError) -> None:
        """Nothing runs any more, and it was not written."""
        raise NotImplementedError

    def note_written(self, plan_id: str, *, leaves: bool = False) -> None:
        """This window wrote that plan; `leaves`: it takes the plan out of the queue."""
        self._written = plan_id
        if leaves:
            self._own_exit = plan_id

    def _about(self, sentence: str, plan: Plan) -> str:
        return say(sentence, title=show_name(plan.title))


def _changed(before: Plan, after: Plan) -> bool:
    return [step.revision for step in before.steps] != [step.revision for step in after.steps]
