"""Viewed marks, each for the exact contents of a step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine.plan import Plan, Step
from studio.ui.desk.unsent import VIEWED, DraftKey

if TYPE_CHECKING:
    from studio.ui.desk.project import Project

ViewedMark = tuple[str, int, str]
"""Plan id, step number, and key of the contents that were viewed."""


def content_key(step: Step) -> str:
    """Return the key of a step's contents: both sides' hashes."""
    base = step.base.sha256 if step.base is not None else None
    result = step.result.sha256 if step.result is not None else None
    return f"{base or ''}>{result or ''}"


def viewed_mark(plan: Plan, step: Step) -> ViewedMark:
    """Return the mark of a step: new contents, new mark."""
    return plan.id, step.number, content_key(step)


class Viewed(QObject):
    """Viewed marks of the project, stored like drafts."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._unsent = project.unsent
        self.marks: frozenset[ViewedMark] = frozenset()
        # Connected before the queue, so that its listeners find the marks.
        self._unsent.loaded.connect(self._read)

    def has(self, plan: Plan, step: Step) -> bool:
        """Return whether these contents of the step were viewed."""
        return viewed_mark(plan, step) in self.marks

    def keep(self, plan: Plan, step: Step, viewed: bool) -> bool:
        """Set or clear a mark; return whether it changed."""
        return self.keep_all(plan, (step,), viewed=viewed)

    def keep_all(self, plan: Plan, steps: Iterable[Step], *, viewed: bool) -> bool:
        """Set or clear several marks; return whether any changed."""
        changed_steps = [step for step in steps if viewed != self.has(plan, step)]
        self._unsent.keep_all(
            {
                DraftKey(plan.id, step.number, VIEWED): content_key(step).encode() if viewed else b""
                for step in changed_steps
            }
        )
        if changed_steps:
            self._read()
        return bool(changed_steps)

    def _read(self) -> None:
        marks = self._unsent.every(VIEWED).items()
        self.marks = frozenset((key.plan_id, key.step, value.decode()) for key, value in marks)
