"""Diff view of one plan step: widget, bars, canvas, model, non-text pages.

`DiffView` is the widget and is imported only on first use: `columns`, `layout` and `colouring` are free of
Qt, and a child process imports the last one.
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
