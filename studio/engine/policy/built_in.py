"""List of all built-in rules, for display."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from studio.engine.names import CONFIGURATION_NAME
from studio.engine.policy.tables import DEFAULT_DENY, LOCKED, OPENED_BY_GIT


@dataclass(frozen=True, slots=True)
class BuiltInRule:
    """A built-in deny pattern in .gitignore form, with its reason ("build output").

    `is_locked`: no rule can allow it. `is_opened_by_git`: it does not apply in folders of which git's HEAD
    has files.
    """

    pattern: str
    reason: str
    is_locked: bool
    is_opened_by_git: bool = False


BUILT_IN: Final = (
    BuiltInRule(".git", "data of git", is_locked=True),
    BuiltInRule(CONFIGURATION_NAME, "configuration of Exacta Studio", is_locked=True),
    *(BuiltInRule(pattern, reason, is_locked=True) for pattern, reason in LOCKED),
    *(
        BuiltInRule(pattern, reason, is_locked=False, is_opened_by_git=pattern in OPENED_BY_GIT)
        for pattern, reason in DEFAULT_DENY
    ),
)
"""Locked ones first, in the order in which the policy checks them."""
