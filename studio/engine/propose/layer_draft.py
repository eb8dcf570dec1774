"""What a command did to the project's files in a sandbox, as a draft: the layer is the plan (design 1)."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from studio.engine.draft import RUN_FORMAT, DraftStep, PlanDraft
from studio.engine.git_data import GitData
from studio.engine.project.context import Context
from studio.engine.propose.comparison import Comparison
from studio.engine.propose.tree_draft import kept_in
from studio.engine.propose.upper_layer import UpperLayer
from studio.engine.root import ProjectRoot
from studio.engine.system.os_errors import failure

_OTHER_BYTES: Final = "0" * 64
"""A hash that no file has: of what changed meanwhile nobody knows whether the command saw it."""


@dataclass(frozen=True, slots=True)
class LaidResult:
    """What was laid at a path, with its hash and its mode as git tells it. Both are None where it was taken
    away, and the hash alone is None of a folder."""

    path: str
    sha256: str | None
    git_mode: str | None


@dataclass(frozen=True, slots=True)
class LayerChanges:
    """Where a command left its changes: an upper folder, or a copy of the project that never had what is in
    `left_out`. `since_ns` is when the layer was made; `message` is what the command printed; `laid` is what
    was laid over the project before, which the command did not do."""

    folder: Path
    is_overlay: bool
    since_ns: int
    title: str
    message: str = ""
    left_out: Container[str] = ()
    laid: frozenset[LaidResult] = frozenset()


def draft_of_layer(context: Context, found: LayerChanges, agent: str) -> PlanDraft:
    """The changes in a layer, as steps; the rules for that agent hold.

    A file of the project that changed since the layer was made makes its step stale. What can't be a step is
    a refused one with its reason; what git ignores, or a rule denies, is left out and counted. Raises Refused
    where that is more than one plan may be, or a folder can't be listed.
    """
    with ProjectRoot(found.folder, check=lambda path: path) as layer, GitData(context.root.path) as git_data:
        tree = UpperLayer(layer) if found.is_overlay else layer
        comparison = Comparison(context, tree, git_data, RUN_FORMAT, agent, refuses_odd=True)
        if isinstance(tree, UpperLayer):
            deletions = tree.deletions(comparison)
        else:
            deletions = comparison.deletions_in("", kept_in(tree, found.left_out))
        try:
            steps = comparison.within_limits(comparison.changes(), deletions)
            dated = tuple(_dated(context, steps, found.since_ns))
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


def _dated(context: Context, steps: Iterator[DraftStep], since_ns: int) -> Iterator[DraftStep]:
    for step in steps:
        state = context.root.state(step.path)
        # The time of a change of the inode: a program can set the other one back, and not this one.
        has_moved_on = state is not None and state.changed_ns >= since_ns
        yield replace(step, base_sha256=_OTHER_BYTES) if has_moved_on else step
