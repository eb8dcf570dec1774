"""Trials of the current plan, and paths excluded from it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from studio.engine.draft import ExcludedPath
    from studio.engine.errors import StudioError
    from studio.engine.proposer import Proposer, Trial
    from studio.engine.trial import Results
    from studio.engine.workspace import Workspace
    from studio.ui.desk.choices import Choices
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.work import ChosenSteps, Work

Trials = tuple["Trial", ...]
ExcludedHunks = tuple["ExcludedPath", ...]


class PlanRecord(QObject):
    """Trials and excluded paths of the current plan.

    Read again on every change of the plan or selection: after it a trial may be about another result than
    would be written.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, choices: Choices, work: Work) -> None:
        super().__init__(project)
        self._project, self._queue, self._work = project, queue, work
        self._plan_id = ""
        self._results: Results = {}
        self.trials: Trials = ()
        """Trials of the current plan, newest first."""
        self.excluded_paths: ExcludedHunks = ()
        """The first paths of a folder or command that the current plan excludes."""
        self._is_reading = self._is_outdated = False
        queue.current_changed.connect(self._follow_plan)
        queue.plans_changed.connect(self.read)
        queue.store_changed.connect(self.read)
        choices.changed.connect(self._read_results)

    def is_current(self, trial: Trial) -> bool:
        """Return whether the plan would still leave what was tried."""
        return trial.results == self._results

    def read(self) -> None:
        """Read the current plan's trials again."""
        plan = self._queue.current_plan
        self._is_outdated = self._is_reading
        if plan is not None and not self._is_reading:
            self._is_reading = True
            self._project.runner.call(
                _read_record, self._project.workspace.proposer, plan.id,
                then=partial(self._set_record, plan.id), failed=self._report_failure,
            )  # fmt: skip

    def _follow_plan(self) -> None:
        plan = self._queue.current_plan
        plan_id = "" if plan is None else plan.id
        if plan_id != self._plan_id:
            self._plan_id, self.excluded_paths = plan_id, ()
            self._set_trials((), {})
            self.read()

    def _set_record(self, plan_id: str, record: tuple[Trials, ExcludedHunks]) -> None:
        self._is_reading = False
        if plan_id == self._plan_id:
            trials, excluded = record
            if excluded != self.excluded_paths:
                self.excluded_paths = excluded
                self.changed.emit()
            self._compute_results(trials)
        if self._is_outdated:
            self.read()

    def _report_failure(self, error: StudioError) -> None:
        self._is_reading = False
        self._project.report(error)

    def _read_results(self) -> None:
        self._compute_results(self.trials)

    def _compute_results(self, trials: Trials) -> None:
        """Compute what would be written if there are trials, then show both."""
        plan = self._queue.current_plan
        if plan is None or not trials:
            self._set_trials(trials, {})
            return
        then = partial(self._got_results, plan.id, trials)
        self._project.runner.call(
            _trial_results, self._project.workspace, plan.id, self._work.chosen(plan),
            then=then, failed=lambda _error: then({}),
        )  # fmt: skip

    def _got_results(self, plan_id: str, trials: Trials, results: Results) -> None:
        if plan_id == self._plan_id:
            self._set_trials(trials, results)

    def _set_trials(self, trials: Trials, results: Results) -> None:
        if (trials, results) != (self.trials, self._results):
            self.trials, self._results = trials, results
            self.changed.emit()


def _read_record(proposer: Proposer, plan_id: str) -> tuple[Trials, ExcludedHunks]:
    return proposer.trials(plan_id), proposer.excluded_paths(plan_id)


def _trial_results(workspace: Workspace, plan_id: str, chosen: ChosenSteps) -> Results:
    return workspace.trials.results(plan_id, chosen.numbers, chosen.decisions)
