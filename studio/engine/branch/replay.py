"""Replay of a journal's writes in another folder, comparing recorded results."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from studio.engine.branch.posix import PosixFS, disk_changes_of
from studio.engine.disk import Batch, ContentReader, DiskChange, holds, image_at, image_of
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot
from studio.errors import Conflict, StudioError
from studio.journal.entries import (
    REPLY_TYPES,
    Content,
    CreateMode,
    Entry,
    FileFault,
    FileModeChanged,
    FileWrite,
    FileWritten,
    Reply,
    WritingRequest,
)
from studio.journal.file_image import FileImage, sha256
from studio.journal.journal import Positioned
from studio.system.os_errors import wrap_os_errors
from studio.values import Value

_FOLDER_MODE = 0o755
_ANY_SIZE = sys.maxsize
_STOPPED = "The folder holds what was written so far. Replay the journal into an empty one."
_COMPARE = "Compare the journal with the folder; one of them has changed."


class Replayed(Value):
    """How far a replay came: last matching position, and sorted paths written."""

    position: int
    requests: int
    paths: tuple[str, ...]


class ReplayStopped(Conflict):
    """The replay can't go on at the entry at `position`."""

    def __init__(self, position: int, cause: str, hint: str) -> None:
        super().__init__("journal.replay_stopped", f"The replay stopped at entry {position}: {cause}", hint)
        self.position = position


Check = Callable[[WritingRequest], None]
"""Raises StudioError or OSError for a request that must not run."""

CheckMaker = Callable[[Sequence[WritingRequest]], Check]
"""Creates the check for requests that run together."""


def replay(
    entries: Iterable[Positioned[Entry]],
    root: ProjectRoot,
    content: ContentReader,
    check_of: CheckMaker | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Replayed:
    """Rerun a journal's writes in order, comparing each reply.

    `root` is empty, or a copy of the project as it was before the first entry. What the journal did not do
    itself (files that existed before, outside changes in between) is recreated from the base that each
    request recorded, so that every path it wrote ends as it was on disk.

    Raises ReplayStopped, which names the entry, where a content was discarded, a reply differs or a check
    refuses, or, between two applies, where `is_stopped` returns True.
    """
    run = _Run(root, content, check_of)
    for item in entries:
        if is_stopped():
            raise ReplayStopped(item.position, "it was cancelled.", _STOPPED)
        run.add_entry(item)
    run.carry_out()
    return Replayed(run.position, run.requests, tuple(sorted(run.paths)))


class _Run:
    """Collects the requests of one apply until answered, then runs them.

    A request without a reply was never carried out; it does not hold up those after it.
    """

    def __init__(self, root: ProjectRoot, content: ContentReader, check_of: CheckMaker | None) -> None:
        self.position = 0
        self.requests = 0
        self.paths: set[str] = set()
        self._root = root
        self._content = content
        self._check_of = check_of
        self._open_requests: dict[str, Positioned[WritingRequest]] = {}
        self._replies: dict[str, Reply] = {}
        self._replied_up_to = 0

    def add_entry(self, item: Positioned[Entry]) -> None:
        entry = item.entry
        if isinstance(entry, WritingRequest):
            self.carry_out()
            self._open_requests[entry.correlation_id] = Positioned(item.position, entry)
        elif isinstance(entry, REPLY_TYPES) and entry.correlation_id in self._open_requests:
            self._replies[entry.correlation_id] = entry
            self._replied_up_to = item.position

    def carry_out(self) -> None:
        """Run the requests answered since the last call."""
        replies, self._replies = self._replies, {}
        items = tuple(item for item in self._open_requests.values() if item.entry.correlation_id in replies)
        for item in items:
            del self._open_requests[item.entry.correlation_id]
        if items and not any(isinstance(reply, FileFault) for reply in replies.values()):
            self._run(items, replies)
        self.position = self._replied_up_to

    def _run(self, items: Sequence[Positioned[WritingRequest]], answered: Mapping[str, Reply]) -> None:
        requests = tuple(item.entry for item in items)
        with _stop_on_error(items[0].position):
            check = self._check_of(requests) if self._check_of is not None else None
            for item in items:
                with _stop_on_error(item.position):
                    if check is not None:
                        check(item.entry)
            positions = {path: item.position for item in items for path in _paths(item.entry)}
            # All of one path together: what is removed may be of another kind than what replaces it.
            for change in disk_changes_of(requests):
                with _stop_on_error(positions[change.path]):
                    self._restore_base(change)
            leaf = PosixFS(self._root, self._content_for(requests))
            try:
                replies = leaf.commit(leaf.prepare(requests))
            except StudioError:
                leaf.abort(requests)
                self._check_contents(items, self._content_for(requests))
                raise
            leaf.finish(requests)
        for item, reply in zip(items, replies, strict=True):
            expected = answered[item.entry.correlation_id]
            if _without_exclusive(reply) != _without_exclusive(expected):
                raise ReplayStopped(item.position, "its response differs from the recorded one.", _COMPARE)
        self.requests += len(requests)
        self.paths.update(change.path for change in disk_changes_of(requests))

    def _content_for(self, requests: Sequence[WritingRequest]) -> ContentReader:
        """Return a reader of contents by SHA-256, also for appended-to files.

        An appended-to file is rebuilt from the base on disk and the added bytes: an export need not carry it.
        """
        append_sources = {
            request.result.sha256: (request.path, request.content)
            for request in requests
            if isinstance(request, FileWrite) and request.create_mode is CreateMode.APPEND_EXISTING
            if request.result is not None and isinstance(request.content, Content)
        }

        def content(digest: str) -> bytes:
            try:
                return self._content(digest)
            except StudioError:
                if digest not in append_sources:
                    raise
                path, added = append_sources[digest]
                data = self._root.read_bytes(path, _ANY_SIZE) + self._content(added.sha256)
                if sha256(data) != digest:
                    raise
                return data

        return content

    def _check_contents(self, items: Sequence[Positioned[WritingRequest]], content: ContentReader) -> None:
        """Raise ReplayStopped for the first request whose content is missing."""
        for item in items:
            with _stop_on_error(item.position):
                for change in disk_changes_of([item.entry]):
                    if change.after is not None and change.after.sha256 is not None:
                        content(change.after.sha256)

    def _restore_base(self, change: DiskChange) -> None:
        """Restore the recorded base of a file change at its path."""
        now = image_of(self._root, change)
        if change.if_empty or change.is_created_here or holds(change, now, change.before):
            return
        for folder in _folders_above(change.path):
            if image_at(self._root, folder) is None:
                self._write_change(DiskChange(folder, None, FileImage(None, 0, _FOLDER_MODE)))
        parent, _, _ = change.path.rpartition("/")
        name = temporary_name(str(uuid.uuid4()), 0)
        temporary = f"{parent}/{name}" if parent else name
        self._write_change(DiskChange(change.path, now, change.before, temporary))

    def _write_change(self, change: DiskChange) -> None:
        batch = Batch(self._root, [change], self._content)
        batch.prepare()
        batch.commit()
        batch.finish()


@contextmanager
def _stop_on_error(position: int) -> Generator[None]:
    try:
        with wrap_os_errors("The folder can't be written", it="it"):
            yield
    except ReplayStopped:
        raise
    except StudioError as error:
        raise ReplayStopped(position, error.message, error.hint) from error


def _paths(request: WritingRequest) -> Iterator[str]:
    return (change.path for change in disk_changes_of([request]))


def _folders_above(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _without_exclusive(reply: Reply) -> Reply:
    """Return a reply without `exclusive`, which depends on timing alone."""
    return replace(reply, exclusive=True) if isinstance(reply, FileWritten | FileModeChanged) else reply
