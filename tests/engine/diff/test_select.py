"""Any subset of hunks or lines gives a result: all, none, a part and then the rest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import (
    FileDiff,
    apply_strict,
    choose,
    compute,
    format_excluded_diff,
    parse_unified,
    select,
)
from studio.engine.plan import HunkChoice
from studio.errors import UsageError
from studio.text import TextForm, describe, diff_text

CONTENTS = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"", b"x\r"]), max_size=25),
    st.sampled_from([b"", b"\n"]),
)


def whole(diff: FileDiff) -> dict[int, HunkChoice]:
    return {hunk.number: frozenset(range(1, hunk.changed_lines + 1)) for hunk in diff.hunks}


def drawn_choices(data: st.DataObject, diff: FileDiff) -> dict[int, HunkChoice]:
    return {
        hunk.number: data.draw(
            st.one_of(
                st.booleans(), st.frozensets(st.integers(1, hunk.changed_lines), max_size=hunk.changed_lines)
            )
        )
        for hunk in diff.hunks
        if data.draw(st.booleans())
    }


@given(CONTENTS, CONTENTS)
def test_all_is_the_result_and_none_the_base(base: bytes, result: bytes) -> None:
    diff = compute(base, result)
    assert select(diff, {}) == result
    assert select(diff, whole(diff)) == result
    assert select(diff, dict.fromkeys(range(1, len(diff.hunks) + 1), False)) == base
    assert select(diff, dict.fromkeys(range(1, len(diff.hunks) + 1), frozenset[int]())) == base


@given(CONTENTS, CONTENTS, st.data())
def test_a_part_and_then_the_rest_is_the_result(base: bytes, result: bytes, data: st.DataObject) -> None:
    diff = compute(base, result)
    part = select(diff, drawn_choices(data, diff))
    assert select(compute(part, result), {}) == result
    rest = format_excluded_diff(part, result, "f")
    if part == result:
        assert rest == b""
    else:
        (patch,) = parse_unified(rest)
        assert apply_strict(part, patch) == result


@given(CONTENTS, CONTENTS, st.data())
def test_hunks_are_independent(base: bytes, result: bytes, data: st.DataObject) -> None:
    """Choosing hunks one after the other, in any order, ends where choosing them at once ends."""
    diff = compute(base, result)
    chosen = data.draw(st.sets(st.integers(1, max(1, len(diff.hunks)))))
    choices: dict[int, HunkChoice] = {hunk.number: hunk.number in chosen for hunk in diff.hunks}
    part = select(diff, choices)
    others: dict[int, HunkChoice] = {number: not choice for number, choice in choices.items()}
    lines = len(part.split(b"\n")) + len(select(diff, others).split(b"\n"))
    assert lines == len(base.split(b"\n")) + len(result.split(b"\n"))


@given(CONTENTS, CONTENTS, st.data())
def test_lines_are_counted(base: bytes, result: bytes, data: st.DataObject) -> None:
    """Every line not chosen keeps the base: the number of lines follows from the choice alone."""
    diff = compute(base, result)
    choices = drawn_choices(data, diff)
    part = select(diff, choices)
    expected = len(diff.base_lines)
    for hunk in diff.hunks:
        choice = choices.get(hunk.number, True)
        number = 1
        for change in hunk.changes:
            for sign, count in ((-1, change.old_count), (1, change.new_count)):
                for line in range(number, number + count):
                    expected += sign if choice is True or (choice is not False and line in choice) else 0
                number += count
    assert part.count(b"\n") + (not part.endswith(b"\n") and part != b"") == expected


def test_lines_go_in_beside_their_pair() -> None:
    diff = compute(b"a\nb\nc\n", b"A\nB\nc\n")
    assert select(diff, {1: frozenset({1, 3})}) == b"A\nb\nc\n"
    assert select(diff, {1: frozenset({2, 4})}) == b"a\nB\nc\n"
    assert select(diff, {1: frozenset({3})}) == b"a\nA\nb\nc\n"
    assert select(diff, {1: frozenset({1})}) == b"b\nc\n"


def test_an_old_line_stays_where_its_version_stands() -> None:
    """As the rows side by side show it: not where it would stand by counting lines."""
    base = b"def load(path):\n    return read_rows(path)\n"
    result = b"import log\n\ndef load(path, limit):\n    log.info(path)\n    return read_rows(path, limit)\n"
    diff = compute(base, result)
    everything = frozenset(range(1, 8))
    assert select(diff, {1: everything}) == result
    without_return = select(diff, {1: everything - {2, 7}})
    assert without_return == result.replace(b"(path, limit)\n", b"(path)\n").replace(
        b"load(path)", b"load(path, limit)"
    )


def test_an_open_line_is_closed_when_a_line_follows() -> None:
    """Two lines never become one; the line end is the file's."""
    diff = compute(b"a", b"a\nb\n")
    assert select(diff, {1: frozenset({3})}) == b"a\nb\n"
    diff = compute(b"x\r\na", b"x\r\na\r\nb\r\n")
    assert select(diff, {1: frozenset({3})}) == b"x\r\na\r\nb\r\n"


def test_unknown_choices_are_refused() -> None:
    diff = compute(b"a\n", b"b\n")
    for choices in ({2: True}, {0: True}, {1: frozenset({3})}, {1: frozenset({0})}):
        with pytest.raises(UsageError) as caught:
            select(diff, choices)
        assert caught.value.code.startswith("choice.")
        with pytest.raises(UsageError):
            choose(b"a\n", b"b\n", choices)


def utf16(text: str) -> bytes:
    return ("\ufeff" + text).encode("utf-16-le")


def test_parts_keep_the_encoding() -> None:
    """A part of a UTF-16 change is UTF-16 with its mark."""
    base = utf16("a\n" + "x\n" * 10 + "b\n")
    result = utf16("A\n" + "x\n" * 10 + "B\n")
    assert choose(base, result, {}) == result
    assert choose(base, result, {1: False, 2: False}) == base
    assert choose(base, result, {1: False}) == utf16("a\n" + "x\n" * 10 + "B\n")
    assert choose(base, result, {1: frozenset({1, 2}), 2: True}) == result
    assert choose(b"", utf16("a\nb\n"), {1: frozenset({2})}) == utf16("b\n")


def test_a_change_of_encoding_alone_is_all_or_nothing() -> None:
    assert choose(utf16("a\n"), b"a\n", {}) == b"a\n"


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_whole(base: bytes, result: bytes) -> None:
    assert choose(base, result, {}) == result
    diff = compute(base, result)
    if diff.hunks:
        assert choose(base, result, dict.fromkeys(range(1, len(diff.hunks) + 1), False)) == base


FORMS = ("utf-8", "utf-16-le", "utf-16-be", "windows-1252")
WORDS = st.lists(st.sampled_from(["a", "\u00e4", "\u20ac uro", "", "x y"]), max_size=12)


@st.composite
def file_pairs(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two contents of one file in one form: encoding, mark, line ends; final newlines as they come."""
    encoding, end = draw(st.sampled_from(FORMS)), draw(st.sampled_from(["\n", "\r\n"]))
    mark = "\ufeff" if encoding.startswith("utf-16") else ""
    texts = (end.join(draw(WORDS)) + draw(st.sampled_from(["", end])) for _ in range(2))
    base, result = ((mark + text).encode(encoding) for text in texts)
    return base, result


@given(file_pairs(), st.data())
def test_a_part_and_its_rest_keep_the_file_s_form(pair: tuple[bytes, bytes], data: st.DataObject) -> None:
    """A decided part is text of the same form; what was left out applies to it and leads to the proposal."""
    base, result = pair
    choices = drawn_choices(data, compute(base, result))
    part = choose(base, result, choices)
    described, like = describe(part), describe(result if base == b"" else base)
    assert isinstance(described, TextForm) and isinstance(like, TextForm)
    assert described.bom == like.bom
    assert select(compute(part, result), {}) == diff_text(result)
    rest = format_excluded_diff(part, result, "a b.txt")
    if diff_text(part) == diff_text(result):
        assert rest == b""
        return
    (patch,) = parse_unified(rest)
    assert apply_strict(part, patch) == result


def test_what_is_left_out_applies_with_git(tmp_path: Path) -> None:
    """On the result as decided, headers and all."""
    lines = [b"line %d\n" % number for number in range(60)]
    base, new = b"".join(lines), list(lines)
    for place in (5, 6, 30, 59):
        new[place] = b"new %d\n" % place
    result = b"".join(new)[:-1]
    part = choose(base, result, {1: frozenset({1, 3}), 2: False})
    rest = format_excluded_diff(part, result, "dir/a b.txt")
    target = tmp_path / "dir" / "a b.txt"
    target.parent.mkdir()
    target.write_bytes(part)
    subprocess.run(["git", "apply", "-"], input=rest, cwd=tmp_path, check=True)
    assert target.read_bytes() == result
