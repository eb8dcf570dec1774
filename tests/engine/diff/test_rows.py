"""Rows, folds and scroll positions of a diff (look.md 4.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.diff import compute
from studio.engine.diff.rows import RowKind, RowMap, Side, side_by_side, unified

CONTENTS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"def f():"]), max_size=40).map(
    lambda lines: b"".join(line + b"\n" for line in lines)
)
SIDES: tuple[Side, Side] = ("base", "result")


def shown(rows: RowMap, side: Side) -> list[int]:
    """Line indexes of a side in row order, folds unfolded by hand."""
    lines: list[int] = []
    for row in rows:
        first = row.old if side == "base" else row.new
        if first is None or row.kind is RowKind.BAND:
            continue
        lines.extend(range(first, first + (row.hidden if row.kind is RowKind.FOLD else 1)))
    return lines


@given(CONTENTS, CONTENTS, st.booleans(), st.frozensets(st.integers(0, 5)), st.booleans())
def test_every_line_stands_once_and_in_order(
    base: bytes, result: bytes, beside: bool, opened: frozenset[int], folded: bool
) -> None:
    diff = compute(base, result)
    rows = (side_by_side if beside else unified)(diff, opened=opened, folded=folded)
    assert shown(rows, "base") == list(range(len(diff.base_lines)))
    assert shown(rows, "result") == list(range(len(diff.result_lines)))
    assert len(list(rows)) == len(rows)
    bands = [index for index, row in enumerate(rows) if row.kind is RowKind.BAND]
    assert [rows.row(band).hunk for band in bands] == list(range(1, len(diff.hunks) + 1))
    folds = [row.fold for row in rows if row.kind is RowKind.FOLD]
    assert [gap for gap, is_folded in enumerate(rows.folded_gaps) if is_folded] == folds
    for index, row in enumerate(rows):
        assert rows.kind(index) is row.kind
        assert row == rows.row(index)
        assert row == rows[index - len(rows)]
        if row.kind is RowKind.FOLD:
            assert row.fold not in opened and folded and row.hidden >= 2
        if row.kind is RowKind.CONTEXT and row.old is not None and row.new is not None:
            assert diff.base_lines[row.old] == diff.result_lines[row.new]


@given(CONTENTS, CONTENTS)
def test_choices_count_the_changed_lines(base: bytes, result: bytes) -> None:
    """The numbers on the rows are those a choice of lines takes (contract 3)."""
    diff = compute(base, result)
    for rows in (side_by_side(diff), unified(diff)):
        for hunk in diff.hunks:
            numbers = [
                number
                for row in rows
                if row.hunk == hunk.number
                for number in (row.old_choice, row.new_choice)
                if number is not None
            ]
            assert sorted(numbers) == list(range(1, hunk.changed_lines + 1))
    in_order = [row.old_choice or row.new_choice for row in unified(diff) if row.hunk == 1]
    numbers = [number for number in in_order if number]
    assert numbers == sorted(numbers)


@given(CONTENTS, CONTENTS)
def test_runs_say_the_same_as_rows(base: bytes, result: bytes) -> None:
    rows = side_by_side(compute(base, result))
    flat = [(kind, hunk) for first, count, kind, hunk in rows.runs() for _ in range(count)]
    assert flat == [(row.kind, row.hunk) for row in rows]


def test_a_diff_as_it_stands_on_screen() -> None:
    base = (
        b"import x\n\n\ndef one():\n    a\n    b\n    c\n    d\n\n\ndef two():\n    e\n    f\n    g\n    h\n"
    )
    result = base.replace(b"    d\n", b"    D\n    D2\n").replace(b"    g\n", b"")
    diff = compute(base, result, context=1)
    rows = side_by_side(diff)
    assert [(row.kind.value, row.old, row.new) for row in rows] == [
        ("fold", 0, 0),
        ("band", 6, 6),
        ("context", 6, 6),
        ("pair", 7, 7),
        ("added", None, 8),
        ("context", 8, 9),
        ("fold", 9, 10),
        ("band", 12, 13),
        ("context", 12, 13),
        ("removed", 13, None),
        ("context", 14, 14),
    ]
    assert (rows[0].hidden, rows[0].text, rows[0].fold) == (6, "def one():", 0)
    assert (rows[1].hunk, rows[1].text) == (1, "def one():")
    assert (rows[6].text, rows[6].fold, rows[7].text) == ("def two():", 1, "def two():")
    assert rows.hunk_at(0) is None
    assert [rows.hunk_at(index) for index in (1, 5, 7, 10)] == [1, 1, 2, 2]
    assert len(side_by_side(diff, opened=frozenset({0}))) == len(rows) + 5
    with pytest.raises(IndexError):
        rows.row(len(rows))


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
    rows = side_by_side(compute(base, base + b"  y\n"))
    band = next(row for row in rows if row.kind is RowKind.BAND)
    assert band.text == (line.decode().strip() if named else "")


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
    rows = side_by_side(compute(base, base + b"  y\n"))
    assert next(row for row in rows if row.kind is RowKind.BAND).text == name


def test_a_large_diff_makes_rows_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows cost what the diff has of hunks: a million unchanged lines add a single run."""
    lines = [b"line %d\n" % number for number in range(200_000)]
    base = b"".join(lines)
    lines[100_000] = b"changed\n"
    diff = compute(base, b"".join(lines))
    rows = side_by_side(diff, folded=False)
    assert len(rows) == 200_001
    assert len(list(rows.runs())) <= 7
    assert rows[150_001].old == 150_000
