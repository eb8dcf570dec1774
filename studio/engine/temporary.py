"""Names of the files that an apply lays beside its targets: recorded in requests, locked for proposals."""

from __future__ import annotations

import re

_SHAPE = re.compile(r"\.exacta-[0-9a-f-]{36}-\d+(-to)?\.tmp~?")


def temporary_name(step_id: str, attempt: int, *, far_end: bool = False) -> str:
    """The name for one attempt at a step; a move needs a second one at its far end. At most 70 bytes."""
    return f".exacta-{step_id}-{attempt}{'-to' if far_end else ''}.tmp"


def is_temporary(name: str) -> bool:
    """Whether a file name (not a path) is one of ours."""
    return _SHAPE.fullmatch(name) is not None
