"""The diff of one step, painted: rows, gutter, overview map, colours, special panels.

`DiffView` is the widget. `columns`, `layout` and `colouring` know no Qt, and a child process imports the last
one: so the widget is loaded only when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.ui.diff.view import DiffView

__all__ = ["DiffView"]


def __getattr__(name: str) -> object:
    if name == "DiffView":
        from studio.ui.diff.view import DiffView

        return DiffView
    raise AttributeError(name)
