"""Window actions: table, `QAction`s, key bindings, and a guard against accidental keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.ui.actions.bindings import Bindings

__all__ = ["Bindings"]

__getattr__ = late_names(
    __name__,
    {
        "studio.ui.actions.bindings": "Bindings",
    },
)
