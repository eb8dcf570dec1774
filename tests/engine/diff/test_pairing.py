"""Lines that are versions of each other stand side by side; what that costs is bounded."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import compute
from studio.engine.diff.pairing import paired
from studio.extras.diff_view.rows import side_by_side
from studio.limits import PAIRED_IN_CHANGE_UP_TO, PAIRED_LINES_UP_TO

LINES = st.sampled_from([b"alpha = one(1)", b"alpha = two(1)", b"beta", b"gamma(x)", b"gamma(y)", b""])
TEXTS = st.lists(LINES, max_size=12).map(lambda lines: b"".join(line + b"\n" for line in lines))


def beside(base: bytes, result: bytes) -> list[tuple[bytes | None, bytes | None]]:
    """The changed rows: base line and result line, None where a side has none."""
    diff = compute(base, result)
    return [
        (
            diff.base_lines[part.old_first + at].strip() if at < part.old_count else None,
            diff.result_lines[part.new_first + at].strip() if at < part.new_count else None,
        )
        for change in range(len(diff.changes))
        for part in side_by_side(diff).parts(change)
        for at in range(max(part.old_count, part.new_count))
    ]


@pytest.mark.parametrize(
    ("base", "result", "expected"),
    [
        # A line put in before the changed one.
        (
            b"total = price * count\n",
            b"check(count)\ntotal = price * count * rate\n",
            [(None, b"check(count)"), (b"total = price * count", b"total = price * count * rate")],
        ),
        # A line gone before the changed one, and as many lines as before.
        (
            b"log.debug(message)\nreturn first(values)\n",
            b"return first(values, 0)\nwith lock:\n",
            [
                (b"log.debug(message)", None),
                (b"return first(values)", b"return first(values, 0)"),
                (None, b"with lock:"),
            ],
        ),
        # Indentation alone keeps its partner.
        (
            b"open(name)\nread(name, 1)\n",
            b"if name:\n    open(name)\n    read(name, 1)\n",
            [(None, b"if name:"), (b"open(name)", b"open(name)"), (b"read(name, 1)", b"read(name, 1)")],
        ),
        # Nothing alike: in order.
        (b"xxxx\nyyyy\n", b"1111\n2222\n", [(b"xxxx", b"1111"), (b"yyyy", b"2222")]),
    ],
)
def test_versions_of_a_line_stand_beside_each_other(
    base: bytes, result: bytes, expected: list[tuple[bytes | None, bytes | None]]
) -> None:
    assert beside(base, result) == expected


@given(TEXTS, TEXTS)
def test_parts_cover_their_change_in_order(base: bytes, result: bytes) -> None:
    diff = compute(base, result)
    for index, parts in paired(diff).items():
        change = diff.changes[index]
        assert len(parts) > 1
        old, new = change.old_first, change.new_first
        for part in parts:
            assert (part.old_first, part.new_first) == (old, new)
            assert part.lines
            old, new = part.old_end, part.new_end
        assert (old, new) == (change.old_end, change.new_end)


def test_a_large_change_stands_in_order() -> None:
    side = int(PAIRED_IN_CHANGE_UP_TO**0.5) + 1
    old = b"".join(b"line number %d\n" % number for number in range(side))
    new = b"one more\n" + b"".join(b"line number %d!\n" % number for number in range(side))
    assert not paired(compute(old, new))


def test_a_diff_has_a_share_of_comparisons() -> None:
    block = b"same\n" * 8
    changes = PAIRED_LINES_UP_TO // 2 + 10
    old = b"".join(b"value %d\n" % number + block for number in range(changes))
    new = b"".join(b"added\nvalue %d!\n" % number + block for number in range(changes))
    assert len(paired(compute(old, new))) == PAIRED_LINES_UP_TO // 2
