"""Steps that want the same path, within a plan and between open plans, found before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import normalize

from studio.engine.names import folded
from studio.engine.plan import Operation, Step, StepState
from studio.engine.project.context import Context
from studio.engine.root import ProjectRoot


@dataclass(frozen=True, slots=True)
class PathConflict:
    """A step of a plan and the step of another open plan that writes the same path.

    `path` is the first step's spelling, `other_path` the second's: on a volume that folds case they may
    differ.
    """

    step: int
    path: str
    other_plan: str
    other_step: int
    other_path: str


def conflicts_of(context: Context, plan_id: str) -> tuple[PathConflict, ...]:
    """The conflicts of an open plan with other open plans, by its steps; none for a closed one."""
    own: list[tuple[int, str]] = []
    others: dict[str, list[tuple[str, int, str]]] = {}
    keys = PathKeys(context.root)
    for plan, number, path in context.store.plans.open_paths():
        if plan == plan_id:
            own.append((number, path))
        else:
            others.setdefault(keys.of(path), []).append((plan, number, path))
    return tuple(
        PathConflict(number, path, plan, other_step, other_path)
        for number, path in own
        for plan, other_step, other_path in others.get(keys.of(path), ())
    )


def removals_needed_by_refused(steps: Iterable[Step]) -> dict[int, str]:
    """Return the removals whose place a refused step of the plan wanted.

    Keys are numbers of delete and move steps, values the refused target at, above or below their path.
    `git apply` carries out such a change whole: a file goes and a folder of its name comes, or the reverse;
    the removal alone would lose content.
    """
    steps = tuple(steps)
    refused = {
        step.target
        for step in steps
        if step.state is StepState.INVALID and step.op is not Operation.DELETE and step.target
    }
    if not refused:
        return {}
    wanted: dict[str, str] = {}
    for target in sorted(refused, reverse=True):
        parts = target.split("/")
        wanted.update({"/".join(parts[:count]): target for count in range(1, len(parts) + 1)})
    needed: dict[int, str] = {}
    for step in steps:
        if step.op not in (Operation.DELETE, Operation.MOVE) or step.state is StepState.INVALID:
            continue
        parts = step.path.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts)))
        target = wanted.get(step.path) or next((path for path in above if path in refused), None)
        if target is not None:
            needed[step.number] = target
    return needed


class PathKeys:
    """Keys that are equal for paths which the disk takes for one, as its folders are now: by case in a folder
    that folds case, else by composition. Each folder is asked once."""

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._folders: dict[str, bool] = {}

    def of(self, path: str) -> str:
        """The key of one path."""
        if self._root.folds_case:
            return folded(path)
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(len(parts)))
        return "/".join(
            folded(part) if self._folds(folder) else normalize("NFC", part)
            for folder, part in zip(above, parts, strict=True)
        )

    def _folds(self, folder: str) -> bool:
        folds = self._folders.get(folder)
        if folds is None:
            folds = self._folders[folder] = self._root.folds_case_in(folder)
        return folds
