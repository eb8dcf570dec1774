"""Rebase of a step whose file changed on disk, with conflict resolution."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import Plan, StepState
from studio.extras.conflict_choices import ConflictChoice, Settlement
from studio.ui.actions.action import Action
from studio.ui.review.editor import rebase_with_edit
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.review.unsent import CHOICES, DraftKey
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import RebasePreview
    from studio.errors import StudioError
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.shown_step import EditedResults
    from studio.workspace import Workspace


_CONFLICT_CHOICES = 1
"""Draft place of the conflict choices, beside that of chosen hunks."""


class Staleness(Value):
    """Preview of a stale step's rebase, and its file's changed line count.

    The lines are those that differ from what was reviewed.
    """

    preview: RebasePreview
    differing: int


class Rebase(QObject):
    """Rebase of the current stale step.

    The preview is computed before the reviewer has to choose; no choice decides the step.
    """

    staleness_changed = Signal()
    """The preview of the stale step changed or is gone."""
    conflicts_changed = Signal()
    """The conflicts of the current step are shown, or no longer."""
    conflict_resolved = Signal()
    """A conflict was resolved in another way."""

    def __init__(self, project: Project, queue: Queue, guards: Guards, edited: EditedResults) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._edited = edited
        self.staleness: Staleness | None = None
        self.refused = ""
        """Why the stale step can't be rebased, "" where it can or was not checked yet."""
        self.settlement: Settlement | None = None
        self._shown_key = self.conflicts_key
        queue.current_changed.connect(self._check_staleness)
        queue.tree_changed.connect(partial(self._check_staleness, again=True))
        for signal in (self.staleness_changed, self.conflicts_changed):
            signal.connect(guards.allowed_changed)

    def start(self) -> None:
        """Rebase the current stale step, or show its conflicts."""
        staleness = self.staleness
        if staleness is None or self._guards.can(Action.REBASE):
            return
        if staleness.preview.result is None:
            self._show_conflicts(staleness.preview)
            self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        else:
            self._rebase(None)

    def preview_again(self) -> None:
        """Keep the proposed result and diff it with the current file."""
        staleness = self.staleness
        if staleness is not None and not self._guards.can(Action.PREVIEW_AGAIN):
            self._rebase(staleness.preview.proposed)

    @property
    def settling(self) -> RebasePreview | None:
        """The rebase whose conflicts are shown."""
        return self.settlement.preview if self.settlement is not None else None

    def settle(self, conflict: int, resolution: ConflictChoice, text: bytes = b"") -> None:
        """Resolve a conflict (from 0), with `text` where it was typed."""
        if self.settlement is not None:
            self.settlement.choose(conflict, resolution, text)
            self._project.unsent.store(self.conflicts_key, self.settlement.to_draft())
            self.conflict_resolved.emit()
            self._guards.allowed_changed.emit()

    @property
    def is_settling_outdated(self) -> bool:
        """Whether the file changed again since these conflicts were found."""
        staleness = self.staleness
        return self.settling is not None and (staleness is None or staleness.preview != self.settling)

    def show_latest_conflicts(self) -> None:
        """Show the conflicts with a file that changed while one typed."""
        staleness = self.staleness
        if self.settling is not None and staleness is not None and self.is_settling_outdated:
            self._show_conflicts(staleness.preview if staleness.preview.result is None else None)
            self._guards.dead_time.begin(foreign_change_seconds())

    def store_line_drafts(self, settlement: Settlement, key: DraftKey, conflict: int, text: str) -> None:
        """Store draft lines for a conflict (from 0), whatever is current."""
        settlement.begin(conflict, text)
        self._project.unsent.store(key, settlement.to_draft())
        if settlement is self.settlement:
            self.conflict_resolved.emit()
            self._guards.allowed_changed.emit()

    @property
    def conflicts_key(self) -> DraftKey:
        """The draft key of the current step's conflict choices."""
        return self._queue.draft_key(CHOICES, _CONFLICT_CHOICES)

    def use_resolved_conflicts(self) -> None:
        """Use the resolved conflicts as result; the step becomes pending."""
        if self.settlement is not None and not self._guards.can(Action.USE_RESULT):
            self._rebase(self.settlement.content())

    def close_conflicts(self) -> None:
        """Close the conflict view; the choices stay stored as a draft."""
        if self.settlement is not None:
            self._show_conflicts(None)

    def _show_conflicts(self, preview: RebasePreview | None) -> None:
        self.settlement = Settlement(preview) if preview is not None else None
        self._shown_key = self._queue.draft_key(CHOICES, _CONFLICT_CHOICES)
        if self.settlement is not None:
            self.settlement.restore(self._project.unsent.text(self.conflicts_key))
        self.conflicts_changed.emit()

    def _check_staleness(self, *, again: bool = False) -> None:
        plan, step = self._queue.current_plan, self._queue.current_step
        is_stale = step is not None and step.state is StepState.STALE
        if not again or not is_stale:
            had_any = self.staleness is not None or bool(self.refused)
            self.staleness, self.refused = None, ""
            if had_any:
                self.staleness_changed.emit()
            if self._queue.draft_key(CHOICES, _CONFLICT_CHOICES) != self._shown_key:
                self.close_conflicts()  # a change of the step itself leaves its conflict view open
        if plan is not None and step is not None and is_stale:
            self._project.runner.call(
                _read_staleness, self._project.workspace, plan.id, step.number,
                then=partial(self._set_staleness, step.id), failed=partial(self._set_refusal, step.id),
            )  # fmt: skip

    def _set_staleness(self, step_id: str, staleness: Staleness) -> None:
        step = self._queue.current_step
        if step is None or step.id != step_id or staleness == self.staleness:
            return
        self.staleness, self.refused = staleness, ""
        if not self._guards.key_guard.expects_text:
            self.show_latest_conflicts()
        self.staleness_changed.emit()

    def _set_refusal(self, step_id: str, error: StudioError) -> None:
        step = self._queue.current_step
        if step is not None and step.id == step_id:
            self.staleness, self.refused = None, error.message
            self.staleness_changed.emit()

    def _rebase(self, settled: bytes | None) -> None:
        plan, step, staleness = self._queue.current_plan, self._queue.current_step, self.staleness
        if plan is None or step is None or staleness is None:
            return
        edited = self._edited.last_edited(plan, step)
        self._guards.deciding = True
        self._guards.allowed_changed.emit()
        rebase = partial(rebase_with_edit, settled=settled, edited=edited)
        self._project.runner.call(
            rebase, self._project.reviewer, plan.id, step.number, staleness.preview,
            then=partial(self._finish_rebase, step.number, edited is not None), failed=self._report_failure,
        )  # fmt: skip

    def _finish_rebase(self, number: int, had_edit: bool, result: tuple[Plan, bytes | None]) -> None:
        plan, edited = result
        self._guards.deciding = False
        step = plan.step(number)
        if step is not None and edited is not None:
            self._edited.store(plan, step, edited)
        if self._queue.current_plan is not None and self._queue.current_plan.id == plan.id:
            self._project.unsent.store(self.conflicts_key, "")
        self.close_conflicts()
        self._queue.replace_plan(plan)
        self._report(" ".join(self._rebase_sentences(had_edit, edited is not None)))
        self._guards.allowed_changed.emit()
        self._queue.reload()

    def _rebase_sentences(self, had_edit: bool, has_edit: bool) -> list[str]:
        sentences = [self.tr("The step was rebased onto the current file. Review it and decide.")]
        if has_edit:
            sentences.append(self.tr("Your edit was also rebased."))
        elif had_edit:
            sentences.append(self.tr("Your edit could not be rebased."))
        return sentences

    def _report_failure(self, error: StudioError) -> None:
        self._guards.deciding = False
        if error.code == "rebase.moved_on":
            self._report(error.message, Tone.WARNING, error.hint)
        else:
            self._project.report(error)
        self._guards.allowed_changed.emit()
        self._queue.refresh()
        self._check_staleness(again=True)

    def _report(self, sentence: str, tone: Tone = Tone.DONE, hint: str = "") -> None:
        self._project.status_reported.emit(StatusMessage(sentence, tone, hint))


def _read_staleness(workspace: Workspace, plan_id: str, number: int) -> Staleness:
    """Read the rebase preview, on the engine thread."""
    preview = workspace.proposer.preview_rebase(plan_id, number)
    changed = engine.compute(preview.base, preview.current, 0, preview.setting)
    return Staleness(preview, max(changed.added, changed.removed))
