"""A walk through a folder, beside what is known of it: says what there is to read, and knows the rest."""

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
from studio.engine.errors import Refused
from studio.engine.names import folded
from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import HashCache, KnownFolder, pack_state, record_of, state_of
from studio.engine.root.opening import FOLDER_FLAGS, open_beneath
from studio.engine.system.os_errors import reason

_GIT = ".git"
IGNORED: Final = "ignored"
"""Why what a caller wants to be left out is not kept."""

_GIT_DATA: Final = "git data of a repository in it"
_GIT_FILE: Final = "leads to git data of a repository in it"
NO_FILE: Final = "neither a file, a folder nor a link"
NEVER_KEPT: Final = frozenset({_GIT_DATA, _GIT_FILE, NO_FILE})
"""Why something is left out that could be read; any other reason is an error of the system."""

_OF_PROCESS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})

_QUICK_UP_TO: Final = 10_000
"""Of so many files in one folder the states are held at once: some 600 bytes each."""


class Choice(Protocol):
    """What of a folder is none of the caller's business. To ask for many folders takes hardly longer than for
    one."""

    def ask_for(self, folders: Collection[str]) -> None:
        """Find out about these folders, on whatever thread."""
        ...

    def is_left_out(self, path: str) -> bool:
        """Whether a file is, or a folder that was asked for: its path ends with a slash."""
        ...


class Walk:
    """Looks at folders and their files, and reads none. `to_read` gathers what is new or has changed: its
    folder, its name there and its packed state."""

    def __init__(self, root: ProjectRoot, known: HashCache, choice: Choice | None) -> None:
        """`known` is brought up to date, but for what is to be read."""
        self._root = root
        self._known = known
        self._choice = choice
        self._answers: dict[str, bool] = {}
        """Whether these folders are left out; of all others what is known from before is taken for true."""
        self._unknown: list[str] = []
        """Folders that are new, and wait until it was asked about them."""
        self.to_read: list[tuple[str, str, bytes]] = []

    def look(self) -> None:
        """Find what changed, by looking at everything. Raises OSError or Refused for the root itself."""
        if self._choice is None:
            self._look_beneath([""])
            return
        # The answers are mostly those from before, and take long: they are waited for after the walk.
        before = dict(self._known_choices())
        with ThreadPoolExecutor(1, "studio-left-out") as aside:
            asked = aside.submit(self._choice.ask_for, before)
            self._look_beneath([""])
            asked.result()
        changed = [path for path, was in before.items() if self._choice.is_left_out(f"{path}/") is not was]
        self._look_at_answered(self._choice, changed)

    def look_at(self, paths: Iterable[str]) -> None:
        """Find what changed at these paths and beneath them, where all else is known. Raises as `look`."""
        self._look_at_each(paths)
        if self._choice is not None:
            self._look_at_answered(self._choice, ())

    def found(self) -> HashCache:
        """Return the folders and the state of each file to read, without hashes."""
        found = HashCache()
        for path, folder in self._known.folders.items():
            found.folders[path] = KnownFolder(folder.mode, {}, folder.folders, folder.left_out)
        for path, name, state in self.to_read:
            found.folder(path).put(name, record_of(state, bytes(32), bytes(20), is_certain=True))
        return found

    def resume(self, found: HashCache) -> None:
        """Replace what `look` found by an earlier walk's `found`, without what is left out now."""
        self._known.folders.clear()
        self.to_read.clear()
        choice = self._choice
        if choice is not None:
            choice.ask_for([path for path in found.folders if path])
        pending = [""]
        while pending:
            path = pending.pop()
            folder, prefix = found.folders[path], f"{path}/" if path else ""
            known = self._known.folders[path] = KnownFolder(folder.mode, left_out=folder.left_out)
            for name in (*folder.folders, *folder.records):
                record = folder.records.get(name)
                within = f"{prefix}{name}"
                if choice is not None and choice.is_left_out(within if record else f"{within}/"):
                    known.left_out[name] = IGNORED
                elif record:
                    self.to_read.append((path, name, state_of(record)))
                else:
                    known.folders.add(name)
                    pending.append(within)

    def _known_choices(self) -> Iterator[tuple[str, bool]]:
        """The folders that are known, and whether each was left out; also files that were, which may be
        folders by now."""
        for path, folder in self._known.folders.items():
            if path:
                yield path, False
            for name, why in folder.left_out.items():
                if why == IGNORED:
                    yield f"{path}/{name}" if path else name, True

    def _look_at_answered(self, choice: Choice, paths: Iterable[str]) -> None:
        """Look at folders that were asked for, then at the new ones that wait, one depth after the other."""
        self._answers |= {path: choice.is_left_out(f"{path}/") for path in paths}
        self._look_at_each(paths)
        while self._unknown:
            new, self._unknown = self._unknown, []
            choice.ask_for(new)
            self._answers |= {path: choice.is_left_out(f"{path}/") for path in new}
            self._look_at_each(new)

    def _look_at_each(self, paths: Iterable[str]) -> None:
        for above, names in self._by_known_folder(paths).items():
            if above in self._known.folders:  # else it was found to be gone by now, with all in it
                self._look_beneath(self._look_into(above, only=names) if all(names) else [""])

    def _by_known_folder(self, paths: Iterable[str]) -> Mapping[str, set[str]]:
        """The names to look at in each folder that is known; "" is the top itself."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for path in paths:
            above, _, name = path.rpartition("/")
            while above not in self._known.folders and above:
                above, _, name = above.rpartition("/")
            found[above].add(name)
        return found

    def _look_beneath(self, pending: list[str]) -> None:
        while pending:
            pending += self._look_into(pending.pop())

    def _look_into(self, path: str, only: Collection[str] | None = None) -> list[str]:
        """Compare a folder, or what of it is called so, with what is known of it; returns the folders in it
        that are to be looked into."""
        try:
            handle = open_beneath(self._root.handle, path, FOLDER_FLAGS)
        except (OSError, Refused) as error:
            if not path:
                raise
            self._lose_folder(path, error)
            return []
        try:
            folder = self._known.folder(path)
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            if folder.mode != mode:
                folder.mode = mode
            if only is not None:
                return self._look_at_some(handle, folder, path, only)
            if self._is_quickly_known(handle, folder):
                return [f"{path}/{name}" if path else name for name in folder.folders]
            return self._look_at_all(handle, folder, path)
        finally:
            os.close(handle)

    def _is_quickly_known(self, handle: int, folder: KnownFolder) -> bool:
        """Whether all in a folder is as it was, in the order in which it was found: so it is in most of them.

        To compare each entry for itself takes a tenth longer, and tells what is otherwise where this says no.
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
        except OSError:  # gone meanwhile
            return False
        return all(map(bytes.startswith, folder.records.values(), states))

    def _look_at_all(self, handle: int, folder: KnownFolder, path: str) -> list[str]:
        records = folder.records
        prefix = f"{path}/" if path else ""
        left_out: dict[str, str] = {}
        folders: set[str] = set()
        same: list[str] = []
        changed = 0
        with os.scandir(handle) as entries:
            for entry in entries:
                name = entry.name
                record = records.get(name)
                # What is known to be a file is asked for its state, which says so if it is a folder by now.
                if record is None and entry.is_dir(follow_symlinks=False):
                    if self._is_folder_kept(folder, prefix, name, left_out):
                        folders.add(name)
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:  # gone meanwhile
                    continue
                if record is not None and record.startswith(pack_state(status)):
                    same.append(name)
                elif stat.S_ISDIR(status.st_mode):
                    if self._is_folder_kept(folder, prefix, name, left_out):
                        folders.add(name)
                elif self._is_file_kept(prefix, name, status, left_out):
                    self.to_read.append((path, name, pack_state(status)))
                    changed += record is not None
                elif record is not None:
                    self._drop(path, name)
        if len(same) == len(records):
            folder.put_in_order(same)
        elif len(same) + changed != len(records):
            self._drop_gone(handle, path)
        if folder.folders != folders or folder.left_out != left_out:
            for gone in folder.folders - folders:
                self._known.forget(prefix + gone)
            folder.folders, folder.left_out = folders, left_out
            self._known.outdate(path)
        return [prefix + name for name in folders]

    def _look_at_some(self, handle: int, folder: KnownFolder, path: str, names: Collection[str]) -> list[str]:
        if not self._root.folds_case_in(path):
            return [found for name in names for found in self._look_at_one(handle, folder, path, name)]
        # Each spelling of a name leads to the file there: which of them it has only the list says.
        listed = frozenset(os.listdir(handle))
        wanted = {folded(name) for name in names}
        spelled = sorted(
            name for name in listed.union(folder.records, folder.folders, names) if folded(name) in wanted
        )
        return [
            found
            for name in spelled
            for found in self._look_at_one(handle, folder, path, name, is_there=name in listed)
        ]

    def _look_at_one(
        self, handle: int, folder: KnownFolder, path: str, name: str, *, is_there: bool = True
    ) -> list[str]:
        prefix = f"{path}/" if path else ""
        left_out: dict[str, str] = {}
        status = None
        if is_there:
            with suppress(OSError):  # gone meanwhile
                status = os.stat(os.fsencode(name), dir_fd=handle, follow_symlinks=False)
        is_folder = status is not None and stat.S_ISDIR(status.st_mode)
        is_kept_folder = is_folder and self._is_folder_kept(folder, prefix, name, left_out)
        if name in folder.folders and not is_kept_folder:
            self._forget(prefix + name)
            folder.folders.discard(name)
            self._known.outdate(path)
        if is_folder or status is None:
            if folder.drop(name) is not None:
                self._known.outdate(path)
        else:
            record = folder.records.get(name)
            is_same = record is not None and record.startswith(pack_state(status))
            if not is_same and self._is_file_kept(prefix, name, status, left_out):
                self.to_read.append((path, name, pack_state(status)))
            elif not is_same and record is not None:
                self._drop(path, name)
        if is_kept_folder and name not in folder.folders:
            folder.folders.add(name)
            self._known.outdate(path)
        if folder.left_out.get(name) != left_out.get(name):
            folder.left_out.pop(name, None)
            folder.left_out |= left_out
        return [prefix + name] if is_kept_folder else []

    def _is_folder_kept(self, folder: KnownFolder, prefix: str, name: str, left_out: dict[str, str]) -> bool:
        if name == _GIT:
            if prefix:
                left_out[name] = _GIT_DATA
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
            left_out[name] = IGNORED
        return not is_left_out

    def _is_file_kept(self, prefix: str, name: str, status: os.stat_result, left_out: dict[str, str]) -> bool:
        if name == _GIT:
            if prefix:
                left_out[name] = _GIT_FILE
            return False
        if is_temporary(name):
            return False
        if self._choice is not None and self._choice.is_left_out(prefix + name):
            left_out[name] = IGNORED
            return False
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            left_out[name] = NO_FILE
            return False
        return True

    def _forget(self, path: str) -> None:
        """Know nothing of a folder and what is beneath it, and read nothing there."""
        self._known.forget(path)
        if self.to_read:
            self.to_read[:] = [
                each for each in self.to_read if each[0] != path and not each[0].startswith(f"{path}/")
            ]

    def _drop(self, path: str, name: str) -> None:
        """Forget a file where something is by now that is not kept."""
        self._known.folder(path).drop(name)
        self._known.outdate(path)

    def _drop_gone(self, handle: int, path: str) -> None:
        """Forget the files of a folder that are not there any more."""
        folder = self._known.folder(path)
        # Listed, not asked for one by one: a disk that folds case finds a file by the name it had before.
        with os.scandir(handle) as entries:
            there = {
                entry.name for entry in entries if entry.is_file(follow_symlinks=False) or entry.is_symlink()
            }
        for name in folder.records.keys() - there:
            folder.drop(name)
            self._known.outdate(path)

    def _lose_folder(self, path: str, error: OSError | Refused) -> None:
        """A folder that is gone, or that can't be looked into."""
        above, _, name = path.rpartition("/")
        self._known.forget(path)
        folder = self._known.folder(above)
        folder.folders.discard(name)
        if not isinstance(error, Refused) and error.errno not in (errno.ENOENT, errno.ENOTDIR):
            folder.left_out[name] = why_unread(error)
        self._known.outdate(above)


def why_unread(error: OSError) -> str:
    """Why something can't be kept. Raises it where that is this process's trouble, and not that of a file."""
    if error.errno in _OF_PROCESS:
        raise error
    return reason(error)
