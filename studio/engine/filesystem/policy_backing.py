"""Storage backend wrapper that enforces the access policy and logs reads.

What they deny is neither read, listed nor written through it. It is beneath the protocol, so that no tool and
no door can bypass it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from msgspec.structs import replace

from studio.engine.filesystem.access_log import ReadLog
from studio.engine.filesystem.backing import Backing, Entries, Reading, Scan, Writing
from studio.engine.filesystem.backup_names import backed_up
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Lines, Search
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.overlay import OverlayBacking, OverlayFilesystem
from studio.engine.filesystem.overlay_tree import joined
from studio.engine.filesystem.searching import Names, SearchableBacking, files_by_walking, lines_beneath
from studio.engine.filesystem.types import ScannedEntry, WriteMode
from studio.engine.policy import PathVerdict, Policy
from studio.engine.root import EntryKind, FileState, Guard, ProjectRoot, Unseen
from studio.errors import AccessDenied, LeadsOutside


class RuledBacking(Backing, SearchableBacking):
    """A backing restricted by a policy.

    `guard` checks locks by identity; files that are on no disk have none.
    """

    def __init__(self, inner: Backing, policy: Policy, guard: Guard | None, log: ReadLog) -> None:
        self.backing = inner
        self._policy = policy
        self._guard = guard
        self._log = log

    @property
    def root(self) -> str:
        return self.backing.root

    @property
    def windows(self) -> bool:
        return self.backing.windows

    @property
    def folds_case(self) -> bool:
        return self.backing.folds_case

    def over(self, inner: Backing) -> RuledBacking:
        """Return the same rules around another backing."""
        return RuledBacking(inner, self._policy, self._guard, self._log)

    @property
    def is_layer(self) -> bool:
        return self.backing.is_layer

    def node(self, path: str) -> FileState | None:
        state = self.backing.node(path)
        # A missing entry may become a folder, to which rules about file types don't apply.
        may_be_folder = state is None and bool(path) and not self._policy.check(path).allowed
        self._check_access(
            path, folder=may_be_folder or (state is not None and state.kind is EntryKind.FOLDER)
        )
        return state

    def has_name(self, path: str) -> bool:
        return self.backing.has_name(path)

    def link_refused(self, path: str) -> LeadsOutside:
        return self.backing.link_refused(path)

    def created_ns(self, path: str) -> int | None:
        return self.backing.created_ns(path)

    def entries(self, path: str) -> Entries:
        """Return the entries; what the rules deny is unseen, with the rule."""
        self._check_access(path, folder=True)
        found = self.backing.entries(path)
        hidden: list[Unseen] = []
        ordinary = self._policy.filter_ordinary(path, (*found.files, *found.folders))

        def allowed(name: str, *, folder: bool) -> bool:
            if name in ordinary:
                return True
            verdict = self._find_verdict(joined(path, name), folder=folder, is_listed=True)
            if not verdict.allowed:
                hidden.append(Unseen(verdict.path, verdict.reason))
            return verdict.allowed

        files = tuple(name for name in found.files if allowed(name, folder=False))
        folders = tuple(name for name in found.folders if allowed(name, folder=True))
        others = tuple(entry for entry in found.others if allowed(entry[0], folder=False))
        return Entries(files, folders, others, (*found.unseen, *hidden))

    def scan(self, path: str) -> Scan:
        """Return the rows as `entries` does, but with denied folders marked."""
        self._check_access(path, folder=True)
        scan = self.backing.scan(path)
        ordinary = self._policy.filter_ordinary(path, [entry.name for entry in scan.found])
        if len(ordinary) == len(scan.found):
            return scan
        prefix = f"{path}/" if path else ""
        is_folder = EntryKind.FOLDER
        found: list[ScannedEntry] = []
        hidden: list[Unseen] = []
        for entry in scan.found:
            if entry.name in ordinary:
                found.append(entry)
                continue
            if entry.kind is is_folder:
                verdict = self._find_verdict(prefix + entry.name, folder=True, is_listed=True)
                found.append(entry if verdict.allowed else replace(entry, is_denied=True))
                continue
            verdict = self._find_verdict(prefix + entry.name, is_listed=True)
            if verdict.allowed:
                found.append(entry)
            else:
                hidden.append(Unseen(verdict.path, verdict.reason))
        return Scan(tuple(found), (*scan.unseen, *hidden))

    def open(self, path: str) -> Reading:
        self._check_access(path)
        reading = self.backing.open(path)
        try:
            self.check_size(path, reading.size)
        except AccessDenied:
            reading.close()
            raise
        return _LoggedReading(reading, path, self._log)

    def start(self, path: str, mode: WriteMode) -> Writing:
        self._check_access(path)
        state = self.backing.node(path)
        present = state.size if state is not None and mode is WriteMode.APPEND else 0
        return _CappedWriting(self.backing.start(path, mode), path, present, self)

    def make_folder(self, path: str) -> None:
        self._check_access(path, folder=True)
        self.backing.make_folder(path)

    def remove(self, path: str, *, recursive: bool) -> None:
        self._check_tree(path)
        self.backing.remove(path, recursive=recursive)

    def move(self, source: str, destination: str, *, replace: bool) -> None:
        for inner, is_folder in self._check_tree(source):
            self._check_access(destination + inner[len(source) :], folder=is_folder)
        self.backing.move(source, destination, replace=replace)

    def copy(self, source: str, destination: str, *, replace: bool) -> None:
        self._check_access(source)
        self._check_access(destination)
        state = self.backing.node(source)
        self.check_size(destination, state.size if state is not None else 0)
        self.backing.copy(source, destination, replace=replace)

    def files_beneath(self, folder: str, glob: Glob) -> Names:
        return files_by_walking(self, folder, glob)

    def lines_beneath(self, folder: str, search: Search) -> Lines:
        self._check_access(folder, folder=True)
        skip = search.skip

        def skipped(path: str) -> bool:
            exists = not self.folds_case
            return not self._policy.check(path, exists=exists).allowed or (skip is not None and skip(path))

        return lines_beneath(self.backing, folder, replace(search, skip=skipped))

    def _check_access(self, path: str, *, folder: bool = False, is_listed: bool = False) -> None:
        """Raise AccessDenied for a denied path; the root itself is never denied."""
        if path:
            verdict = self._find_verdict(path, folder=folder, is_listed=is_listed)
            if not verdict.allowed:
                raise verdict.denial()
            if self._guard is not None:
                self._guard.check(path)

    def _find_verdict(self, path: str, *, folder: bool = False, is_listed: bool = False) -> PathVerdict:
        """Return the verdict of the rules.

        A tool's backup file counts as the file that it belongs to. `is_listed` is set where the name comes
        from the listing of its folder.
        """
        verdict = self._policy.check(path, folder=folder)
        if verdict.level == "name" and (not self.folds_case if is_listed else self.has_name(path)):
            verdict = self._policy.check(path, folder=folder, exists=True)
        if not verdict.allowed and verdict.rule == "allowed_extensions":
            original = backed_up(path)
            if original is not None:
                return self._policy.check(original)
        return verdict

    def _check_tree(self, path: str) -> list[tuple[str, bool]]:
        """Check a path and all beneath it; return (path, is folder) pairs."""
        checked = list(self._walk_tree(path))
        for place, is_folder in checked:
            self._check_access(place, folder=is_folder, is_listed=place != path)
        return checked

    def _walk_tree(self, path: str) -> Iterator[tuple[str, bool]]:
        state = self.backing.node(path)
        is_folder = state is not None and state.kind is EntryKind.FOLDER
        yield path, is_folder
        if is_folder:
            entries = self.backing.entries(path)
            for name in (*entries.files, *(name for name, _ in entries.others)):
                yield joined(path, name), False
            for name in entries.folders:
                yield from self._walk_tree(joined(path, name))

    def check_size(self, path: str, size: int) -> None:
        """Raise AccessDenied where `size` bytes are too large for the path."""
        verdict = self._policy.check_size(path, size)
        if verdict is not None:
            raise verdict.denial()


def wrap_in_rules(filesystem: BackedFilesystem, policy: Policy, log: ReadLog) -> BackedFilesystem:
    """Wrap a filesystem in rules; locked files stay locked."""
    root = _find_project(filesystem.backing)
    guard = None if root is None else Guard(root, policy.locked_paths)
    ruled = RuledBacking(filesystem.backing, policy, guard, log)
    return BackedFilesystem(ruled, read_only=filesystem.read_only, limits=filesystem.limits)


def make_overlay(filesystem: BackedFilesystem) -> OverlayFilesystem:
    """Return a writable overlay under the rules of its base."""
    layer = OverlayFilesystem(filesystem)
    if isinstance(filesystem.backing, RuledBacking):
        layer.backing = filesystem.backing.over(layer.layers)
    return layer


def _find_project(backing: Backing) -> ProjectRoot | None:
    """Return the folder on disk beneath all layers, None for memory."""
    while isinstance(backing, OverlayBacking | RuledBacking):
        backing = backing.base.backing if isinstance(backing, OverlayBacking) else backing.backing
    return backing.project if isinstance(backing, HostBacking) else None


class _LoggedReading:
    """An open file that logs each contiguous range read once."""

    def __init__(self, inner: Reading, path: str, log: ReadLog) -> None:
        self._inner = inner
        self._path = path
        self._log = log
        self._start = self._end = 0
        self._hash = hashlib.sha256()

    @property
    def size(self) -> int:
        return self._inner.size

    def read_at(self, offset: int, size: int) -> bytes:
        data = self._inner.read_at(offset, size)
        if offset != self._end:
            self._log_read()
            self._start = self._end = offset
        self._hash.update(data)
        self._end += len(data)
        return data

    def _log_read(self) -> None:
        length = self._end - self._start
        if length or not self.size:
            self._log.read(self._path, self._start, length, self.size, self._hash.hexdigest())
        self._hash = hashlib.sha256()
        self._start = self._end

    def close(self) -> None:
        self._log_read()
        self._inner.close()


class _CappedWriting:
    """New content limited to the size that the rules allow."""

    def __init__(self, inner: Writing, path: str, present: int, rules: RuledBacking) -> None:
        self._inner = inner
        self._path = path
        self._size = present
        self._rules = rules

    def write(self, data: bytes) -> None:
        self._size += len(data)
        self._rules.check_size(self._path, self._size)
        self._inner.write(data)

    def finish(self) -> None:
        self._inner.finish()

    def discard(self) -> None:
        self._inner.discard()
