"""Reading view: files, past plans and folders, with back and forward."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from studio.engine.limits import READ_PLACES_UP_TO
from studio.ui.desk.queue_state import diff_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.engine.diff import FileDiff
    from studio.engine.errors import StudioError
    from studio.engine.plan import Plan
    from studio.engine.reader import Blame, DirectoryListingResult, FileChange, FolderQuery
    from studio.engine.workspace import Workspace
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.observed import ObservedChanges
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.restore import Restore
    from studio.ui.desk.rollback import Rollback
    from studio.ui.desk.submission import Submission


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file on disk, or before or after a step.

    `line` counts from 1, 0 is the file's beginning. `side` is "base" or "result" of that step, "" for the
    disk.
    """

    path: str
    line: int = 0
    plan_id: str = ""
    step: int = 0
    side: str = ""

    @property
    def source(self) -> tuple[str, str, int, str]:
        """The file version, without the line."""
        return self.path, self.plan_id, self.step, self.side


@dataclass(frozen=True, slots=True)
class PlanPlace:
    """A step of an applied plan as decided; 0 is the first."""

    plan_id: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class FolderPlace:
    """A folder and the filter on its entries."""

    query: FolderQuery


ReadPlace = FilePlace | PlanPlace | FolderPlace


@dataclass(frozen=True)
class ReadFile:
    """A file's content and lines; `diff` is None for binary content."""

    source: tuple[str, str, int, str]
    content: bytes
    diff: FileDiff | None = field(compare=False)
    setting: str | None
    changes: tuple[FileChange, ...]

    @property
    def path(self) -> str:
        return self.source[0]


@dataclass(frozen=True)
class PastStep:
    """A step as decided, with its base and result where kept."""

    plan: Plan
    number: int
    base: bytes | None
    result: bytes | None
    diff: FileDiff | None
    setting: str | None


class Reading(QObject):
    """Navigation of the reading view, which covers the step.

    One place is shown at a time, and meanwhile no key decides.
    """

    changed = Signal()
    """Another place is shown, or none."""
    content_read = Signal()
    """The content of the place was read or has changed."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        rollback: Rollback,
        restore: Restore,
        observed: ObservedChanges,
        submission: Submission,
    ) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self._previews = (rollback, restore, observed)
        self._submission = submission
        self._back: list[ReadPlace] = []
        self._forward: list[ReadPlace] = []
        self.place: ReadPlace | None = None
        self.file: ReadFile | None = None
        self.blame: Blame | None = None
        self.past: PastStep | None = None
        self.listing: DirectoryListingResult | None = None
        self.missing = ""
        """Why the place can't be shown."""
        queue.left.connect(self.close)
        queue.tree_changed.connect(self._reread)
        rollback.changed.connect(self._close_for_preview)
        restore.changed.connect(self._close_for_preview)
        observed.shown_changed.connect(self._close_for_preview)
        submission.changed.connect(self._close_for_pasted)
        self.changed.connect(guards.allowed_changed)

    @property
    def is_open(self) -> bool:
        return self.place is not None

    @property
    def has_back(self) -> bool:
        return bool(self._back)

    @property
    def has_ahead(self) -> bool:
        return bool(self._forward)

    def show(self, place: ReadPlace) -> None:
        """Show a place; the one before goes on the back stack."""
        if self.place is None or _document_of(self.place) != _document_of(place):
            self._forward.clear()
            self._push_back()
        self._show_place(place)

    def go_back(self) -> None:
        """Go back to the previous place."""
        if self._back:
            if self.place is not None:
                self._forward.append(self.place)
            self._show_place(self._back.pop())

    def go_forward(self) -> None:
        """Go forward again."""
        if self._forward:
            if self.place is not None:
                self._back.append(self.place)
            self._show_place(self._forward.pop())

    def close(self) -> None:
        """Close the view; `go_back` returns to the place."""
        if self.place is not None:
            self._push_back()
            self._show_place(None)

    def _push_back(self) -> None:
        if self.place is not None:
            self._back = [*self._back, self.place][-READ_PLACES_UP_TO:]

    def _close_for_preview(self) -> None:
        """Close the view when a preview opens: only one is shown."""
        rollback, restore, observed = self._previews
        if rollback.preview is not None or restore.preview is not None or observed.shown is not None:
            self.close()

    def _close_for_pasted(self) -> None:
        if self._submission.pasted is not None:
            self.close()

    def _show_place(self, place: ReadPlace | None) -> None:
        if not (isinstance(place, FilePlace) and self.file is not None and self.file.source == place.source):
            self.file = self.blame = None
        if place is None or self.place is None or _document_of(place) != _document_of(self.place):
            self.listing = None
        self.place, self.past, self.missing = place, None, ""
        if place is not None:
            for preview in self._previews:
                preview.cancel()
        self.changed.emit()
        self._read()

    def _reread(self) -> None:
        if isinstance(self.place, FolderPlace) or (isinstance(self.place, FilePlace) and not self.place.side):
            self._read()

    def _read(self) -> None:
        place, workspace = self.place, self._project.workspace
        if isinstance(place, FilePlace):
            self._request(place, partial(_read_file, workspace, place), self._set_file, self._show_error)
        elif isinstance(place, PlanPlace):
            self._request(place, partial(_read_step, workspace, place), self._set_past, self._show_error)
        elif isinstance(place, FolderPlace):
            self._request(
                place, partial(workspace.reader.browse, place.query), self._set_listing, self._show_error
            )

    def _request(
        self,
        place: ReadPlace,
        job: Callable[[], Any],
        then: Callable[[ReadPlace, Any], object],
        failed: Callable[[ReadPlace, StudioError], object],
    ) -> None:
        self._project.ask_in_background(job, then=partial(then, place), failed=partial(failed, place))

    def _set_file(self, place: ReadPlace, file: ReadFile) -> None:
        """Show the file, and request its blame unless cached for these bytes."""
        before = self.file
        if place != self.place or before == file:
            return
        if before is not None and (before.source, before.content) == (file.source, file.content):
            file = replace(file, content=before.content, diff=before.diff)
        else:
            self.blame = None
        self.file = file
        self.content_read.emit()
        # A plan's result has no authors yet.
        if file.diff is not None and isinstance(place, FilePlace) and place.side != "result":
            job = partial(self._project.workspace.reader.blame, file.path, file.content)
            self._request(place, job, partial(self._set_blame, file), self._report_blame_error)

    def _set_blame(self, file: ReadFile, place: ReadPlace, blame: Blame) -> None:
        if place == self.place and self.file is file:
            self.blame = blame
            self.content_read.emit()

    def _report_blame_error(self, place: ReadPlace, error: StudioError) -> None:
        """Report the error; the file stays open."""
        if place == self.place:
            self._project.report(error)

    def _set_past(self, place: ReadPlace, past: PastStep) -> None:
        if place == self.place:
            self.past = past
            self.content_read.emit()

    def _set_listing(self, place: ReadPlace, listing: DirectoryListingResult) -> None:
        if place == self.place and listing != self.listing:
            self.listing = listing
            self.content_read.emit()

    def _show_error(self, place: ReadPlace, error: StudioError) -> None:
        if place == self.place:
            self.file = self.blame = self.past = self.listing = None
            self.missing = f"{error.message} {error.hint}".strip()
            self.content_read.emit()


def _document_of(place: ReadPlace) -> object:
    """Return the place without line, step or pattern."""
    if isinstance(place, FolderPlace):
        return (place.query.path,)
    return place.source if isinstance(place, FilePlace) else (place.plan_id,)


def _read_file(workspace: Workspace, place: FilePlace) -> ReadFile:
    path = place.path
    if place.side:
        contents = workspace.proposer.contents(place.plan_id, place.step)
        content = (contents.base if place.side == "base" else contents.result) or b""
    else:
        content = workspace.reader.read(path)
    setting = workspace.reader.encoding_for(path)
    changes = workspace.reader.changes(path)
    return ReadFile(place.source, content, diff_of(content, content, setting), setting, changes)


def _read_step(workspace: Workspace, place: PlanPlace) -> PastStep:
    plan = workspace.proposer.plan(place.plan_id)
    number = place.step or (plan.steps[0].number if plan.steps else 0)
    step = plan.step(number)
    if step is None:
        return PastStep(plan, number, None, None, None, None)
    contents = workspace.proposer.contents(plan.id, number)
    is_edited = step.decision is not None and step.decision.edited
    result = contents.decided if is_edited else contents.result
    return PastStep(
        plan,
        number,
        contents.base,
        result,
        diff_of(contents.base, result, contents.setting),
        contents.setting,
    )
