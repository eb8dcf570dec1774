"""Paths as a client names them, absolute or from its folder, as paths of the project."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from studio.engine.draft import DraftStep
from studio.engine.project_paths import project_path


class Places:
    """The project's folder, by each name that the client may know it by, and the folder that it is in."""

    def __init__(self, roots: Iterable[Path], cwd: str) -> None:
        """`roots` are ways to the same folder, through links or without."""
        self._roots = tuple(dict.fromkeys(roots))
        self._cwd = cwd

    def of_step(self, step: DraftStep) -> DraftStep:
        """The step with its paths as the project has them. One that leads elsewhere stays as it was said: the
        engine refuses it (R31)."""
        to = None if step.to is None else self._beneath(step.to)
        return replace(step, path=self._beneath(step.path), to=to)

    def _beneath(self, path: str) -> str:
        return project_path(path, self._roots, self._cwd)
