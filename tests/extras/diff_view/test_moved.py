"""Code that moved: what is told is really gone at one place and there at the other, and nothing twice."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from studio.engine.diff import compute
from studio.extras.diff_view.moved import MovedBlock, StepSides, changed_runs, moved_blocks

FUNCTION = b"def average(numbers):\n    total = sum(numbers)\n\n    return total / len(numbers)\n"
OTHER = b"def unrelated():\n    return 1\n"


def moves(*sides: tuple[bytes, bytes]) -> tuple[MovedBlock, ...]:
    steps = [StepSides(number, base, result, None) for number, (base, result) in enumerate(sides, 1)]
    return moved_blocks(changed_runs(steps))


def test_a_function_that_goes_to_another_file_is_one_block() -> None:
    found = moves((OTHER + FUNCTION, OTHER), (b"import math\n", b"import math\n\n\n" + FUNCTION))
    assert found == (MovedBlock(1, 2, 2, 3, 4),)


def test_one_that_moves_within_its_file_and_is_indented_is_found() -> None:
    indented = b"".join(
        b"    " + line if line.strip() else line for line in FUNCTION.splitlines(keepends=True)
    )
    between = b"".join(b"x%d = %d\n" % (number, number) for number in range(30))
    assert moves((FUNCTION + between, between + b"class A:\n" + indented)) == (MovedBlock(1, 0, 1, 31, 4),)


def test_lines_that_are_indented_where_they_stand_did_not_move() -> None:
    indented = b"if True:\n" + b"".join(b"    " + line for line in FUNCTION.splitlines(keepends=True))
    assert moves((FUNCTION, indented)) == ()


def test_short_lines_and_brackets_are_no_block() -> None:
    base = b"    }\n  )\n}\n\n];\n  end\n  end\n"
    assert moves((OTHER + base, OTHER), (b"a\n", b"a\n" + base)) == ()
    assert moves((OTHER + b"one_line_of_forty_letters_and_digits_1234\n", OTHER), (b"", b"one_line\n")) == ()


def test_the_longest_of_several_places_is_the_one_and_none_is_told_twice() -> None:
    start = FUNCTION.splitlines(keepends=True)[0] + FUNCTION.splitlines(keepends=True)[1]
    found = moves((start, b""), (FUNCTION, b""), (b"", FUNCTION), (b"", FUNCTION))
    assert found == (MovedBlock(2, 0, 3, 0, 4), MovedBlock(1, 0, 4, 0, 2))


def test_a_line_that_stands_everywhere_takes_no_time() -> None:
    many = b"the same line of letters again\n" * 20_000
    assert moves((many, b""), (b"", many)) == ()


LINES = st.lists(
    st.sampled_from([b"alpha beta gamma\n", b"  delta epsilon 12\n", b"}\n", b"\n", b"x\n"]), max_size=14
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(LINES, LINES), min_size=1, max_size=4))
def test_whatever_changes(files: list[tuple[list[bytes], list[bytes]]]) -> None:
    sides = [(b"".join(base), b"".join(result)) for base, result in files]
    diffs = [compute(base, result, 0) for base, result in sides]
    removed = {
        (number, line)
        for number, diff in enumerate(diffs, 1)
        for change in diff.changes
        for line in range(change.old_first, change.old_end)
    }
    added = {
        (number, line)
        for number, diff in enumerate(diffs, 1)
        for change in diff.changes
        for line in range(change.new_first, change.new_end)
    }
    for block in moves(*sides):
        for at in range(block.count):
            source, target = (block.step, block.first + at), (block.to_step, block.to_first + at)
            removed.remove(source)  # raises KeyError for what is not removed, or was told before
            added.remove(target)
            old = diffs[block.step - 1].base_lines[source[1]]
            new = diffs[block.to_step - 1].result_lines[target[1]]
            assert old.strip() == new.strip()
