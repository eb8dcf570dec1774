"""Plan drafts from changes in a sandbox's overlay or in another folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec.structs import replace

from studio.engine.draft import TREE_FORMAT, DraftStep, PlanDraft
from studio.engine.git_data import GitData
from studio.engine.plan import RUN_FORMAT, Operation
from studio.engine.project.context import Context
from studio.engine.propose.comparison import ChangedTree, Comparison, Layer, yield_with_parents
from studio.engine.root import Copied, EntryKind, FileState, ProjectRoot, TreeEntry, state_of
from studio.errors import Refused, StudioError
from studio.names import show_name
from studio.system.os_errors import failure
from studio.values import Value

_SIZE_AND_TIMES: Final = slice(2, 5)
"""Indices of size and times in a signature."""

_OTHER_BYTES: Final = "0" * 64
"""A hash that no file has, for bases of unknown state."""


class OverlaidResult(Value):
    """A plan result placed over the project before the command ran.

    `sha256` is None for a folder, and with `git_mode` for a removed path. `git_mode` is the mode as git
    stores it.
    """

    path: str
    sha256: str | None
    git_mode: str | None


class LayerChanges(Value):
    """Location of a command's changes: an overlay's upper folder, or a copy.

    `copied` has each entry of a copy. `since_ns` is when the layer was made; `message` is the command's
    output; `overlaid_results` are the plan results placed over the project before, which the command did not
    make. `plans` are older plans of the session whose results are among the changes, and `wanted` paths that
    are proposed also where git ignores them.
    """

    folder: Path
    copied: Mapping[str, Copied] | None
    since_ns: int
    title: str
    message: str = ""
    overlaid_results: frozenset[OverlaidResult] = frozenset()
    plans: frozenset[str] = frozenset()
    wanted: frozenset[str] = frozenset()


def build_layer_draft(context: Context, found: LayerChanges, agent: str) -> PlanDraft:
    """Return a layer's changes as a draft, under the agent's rules.

    A file of the project that changed since the layer was made makes its step stale. What can't be a step is
    a refused one with its reason; what git ignores, or a rule denies, is excluded and counted. Raises Refused
    where that is more than one plan may be, or a folder can't be listed.
    """
    with ProjectRoot(found.folder, check=lambda path: path) as layer, GitData(context.root.path) as git_data:
        tree = UpperLayer(layer) if found.copied is None else CopiedLayer(layer, found.copied)
        comparison = Comparison(
            context, tree, git_data, RUN_FORMAT, agent, refuses_unsupported=True, wanted=found.wanted
        )
        try:
            steps = comparison.limit_steps(comparison.changes(), tree.deletions(comparison))
            dated = tuple(_add_dates(context, steps, found))
        except OSError as error:
            raise failure(error, "The command's changes can't be read") from error
    return PlanDraft(
        RUN_FORMAT,
        dated,
        found.title,
        agent,
        message=found.message,
        remarks=comparison.remarks(),
        left_out=tuple(comparison.left_out.named),
    )


def _add_dates(context: Context, steps: Iterator[DraftStep], found: LayerChanges) -> Iterator[DraftStep]:
    for step in steps:
        state = context.root.state(step.path)
        copied = found.copied.get(step.path) if found.copied is not None else None
        if step.op is Operation.CREATE and state is None and copied is not None:
            # It existed when the command began, so its change does not create a file.
            yield replace(step, op=Operation.MODIFY)
            continue
        has_moved_on = _has_moved_on(found, step.path, state)
        if not has_moved_on and step.op is Operation.DELETE and state and state.kind is EntryKind.FOLDER:
            inside = (entry.path for entry in context.root.walk(step.path))
            has_moved_on = any(_has_moved_on(found, path, context.root.state(path)) for path in inside)
        yield replace(step, base_sha256=_OTHER_BYTES) if has_moved_on else step


def _has_moved_on(found: LayerChanges, path: str, state: FileState | None) -> bool:
    """Return whether the project's entry changed since the layer was made."""
    if state is None:
        return False
    # ctime: a program can set mtime back, but not this.
    if state.changed_ns >= found.since_ns or found.copied is None:
        return state.changed_ns >= found.since_ns
    copied = found.copied.get(path)
    # A folder renamed into place has old files. Some network disks give the same file a new inode number.
    return copied is None or copied.source[_SIZE_AND_TIMES] != state.signature[_SIZE_AND_TIMES]


# Changes that a command made in a copy of the project.
#
# They don't depend on what happened to the project meanwhile: only an entry that differs from its state
# when copied is a change of the command. Inode, size, times and mode show that, and no program can set
# ctime, the time of an inode's last change.

_MODE: Final = -1
"""Index of the mode in a signature."""


class CopiedLayer(Layer):
    """A copy as a `ChangedTree` that lists what was written since copying.

    It also lists the parent folders of that.
    """

    def __init__(self, root: ProjectRoot, copied: Mapping[str, Copied]) -> None:
        super().__init__(root)
        self._copied = copied
        self._is_kept = build_kept_filter(self)
        self._written = {
            above
            for path, entry in (("", None), *copied.items())
            if (entry is None or entry.kind is EntryKind.FOLDER) and self._is_written_in(path)
            for above in yield_with_parents(path)
        }

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        listed = self._root.list_folder(path, up_to=up_to)
        with self._root.folder(path) as handle:
            return tuple(
                entry
                for entry in listed
                if entry.path in self._written or not self._is_as_copied(entry.path, handle)
            )

    def deletions(self, comparison: Comparison) -> Iterator[DraftStep]:
        """Yield the steps for what was copied and the command removed."""
        return comparison.deletions_in("", self._is_kept_or_new)

    def _is_kept_or_new(self, entry: TreeEntry) -> bool:
        copied = self._copied.get(entry.path)
        is_new = copied is None or (copied.kind is EntryKind.FOLDER) != entry.is_folder
        return is_new or self._is_kept(entry)

    def _is_written_in(self, folder: str) -> bool:
        """Return whether an entry of this folder differs from its copied state.

        Also true where the folder can't be read.
        """
        prefix = f"{folder}/" if folder else ""
        try:
            with self._root.folder(folder) as handle, os.scandir(handle) as entries:
                return not all(self._is_as_copied(prefix + entry.name, handle) for entry in entries)
        except (FileNotFoundError, NotADirectoryError, StudioError):
            return False  # gone, or a link now: then its parent folder has changed
        except OSError:
            return True

    def _is_as_copied(self, path: str, folder: int) -> bool:
        copied = self._copied.get(path)
        if copied is None:
            return False
        try:
            state = state_of(os.stat(path.rpartition("/")[2], dir_fd=folder, follow_symlinks=False))
        except OSError:  # removed meanwhile, while the command still runs
            return False
        if state.kind is EntryKind.FOLDER:
            return copied.kind is state.kind and copied.copy[_MODE] == state.mode
        return copied.copy == state.signature


# Draft of the differences between another folder and the project.
#
# For work in a copy or another worktree. No link leads out of either folder.


def build_tree_draft(
    context: Context, folder: Path, *, deletes: bool = False, title: str = "", agent: str = ""
) -> PlanDraft:
    """Return the draft that makes the project equal to the folder.

    It creates and changes, and with `deletes` removes what the folder lacks. Paths that git ignores in the
    project, and those that a rule denies or that are locked, are excluded and counted; where git's data can't
    be read a remark says so, and nothing is excluded for it. What can't be compared is a refused step. Raises
    NotFound and Refused: the folder can't be opened or listed, one is inside the other, or it is more than
    one plan may be.
    """
    _check_apart(context, folder)
    with ProjectRoot(folder) as tree, GitData(context.root.path) as git_data:
        comparison = Comparison(context, tree, git_data, TREE_FORMAT, agent)
        deletions = comparison.deletions_in("", build_kept_filter(tree)) if deletes else ()
        try:
            steps = list(comparison.limit_steps(comparison.changes(), deletions))
        except OSError as error:
            # An unreadable folder may hold anything, so it does not count as empty.
            raise failure(error, f"{show_name(str(folder))} can't be compared with the project") from error
    named = title or f"Changes of {show_name(folder.resolve().name)}"
    excluded = tuple(comparison.left_out.named)
    remarks = comparison.remarks()
    return PlanDraft(TREE_FORMAT, tuple(steps), named, agent, remarks=remarks, left_out=excluded)


def _check_apart(context: Context, folder: Path) -> None:
    tree_path, project_path = os.path.realpath(folder), os.path.realpath(context.root.path)
    if PurePosixPath(tree_path).is_relative_to(project_path) or PurePosixPath(project_path).is_relative_to(
        tree_path
    ):
        raise Refused(
            "tree.not_apart",
            f"{show_name(str(folder))} overlaps the project: one of the two folders contains the other.",
            "Name a copy or a worktree outside of the project.",
        )


def build_kept_filter(tree: ChangedTree) -> Callable[[TreeEntry], bool]:
    """Return a predicate on project entries that the folder still has.

    Where both have a folder, its entries are compared instead.
    """

    def is_kept(entry: TreeEntry) -> bool:
        try:
            state = tree.state(entry.path)
        except PermissionError:
            return True  # unreadable does not mean deleted
        if entry.is_folder:
            # A link there may lead to the same files.
            return state is not None and state.kind is not EntryKind.FOLDER
        return state is not None

    return is_kept


# Reader of an overlay's upper folder, as hostile input.
#
# Besides changed files it holds whiteouts (character devices 0:0), which delete a path of the project, and
# folders marked opaque, which hide everything that the project has in them.

_OPAQUE: Final = ("user.overlay.opaque", "trusted.overlay.opaque")


class UpperLayer(Layer):
    """An upper folder as a `ChangedTree`; a whiteout counts as nothing."""

    def __init__(self, root: ProjectRoot) -> None:
        super().__init__(root)
        self._deleted: dict[str, Collection[str]] = {}

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        listed = self._root.list_folder(path, up_to=up_to)
        deleted = frozenset(entry.path for entry in listed if self._is_whiteout(entry))
        self._deleted[path] = deleted
        return tuple(entry for entry in listed if entry.path not in deleted)

    def state(self, path: str) -> FileState | None:
        found = super().state(path)
        is_gone = found is not None and found.kind is EntryKind.DEVICE and self._is_zero_device(path)
        return None if is_gone else found

    def deletions(self, comparison: Comparison) -> Iterator[DraftStep]:
        """Yield deletes of what the command removed in the listed folders."""
        opaque: set[str] = set()
        for folder, deleted in self._deleted.items():
            if not opaque.isdisjoint(yield_with_parents(folder)) or not _is_folder(
                comparison.context.root, folder
            ):
                continue
            if self._is_opaque(folder):
                # Nothing of the project is visible in it, at any depth.
                opaque.add(folder)
                yield from comparison.deletions_in(folder, build_kept_filter(self))
            elif deleted:
                yield from comparison.deletions_in(folder, partial(_is_beside, deleted))

    def _is_opaque(self, folder: str) -> bool:
        with self._root.folder(folder) as handle:
            return any(_read_attribute(handle, name) == b"y" for name in _OPAQUE)

    def _is_whiteout(self, entry: TreeEntry) -> bool:
        # A device has size 0 and most files don't: those are not checked twice.
        return (
            not entry.is_folder and not entry.is_link and not entry.size and self._is_zero_device(entry.path)
        )

    def _is_zero_device(self, path: str) -> bool:
        try:
            with self._root.parent(path) as (handle, name):
                status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:  # removed meanwhile, while the command still runs
            return False
        return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _is_folder(project: ProjectRoot, path: str) -> bool:
    state = project.state(path)
    return state is not None and state.kind is EntryKind.FOLDER


def _is_beside(deleted: Container[str], entry: TreeEntry) -> bool:
    """Return whether an entry is not deleted, nor beneath a deleted path."""
    return not any(path in deleted for path in yield_with_parents(entry.path))


def _read_attribute(handle: int, name: str) -> bytes:
    try:
        return os.getxattr(handle, name)
    except OSError:
        return b""
