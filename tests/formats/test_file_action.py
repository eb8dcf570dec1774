"""Blocks that create or append: read as they were printed, or refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Operation
from studio.engine.policy import PolicyLimits
from studio.errors import Refused
from studio.formats import detect
from studio.formats.file_action import NAME
from studio.names import normalized

MARKERS = re.compile(r"^===(END_)?FILE_ACTION===", re.MULTILINE)
PATHS = st.text("abc/._-é\\\"' 漢", min_size=1, max_size=12).filter(lambda path: path == path.strip())
PARTS = st.sampled_from(
    ["---", "\n", "|---|", "a", " ===FILE_ACTION===", "```", "é", "\r", "\u2028", "type: x"]
)
CONTENTS = st.lists(PARTS, min_size=1).map("".join).filter(lambda text: not MARKERS.search(text))
KINDS = st.sampled_from(["create", "append"])
TOKENS = st.sampled_from(
    """===FILE_ACTION===|===END_FILE_ACTION===|=== FILE_ACTION ===|type: create|path: a|---|
|
|
| |x|\r|```|===|DEV_SWITCH: true|\0""".split("|")
)
WORDS = st.sampled_from(["", "Here it is:\n", "| a |\n|---|\n", "---\n", "Done."])


def printed(kind: str, path: str, content: str) -> str:
    return f"===FILE_ACTION===\ntype: {kind}\npath: {path}\n---\n{content}\n===END_FILE_ACTION===\n"


@given(
    st.lists(st.tuples(KINDS, PATHS, CONTENTS, WORDS), min_size=1, unique_by=lambda one: normalized(one[1]))
)
def test_what_is_printed_is_read_back(blocks: list[tuple[str, str, str, str]]) -> None:
    text = "".join(f"{words}\n{printed(kind, path, content)}" for kind, path, content, words in blocks)
    draft = detect.read(text.encode(), NAME)
    assert draft.problems == ()
    before = {"create": b"", "append": b"\n\n"}
    assert [(step.op.value, step.path, step.content) for step in draft.steps] == [
        (kind, normalized(path), before[kind] + content.encode() if content else b"")
        for kind, path, content, _ in blocks
    ]


@given(st.lists(TOKENS))
def test_any_words_of_the_grammar_are_read_or_refused(words: list[str]) -> None:
    draft = detect.read("".join(words).encode() or b"x", NAME)
    assert bool(draft.steps) != bool(draft.problems)
    assert all(problem.message.endswith(".") and problem.hint.endswith(".") for problem in draft.problems)


SAMPLE = (
    f"Two files.\n\n{printed('create', 'a.md', '# Ä')}\nand\n\n{printed('append', 'b.md', '- b')}".encode()
)


def test_cut_anywhere_no_half_block_is_a_step() -> None:
    """What is cut between two blocks is a whole reply to anybody who reads it."""
    whole = detect.read(SAMPLE).steps
    behind_first = SAMPLE.index(b"\nand")
    assert len(whole) == 2
    for end in range(1, len(SAMPLE) - 1):
        draft = detect.read(SAMPLE[:end], NAME)
        if behind_first - 1 <= end <= SAMPLE.rindex(b"===FILE") + 3:
            assert draft.steps == whole[:1], end
        else:
            assert draft.steps == () and draft.problems, end


def test_any_cut_through_the_text_is_refused_at_its_line() -> None:
    (problem,) = detect.read(SAMPLE[:-10]).problems
    assert (problem.code, problem.line) == ("action.cut_off", 12)


def test_what_is_no_text_is_told_with_its_step() -> None:
    (step,) = detect.read(printed("create", "a.md", "x\0y").encode()).steps
    assert step.content == b"x\0y", "the engine says what a text may hold"
    (problem,) = detect.read(printed("create", "a.md", "x").encode() + b"\xff", NAME).problems
    assert (problem.code, problem.line) == ("reply.not_utf8", 7)


def test_too_many_blocks_are_refused_and_those_of_one_path_are_one_step() -> None:
    with pytest.raises(Refused, match="1,001 steps; the limit is 1,000"):
        detect.read("".join(printed("create", f"{number}.md", "x") for number in range(10_000)).encode())
    many = "".join(printed("append", "a.md", "x") for _ in range(3))
    (step,) = detect.read(many.encode(), limits=PolicyLimits(steps=1)).steps
    assert (step.op, step.content) == (Operation.APPEND, b"\n\nx" * 3)


def test_a_thousand_faults_are_told_and_the_others_counted() -> None:
    problems = detect.read(b"===END_FILE_ACTION===\n" * 5000).problems
    assert len(problems) == 1001
    assert problems[-1].count == 4000


def test_one_long_line_is_looked_at_once() -> None:
    """Each of these is quadratic where a line is looked for again at each sign."""
    for text in ("===FILE_ACTION===" * 200_000, "=" * 5_000_000, " " * 5_000_000 + "===FILE_ACTION==="):
        assert detect.read(text.encode(), NAME).steps == ()


def test_without_a_block_the_grammar_is_told() -> None:
    (problem,) = detect.read(b"Nothing to see.", NAME).problems
    assert problem.code == "action.no_block"
    assert "===FILE_ACTION===" in problem.hint
