"""Controller for rolling back applied plans: preview, file selection, drift resolution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import Plan
from studio.errors import StudioError
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.review.state import StatusMessage, Tone

if TYPE_CHECKING:
    from studio.engine import DriftResolution, HistoryEntry, RollbackFile, RollbackPreview, Turn
    from studio.ui.review.apply import Recovery
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue

Preview = Callable[["RollbackPreview"], None]


class Rollback(QObject):
    """Rollback with preview, one at a time, and its chosen files."""

    changed = Signal()
    """The preview, the chosen files or the drift resolutions changed."""

    def __init__(self, project: Project, queue: Queue, guards: Guards, recovery: Recovery) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._recovery = recovery
        self.preview: RollbackPreview | None = None
        self.chosen: frozenset[int] = frozenset()
        """The steps whose files are to be rolled back."""
        self._steps: tuple[int, ...] | None = None
        self.resolutions = DriftResolutions(self, project, guards)
        queue.previews_close_requested.connect(self.cancel)
        queue.tree_changed.connect(self._refresh_preview)
        self.changed.connect(guards.allowed_changed)

    def show(self, plan_id: str, steps: Sequence[int] | None = None) -> None:
        """Preview the rollback of a plan or steps; writes nothing."""
        if not self._guards.can(Action.PREVIEW_ROLLBACK):
            self._request_preview(plan_id, steps, partial(self._show_preview, steps))

    def undo(self, entry: HistoryEntry, at_once: bool) -> None:
        """Preview the undo of what an apply wrote.

        With `at_once` carry it out, unless it is refused (a file drifted, for example).
        """
        if not self._guards.can(Action.UNDO_LAST):
            steps = entry.rollback_steps
            then = self._undo_or_show if at_once else self._show_preview
            self._request_preview(entry.plan.id, steps, partial(then, steps))

    def choose(self, step: int, chosen: bool) -> None:
        """Include a file and its unit, or exclude them.

        Drifted files stay excluded.
        """
        if self.preview is None:
            return
        unit = self.preview.plan.with_units([step])
        self.chosen = self._whole_units(self.chosen.union(unit) if chosen else self.chosen.difference(unit))
        self.changed.emit()

    @property
    def possible(self) -> frozenset[int]:
        """The steps whose files can be rolled back as they are."""
        return (
            frozenset()
            if self.preview is None
            else self.preview.step_numbers | frozenset(self.resolutions.chosen)
        )

    def choose_all(self, chosen: bool) -> None:
        """Include every file that can be rolled back, or none."""
        self.chosen = self._whole_units(self.possible) if chosen else frozenset()
        self.changed.emit()

    def carry_out(self) -> None:
        """Roll back the chosen files as shown."""
        if self.preview is None or self._guards.can(Action.ROLL_BACK):
            return
        preview, resolutions = self.preview, self.resolutions
        files = (file for file in preview.files if file.step in self.chosen)
        shown = {file.step: (resolutions.preview(file.step) or file).fingerprint for file in files}
        self._start(preview, shown, resolutions.chosen)

    def cancel(self) -> None:
        """Close the preview, if any; nothing was written."""
        if self.preview is not None:
            self._set_preview(None)

    def _request_preview(self, plan_id: str, steps: Sequence[int] | None, then: Preview) -> None:
        preview = self._project.workspace.proposer.preview_rollback
        self._project.runner.call(preview, plan_id, steps, then=then, failed=self._project.report)

    def _show_preview(self, steps: Sequence[int] | None, preview: RollbackPreview) -> None:
        self._steps = None if steps is None else tuple(steps)
        self._set_preview(preview)

    def _set_preview(
        self, preview: RollbackPreview | None, *, excluded: frozenset[int] = frozenset()
    ) -> None:
        self.preview = preview
        included = preview.step_numbers if preview is not None else frozenset[int]()
        self.chosen = self._whole_units(included - excluded)
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        self.changed.emit()

    def _whole_units(self, steps: frozenset[int]) -> frozenset[int]:
        """Return the steps that can go back with their whole unit."""
        if self.preview is None:
            return frozenset()
        steps &= self.possible
        files, plan = {file.step for file in self.preview.files}, self.preview.plan
        return frozenset(step for step in steps if files.intersection(plan.with_units([step])) <= steps)

    def _refresh_preview(self) -> None:
        """Update the preview after a file changed.

        What is shown must be what would happen.
        """
        if self.preview is not None and not self._guards.busy:
            self._project.runner.call(
                self._project.workspace.proposer.preview_rollback, self.preview.plan.id, self._steps,
                then=self._update_preview, failed=self._close_void,
            )  # fmt: skip

    def _update_preview(self, preview: RollbackPreview) -> None:
        if self.preview is None or self.preview.plan.id != preview.plan.id:
            return
        if _shown_content(self.preview) == _shown_content(preview):
            return
        self._set_preview(preview, excluded=self.preview.step_numbers - self.chosen)
        self._guards.dead_time.begin(foreign_change_seconds())

    def _close_void(self, error: StudioError) -> None:
        self._set_preview(None)
        self._project.report(error)

    def _undo_or_show(self, steps: Sequence[int] | None, preview: RollbackPreview) -> None:
        refusal = preview.refusal
        if refusal is None:
            shown = preview.fingerprints  # computed on each access
            self._start(preview, {step: shown[step] for step in preview.step_numbers}, {})
            return
        self._show_preview(steps, preview)
        if refusal.code == "rollback.drifted":
            message = self.tr("Some files have changed in the meantime. Choose which files to roll back.")
            self._project.status_reported.emit(
                StatusMessage(message, Tone.WARNING, self.tr("Nothing was written."))
            )
        else:
            self._project.status_reported.emit(StatusMessage(refusal.message, Tone.WARNING, refusal.hint))

    def _start(
        self, preview: RollbackPreview, shown: Mapping[int, str], resolutions: Mapping[int, DriftResolution]
    ) -> None:
        """Roll back the steps in `shown`, as they were shown."""
        count, turn = len(shown), preview.turn
        template = self.tr("Reapplying {files}…") if turn.is_redo else self.tr("Rolling back {files}…")
        self._guards.set_busy(say(template, files=words.files(count)))
        self._project.runner.call(
            partial(
                self._project.reviewer.rollback, preview.plan.id, sorted(shown), ways=resolutions, shown=shown
            ),
            then=partial(self._finish, turn, count), failed=self._recovery.write_failed,
        )  # fmt: skip

    def _finish(self, turn: Turn, count: int, inverse: Plan) -> None:
        self._guards.set_busy("")
        self._set_preview(None)
        template = self.tr("Reapplied {files} from “{title}”.")
        message = template if turn.is_redo else self.tr("Rolled back {files} from “{title}”.")
        message = say(message, files=words.files(count), title=show_name(turn.title))
        self._queue.note_written(inverse)
        self._project.status_reported.emit(StatusMessage(message, undo=inverse.id))
        self._queue.disk_changed()


class DriftResolutions(QObject):
    """Drift resolutions of the open preview, by step number.

    None is ever chosen automatically.
    """

    changed = Signal()

    def __init__(self, rollback: Rollback, project: Project, guards: Guards) -> None:
        super().__init__(project)
        self._rollback, self._project, self._guards = rollback, project, guards
        self._preview: RollbackPreview | None = None
        self._chosen: dict[int, RollbackFile] = {}
        self.refusals: dict[int, str] = {}
        """Why the drift resolution requested last is impossible, by step number."""
        rollback.changed.connect(self._follow_preview)

    @property
    def chosen(self) -> Mapping[int, DriftResolution]:
        """Resolutions of the files that are not left as they are."""
        return {step: file.resolution for step, file in self._chosen.items() if file.resolution is not None}

    def preview(self, step: int) -> RollbackFile | None:
        """Return a file with its resolution, None without one.

        Without one it stays as it is.
        """
        return self._chosen.get(step)

    def choose(self, step: int, resolution: DriftResolution) -> None:
        """Request the preview of a drift resolution.

        It is chosen once the preview was read.
        """
        preview = self._rollback.preview
        if preview is None:
            return
        self.refusals.pop(step, None)
        if resolution is engine.DriftResolution.KEEP:
            self._choose_file(step, None)
            return
        self._project.runner.call(
            self._project.workspace.proposer.preview_rollback, preview.plan.id, [step], {step: resolution},
            then=partial(self._set_resolution, preview, step),
            failed=partial(self._set_refusal, preview, step),
        )  # fmt: skip

    def _set_resolution(self, preview: RollbackPreview, step: int, resolved_preview: RollbackPreview) -> None:
        if preview is not self._rollback.preview:
            return
        (file,) = resolved_preview.files
        if file.problem is not None:
            self.refusals[step] = file.problem.message
        self._choose_file(step, file if file.does is not None and file.resolution is not None else None)

    def _set_refusal(self, preview: RollbackPreview, step: int, error: StudioError) -> None:
        if preview is self._rollback.preview:
            self.refusals[step] = error.message
            self._choose_file(step, None)

    def _choose_file(self, step: int, file: RollbackFile | None) -> None:
        self._chosen.pop(step, None)
        if file is not None:
            self._chosen[step] = file
        chosen = self._rollback.chosen - {step}
        self._rollback.chosen = chosen | {step} if file is not None else chosen
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        self._rollback.changed.emit()
        self.changed.emit()

    def _follow_preview(self) -> None:
        """Clear the resolutions when another preview opens."""
        if self._rollback.preview is not self._preview:
            self._preview = self._rollback.preview
            self._chosen.clear()
            self.refusals.clear()


def _shown_content(preview: RollbackPreview) -> tuple[object, ...]:
    """Return what the preview shows; its steps are new each time."""
    return preview.plan, preview.turn, [replace(file, does=None) for file in preview.files]
