"""SEARCH/REPLACE blocks as drafts: what is printed is read back, and half a block is none."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from studio.engine.plan import Operation
from studio.engine.policy import PolicyLimits
from studio.errors import Refused
from studio.formats import detect
from studio.names import normalized

REPLIES = Path(__file__).parent / "replies" / "search-replace"
MARK = re.compile(r" *[<>=+\-]{5,9}")
LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12)
LINES = st.lists(LINE.filter(lambda line: not MARK.match(line)), max_size=5)
PATH = st.text(st.characters(exclude_characters="`\r\n", exclude_categories=["Cs"]), min_size=1, max_size=9)
STYLE = st.sampled_from(["plain", "fence", "inside", "cline"])


def printed(path: str, old: str, new: str, style: str) -> str:
    if style == "cline":
        block = f"------- SEARCH\n{old}=======\n{new}+++++++ REPLACE\n"
        return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{block}</diff>\n</replace_in_file>\n"
    block = f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    if style == "inside":
        return f"```\n`{path}`\n{block}```\n"
    return (
        f"`{path}`\n```python\n{block}```\n"
        if style == "fence"
        else f"**`{path}`:**\n{block}".replace(":**", "**:")
    )


CHANGES = st.dictionaries(PATH.filter(str.strip), st.tuples(LINES, LINES, STYLE), min_size=1, max_size=4)


@example({"./a": ([], ["x"], "plain")})
@given(CHANGES.filter(lambda changes: len(set(map(normalized, changes))) == len(changes)))
def test_what_is_printed_is_read_back(changes: dict[str, tuple[list[str], list[str], str]]) -> None:
    text = ""
    expected: list[tuple[Operation, str, str, str]] = []
    for path, (old_lines, new_lines, style) in changes.items():
        old, new = ("".join(f"{line}\n" for line in lines) for lines in (old_lines, new_lines))
        text += printed(path, old, new, style) + "\n"
        expected.append((Operation.MODIFY if old else Operation.CREATE, normalized(path), old, new))
    draft = detect.read(text.encode(), "search-replace")
    assert draft.problems == ()
    said: list[tuple[Operation, str, str, str]] = []
    for step in draft.steps:
        assert step.problems == ()
        if step.content is not None:
            said.append((step.op, step.path, "", step.content.decode()))
        for edit in step.edits:
            assert edit.whole_lines
            said.append((step.op, step.path, edit.old, edit.new))
    assert said == expected
    assert draft.message == ""


PARTS = [
    "<<<<<<< SEARCH\n",
    "<<<<< SEARCH\n",
    "  <<<<<<< SEARCH\n",
    "------- SEARCH\n",
    "=======\n",
    "=====\n",
    ">>>>>>> REPLACE\n",
    ">>>>> REPLACE\n",
    "+++++++ REPLACE",
    "  >>>>>>> REPLACE\n",
    "```\n",
    "```a.py\n",
    "~~~~\n",
    "a.py\n",
    "`b c`:\n",
    "File: a.py\n",
    "\n",
    "\r\n",
    "  x\n",
    " y\n",
    "<replace_in_file>\n",
    "<path>a</path>\n",
    "<diff>\n",
    "</diff>\n",
    "</replace_in_file>\n",
    "<write_to_file>\n",
    "\x00\n",
]


@given(st.lists(st.sampled_from(PARTS), max_size=16).map("".join))
def test_any_lines_are_read_without_an_exception(text: str) -> None:
    for wanted in ("search-replace", detect.AUTO):
        draft = detect.read(text.encode(), wanted)
        assert bool(draft.problems) != bool(draft.steps)
        assert all(problem.line for problem in draft.problems if problem.code.startswith("search_replace."))


@pytest.mark.parametrize(
    ("name", "whole"),
    [("02-new-file", [b">>>>>>> REPLACE\n```"]), ("21-cline-with-its-tool", [b"</replace_in_file>"])],
)
def test_a_block_that_is_cut_off_is_none(name: str, whole: list[bytes]) -> None:
    """Between two blocks with a whole fence nothing tells that there were more."""
    data = (REPLIES / f"{name}.txt").read_bytes()
    (end,) = whole
    starts = [found.start() for found in re.finditer(rb"<<<<<<< SEARCH|<replace_in_file>", data)]
    blocks = list(zip(starts, (found.end() for found in re.finditer(re.escape(end), data)), strict=True))
    for cut in range(len(data)):
        is_inside = any(start + len(b"<<<<<<< SEARCH") <= cut < behind for start, behind in blocks)
        draft = detect.read(data[:cut])
        if is_inside or cut < blocks[0][0]:
            assert not draft.steps, cut
    assert len(detect.read(data[: blocks[-1][1]]).steps) == len(blocks)


def test_what_is_too_much_is_refused_at_once() -> None:
    began = time.process_time()
    blocks = [f"f{number}\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n" for number in range(10_000)]
    with pytest.raises(Refused, match="steps"):
        detect.read("".join(blocks).encode(), "search-replace")
    with pytest.raises(Refused, match="hunks"):
        detect.read("".join(blocks[:1]).encode() * 1001, limits=PolicyLimits(hunks=1000))
    (step,) = detect.read("".join(blocks[:1]).encode() * 1001).steps
    assert [problem.code for problem in step.problems] == ["path.twice"]
    for text in ("<<<<<<< SEARCH\n" * 100_000, ">>>>>>> REPLACE\n" * 100_000, "=======\n" * 100_000):
        assert detect.read(text.encode(), "search-replace").problems
    indents = (" " * (number % 50) for number in range(20_000))
    odd = "".join(f"{indent}<<<<<<< SEARCH\n=======\n>>>>> REPLACE\n" for indent in indents)
    assert detect.read(odd.encode(), "search-replace").problems
    assert time.process_time() - began < 10


def test_a_text_without_a_block_says_how_one_begins() -> None:
    (problem,) = detect.read(b"Change a.py, please.\n", "search-replace").problems
    assert (problem.code, problem.line) == ("search_replace.none", 1)
