"""How many rows a diff has."""

from __future__ import annotations

from studio.engine.diff import compute
from studio.extras.diff_view.rows import side_by_side, unified

BASE = b"import x\n\n\ndef one():\n    a\n    b\n    c\n    d\n\n\ndef two():\n    e\n    f\n    g\n    h\n"
RESULT = BASE.replace(b"    d\n", b"    D\n    D2\n").replace(b"    g\n", b"")


def test_rows_are_counted_by_blocks() -> None:
    diff = compute(BASE, RESULT, context=1)
    rows = side_by_side(diff)
    # A fold, a band, a line around, a pair, an added line, a line around; the same with a removed line.
    assert (list(rows.block_starts), list(rows.folded_gaps)) == ([0, 6, 11, 11], [1, 1, 0])
    assert len(unified(diff)) == len(rows) + 1
    assert len(side_by_side(diff, folded=False)) == len(rows) + 5 + 2


def test_unchanged_lines_cost_nothing() -> None:
    lines = [b"line %d\n" % number for number in range(200_000)]
    base = b"".join(lines)
    lines[100_000] = b"changed\n"
    rows = side_by_side(compute(base, b"".join(lines)), folded=False)
    assert len(rows) == 200_001 and len(rows.block_starts) == 3
