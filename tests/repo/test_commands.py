"""Every command of the tests is in the table of CONTRIBUTING.md, and every one there is real."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"python -m (tests(?:\.\w+)+)")
PARTS = frozenset(
    (
        "tests.disks.trial",
        "tests.extras.observed.mounting",
        "tests.engine.root.mounting",
        "tests.faults.disks",
        "tests.faults.refusing",
        "tests.faults.rivals",
        "tests.ui.access.clipping",
    )
)
"""Started by tests, each in a name space or a moment that the test makes for it."""


def _named(text: str) -> set[str]:
    return set(COMMAND.findall(text))


def _offered() -> set[str]:
    """What the modules of the tests say about themselves in their first words."""
    found: set[str] = set()
    for file in (ROOT / "tests").rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        if _named(source):
            found |= _named(ast.get_docstring(ast.parse(source)) or "")
    return found


def test_contributing_names_every_command() -> None:
    table = _named((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert _offered() - PARTS <= table
    assert len(table) >= 10


def test_what_contributing_names_can_be_run() -> None:
    for name in _named((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        below = Path(*name.split(".")[1:])
        places = [ROOT / "tests" / part / below for part in ("", "lab", "bench")]
        found = [
            each for each in places if each.with_suffix(".py").is_file() or (each / "__main__.py").is_file()
        ]
        assert found, name
