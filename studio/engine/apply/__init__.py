"""Apply approved plans: gateway, write requests, completion, crash recovery, undo retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_modules

if TYPE_CHECKING:
    from studio.engine.apply import gateway, recovery, retention

__all__ = ["gateway", "recovery", "retention"]

__getattr__ = late_modules(__name__, __all__)
