"""Conflicts of steps on one path, between open plans."""

from __future__ import annotations

from unicodedata import normalize

from studio.engine.project.context import Context
from studio.engine.root import ProjectRoot
from studio.names import folded
from studio.values import Value


class PathConflict(Value):
    """A step and another open plan's step on the same path.

    `path` is the first step's spelling, `other_path` the second's: on a volume that folds case they may
    differ.
    """

    step: int
    path: str
    other_plan: str
    other_step: int
    other_path: str


def find_conflicts(context: Context, plan_id: str) -> tuple[PathConflict, ...]:
    """Return an open plan's conflicts with other open plans, by step.

    A closed plan has none.
    """
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


class PathKeys:
    """Keys that are equal for paths that the disk takes for one.

    They fold case in a folder that does, else normalize Unicode composition. Each folder is checked once.
    """

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._folders: dict[str, bool] = {}

    def of(self, path: str) -> str:
        """Return the key of one path."""
        if self._root.folds_case:
            return folded(path)
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(len(parts)))
        return "/".join(
            folded(part) if self._folds_case_in(folder) else normalize("NFC", part)
            for folder, part in zip(above, parts, strict=True)
        )

    def _folds_case_in(self, folder: str) -> bool:
        folds = self._folders.get(folder)
        if folds is None:
            folds = self._folders[folder] = self._root.folds_case_in(folder)
        return folds
