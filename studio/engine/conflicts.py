"""Which open plans want to write the same path: seen before anything is written (contract 4, Q74, C5)."""

from __future__ import annotations

from dataclasses import dataclass
from unicodedata import normalize

from studio.engine.context import Context
from studio.engine.names import folded
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
    for plan, number, path in context.store.plans.open_paths():
        if plan == plan_id:
            own.append((number, path))
        else:
            others.setdefault(path_key(context.root, path), []).append((plan, number, path))
    return tuple(
        PathConflict(number, path, plan, other_step, other_path)
        for number, path in own
        for plan, other_step, other_path in others.get(path_key(context.root, path), ())
    )


def path_key(root: ProjectRoot, path: str) -> str:
    """Equal for paths that the volume takes for one: by case where it folds case, else by composition."""
    return folded(path) if root.folds_case else normalize("NFC", path)
