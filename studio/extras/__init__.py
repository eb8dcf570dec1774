"""Features on top of the engine: sandbox, snapshots, file tools, change observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_modules

if TYPE_CHECKING:
    from studio.extras import (
        agents,
        commands,
        diagnostics,
        journal_view,
        observed,
        reader,
        reviews,
        rule_trial,
        sandbox,
        snapshots,
        tools,
        user_configuration,
    )

__all__ = [
    "agents",
    "commands",
    "diagnostics",
    "journal_view",
    "observed",
    "reader",
    "reviews",
    "rule_trial",
    "sandbox",
    "snapshots",
    "tools",
    "user_configuration",
]

__getattr__ = late_modules(__name__, __all__)
