"""A repair puts a damaged change where the good one was, or there is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, example, given, strategies as st
from msgspec.structs import replace

from studio.engine.diff import FilePatch, compute, format_unified, parse_unified
from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Operation
from studio.engine.propose.build_result import build_changed
from studio.engine.propose.repairs import NEAR_MATCH_KINDS, Repair, RepairFinder
from studio.errors import StudioError
from studio.formats import detect
from studio.limits import REPAIR_BYTES

DAMAGES = {
    "blanks at the ends": ("{} \t", "{}"),
    "tabs": ("\tx{}\ty", "        x{}{}y"),
    "typographic": ('say("{}") - it\'s', "say(\u201c{}\u201d) \u2013 it\u2019s"),
    "line ends": ("{}", "{}\r"),
}
"""How a line of the file reads, and how it reads in the damaged text."""


def line(number: int, form: str) -> str:
    """A line as no other one; a tab behind its number goes to column 16."""
    return form.format(number, " " * (7 - len(str(number))))


def patch_of(base: bytes, result: bytes) -> FilePatch:
    (patch,) = parse_unified(format_unified(compute(base, result), "a.py", "a.py"))
    return patch


def found(draft: DraftStep, base: bytes) -> Repair | None:
    return RepairFinder().find(draft, base, None)


def lines_of(numbers: list[int], forms: dict[int, str]) -> bytes:
    return "".join(f"{line(number, forms[number])}\n" for number in numbers).encode()


PLACES = st.sets(st.integers(0, 30), min_size=1, max_size=6)


@given(st.sampled_from(sorted(DAMAGES)), PLACES, PLACES)
def test_a_damaged_diff_is_repaired_to_the_very_same_result(
    name: str, damaged: set[int], changed: set[int]
) -> None:
    good, bad = DAMAGES[name]
    forms = {number: good if number in damaged else "line {}" for number in range(31)}
    base = lines_of(list(range(31)), forms)
    result = b"".join(
        b"new %d\n" % number if number in changed else text
        for number, text in enumerate(base.splitlines(keepends=True))
    )
    text = format_unified(compute(base, result), "a.py", "a.py").decode()
    for number in damaged:
        text = text.replace(line(number, good) + "\n", line(number, bad) + "\n")
    (patch,) = parse_unified(text.encode())
    draft = DraftStep(Operation.MODIFY, "a.py", patch=patch)
    good_hunks = patch_of(base, result).hunks
    assume([hunk.body for hunk in patch.hunks] != [hunk.body for hunk in good_hunks])
    repair = found(draft, base)
    assert repair is not None and repair.sentence.startswith(name)
    assert build_changed(repair.draft, base, None).result == result


@given(st.sampled_from(sorted(DAMAGES)), st.integers(0, 6), st.integers(1, 4))
def test_a_damaged_edit_is_repaired_to_the_very_same_result(name: str, first: int, count: int) -> None:
    good, bad = DAMAGES[name]
    forms = dict.fromkeys(range(10), good)
    base = lines_of(list(range(10)), forms)
    old = "".join(f"{line(number, bad)}\n" for number in range(first, first + count))
    stays = f"{line(first, bad)}\n"
    draft = DraftStep(Operation.MODIFY, "a.py", edits=(TextEdit(old, f"{stays}new\n"),))
    repair = found(draft, base)
    assert repair is not None and repair.sentence.startswith(name)
    expected = base.splitlines(keepends=True)
    expected[first : first + count] = [expected[first], b"new\n"]
    assert build_changed(repair.draft, base, None).result == b"".join(expected)


HEAD = "--- a/a.txt\n+++ b/a.txt\n"


def diff(body: str, header: str = "@@ -1,3 +1,3 @@") -> bytes:
    return f"{HEAD}{header}\n{body}".encode()


def edit(old: str, new: str) -> bytes:
    step = {"op": "modify", "path": "a.txt", "edits": [{"old": old, "new": new}]}
    return json.dumps({"title": "Edit", "steps": [step]}).encode()


CASES = {
    "trailing-blanks": (
        b"one  \ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one  \n2\nthree\n",
    ),
    "tabs": (
        b"a:\n\tone\n\ttwo\n",
        diff(" a:\n     one\n-    two\n+\t2\n"),
        "tabs and the blanks they look like, at lines 2, 3 of the file",
        b"a:\n\tone\n\t2\n",
    ),
    "quotes": (
        b'say("a")\ntwo\nthree\n',
        diff(" say(\u201ca\u201d)\n-two\n+2\n three\n"),
        "typographic quotes, dashes or blanks, at line 1 of the file",
        b'say("a")\n2\nthree\n',
    ),
    "line-ends": (
        b"one\ntwo\nthree\n",
        diff(" one\r\n-two\r\n+2\r\n three\r\n"),
        "line ends",
        b"one\n2\nthree\n",
    ),
    "end-mark": (
        b"one\ntwo\nthree",
        diff(" one\n-two\n+2\n three\n"),
        "the mark for no newline at the end of the file, at line 3 of the file",
        b"one\n2\nthree",
    ),
    "crlf-file": (
        b"one \r\ntwo\r\nthree\r\n",
        diff(" one\n-two\n+2\n three\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one \r\n2\r\nthree\r\n",
    ),
    "edit-trailing-blanks": (
        b"one \ntwo\nthree\n",
        edit("one\ntwo\n", "one\n2\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one \n2\nthree\n",
    ),
    "edit-empty-line": (
        b"one\n  \ntwo\n",
        edit("one\n\n", "one\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one\ntwo\n",
    ),
    "edit-tabs": (
        b"\tone\n\ttwo\n",
        edit("        one\n        two\n", "        one\n\t2\n"),
        "tabs and the blanks they look like, at line 1 of the file",
        b"\tone\n\t2\n",
    ),
    "edit-quotes": (
        b"x = f('a') + 1\n",
        edit("f(\u2018a\u2019)", "g()"),
        "typographic quotes, dashes or blanks, at line 1 of the file",
        b"x = g() + 1\n",
    ),
    "edit-line-ends": (b"one\ntwo\n", edit("one\r\ntwo", "1\r\n2"), "line ends", b"1\n2\n"),
}
"""Of a file and a text that is refused for it: the repair by its words, and the bytes that come of it."""


@pytest.mark.parametrize(("base", "text", "sentence", "result"), CASES.values(), ids=CASES)
def test_a_repair_is_named_and_makes_what_was_meant(
    base: bytes, text: bytes, sentence: str, result: bytes
) -> None:
    (draft,) = detect.read(text).steps
    with pytest.raises(StudioError):
        build_changed(draft, base, None)
    repair = found(draft, base)
    assert repair is not None and repair.sentence == sentence
    assert build_changed(repair.draft, base, None).result == result


UNREPAIRED = {
    "two places": (b"one \ntwo\none \ntwo\none \n", diff(" one\n-two\n+2\n one\n", "@@ -1,3 +1,3 @@")),
    "another line": (b"zero\none \ntwo\nthree\n", diff(" one\n-two\n+2\n three\n")),
    "two repairs": (b'one \n"two"\nthree\n', diff(" one\n-\u201ctwo\u201d\n+2\n three\n")),
    "either of two repairs": (b"one \t\ntwo\nthree\n", diff(" one     \n-two\n+2\n three\n")),
    "a changed last line": (b"one\ntwo\nthree", diff(" one\n two\n-three\n+3\n")),
    "a changed last line whose new text comes first": (
        b"one\nthree",
        diff(" one\n+3\n-three\n", "@@ -1,2 +1,2 @@"),
    ),
    "mixed line ends": (b"one\r\ntwo\nthree\n", diff(" one\n-two\n+2\n three\n")),
    "mixed line ends behind": (b"one\ntwo\nthree\nfour\r\n", diff(" one\r\n-two\r\n+2\r\n three\r\n")),
    "a line end that no line has before it": (b'\n"\n', edit("\n\n\u201c\n", "\u201c")),
    "edit at two places": (b"one \ntwo\none \ntwo\n", edit("one\ntwo\n", "x")),
}


@pytest.mark.parametrize(("base", "text"), UNREPAIRED.values(), ids=UNREPAIRED)
def test_what_needs_a_guess_or_two_is_no_repair(base: bytes, text: bytes) -> None:
    (draft,) = detect.read(text).steps
    with pytest.raises(StudioError):
        build_changed(draft, base, None)
    assert found(draft, base) is None


TEXTS = st.text(st.sampled_from("ab \t\n\r\u201c\"'\u00a0"), max_size=40)


@given(TEXTS, TEXTS, TEXTS, st.booleans())
@example(" ", "\n", "", True)
@example('\n"\n', "\n\n\u201c\n", "\u201c", False)
def test_any_edit_has_no_repair_or_one_that_matches(base: str, old: str, new: str, whole: bool) -> None:
    draft = DraftStep(Operation.MODIFY, "a.py", edits=(TextEdit(old, new, whole_lines=whole),))
    data = base.encode()
    repair = found(draft, data)
    if repair is None:
        return
    taken = repair.draft.edits[0].old
    # Whole lines all have an end, the last one of the file too.
    text = f"{base}\n" if whole else base
    assert repair.draft.repaired and taken in text.replace("\r\n", "\n" if "\r" not in taken else "\r\n")
    build_changed(repair.draft, data, None)


ALIKE_LINES = st.lists(
    st.sampled_from(["", " ", "\t", "a", "a ", "\ta", "        a", "\u201c", '"', "b"]), max_size=5
)


@given(ALIKE_LINES, ALIKE_LINES, ALIKE_LINES, ALIKE_LINES, st.booleans())
@example(["b"], [" "], [], ["a"], True)
def test_what_a_repair_makes_is_alike_what_was_asked_for(
    before: list[str], old: list[str], new: list[str], behind: list[str], whole: bool
) -> None:
    """The lines around are as they were, byte for byte."""
    assume(old)
    texts = ["".join(f"{line}\n" for line in lines) for lines in (before, old, new, behind)]
    for likeness in NEAR_MATCH_KINDS:
        edit = TextEdit(likeness.key(texts[1]), likeness.key(texts[2]), whole_lines=whole)
        base = f"{texts[0]}{texts[1]}{texts[3]}".encode()
        repair = found(DraftStep(Operation.MODIFY, "a.py", edits=(edit,)), base)
        if repair is None or repair.draft.edits[0].old != texts[1]:
            continue
        result = build_changed(repair.draft, base, None).result.decode()
        made = result.removeprefix(texts[0]).removesuffix(texts[3])
        assert f"{texts[0]}{made}{texts[3]}" == result
        assert likeness.key(f"{made}x") == f"{edit.new}x"


@pytest.mark.parametrize(
    ("base", "old", "result"), [('"a\n"b', "\n\u201c", '"a x b'), ('a"\nb"', "\u201d\n", 'a x b"')]
)
def test_the_ends_of_a_text_are_no_line_ends(base: str, old: str, result: str) -> None:
    draft = DraftStep(Operation.MODIFY, "a.py", edits=(TextEdit(old, " x "),))
    repair = found(draft, base.encode())
    assert repair is not None
    assert build_changed(repair.draft, base.encode(), None).result == result.encode()


@given(TEXTS, TEXTS, TEXTS)
def test_any_diff_has_no_repair_or_one_that_matches(base: str, other: str, result: str) -> None:
    assume(other != result and other)
    patch = patch_of(other.encode(), result.encode())
    draft = DraftStep(Operation.MODIFY, "a.py", patch=patch)
    repair = found(draft, base.encode())
    if repair is not None:
        assert repair.draft.patch is not None
        assert [hunk.added for hunk in repair.draft.patch.hunks] == [hunk.added for hunk in patch.hunks]
        build_changed(repair.draft, base.encode(), None)


def test_there_is_an_end_to_looking() -> None:
    base = b"one \ntwo\n" * 100_000 + b"three \nfour\n"
    draft = DraftStep(Operation.MODIFY, "a.py", edits=(TextEdit("three\nfour\n", "x\n"),))
    finder = RepairFinder()
    repairs = [finder.find(draft, base, None) for _ in range(REPAIR_BYTES // len(base))]
    assert repairs[0] is not None and repairs[-1] is None


def test_a_step_made_on_another_content_gets_none() -> None:
    draft = DraftStep(Operation.MODIFY, "a.py", edits=(TextEdit("one\n", "x\n", whole_lines=True),))
    assert found(draft, b"one \n") is not None
    assert found(replace(draft, base_sha256="0" * 64), b"one \n") is None


def test_a_file_in_its_own_encoding_keeps_it() -> None:
    base = "caf\u00e9 \none\n".encode("windows-1252")
    (patch,) = parse_unified("--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n caf\u00e9\n-one\n+\u00e9\n".encode())
    repair = found(DraftStep(Operation.MODIFY, "a.py", patch=patch), base)
    assert repair is not None
    assert build_changed(repair.draft, base, None).result == "caf\u00e9 \n\u00e9\n".encode("windows-1252")


def test_what_cannot_be_built_is_no_repair() -> None:
    draft = DraftStep(
        Operation.MODIFY, "a.py", edits=(TextEdit("caf\u00e9\n", "\u4e00\n", whole_lines=True),)
    )
    base = "caf\u00e9 \n".encode("windows-1252")
    with pytest.raises(StudioError):
        build_changed(replace(draft, edits=(TextEdit("caf\u00e9 \n", "\u4e00\n"),)), base, None)
    assert found(draft, base) is None
