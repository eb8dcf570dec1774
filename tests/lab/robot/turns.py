"""A window's waiting place that does one thing at a time, when the robot lets it.

With threads no run could be repeated step by step. Here a job runs, and its answer comes, in turns of their
own; what happens between two turns is chosen by the robot, so that a failing order of things is found again
and made shorter.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject
from shiboken6 import isValid

from studio.errors import StudioError
from studio.ui.runner import Failed, Runner, Then

Result = TypeVar("Result")
_MOST_TURNS = 5000


@dataclass(frozen=True, slots=True)
class _Turn:
    do: Callable[[], object]
    is_engine: bool = False


class TurnRunner(Runner):
    """What the window asks for is done in the order in which it was asked, when `turn` is called.

    What other threads post is dropped: the robot tells of changed files itself, so that no thread's pace is
    part of a run.
    """

    def __init__(self) -> None:
        super().__init__(immediate=True)
        self._turns: deque[_Turn] = deque()
        self._thread = threading.get_ident()
        self.engine_waits = False
        """Another process holds the store: the engine's jobs wait for it, the window goes on."""

    @property
    def is_idle(self) -> bool:
        """Whether everything that was asked for is done."""
        return not self._turns

    def turn(self) -> bool:
        """Do the next thing; says whether there was one that can be done."""
        for turn in self._turns:
            if not (turn.is_engine and self.engine_waits):
                self._turns.remove(turn)
                turn.do()
                return True
        return False

    def finish(self) -> None:
        """Do what was asked for, and what that asks for, to the end."""
        for _ in range(_MOST_TURNS):
            if not self.turn():
                return
        raise AssertionError("the window never comes to rest")

    def call(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        work = partial(self._work, partial(function, *args), then, failed)
        self._turns.append(_Turn(work, is_engine=True))

    def compute(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        self._turns.append(_Turn(partial(self._work, partial(function, *args), then, failed)))

    compute_apart = compute

    def next_turn(self, function: Callable[..., object], *args: object) -> None:
        self._turns.append(_Turn(partial(_tell, partial(function, *args))))

    def post(self, function: Callable[..., object], *args: object) -> None:
        if threading.get_ident() == self._thread:
            self.next_turn(function, *args)

    def close(self, last: Callable[[], object] | None = None) -> None:
        self.engine_waits = False
        self.finish()
        super().close(last)

    def _work(self, job: Callable[[], object], then: Then | None, failed: Failed | None) -> None:
        try:
            answer = job()
        except StudioError as error:
            self.next_turn(failed or self.unexpected_error.emit, error)
        else:
            if then is not None:
                self.next_turn(then, answer)


def _tell(back: Callable[[], object]) -> None:
    """Give an answer, unless whoever asked is a part of a window that was closed since."""
    asked: object = back
    while isinstance(asked, partial):
        asked = asked.func
    owner = getattr(asked, "__self__", None)
    if not isinstance(owner, QObject) or isValid(owner):
        back()


class CountingRunner(Runner):
    """The one with threads, which also knows whether it has answered everything."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0
        self.engine_waits = False
        """Another process holds the store: what the engine is asked is not answered until it lets go."""

    @property
    def is_idle(self) -> bool:
        return not self._asked

    def call(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        self._asked += 1
        back, complain = self._counted(then, failed)
        super().call(function, *args, then=back, failed=complain)

    def compute(
        self,
        function: Callable[..., Result],
        *args: object,
        then: Callable[[Result], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        self._asked += 1
        back, complain = self._counted(then, failed)
        super().compute(function, *args, then=back, failed=complain)

    def _counted(self, then: Then | None, failed: Failed | None) -> tuple[Then, Failed]:
        return partial(self._answer, then), partial(self._answer, failed or self.unexpected_error.emit)

    def _answer(self, back: Callable[..., object] | None, answer: object) -> None:
        self._asked -= 1
        if back is not None:
            _tell(partial(back, answer))
