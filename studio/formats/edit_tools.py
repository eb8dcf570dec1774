"""Table of agents' edit tools: how each tool's input becomes steps.

A key that a tool does not accept makes the step invalid, as its meaning is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from studio import formats
from studio.engine import CellChange, CellEdit, DraftStep, Operation, PlanDraft, Problem, TextEdit
from studio.formats.block_lines import sort_by_line
from studio.formats.blocks import BrokenBlock
from studio.formats.call_input import PATCH_KEY, Call, CallInput, path_of
from studio.formats.json_text import whole_text
from studio.formats.limits import REASON_CHARACTERS
from studio.formats.reply_text import ReplyText
from studio.formats.search_replace import read_diff
from studio.limits import QUOTED_CHARACTERS
from studio.names import show_name

_PATH_COMMENT = re.compile(r"\S{1,4} filepath: (?P<path>[^\n]+?)(?: \S{1,3})?\n")
_PATH = ("file_path", "filePath", "path")
_CLINE_PATH = ("path", "absolutePath")
_FENCE: Final = "```"
_OLD = ("old_string", "oldString", "old_str", "old_text")
_NEW = ("new_string", "newString", "new_str", "new_text")
_ALL = ("replace_all", "replaceAll", "allow_multiple")
_PATCH = (PATCH_KEY, "input", "patch", "patchText", "patch_text")
_SAYS_WHY = ("instruction", "explanation", "description")
_KEPT_BESIDE = ("ai_proposed_content", "modified_by_user", "record_as_artifact")
"""Keys with a client's notes on the edit or file.

The text that is written is under the usual keys.
"""

_CELL_TYPES = ("code", "markdown", "raw")
_TEXT_COMMANDS = ("create", "str_replace", "insert", "view")


def is_edit_tool(name: str) -> bool:
    """Return whether tool calls of this name change files."""
    return name in _TOOLS


def read_call(call: Call) -> list[DraftStep]:
    """Return an edit tool call's steps, none if it only reads.

    What is wrong with it is in the `problems` of its one step.
    """
    arguments = CallInput(call)
    return arguments.finish(_TOOLS[call.tool](arguments) if arguments.is_readable else [])


def unknown_edit(call: Call, path: str) -> DraftStep:
    """Return an unknown tool's refused step, which seems to edit `path`."""
    problem = Problem(
        "calls.unknown_tool",
        (
            f"The tool {show_name(call.tool[:QUOTED_CHARACTERS])} is unknown, but its call seems "
            "to edit a file."
        ),
        "Submit this change as a diff, or update Exacta Studio.",
        line=call.line,
    )
    path = path_of(whole_text(path), call) if path else ""
    return DraftStep(Operation.MODIFY, path, problems=(problem,), line=call.line)


def _write(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path(*_PATH)
    content = arguments.text("content")
    arguments.ignore_keys(*_KEPT_BESIDE)
    return [_whole_file_step(path, content, reason=_read_reason(arguments))]


def _write_to_file(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path(*_CLINE_PATH)
    content = arguments.text("content")
    arguments.ignore_keys("line_count", "task_progress")
    if content.startswith(_FENCE) or content.endswith(_FENCE):
        # Roo Code's WriteToFileTool removes that line, whether it is a fence of the file or not.
        arguments.add_problem(
            "calls.fence",
            "its content begins or ends with ```, a line that the tool does not write.",
            "Submit the file without the fence, or as a diff if the file contains it.",
        )
    return [_whole_file_step(path, content)]


def _create_file(arguments: CallInput) -> list[DraftStep]:
    """Create a file, or fill an empty one, as VS Code does."""
    path, (content,) = _in_vs_code(arguments, "content")
    return [DraftStep(Operation.CREATE, path, content=content.encode(), over_empty=True)]


def _create_folder(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path("dirPath", "path").rstrip("/")
    return [DraftStep(Operation.MKDIR, path)]


def _replace_string(arguments: CallInput) -> list[DraftStep]:
    path, (old, new) = _in_vs_code(arguments, "oldString", "newString")
    return [_edit_step(path, (_text_edit(arguments, old, new, everywhere=False),), _read_reason(arguments))]


def _in_vs_code(arguments: CallInput, *names: str) -> tuple[str, list[str]]:
    """Return the file and texts of a VS Code tool call.

    The comment that names the file to VS Code is removed.
    """
    file_path = arguments.text("filePath")
    texts = [_without_path_comment(arguments.text(name), file_path) for name in names]
    arguments.path = path_of(file_path, arguments.call)
    if file_path.endswith(".ipynb"):
        arguments.add_problem(
            "calls.notebook",
            "its text is a notebook in a VS Code-only format.",
            "Submit the change as a diff of the notebook.",
        )
    return arguments.path, texts


def _replace_strings(arguments: CallInput) -> list[DraftStep]:
    why = _read_reason(arguments)
    steps: list[DraftStep] = []
    for item in arguments.items("replacements"):
        replacement = CallInput.of_item(arguments.call, item)
        steps += [replace(step, reason=step.reason or why) for step in _replace_string(replacement)]
        arguments.path = arguments.path or replacement.path
        arguments.add_problems_of(replacement)
    return steps


def _sketch(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path("filePath")
    arguments.ignore_keys("code", *_SAYS_WHY)
    arguments.add_problem(
        "calls.sketch",
        "its code is a sketch with gaps, which a model put into the file.",
        "Submit the change as a diff, or the whole file.",
    )
    return [DraftStep(Operation.MODIFY, path)]


def _replace_in_file(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path(*_CLINE_PATH)
    arguments.ignore_keys("task_progress")
    return _blocks_of(arguments, path, arguments.text("diff"), is_numbered=False)


def _apply_diff(arguments: CallInput) -> list[DraftStep]:
    """Read blocks with line numbers: of one file, a list, or XML."""
    steps: list[DraftStep] = []
    if arguments.has("args"):
        diffs = read_files(arguments.text("args"))
        if diffs is None:
            hint = "Write <file><path>…</path><diff><content>…</content></diff></file>."
            arguments.add_problem("calls.value", '"args" is not a readable list of files.', hint)
        for each in diffs or ():
            path = path_of(each.path, arguments.call)
            arguments.path = arguments.path or path
            steps += _blocks_of(arguments, path, each.text, line=each.line)
        return sort_by_line(steps)
    if not arguments.has("files"):
        path = arguments.named_path("path")
        arguments.ignore_keys("end_line")
        return sort_by_line(
            _blocks_of(arguments, path, arguments.text("diff"), line=arguments.number("start_line"))
        )
    for file in arguments.items("files"):
        file_arguments = CallInput.of_item(arguments.call, file)
        path = file_arguments.named_path("path")
        arguments.path = arguments.path or path
        for item in file_arguments.items("diffs"):
            diff = CallInput.of_item(arguments.call, item)
            steps += _blocks_of(diff, path, diff.text("content"), line=diff.number("start_line"))
            file_arguments.add_problems_of(diff)
        arguments.add_problems_of(file_arguments)
    return sort_by_line(steps)


def _blocks_of(
    arguments: CallInput, path: str, text: str, *, is_numbered: bool = True, line: int | None = None
) -> list[DraftStep]:
    try:
        steps = read_diff(text, path, is_numbered=is_numbered, line=line) if text else []
    except BrokenBlock as broken:
        arguments.add_problem(
            broken.problem.code, _within(broken.problem, "diff").message, broken.problem.hint
        )
        return []
    at = arguments.call.line
    return [replace(step, edits=tuple(replace(edit, line=at) for edit in step.edits)) for step in steps]


def _edit(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path(*_PATH)
    old, new = arguments.text(*_OLD), arguments.text(*_NEW)
    everywhere = arguments.flag(*_ALL)
    expected = arguments.number("expected_replacements")
    if expected not in (None, 1) and not everywhere:
        arguments.add_problem(
            "calls.count",
            f"it expects {expected} replacements, but an edit replaces one or all.",
            "Give text that occurs once, or replace all.",
        )
    arguments.ignore_keys(*_KEPT_BESIDE)
    return [_edit_step(path, (_text_edit(arguments, old, new, everywhere),), _read_reason(arguments))]


def _multi_edit(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path(*_PATH)
    edits: list[TextEdit] = []
    for item in arguments.items("edits"):
        edit_arguments = CallInput.of_item(arguments.call, item)
        edit_arguments.ignore_keys("file_path", "filePath")
        edits.append(
            _text_edit(
                arguments, edit_arguments.text(*_OLD), edit_arguments.text(*_NEW), edit_arguments.flag(*_ALL)
            )
        )
        arguments.add_problems_of(edit_arguments)
    if any(not edit.old for edit in edits[1:]):
        arguments.add_problem(
            "calls.empty_old",
            "an edit after the first one has no old text.",
            "Give text that occurs once.",
        )
    return [_edit_step(path, tuple(edits), _read_reason(arguments))]


def _notebook_edit(arguments: CallInput) -> list[DraftStep]:
    path = arguments.named_path("notebook_path", *_PATH)
    change = arguments.text("edit_mode", usual="replace")
    cell, kind = arguments.text("cell_id", usual=""), arguments.text("cell_type", usual="")
    # Older versions of Claude Code identified cells by number, from 0, and inserted a new one there.
    number = arguments.number("cell_number")
    if change not in tuple(CellChange):
        names = ", ".join(CellChange)
        arguments.add_problem("calls.value", '"edit_mode" is not a known edit mode.', f"Use one of: {names}.")
        return [DraftStep(Operation.MODIFY, path)]
    source = arguments.text("new_source", usual="" if change == CellChange.DELETE else None)
    if kind not in ("", *_CELL_TYPES) or (not kind and change == CellChange.INSERT):
        arguments.add_problem(
            "calls.value", '"cell_type" is not a cell type.', f"Use one of: {', '.join(_CELL_TYPES)}."
        )
    if cell and number is not None:
        arguments.add_problem(
            "calls.key", '"cell_id" and "cell_number" are given together.', "Specify one of them."
        )
    if not cell and number is None and change != CellChange.INSERT:
        arguments.add_problem("calls.missing_key", '"cell_id" is missing.', "Identify the cell by its id.")
    edit = CellEdit(CellChange(change), cell, source, kind, arguments.call.line, number)
    return [DraftStep(Operation.MODIFY, path, cells=(edit,), reason=_read_reason(arguments))]


def _text_editor(arguments: CallInput) -> list[DraftStep]:
    """Read a call of the text editor tool, by its `command`."""
    command = arguments.text("command")
    if command == "view":
        arguments.ignore_keys("view_range", *_PATH)
        return []
    path = arguments.named_path(*_PATH)
    if command == "create":
        return [_whole_file_step(path, arguments.text("file_text"))]
    if command == "str_replace":
        old, new = arguments.text("old_str"), arguments.text("new_str", usual="")
        if not old:
            arguments.add_problem("calls.empty_old", '"old_str" is empty.', "Give text that occurs once.")
        return [_edit_step(path, (_text_edit(arguments, old, new, everywhere=False),))]
    if command == "insert":
        return [_insertion_step(arguments, path, arguments.text("insert_text", "new_str"))]
    names = ", ".join(_TEXT_COMMANDS)
    arguments.add_problem(
        "calls.value", '"command" is not a command that is read here.', f"Use one of: {names}."
    )
    return [DraftStep(Operation.MODIFY, path)]


def _editor(arguments: CallInput) -> list[DraftStep]:
    """Read an insertion, replacement or whole file, by the given keys."""
    path = arguments.named_path("path")
    new = arguments.text("new_text")
    if arguments.has("insert_line"):
        return [_insertion_step(arguments, path, new)]
    if not arguments.has("old_text"):
        return [_whole_file_step(path, new)]
    return [_edit_step(path, (_text_edit(arguments, arguments.text("old_text"), new, everywhere=False),))]


def _patch(arguments: CallInput) -> list[DraftStep]:
    """Return the steps of a patch, with lines relative to it."""
    text = arguments.text(*_PATCH)

    draft = formats.apply_patch.read_patch(ReplyText(text)) if text else PlanDraft("", ())
    for problem in draft.problems:
        arguments.add_problem(problem.code, _within(problem).message, problem.hint)
    return [
        replace(
            step,
            path=path_of(step.path, arguments.call),
            to=path_of(step.to, arguments.call) if step.to is not None else None,
            problems=tuple(replace(_within(one), line=arguments.call.line) for one in step.problems),
        )
        for step in draft.steps
    ]


def _within(problem: Problem, what: str = "patch") -> Problem:
    where = f"line {problem.line} of the {what}: " if problem.line is not None else ""
    return replace(problem, message=f"{where}{problem.message}", line=None, column=None)


_TOOLS: Final[Mapping[str, Callable[[CallInput], list[DraftStep]]]] = {
    "Write": _write,
    "write": _write,
    "write_file": _write,
    "Edit": _edit,
    "edit": _edit,
    "replace": _edit,
    "MultiEdit": _multi_edit,
    "multiedit": _multi_edit,
    "NotebookEdit": _notebook_edit,
    "notebook_edit": _notebook_edit,
    "str_replace_based_edit_tool": _text_editor,
    "str_replace_editor": _text_editor,
    "editor": _editor,
    "apply_patch": _patch,
    "patch": _patch,
    "write_to_file": _write_to_file,
    "replace_in_file": _replace_in_file,
    "apply_diff": _apply_diff,
    "search_replace": _edit,
    "create_file": _create_file,
    "create_directory": _create_folder,
    "replace_string_in_file": _replace_string,
    "multi_replace_string_in_file": _replace_strings,
    "insert_edit_into_file": _sketch,
}
"""Exact names: their case tells whose tools they are."""


def _whole_file_step(path: str, content: str, *, reason: str = "") -> DraftStep:
    return DraftStep(Operation.CREATE, path, content=content.encode(), may_exist=True, reason=reason)


def _edit_step(path: str, edits: tuple[TextEdit, ...], reason: str = "") -> DraftStep:
    """Return the step for edits of a file.

    Where the first edit has no old text, the file is new or empty.
    """
    if not edits or edits[0].old:
        return DraftStep(Operation.MODIFY, path, edits=edits, reason=reason)
    content = edits[0].new.encode()
    return DraftStep(Operation.CREATE, path, content=content, edits=edits[1:], over_empty=True, reason=reason)


def _without_path_comment(text: str, path: str) -> str:
    """Return the text without VS Code's path comment.

    VS Code does not write that line.
    """
    found = _PATH_COMMENT.match(text)
    return text[found.end() :] if found is not None and found["path"] == path else text


def _text_edit(arguments: CallInput, old: str, new: str, everywhere: bool) -> TextEdit:
    return TextEdit(old, new, every=everywhere, line=arguments.call.line)


def _insertion_step(arguments: CallInput, path: str, text: str) -> DraftStep:
    """Insert whole lines after a line.

    A missing last line end is added.
    """
    behind = arguments.number("insert_line")
    if behind is None:
        arguments.add_problem(
            "calls.missing_key", '"insert_line" is missing.', "Specify the line number, 0 for the top."
        )
        behind = 0
    lines = text if text.endswith("\n") else text + "\n"
    edit = TextEdit("", lines, whole_lines=True, at_line=behind, line=arguments.call.line)
    return DraftStep(Operation.MODIFY, path, edits=(edit,))


def _read_reason(arguments: CallInput) -> str:
    reasons = [arguments.text(name, usual="") for name in _SAYS_WHY]
    return "\n".join(filter(None, reasons))[:REASON_CHARACTERS]


_BEGIN: Final = re.compile(r"\s*(?:<args>\s*)?(?=<file>)")
_END: Final = re.compile(r"\s*(?:</args>\s*)?\Z")
_FILE: Final = re.compile(r"\s*<file>\s*<path>([^<]*)</path>\s*(?=<diff>)")
_LINE: Final = r"(?:<start_line>\s*(?P<{}>[0-9]{{0,9}})\s*</start_line>\s*)?"
_DIFF: Final = re.compile(
    rf"<diff>\s*{_LINE.format('before')}<content>(?P<text>.*?)</content>\s*{_LINE.format('after')}</diff>\s*",
    re.DOTALL,
)
_FILE_END: Final = re.compile(r"</file>")


class FileDiffText(NamedTuple):
    """One diff of a file: its blocks, and its line number.

    The number is given beside the blocks.
    """

    path: str
    text: str
    line: int | None


def read_files(text: str) -> list[FileDiffText] | None:
    """Return all diffs in order, None for text of another form."""
    found = _BEGIN.match(text)
    if found is None:
        return None
    diffs: list[FileDiffText] = []
    at = found.end()
    while (head := _FILE.match(text, at)) is not None:
        at = head.end()
        while (diff := _DIFF.match(text, at)) is not None:
            line = diff["before"] or diff["after"] or "0"
            diffs.append(FileDiffText(head[1].strip(), diff["text"], int(line) or None))
            at = diff.end()
        end = _FILE_END.match(text, at)
        if end is None:
            return None
        at = end.end()
    return diffs if _END.match(text, at) is not None else None
