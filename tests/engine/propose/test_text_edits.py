"""Text edits stand at exactly one place, or nowhere; whoever made them is told where they nearly stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from studio.engine.diff import DoesNotMatch
from studio.engine.draft import TextEdit
from studio.engine.propose.text_edits import LineIndex, apply_text_edits, nearest

FILE = "class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        pass\n"


def put(text: str, *edits: TextEdit, line_end: str = "\n") -> str:
    return apply_text_edits(text, edits, "a.py", line_end=line_end).text


def refused(text: str, *edits: TextEdit) -> tuple[str, str, str]:
    with pytest.raises(DoesNotMatch) as caught:
        put(text, *edits)
    (problem,) = caught.value.problems
    return problem.code, problem.message, problem.hint


def lines(old: str, new: str, **more: Any) -> TextEdit:
    return TextEdit(old, new, whole_lines=True, **more)


def test_an_edit_takes_the_only_place() -> None:
    assert put("one two\n", TextEdit("two", "three")) == "one three\n"


def test_two_places_are_named_and_nothing_is_changed() -> None:
    code, message, _hint = refused(FILE, TextEdit("pass", "return"))
    assert (code, message) == (
        "edit.not_unique",
        "Edit 1 of a.py: its old text is in the file 2 times, at lines 3, 7.",
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_the_line_of_an_edit_is_its_place(end: str, last: bool) -> None:
    text = end.join(["pass", "", "pass", "pass"]) + (end if last else "")
    for line in (1, 3, 4):
        wanted = ["pass", "", "pass", "pass"]
        wanted[line - 1] = f"x{end}y"
        edit = lines(f"pass{end}", f"x{end}y{end}", on_line=line)
        assert put(text, edit, line_end=end) == end.join(wanted) + (end if last else "")
    for line in (2, 5):
        with pytest.raises(DoesNotMatch) as caught:
            put(text, lines(f"pass{end}", "", on_line=line), line_end=end)
        (problem,) = caught.value.problems
        assert problem.message == f"Edit 1 of a.py: its old text is at line 1, not at line {line}."


def test_places_that_overlap_are_two() -> None:
    code, message, _hint = refused("aaa\n", TextEdit("aa", "b"))
    assert (code, message) == (
        "edit.not_unique",
        "Edit 1 of a.py: its old text is in the file 2 times, on line 1.",
    )


def test_the_nearest_place_is_named_with_what_differs() -> None:
    old = "class B:\n    def g(self):\n        pass\n"
    code, message, hint = refused(FILE, lines(old, "", line=12))
    assert code == "edit.not_found"
    assert message == "Edit 1 of a.py (line 12 of the text): its old text is not in the file."
    assert hint.startswith(
        "The nearest place is line 6: the file has “    def f(self):”, not “    def g(self):”. "
    )


def test_whole_lines_do_not_stand_in_the_middle_of_one() -> None:
    assert put("xpass\npass\n", lines("pass\n", "stop\n")) == "xpass\nstop\n"
    assert refused("xpass\n", lines("pass\n", "stop\n"))[0] == "edit.not_found"


@pytest.mark.parametrize(
    ("text", "expected"), [("a\nb", "a\nc"), ("a\nb\n", "a\nc\n"), ("b", "c"), ("b\n", "c\n")]
)
def test_a_last_line_without_its_end_stays_without(text: str, expected: str) -> None:
    assert put(text, lines("b\n", "c\n")) == expected


def test_crlf_lines_are_whole_lines_too() -> None:
    assert put("a\r\nb", lines("b\r\n", "c\r\n"), line_end="\r\n") == "a\r\nc"


def test_lines_before_it_narrow_the_place() -> None:
    after = lines("        pass\n", "        return\n", after=("class B:", "def f(self):"))
    assert put(FILE, after) == FILE[: -len("        pass\n")] + "        return\n"
    code, message, _hint = refused(FILE, lines("        pass\n", "", after=("class A:",)))
    assert (code, message.endswith("at lines 3, 7.")) == ("edit.not_unique", True)
    code, message, _hint = refused(FILE, lines("        pass\n", "", after=("class C:",)))
    assert (code, message) == (
        "edit.not_found",
        "Edit 1 of a.py: the line “class C:” before it is not in the file.",
    )


def test_an_edit_in_order_stands_behind_the_one_before() -> None:
    first = lines("    def f(self):\n        pass\n\n", "    def g(self):\n        pass\n\n")
    then = lines("        pass\n", "        return\n", in_order=True)
    assert (
        put(FILE, first, then)
        == FILE.replace("def f", "def g", 1)[: -len("        pass\n")] + "        return\n"
    )


def test_the_end_of_the_file_is_a_place() -> None:
    assert put(FILE, lines("        pass\n", "        stop\n", at_end=True)).endswith("        stop\n")
    assert put("a\n", lines("", "b\n", at_end=True)) == "a\nb\n"
    assert put("a", lines("", "b\n", at_end=True)) == "a\nb"
    assert refused(FILE, lines("class B:\n", "", at_end=True))[0] == "edit.not_found"
    assert refused(FILE, lines("", "b\n"))[0] == "edit.no_place"


def test_what_is_only_added_stands_behind_the_one_line_that_says_where() -> None:
    added = lines("", "    x = 1\n", after=("class B:",))
    assert put(FILE, added) == FILE.replace("class B:\n", "class B:\n    x = 1\n")
    assert put("a\r\nb", lines("", "c\r\n", after=("b",)), line_end="\r\n") == "a\r\nb\r\nc"
    inner = lines("", "        # here\n", after=("class B:", "def f(self):"))
    assert put(FILE, inner) == FILE[: -len("        pass\n")] + "        # here\n        pass\n"
    code, message, _hint = refused(FILE, lines("", "x\n", after=("def f(self):",)))
    assert (code, message) == (
        "edit.not_unique",
        "Edit 1 of a.py: the line “def f(self):” before it is in the file 2 times, at lines 2, 6.",
    )
    assert refused(FILE, lines("", "x\n", after=("class C:",)))[0] == "edit.not_found"


def test_a_line_or_text_in_front_of_where_it_must_stand_is_told() -> None:
    code, message, _hint = refused(FILE, lines("class A:\n", "", after=("class B:",)))
    assert (code, message) == (
        "edit.not_found",
        "Edit 1 of a.py: its old text is at line 1, not after the context before it.",
    )
    _code, message, _hint = refused(FILE, lines("    def f(self):\n", "", after=("class B:", "class A:")))
    assert message == ("Edit 1 of a.py: the line “class A:” before it is not after the context before that.")
    _code, message, _hint = refused(FILE, lines("class B:\n", "", at_end=True))
    assert message == "Edit 1 of a.py: its old text is at line 5, not at the end of the file."


def test_the_nearest_place_is_where_it_differs_however_far_down() -> None:
    text = "".join(f"line {number}\n" for number in range(400))
    _code, _message, hint = refused(text, lines(text.replace("line 300", "line x"), ""))
    assert hint.startswith("The nearest place is line 301: the file has “line 300”, not “line x”.")
    _code, _message, hint = refused("a\nb\n", lines("a\n\n", ""))
    assert hint.startswith("The nearest place is line 2: the file has “b”, not “”.")


def test_every_place_is_changed_only_where_that_is_said() -> None:
    edited = apply_text_edits(FILE, [TextEdit("pass", "stop", every=True)], "a.py")
    assert edited.text == FILE.replace("pass", "stop")
    assert [fact.kind for fact in edited.facts] == ["edit_everywhere"]
    assert refused(FILE, TextEdit("nowhere", "", every=True))[0] == "edit.not_found"


def test_each_edit_that_stands_nowhere_is_told() -> None:
    with pytest.raises(DoesNotMatch) as caught:
        put(FILE, TextEdit("x1", ""), TextEdit("class A", "class C"), TextEdit("x2", ""))
    assert [problem.message.split(" of ")[0] for problem in caught.value.problems] == ["Edit 1", "Edit 3"]


TEXT = st.text("ab\n", max_size=30)


@given(TEXT, TEXT.filter(bool), TEXT)
def test_an_edit_is_taken_exactly_where_it_stands_once(text: str, old: str, new: str) -> None:
    places = [at for at in range(len(text)) if text.startswith(old, at)]
    if len(places) == 1:
        assert put(text, TextEdit(old, new)) == text.replace(old, new)
    else:
        assert refused(text, TextEdit(old, new))[0] == ("edit.not_unique" if places else "edit.not_found")


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=8),
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3),
    st.booleans(),
)
def test_whole_lines_are_taken_as_lists_of_lines_are(there: list[str], old: list[str], is_open: bool) -> None:
    places = [at for at in range(len(there)) if there[at : at + len(old)] == old]
    text = "".join(f"{line}\n" for line in there)
    text = text[:-1] if is_open and text else text
    edit = lines("".join(f"{line}\n" for line in old), "new\n")
    if len(places) != 1:
        assert refused(text, edit)[0] == ("edit.not_unique" if places else "edit.not_found")
        return
    changed = [*there[: places[0]], "new", *there[places[0] + len(old) :]]
    expected = "".join(f"{line}\n" for line in changed)
    assert put(text, edit) == (expected[:-1] if is_open else expected)


@given(TEXT, TEXT)
def test_the_nearest_place_is_a_line_of_the_file_or_its_end(text: str, old: str) -> None:
    found = nearest(LineIndex(text), old)
    if found is not None:
        line, _expected, actual = found
        assert line >= 1 and (actual is None or text.split("\n")[line - 1] == actual)


def test_lines_go_behind_the_line_that_is_named() -> None:
    edit = TextEdit("", "new\n", whole_lines=True, at_line=1)
    assert put("a\nb\n", edit) == "a\nnew\nb\n"
    assert put("a\nb\n", replace(edit, at_line=0)) == "new\na\nb\n"
    assert put("a\nb\n", replace(edit, at_line=2)) == "a\nb\nnew\n"
    assert put("", replace(edit, at_line=0)) == "new\n"


def test_lines_behind_a_last_line_without_an_end_leave_the_file_without_one() -> None:
    edit = TextEdit("", "new\n", whole_lines=True, at_line=2)
    assert put("a\nb", edit) == "a\nb\nnew"
    assert put("a\r\nb", replace(edit, new="new\r\n"), line_end="\r\n") == "a\r\nb\r\nnew"


def test_lines_are_counted_as_the_edits_before_left_them() -> None:
    edit = TextEdit("", "new\n", whole_lines=True, at_line=3)
    assert put("a\nb\n", TextEdit("a", "a\nx"), edit) == "a\nx\nb\nnew\n"


@pytest.mark.parametrize(("text", "behind", "has"), [("a\nb\n", 3, 2), ("", 1, 0), ("a\n", -1, 1)])
def test_a_line_that_is_not_there_is_refused(text: str, behind: int, has: int) -> None:
    code, message, _hint = refused(text, TextEdit("", "x\n", whole_lines=True, at_line=behind))
    assert code == "edit.no_line"
    assert message == f"Edit 1 of a.py: it is after line {behind}, but the file has {has} lines."
