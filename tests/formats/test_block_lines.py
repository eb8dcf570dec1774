"""Blocks with line numbers, as Roo Code and Kilo Code write them, change the lines at those numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import DoesNotMatch
from studio.engine.draft import DraftStep
from studio.engine.plan import Operation
from studio.engine.propose.text_edits import apply_text_edits
from studio.formats import detect

MARKS = ("<<<<<<<", "=======", ">>>>>>>", "-------", ":start_line:", ":end_line:")
LINES = st.sampled_from(
    ["", "x", "    x", "}", "=======", "-------", ":start_line:3", "<<<<<<< SEARCH", ">>>>>>> REPLACE", "ü"]
)


def escaped(lines: Sequence[str]) -> str:
    return "".join(f"\\{line}\n" if line.startswith(MARKS) else f"{line}\n" for line in lines)


def block(line: int | None, old: Sequence[str], new: Sequence[str], *, dashes: str = "-------\n") -> str:
    head = f":start_line:{line}\n{dashes}" if line is not None else ""
    return f"<<<<<<< SEARCH\n{head}{escaped(old)}=======\n{escaped(new)}>>>>>>> REPLACE\n"


def steps_of(given: dict[str, Any], tool: str = "apply_diff") -> tuple[DraftStep, ...]:
    draft = detect.read(json.dumps({"tool_name": tool, "tool_input": given}).encode())
    assert draft.problems == ()
    return draft.steps


def applied(text: str, step: DraftStep) -> str:
    assert (step.problems, step.op) == ((), Operation.MODIFY)
    return apply_text_edits(text, step.edits, "a").text


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, list[str], list[str]]], list[str]]:
    """A file's lines, blocks of it at their 1-based lines, and the lines after them."""
    kept = [draw(st.lists(LINES, max_size=4))]
    before, after = list(kept[0]), list(kept[0])
    blocks: list[tuple[int, list[str], list[str]]] = []
    for _ in range(draw(st.integers(1, 4))):
        old, new = draw(st.lists(LINES, min_size=1, max_size=3)), draw(st.lists(LINES, max_size=3))
        between = draw(st.lists(LINES, max_size=4))
        blocks.append((len(before) + 1, old, new))
        before += [*old, *between]
        after += [*new, *between]
    return before, blocks, after


@given(changes(), st.randoms(use_true_random=False), st.sampled_from(["", "-------\n"]))
def test_numbered_blocks_change_the_lines_at_their_numbers(
    made: tuple[list[str], list[tuple[int, list[str], list[str]]], list[str]], random: Any, dashes: str
) -> None:
    before, blocks, after = made
    random.shuffle(blocks)
    diff = "\n".join(block(line, old, new, dashes=dashes) for line, old, new in blocks)
    text, wanted = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    (step,) = steps_of({"path": "a", "diff": diff})
    assert applied(text, step) == wanted
    files = [
        {"path": "a", "diffs": [{"content": block(None, o, n), "start_line": at} for at, o, n in blocks]}
    ]
    (step,) = steps_of({"files": files})
    assert applied(text, step) == wanted
    reply = f"a\n```\n{diff}```\n"
    if dashes:
        (step,) = detect.read(reply.encode(), "search-replace").steps
        assert applied(text, step) == wanted


@given(st.text())
def test_any_diff_of_a_call_is_read_or_refused(diff: str) -> None:
    for text in (diff, f"<<<<<<< SEARCH\n:start_line:{diff}", f"<<<<<<< SEARCH\n{diff}\n=======\n{diff}"):
        for said in ({"path": "a", "diff": text}, {"args": f"<file><path>a</path><diff>{text}"}):
            data = json.dumps({"tool_name": "apply_diff", "tool_input": said}).encode()
            draft = detect.read(data)
            assert draft.problems or draft.steps


TWICE = "def f():\n    return 1\n\ndef g():\n    return 1\n"


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (":start_line:2\n-------\n", TWICE.replace("1", "2", 1)),
        (":start_line:5\n-------\n", "2".join(TWICE.rsplit("1", 1))),
        (":start_line: 5 \n:end_line:5\n-------\n", "2".join(TWICE.rsplit("1", 1))),
        (":start_line:5\n", "2".join(TWICE.rsplit("1", 1))),
        (":start_line:1\n-------\n", "not at line 1."),
        (":start_line:99\n-------\n", "not at line 99."),
        ("-------\n", "is in the file 2 times, at lines 2, 5."),
        (":start_line:0\n-------\n", "is in the file 2 times, at lines 2, 5."),
    ],
)
def test_the_number_tells_equal_places_apart_and_must_hold_the_lines(head: str, wanted: str) -> None:
    diff = f"<<<<<<< SEARCH\n{head}    return 1\n=======\n    return 2\n>>>>>>> REPLACE"
    (step,) = steps_of({"path": "a.py", "diff": diff})
    try:
        assert applied(TWICE, step) == wanted
    except DoesNotMatch as error:
        assert wanted in error.problems[0].message


def test_numbers_of_a_later_call_count_in_what_the_earlier_one_left() -> None:
    calls = [
        {"path": "a", "diff": block(2, ["    return 1"], ["    x = 1", "    return x"])},
        {"path": "a", "diff": block(6, ["    return 1"], ["    return 2"])},
    ]
    said = [{"tool_name": "apply_diff", "tool_input": call} for call in calls]
    (step,) = detect.read(json.dumps(said).encode()).steps
    wanted = "def f():\n    x = 1\n    return x\n\ndef g():\n    return 2\n"
    assert applied(TWICE, step) == wanted


def test_files_of_a_call_as_xml_are_those_of_its_list() -> None:
    xml = (
        "<args>\n<file>\n  <path>a.py</path>\n  <diff>\n    <content>\n```\n"
        + block(None, ["</content> & x"], ["y"])
        + "```\n    </content>\n    <start_line>3</start_line>\n  </diff>\n  <diff><content>"
        + block(9, ["p"], ["q"])
        + "</content></diff>\n</file>\n<file><path>b.py</path><diff><content>"
        + block(None, ["x"], [])
        + "</content><start_line></start_line></diff></file>\n</args>\n"
    )
    first, second = steps_of({"args": xml})
    assert [(edit.old, edit.new, edit.on_line) for edit in first.edits] == [
        ("</content> & x\n", "y\n", 3),
        ("p\n", "q\n", 9),
    ]
    assert (second.path, [(edit.old, edit.new, edit.on_line) for edit in second.edits]) == (
        "b.py",
        [("x\n", "", None)],
    )
    for broken in (xml[:-20], xml.replace("<path>b.py</path>", ""), xml + "<file>", "no files"):
        (step,) = steps_of({"args": broken})
        assert [problem.code for problem in step.problems] == ["calls.value"]


@pytest.mark.parametrize(
    ("diff", "code"),
    [
        (block(3, [], ["x"]), "search_replace.no_old_lines"),
        (block(3, ["x"], ["y"])[:-9], "search_replace.cut_off"),
        ("<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", "search_replace.divider"),
        ("<<<<<<< SEARCH\nx\n=======\ny\n=======\n>>>>>>> REPLACE\n", "search_replace.ambiguous"),
        ("x", "search_replace.none"),
        (block(1, ["x"], ["y"]) + ">>>>>>> REPLACE\n", "search_replace.outside"),
    ],
)
def test_blocks_that_say_nothing_clear_are_one_refused_step(diff: str, code: str) -> None:
    (step,) = steps_of({"path": "a", "diff": diff})
    assert (step.path, [problem.code for problem in step.problems]) == ("a", [code])
    assert step.problems[0].line == 1


def test_a_block_of_another_tool_may_begin_with_dashes() -> None:
    """A line below a heading is text, where no number is before it."""
    (step,) = steps_of(
        {"path": "a", "diff": "------- SEARCH\n-------\n\\=======\n=======\nx\n+++++++ REPLACE\n"},
        "replace_in_file",
    )
    assert [(edit.old, edit.new) for edit in step.edits] == [("-------\n\\=======\n", "x\n")]


@pytest.mark.parametrize("tool", ["apply_diff", "insert_content", "search_and_replace"])
def test_a_tool_without_blocks_beside_them_is_refused(tool: str) -> None:
    text = f"a\n{block(1, ['x'], ['y'])}\n<{tool}>\n<path>b</path>\n<line>1</line>\n</{tool}>\n"
    (problem,) = detect.read(text.encode()).problems
    assert (problem.code, f"<{tool}>" in problem.message) == ("search_replace.tool", True)


def test_roo_s_tool_in_a_reply_names_the_file() -> None:
    text = "I change it.\n\n<apply_diff>\n<path>src/a.py</path>\n<diff>\n"
    text += block(4, ["x"], ["y"]) + "</diff>\n</apply_diff>\n"
    draft = detect.read(text.encode())
    assert (draft.format, draft.problems, draft.message) == ("search-replace", (), "I change it.")
    assert [(step.path, step.edits[0].on_line) for step in draft.steps] == [("src/a.py", 4)]
