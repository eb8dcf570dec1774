"""Replay a journal's writes beneath another root and compare the replies."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from studio.engine.branch.entries import (
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
from studio.engine.branch.journal import Positioned
from studio.engine.branch.posix import PosixFS, placements_of
from studio.engine.disk import Batch, ContentReader, DiskChange, holds, image_at, image_of
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.errors import Conflict, StudioError
from studio.engine.plan import FileImage, sha256
from studio.engine.root import ProjectRoot
from studio.engine.system.os_errors import wrap_os_errors

_FOLDER_MODE = 0o755
_ANY_SIZE = sys.maxsize
_STOPPED = "What was written by then lies in the folder. Run the journal again into an empty one."
_COMPARE = "Compare the journal with the folder; one of them was changed."


@dataclass(frozen=True, slots=True)
class Replayed:
    """How far a replay came: last matching position, and sorted paths written."""

    position: int
    requests: int
    paths: tuple[str, ...]


class ReplayStopped(Conflict):
    """The replay can't go on at the entry at `position`."""

    def __init__(self, position: int, why: str, hint: str) -> None:
        super().__init__("journal.replay_stopped", f"The replay stopped at entry {position}: {why}", hint)
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
            raise ReplayStopped(item.position, "somebody asked for it.", _STOPPED)
        run.take(item)
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
        self._asked: dict[str, Positioned[WritingRequest]] = {}
        self._answered: dict[str, Reply] = {}
        self._answered_up_to = 0

    def take(self, item: Positioned[Entry]) -> None:
        entry = item.entry
        if isinstance(entry, WritingRequest):
            self.carry_out()
            self._asked[entry.correlation_id] = Positioned(item.position, entry)
        elif isinstance(entry, REPLY_TYPES) and entry.correlation_id in self._asked:
            self._answered[entry.correlation_id] = entry
            self._answered_up_to = item.position

    def carry_out(self) -> None:
        """Run the requests answered since the last call."""
        answered, self._answered = self._answered, {}
        asked = tuple(item for item in self._asked.values() if item.entry.correlation_id in answered)
        for item in asked:
            del self._asked[item.entry.correlation_id]
        if asked and not any(isinstance(reply, FileFault) for reply in answered.values()):
            self._run(asked, answered)
        self.position = self._answered_up_to

    def _run(self, asked: Sequence[Positioned[WritingRequest]], answered: Mapping[str, Reply]) -> None:
        requests = tuple(item.entry for item in asked)
        with _stopping(asked[0].position):
            check = self._check_of(requests) if self._check_of is not None else None
            for item in asked:
                with _stopping(item.position):
                    if check is not None:
                        check(item.entry)
            positions = {path: item.position for item in asked for path in _paths(item.entry)}
            # All of one path together: what is removed may be of another kind than what replaces it.
            for placement in placements_of(requests):
                with _stopping(positions[placement.path]):
                    self._lay_out(placement)
            leaf = PosixFS(self._root, self._content_for(requests))
            try:
                replies = leaf.commit(leaf.prepare(requests))
            except StudioError:
                leaf.abort(requests)
                self._name_missing(asked, self._content_for(requests))
                raise
            leaf.finish(requests)
        for item, reply in zip(asked, replies, strict=True):
            recorded = answered[item.entry.correlation_id]
            if _bare(reply) != _bare(recorded):
                raise ReplayStopped(item.position, "its reply differs from the recorded one.", _COMPARE)
        self.requests += len(requests)
        self.paths.update(placement.path for placement in placements_of(requests))

    def _content_for(self, requests: Sequence[WritingRequest]) -> ContentReader:
        """Return a reader of contents by SHA-256, also for appended-to files.

        An appended-to file is rebuilt from the base on disk and the added bytes: an export need not carry it.
        """
        appended = {
            request.result.sha256: (request.path, request.content)
            for request in requests
            if isinstance(request, FileWrite) and request.create_mode is CreateMode.APPEND_EXISTING
            if request.result is not None and isinstance(request.content, Content)
        }

        def content(digest: str) -> bytes:
            try:
                return self._content(digest)
            except StudioError:
                if digest not in appended:
                    raise
                path, added = appended[digest]
                data = self._root.read_bytes(path, _ANY_SIZE) + self._content(added.sha256)
                if sha256(data) != digest:
                    raise
                return data

        return content

    def _name_missing(self, asked: Sequence[Positioned[WritingRequest]], content: ContentReader) -> None:
        """Raise ReplayStopped for the first request whose content is missing."""
        for item in asked:
            with _stopping(item.position):
                for placement in placements_of([item.entry]):
                    if placement.after is not None and placement.after.sha256 is not None:
                        content(placement.after.sha256)

    def _lay_out(self, placement: DiskChange) -> None:
        """Bring the path of a placement to its recorded base."""
        now = image_of(self._root, placement)
        if placement.if_empty or placement.made_here or holds(placement, now, placement.before):
            return
        for folder in _folders_above(placement.path):
            if image_at(self._root, folder) is None:
                self._put(DiskChange(folder, None, FileImage(None, 0, _FOLDER_MODE)))
        above, _, _ = placement.path.rpartition("/")
        name = temporary_name(str(uuid.uuid4()), 0)
        temporary = f"{above}/{name}" if above else name
        self._put(DiskChange(placement.path, now, placement.before, temporary))

    def _put(self, placement: DiskChange) -> None:
        batch = Batch(self._root, [placement], self._content)
        batch.prepare()
        batch.commit()
        batch.finish()


@contextmanager
def _stopping(position: int) -> Generator[None]:
    try:
        with wrap_os_errors("The folder can't be written", it="it"):
            yield
    except ReplayStopped:
        raise
    except StudioError as error:
        raise ReplayStopped(position, error.message, error.hint) from error


def _paths(request: WritingRequest) -> Iterator[str]:
    return (placement.path for placement in placements_of([request]))


def _folders_above(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _bare(reply: Reply) -> Reply:
    """Return a reply without `exclusive`, which depends on timing alone."""
    return replace(reply, exclusive=True) if isinstance(reply, FileWritten | FileModeChanged) else reply
