"""Read-only API of a project: files, listings, blame, search, changes, grouping."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from itertools import islice
from pathlib import Path

from studio.engine.filesystem import HostFilesystem
from studio.engine.git_data import GitData
from studio.engine.history.blame import Blame, BlamedLines, Origin, blame
from studio.engine.history.inverse import stored
from studio.engine.history.line_search import (
    LineHit,
    LineQuery,
    ReportHits,
    SearchCache,
    SearchPlace,
    search_lines,
)
from studio.engine.plan import Operation
from studio.engine.project.context import Context
from studio.engine.root import EntryKind
from studio.engine.store.path_history import written_at
from studio.engine.store.precedents import precedents
from studio.errors import BadPattern, NotFound, Refused
from studio.extras.diff_view.moved import StepSides
from studio.extras.grouping import ReviewGroup, StepGrouping
from studio.extras.tools.listing import ListingOptions, list_folder
from studio.extras.tools.results import DirectoryListingResult
from studio.journal.file_image import FileImage
from studio.limits import LISTED_CHANGES_UP_TO, LISTED_ENTRIES_UP_TO, MOVED_BYTES_UP_TO
from studio.names import parse_tool, project_path, show_name
from studio.system.os_errors import wrap_os_errors
from studio.text import NotText, describe
from studio.values import Value

__all__ = [
    "Blame",
    "BlamedLines",
    "DirectoryListingResult",
    "FileChange",
    "FolderQuery",
    "LineHit",
    "LineQuery",
    "Origin",
    "Reader",
    "SearchPlace",
]


class FileChange(Value):
    """An applied step that wrote or removed a path.

    `agent` is "" where a person had its plan made; `who` approved it. `is_undone`: it was rolled back since.
    """

    plan_id: str
    step: int
    op: Operation
    title: str
    agent: str
    who: str
    when: datetime
    is_undone: bool


class FolderQuery(Value):
    """Filter for a folder listing.

    `pattern` is matched with names, "" for all; `is_deep` includes subfolders.
    """

    path: str
    pattern: str = ""
    is_deep: bool = False
    with_hidden: bool = False


class Reader:
    """Read access to a project's files, with or without plans."""

    def __init__(self, context: Context, git: Callable[[], GitData]) -> None:
        self._context = context
        self._git = git
        self._searched = (SearchPlace.PROJECT, "")
        self._search_cache = SearchCache()
        """Contents of that search, for the next letter typed."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a file, by its project or absolute path.

        Raises FileError, and Refused where it is no regular file or larger than a plan may change.
        """
        inside = self._to_root_path(path)
        with wrap_os_errors(f"{show_name(path)} can't be read", path=path):
            return self._context.root.read_bytes(inside, self._context.config().limits.file_bytes)

    def on_disk(self, path: str) -> Path:
        """Return the path on disk of a project's file or folder.

        For programs that can't use a file descriptor. Raises InvalidPath, Refused for a link, also among its
        parents, and NotFound.
        """
        inside = self._to_root_path(path)
        with wrap_os_errors(f"{show_name(path)} can't be looked at", path=path):
            state = self._context.root.state(inside)
        if state is None:
            raise NotFound(
                "file.missing", f"{show_name(path)} is not on disk.", "Read the step's result instead.",
                path=path,
            )  # fmt: skip
        if state.kind is EntryKind.LINK:
            raise Refused(
                "file.link", f"{show_name(path)} is a link, which may point anywhere.",
                "Open the link's target.", path=path,
            )  # fmt: skip
        return self._context.root.path / inside

    def browse(self, folder_query: FolderQuery) -> DirectoryListingResult:
        """List a folder by its project path; "" is the root.

        Folders come first, then files, each by path. Raises Refused for an invalid pattern, and FileError.
        """
        path = self._to_root_path(folder_query.path) if folder_query.path else "."
        listed = ListingOptions(
            folder_query.pattern or "*",
            0 if folder_query.is_deep else 1,
            folder_query.with_hidden,
            LISTED_ENTRIES_UP_TO,
            True,
        )
        with wrap_os_errors(
            f"{show_name(folder_query.path) or 'The project'} can't be listed", path=folder_query.path
        ):
            try:
                return list_folder(HostFilesystem(self._context.root, read_only=True), path, listed)
            except BadPattern as error:
                raise Refused("browse.pattern", f"{error}", "Write it as in *.py.") from error

    def encoding_for(self, path: str) -> str | None:
        """Return the configured encoding of a file."""
        return self._context.config().encoding_for(path)

    def blame(self, path: str, content: bytes | None = None) -> Blame:
        """Return the plan or commit, and the person, behind each line.

        Of `content`, or of the file on disk. Raises as `read`, and Refused where the bytes are not text.
        """
        inside = self._to_root_path(path)
        content = self.read(path) if content is None else content
        form = describe(content, self.encoding_for(inside))
        if isinstance(form, NotText):
            raise Refused(
                "blame.no_text", f"{show_name(path)} has no lines. {form.sentence}", "Name a text.", path=path
            )
        return blame(self._context, inside, content, self._git())

    def changes(self, path: str) -> tuple[FileChange, ...]:
        """Return the applied steps of a path, newest first.

        Raises Refused for damaged data.
        """
        steps = islice(
            written_at(self._context.store.database, self._to_root_path(path)), LISTED_CHANGES_UP_TO
        )
        return tuple(
            FileChange(
                each.plan_id, each.number, each.op, each.title, each.agent, each.who, each.applied,
                each.is_undone,
            )
            for each in steps
        )  # fmt: skip

    def search(self, query: LineQuery, report: ReportHits, cancel: threading.Event) -> bool:
        """Search lines in plans, the project or the history; see `search_lines`."""
        searched = (query.place, query.plan_id)
        if searched != self._searched:
            self._searched, self._search_cache = searched, SearchCache()
        return search_lines(self._context, query, self._git(), report, cancel, cache=self._search_cache)

    def sides(self, plan_id: str) -> tuple[StepSides, ...]:
        """Return both sides of a plan's text steps, for finding moved blocks.

        Empty for a plan that is too large for it. Raises NotFound, and Refused for damaged data.
        """
        steps = [step for step in self._context.store.plans.get(plan_id).steps if step.added or step.removed]
        sizes = [entry.size for step in steps for entry in (step.base, step.result) if entry is not None]
        if sum(sizes) > MOVED_BYTES_UP_TO:
            return ()

        def content(image: FileImage | None) -> bytes:
            return stored(self._context, image.sha256 if image is not None else None) or b""

        return tuple(
            StepSides(step.number, content(step.base), content(step.result), self.encoding_for(step.target))
            for step in steps
        )

    def gathering(self) -> StepGrouping:
        """Return how a plan's steps can be grouped for review.

        Raises ConfigRefused, and Refused for damaged data.
        """
        named = self._context.config().review_groups
        groups = tuple(ReviewGroup(name, tuple(texts)) for name, texts in named.items())
        return StepGrouping(groups, precedents(self._context.store.database))

    def _to_root_path(self, path: str) -> str:
        root = self._context.root.path
        return parse_tool(project_path(path, (root,)), (root,), exists=not self._context.root.folds_case)[1]
