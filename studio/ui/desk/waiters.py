"""Agents that wait for an answer, and news of further ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


@dataclass(frozen=True, slots=True)
class Waiter:
    """A waiting agent, with its plan's title or the tool requested."""

    id: str
    agent: str
    what: str
    is_call: bool = False


class Waiters(QObject):
    """Waiting agents of each queue state; those at startup are not news."""

    waiter_added = Signal(object)
    """A new `Waiter` whose agent has desktop notifications enabled."""
    count_changed = Signal()

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._queue = queue
        self._ids_before: frozenset[str] | None = None
        self.count = 0
        queue.store_changed.connect(self._update)

    def _update(self) -> None:
        waiters = tuple(self._waiters())
        ids = frozenset(waiter.id for waiter in waiters)
        ids_before, self._ids_before = self._ids_before, ids
        if self.count != len(waiters):
            self.count = len(waiters)
            self.count_changed.emit()
        if ids_before is not None:
            for waiter in waiters:
                if waiter.id not in ids_before and waiter.agent not in self._queue.quiet:
                    self.waiter_added.emit(waiter)

    def _waiters(self) -> Iterator[Waiter]:
        for plan in self._queue.plans:
            if plan.waits and plan.id in self._queue.waiting:
                yield Waiter(plan.id, plan.agent, plan.title)
        for call in self._queue.calls:
            yield Waiter(call.id, call.agent, call.tool, is_call=True)
