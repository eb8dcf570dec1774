"""Conversion of a client's paths to project paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from studio.engine.draft import DraftStep
from studio.engine.project_paths import project_path


class Places:
    """Converter from paths, absolute or relative to `cwd`, to project paths."""

    def __init__(self, roots: Iterable[Path], cwd: str) -> None:
        """Initialize with `roots`, all paths of one folder, maybe through links."""
        self._roots = tuple(dict.fromkeys(roots))
        self._cwd = cwd

    def to_project_step(self, step: DraftStep) -> DraftStep:
        """Return the step with project paths.

        A path outside of the project stays as it was given; the engine refuses it.
        """
        to = None if step.to is None else self._beneath(step.to)
        return replace(step, path=self._beneath(step.path), to=to)

    def _beneath(self, path: str) -> str:
        return project_path(path, self._roots, self._cwd)
