"""Strict applying: exact or refused, with the facts a person needs."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from studio.engine.diff import (
    Applied,
    DiffRefused,
    DoesNotMatch,
    FilePatch,
    apply_strict,
    apply_with_facts,
    compute,
    format_unified,
    parse_hunks,
    parse_unified,
)
from studio.engine.plan import Operation
from studio.errors import Refused

LINES = st.sampled_from(
    [
        b"a",
        b"b",
        b"c",
        b"",
        b" ",
        b"-- x",
        b"++ y",
        b"\\ z",
        b"@@ -1 +1 @@",
        b"x\r",
        b"\xe9",
        b"diff --git a/f b/f",
    ]
)
CONTENTS = st.builds(
    lambda lines, end: b"\n".join(lines) + end, st.lists(LINES, max_size=14), st.sampled_from([b"", b"\n"])
)


def patch_of(hunks: bytes) -> FilePatch:
    return FilePatch(Operation.MODIFY, "f", "f", parse_hunks(hunks))


@given(CONTENTS, CONTENTS, st.integers(0, 4))
def test_what_is_computed_applies_to_the_result(base: bytes, result: bytes, context: int) -> None:
    assume(base != result)
    (patch,) = parse_unified(format_unified(compute(base, result, context), "f", "f"))
    assert apply_with_facts(base, patch).result == result
    assert not apply_with_facts(base, patch).facts


@given(CONTENTS, CONTENTS, CONTENTS)
def test_it_applies_to_another_base_only_where_its_lines_stand(
    base: bytes, result: bytes, other: bytes
) -> None:
    """No offset and no fuzz: whatever is accepted has the old lines at the stated place."""
    assume(base != result)
    (patch,) = parse_unified(format_unified(compute(base, result), "f", "f"))
    try:
        applied = apply_with_facts(other, patch)
    except DoesNotMatch as error:
        assert error.problems and len(error.problems) == len(error.mismatches)
        return
    lines = other.split(b"\n")
    for hunk in patch.hunks:
        old = hunk.old_block().split(b"\n")
        stands = lines[hunk.old_first : hunk.old_first + hunk.old_lines]
        assert [line.rstrip(b"\r") for line in stands] == [
            line.rstrip(b"\r") for line in old[: hunk.old_lines]
        ]
    added = sum(hunk.added - hunk.removed for hunk in patch.hunks)
    count = applied.result.count(b"\n") + (not applied.result.endswith(b"\n") and applied.result != b"")
    before = other.count(b"\n") + (not other.endswith(b"\n") and other != b"")
    assert count == before + added


@given(CONTENTS, CONTENTS, st.integers(0, 10_000), st.integers(0, 6))
def test_mutations_are_refused(base: bytes, result: bytes, place: int, kind: int) -> None:
    """Truncated, renumbered, miscounted, changed in context: never the same result, never another one."""
    assume(base != result)
    diff = compute(base, result)
    text = format_unified(diff, "f", "f")
    mutated = mutate(text, place, kind)
    assume(mutated is not None and mutated != text)
    assert mutated is not None
    try:
        patches = parse_unified(mutated)
        applied = [apply_strict(base, patch) for patch in patches]
    except (DiffRefused, DoesNotMatch):
        return
    # The one change that still reads as a diff of this file: a marker for a missing newline taken away.
    marker_taken = mutated.count(b"\n\\ ") < text.count(b"\n\\ ")
    assert len(applied) == 1
    assert applied[0] == (result + b"\n" if marker_taken else result)


def mutate(text: bytes, place: int, kind: int) -> bytes | None:
    lines = text.split(b"\n")[:-1]
    hunks = [index for index, line in enumerate(lines) if line.startswith(b"@@ -") and index > 2]
    if not hunks:
        return None
    hunk = hunks[place % len(hunks)]
    if kind == 0:  # truncated
        return b"\n".join(lines[: hunk + 1]) + b"\n"
    if kind == 1:  # shifted old start
        old, rest = lines[hunk][4:].split(b" ", 1)
        start, comma, count = old.partition(b",")
        lines[hunk] = b"@@ -%d%s%s %s" % (int(start) + 1, comma, count, rest)
    elif kind == 2:  # wrong count
        old, rest = lines[hunk][4:].split(b" ", 1)
        start, _, count = old.partition(b",")
        lines[hunk] = b"@@ -%s,%d %s" % (start, int(count or b"1") + 1, rest)
    elif kind == 3:  # changed old line
        old_lines = [i for i in range(hunk + 1, len(lines)) if lines[i][:1] in (b" ", b"-")]
        if not old_lines:
            return None
        lines[old_lines[place % len(old_lines)]] += b"~"
    elif kind == 4:  # a line more
        lines.insert(hunk + 1 + place % (len(lines) - hunk), b"+EVIL")
    elif kind == 5:  # a line less
        if hunk + 1 >= len(lines):
            return None
        del lines[hunk + 1 + place % (len(lines) - hunk - 1)]
    else:  # swapped hunks
        if len(hunks) < 2:
            return None
        first, second = hunks[0], hunks[1]
        end = hunks[2] if len(hunks) > 2 else len(lines)
        lines[first:end] = lines[second:end] + lines[first:second]
    return b"\n".join(lines) + b"\n"


def test_a_mismatch_names_both_lines_and_other_places() -> None:
    """The expected and the actual line, and where it would match; never used by itself."""
    base = b"x\ny\na\nb\nc\na\nb\nd\n"
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(base, patch_of(b"@@ -1,2 +1,2 @@\n a\n-b\n+B\n"))
    (miss,) = caught.value.mismatches
    assert (miss.hunk, miss.line, miss.expected, miss.actual) == (1, 1, b"a\n", b"x\n")
    assert miss.other_lines == (3, 6)
    (problem,) = caught.value.problems
    assert (problem.at, problem.line) == ("target", 1)
    assert "line 3, 6" in problem.hint
    assert "'a\\n'" in problem.message and "'x\\n'" in problem.message


def test_other_places_are_whole_lines_only() -> None:
    """A text inside a line, or an open line in the middle, is no place; a huge line costs no time."""
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"xa\na\nab\na\n", patch_of(b"@@ -1 +1 @@\n-a\n+b\n"))
    assert caught.value.mismatches[0].other_lines == (2, 4)
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(
            b"a\n" + b"a" * 2_000_000,
            patch_of(b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"),
        )
    assert caught.value.mismatches[0].other_lines == ()
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"\na\n", patch_of(b"@@ -1 +1 @@\n-a\n+b\n"))
    assert caught.value.mismatches[0].other_lines == (2,), "behind an empty first line"
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"b\na", patch_of(b"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"))
    assert caught.value.mismatches[0].other_lines == (2,)


@given(CONTENTS, st.lists(LINES, min_size=1, max_size=3))
def test_other_places_are_all_that_fit(base: bytes, old: list[bytes]) -> None:
    block = b"".join(line + b"\n" for line in old)
    hunk = b"@@ -99,%d +99,0 @@\n%s" % (len(old), b"".join(b"-" + line + b"\n" for line in old))
    hunk = hunk.replace(b"+99,0", b"+98,0")
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(base, patch_of(hunk))
    lines = [line + b"\n" for line in base.split(b"\n")[:-1]]
    places = [at + 1 for at in range(len(lines)) if b"".join(lines[at : at + len(old)]) == block]
    assert caught.value.mismatches[0].other_lines == tuple(places[:10])


def test_all_failing_hunks_are_reported() -> None:
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(
            b"a\nb\nc\nd\n", patch_of(b"@@ -1 +1 @@\n-x\n+X\n@@ -2 +2 @@\n-b\n+B\n@@ -4 +4 @@\n-y\n+Y\n")
        )
    assert [miss.hunk for miss in caught.value.mismatches] == [1, 3]


def test_a_change_that_is_there_already_is_recognised() -> None:
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"a\nB\nc\n", patch_of(b"@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"))
    assert caught.value.mismatches[0].is_already_applied
    assert "already" in caught.value.problems[0].hint


def test_a_missing_mark_is_explained() -> None:
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"\xef\xbb\xbfa\n", patch_of(b"@@ -1 +1 @@\n-a\n+b\n"))
    assert "byte order mark" in caught.value.problems[0].hint


@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")])
def test_an_insertion_without_context_into_a_utf16_file_is_read_as_text(encoding: str, mark: bytes) -> None:
    """Only one reading fits, as bytes before the mark the new line would be no UTF-16."""
    base = mark + "a\n".encode(encoding)
    applied = apply_with_facts(base, patch_of(b"@@ -0,0 +1 @@\n+b\n"))
    assert applied.result == mark + "b\na\n".encode(encoding)
    assert [fact.kind for fact in applied.facts] == ["encoding_adapted"]


def test_ascii_changes_of_a_windows_1252_file_mean_one_thing() -> None:
    """Both readings fit with the same result, which is no ambiguity and needs no fact."""
    applied = apply_with_facts(b"\xe9\na\nb\n", patch_of(b"@@ -2,2 +2,2 @@\n a\n-b\n+B\n"))
    assert applied == Applied(b"\xe9\na\nB\n", ())


@pytest.mark.parametrize("setting", [None, "windows-1252"])
def test_a_character_whose_bytes_are_no_windows_1252_is_read_as_text(setting: str | None) -> None:
    """Raw, the second byte of the letter does not exist in the file's encoding."""
    patch = patch_of("@@ -2 +2,2 @@\n a\n+\u00c1\n".encode())
    applied = apply_with_facts(b"\xe9\na\n", patch, setting)
    assert applied.result == "\u00e9\na\n\u00c1\n".encode("windows-1252")
    assert [fact.kind for fact in applied.facts] == ["encoding_adapted"]


def test_a_diff_whose_old_lines_fit_both_readings_is_read_as_utf8() -> None:
    """ASCII old lines fit as bytes and as text; then the text counts, whatever is new."""
    for text in ("@@ -2 +2,2 @@\n a\n+\u00e9\n", "@@ -1,2 +1,3 @@\n \u00e9\n a\n+\u00e9\n"):
        applied = apply_with_facts(b"\xe9\na\n", patch_of(text.encode()))
        assert applied.result == b"\xe9\na\n\xe9\n"
        assert [fact.kind for fact in applied.facts] == ["encoding_adapted"]
    with pytest.raises(Refused, match=r"U\+0416 in line 3 does not exist in windows-1252") as caught:
        apply_strict(b"\xe9\na\n", patch_of("@@ -2 +2,2 @@\n a\n+\u0416\n".encode()))
    assert caught.value.code == "text.not_encodable"


def test_a_diff_that_is_no_utf8_is_read_as_its_bytes() -> None:
    """One reading is left, even where a single hunk could be read as UTF-8."""
    patch = patch_of(b"@@ -1 +1,2 @@\n a\n+\xc3\xa9\n@@ -3 +4 @@\n-\xe9\n+\xfc\n")
    applied = apply_with_facts(b"a\nb\n\xe9\n", patch)
    assert applied == Applied(b"a\n\xc3\xa9\nb\n\xfc\n", ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "windows-1252"])
def test_an_empty_file_of_a_configured_encoding_takes_text_in_it(encoding: str) -> None:
    patch = patch_of("@@ -0,0 +1 @@\n+\u00e9\n".encode())
    assert apply_strict(b"", patch, encoding) == "\u00e9\n".encode(encoding)


def test_a_configured_encoding_is_used() -> None:
    base = "a\nb\n".encode("utf-16-le")
    applied = apply_with_facts(base, patch_of(b"@@ -1,2 +1,2 @@\n a\n-b\n+B\n"), "utf-16-le")
    assert applied.result == "a\nB\n".encode("utf-16-le")


@given(st.lists(st.text(alphabet="ab\u00e9\u20ac", max_size=4), max_size=8), st.data())
def test_windows_1252_targets_through_utf8(lines: list[str], data: st.DataObject) -> None:
    """A diff in UTF-8 changes a Windows-1252 file as the same diff changes the file in UTF-8."""
    base = "".join(line + "\n" for line in lines)
    new_lines = data.draw(st.permutations(lines)) if lines else []
    result = "".join(line + "\n" for line in new_lines)
    assume(base != result and not base.isascii())
    (patch,) = parse_unified(format_unified(compute(base.encode(), result.encode()), "f", "f"))
    legacy = base.encode("windows-1252")
    assume(not_utf8(legacy))
    assert apply_strict(legacy, patch, "windows-1252") == result.encode("windows-1252")


def not_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def test_an_invalid_patch_is_never_applied() -> None:
    (patch,) = parse_unified(b"diff --git a/f b/f\nold mode 100644\nnew mode 120000\n")
    with pytest.raises(Refused) as caught:
        apply_strict(b"", patch)
    assert caught.value.code == "patch.invalid"


def test_other_places_of_an_empty_line_may_be_neighbours() -> None:
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"x\n\n\n\n", patch_of(b"@@ -1 +1 @@\n-\n+b\n"))
    assert caught.value.mismatches[0].other_lines == (2, 3, 4)


@pytest.mark.parametrize(("failing", "named", "more"), [(3, 3, 2), (100, 100, 99), (103, 100, 102)])
def test_failing_hunks_are_named_up_to_a_limit_and_the_others_counted(
    failing: int, named: int, more: int
) -> None:
    hunks = b"".join(b"@@ -%d +%d @@\n-x\n+y\n" % (line, line) for line in range(1, failing + 1))
    with pytest.raises(DoesNotMatch) as caught:
        apply_strict(b"a\n" * failing, patch_of(hunks))
    assert len(caught.value.mismatches) == named
    assert sum(problem.count for problem in caught.value.problems) == failing
    assert str(caught.value).count(f"({more} more problems.)") == 1
