"""Draft of what a sandboxed command changed in its layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from studio.engine.draft import RUN_FORMAT, DraftStep, PlanDraft
from studio.engine.git_data import GitData
from studio.engine.plan import Operation
from studio.engine.project.context import Context
from studio.engine.propose.comparison import Comparison
from studio.engine.propose.copied_layer import CopiedLayer
from studio.engine.propose.upper_layer import UpperLayer
from studio.engine.root import Copied, EntryKind, FileState, ProjectRoot
from studio.engine.system.os_errors import failure

_SIZE_AND_TIMES: Final = slice(2, 5)
"""Indices of size and times in a signature."""

_OTHER_BYTES: Final = "0" * 64
"""A hash that no file has, for bases of unknown state."""


@dataclass(frozen=True, slots=True)
class OverlaidResult:
    """A plan result placed over the project before the command ran.

    `sha256` is None for a folder, and with `git_mode` for a removed path. `git_mode` is the mode as git
    stores it.
    """

    path: str
    sha256: str | None
    git_mode: str | None


@dataclass(frozen=True, slots=True)
class LayerChanges:
    """Location of a command's changes: an overlay's upper folder, or a copy.

    `copied` has each entry of a copy. `since_ns` is when the layer was made; `message` is the command's
    output; `laid` are the plan results placed over the project before, which the command did not make.
    """

    folder: Path
    copied: Mapping[str, Copied] | None
    since_ns: int
    title: str
    message: str = ""
    laid: frozenset[OverlaidResult] = frozenset()


def build_layer_draft(context: Context, found: LayerChanges, agent: str) -> PlanDraft:
    """Return a layer's changes as a draft, under the agent's rules.

    A file of the project that changed since the layer was made makes its step stale. What can't be a step is
    a refused one with its reason; what git ignores, or a rule denies, is excluded and counted. Raises Refused
    where that is more than one plan may be, or a folder can't be listed.
    """
    with ProjectRoot(found.folder, check=lambda path: path) as layer, GitData(context.root.path) as git_data:
        tree = UpperLayer(layer) if found.copied is None else CopiedLayer(layer, found.copied)
        comparison = Comparison(context, tree, git_data, RUN_FORMAT, agent, refuses_unsupported=True)
        try:
            steps = comparison.limit_steps(comparison.changes(), tree.deletions(comparison))
            dated = tuple(_add_dates(context, steps, found))
        except OSError as error:
            raise failure(error, "What the command changed can't be read") from error
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
