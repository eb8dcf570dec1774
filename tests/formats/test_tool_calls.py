"""Calls of edit tools, as agents log them, are read to the changes that the tools make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from studio.engine.draft import CellChange, CellEdit, DraftStep, PlanDraft, TextEdit
from studio.engine.plan import Operation, Severity
from studio.errors import Refused
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
    assert draft.message == ""
    assert [remark.message for remark in draft.remarks] == [
        "2000 calls edit no file and were excluded: Read (2000)."
    ]


UNKNOWN_EDITS: list[tuple[str, dict[str, Any], str]] = [
    ("save_text", {"filename": "a.py", "contents": "x\n"}, "a.py"),
    ("edit_file", {"target_file": "a.py", "instructions": "Rename.", "code_edit": "x"}, "a.py"),
    ("edit_file", {"path": "a.py", "mode": "edit", "display_description": "Rename."}, "a.py"),
    ("mcp__filesystem__edit_file", {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}]}, "a.py"),
    ("mcp__filesystem__move_file", {"source": "a.py", "destination": "b.py"}, "a.py"),
    ("edit_existing_file", {"filepath": "a.py", "changes": "# ..."}, "a.py"),
    ("search_and_replace", {"path": "a.py", "operations": [{"search": "x", "replace": "y"}]}, "a.py"),
    ("replaceText", {"pathInProject": "a.py", "oldText": "x", "newText": "y"}, "a.py"),
    ("swap", {"old": "x", "new": "y"}, ""),
    ("vscode_renameSymbol", {"filePath": "a.py", "symbol": "x", "newName": "y"}, "a.py"),
    ("trash", {"file": "a.py", "patch": "@@ -1 +0,0 @@"}, "a.py"),
    ("update", {"text": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n"}, ""),
    ("push", {"files": [{"path": "a.py", "content": "x"}]}, "a.py"),
    (
        "use_mcp_tool",
        {"server_name": "s", "tool_name": "put", "arguments": '{"path": "a.py", "content": "x"}'},
        "a.py",
    ),
    ("use_mcp_tool", {"tool_name": "delete_file", "arguments": '{"path": "a.py"}'}, "a.py"),
    (
        "parallel",
        {
            "tool_uses": [
                {"recipient_name": "functions.edit", "parameters": {"filePath": "a.py", "newString": "x"}}
            ]
        },
        "a.py",
    ),
    ("MultiTool", {"command": "create", "path": "a.py", "file_text": "x"}, "a.py"),
]


@pytest.mark.parametrize(("tool", "said", "path"), UNKNOWN_EDITS)
@pytest.mark.parametrize("shape", [as_hook, as_use, as_function, as_part, as_state])
def test_a_tool_that_is_not_known_and_seems_to_edit_is_refused_by_its_name(
    tool: str, said: dict[str, Any], path: str, shape: Any
) -> None:
    known = as_hook("Write", {"file_path": "known.py", "content": ""})
    draft = read([known, shape(tool, said)])
    assert (draft.problems, draft.remarks) == ((), ())
    taken, refused = draft.steps
    assert (taken.path, taken.problems) == ("known.py", ())
    (problem,) = refused.problems
    assert (refused.path, problem.code, tool in problem.message) == (path, "calls.unknown_tool", True)
    alone = read(shape(tool, said))
    assert [step.problems[0].code for step in alone.steps] == ["calls.unknown_tool"]


def test_arguments_of_a_tool_that_is_not_known_are_judged_where_they_were_cut_off() -> None:
    call = {"name": "save_text", "arguments": '{"path": "a.py", "content": "x'}
    (step,) = read(call).steps
    assert (step.path, step.problems[0].code) == ("a.py", "calls.unknown_tool")


COMMANDS: list[tuple[str, dict[str, Any], str]] = [
    ("Bash", {"command": "rm c.py", "description": "Remove it"}, "rm c.py"),
    ("run_terminal_cmd", {"command": "sed -i s/x/y/ a.py", "is_background": False}, "sed -i s/x/y/ a.py"),
    ("execute_command", {"command": "make", "cwd": "sub"}, "make"),
    ("run_in_terminal", {"command": "make", "explanation": "Build."}, "make"),
    ("shell", {"command": ["bash", "-lc", "rm c.py"], "workdir": "/w"}, "bash -lc rm c.py"),
    ("run_commands", {"commands": ["make", "rm c.py"]}, "make rm c.py"),
    ("use_mcp_tool", {"tool_name": "run_command", "arguments": '{"command": "rm c.py"}'}, "rm c.py"),
    ("mcp__box__run", {"cmd": "touch x"}, "touch x"),
    ("execute_code", {"code": "open('x', 'w')"}, "open('x', 'w')"),
]


@pytest.mark.parametrize(("tool", "said", "words"), COMMANDS)
def test_a_command_of_a_log_is_a_remark_and_no_word_of_the_agent(
    tool: str, said: dict[str, Any], words: str
) -> None:
    draft = read(
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Done."},
                as_use("Write", {"file_path": "a", "content": ""}),
                as_use(tool, said),
            ],
        }
    )
    assert (draft.message, draft.problems, len(draft.steps)) == ("Done.", (), 1)
    (remark,) = draft.remarks
    assert (remark.code, remark.severity) == ("calls.commands", Severity.WARNING)
    assert tool in remark.message and words in remark.message
    (problem,) = read(as_use(tool, said)).problems
    assert problem.code == "calls.no_edit"
    assert "edits a file" not in problem.message and words in problem.message


def test_a_call_of_a_local_shell_has_no_name() -> None:
    item = {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["rm", "a"]}}
    draft = read([{"payload": item}, as_hook("Write", {"file_path": "b", "content": ""})])
    assert ["rm a" in remark.message for remark in draft.remarks] == [True]


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("Read", {"file_path": "a.py", "limit": 3}),
        ("Grep", {"pattern": "x", "path": "src", "output_mode": "content"}),
        ("search_files", {"path": "src", "regex": "x", "include_content": True}),
        ("TodoWrite", {"todos": [{"content": "Edit a.py", "status": "pending"}]}),
        ("list_code_definition_names", {"path": "src"}),
        ("get_edits", {"path": "src"}),
        ("Task", {"description": "Look", "prompt": "Find x in a.py"}),
        ("SlashCommand", {"command": "/review"}),
        ("use_mcp_tool", {"server_name": "s", "tool_name": "search", "arguments": '{"path": "src"}'}),
        ("browser_type", {"xpath": "//input", "text": "x"}),
        ("ask_followup_question", {"question": "Which?", "follow_up": [{"text": "a"}]}),
    ],
)
def test_tools_without_such_arguments_are_counted_as_left_out(tool: str, said: dict[str, Any]) -> None:
    draft = read([as_hook(tool, said), as_hook("Write", {"file_path": "a", "content": ""})])
    assert [step.path for step in draft.steps] == ["a"]
    assert [(remark.code, remark.severity) for remark in draft.remarks] == [("calls.left_out", Severity.NOTE)]


@given(st.text(max_size=8), JSON, SHAPES)
def test_no_edit_is_dropped_whatever_its_tool_is_called(tool: str, said: Any, shape: Any) -> None:
    given = {**(said if isinstance(said, dict) else {}), "file_path": "a", "content": "x"}
    draft = read(shape(f"x{tool}", given))
    assert draft.steps or draft.problems
    assert all(step.problems for step in draft.steps)


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
    """What it says stands in the call's line and below its folder."""
    patch = "*** Begin Patch\n*** Delete File: /w/a\n*** End Patch\n"
    call = {"cwd": "/w", "type": "custom_tool_call", "name": "apply_patch", "input": patch}
    draft = tool_calls.read(ReplyText("\n\n" + json.dumps([call, call])))
    assert {(step.op, step.path, step.line) for step in draft.steps} == {(Operation.DELETE, "a", 3)}


WRITES: list[tuple[str, dict[str, Any], DraftStep]] = [
    (
        "write_to_file",
        {"path": "a", "content": "&amp;\n", "line_count": 1},
        DraftStep(Operation.CREATE, "a", content=b"&amp;\n", may_exist=True),
    ),
    (
        "write_to_file",
        {"absolutePath": "/w/a", "content": "x", "task_progress": "- [x] a"},
        DraftStep(Operation.CREATE, "a", content=b"x", may_exist=True),
    ),
    (
        "replace_in_file",
        {"path": "a", "diff": "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"},
        DraftStep(Operation.MODIFY, "a", edits=(TextEdit("x\n", "y\n", whole_lines=True, line=1),)),
    ),
    (
        "replace_in_file",
        {"path": "a", "diff": "<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE\n"},
        DraftStep(Operation.CREATE, "a", content=b"y\n", over_empty=True),
    ),
    (
        "search_replace",
        {"file_path": "a", "old_string": "x", "new_string": "y"},
        DraftStep(Operation.MODIFY, "a", edits=(TextEdit("x", "y", line=1),)),
    ),
    (
        "Edit",
        {"file_path": "a", "old_string": "", "new_string": "x\n"},
        DraftStep(Operation.CREATE, "a", content=b"x\n", over_empty=True),
    ),
    (
        "replace",
        {"file_path": "a", "instruction": "Fill.", "old_string": "", "new_string": "x\n"},
        DraftStep(Operation.CREATE, "a", content=b"x\n", over_empty=True, reason="Fill."),
    ),
    (
        "MultiEdit",
        {
            "file_path": "a",
            "edits": [{"old_string": "", "new_string": "y\n"}, {"old_string": "y", "new_string": "x"}],
        },
        DraftStep(
            Operation.CREATE, "a", content=b"y\n", edits=(TextEdit("y", "x", line=1),), over_empty=True
        ),
    ),
    (
        "create_file",
        {"filePath": "/w/a", "content": "// filepath: /w/a\nx\n"},
        DraftStep(Operation.CREATE, "a", content=b"x\n", over_empty=True),
    ),
    (
        "create_file",
        {"filePath": "/w/a.css", "content": "/* filepath: /w/b.css */\nx\n"},
        DraftStep(Operation.CREATE, "a.css", content=b"/* filepath: /w/b.css */\nx\n", over_empty=True),
    ),
    ("create_directory", {"dirPath": "/w/a/b/"}, DraftStep(Operation.MKDIR, "a/b")),
    (
        "replace_string_in_file",
        {
            "filePath": "/w/a",
            "oldString": "# filepath: /w/a\nx",
            "newString": "/* filepath: /w/a */\ny",
            "explanation": "Rename.",
        },
        DraftStep(Operation.MODIFY, "a", edits=(TextEdit("x", "y", line=1),), reason="Rename."),
    ),
    (
        "replace_string_in_file",
        {"filePath": "/w/a", "oldString": "", "newString": "y"},
        DraftStep(Operation.CREATE, "a", content=b"y", over_empty=True),
    ),
    (
        "multi_replace_string_in_file",
        {
            "explanation": "Rename.",
            "replacements": [
                {"filePath": "/w/a", "oldString": "x", "newString": "y", "explanation": "There."},
                {"filePath": "/w/a", "oldString": "p", "newString": ""},
            ],
        },
        DraftStep(
            Operation.MODIFY,
            "a",
            edits=(TextEdit("x", "y", line=1), TextEdit("p", "", line=1)),
            reason="There.\nRename.",
        ),
    ),
    (
        "NotebookEdit",
        {"notebook_path": "/w/a.ipynb", "cell_number": 3, "new_source": "x"},
        DraftStep(
            Operation.MODIFY, "a.ipynb", cells=(CellEdit(CellChange.REPLACE, "", "x", line=1, number=3),)
        ),
    ),
    (
        "NotebookEdit",
        {
            "notebook_path": "a.ipynb",
            "cell_number": 0,
            "new_source": "x",
            "cell_type": "code",
            "edit_mode": "insert",
        },
        DraftStep(
            Operation.MODIFY, "a.ipynb", cells=(CellEdit(CellChange.INSERT, "", "x", "code", 1, number=0),)
        ),
    ),
]


@pytest.mark.parametrize(("tool", "said", "step"), WRITES)
@pytest.mark.parametrize("shape", [as_hook, as_function])
def test_a_call_is_the_step_that_its_tool_makes(
    tool: str, said: dict[str, Any], step: DraftStep, shape: Any
) -> None:
    draft = read({"cwd": "/w", **shape(tool, said)})
    assert (draft.problems, draft.remarks, draft.steps) == ((), (), (replace(step, line=1),))


@pytest.mark.parametrize(
    ("tool", "said", "code"),
    [
        ("write_to_file", {"path": "a.md", "content": "```md\nx\n```\n"}, "calls.fence"),
        ("write_to_file", {"path": "a.md", "content": "# T\n```\nx\n```"}, "calls.fence"),
        ("write_to_file", {"path": "a.md"}, "calls.missing_key"),
        ("insert_edit_into_file", {"filePath": "a", "code": "// ...existing code..."}, "calls.sketch"),
        ("create_file", {"filePath": "a.ipynb", "content": "x"}, "calls.notebook"),
        ("replace_string_in_file", {"filePath": "a", "oldString": "x"}, "calls.missing_key"),
        ("multi_replace_string_in_file", {"replacements": []}, "calls.type"),
        (
            "NotebookEdit",
            {"notebook_path": "a", "cell_number": 1, "cell_id": "x", "new_source": ""},
            "calls.key",
        ),
        ("NotebookEdit", {"notebook_path": "a", "cell_number": "1", "new_source": ""}, "calls.type"),
        ("NotebookEdit", {"notebook_path": "a", "new_source": ""}, "calls.missing_key"),
    ],
)
def test_a_call_that_can_t_be_carried_out_exactly_is_refused(
    tool: str, said: dict[str, Any], code: str
) -> None:
    (step,) = read(as_use(tool, said)).steps
    assert code in [problem.code for problem in step.problems]


def test_a_file_written_empty_may_be_filled() -> None:
    calls = [
        as_hook("Write", {"file_path": "a", "content": ""}),
        as_hook("Edit", {"file_path": "a", "old_string": "", "new_string": "x"}),
    ]
    (step,) = read(calls).steps
    assert (step.problems, step.content, step.may_exist) == ((), b"x", True)
