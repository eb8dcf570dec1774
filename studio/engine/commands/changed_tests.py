"""Which files decide what a test run says, by their names alone."""

from __future__ import annotations

import re
from typing import Final

_FOLDERS: Final = frozenset({"__snapshots__", "__tests__", "spec", "specs", "test", "testing", "tests"})
_NAMES: Final = re.compile(
    r"conftest\.py|test_.*|.*[._-](?:test|tests|spec|snap)\.[^.]+|.*_test\.[^.]+|.*\.snap"
    r"|pytest\.ini|tox\.ini|noxfile\.py|jest\.config\..*|vitest\.config\..*|\.rspec",
    re.IGNORECASE,
)


def is_test_file(path: str) -> bool:
    """Whether a path looks like a test, or like what says how tests are run."""
    *folders, name = path.split("/")
    return bool(_NAMES.fullmatch(name)) or any(folder.lower() in _FOLDERS for folder in folders)
