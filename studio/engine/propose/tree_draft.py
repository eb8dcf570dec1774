"""A folder compared with the project, as a draft: what it has more, what differs, and what it lacks.

For whoever worked in a copy or another worktree. Nothing is followed out of either folder.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.disk.temporary_names import is_temporary
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.errors import Refused, StudioError
from studio.engine.git_data import GitData
from studio.engine.limits import TREE_BYTES
from studio.engine.names import show_name
from studio.engine.plan import Operation, Problem, Severity
from studio.engine.policy import check_steps
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.root import EntryKind, FileState, PathLocked, ProjectRoot, TreeEntry
from studio.engine.system.os_errors import failure

NAME: Final = "tree"
"""The name of this format: `sources` may narrow its rules, as those of any other (contract 8)."""

_EXECUTABLE = 0o111
_LEFT_OUT = {
    "ignored": "ignored by git",
    "denied": "denied by a rule",
    "locked": "locked",
    "other": "neither a file nor a folder",
}


def draft_of_tree(
    context: Context, folder: Path, *, deletes: bool = False, title: str = "", agent: str = ""
) -> PlanDraft:
    """What makes the project like the folder: creates and changes, with `deletes` what the folder lacks.

    Paths that git ignores in the project, and those that a rule denies or that are locked, are left out and
    counted; where git's data can't be read a remark says so, and nothing is left out for it. What can't be
    compared is a refused step. Raises NotFound and Refused: the folder can't be opened
    or listed, the one lies in the other, or it is more than one plan may be.
    """
    _check_apart(context, folder)
    with ProjectRoot(folder) as tree, GitData(context.root.path) as git_data:
        comparison = _Comparison(context, tree, git_data, agent)
        try:
            steps = list(comparison.steps(deletes))
        except OSError as error:
            # A folder that nobody looked into may hold anything: it is no empty one.
            raise failure(error, f"{show_name(str(folder))} can't be compared with the project") from error
    named = title or f"Changes of {show_name(folder.resolve().name)}"
    return PlanDraft(NAME, tuple(steps), named, agent, remarks=comparison.remarks())


def _check_apart(context: Context, folder: Path) -> None:
    here, there = os.path.realpath(folder), os.path.realpath(context.root.path)
    if PurePosixPath(here).is_relative_to(there) or PurePosixPath(there).is_relative_to(here):
        raise Refused(
            "tree.not_apart",
            f"{show_name(str(folder))} is not beside the project: one of the two folders holds the other.",
            "Give a copy or a worktree that lies outside of the project.",
        )


@dataclass
class _Comparison:
    """Walks a tree beside the project, and counts what is left out."""

    context: Context
    tree: ProjectRoot
    git_data: GitData
    agent: str
    left_out: Counter[str] = field(default_factory=Counter[str])
    git_unread: str = ""

    def __post_init__(self) -> None:
        self._policy = self.context.policy(NAME, self.agent)
        self._guard = self.context.guard()
        self._limits = self.context.config_for(NAME, self.agent).limits
        self._bytes = 0

    def steps(self, deletes: bool) -> Iterator[DraftStep]:
        """The draft's steps, no more of them than a plan may have: the rest is not read."""
        changes, deletions = self._changes(""), self._deletions() if deletes else ()
        for number, step in enumerate(chain(changes, deletions), 1):
            check_steps(self._limits, number, is_own=True)
            yield step

    def _changes(self, folder: str) -> Iterator[DraftStep]:
        """A step for each file that the project lacks or holds otherwise, and for each new empty folder."""
        for entry in self._entries(self.tree, folder):
            if not entry.is_folder:
                yield from self._changes_of_file(entry)
                continue
            state = self.context.root.state(entry.path)
            if state is None and not self.tree.list_folder(entry.path):
                yield DraftStep(Operation.MKDIR, entry.path)
            elif state is None or state.kind is EntryKind.FOLDER:
                yield from self._changes(entry.path)
            else:  # refused when it is checked: something else stands where the folder would be
                yield DraftStep(Operation.MKDIR, entry.path)

    def _deletions(self) -> Iterator[DraftStep]:
        """A step for each file of the project that the tree lacks; what may not be written stays."""
        kept, self.left_out = self.left_out, Counter()
        yield from self._deletions_in("")
        self.left_out = kept

    def _deletions_in(self, folder: str) -> Iterator[DraftStep]:
        for entry in self._entries(self.context.root, folder):
            there = self.tree.state(entry.path)
            if entry.is_folder:
                if there is None or there.kind is EntryKind.FOLDER:  # a link there may lead to the very files
                    yield from self._deletions_in(entry.path)
            elif there is None:
                yield DraftStep(Operation.DELETE, entry.path)

    def remarks(self) -> tuple[Problem, ...]:
        """What was left out, in one sentence, and why nothing was that git ignores."""
        return (*self._left_out_remarks(), *self._git_remarks())

    def _left_out_remarks(self) -> tuple[Problem, ...]:
        parts = [f"{count} {_LEFT_OUT[kind]}" for kind, count in self.left_out.items()]
        if not parts:
            return ()
        message = f"Left out of the folder: {', '.join(parts)}."
        return (Problem("tree.left_out", message, "Folders count as one.", Severity.WARNING),)

    def _git_remarks(self) -> tuple[Problem, ...]:
        if not self.git_unread:
            return ()
        message = f"{self.git_unread} So nothing was left out that git ignores."
        hint = "Look for files among the changes that git would ignore."
        return (Problem("tree.git_unread", message, hint, Severity.WARNING),)

    def _entries(self, root: ProjectRoot, folder: str) -> Iterator[TreeEntry]:
        """What may be proposed in a folder."""
        entries = root.list_folder(folder)
        ignored = self._ignored(entries)
        for entry in entries:
            reason = self._why_not(entry, ignored)
            if reason:
                self.left_out[reason] += 1
            else:
                yield entry

    def _ignored(self, entries: Sequence[TreeEntry]) -> frozenset[str]:
        """The paths that git ignores in the project, by the rules that hold there now."""
        ignored = self.git_data.ignored([(entry.path, entry.is_folder) for entry in entries])
        self.git_unread = self.git_unread or self.git_data.why
        return ignored or frozenset()

    def _why_not(self, entry: TreeEntry, ignored: Collection[str]) -> str:
        if is_temporary(entry.name):
            return "locked"
        verdict = self._policy.check(entry.path, folder=entry.is_folder)
        try:
            self._guard.check(entry.path)
        except PathLocked:
            return "locked"
        except StudioError:
            return "denied"
        if verdict.level == "locked":
            return "locked"
        if entry.path in ignored:
            return "ignored"
        if not verdict.allowed:
            return "denied"
        return "other" if entry.is_link else ""

    def _changes_of_file(self, entry: TreeEntry) -> Iterator[DraftStep]:
        found = self.tree.state(entry.path)
        if found is None or found.kind is not EntryKind.FILE:
            self.left_out["other"] += 1
            return
        state = self.context.root.state(entry.path)
        op = Operation.CREATE if state is None or state.kind is not EntryKind.FILE else Operation.MODIFY
        if verdict := self._policy.check_size(entry.path, found.size):
            yield DraftStep(op, entry.path, problems=(step_problems.denied(verdict),))
            return
        try:
            step = self._changed(op, entry, found, state)
        except OSError as error:
            step = DraftStep(op, entry.path, problems=(step_problems.unreadable(entry.path, error),))
        if step is not None:
            yield step

    def _changed(
        self, op: Operation, entry: TreeEntry, found: FileState, state: FileState | None
    ) -> DraftStep | None:
        """A step that makes the file as it was `found`; None where its `state` in the project is the same."""
        executable = bool(found.mode & _EXECUTABLE)
        if op is Operation.CREATE or state is None:
            return DraftStep(op, entry.path, exact=self._read(entry), executable=executable or None)
        changed = executable if executable != bool(state.mode & _EXECUTABLE) else None
        if state.size != found.size or self._digest(self.tree, entry) != self._digest(
            self.context.root, entry
        ):
            return DraftStep(op, entry.path, exact=self._read(entry), executable=changed)
        return None if changed is None else DraftStep(Operation.MODE, entry.path, executable=changed)

    def _digest(self, root: ProjectRoot, entry: TreeEntry) -> str:
        found = root.digest(entry.path)
        return "" if found is None else found[0]

    def _read(self, entry: TreeEntry) -> bytes:
        content = self.tree.read_bytes(entry.path, self._limits.file_bytes)
        self._bytes += len(content)
        if self._bytes > TREE_BYTES:
            raise Refused(
                "tree.too_large",
                f"The folder changes more than {TREE_BYTES:,} bytes, the limit of one plan.",
                "Propose it in parts: a folder that holds fewer of the changes.",
            )
        return content
