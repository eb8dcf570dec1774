"""What "viewed" is about: the exact contents of a step; other contents have not been looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine.plan import Plan, Step
from studio.ui.desk.unsent import VIEWED, UnsentPlace

if TYPE_CHECKING:
    from studio.ui.desk.project import Project

ViewedMark = tuple[str, int, str]
"""Plan id, step number, and the contents that were looked at."""


def content_key(step: Step) -> str:
    """Names both sides of a step by their hashes; changes when either does."""
    base = step.base.sha256 if step.base is not None else None
    result = step.result.sha256 if step.result is not None else None
    return f"{base or ''}>{result or ''}"


def viewed_mark(plan: Plan, step: Step) -> ViewedMark:
    """What is remembered of a step that was looked at: new content is a new mark."""
    return plan.id, step.number, content_key(step)


class Viewed(QObject):
    """The marks of the project: kept like unsent texts, found again after a kill."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._unsent = project.unsent
        self.marks: frozenset[ViewedMark] = frozenset()
        # Made before the queue, so that whoever is told of its plans finds the marks.
        self._unsent.loaded.connect(self._read)

    def has(self, plan: Plan, step: Step) -> bool:
        """Whether these contents of the step were looked at."""
        return viewed_mark(plan, step) in self.marks

    def keep(self, plan: Plan, step: Step, viewed: bool) -> bool:
        """Keep or drop a mark; says whether it was the other way before."""
        return self.keep_all(plan, (step,), viewed=viewed)

    def keep_all(self, plan: Plan, steps: Iterable[Step], *, viewed: bool) -> bool:
        """The same of several steps; says whether any was the other way before."""
        others = [step for step in steps if viewed != self.has(plan, step)]
        self._unsent.keep_all(
            {
                UnsentPlace(plan.id, step.number, VIEWED): content_key(step).encode() if viewed else b""
                for step in others
            }
        )
        if others:
            self._read()
        return bool(others)

    def _read(self) -> None:
        marks = self._unsent.every(VIEWED).items()
        self.marks = frozenset((place.plan_id, place.step, value.decode()) for place, value in marks)
