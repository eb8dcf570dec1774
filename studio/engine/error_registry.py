"""Registry of error codes: registry code, severity, and whether to retry.

One table, by exact code or else by a code's prefix. The classes of file errors carry their registry codes
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final


class ErrorSeverity(Enum):
    """Severity of an error.

    Fatal: no change of the call makes it possible, or stored data can't be trusted; else error.
    """

    FATAL = "fatal"
    ERROR = "error"


_FATAL: Final = frozenset({"FS-003", "SEC-001", "SEC-002", "SEC-003", "ST-001", "ST-002"})

_BY_CODE: Final[Mapping[str, tuple[str, bool]]] = {
    "config.secret": ("SEC-003", False),
    "config.unset": ("CFG-002", False),
    "config.unreadable": ("CFG-001", False),
    "config.changed": ("VAL-005", True),
    "disk.busy": ("FS-005", True),
    "disk.locked": ("FS-005", True),
    "disk.full": ("FS-004", True),
    "disk.quota": ("FS-004", True),
    "state.full": ("FS-004", True),
    "state.unusable": ("FS-002", False),
    "lock.held": ("FS-005", True),
    "sandbox.busy": ("FS-005", True),
    "lock.unusable": ("FS-002", False),
    "store.busy": ("FS-005", True),
    "store_newer": ("ST-002", False),
    "plan.state": ("ST-001", False),
    "plan.decided": ("ST-001", False),
    "step.state": ("ST-001", False),
    "plan.decided_anew": ("VAL-005", True),
    "step.changed_under_you": ("VAL-005", True),
    "root.missing": ("FS-001", False),
    "root.gone": ("FS-001", False),
    "submit.missing": ("FS-001", False),
    "target.missing": ("FS-001", False),
    "target.unchangeable": ("FS-002", False),
    "path.locked": ("SEC-002", False),
    "file.too_large": ("VAL-002", False),
}
"""Registry code, and whether the same call may succeed later."""

_BY_BEGINNING: Final[Mapping[str, str]] = {
    "store.": "ST-002",
    "journal.": "ST-002",
    "config.": "CFG-003",
    "diff.": "VAL-003",
    "patch.": "VAL-003",
    "format.": "VAL-003",
    "apply_patch.": "VAL-003",
    "search_replace.": "VAL-003",
    "text.": "VAL-006",
    "plan.": "VAL-004",
    "policy.": "VAL-002",
    "limits.": "VAL-002",
}


def registered(code: str, registry: str, *, retryable: bool) -> tuple[str, bool]:
    """Return the registry code of an error, and whether to retry.

    `registry` and `retryable` are the defaults of its class.
    """
    entry = _BY_CODE.get(code)
    if entry is not None:
        return entry
    beginning = code[: code.find(".") + 1]
    return registry or _BY_BEGINNING.get(beginning, "VAL-002"), retryable


def severity_of(registry: str) -> ErrorSeverity:
    return ErrorSeverity.FATAL if registry in _FATAL else ErrorSeverity.ERROR
