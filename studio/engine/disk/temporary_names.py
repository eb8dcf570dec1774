"""Names of an apply's temporary files: construction, recognition, and removal from listings."""

from __future__ import annotations

import re
from collections.abc import Iterable

_START = ".exacta-"
_SHAPE = re.compile(re.escape(_START) + r"[0-9a-f-]{36}-\d+(-to)?\.tmp~?")


# From the step's id, not the file's name, which may already have the 255 bytes that a name can have.
def temporary_name(step_id: str, attempt: int, *, far_end: bool = False) -> str:
    """Return the temporary name for one attempt at a step.

    A move needs a second one at its far end. At most 70 bytes.
    """
    return f"{_START}{step_id}-{attempt}{'-to' if far_end else ''}.tmp"


def is_temporary(name: str) -> bool:
    """Return whether a file name (not a path) is one of ours."""
    return _SHAPE.fullmatch(name) is not None


def without_temporary(paths: Iterable[str]) -> list[str]:
    """Return the names or paths that are not our temporary files.

    Ours are in no listing.
    """
    return [path for path in paths if _START not in path or not is_temporary(path.rpartition("/")[2])]
