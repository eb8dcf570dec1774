"""Apply approved plans: gateway, write requests, completion, crash recovery, undo retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.apply import gateway, recovery, retention

__all__ = ["gateway", "recovery", "retention"]

__getattr__ = late_names(__name__, {f"{__name__}.{name}": name for name in __all__})
