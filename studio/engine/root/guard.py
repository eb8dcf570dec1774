"""Guard that refuses paths to locked files, comparing device and inode.

A name says little: a file system folds case, a hard link or a mount gives one file two names. So every folder
and file on a path is compared, by device and inode, with those that are locked. And a folder may be a git
directory whatever its name (`git_folder`): then everything in it is locked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Final, Protocol

from studio.engine.root.entry_kind import EntryKind
from studio.engine.root.git_folder import (
    find_git_names,
    find_names_on_disk,
    find_planned_names,
    is_in_git_folder,
)
from studio.engine.root.project_root import ProjectRoot
from studio.errors import AccessDenied, FileError
from studio.names import CONFIGURATION_NAME, folded, is_git_alias, show_name
from studio.values import Value

_Identity = tuple[int, int]


class _Locked(Value):
    """Why an entry is locked; `name` is its usual name.

    `rule` is the rule that locks it.
    """

    code: str
    name: str
    hint: str
    rule: str


_GIT: Final = _Locked("path.git", "the project's .git", "Git's own files are never changed.", ".git")
_CONFIGURATION: Final = _Locked(
    "path.configuration",
    f"the project's {CONFIGURATION_NAME}",
    "Only the user changes the configuration of Exacta Studio.",
    CONFIGURATION_NAME,
)
_BESIDE: Final = ((b".git", _GIT), (os.fsencode(CONFIGURATION_NAME), _CONFIGURATION))


class Verdict(Protocol):
    """Answer of the rules on a path; see `PathVerdict`."""

    @property
    def level(self) -> str: ...

    @property
    def rule(self) -> str: ...

    @property
    def reason(self) -> str: ...


class PathLocked(AccessDenied):
    """Raised for a locked path; `rule` is what locks it."""

    def __init__(self, code: str, message: str, hint: str, *, path: str, rule: str) -> None:
        super().__init__(code, message, hint, path=path)
        self.rule = rule


class Guard:
    """Check of paths against what is locked beneath one root.

    Make one for each plan, or each call: folders are read once and cached. `locked` are paths beneath the
    root: where a `.git` file leads, git's hooks, the app's own folders. `planned` are the paths that the plan
    would write: where these and the present contents together make a git directory, the folder counts as one
    already. `becoming` are paths that it makes folders of: what is there until then, a link perhaps, holds
    nothing.
    """

    def __init__(
        self,
        root: ProjectRoot,
        locked: Iterable[str] = (),
        planned: Iterable[str] = (),
        rules_of: Callable[[str], Callable[[str], Verdict]] | None = None,
        becoming: Collection[str] = (),
    ) -> None:
        """Collect the locked files.

        `rules_of` returns the rules of a folder beneath the root with a `.git` of its own; of their answers
        those of level "locked" count, for paths in that folder.
        """
        self._root = root
        self._rules_of = rules_of
        self._new_folders = becoming
        self._nested: dict[str, Callable[[str], Verdict]] = {}
        self._planned = find_planned_names(planned)
        self._git_names: dict[str, frozenset[str]] = {}
        self._lies_in_git_folder = is_in_git_folder(root.path)
        self._everywhere: dict[_Identity, _Locked] = {}
        self._beside: dict[str, Mapping[_Identity, _Locked] | None] = {}
        self._passed: set[str] = set()
        """Folders on disk that no locked entry and no git directory is above; all on them is cached."""
        for path in locked:
            with suppress(OSError):  # nothing is there, or nothing that could have another name
                state = root.state(path)
                if state is not None:
                    hint = "No rule can allow it."
                    self._everywhere[state.device, state.inode] = _Locked(
                        "path.locked", show_name(path), hint, path
                    )

    def check(self, path: str) -> None:
        """Refuse a path with a component that is locked under any name.

        Names that some file system takes for `.git` or for the configuration are refused by the policy
        already. Raises PathLocked, LeadsOutside for a link on the way, OSError.
        """
        if self._lies_in_git_folder:
            raise _git_folder_locked(path, f"{show_name(path)} is in a git folder, as is the whole project.")
        parts = path.split("/")
        last = len(parts) - 1
        first = last if path.rpartition("/")[0] in self._passed and not self._nested else 0
        is_there = True
        for count in range(first, last + 1):
            part = parts[count]
            folder = "/".join(parts[:count])
            locked = self._find_locked(folder) if is_there else None
            self._refuse_git_folder(path, folder)
            self._refuse_by_nested_rules(path, folder)
            if locked is None:
                is_there = False  # nothing on disk to compare; the plan may make git directories there
                continue
            is_last = count == last
            if is_last:
                self._passed.add(folder)
            entry = f"{folder}/{part}" if folder else part
            if is_git_alias(part) or part == CONFIGURATION_NAME:
                is_there = entry not in self._new_folders
                continue
            if not is_last and entry in self._beside:
                continue  # compared when it was entered
            state = self._root.state(entry)
            if state is None:
                is_there = False
                continue
            found = locked.get((state.device, state.inode))
            if found is not None:
                message = f"{show_name(path)} is {found.name} under another name."
                raise PathLocked(found.code, message, found.hint, path=path, rule=found.rule)
            if entry in self._new_folders:
                is_there = False
            if is_last and state.kind is EntryKind.FOLDER:
                self._find_locked(entry)
                self._refuse_git_folder(path, entry)

    def _refuse_by_nested_rules(self, path: str, folder: str) -> None:
        rules = self._nested.get(folder)
        verdict = rules(path) if rules is not None else None
        if verdict is not None and verdict.level == "locked":
            hint = "No rule can allow it."
            raise PathLocked("path.locked", verdict.reason, hint, path=path, rule=verdict.rule)

    def _refuse_git_folder(self, path: str, folder: str) -> None:
        """Refuse a path in, or at, a present or planned git directory."""
        names = self._git_names.get(folder, frozenset())
        found = find_git_names(names)
        would = "is"
        if not found and self._planned:
            found = find_git_names(names | self._planned.get(folded(folder), frozenset()))
            would = "would become with this plan"
        if found:
            listing = f"{', '.join(found[:-1])} and {found[-1]}"
            where = show_name(folder) if folder else "the project's folder"
            place = where if path == folder else f"{show_name(path)} is in {where}, which"
            raise _git_folder_locked(path, f"{place} {would} a git folder: it contains {listing}.")

    def _find_locked(self, folder: str) -> Mapping[_Identity, _Locked] | None:
        """Return the locked identities in a folder, None for no folder.

        Those locked everywhere are included.
        """
        if folder in self._beside:
            return self._beside[folder]
        found: Mapping[_Identity, _Locked] | None
        try:
            with self._root.folder(folder) as handle:
                names = find_names_on_disk(handle, whole=folded(folder) in self._planned)
                self._git_names[folder] = names
                locked = _read_locked(handle)
                if folder and _GIT in locked.values() and self._rules_of is not None:
                    self._nested[folder] = self._rules_of(folder)
                found = self._everywhere | locked
                if not folder:
                    self._everywhere = found
        except FileError:
            raise
        except (FileNotFoundError, NotADirectoryError):
            found = None
        self._beside[folder] = found
        return found


def _git_folder_locked(path: str, message: str) -> PathLocked:
    hint = "Exclude git's own files; they are never changed."
    return PathLocked("path.git_folder", message, hint, path=path, rule="git folder")


def _read_locked(handle: int) -> dict[_Identity, _Locked]:
    found: dict[_Identity, _Locked] = {}
    for name, locked in _BESIDE:
        with suppress(OSError):
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
            found[status.st_dev, status.st_ino] = locked
    return found
