"""Reader of a logged tool call's input that rejects unused keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from studio.engine import DraftStep, Operation, Problem, ProblemList
from studio.formats.json_text import JsonError, JsonObject, JsonValue, parse_json, whole_text
from studio.formats.limits import EDITS_UP_TO
from studio.limits import QUOTED_CHARACTERS, STEP_PROBLEMS_UP_TO
from studio.names import is_in_project, project_path, show_name
from studio.values import Value

PATCH_KEY: Final = "command"
"""The key for an input that is only a patch."""

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_PATCH_BEGINS = re.compile(r"\s*\*\*\* Begin Patch")


class Call(Value):
    """One logged tool call.

    `input` is an object or that object as text. `cwd` is the folder that the log names for it, "" for none;
    `line` is the tool call's line. `project` is the base of absolute paths, None where no project is open.
    """

    tool: str
    input: JsonValue | None
    cwd: str
    line: int
    project: Path | None = None


class CallInput:
    """Reader of a tool call's input, refusing keys never read."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._problems = ProblemList(STEP_PROBLEMS_UP_TO)
        self.is_readable = True
        self._members = self._read_members(call.input)
        self._read_keys: set[str] = set()
        self.path = ""

    @classmethod
    def of_item(cls, call: Call, item: JsonValue) -> CallInput:
        """Return the reader of an object in a list of the input."""
        return cls(replace(call, input=item))

    def text(self, *names: str, usual: str | None = None) -> str:
        """Return the text of whichever of these keys is given.

        Without `usual`, one of them is required.
        """
        found = self._find_member(names, needed=usual is None)
        if found is None:
            return usual or ""
        if not isinstance(found.value, str):
            self.add_problem("calls.type", f'"{names[0]}" is not text.', 'Write it in quotes: "...".')
            return usual or ""
        if whole_text(found.value) != found.value:
            self.add_problem(
                "calls.half_character",
                f'"{names[0]}" holds half of a surrogate pair.',
                "Write the whole character.",
            )
            return usual or ""
        return found.value

    def named_path(self, *names: str) -> str:
        """Return the tool call's path, relative to the logged folder."""
        self.path = path_of(self.text(*names), self.call)
        return self.path

    def flag(self, *names: str) -> bool:
        found = self._find_member(names, needed=False)
        if found is None or isinstance(found.value, bool):
            return bool(found is not None and found.value)
        self.add_problem("calls.type", f'"{names[0]}" is not true or false.', "Use true or false.")
        return False

    def number(self, *names: str) -> int | None:
        """Return a whole number from 0; None if missing or invalid."""
        found = self._find_member(names, needed=False)
        if found is None:
            return None
        if type(found.value) is int and found.value >= 0:
            return found.value
        self.add_problem("calls.type", f'"{names[0]}" is not a whole number from 0.', "Use a line number.")
        return None

    def items(self, name: str) -> Sequence[JsonValue]:
        found = self._find_member((name,), needed=True)
        if found is None:
            return ()
        if not isinstance(found.value, tuple) or not found.value:
            self.add_problem("calls.type", f'"{name}" is not a list of edits.', "List at least one edit.")
            return ()
        if len(found.value) > EDITS_UP_TO:
            count = len(found.value)
            message = f"The call has {count} edits; the limit is {EDITS_UP_TO}."
            self.add_problem("calls.too_many_edits", message, "Write the complete file.")
            return ()
        return found.value

    def has(self, *names: str) -> bool:
        return any(name in self._members for name in names)

    def ignore_keys(self, *names: str) -> None:
        """Accept keys that do not affect the result."""
        self._read_keys.update(names)

    def add_problem(self, code: str, message: str, hint: str) -> None:
        self._problems.add(Problem(code, f"{self._tool_title()}: {message}", hint, line=self.call.line))

    def add_problems_of(self, other: CallInput) -> None:
        """Add the problems of an object in a list of the input."""
        other.refuse_unread_keys()
        for problem in other._problems.listed():
            self._problems.add(problem)

    def refuse_unread_keys(self) -> None:
        for key in sorted(self._members.keys() - self._read_keys):
            shown = show_name(key[:QUOTED_CHARACTERS])
            self.add_problem(
                "calls.key", f'it does not accept "{shown}".', "Remove it, or write the whole file."
            )

    def finish(self, steps: list[DraftStep]) -> list[DraftStep]:
        """Return the steps, or a single one with all problems if any."""
        self.refuse_unread_keys()
        problems = self._problems.listed()
        if not problems:
            return [replace(step, line=self.call.line) for step in steps]
        op = steps[0].op if steps else Operation.MODIFY
        return [DraftStep(op, self.path, problems=problems, line=self.call.line)]

    def _find_member(self, names: tuple[str, ...], *, needed: bool) -> JsonValue | None:
        self._read_keys.update(names)
        present = [name for name in names if name in self._members]
        if len(present) > 1:
            message = f'"{present[0]}" and "{present[1]}" can\'t be used together.'
            self.add_problem("calls.key", message, "Specify one of them.")
        elif not present and needed:
            self.add_problem("calls.missing_key", f'"{names[0]}" is missing.', "Provide it as text.")
        return self._members[present[0]] if present else None

    def _read_members(self, value: JsonValue | None) -> Mapping[str, JsonValue]:
        try:
            if value is not None and isinstance(value.value, str):
                if _PATCH_BEGINS.match(value.value):
                    return {PATCH_KEY: value}
                value = parse_json(value.value)
        except JsonError as error:
            self._refuse_input(
                "calls.syntax", f"its input is not JSON: {error.message}.", "Send it completely."
            )
            return {}
        if value is None or not isinstance(value.value, JsonObject):
            hint = 'Use {"file_path": ..., ...}.'
            self._refuse_input("calls.type", "its input is not a JSON object.", hint)
            return {}
        for key, _position in value.value.duplicates:
            shown = show_name(key[:QUOTED_CHARACTERS])
            self.add_problem("calls.twice", f'its input contains the key "{shown}" twice.', "Give it once.")
        return value.value.members

    def _refuse_input(self, code: str, message: str, hint: str) -> None:
        self.is_readable = False
        self.add_problem(code, message, hint)

    def _tool_title(self) -> str:
        return show_name(self.call.tool[:QUOTED_CHARACTERS])


def path_of(path: str, call: Call) -> str:
    """Return a path relative to the project.

    It is relative to the tool call's folder where that is in no project.
    """
    cwd, full_path = call.cwd, path
    if call.project is not None and cwd.startswith("/"):
        in_project = project_path(path, (call.project,), cwd)
        if not in_project.startswith("/") or is_in_project(cwd, call.project):
            return in_project
    elif call.project is not None:
        return project_path(path, (call.project,))
    if not cwd.startswith("/") and not _DRIVE.match(cwd):
        return path
    if _DRIVE.match(cwd):
        cwd, full_path = cwd.replace("\\", "/"), path.replace("\\", "/")
    # The log is from a copy of the project in another folder, which it names.
    prefix = cwd.rstrip("/") + "/"
    return full_path[len(prefix) :] if full_path.startswith(prefix) and len(full_path) > len(prefix) else path
