"""What each side of an open project has in common: whatever it commits, the other processes are told of."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from studio.engine.project.context import Context

_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound="Side")


class Side:
    """An open project, as it is handed to whoever may do something with it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @staticmethod
    def _rings(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
        """Marks a method that writes to the store: when it ends, the bell is rung for it (design 7)."""

        @wraps(method)
        def ringing(self: _S, *args: _P.args, **named: _P.kwargs) -> _R:
            with self._context.ringing():
                return method(self, *args, **named)

        return ringing
