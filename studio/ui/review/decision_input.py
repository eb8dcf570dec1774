"""Decision inputs: line comments, explicit consents, approvable steps; command trial results."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine import LineComment, Plan, Severity, Step, StepDecision, StepState
from studio.ui.review.choices import HunkChoices
from studio.ui.review.state import ConsentSubject
from studio.ui.review.unsent import COMMENT, DraftKey
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import ExcludedPath, Proposer, Trial, TrialResults
    from studio.errors import StudioError
    from studio.ui.review.choices import Choices, Outcomes
    from studio.ui.review.editor import EditDrafts
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.shown_step import EditedResults, ShownStep
    from studio.ui.review.viewed import Viewed
    from studio.workspace import Workspace


class Comments(QObject):
    """Line comments, stored as drafts.

    They survive a kill, and undoing a decision restores them.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._unsent, self._queue = project.unsent, queue
        self._unsent.loaded.connect(self.changed)

    @property
    def current(self) -> tuple[LineComment, ...]:
        """Comments on the current step.

        Those of its decision once it is decided, else the drafts.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None:
            return ()
        if step.decision is not None and step.state is not StepState.PENDING:
            return step.decision.comments
        return self.of(plan, step)

    def of(self, plan: Plan, step: Step) -> tuple[LineComment, ...]:
        """Return the draft comments on a step, the base's first."""
        return _comments(self._unsent.of(plan.id, step.number, COMMENT))

    def of_plan(self, plan: Plan) -> Mapping[int, tuple[LineComment, ...]]:
        """Return the draft comments of a plan by step number."""
        drafts = self._unsent.of_plan(plan.id, COMMENT)
        return {number: _comments(values) for number, values in drafts.items()}

    def text(self, side: str, line: int) -> str:
        """Return the comment on a "base" or "result" line (from 1)."""
        return self._unsent.text(self.draft_key(side, line))

    def draft_key(self, side: str, line: int) -> DraftKey:
        """Return the storage key of a line's comment (from 1)."""
        return self._queue.draft_key(COMMENT, -line if side == "base" else line)

    def store(self, key: DraftKey, text: str) -> None:
        """Store a comment, whichever step is current; "" deletes it."""
        self._unsent.store(key, text)
        self.changed.emit()


def _comments(drafts: Mapping[int, bytes]) -> tuple[LineComment, ...]:
    return tuple(
        LineComment("base" if place < 0 else "result", abs(place), value.decode("utf-8", "replace"))
        for place, value in drafts.items()
    )


class ChosenSteps(Value):
    """Step numbers, and the selections or edits of undecided ones."""

    numbers: tuple[int, ...]
    decisions: Mapping[int, StepDecision]


class Work(Value):
    """The parts of the desk that a decision reads."""

    shown: ShownStep
    edited: EditedResults
    choices: Choices
    edit_drafts: EditDrafts
    comments: Comments
    consent: Consent
    viewed: Viewed

    def chosen(self, plan: Plan) -> ChosenSteps:
        """Return what of a plan would be written.

        Steps with no hunk included are not in it.
        """
        numbers: list[int] = []
        decisions: dict[int, StepDecision] = {}
        for step in plan.steps:
            if not step.state.is_open:
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
        if step.unit is None:
            return True
        others = (plan.step(number) for number in plan.with_units([step.number])[1:])
        return all(other is not None and self._is_ready(plan, other) for other in others)

    def _is_ready(self, plan: Plan, step: Step) -> bool:
        if step.state is not StepState.PENDING:
            return step.state is not StepState.STALE
        is_held = self.consent.missing(step) or self.edit_drafts.has(plan, step)
        return not is_held and not self.viewed.is_revised(plan, step)


# Explicit consent for changed lines too long to read, and for secrets.
#
# A step with either is approved only after the reviewer accepts those lines.


class Consent(QObject):
    """Consents given, per matter and step revision; they end with the window."""

    def __init__(
        self, queue: Queue, guards: Guards, shown: ShownStep, choices: Choices, outcomes: Outcomes
    ) -> None:
        super().__init__(queue)
        self._queue, self._guards, self._shown = queue, guards, shown
        self._choices, self._outcomes = choices, outcomes
        self._accepted: set[tuple[ConsentSubject, str]] = set()

    def lines(self, matter: ConsentSubject) -> int:
        """Return how many shown lines of the current step need this consent."""
        if matter is ConsentSubject.UNREAD:
            return self._shown.unshown if self._shown.diff is not None else 0
        step, outcomes = self._queue.current_step, self._outcomes
        if step is not None and self._choices.replace_proposal and outcomes.current is not None:
            step = outcomes.step()
        return sum(_is_secret(step)) if step is not None and step.facts else 0

    def is_given(self, matter: ConsentSubject) -> bool:
        """Return whether the reviewer accepted those lines, or there are none."""
        step = self._queue.current_step
        return not self.lines(matter) or (step is not None and (matter, step.revision) in self._accepted)

    @property
    def next_subject(self) -> ConsentSubject | None:
        """The next consent that is still needed.

        Of what is shown, or of a step that is not compared yet.
        """
        step = self._queue.current_step
        if self._shown.diff is None:
            return next(iter(self.missing(step)), None) if step is not None else None
        return next((matter for matter in ConsentSubject if not self.is_given(matter)), None)

    def set_consent(self, matter: ConsentSubject, accepted: bool) -> None:
        """Record or revoke the consent for those lines of the current step."""
        step = self._queue.current_step
        if step is not None:
            (self._accepted.add if accepted else self._accepted.discard)((matter, step.revision))
            self._guards.allowed_changed.emit()

    def missing(self, step: Step) -> tuple[ConsentSubject, ...]:
        """Return the consents still missing for a step as proposed."""
        if not step.facts:
            return ()
        is_needed = {
            ConsentSubject.UNREAD: any(fact.kind == "long_line" for fact in step.facts),
            ConsentSubject.SECRETS: any(_is_secret(step)),
        }
        return tuple(
            matter
            for matter in ConsentSubject
            if is_needed[matter] and (matter, step.revision) not in self._accepted
        )


def _is_secret(step: Step) -> list[bool]:
    """Return for each fact whether it is a secret by its form.

    A secret by name alone may be anything.
    """
    return [fact.kind == "secret" and fact.severity is Severity.DANGER for fact in step.facts]


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
        self._results: TrialResults = {}
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

    def _got_results(self, plan_id: str, trials: Trials, results: TrialResults) -> None:
        if plan_id == self._plan_id:
            self._set_trials(trials, results)

    def _set_trials(self, trials: Trials, results: TrialResults) -> None:
        if (trials, results) != (self.trials, self._results):
            self.trials, self._results = trials, results
            self.changed.emit()


def _read_record(proposer: Proposer, plan_id: str) -> tuple[Trials, ExcludedHunks]:
    return proposer.trials(plan_id), proposer.excluded_paths(plan_id)


def _trial_results(workspace: Workspace, plan_id: str, chosen: ChosenSteps) -> TrialResults:
    return workspace.trials.results(plan_id, chosen.numbers, chosen.decisions)
