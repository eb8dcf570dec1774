"""Controller of the read-only view: navigation, line search, opening external editors."""

from __future__ import annotations

import os
import shlex
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace
from PySide6.QtCore import QObject, QProcess, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from studio.ui.limits import READ_PLACES_UP_TO
from studio.ui.look.words import say
from studio.ui.review.queue_state import diff_of
from studio.ui.review.state import Tone
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import FileDiff, Plan
    from studio.errors import StudioError
    from studio.extras.reader import (
        Blame,
        DirectoryListingResult,
        FileChange,
        FolderQuery,
        LineHit,
        LineQuery,
    )
    from studio.ui.review.guards import Guards
    from studio.ui.review.observed import ObservedChanges
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.restore import Restore
    from studio.ui.review.rollback import Rollback
    from studio.ui.review.submission import Submission
    from studio.workspace import Workspace


class LineSearch(QObject):
    """Line search; a new one cancels the running one."""

    changed = Signal()

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._project = project
        self._cancel = threading.Event()
        self.query: LineQuery | None = None
        self.hits: tuple[LineHit, ...] = ()
        self.is_running = False
        self.is_whole = True
        """Whether `hits` holds all results, and not only the first ones."""
        self.refusal = ""
        """Why the search failed."""
        project.closed.connect(self.stop)

    def search(self, query: LineQuery) -> None:
        """Cancel the running search and start this one."""
        self.stop()
        cancel = self._cancel = threading.Event()
        self.query, self.hits, self.is_running, self.is_whole, self.refusal = query, (), True, True, ""
        self.changed.emit()
        runner, reader = self._project.runner, self._project.workspace.reader

        def post_hits(hits: tuple[LineHit, ...]) -> None:
            runner.post(self._add_hits, (cancel, hits))

        self._project.ask_in_background(
            partial(reader.search, query, post_hits, cancel),
            then=partial(self._finish, cancel), failed=partial(self._report_failure, cancel),
        )  # fmt: skip

    def stop(self) -> None:
        """Cancel the search; its hits stay."""
        self._cancel.set()
        self.is_running = False

    def clear(self) -> None:
        """Cancel the search and clear its hits."""
        self.stop()
        self.query, self.hits, self.is_whole, self.refusal = None, (), True, ""
        self.changed.emit()

    def _add_hits(self, batch: tuple[threading.Event, tuple[LineHit, ...]]) -> None:
        cancel, hits = batch
        if cancel is self._cancel:
            self.hits += hits
            self.changed.emit()

    def _finish(self, cancel: threading.Event, is_whole: bool) -> None:
        if cancel is self._cancel:
            self.is_running, self.is_whole = False, is_whole
            self.changed.emit()

    def _report_failure(self, cancel: threading.Event, error: StudioError) -> None:
        if cancel is self._cancel:
            self.is_running, self.refusal = False, f"{error.message} {error.hint}".strip()
            self.changed.emit()


class FileLocation(Value):
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


class PlanLocation(Value):
    """A step of an applied plan as decided; 0 is the first."""

    plan_id: str
    step: int = 0


class FolderLocation(Value):
    """A folder and the filter on its entries."""

    query: FolderQuery


ReadLocation = FileLocation | PlanLocation | FolderLocation


class ReadFile(Value):
    """A file's content and lines; `diff` is None for binary content."""

    source: tuple[str, str, int, str]
    content: bytes
    diff: FileDiff | None
    setting: str | None
    changes: tuple[FileChange, ...]

    @property
    def path(self) -> str:
        return self.source[0]


class PastStep(Value):
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
        self._back: list[ReadLocation] = []
        self._forward: list[ReadLocation] = []
        self.location: ReadLocation | None = None
        self.file: ReadFile | None = None
        self.blame: Blame | None = None
        self.past: PastStep | None = None
        self.listing: DirectoryListingResult | None = None
        self.missing = ""
        """Why the place can't be shown."""
        queue.previews_close_requested.connect(self.close)
        queue.tree_changed.connect(self._reread)
        rollback.changed.connect(self._close_for_preview)
        restore.changed.connect(self._close_for_preview)
        observed.shown_changed.connect(self._close_for_preview)
        submission.changed.connect(self._close_for_pasted)
        self.changed.connect(guards.allowed_changed)

    @property
    def is_open(self) -> bool:
        return self.location is not None

    @property
    def has_back(self) -> bool:
        return bool(self._back)

    @property
    def has_ahead(self) -> bool:
        return bool(self._forward)

    def show(self, place: ReadLocation) -> None:
        """Show a place; the one before goes on the back stack."""
        if self.location is None or _document_of(self.location) != _document_of(place):
            self._forward.clear()
            self._push_back()
        self._show_place(place)

    def go_back(self) -> None:
        """Go back to the previous place."""
        if self._back:
            if self.location is not None:
                self._forward.append(self.location)
            self._show_place(self._back.pop())

    def go_forward(self) -> None:
        """Go forward again."""
        if self._forward:
            if self.location is not None:
                self._back.append(self.location)
            self._show_place(self._forward.pop())

    def close(self) -> None:
        """Close the view; `go_back` returns to the place."""
        if self.location is not None:
            self._push_back()
            self._show_place(None)

    def _push_back(self) -> None:
        if self.location is not None:
            self._back = [*self._back, self.location][-READ_PLACES_UP_TO:]

    def _close_for_preview(self) -> None:
        """Close the view when a preview opens: only one is shown."""
        rollback, restore, observed = self._previews
        if rollback.preview is not None or restore.preview is not None or observed.shown_row is not None:
            self.close()

    def _close_for_pasted(self) -> None:
        if self._submission.pasted is not None:
            self.close()

    def _show_place(self, place: ReadLocation | None) -> None:
        if not (
            isinstance(place, FileLocation) and self.file is not None and self.file.source == place.source
        ):
            self.file = self.blame = None
        if place is None or self.location is None or _document_of(place) != _document_of(self.location):
            self.listing = None
        self.location, self.past, self.missing = place, None, ""
        if place is not None:
            for preview in self._previews:
                preview.cancel()
        self.changed.emit()
        self._read()

    def _reread(self) -> None:
        if isinstance(self.location, FolderLocation) or (
            isinstance(self.location, FileLocation) and not self.location.side
        ):
            self._read()

    def _read(self) -> None:
        place, workspace = self.location, self._project.workspace
        if isinstance(place, FileLocation):
            self._request(place, partial(_read_file, workspace, place), self._set_file, self._show_error)
        elif isinstance(place, PlanLocation):
            self._request(place, partial(_read_step, workspace, place), self._set_past, self._show_error)
        elif isinstance(place, FolderLocation):
            self._request(
                place, partial(workspace.reader.browse, place.query), self._set_listing, self._show_error
            )

    def _request(
        self,
        place: ReadLocation,
        job: Callable[[], Any],
        then: Callable[[ReadLocation, Any], object],
        failed: Callable[[ReadLocation, StudioError], object],
    ) -> None:
        self._project.ask_in_background(job, then=partial(then, place), failed=partial(failed, place))

    def _set_file(self, place: ReadLocation, file: ReadFile) -> None:
        """Show the file, and request its blame unless cached for these bytes."""
        before = self.file
        if place != self.location:
            return
        if before is not None and (before.source, before.content) == (file.source, file.content):
            file = replace(file, content=before.content, diff=before.diff)
            if file == before:
                return
        else:
            self.blame = None
        self.file = file
        self.content_read.emit()
        # A plan's result has no authors yet.
        if file.diff is not None and isinstance(place, FileLocation) and place.side != "result":
            job = partial(self._project.workspace.reader.blame, file.path, file.content)
            self._request(place, job, partial(self._set_blame, file), self._report_blame_error)

    def _set_blame(self, file: ReadFile, place: ReadLocation, blame: Blame) -> None:
        if place == self.location and self.file is file:
            self.blame = blame
            self.content_read.emit()

    def _report_blame_error(self, place: ReadLocation, error: StudioError) -> None:
        """Report the error; the file stays open."""
        if place == self.location:
            self._project.report(error)

    def _set_past(self, place: ReadLocation, past: PastStep) -> None:
        if place == self.location:
            self.past = past
            self.content_read.emit()

    def _set_listing(self, place: ReadLocation, listing: DirectoryListingResult) -> None:
        if place == self.location and listing != self.listing:
            self.listing = listing
            self.content_read.emit()

    def _show_error(self, place: ReadLocation, error: StudioError) -> None:
        if place == self.location:
            self.file = self.blame = self.past = self.listing = None
            self.missing = f"{error.message} {error.hint}".strip()
            self.content_read.emit()


def _document_of(place: ReadLocation) -> object:
    """Return the place without line, step or pattern."""
    if isinstance(place, FolderLocation):
        return (place.query.path,)
    return place.source if isinstance(place, FileLocation) else (place.plan_id,)


def _read_file(workspace: Workspace, place: FileLocation) -> ReadFile:
    path = place.path
    if place.side:
        contents = workspace.proposer.contents(place.plan_id, place.step)
        content = (contents.base if place.side == "base" else contents.result) or b""
    else:
        content = workspace.reader.read(path)
    setting = workspace.reader.encoding_for(path)
    changes = workspace.reader.changes(path)
    return ReadFile(place.source, content, diff_of(content, content, setting), setting, changes)


def _read_step(workspace: Workspace, place: PlanLocation) -> PastStep:
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


_COLON = ("{file}:{line}",)
_PLUS = ("+{line}", "{file}")
_LINE_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("code", "codium", "code-insiders", "cursor", "windsurf"), ("-g", *_COLON)),
    **dict.fromkeys(("zed", "zeditor", "subl", "sublime_text", "lapce", "hx-gui"), _COLON),
    **dict.fromkeys(("pycharm", "idea", "clion", "goland", "webstorm"), ("--line", "{line}", "{file}")),
    **dict.fromkeys(("gvim", "neovide", "gedit", "gnome-text-editor", "pluma", "xed", "mousepad"), _PLUS),
    "kate": ("-l", "{line}", "{file}"),
    "emacsclient": ("-n", "-c", "+{line}", "{file}"),
}
"""Arguments after an editor's name; names are tried in this order."""

_TERMINAL_EDITORS: Final = frozenset(
    "vi vim nvim nano pico ed ex emacs joe jed mcedit micro hx kak ne".split()
)


def editor_command(
    file: str, line: int, *, environment: Mapping[str, str], which: Callable[[str], str | None]
) -> tuple[str, ...]:
    """Return the command that opens a file at a line (from 1).

    That is the editor in VISUAL or EDITOR where it needs no terminal, else the first supported one installed;
    () if there is none.
    """
    for variable in ("VISUAL", "EDITOR"):
        words = _words(environment.get(variable, ""))
        name = PurePath(words[0]).name if words else ""
        if name and name not in _TERMINAL_EDITORS and which(words[0]) is not None:
            return (*words, *_fill_arguments(_LINE_ARGUMENTS.get(name, ("{file}",)), file, line))
    for name, arguments in _LINE_ARGUMENTS.items():
        found = which(name)
        if found is not None:
            return (found, *_fill_arguments(arguments, file, line))
    return ()


def start_editor(command: Sequence[str], folder: str) -> bool:
    """Start the editor detached; return whether it started."""
    started, _pid = QProcess.startDetached(command[0], list(command[1:]), folder)
    return bool(started)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _fill_arguments(words: tuple[str, ...], file: str, line: int) -> tuple[str, ...]:
    return tuple(word.replace("{line}", str(max(1, line))).replace("{file}", file) for word in words)


# Opening the current file outside of the program.


class Outside(QObject):
    """Opener of the current file in other programs.

    It acts only on the user's click or key press, and never by the file's extension, which may run it.
    """

    def __init__(self, project: Project, queue: Queue, reading: Reading) -> None:
        super().__init__(project)
        self._project, self._queue, self._reading = project, queue, reading

    @property
    def path(self) -> str:
        """Path of the file shown in the middle, "" for none.

        That is the file being read, else the step's.
        """
        place, step = self._reading.location, self._queue.current_step
        if isinstance(place, FileLocation):
            return place.path
        if place is not None or step is None:
            return ""
        return step.path if step.base is not None else step.target

    def open_in_editor(self, path: str, line: int) -> None:
        """Open a file in the user's editor, at a line from 1."""
        if path:
            on_disk = self._project.workspace.reader.on_disk
            self._project.ask(on_disk, path, then=partial(self._start_editor, line))

    def show_in_folder(self, path: str) -> None:
        """Show a file's folder in the desktop's file manager."""
        if path:
            self._project.ask(self._project.workspace.reader.on_disk, path, then=self._show_folder)

    def _start_editor(self, line: int, file: Path) -> None:
        command = editor_command(str(file), line, environment=os.environ, which=shutil.which)
        if not command:
            self._warn(
                self.tr(
                    "No graphical editor was found. Set the VISUAL environment variable and "
                    "restart Exacta Studio."
                )
            )
            return
        root = str(self._project.root_path)
        if not start_editor(command, root):
            self._warn(say(self.tr("{editor} could not be started."), editor=Path(command[0]).name))

    def _show_folder(self, file: Path) -> None:
        folder = file if file.is_dir() else file.parent
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._warn(self.tr("No file manager was found."))

    def _warn(self, sentence: str) -> None:
        self._project.report_status(sentence, Tone.WARNING)
