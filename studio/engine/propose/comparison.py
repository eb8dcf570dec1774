"""Draft steps from comparing a changed folder with the project, with exclusions.

Paths that git ignores in the project, and those that a rule denies or that are locked, are excluded and
counted. What can't be compared is a refused step.
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, Protocol

from msgspec.structs import replace

from studio.engine.disk import allowed_bits
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.draft import DraftStep, ExcludedPath
from studio.engine.git_data import GitData
from studio.engine.plan import Operation, Problem, Severity
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.ordered_steps import mode_after
from studio.engine.root import (
    EntryKind,
    FileState,
    FolderTooLarge,
    PathLocked,
    ProjectRoot,
    ReservedNames,
    TreeEntry,
    Unseen,
)
from studio.errors import Refused, StudioError
from studio.limits import LEFT_OUT_NAMED_UP_TO, TREE_BYTES, TREE_ENTRIES_UP_TO
from studio.system.syscalls import creation_mask

_EXECUTABLE: Final = 0o111
_LEFT_OUT: Final = {
    "ignored": "ignored by git",
    "denied": "denied by a rule",
    "locked": "locked",
    "other": "neither a file nor a folder",
}
_LEFT_OUT_CODE: Final = "tree.left_out"
_GIT_UNREAD_CODE: Final = "tree.git_unread"
REMARK_CODES: Final = frozenset({_LEFT_OUT_CODE, _GIT_UNREAD_CODE})
"""Codes of the remarks that a comparison makes on a whole plan."""


class ComparisonExclusions:
    """Excluded paths: counts for each reason, and the first ones by name."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.named: list[ExcludedPath] = []

    def add(self, reason: str, entry: TreeEntry) -> None:
        self.counts[reason] += 1
        if len(self.named) < LEFT_OUT_NAMED_UP_TO:
            path = f"{entry.path}/" if entry.is_folder else entry.path
            self.named.append(ExcludedPath(path, _LEFT_OUT[reason]))


class ChangedTree(Protocol):
    """Interface to the changed folder, by relative paths as in `ProjectRoot`."""

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]: ...

    def state(self, path: str) -> FileState | None: ...

    def digest(self, path: str) -> tuple[str, FileState] | None: ...

    def read_bytes(self, path: str, limit: int) -> bytes: ...

    def link_target(self, path: str) -> bytes | None: ...


class Layer:
    """Reader of what a command left in a folder of its own."""

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root

    def state(self, path: str) -> FileState | None:
        return self._root.state(path)

    def digest(self, path: str) -> tuple[str, FileState] | None:
        return self._root.digest(path)

    def read_bytes(self, path: str, limit: int) -> bytes:
        return self._root.read_bytes(path, limit)

    def link_target(self, path: str) -> bytes | None:
        return self._root.link_target(path)


class Comparison:
    """Walk of a tree beside the project, counting what is excluded.

    `name` is the draft's format, which may have rules of its own. With `refuses_unsupported` what is neither
    a file nor a folder, or can't be read, is a refused step; else it is counted, and OSError raised for a
    folder that can't be listed. It also makes permission bits matter: a new file gets none that the tree's
    lacks, and what no step can change is reported. `wanted` are paths that git may ignore.
    Raises Refused for more than one plan may contain.
    """

    def __init__(
        self,
        context: Context,
        tree: ChangedTree,
        git_data: GitData,
        name: str,
        agent: str,
        *,
        refuses_unsupported: bool = False,
        wanted: Iterable[str] = (),
    ) -> None:
        self.context, self.tree, self.git_data = context, tree, git_data
        self.name, self.agent = name, agent
        self.refuses_unsupported = refuses_unsupported
        self._wanted = frozenset(above for path in wanted for above in yield_with_parents(path))
        self.left_out = ComparisonExclusions()
        self.git_unread = ""
        self._policy = self.context.policy(self.name, self.agent)
        self._guard = self.context.guard()
        self._reserved = ReservedNames(self.context.root)
        self._limits = self.context.config_for(self.name, self.agent).limits
        self._mask = creation_mask()
        self._bytes = 0
        self._room = TREE_ENTRIES_UP_TO
        self._is_counted = False
        self._modes: list[tuple[TreeEntry, int]] = []

    def limit_steps(self, *steps: Iterable[DraftStep]) -> Iterator[DraftStep]:
        """Yield the steps, stopping before the rest is read at the limit.

        Raises Refused there.
        """
        for number, step in enumerate(chain(*steps), 1):
            self._limits.check_steps(number, is_own=True)
            yield step

    def changes(self, folder: str = "") -> Iterator[DraftStep]:
        """Yield steps for new files, changed files and new empty folders."""
        yield from self._yield_changes(self._list_entries(folder))
        if self._modes:
            entry, mode = self._modes[0]
            problem = step_problems.other_modes(entry.path, mode, len(self._modes))
            yield _refused_step(Operation.MODE, entry, problem)

    def _yield_changes(self, listed: Sequence[TreeEntry]) -> Iterator[DraftStep]:
        for entry in self._filter_allowed(listed):
            if not entry.is_folder:
                yield from self._compare_file(entry)
                continue
            state = self.context.root.state(entry.path)
            if state is not None and state.kind is not EntryKind.FOLDER:
                # The later check refuses it: something else is where the folder would be.
                yield DraftStep(Operation.MKDIR, entry.path)
                continue
            self._note_folder(entry, state)
            try:
                inside = self._list_entries(entry.path)
            except OSError as error:
                if not self.refuses_unsupported:
                    raise
                if not isinstance(error, FileNotFoundError):
                    yield _refused_step(Operation.MKDIR, entry, step_problems.unreadable(entry.path, error))
                continue
            limit = self._find_folder_limit(entry, state)
            if state is None and (limit is not None or not inside):
                yield DraftStep(Operation.MKDIR, entry.path, mode_limit=limit or 0o777)
            yield from self._yield_changes(inside)

    def deletions_in(self, folder: str, is_kept: Callable[[TreeEntry], bool]) -> Iterator[DraftStep]:
        """Yield deletes of the project's files in a folder, except kept ones.

        A folder that goes with all its contents is one step. What may not be written stays, and is not
        counted.
        """
        previous, self.left_out = self.left_out, ComparisonExclusions()
        files: list[str] = []
        folders: list[str] = []
        pending = [folder]
        while pending:
            for entry in self._filter_allowed(self.context.root.list_folder(pending.pop())):
                if is_kept(entry):
                    continue
                if not entry.is_folder:
                    files.append(entry.path)
                    continue
                pending.append(entry.path)
                if self.tree.state(entry.path) is None:
                    folders.append(entry.path)
        self.left_out = previous
        whole = self._find_removed_folders(folders, files)
        yield from (DraftStep(Operation.DELETE, path) for path in sorted(whole))
        for path in files:
            if whole.isdisjoint(yield_with_parents(path)):
                yield DraftStep(Operation.DELETE, path)

    def _find_removed_folders(self, folders: Iterable[str], files: Iterable[str]) -> set[str]:
        """Return the topmost folders in which nothing else stays.

        `folders` has each folder before those in it.
        """
        removed = Counter(above for path in files for above in yield_with_parents(path))
        whole: set[str] = set()
        for folder in folders:
            if whole.isdisjoint(yield_with_parents(folder)) and removed[folder] == _count_files(
                self.context.root, folder
            ):
                whole.add(folder)
        return whole

    def remarks(self) -> tuple[Problem, ...]:
        """Return the remarks on excluded paths, and on unreadable git data."""
        return (*self._build_excluded_remarks(), *self._build_git_remarks())

    def _build_excluded_remarks(self) -> tuple[Problem, ...]:
        parts = [f"{count} {_LEFT_OUT[kind]}" for kind, count in self.left_out.counts.items()]
        if not parts:
            return ()
        message = f"Excluded from the folder: {', '.join(parts)}."
        return (Problem(_LEFT_OUT_CODE, message, "Each folder counts as one item.", Severity.WARNING),)

    def _build_git_remarks(self) -> tuple[Problem, ...]:
        if not self.git_unread:
            return ()
        message = f"{self.git_unread} So files that git ignores are included."
        hint = "Check the changes for files that git would ignore."
        return (Problem(_GIT_UNREAD_CODE, message, hint, Severity.WARNING),)

    def _list_entries(self, folder: str) -> tuple[TreeEntry, ...]:
        """Return the entries of a folder of the tree.

        Raises OSError, and Refused where all folders hold too much.
        """
        try:
            entries = self.tree.list_folder(folder, up_to=self._room)
        except FolderTooLarge:
            self._make_room()
            try:
                entries = self.tree.list_folder(folder, up_to=self._room)
            except FolderTooLarge:
                raise Refused(
                    "tree.too_many",
                    f"The folder holds more than {TREE_ENTRIES_UP_TO:,} entries beside those of the project.",
                    "Propose it in parts: a folder that holds fewer of the changes.",
                ) from None
        self._room -= len(entries)
        return entries

    def _make_room(self) -> None:
        """Raise the entry limit by the number of the project's own entries.

        A copy of the project has them too. They are counted only when that matters.
        """
        if not self._is_counted:
            self._is_counted = True
            self._room += sum(isinstance(entry, TreeEntry) for entry in self.context.root.walk())

    def _filter_allowed(self, entries: Sequence[TreeEntry]) -> Iterator[TreeEntry]:
        """Yield a folder's entries that may be proposed, and count the others."""
        ignored = self._find_ignored(entries)
        for entry in entries:
            reason = self._exclusion_reason(entry, ignored)
            if reason:
                self.left_out.add(reason, entry)
            else:
                yield entry

    def _find_ignored(self, entries: Sequence[TreeEntry]) -> frozenset[str]:
        """Return the paths that git ignores under the project's present rules."""
        ignored = self.git_data.ignored([(entry.path, entry.is_folder) for entry in entries])
        self.git_unread = self.git_unread or self.git_data.why
        return ignored or frozenset()

    def _exclusion_reason(self, entry: TreeEntry, ignored: Collection[str]) -> str:
        if is_temporary(entry.name):
            return "locked"
        exists = self._reserved.has(entry.path)
        verdict = self._policy.check(entry.path, folder=entry.is_folder, exists=exists)
        try:
            self._guard.check(entry.path)
        except PathLocked:
            return "locked"
        except StudioError:
            return "denied"
        if verdict.level == "locked":
            return "locked"
        if entry.path in ignored and entry.path not in self._wanted:
            return "ignored"
        if not verdict.allowed:
            return "denied"
        return "other" if entry.is_link and not self.refuses_unsupported else ""

    def _compare_file(self, entry: TreeEntry) -> Iterator[DraftStep]:
        op = Operation.CREATE
        try:
            state = self.context.root.state(entry.path)
            op = Operation.CREATE if state is None or state.kind is not EntryKind.FILE else Operation.MODIFY
            found = self.tree.state(entry.path)
            if found is not None and found.kind is EntryKind.FILE:
                step = self._build_change(op, entry, found, state)
            elif found is not None and self.refuses_unsupported:
                step = self._refuse_unsupported(entry, found, state)
            else:
                if found is not None:
                    self.left_out.add("other", entry)
                return
        except (OSError, Refused) as error:
            step = _refused_step(op, entry, step_problems.unreadable(entry.path, error))
        if step is not None:
            self._check_bytes(step)
            yield step

    def _refuse_unsupported(
        self, entry: TreeEntry, found: FileState, state: FileState | None
    ) -> DraftStep | None:
        """Return the refusal of an unsupported entry, None for an unchanged link."""
        now, before = self.tree.link_target(entry.path), self.context.root.link_target(entry.path)
        if now is not None and now == before:
            return None
        op = Operation.CREATE if state is None else Operation.MODIFY
        return _refused_step(op, entry, step_problems.unsupported_entry(entry.path, found.kind))

    def _build_change(
        self, op: Operation, entry: TreeEntry, found: FileState, state: FileState | None
    ) -> DraftStep | None:
        """Return the step that makes the `found` file, None if nothing changed.

        `state` is the file's state in the project.
        """
        if verdict := self._policy.check_size(entry.path, found.size):
            return _refused_step(op, entry, step_problems.denied(verdict))
        executable = bool(found.mode & _EXECUTABLE)
        if op is Operation.CREATE or state is None:
            # The owner needs read access: an apply checks what it has written.
            limit = found.mode & 0o777 | stat.S_IRUSR if self.refuses_unsupported else 0o777
            exact = self._read_entry(entry)
            return DraftStep(op, entry.path, exact=exact, executable=executable or None, mode_limit=limit)
        changed = executable if executable != bool(state.mode & _EXECUTABLE) else None
        if state.size != found.size or self._hash_entry(self.tree, entry) != self._hash_entry(
            self.context.root, entry
        ):
            step = DraftStep(op, entry.path, exact=self._read_entry(entry), executable=changed)
        elif changed is not None:
            step = DraftStep(Operation.MODE, entry.path, executable=changed)
        else:
            step = None
        if not self.refuses_unsupported or not _has_other_bits(found.mode, mode_after(state.mode, changed)):
            return step
        if step is None:
            self._modes.append((entry, found.mode))
            return None
        return replace(step, facts=(step_problems.unchanged_mode(entry.path, found.mode),))

    def _find_folder_limit(self, entry: TreeEntry, state: FileState | None) -> int | None:
        """Return a new folder's mode limit, None if all usual bits fit.

        The owner's bits stay.
        """
        found = self.tree.state(entry.path) if self.refuses_unsupported and state is None else None
        if found is None:
            return None
        limit = found.mode & 0o777 | stat.S_IRWXU
        usual = allowed_bits(self.context.root, entry.path, self._mask)
        return limit if usual & ~limit else None

    def _note_folder(self, entry: TreeEntry, state: FileState | None) -> None:
        found = self.tree.state(entry.path) if self.refuses_unsupported and state is not None else None
        if found is not None and state is not None and _has_other_bits(found.mode, state.mode):
            self._modes.append((entry, found.mode))

    def _hash_entry(self, root: ChangedTree, entry: TreeEntry) -> str:
        found = root.digest(entry.path)
        return "" if found is None else found[0]

    def _read_entry(self, entry: TreeEntry) -> bytes:
        return self.tree.read_bytes(entry.path, self._limits.file_bytes)

    def _check_bytes(self, step: DraftStep) -> None:
        self._bytes += len(step.exact or b"")
        if self._bytes > TREE_BYTES:
            raise Refused(
                "tree.too_large",
                f"The folder changes more than {TREE_BYTES:,} bytes, the limit of one plan.",
                "Propose it in parts: a folder that holds fewer of the changes.",
            )


def _has_other_bits(mode: int, before: int) -> bool:
    """Return whether permission bits changed.

    A copy of the project lacks setuid, setgid and sticky bits.
    """
    return bool((mode ^ before) & 0o777 or mode & ~before)


def _refused_step(op: Operation, entry: TreeEntry, problem: Problem) -> DraftStep:
    return DraftStep(op, entry.path, problems=(problem,))


def _count_files(project: ProjectRoot, folder: str) -> int:
    """Return the number of entries beneath a folder that are no folders.

    -1 where a part of it can't be read.
    """
    count = 0
    for entry in project.walk(folder):
        if isinstance(entry, Unseen):
            return -1
        count += not entry.is_folder
    return count


def yield_with_parents(path: str) -> Iterator[str]:
    """Yield a path and the folders above it except the top."""
    yield path
    while path := path.rpartition("/")[0]:
        yield path
