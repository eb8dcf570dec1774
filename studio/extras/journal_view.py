"""Journal API of a project: list, search, export, verify and replay entries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from studio.engine.branch.posix import disk_changes_of
from studio.engine.branch.replay import Check, CheckMaker, Replayed, replay
from studio.engine.disk import ContentReader, DiskChange
from studio.engine.disk.outside_files import check_place, new_file
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.plan import Decision
from studio.engine.policy import Policy
from studio.engine.project.context import Context, Person
from studio.engine.root import Guard, ProjectRoot
from studio.engine.store.chain import ChainReport
from studio.engine.store.export_file import DamagedExport, ExportFile, open_export
from studio.engine.store.exporting import export_lines
from studio.engine.store.journal import EVERY_ENTRY, JournalFilter, JournalRow
from studio.errors import NeedsPerson, NotFound, Refused
from studio.extras.journal_search import JournalFound, find
from studio.journal.entries import WritingRequest
from studio.names import show_name


class JournalView:
    """Requests and replies in order; positions start at 1."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def newest(self, before: int | None = None, *, limit: int = 200) -> tuple[JournalRow, ...]:
        """Return rows at positions below `before` (None: all), the latest first."""
        return self._context.store.journal.newest(before, limit=limit)

    def find(self, words: str, before: int | None = None, only: JournalFilter = EVERY_ENTRY) -> JournalFound:
        """Return filtered entries that contain every word, the latest first.

        Only positions below `before` (None: all) are searched, and each request comes with its replies. The
        search stops after a batch, and the result says where to continue.
        """
        store = self._context.store
        return find(store.journal, words, store.plans.titles() if words else {}, before, only)

    def decisions(self, rows: Sequence[JournalRow]) -> Mapping[str, Decision]:
        """Return the decisions that the rows' requests carry out, by step id."""
        steps = [row.step_id for row in rows if isinstance(row.entry, WritingRequest)]
        return self._context.store.plans.read_decisions(steps) if steps else {}

    def follow(self, after: int, cancel: threading.Event | None = None) -> Iterator[JournalRow]:
        """Yield new rows at positions above `after`, until `cancel` is set."""
        journal = self._context.store.journal
        for item in journal.tail(after, cancel=cancel):
            yield from journal.newest(item.position + 1, limit=1)

    def export(self, *, with_contents: bool = False) -> Iterator[str]:
        """Yield every row as a line of JSON; contents only with `with_contents`."""
        store = self._context.store
        return export_lines(store.journal, store.blobs if with_contents else None)

    def verify(self, export: Path | None = None) -> ChainReport:
        """Check the hash chain of this journal, or of any export.

        It shows entries that were changed, removed or moved. Raises NotFound, NotAFile, FileError or Refused
        for an export that can't be read.
        """
        if export is None:
            return self._context.store.journal.verify()
        with open_export(export) as file:
            try:
                return file.check()
            except DamagedExport as error:
                return error.report

    def replay_needs_person(self, folder: Path) -> bool:
        """Return whether replaying needs a person, as the folder is not empty.

        Raises Refused for one that overlaps the project; for an empty one also where it is in another
        project.
        """
        with ProjectRoot(folder) as root:
            return self._check_folder(root)

    def replay(
        self,
        folder: Path,
        person: Person | None = None,
        *,
        export: Path | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Replayed:
        """Repeat the recorded writes in an existing folder outside the project.

        They are those of this journal, or of an export, whose contents are read from itself or else from this
        store. Raises Refused as `replay_needs_person`, NeedsPerson, as `verify` for an export, DamagedExport
        before anything is written, ReplayStopped with the entry that could not be run or was answered
        differently, or was the next one when `is_stopped` returned true.
        """
        store = self._context.store
        with ExitStack() as closing:
            root = closing.enter_context(ProjectRoot(folder))
            if self._check_folder(root) and person is None:
                raise NeedsPerson(
                    "needs_person",
                    f"{show_name(str(folder))} is not empty; its contents would be overwritten.",
                    "Specify an empty folder, or run the command in a terminal.",
                )
            if export is None:
                return replay(store.journal.tail(timeout=0), root, store.blobs.get, is_stopped=is_stopped)
            file = closing.enter_context(open_export(export))
            file.check()
            content = _read_either(file, store.blobs.get)
            return replay(file.entries(), root, content, _checks_beneath(root), is_stopped)

    def _check_folder(self, root: ProjectRoot) -> bool:
        project = self._context.root.path
        if root.path.is_relative_to(project) or project.is_relative_to(root.path):
            raise Refused(
                "journal.replay_here",
                f"{show_name(str(root.path))} is, contains or is inside the project.",
                "Replay into an empty folder, or into a copy of the project.",
            )
        if root.list_folder(""):
            return True
        check_place(root.path)
        return False


def _read_either(file: ExportFile, store_reader: ContentReader) -> ContentReader:
    """Return a reader for an export's contents, falling back to the store.

    Where neither has them, the error is that of the export.
    """

    def content(digest: str) -> bytes:
        try:
            return file.content(digest)
        except NotFound as missing:
            try:
                return store_reader(digest)
            except Refused:
                raise missing from None

    return content


def _checks_beneath(root: ProjectRoot) -> CheckMaker:
    """Return a check for what no export may contain, whatever its source.

    That is: names with "..", files that git or the app obey, temporary files under a name that is none of
    ours.
    """
    rules = Policy()

    def check_of(requests: Sequence[WritingRequest]) -> Check:
        disk_changes = disk_changes_of(requests)
        becoming = [change.path for change in disk_changes if change.becomes_folder]
        guard = Guard(root, planned=[change.path for change in disk_changes], becoming=becoming)

        def check(request: WritingRequest) -> None:
            for change in disk_changes_of([request]):
                verdict = rules.check(change.path, exists=change.before is not None)
                if verdict.level in ("name", "locked"):
                    raise _replay_refusal(change.path, verdict.reason)
                guard.check(change.path)
                if not _is_prepared_by_us(change):
                    raise _replay_refusal(change.path, "it is prepared under a name that is none of ours.")

        return check

    return check_of


def _is_prepared_by_us(change: DiskChange) -> bool:
    parent, _, name = change.temporary.rpartition("/")
    is_above = not parent or change.path.startswith(f"{parent}/")
    return change.is_folder or (is_above and is_temporary(name))


def _replay_refusal(path: str, cause: str) -> Refused:
    return Refused(
        "journal.not_replayed",
        f"{show_name(path)} was not written: {cause}",
        "Check that entry; Exacta Studio journals never request this.",
        path=path,
    )


# Journal export to a new file.


def write_journal(
    journal: JournalView,
    file: Path,
    project: Path,
    *,
    report: Callable[[int], object],
    with_contents: bool = False,
) -> int:
    """Write every row as a line to a file; return the count.

    The file must be outside of every project. `report` gets the count as it grows; an exception from it ends
    the export and removes the file. Raises as `new_files.new_file`.
    """
    count = 0
    with new_file(file, project, contents=with_contents) as stream:
        for count, line in enumerate(journal.export(with_contents=with_contents), start=1):
            report(count)
            stream.write(line.encode("utf-8") + b"\n")
    return count
