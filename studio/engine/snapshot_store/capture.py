"""Capture of a folder snapshot as git objects, reading only changed files.

First the folder is scanned, then changed files are read, then the trees on the changed paths are written;
after the scan the caller can see how much has to be read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from studio.engine.root import ProjectRoot, open_entry
from studio.engine.root.hash_cache import (
    CachedFolder,
    HashCache,
    is_changed,
    is_young,
    mode_of,
    object_of,
    pack_state,
    record_of,
    size_of,
)
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath
from studio.engine.snapshot_store.git_names import git_name
from studio.engine.snapshot_store.manifest import FILE_MODE, FOLDER_MODE, PROGRAM_MODE, Manifest
from studio.engine.snapshot_store.object_folder import (
    EMPTY_TREE,
    FILE,
    FOLDER,
    LINK,
    PROGRAM,
    ObjectFolder,
    TreeEntries,
)
from studio.engine.snapshot_store.walk import Choice, Walk, unreadable_reason
from studio.errors import Refused
from studio.values import Value

_READ_TIMES = 3
"""Number of attempts for a file that changes while it is read.

After the last one its bytes are stored as they were read.
"""

Progress = Callable[[int, int], None]
"""Callback with the bytes read and to read in all.

An exception from it ends the capture.
"""


class Captured(Value):
    """A stored folder state.

    `tree` is the raw id of git's tree over `files` and `manifest`. `changed` are the paths whose state
    changed between the scan and the reading.
    """

    tree: bytes
    manifest: Manifest
    changed: frozenset[str] = frozenset()


class Capture:
    """One scan of a folder, and the storing of its result."""

    def __init__(
        self, root: ProjectRoot, objects: ObjectFolder, cache: HashCache, *, choice: Choice | None = None
    ) -> None:
        """Prepare a capture that updates `cache`.

        `cache` is the cache that the last capture into these objects left.
        """
        self._root = root
        self._objects = objects
        self._cache = cache
        self._walk = Walk(root, cache, choice)
        self._has_read = 0
        self._changed: set[str] = set()
        # Objects were removed since: drop cache entries whose objects are missing.
        if cache.removal != (removal := objects.removal):
            cache.removal = removal
            cache.keep_only(objects.present())
        top = cache.folders.get("")
        if top is not None and top.tree and not objects.has(top.tree):
            cache.folders.clear()
        self.is_first = not cache.folders

    @property
    def hash_cache(self) -> HashCache:
        """The cache passed in, as far as it has been updated."""
        return self._cache

    @property
    def files_read(self) -> int:
        """Number of files and links that were read and are cached now."""
        return self._has_read

    @property
    def bytes_to_read(self) -> int:
        """Number of bytes that `store` would read, after `scan`."""
        return sum(size_of(state) for _, _, state in self._walk.to_read)

    @property
    def largest_to_read(self) -> tuple[str, int]:
        """Path and size of the largest file to read.

        There must be one.
        """
        folder, name, state = max(self._walk.to_read, key=lambda found: size_of(found[2]))
        return f"{folder}/{name}" if folder else name, size_of(state)

    def scan(self) -> None:
        """Scan everything for changes.

        Raises OSError or Refused for the root itself.
        """
        with self._clear_on_error():
            self._walk.scan()
        self._mark_outdated()

    def scan_paths(self, paths: Iterable[str]) -> None:
        """Scan these paths and all beneath them for changes.

        Scans everything where the cache is not complete.
        """
        if not self._cache.folder("").tree:
            self.scan()
            return
        with self._clear_on_error():
            self._walk.scan_paths(paths)
        self._mark_outdated()

    def scan_result(self) -> HashCache:
        """Return what `scan` found, with the state of each file to read."""
        return self._walk.scan_result()

    def resume(self, found: HashCache) -> None:
        """Make `store` read the files of an earlier scan instead."""
        self._walk.resume(found)

    def _mark_outdated(self) -> None:
        """Mark the root as outdated, in case `store` is never called.

        The next capture then scans everything.
        """
        if self._walk.to_read:
            self._cache.outdate("")

    def store(self, progress: Progress | None = None) -> Captured:
        """Read changed files and write the trees.

        Raises SnapshotError where they can't be written.
        """
        total, done = self.bytes_to_read, 0
        with self._clear_on_error():
            for path, together in groupby(self._walk.to_read, key=itemgetter(0)):
                with self._enter_folder(path) as handle:
                    for _, name, state in together:
                        if progress is not None:
                            progress(done, total)
                        self._read_file(handle, path, name, state)
                        done += size_of(state)
            self._has_read += len(self._walk.to_read)
            self._walk.to_read.clear()
            self._make_trees()
            manifest = self._build_manifest()
            entries: TreeEntries = (
                (FOLDER, "files", self._cache.folder("").tree),
                (FILE, "manifest", self._objects.write_blob(manifest.to_bytes())),
            )
            return Captured(self._objects.write_tree(entries), manifest, frozenset(self._changed))

    @contextmanager
    def _clear_on_error(self) -> Generator[None]:
        """Clear the cache on any exception.

        Otherwise a partial scan would take an incomplete cache for a complete one.
        """
        try:
            yield
        except BaseException:
            self._cache.folders.clear()
            self._walk.to_read.clear()
            raise

    @contextmanager
    def _enter_folder(self, path: str) -> Generator[int]:
        """Open a folder; yield -1 where it is gone or a link."""
        try:
            handle = open_beneath(self._root.handle, path, FOLDER_FLAGS)
        except (OSError, Refused):
            yield -1
            return
        try:
            yield handle
        finally:
            os.close(handle)

    def _read_file(self, handle: int, path: str, name: str, found: bytes) -> None:
        """Store and cache one file or link.

        `found` is its state in the scan.
        """
        folder = self._cache.folder(path)
        before = folder.drop(name)
        record, why, state = None, "", b""
        try:
            if handle >= 0:
                state, record = self._store_content(handle, os.fsencode(name))
        except FileNotFoundError:
            pass
        except OSError as error:
            why = unreadable_reason(error)
        if why:
            folder.left_out[name] = why
        else:
            folder.left_out.pop(name, None)
        if record is not None:
            folder.put(name, record)
        if not why and is_changed(found, state):
            self._changed.add(f"{path}/{name}" if path else name)
        if record is None or before is None or _tree_identity(record) != _tree_identity(before):
            self._cache.outdate(path)

    def _store_content(self, folder: int, name: bytes) -> tuple[bytes, bytes]:
        """Store an entry's bytes; return its packed state and record.

        Raises OSError.
        """
        for tries in range(1, _READ_TIMES + 1):
            try:
                started_ns, before, data, after = _read_whole(folder, name)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                started_ns, status = time.time_ns(), os.stat(name, dir_fd=folder, follow_symlinks=False)
                data, state = os.fsencode(os.readlink(name, dir_fd=folder)), pack_state(status)
                return state, self._make_record(data, state, is_certain=not is_young(status, started_ns))
            state = pack_state(before)
            is_certain = state == pack_state(after)
            if is_certain or tries == _READ_TIMES:
                is_certain = is_certain and not is_young(before, started_ns)
                return state, self._make_record(data, state, is_certain=is_certain)
        raise AssertionError

    def _make_record(self, data: bytes, state: bytes, *, is_certain: bool) -> bytes:
        digest = hashlib.sha256(data).digest()
        return record_of(state, digest, self._objects.write_blob(data), is_certain=is_certain)

    def _make_trees(self) -> None:
        """Write the tree of each outdated folder, deepest first."""
        folders = self._cache.folders
        dirty = [path for path, folder in folders.items() if not folder.tree]
        for path in sorted(dirty, key=lambda path: path.count("/") if path else -1, reverse=True):
            folder = folders[path]
            prefix = f"{path}/" if path else ""
            below = ((name, folders[prefix + name]) for name in folder.folders)
            entries = [(FOLDER, git_name(name), each.tree) for name, each in below if not _is_empty(each)]
            folder.tree = self._objects.write_tree((*entries, *_yield_file_entries(folder)))

    def _build_manifest(self) -> Manifest:
        files, programs, modes = Counter[int](), Counter[int](), Counter[int]()
        count, total = 0, 0
        empty: list[str] = []
        excluded: dict[str, str] = {}
        # Not Counter.update: it checks for a mapping each time, 1 us for each of thousands of folders.
        for path, folder in self._cache.folders.items():
            counts = folder.counts
            count += len(folder.records)
            total += counts.bytes
            for mode, number in counts.files.items():
                files[mode] += number
            for mode, number in counts.programs.items():
                programs[mode] += number
            if path:
                modes[folder.mode] += 1
                if _is_empty(folder):
                    empty.append(path)
            if folder.left_out:
                prefix = f"{path}/" if path else ""
                excluded.update((prefix + name, why) for name, why in folder.left_out.items())
        usual = (
            _most_common(files, FILE_MODE),
            _most_common(programs, PROGRAM_MODE),
            _most_common(modes, FOLDER_MODE),
        )
        unusual = (
            dict(self._yield_unusual_modes(*usual)) if max(map(len, (files, programs, modes))) > 1 else {}
        )
        return Manifest(
            count, total, *usual, modes=unusual, empty_folders=tuple(sorted(empty)), left_out=excluded
        )

    def _yield_unusual_modes(self, file: int, program: int, folder_mode: int) -> Iterator[tuple[str, int]]:
        """Yield the permission bits that differ from the most common ones."""
        for path, folder in self._cache.folders.items():
            if path and folder.mode != folder_mode:
                yield path, folder.mode
            if folder.counts.files.keys() <= {file} and folder.counts.programs.keys() <= {program}:
                continue
            prefix = f"{path}/" if path else ""
            for name, record in folder.records.items():
                mode = mode_of(record)
                if stat.S_ISREG(mode):
                    bits = stat.S_IMODE(mode)
                    if bits != (program if mode & stat.S_IXUSR else file):
                        yield prefix + name, bits


def _most_common(counts: Counter[int], otherwise: int) -> int:
    return counts.most_common(1)[0][0] if counts else otherwise


def _is_empty(folder: CachedFolder) -> bool:
    return folder.tree == EMPTY_TREE


def _yield_file_entries(folder: CachedFolder) -> Iterator[tuple[int, str, bytes]]:
    for name, record in folder.records.items():
        yield _git_mode(mode_of(record)), git_name(name), object_of(record)


def _git_mode(mode: int) -> int:
    if stat.S_ISLNK(mode):
        return LINK
    return PROGRAM if mode & stat.S_IXUSR else FILE


def _tree_identity(record: bytes) -> tuple[int, bytes]:
    return _git_mode(mode_of(record)), object_of(record)


def _read_whole(folder: int, name: bytes) -> tuple[int, os.stat_result, bytes, os.stat_result]:
    """Read a regular file with its status before and after.

    Returns the time of the read in nanoseconds, the first status, the bytes, and the second status. At most
    the first size is read, so that a growing file ends. Raises OSError.
    """
    handle = open_entry(folder, name)
    try:
        started_ns = time.time_ns()
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "it is no longer a regular file")
        parts: list[bytes] = []
        left = before.st_size
        while left and (part := os.read(handle, left)):
            parts.append(part)
            left -= len(part)
        return started_ns, before, b"".join(parts), os.fstat(handle)
    finally:
        os.close(handle)
