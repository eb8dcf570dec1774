"""Scan of a folder against a hash cache to find changed files."""

from __future__ import annotations

import errno
import os
import stat
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, Protocol

from studio.engine.disk.temporary_names import is_temporary
from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import CachedFolder, HashCache, pack_state, record_of, state_of
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath
from studio.errors import Refused
from studio.names import folded
from studio.system.os_errors import reason

_GIT = ".git"
IGNORED: Final = "ignored"
"""Reason for entries that the caller excludes."""

_GIT_DATA: Final = "git data of a repository in it"
_GIT_FILE: Final = "leads to git data of a repository in it"
NO_FILE: Final = "neither a file, a folder nor a link"
NEVER_KEPT: Final = frozenset({_GIT_DATA, _GIT_FILE, NO_FILE})
"""Reasons for excluding readable entries; any other reason is a system error."""

_OF_PROCESS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})

_QUICK_UP_TO: Final = 10_000
"""Maximum number of files compared at once; about 600 bytes each."""


class Choice(Protocol):
    """Exclusion rules of a caller, answered in batches.

    A query for many folders takes hardly longer than one for a single folder.
    """

    def ask_for(self, folders: Collection[str]) -> None:
        """Query these folders; may be called on any thread."""
        ...

    def is_left_out(self, path: str) -> bool:
        """Return whether a file or a queried folder is excluded.

        The path of a folder ends with a slash.
        """
        ...


class Walk:
    """Scan of a folder's entries that reads no file contents.

    `to_read` collects new and changed files: folder, name and packed state.
    """

    def __init__(self, root: ProjectRoot, cache: HashCache, choice: Choice | None) -> None:
        """Prepare a scan that updates `cache`, except for the files to read."""
        self._root = root
        self._cache = cache
        self._choice = choice
        self._answers: dict[str, bool] = {}
        """Queried answers by folder; for others the cached one holds."""
        self._unknown: list[str] = []
        """New folders whose exclusion was not queried yet."""
        self.to_read: list[tuple[str, str, bytes]] = []

    def scan(self) -> None:
        """Scan everything for changes.

        Raises OSError or Refused for the root itself.
        """
        if self._choice is None:
            self._scan_beneath([""])
            return
        # The answers take long and rarely change, so the walk does not wait for them.
        before = dict(self._yield_cached_choices())
        with ThreadPoolExecutor(1, "studio-left-out") as executor:
            query = executor.submit(self._choice.ask_for, before)
            self._scan_beneath([""])
            query.result()
        changed = [
            path
            for path, was_excluded in before.items()
            if self._choice.is_left_out(f"{path}/") is not was_excluded
        ]
        self._scan_answered(self._choice, changed)

    def scan_paths(self, paths: Iterable[str]) -> None:
        """Scan these paths and all beneath them for changes.

        Raises as `scan`.
        """
        self._scan_each(paths)
        if self._choice is not None:
            self._scan_answered(self._choice, ())

    def scan_result(self) -> HashCache:
        """Return the folders and the states of the files to read.

        The records have no hashes.
        """
        found = HashCache()
        for path, folder in self._cache.folders.items():
            found.folders[path] = CachedFolder(folder.mode, {}, folder.folders, folder.left_out)
        for path, name, state in self.to_read:
            found.folder(path).put(name, record_of(state, bytes(32), bytes(20), is_certain=True))
        return found

    def resume(self, found: HashCache) -> None:
        """Replace the result of `scan` by that of an earlier scan.

        What is excluded now is dropped.
        """
        self._cache.folders.clear()
        self.to_read.clear()
        choice = self._choice
        if choice is not None:
            choice.ask_for([path for path in found.folders if path])
        pending = [""]
        while pending:
            path = pending.pop()
            folder, prefix = found.folders[path], f"{path}/" if path else ""
            cached = self._cache.folders[path] = CachedFolder(folder.mode, left_out=folder.left_out)
            for name in (*folder.folders, *folder.records):
                record = folder.records.get(name)
                within = f"{prefix}{name}"
                if choice is not None and choice.is_left_out(within if record else f"{within}/"):
                    cached.left_out[name] = IGNORED
                elif record:
                    self.to_read.append((path, name, state_of(record)))
                else:
                    cached.folders.add(name)
                    pending.append(within)

    def _yield_cached_choices(self) -> Iterator[tuple[str, bool]]:
        """Yield each cached folder, and whether it was excluded.

        Excluded files are included, since they may have become folders.
        """
        for path, folder in self._cache.folders.items():
            if path:
                yield path, False
            for name, why in folder.left_out.items():
                if why == IGNORED:
                    yield f"{path}/{name}" if path else name, True

    def _scan_answered(self, choice: Choice, paths: Iterable[str]) -> None:
        """Scan queried folders, then the new ones, one depth after the other."""
        self._answers |= {path: choice.is_left_out(f"{path}/") for path in paths}
        self._scan_each(paths)
        while self._unknown:
            new, self._unknown = self._unknown, []
            choice.ask_for(new)
            self._answers |= {path: choice.is_left_out(f"{path}/") for path in new}
            self._scan_each(new)

    def _scan_each(self, paths: Iterable[str]) -> None:
        for above, names in self._group_by_cached_folder(paths).items():
            if above in self._cache.folders:  # else it is gone, with everything in it
                self._scan_beneath(self._scan_folder(above, only=names) if all(names) else [""])

    def _group_by_cached_folder(self, paths: Iterable[str]) -> Mapping[str, set[str]]:
        """Group paths by cached folder, as names to scan in it.

        The name is "" for the root itself.
        """
        found: defaultdict[str, set[str]] = defaultdict(set)
        for path in paths:
            above, _, name = path.rpartition("/")
            while above not in self._cache.folders and above:
                above, _, name = above.rpartition("/")
            found[above].add(name)
        return found

    def _scan_beneath(self, pending: list[str]) -> None:
        while pending:
            pending += self._scan_folder(pending.pop())

    def _scan_folder(self, path: str, only: Collection[str] | None = None) -> list[str]:
        """Compare a folder, or some of its names, with the cache.

        Returns the folders in it that have to be scanned.
        """
        try:
            handle = open_beneath(self._root.handle, path, FOLDER_FLAGS)
        except (OSError, Refused) as error:
            if not path:
                raise
            self._drop_folder(path, error)
            return []
        try:
            folder = self._cache.folder(path)
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            if folder.mode != mode:
                folder.mode = mode
            if only is not None:
                return self._scan_names(handle, folder, path, only)
            if self._is_quickly_known(handle, folder):
                return [f"{path}/{name}" if path else name for name in folder.folders]
            return self._scan_all_names(handle, folder, path)
        finally:
            os.close(handle)

    def _is_quickly_known(self, handle: int, folder: CachedFolder) -> bool:
        """Return whether a folder's entries are all unchanged, in the cached order.

        Most folders are. Comparing each entry separately takes a tenth longer, and is only needed to find
        what differs.
        """
        is_settled = folder.tree and not folder.left_out and not self._answers
        if not is_settled or len(folder.records) > _QUICK_UP_TO:
            return False
        with os.scandir(handle) as entries:
            files = list(entries)
        if folder.folders:
            folders = [entry for entry in files if entry.name in folder.folders]
            if sum(entry.is_dir(follow_symlinks=False) for entry in folders) != len(folder.folders):
                return False
            files = [entry for entry in files if entry.name not in folder.folders]
        if [entry.name for entry in files] != list(folder.records):
            return False
        try:
            states = [pack_state(entry.stat(follow_symlinks=False)) for entry in files]
        except OSError:  # deleted meanwhile
            return False
        return all(map(bytes.startswith, folder.records.values(), states))

    def _scan_all_names(self, handle: int, folder: CachedFolder, path: str) -> list[str]:
        records = folder.records
        prefix = f"{path}/" if path else ""
        excluded: dict[str, str] = {}
        folders: set[str] = set()
        same: list[str] = []
        changed = 0
        with os.scandir(handle) as entries:
            for entry in entries:
                name = entry.name
                record = records.get(name)
                # A cached file needs no is_dir: its status shows whether it is a folder now.
                if record is None and entry.is_dir(follow_symlinks=False):
                    if self._is_folder_kept(folder, prefix, name, excluded):
                        folders.add(name)
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:  # deleted meanwhile
                    continue
                if record is not None and record.startswith(pack_state(status)):
                    same.append(name)
                elif stat.S_ISDIR(status.st_mode):
                    if self._is_folder_kept(folder, prefix, name, excluded):
                        folders.add(name)
                elif self._is_file_kept(prefix, name, status, excluded):
                    self.to_read.append((path, name, pack_state(status)))
                    changed += record is not None
                elif record is not None:
                    self._drop_file(path, name)
        if len(same) == len(records):
            folder.sort_records(same)
        elif len(same) + changed != len(records):
            self._drop_gone(handle, path)
        if folder.folders != folders or folder.left_out != excluded:
            for removed in folder.folders - folders:
                self._cache.remove(prefix + removed)
            folder.folders, folder.left_out = folders, excluded
            self._cache.outdate(path)
        return [prefix + name for name in folders]

    def _scan_names(self, handle: int, folder: CachedFolder, path: str, names: Collection[str]) -> list[str]:
        if not self._root.folds_case_in(path):
            return [found for name in names for found in self._scan_name(handle, folder, path, name)]
        # Every spelling of the name opens the same file; only the listing has the real one.
        listed = frozenset(os.listdir(handle))
        wanted_keys = {folded(name) for name in names}
        spelled = sorted(
            name
            for name in listed.union(folder.records, folder.folders, names)
            if folded(name) in wanted_keys
        )
        return [
            found
            for name in spelled
            for found in self._scan_name(handle, folder, path, name, is_there=name in listed)
        ]

    def _scan_name(
        self, handle: int, folder: CachedFolder, path: str, name: str, *, is_there: bool = True
    ) -> list[str]:
        prefix = f"{path}/" if path else ""
        excluded: dict[str, str] = {}
        status = None
        if is_there:
            with suppress(OSError):  # deleted meanwhile
                status = os.stat(os.fsencode(name), dir_fd=handle, follow_symlinks=False)
        is_folder = status is not None and stat.S_ISDIR(status.st_mode)
        is_kept_folder = is_folder and self._is_folder_kept(folder, prefix, name, excluded)
        if name in folder.folders and not is_kept_folder:
            self._drop_subtree(prefix + name)
            folder.folders.discard(name)
            self._cache.outdate(path)
        if is_folder or status is None:
            if folder.drop(name) is not None:
                self._cache.outdate(path)
        else:
            record = folder.records.get(name)
            is_same = record is not None and record.startswith(pack_state(status))
            if not is_same and self._is_file_kept(prefix, name, status, excluded):
                self.to_read.append((path, name, pack_state(status)))
            elif not is_same and record is not None:
                self._drop_file(path, name)
        if is_kept_folder and name not in folder.folders:
            folder.folders.add(name)
            self._cache.outdate(path)
        if folder.left_out.get(name) != excluded.get(name):
            folder.left_out.pop(name, None)
            folder.left_out |= excluded
        return [prefix + name] if is_kept_folder else []

    def _is_folder_kept(self, folder: CachedFolder, prefix: str, name: str, excluded: dict[str, str]) -> bool:
        if name == _GIT:
            if prefix:
                excluded[name] = _GIT_DATA
            return False
        if self._choice is None:
            return True
        is_left_out = self._answers.get(prefix + name)
        if is_left_out is None:
            is_left_out = folder.left_out.get(name) == IGNORED
            if not is_left_out and name not in folder.folders:
                self._unknown.append(prefix + name)
                return False
        if is_left_out:
            excluded[name] = IGNORED
        return not is_left_out

    def _is_file_kept(self, prefix: str, name: str, status: os.stat_result, excluded: dict[str, str]) -> bool:
        if name == _GIT:
            if prefix:
                excluded[name] = _GIT_FILE
            return False
        if is_temporary(name):
            return False
        if self._choice is not None and self._choice.is_left_out(prefix + name):
            excluded[name] = IGNORED
            return False
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            excluded[name] = NO_FILE
            return False
        return True

    def _drop_subtree(self, path: str) -> None:
        """Drop a folder and all beneath it from cache and `to_read`."""
        self._cache.remove(path)
        if self.to_read:
            self.to_read[:] = [
                each for each in self.to_read if each[0] != path and not each[0].startswith(f"{path}/")
            ]

    def _drop_file(self, path: str, name: str) -> None:
        """Drop a file from the cache whose entry is excluded now."""
        self._cache.folder(path).drop(name)
        self._cache.outdate(path)

    def _drop_gone(self, handle: int, path: str) -> None:
        """Remove deleted files of a folder from the cache."""
        folder = self._cache.folder(path)
        # Listed, not looked up: a case-insensitive disk finds a renamed file by its old name.
        with os.scandir(handle) as entries:
            existing = {
                entry.name for entry in entries if entry.is_file(follow_symlinks=False) or entry.is_symlink()
            }
        for name in folder.records.keys() - existing:
            folder.drop(name)
            self._cache.outdate(path)

    def _drop_folder(self, path: str, error: OSError | Refused) -> None:
        """Remove a missing or unreadable folder from the cache."""
        above, _, name = path.rpartition("/")
        self._cache.remove(path)
        folder = self._cache.folder(above)
        folder.folders.discard(name)
        if not isinstance(error, Refused) and error.errno not in (errno.ENOENT, errno.ENOTDIR):
            folder.left_out[name] = unreadable_reason(error)
        self._cache.outdate(above)


def unreadable_reason(error: OSError) -> str:
    """Return the reason why a file can't be read.

    Raises the error again where the cause is this process and not the file.
    """
    if error.errno in _OF_PROCESS:
        raise error
    return reason(error)
