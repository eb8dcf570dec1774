"""Base of the objects that act on an open project."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from studio.engine.project.context import Context

_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound="Side")


class Side:
    """Base class of an open project's access objects."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @staticmethod
    def _notifies(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
        """Decorate a method that writes to the store.

        Other processes are notified when it ends.
        """

        @wraps(method)
        def notifying(self: _S, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            with self._context.notifying():
                return method(self, *args, **kwargs)

        return notifying
