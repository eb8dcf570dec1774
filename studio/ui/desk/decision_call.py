"""A decision on its way to the store, and what follows when it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio.engine.errors import Conflict, StudioError
from studio.engine.plan import Plan, PlanState, Step
from studio.ui.desk.guards import surprise
from studio.ui.desk.happening import Happening, Tone
from studio.ui.desk.made import decided_words, made_by, taken_back_words
from studio.ui.desk.queue_state import steps_to_decide
from studio.ui.desk.taken_back import TakenBack
from studio.ui.desk.unsent import REASON

if TYPE_CHECKING:
    from studio.ui.desk.comments import Comments
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.viewed import Viewed
    from studio.ui.desk.walk import Walk


_PATIENCE_MS = 1000
"""How long a decision may be on its way before the window says that it waits."""

_OF_WHAT_WAS_SEEN = ("step.", "plan.")
"""Conflicts that say that the step or plan is not the one that was seen, and not that the store is busy."""


class DecisionCall(QObject):
    """One at a time: while it is on its way nothing else can be decided."""

    made = Signal(object)
    """A decision was made here that can be taken back."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        walk: Walk,
        viewed: Viewed,
        comments: Comments,
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._walk, self._viewed, self._comments = walk, viewed, comments
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(self._say_waiting)

    def take_back(self, plan_id: str, take: Callable[..., TakenBack]) -> None:
        """Void decisions of a plan; what went with them is kept again where nothing else was begun."""
        self._begin(plan_id)
        self._project.runner.call(
            partial(take, self._project.workspace, self._project.reviewer, plan_id),
            then=self._taken_back, failed=self._failed,
        )  # fmt: skip

    def _taken_back(self, taken: TakenBack) -> None:
        for place, value in taken.unsent.items():
            if not self._project.unsent.value(place):
                self._project.unsent.keep(place, value)
        self._decided((), (), None, taken_back_words(taken.plan.title, taken.steps), taken.plan)
        self._comments.changed.emit()

    def send(
        self,
        plan_id: str,
        decision: Callable[[], Plan],
        *,
        about: Sequence[int] = (),
        forget: Sequence[int] = (),
        jump: bool = False,
        said: str = "",
    ) -> None:
        """Make a decision: `about` are the steps that it decides and whose decision can be taken back,
        `forget` those (0: the plan) whose reason goes with it, `said` what is told of it, "" for what is
        usual of a single step.

        What was worked out for a step is kept: a decision may be void before it is applied.
        """
        self._begin(plan_id)
        known = next((plan for plan in self._queue.plans if plan.id == plan_id), None)
        self._project.runner.call(
            lambda: self._queue.counted(known, decision()),
            then=partial(self._decided, about, forget, self._queue.step_number if jump else None, said),
            failed=self._failed,
        )

    def _begin(self, plan_id: str) -> None:
        self._guards.deciding = True
        self._patience.start()
        self._queue.note_decided(plan_id)
        self._guards.allowed_changed.emit()

    def _decided(
        self,
        about: Sequence[int],
        forget: Sequence[int],
        jump_from: int | None,
        said: str,
        plan: Plan,
    ) -> None:
        self._end()
        self._project.unsent.drop(plan.id, forget, REASON)
        if plan.state is PlanState.DISMISSED:
            self._queue.note_exit(plan.id)
        decided = plan.step(jump_from) if jump_from is not None else None
        if decided is not None:
            # Whoever decides a step by itself has looked at it. Told with the plan, not before it.
            self._viewed.keep(plan, decided, viewed=True)
        following = self._following(plan, jump_from)
        if following is None:
            self._queue.replace_plan(plan)
            self._queue.reload()
        else:
            self._queue.go_on_to(plan, following.number)
        self._tell_decided(plan, about, said)
        self._guards.allowed_changed.emit()

    def _tell_decided(self, plan: Plan, about: Sequence[int], said: str) -> None:
        """One line for each decision, with Take back where there is a way back."""
        made = made_by(plan, about)
        if made.decisions:
            self.made.emit(made)
        step = plan.step(about[0]) if about else None
        if not said and step is not None:
            said = decided_words(step)
        if said and made.decisions:
            self._project.happened.emit(Happening(said, decided=made))
        elif said:
            self._project.say(said, Tone.NEWS)

    def _following(self, plan: Plan, jump_from: int | None) -> Step | None:
        """The step to go on with after that one was decided, stale ones last; None where the person has gone
        elsewhere, or has begun to type while it was being saved."""
        has_left = plan.id != self._queue.plan_id or jump_from != self._queue.step_number
        if jump_from is None or has_left or self._guards.press_guard.expects_text:
            return None
        return next(steps_to_decide(plan, jump_from, self._walk.order()), None)

    def say_changed(self) -> None:
        """The step on screen is not the one that was pressed on."""
        self._project.say(
            self.tr("This step changed while you pressed. Nothing was decided. Look again."), Tone.WARNING
        )

    def _say_waiting(self) -> None:
        self._project.say(
            self.tr("Your decision is being saved. Another process may keep the store busy."), Tone.NEWS
        )

    def _end(self) -> None:
        self._guards.deciding = False
        self._patience.stop()

    def _failed(self, error: StudioError) -> None:
        self._end()
        self._guards.allowed_changed.emit()
        if isinstance(error, Conflict) and error.code.startswith(_OF_WHAT_WAS_SEEN):
            self.say_changed()
        else:
            self._project.report(error)
        self._guards.dead_time.begin(surprise())
        self._queue.reload()
