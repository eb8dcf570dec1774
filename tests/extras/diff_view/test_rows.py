"""How many rows a diff has, and what the sections above them are called (look.md 4.6)."""

from __future__ import annotations

import pytest

from studio.engine.diff import compute
from studio.extras.diff_view.on_screen import definition_before, first_definition
from studio.extras.diff_view.rows import side_by_side, unified

BASE = b"import x\n\n\ndef one():\n    a\n    b\n    c\n    d\n\n\ndef two():\n    e\n    f\n    g\n    h\n"
RESULT = BASE.replace(b"    d\n", b"    D\n    D2\n").replace(b"    g\n", b"")


def section(base: bytes) -> str:
    """What a line that is put behind all others stands in."""
    diff = compute(base, base + b"  y\n")
    return definition_before(diff.base_lines, diff.hunks[0].changes[0].old_first)


def test_rows_are_counted_by_blocks() -> None:
    diff = compute(BASE, RESULT, context=1)
    rows = side_by_side(diff)
    # A fold, a band, a line around, a pair, an added line, a line around; the same with a removed line.
    assert (list(rows.block_starts), list(rows.folded_gaps)) == ([0, 6, 11, 11], [1, 1, 0])
    assert len(unified(diff)) == len(rows) + 1
    assert len(side_by_side(diff, folded=False)) == len(rows) + 5 + 2
    assert [first_definition(diff.base_lines, first, 6) for first in (0, 9)] == ["def one():", "def two():"]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b"    async def fetch(self):\n", True),
        (b"export default class Tide {\n", True),
        (b"pub(crate) fn main() {\n", True),
        (b"CREATE TABLE tides (\n", True),
        (b"int main(void)\n", True),
        (b".toolbar {\n", True),
        (b"jobs:\n", True),
        (b"defer cleanup\n", False),
        (b"Some words of prose.\n", False),
        (b"    call(x)\n", False),
    ],
)
def test_what_names_a_section(line: bytes, named: bool) -> None:
    base = line + b"  x\n" * 9
    assert section(base) == (line.decode().strip() if named else "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"words\n\n## Usage\n\nmore\n", "## Usage"),
        (b"# -- Options ----\n\nx = 1\n", "# -- Options ----"),
        (b"import os\n# the usual one\ny = 1\n", ""),
        (b"\n# Keep this file\n# as it is.\n", ""),
        (b"def f():\n    pass\n# then\ny = 1\n", "def f():"),
    ],
)
def test_a_heading_stands_alone_and_a_comment_names_nothing(text: bytes, name: str) -> None:
    base = text + b"  x\n" * 9
    assert section(base) == name


def test_unchanged_lines_cost_nothing() -> None:
    lines = [b"line %d\n" % number for number in range(200_000)]
    base = b"".join(lines)
    lines[100_000] = b"changed\n"
    rows = side_by_side(compute(base, b"".join(lines)), folded=False)
    assert len(rows) == 200_001 and len(rows.block_starts) == 3
