"""Diff view of one plan step: widget, bars, canvas, model, non-text pages.

`DiffView` is the widget and is imported only on first use: `columns`, `layout` and `colouring` are free of
Qt, and a child process imports the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.ui.diff.view import DiffView

__all__ = ["DiffView"]

__getattr__ = late_names(__name__, {"studio.ui.diff.view": "DiffView"})
