"""What each edit tool of today's agents says with its input, as steps: one table, tool by tool.

A key that a tool doesn't take makes the step invalid: it may mean what nobody here knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from studio.engine.draft import CellChange, CellEdit, DraftStep, PlanDraft, TextEdit
from studio.engine.limits import EDITS_UP_TO, QUOTED_CHARACTERS, REASON_CHARACTERS, STEP_PROBLEMS_UP_TO
from studio.engine.names import show_name
from studio.engine.plan import Operation, Problem
from studio.engine.problem_lists import ProblemList
from studio.formats.call_paths import is_in_project, project_path
from studio.formats.json_text import JsonError, JsonObject, JsonValue, parse_json, whole_text

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_PATCH_BEGINS = re.compile(r"\s*\*\*\* Begin Patch")
_PATH = ("file_path", "filePath", "path")
_OLD = ("old_string", "oldString", "old_str", "old_text")
_NEW = ("new_string", "newString", "new_str", "new_text")
_ALL = ("replace_all", "replaceAll", "allow_multiple")
_PATCH = ("command", "input", "patch", "patchText", "patch_text")
_SAYS_WHY = ("instruction", "explanation", "description")
_KEPT_BESIDE = ("ai_proposed_content", "modified_by_user", "record_as_artifact")
"""What a client notes of its own person's edits, or does with the file; the text that counts stands in the
usual keys."""

_CELL_TYPES = ("code", "markdown", "raw")
_TEXT_COMMANDS = ("create", "str_replace", "insert", "view")


PatchReader = Callable[[str], PlanDraft]
"""Reads the text of a patch that stands in a call."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: its input as it was logged, an object or that object as text.

    `cwd` is the folder that the log names for it, "" where it names none; `line` is where the call stands.
    `project` is the folder in which absolute paths count, None where no project is open.
    """

    tool: str
    input: JsonValue | None
    cwd: str
    line: int
    project: Path | None = None


def is_edit_tool(name: str) -> bool:
    """Whether calls of a tool of this name change files."""
    return name in _TOOLS


def read_call(call: Call, read_patch: PatchReader | None = None) -> list[DraftStep]:
    """The steps of a call of an edit tool, none where it only looks at a file.

    What is wrong with it is in the `problems` of its one step. A patch goes to `read_patch`, and is refused
    where there is none.
    """
    said = _Said(call, read_patch)
    return said.finished(_TOOLS[call.tool](said) if said.is_readable else [])


def unknown_edit(call: Call, path: str) -> DraftStep:
    """Return the refused step of a tool that is not known, and whose input seems to edit `path`."""
    problem = Problem(
        "calls.unknown_tool",
        f"The tool {show_name(call.tool[:QUOTED_CHARACTERS])} is not known here, and its call seems to edit.",
        "Submit this change as a diff, or update Exacta Studio.",
        line=call.line,
    )
    path = _path_of(whole_text(path), call) if path else ""
    return DraftStep(Operation.MODIFY, path, problems=(problem,), line=call.line)


class _Said:
    """The input of one call, key by key; what nobody asked for is left over and refused."""

    def __init__(self, call: Call, read_patch: PatchReader | None = None) -> None:
        self.call = call
        self.read_patch = read_patch
        self._problems = ProblemList(STEP_PROBLEMS_UP_TO)
        self.is_readable = True
        self._members = self._object(call.input)
        self._asked: set[str] = set()
        self.path = ""

    @classmethod
    def of_item(cls, call: Call, item: JsonValue) -> _Said:
        """The same for an object in a list of the input."""
        return cls(replace(call, input=item))

    def text(self, *names: str, usual: str | None = None) -> str:
        """The text of the one of these keys that is given; without `usual` one is needed."""
        found = self._one(names, needed=usual is None)
        if found is None:
            return usual or ""
        if not isinstance(found.value, str):
            self.add("calls.type", f'"{names[0]}" is not text.', 'Write it in quotes: "...".')
            return usual or ""
        if whole_text(found.value) != found.value:
            self.add(
                "calls.half_character",
                f'"{names[0]}" holds half of a surrogate pair.',
                "Write the whole character.",
            )
            return usual or ""
        return found.value

    def named_path(self, *names: str) -> str:
        """The path that the call is about, as it stands below the folder that the log names."""
        self.path = _path_of(self.text(*names), self.call)
        return self.path

    def flag(self, *names: str) -> bool:
        found = self._one(names, needed=False)
        if found is None or isinstance(found.value, bool):
            return bool(found is not None and found.value)
        self.add("calls.type", f'"{names[0]}" is neither true nor false.', "Write true or false.")
        return False

    def number(self, *names: str) -> int | None:
        """A whole number from 0; None where the key is not given or holds none."""
        found = self._one(names, needed=False)
        if found is None:
            return None
        if type(found.value) is int and found.value >= 0:
            return found.value
        self.add("calls.type", f'"{names[0]}" is no whole number from 0.', "Write a line's number.")
        return None

    def items(self, name: str) -> Sequence[JsonValue]:
        found = self._one((name,), needed=True)
        if found is None:
            return ()
        if not isinstance(found.value, tuple) or not found.value:
            self.add("calls.type", f'"{name}" is no list of edits.', "List at least one edit.")
            return ()
        if len(found.value) > EDITS_UP_TO:
            count = len(found.value)
            message = f"The call has {count} edits; the limit is {EDITS_UP_TO}."
            self.add("calls.too_many_edits", message, "Write the whole file.")
            return ()
        return found.value

    def has(self, *names: str) -> bool:
        return any(name in self._members for name in names)

    def leave(self, *names: str) -> None:
        """Keys that say nothing about the result."""
        self._asked.update(names)

    def add(self, code: str, message: str, hint: str) -> None:
        self._problems.add(Problem(code, f"{self._shown()}: {message}", hint, line=self.call.line))

    def take_problems(self, other: _Said) -> None:
        """Those of an object in a list of the input."""
        other.check_left_over()
        for problem in other._problems.listed():
            self._problems.add(problem)

    def check_left_over(self) -> None:
        for key in sorted(self._members.keys() - self._asked):
            shown = show_name(key[:QUOTED_CHARACTERS])
            self.add("calls.key", f'it takes no "{shown}".', "Leave it out, or write the whole file.")

    def finished(self, steps: list[DraftStep]) -> list[DraftStep]:
        """The steps; one with all problems where there are any."""
        self.check_left_over()
        problems = self._problems.listed()
        if not problems:
            return [replace(step, line=self.call.line) for step in steps]
        op = steps[0].op if steps else Operation.MODIFY
        return [DraftStep(op, self.path, problems=problems, line=self.call.line)]

    def _one(self, names: tuple[str, ...], *, needed: bool) -> JsonValue | None:
        self._asked.update(names)
        given = [name for name in names if name in self._members]
        if len(given) > 1:
            message = f'"{given[0]}" and "{given[1]}" are given together.'
            self.add("calls.key", message, "Give one of them.")
        elif not given and needed:
            self.add("calls.missing_key", f'"{names[0]}" is missing.', "Give it as text.")
        return self._members[given[0]] if given else None

    def _object(self, said: JsonValue | None) -> Mapping[str, JsonValue]:
        try:
            if said is not None and isinstance(said.value, str):
                if _PATCH_BEGINS.match(said.value):
                    return {_PATCH[0]: said}
                said = parse_json(said.value)
        except JsonError as error:
            self._refuse_input("calls.syntax", f"its input is no JSON: {error.message}.", "Send it whole.")
            return {}
        if said is None or not isinstance(said.value, JsonObject):
            hint = 'Write {"file_path": ..., ...}.'
            self._refuse_input("calls.type", "its input is no JSON object.", hint)
            return {}
        for key, _position in said.value.duplicates:
            shown = show_name(key[:QUOTED_CHARACTERS])
            self.add("calls.twice", f'its input has the key "{shown}" twice.', "Give it once.")
        return said.value.members

    def _refuse_input(self, code: str, message: str, hint: str) -> None:
        self.is_readable = False
        self.add(code, message, hint)

    def _shown(self) -> str:
        return show_name(self.call.tool[:QUOTED_CHARACTERS])


def _write(said: _Said) -> list[DraftStep]:
    path = said.named_path(*_PATH)
    content = said.text("content")
    said.leave(*_KEPT_BESIDE)
    return [_whole_file(path, content, reason=_why(said))]


def _edit(said: _Said) -> list[DraftStep]:
    path = said.named_path(*_PATH)
    old, new = said.text(*_OLD), said.text(*_NEW)
    everywhere = said.flag(*_ALL)
    expected = said.number("expected_replacements")
    if expected not in (None, 1) and not everywhere:
        said.add(
            "calls.count",
            f"it expects {expected} replacements, and an edit here has one place or all of them.",
            "Give text that is there once, or replace all.",
        )
    said.leave(*_KEPT_BESIDE)
    return [_edited(path, (_text_edit(said, old, new, everywhere),), _why(said))]


def _multi_edit(said: _Said) -> list[DraftStep]:
    path = said.named_path(*_PATH)
    edits: list[TextEdit] = []
    for item in said.items("edits"):
        one = _Said.of_item(said.call, item)
        one.leave("file_path", "filePath")
        edits.append(_text_edit(said, one.text(*_OLD), one.text(*_NEW), one.flag(*_ALL)))
        said.take_problems(one)
    if any(not edit.old for edit in edits[1:]):
        said.add(
            "calls.empty_old",
            "an edit behind the first one has no old text.",
            "Give text that is there once.",
        )
    return [_edited(path, tuple(edits), _why(said))]


def _notebook_edit(said: _Said) -> list[DraftStep]:
    path = said.named_path("notebook_path", *_PATH)
    change = said.text("edit_mode", usual="replace")
    cell, kind = said.text("cell_id", usual=""), said.text("cell_type", usual="")
    if change not in tuple(CellChange):
        known = ", ".join(CellChange)
        said.add("calls.value", '"edit_mode" is no known change of a cell.', f"Known are {known}.")
        return [DraftStep(Operation.MODIFY, path)]
    source = said.text("new_source", usual="" if change == CellChange.DELETE else None)
    if kind not in ("", *_CELL_TYPES) or (not kind and change == CellChange.INSERT):
        said.add("calls.value", '"cell_type" is no type of a cell.', f"Known are {', '.join(_CELL_TYPES)}.")
    if not cell and change != CellChange.INSERT:
        said.add("calls.missing_key", '"cell_id" is missing.', "Name the cell by its id.")
    edit = CellEdit(CellChange(change), cell, source, kind, said.call.line)
    return [DraftStep(Operation.MODIFY, path, cells=(edit,), reason=_why(said))]


def _text_editor(said: _Said) -> list[DraftStep]:
    """The text editor tool, whose `command` says what it does."""
    command = said.text("command")
    if command == "view":
        said.leave("view_range", *_PATH)
        return []
    path = said.named_path(*_PATH)
    if command == "create":
        return [_whole_file(path, said.text("file_text"))]
    if command == "str_replace":
        old, new = said.text("old_str"), said.text("new_str", usual="")
        if not old:
            said.add("calls.empty_old", '"old_str" is empty.', "Give text that is there once.")
        return [_edited(path, (_text_edit(said, old, new, everywhere=False),))]
    if command == "insert":
        return [_inserted(said, path, said.text("insert_text", "new_str"))]
    known = ", ".join(_TEXT_COMMANDS)
    said.add("calls.value", '"command" is no command that is read here.', f"Known are {known}.")
    return [DraftStep(Operation.MODIFY, path)]


def _editor(said: _Said) -> list[DraftStep]:
    """An editor that inserts, replaces or writes the whole file, by which of its keys are there."""
    path = said.named_path("path")
    new = said.text("new_text")
    if said.has("insert_line"):
        return [_inserted(said, path, new)]
    if not said.has("old_text"):
        return [_whole_file(path, new)]
    return [_edited(path, (_text_edit(said, said.text("old_text"), new, everywhere=False),))]


def _patch(said: _Said) -> list[DraftStep]:
    """The steps of a patch in a format of its own, whose lines count within it."""
    text = said.text(*_PATCH)
    if said.read_patch is None:
        said.add(
            "calls.patch",
            "a patch in a call is not read here.",
            "Submit its text alone, from *** Begin Patch to *** End Patch.",
        )
        return []
    draft = said.read_patch(text) if text else PlanDraft("", ())
    for problem in draft.problems:
        said.add(problem.code, _within(problem).message, problem.hint)
    return [
        replace(
            step,
            path=_path_of(step.path, said.call),
            to=_path_of(step.to, said.call) if step.to is not None else None,
            problems=tuple(replace(_within(one), line=said.call.line) for one in step.problems),
        )
        for step in draft.steps
    ]


def _within(problem: Problem) -> Problem:
    where = f"line {problem.line} of the patch: " if problem.line is not None else ""
    return replace(problem, message=f"{where}{problem.message}", line=None, column=None)


_TOOLS: Final[Mapping[str, Callable[[_Said], list[DraftStep]]]] = {
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
}
"""Names count exactly: whose tools they are is told by their case."""


def _whole_file(path: str, content: str, *, reason: str = "") -> DraftStep:
    return DraftStep(Operation.CREATE, path, content=content.encode(), may_exist=True, reason=reason)


def _edited(path: str, edits: tuple[TextEdit, ...], reason: str = "") -> DraftStep:
    """Edits of a file that is there; where the first one has no old text, a file that is not."""
    if not edits or edits[0].old:
        return DraftStep(Operation.MODIFY, path, edits=edits, reason=reason)
    content = edits[0].new.encode()
    return DraftStep(Operation.CREATE, path, content=content, edits=edits[1:], reason=reason)


def _text_edit(said: _Said, old: str, new: str, everywhere: bool) -> TextEdit:
    return TextEdit(old, new, every=everywhere, line=said.call.line)


def _inserted(said: _Said, path: str, text: str) -> DraftStep:
    """Whole lines behind a line: an end is added to the last one where the call leaves it out."""
    behind = said.number("insert_line")
    if behind is None:
        said.add("calls.missing_key", '"insert_line" is missing.', "Give the line's number, 0 for the top.")
        behind = 0
    lines = text if text.endswith("\n") else text + "\n"
    edit = TextEdit("", lines, whole_lines=True, at_line=behind, line=said.call.line)
    return DraftStep(Operation.MODIFY, path, edits=(edit,))


def _why(said: _Said) -> str:
    given = [said.text(name, usual="") for name in _SAYS_WHY]
    return "\n".join(filter(None, given))[:REASON_CHARACTERS]


def _path_of(path: str, call: Call) -> str:
    """Return the path relative to the project, or to the call's folder where that is in no project."""
    cwd, given = call.cwd, path
    if call.project is not None and cwd.startswith("/"):
        in_project = project_path(path, (call.project,), cwd)
        if not in_project.startswith("/") or is_in_project(cwd, call.project):
            return in_project
    elif call.project is not None:
        return project_path(path, (call.project,))
    if not cwd.startswith("/") and not _DRIVE.match(cwd):
        return path
    if _DRIVE.match(cwd):
        cwd, given = cwd.replace("\\", "/"), path.replace("\\", "/")
    # The log is of a copy of the project elsewhere, and names its folder.
    around = cwd.rstrip("/") + "/"
    return given[len(around) :] if given.startswith(around) and len(given) > len(around) else path
