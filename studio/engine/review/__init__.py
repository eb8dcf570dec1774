"""Review of stored plans: staleness, chosen and edited results, rebases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.review import decision_errors, rebase, staleness

__all__ = ["decision_errors", "rebase", "staleness"]

__getattr__ = late_names(__name__, {f"{__name__}.{name}": name for name in __all__})
