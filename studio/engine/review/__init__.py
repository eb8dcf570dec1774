"""Review of stored plans: staleness, chosen and edited results, rebases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_modules

if TYPE_CHECKING:
    from studio.engine.review import decision_errors, editor_text, rebase, staleness

__all__ = ["decision_errors", "editor_text", "rebase", "staleness"]

__getattr__ = late_modules(__name__, __all__)
