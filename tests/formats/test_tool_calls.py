"""Calls of edit tools, as agents log them, are read to the changes that the tools make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.draft import DraftStep, PlanDraft, TextEdit
from studio.engine.errors import Refused
from studio.engine.plan import Operation
from studio.formats import detect, tool_calls
from studio.formats.reply_text import ReplyText

REPLIES = Path(__file__).parent / "replies/tool-calls"


def read(value: Any) -> PlanDraft:
    return detect.read(json.dumps(value).encode())


def as_hook(tool: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"tool_name": tool, "tool_input": said}


def as_use(tool: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "name": tool, "input": said}


def as_function(tool: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": tool, "arguments": json.dumps(said)}}


def as_part(tool: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"functionCall": {"name": tool, "args": said}}


def as_state(tool: str, said: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool", "tool": tool, "state": {"status": "completed", "input": said}}


SHAPES = st.sampled_from([as_hook, as_use, as_function, as_part, as_state])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@st.composite
def changes(draw: st.DrawFn) -> tuple[DraftStep, tuple[str, dict[str, Any]]]:
    """A step, and the tool with the input that says it; its path is put in later."""
    kind = draw(st.sampled_from(["write", "edit", "create", "insert"]))
    old, new = draw(TEXTS.filter(bool)), draw(TEXTS)
    if kind == "write":
        tool = draw(st.sampled_from(["Write", "write", "write_file"]))
        return DraftStep(Operation.CREATE, "", content=new.encode(), may_exist=True), (tool, {"content": new})
    if kind == "create":
        return DraftStep(Operation.CREATE, "", content=new.encode()), (
            "Edit",
            {"old_string": "", "new_string": new},
        )
    if kind == "insert":
        edit = TextEdit("", new + "\n", whole_lines=True, at_line=draw(st.integers(0, 9)))
        said = {"command": "insert", "insert_line": edit.at_line, "insert_text": new + "\n"}
        return DraftStep(Operation.MODIFY, "", edits=(edit,)), ("str_replace_based_edit_tool", said)
    every = draw(st.booleans())
    tool, names = draw(
        st.sampled_from(
            [
                ("Edit", ("old_string", "new_string", "replace_all")),
                ("edit", ("oldString", "newString", "replaceAll")),
                ("replace", ("old_string", "new_string", "allow_multiple")),
            ]
        )
    )
    step = DraftStep(Operation.MODIFY, "", edits=(TextEdit(old, new, every=every),))
    return step, (tool, dict(zip(names, (old, new, every), strict=True)))


@given(st.lists(st.tuples(changes(), SHAPES), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_what_is_written_as_calls_is_read_back(
    made: list[tuple[tuple[DraftStep, tuple[str, dict[str, Any]]], Any]], in_lines: bool, has_folder: bool
) -> None:
    calls: list[dict[str, Any]] = []
    for number, ((_step, (tool, said)), shape) in enumerate(made):
        folder = "/w/project/" if has_folder else ""
        key = "filePath" if tool in ("write", "edit") else "path" if "command" in said else "file_path"
        call = shape(tool, {key: f"{folder}f{number}", **said})
        calls.append({"cwd": "/w/project", **call} if has_folder else call)
    text = "\n".join(map(json.dumps, calls)) if in_lines else json.dumps(calls, indent=1)
    draft = detect.read(text.encode())
    assert (draft.format, draft.problems) == ("tool-calls", ())
    for number, (((step, _), _), found) in enumerate(zip(made, draft.steps, strict=True)):
        assert (found.path, found.problems, found.op) == (f"f{number}", (), step.op)
        assert (found.content, found.may_exist) == (step.content, step.may_exist)
        places = [(one.old, one.new, one.every, one.at_line) for one in found.edits]
        assert places == [(one.old, one.new, one.every, one.at_line) for one in step.edits]


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for text in (data, b'{"tool_name": "Write", "tool_input": ' + data, b"[" + data + b"]"):
        detect.read(text, "tool-calls")


KEYS = "file_path path content command old_string new_str edits insert_line edit_mode cell_type".split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS) | st.text(max_size=3),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)
TOOLS = "Write Edit MultiEdit NotebookEdit str_replace_based_edit_tool editor apply_patch Bash".split()


@given(st.sampled_from(TOOLS), JSON, SHAPES)
def test_any_call_is_read_or_refused(tool: str, said: Any, shape: Any) -> None:
    draft = read(shape(tool, said))
    assert draft.problems or draft.steps


@pytest.mark.parametrize("name", ["array-of-uses", "claude-hook-write", "text-editor-tool"])
def test_calls_that_are_cut_off_are_never_taken_for_whole(name: str) -> None:
    data = (REPLIES / f"{name}.txt").read_bytes().rstrip()
    for end in range(1, len(data)):
        draft = detect.read(data[:end], "tool-calls")
        assert draft.problems and not draft.steps, data[:end]


def test_calls_on_lines_of_their_own_that_are_cut_in_a_line_are_refused() -> None:
    data = (REPLIES / "parallel-writes-one-a-line.txt").read_bytes().rstrip()
    for end in range(1, len(data)):
        draft = detect.read(data[:end], "tool-calls")
        is_at_line_end = data[end : end + 1] == b"\n" or data[end - 1 : end] == b"\n"
        assert bool(draft.problems) is not is_at_line_end


@pytest.mark.parametrize("joint", [",", "\n"])
def test_far_too_many_calls_are_refused_before_they_are_read(joint: str) -> None:
    call = '{"tool_name":"Write","tool_input":{"file_path":"f%d","content":"x"}}'
    text = joint.join(call % number for number in range(100_000))
    with pytest.raises(Refused) as caught:
        detect.read((f"[{text}]" if joint == "," else text).encode())
    assert caught.value.code == "plan.too_many_steps"


def test_calls_that_only_read_do_not_count_as_steps() -> None:
    calls = [as_hook("Read", {"file_path": f"f{number}"}) for number in range(2000)]
    draft = read([*calls, as_hook("Write", {"file_path": "a", "content": ""})])
    assert [step.path for step in draft.steps] == ["a"]
    assert draft.message == "2000 calls edit no file and were left out: Read (2000)."


def test_a_plan_stays_a_plan() -> None:
    plan = {"title": "T", "steps": [{"op": "delete", "path": "a"}]}
    assert read(plan).format == "plan"
    assert read({**plan, "tool_name": "Write"}).format == "plan"
    steps = as_hook("TodoWrite", {"steps": []})
    assert read([steps, as_hook("Write", {"file_path": "a", "content": ""})]).format == "tool-calls"


def test_a_path_that_climbs_is_left_to_the_engine() -> None:
    draft = read(as_hook("Write", {"file_path": "../../etc/passwd", "content": ""}))
    assert [(step.path, step.problems) for step in draft.steps] == [("../../etc/passwd", ())]


def test_a_patch_in_a_call_goes_to_its_own_format() -> None:
    """The text alone is handed on; what it says stands in the call's line and below its folder."""
    taken: list[str] = []

    def read_patch(text: str) -> PlanDraft:
        taken.append(text)
        return PlanDraft("apply-patch", (DraftStep(Operation.DELETE, "/w/a", line=2),))

    call = {"cwd": "/w", "type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n…\n"}
    draft = tool_calls.read(ReplyText("\n\n" + json.dumps([call, call])), read_patch=read_patch)
    assert taken == ["*** Begin Patch\n…\n"] * 2
    assert {(step.op, step.path, step.line) for step in draft.steps} == {(Operation.DELETE, "a", 3)}
