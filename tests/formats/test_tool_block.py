"""Calls of a file tool in a text: each that changes files is a step, or the text is refused."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Operation
from studio.errors import Refused
from studio.extras import tools
from studio.formats import detect
from studio.formats.tool_block import NAME
from studio.names import normalized

PATHS = st.text("abc/._é 漢", min_size=1, max_size=12).filter(lambda path: not path.startswith("./"))
CONTENTS = st.text(st.sampled_from('ab"\\\n\r\t{}é漢\u2028\0'), max_size=30)
CALLS = st.sampled_from(
    ["write_file", "file_write", "append_file", "delete_file", "create_directory", "copy_file"]
)
TOKENS = st.sampled_from(
    """{{invoke_tool: |write_file|read_file|
|
|  file_path: |"a"|"|\\|}}|content: |{{x}}|true|1| |\r|\0|\\ud800""".split("|")
)
WORDS = st.sampled_from(["", "Here it is:", "| a |", "---", "`{{invoke_tool: x}}`"])
OPERATIONS = {
    "write_file": Operation.CREATE,
    "file_write": Operation.CREATE,
    "append_file": Operation.APPEND,
    "delete_file": Operation.DELETE,
    "create_directory": Operation.MKDIR,
    "copy_file": Operation.COPY,
}


def quoted(text: str, *, raw: bool = False) -> str:
    """A text in quotes; with `raw` its lines end where they end. Braces that begin a variable are escaped."""
    said = json.dumps(text, ensure_ascii=not raw).replace("{{", "\\u007b\\u007b")
    return re.sub(r"(?<!\\)((?:\\\\)*)\\n", r"\1\n", said) if raw else said


def printed(tool: str, path: str, content: str = "", *, raw: bool = False) -> str:
    lines = [f"{{{{invoke_tool: {tool}"]
    if tool == "copy_file":
        lines += [f"  source_path: {quoted(content)}", f"  destination_path: {quoted(path)}"]
    else:
        key = "directory_path" if tool == "create_directory" else "file_path"
        lines.append(f"  {key}: {quoted(path)}")
        if OPERATIONS[tool] in (Operation.CREATE, Operation.APPEND):
            lines.append(f"  content: {quoted(content, raw=raw)}")
    return "\n".join([*lines, "}}", ""])


@given(st.lists(st.sampled_from(["", "a", '"', "}}", "  }}", 'a = "', "  overwrite: true"]), max_size=8))
def test_text_with_quotes_that_are_not_escaped_is_whole_or_refused(lines: list[str]) -> None:
    content = "\n".join(lines)
    text = f'{{{{invoke_tool: write_file\n  file_path: "a.txt"\n  content: "{content}"\n}}}}\n'
    draft = detect.read(text.encode(), NAME)
    assert draft.problems or [step.content for step in draft.steps] == [content.encode()]


@given(
    st.lists(
        st.tuples(CALLS, PATHS, CONTENTS, st.booleans(), WORDS),
        min_size=1,
        unique_by=lambda one: normalized(one[1]),
    )
)
def test_what_is_printed_is_read_back(calls: list[tuple[str, str, str, bool, str]]) -> None:
    text = "".join(
        f"{words}\n{printed(tool, path, 'from' if tool == 'copy_file' else content, raw=raw)}"
        for tool, path, content, raw, words in calls
    )
    draft = detect.read(text.encode(), NAME)
    assert draft.problems == ()
    assert [(step.op, step.to or step.path, step.content) for step in draft.steps] == [
        (
            OPERATIONS[tool],
            normalized(path),
            content.encode() if tool.endswith(("write", "_file")) and has_text(tool) else None,
        )
        for tool, path, content, _, _ in calls
    ]
    assert not any(step.problems for step in draft.steps)


def has_text(tool: str) -> bool:
    return OPERATIONS[tool] in (Operation.CREATE, Operation.APPEND)


@given(st.lists(TOKENS))
def test_any_words_of_the_grammar_are_read_or_refused(words: list[str]) -> None:
    draft = detect.read("".join(words).encode() or b"x", NAME)
    assert bool(draft.steps) != bool(draft.problems)
    assert all(problem.message.endswith(".") and problem.hint.endswith(".") for problem in draft.problems)


SAMPLE = f"Two.\n\n{printed('write_file', 'a.md', '# Ä')}\nand\n\n{printed('delete_file', 'b.md')}".encode()


def test_cut_anywhere_no_half_block_is_a_step() -> None:
    whole = detect.read(SAMPLE).steps
    assert len(whole) == 2
    ends_first, begins_second = SAMPLE.index(b"}}\n\nand") + 2, SAMPLE.rindex(b"{{invoke_tool:")
    for end in range(1, len(SAMPLE) - 1):
        draft = detect.read(SAMPLE[:end], NAME)
        # Where no more than a part of the first word stands, nobody can tell.
        if ends_first <= end < begins_second + len("{{invoke_tool:"):
            assert draft.steps == whole[:1], end
        else:
            assert draft.steps == () and draft.problems, end


def test_too_many_blocks_are_refused() -> None:
    with pytest.raises(Refused, match="1,001 steps; the limit is 1,000"):
        detect.read("".join(printed("delete_file", f"{number}") for number in range(10_000)).encode())


@pytest.mark.parametrize(
    "block",
    [
        "{{invoke_tool: write_file\n",
        '{{invoke_tool: write_file\n x: "\\q"\n}}\n',
        '{{invoke_tool: write_file\n x: "\n',
        " {{invoke_tool:",
    ],
)
def test_many_wrong_blocks_are_refused_in_one_look(block: str) -> None:
    problems = detect.read(block.encode() * 5_000, NAME).problems
    assert len(problems) == 1 + 1000 * (not block.startswith(" "))


def test_a_number_of_any_length_is_only_stepped_over() -> None:
    text = "{{invoke_tool: read_file\n  max_lines: " + "9" * 100_000 + "\n}}\n"
    assert [problem.code for problem in detect.read(text.encode()).problems] == ["tool.only_reads"]


def test_without_a_block_the_grammar_is_told() -> None:
    (problem,) = detect.read(b"Nothing to see.", NAME).problems
    assert problem.code == "tool.no_block"
    assert "{{invoke_tool: NAME" in problem.hint


@pytest.mark.parametrize(
    "operation", [one for one in tools.OPERATIONS if one.name != "bulk_operations"], ids=lambda one: one.name
)
def test_every_operation_of_the_tool_can_be_written_as_a_block(operation: tools.Operation) -> None:
    """What a model is told of the tool's operations holds for the blocks, too."""
    lines = [f"{{{{invoke_tool: {operation.name}"]
    for parameter in operation.parameters:
        default = parameter.default
        value = quoted("utf-8" if parameter.name == "encoding" else f"{parameter.name}.txt")
        if parameter.kind is not tools.Kind.STRING:
            value = json.dumps(default if isinstance(default, int) else True)
        lines.append(f"  {parameter.name}: {value}")
    draft = detect.read("\n".join([*lines, "}}", ""]).encode(), NAME)
    if operation.changes:
        assert draft.problems == () and len(draft.steps) == 1, draft
    else:
        assert [problem.code for problem in draft.problems] == ["tool.only_reads"]


def test_an_older_name_of_a_parameter_is_that_parameter() -> None:
    block = "{{invoke_tool: delete_file\n%s}}\n"
    assert [step.path for step in detect.read((block % '  file_path: "a.txt"\n').encode()).steps] == ["a.txt"]
    both = detect.read((block % '  file_path: "a.txt"\n  path: "b.txt"\n').encode())
    assert [(problem.code, problem.line) for problem in both.problems] == [("tool.twice", 2)]
