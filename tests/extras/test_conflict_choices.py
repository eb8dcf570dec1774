"""What is taken at conflicts, and the rows that show it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from studio.engine.diff import merge
from studio.engine.review.rebase import RebasePreview
from studio.extras.conflict_choices import ConflictChoice, Kind, LineStyle, Settlement

LINES = [b"%d\n" % number for number in range(1, 31)]


def with_lines(**changed: str) -> bytes:
    """The thirty lines, some replaced: `l3="x"`."""
    lines = list(LINES)
    for name, text in changed.items():
        lines[int(name[1:]) - 1] = text.encode()
    return b"".join(lines)


def settlement(base: bytes, current: bytes, proposed: bytes) -> Settlement:
    merged = merge(base, current, proposed)
    preview = RebasePreview(
        base, current, proposed, merged.result, merged.conflicts, only_formatting=False,
        pieces=merged.pieces, places=merged.places,
    )  # fmt: skip
    return Settlement(preview)


@pytest.fixture
def two() -> Settlement:
    return settlement(
        with_lines(),
        with_lines(l3="disk 3\n", l10="disk 10\n", l25="disk 25\n"),
        with_lines(l3="proposed 3\n", l18="proposed 18\n", l25="a\nb\n"),
    )


def test_each_way_out_gives_its_text(two: Settlement) -> None:
    assert two.open == 2
    two.choose(0, ConflictChoice.PROPOSED)
    two.choose(1, ConflictChoice.BOTH)
    assert two.open == 0
    assert two.content() == with_lines(
        l3="proposed 3\n", l10="disk 10\n", l18="proposed 18\n", l25="disk 25\na\nb\n"
    )
    two.choose(0, ConflictChoice.DISK)
    two.choose(1, ConflictChoice.EDITED, b"mine\n")
    assert two.content() == with_lines(l3="disk 3\n", l10="disk 10\n", l18="proposed 18\n", l25="mine\n")


def test_rows_show_every_conflict_with_the_lines_around_it(two: Settlement) -> None:
    rows = two.rows()
    kinds = [row.kind for row in rows if row.kind is not Kind.CODE]
    assert kinds == [Kind.BAND, Kind.FOLD, Kind.BAND, Kind.FOLD]
    clash = [row for row in rows if row.conflict >= 0 and row.kind is Kind.CODE]
    assert [(row.conflict, row.is_open) for row in clash] == [(0, True), (1, True), (1, True)]
    first = clash[0]
    assert first.cells[0] is not None and (first.cells[0].number, first.cells[0].line) == (3, b"disk 3\n")
    assert first.cells[1] is None, "the result waits"
    two.choose(1, ConflictChoice.PROPOSED)
    clash = [row for row in two.rows() if row.conflict == 1 and row.kind is Kind.CODE]
    assert [row.cells[1].line for row in clash if row.cells[1] is not None] == [b"a\n", b"b\n"]
    assert clash[0].cells[0] is not None and clash[0].cells[0].style is LineStyle.DROPPED


def test_the_base_is_shown_when_asked_for(two: Settlement) -> None:
    shown = [row.cells[1] for row in two.rows(show_base=True)]
    assert [cell.line for cell in shown if cell is not None and cell.style is LineStyle.BASE] == [
        b"3\n",
        b"25\n",
    ]


def test_what_was_taken_is_kept_for_exactly_these_texts(two: Settlement) -> None:
    two.choose(0, ConflictChoice.EDITED, b"\xe4\xff\n")
    kept = two.to_draft()
    again = Settlement(two.preview)
    again.restore(kept)
    assert (again.open, again.text(0)) == (1, b"\xe4\xff\n")
    other = settlement(with_lines(), with_lines(l3="x\n"), with_lines(l3="y\n"))
    other.restore(kept)
    assert other.open == 1


_TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), max_size=14)


@given(_TEXT, _TEXT, _TEXT)
def test_result_numbers_are_those_of_the_settled_file(
    base: list[bytes], current: list[bytes], proposed: list[bytes]
) -> None:
    """What has a number in the result is written, under that number."""
    made = settlement(b"".join(base), b"".join(current), b"".join(proposed))
    assume(made.conflicts)
    for number in range(len(made.conflicts)):
        made.choose(number, (ConflictChoice.DISK, ConflictChoice.PROPOSED, ConflictChoice.BOTH)[number % 3])
    written = made.content().splitlines(keepends=True)
    shown = 0
    for row in made.rows():
        cell = row.cells[1]
        shown += row.hidden + (cell is not None)
        if cell is not None:
            assert cell.number is not None
            assert written[cell.number - 1] == cell.line
        for side, lines in ((row.cells[0], current), (row.cells[2], proposed)):
            if side is not None:
                assert side.number is not None
                assert lines[side.number - 1] == side.line
    assert shown == len(written)
