"""What becomes of files that changed since their plan was applied: kept, unless the person chooses a way."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.ui.desk.dead_time import OWN_MOVE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studio.engine.history import RollbackFile, RollbackPreview, WayOut
    from studio.engine.workspace import Workspace
    from studio.ui.desk.reading import ReadingDesk


class RollbackWays(QObject):
    """The ways out of the open preview, by step number; nothing is ever chosen by itself (look.md 4.11)."""

    changed = Signal()

    def __init__(self, desk: ReadingDesk, workspace: Workspace) -> None:
        super().__init__(desk)
        self._desk = desk
        self._workspace = workspace
        self._preview: RollbackPreview | None = None
        self._chosen: dict[int, RollbackFile] = {}
        self.refusals: dict[int, str] = {}
        """Why the way that was asked for last leads nowhere, by step number."""
        desk.rollback_changed.connect(self._follow)

    @property
    def chosen(self) -> Mapping[int, WayOut]:
        """The ways of files that do not stay as they are."""
        return {step: file.way for step, file in self._chosen.items() if file.way is not None}

    def preview(self, step: int) -> RollbackFile | None:
        """A file with the way chosen for it, None where it stays as it is."""
        return self._chosen.get(step)

    def choose(self, step: int, way: WayOut) -> None:
        """Ask what a way would do with a file that changed; it is chosen once that is known."""
        from studio.engine.history import WayOut

        preview = self._desk.rollback
        if preview is None:
            return
        self.refusals.pop(step, None)
        if way is WayOut.KEEP:
            self._set(step, None)
            return
        self._desk.runner.call(
            self._workspace.proposer.preview_rollback, preview.plan.id, [step], {step: way},
            then=partial(self._got, preview, step), failed=partial(self._leads_nowhere, preview, step),
        )  # fmt: skip

    def _got(self, preview: RollbackPreview, step: int, found: RollbackPreview) -> None:
        if preview is not self._desk.rollback:
            return
        (file,) = found.files
        if file.problem is not None:
            self.refusals[step] = file.problem.message
        self._set(step, file if file.does is not None and file.way is not None else None)

    def _leads_nowhere(self, preview: RollbackPreview, step: int, error: StudioError) -> None:
        if preview is self._desk.rollback:
            self.refusals[step] = error.message
            self._set(step, None)

    def _set(self, step: int, way: RollbackFile | None) -> None:
        self._chosen.pop(step, None)
        if way is not None:
            self._chosen[step] = way
        chosen = self._desk.rollback_steps - {step}
        self._desk.rollback_steps = chosen | {step} if way is not None else chosen
        self._desk.dead_time.begin(OWN_MOVE)
        self._desk.rollback_changed.emit()
        self.changed.emit()

    def _follow(self) -> None:
        """Another preview: the files are no longer what was chosen for."""
        if self._desk.rollback is not self._preview:
            self._preview = self._desk.rollback
            self._chosen.clear()
            self.refusals.clear()
