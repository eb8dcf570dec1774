"""Draft of the differences between another folder and the project.

For work in a copy or another worktree. No link leads out of either folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from studio.engine.draft import TREE_FORMAT, PlanDraft
from studio.engine.errors import Refused
from studio.engine.git_data import GitData
from studio.engine.names import show_name
from studio.engine.project.context import Context
from studio.engine.propose.comparison import ChangedTree, Comparison
from studio.engine.root import EntryKind, ProjectRoot, TreeEntry
from studio.engine.system.os_errors import failure


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
            f"{show_name(str(folder))} is not beside the project: one of the two folders holds the other.",
            "Give a copy or a worktree that lies outside of the project.",
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
