"""Parser of the format `tool-calls`: JSON logs of agents' edit tool calls.

Agents log them so, and send them to hooks. The whole text is one JSON value, an array of them, or several,
each from a line of its own: calls, or messages that contain them. A call is one of
`{"tool_name": …, "tool_input": {…}}`, `{"type": "tool_use", "name": …, "input": {…}}`,
`{"name": …, "arguments": "{…}"}` alone or as `function`, `{"functionCall": {"name": …, "args": {…}}}` and
`{"tool": …, "state": {"input": {…}}}`; also with `args` and `parameters` for the input, which may be an
object or that object as text. Calls that edit no file are excluded; a remark of the plan counts them, another
one names the commands. A call of an unknown tool that seems to edit is a refused step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from studio.engine import DraftStep, PlanDraft, PolicyLimits, Problem, ProblemList, Severity
from studio.formats.call_input import Call
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.edit_tools import is_edit_tool, read_call, unknown_edit
from studio.formats.folding import fold, title_for
from studio.formats.json_text import JsonError, JsonObject, JsonValue, parse_values, plain_value, whole_text
from studio.formats.reply_text import ReplyText, Span
from studio.formats.unknown_tools import Effect, classify_call
from studio.limits import NAMED_FILES_UP_TO, PLAN_PROBLEMS_UP_TO, QUOTED_CHARACTERS
from studio.names import show_name

NAME: Final = "tool-calls"

_BEGINS = re.compile(r"\s*[\[{]")
_CALL_KEY = re.compile(
    r'"(?:tool_name|tool_calls?|tool|functionCall|function_call|function|arguments|args|input|parameters)"\s*:'
)
_STEPS_KEY = re.compile(r'"steps"\s*:')
_INPUT_KEYS = ("input", "arguments", "args", "parameters")
_HOLDS_CALLS = (
    "message",
    "messages",
    "content",
    "parts",
    "part",
    "properties",
    "payload",
    "output",
    "choices",
    "candidates",
    "tool_calls",
    "tool_call",
    "function",
    "function_call",
    "functionCall",
)
"""Keys in agents' logs whose values contain tool calls."""

_ID_KEYS = ("tool_use_id", "call_id", "callID", "toolCallId", "tool_call_id", "id")
_LOCAL_SHELL = "local_shell_call"
"""An item of OpenAI's Responses API, logged by Codex.

It has its command in `action` and no name.
"""

_AGENT_ROLES = frozenset({"assistant", "model"})
_RUN_IT = "Check what they changed. To review a command's changes, run it in the sandbox."
_SHAPES = 'Write {"tool_name": "Edit", "tool_input": {...}}, or as the agent logs its calls.'


def find(reply: ReplyText) -> list[Span]:
    """Return the whole text if it is JSON with tool calls.

    It must have a key that tool calls have, and be no plan.
    """
    if _BEGINS.match(reply.text) is None or _CALL_KEY.search(reply.text) is None:
        return []
    if _STEPS_KEY.search(reply.text) is not None and _is_plan(reply.text):
        return []
    return [Span(0, len(reply.text))]


def read(reply: ReplyText, limits: PolicyLimits = USUAL_LIMITS, *, project: Path | None = None) -> PlanDraft:
    """Parse tool calls into a draft; report bad content in `problems`.

    `project` is the base of absolute paths. Raises Refused for edits of more paths than `limits` has steps,
    at the first one too many.
    """
    reader = _CallReader(reply, limits, project)
    try:
        for value in parse_values(reply.text):
            reader.read_value(value)
    except JsonError as error:
        hint = "Send JSON and nothing else; check that nothing was cut off."
        message = f"The calls are not JSON: {error.message}."
        return PlanDraft(NAME, (), problems=(reply.problem("calls.syntax", message, hint, error.position),))
    return reader.draft()


def _is_plan(text: str) -> bool:
    """Return whether the first value is an object with steps.

    Unreadable JSON counts as one, as the text has that key.
    """
    try:
        value = next(parse_values(text)).value
    except (JsonError, StopIteration):
        return True
    return isinstance(value, JsonObject) and "steps" in value.members


class _CallReader:
    """Collector of the tool calls' steps, and of remarks about the others."""

    def __init__(
        self,
        reply: ReplyText,
        limits: PolicyLimits,
        project: Path | None,
    ) -> None:
        self._reply = reply
        self._project = project
        self._limits = limits
        self._steps: list[DraftStep] = []
        self._paths: set[str] = set()
        self._without_path = 0
        self._found = 0
        """The number of calls of any tool, repeated ones included."""
        self._seen: dict[str, object] = {}
        """Tool calls by id: logs repeat a call with its result."""
        self._excluded: Counter[str] = Counter()
        self._commands: list[tuple[str, str]] = []
        """The tool and the command line of each."""
        self._words: list[str] = []
        self._problems = ProblemList(PLAN_PROBLEMS_UP_TO)

    def read_value(self, value: JsonValue) -> None:
        """Read a value: a tool call, or a container of them."""
        self._check_keys(value)
        before = self._found
        for call in self._calls(value, cwd="", is_agent=False):
            self._read_tool_call(call)
        if self._found == before and not _is_message(value):
            self._add("calls.no_call", "This is not a tool call.", _SHAPES, value.position)

    def draft(self) -> PlanDraft:
        """Return the draft of all values read."""
        if not self._steps and not self._problems:
            if self._commands:
                message = f"None of the calls is an edit, and {self._commands_text()}."
                self._add("calls.no_edit", message, _RUN_IT, 0)
            elif self._excluded:
                message = f"None of the calls edits a file: {self._excluded_names()}."
                self._add("calls.no_edit", message, "There is nothing to review.", 0)
            else:
                self._add("calls.none", "The text contains no tool call.", _SHAPES, 0)
        if self._problems:
            return PlanDraft(NAME, (), problems=self._problems.listed())
        steps = fold(self._steps)
        message, remarks = "\n\n".join(self._words), tuple(self._remarks())
        return PlanDraft(NAME, steps, title=title_for(steps), message=message, remarks=remarks)

    def _remarks(self) -> Iterator[Problem]:
        if self._commands:
            message = f"The plan excludes the commands of the log; {self._commands_text()}."
            yield Problem("calls.commands", message, _RUN_IT, Severity.WARNING)
        if calls := self._excluded.total():
            subject = "1 call edits no file and was" if calls == 1 else f"{calls} calls edit no file and were"
            message = f"{subject} excluded: {self._excluded_names()}."
            yield Problem("calls.left_out", message, "", Severity.NOTE)

    def _commands_text(self) -> str:
        count = len(self._commands)
        text = "; ".join(_command_text(tool, words) for tool, words in self._commands[:NAMED_FILES_UP_TO])
        text += "; …" if count > NAMED_FILES_UP_TO else ""
        return f"{count} {'command' if count == 1 else 'commands'} may have changed files: {text}"

    def _read_tool_call(self, call: Call) -> None:
        if is_edit_tool(call.tool):
            steps = read_call(call)
        else:
            found = classify_call(call.tool, call.input)
            if found.effect is Effect.COMMAND:
                self._commands.append((call.tool, found.detail))
                return
            steps = [unknown_edit(call, found.detail)] if found.effect is Effect.EDIT else []
        if not steps:
            self._excluded[call.tool] += 1
        for step in steps:
            self._steps.append(step)
            if step.path:
                self._paths.add(step.path)
            else:
                self._without_path += 1
        self._limits.check_steps(len(self._paths) + self._without_path)

    def _calls(self, value: JsonValue, *, cwd: str, is_agent: bool) -> Iterator[Call]:
        """Yield a value's tool calls in order.

        `speaks` is set inside a message of the agent.
        """
        if isinstance(value.value, tuple):
            for item in value.value:
                yield from self._calls(item, cwd=cwd, is_agent=is_agent)
            return
        if not isinstance(value.value, JsonObject):
            return
        members = value.value.members
        cwd = _text(members.get("cwd")) or cwd
        is_agent = is_agent or _text(members.get("role")) in _AGENT_ROLES
        tool_use = _tool_and_input(members)
        if tool_use is not None:
            tool, arguments = tool_use
            self._found += 1
            if not self._is_repeated(members, (tool, plain_value(arguments))):
                yield Call(tool, arguments, cwd, self._reply.line(value.position), self._project)
            return
        words = _text(members.get("text")) or _text(members.get("content"))
        if is_agent and words and words.strip():
            self._words.append(whole_text(words.strip()))
        for key in _HOLDS_CALLS:
            if key in members:
                yield from self._calls(members[key], cwd=cwd, is_agent=is_agent)

    def _is_repeated(self, members: Mapping[str, JsonValue], tool_use: object) -> bool:
        name = next(filter(None, (_text(members.get(key)) for key in _ID_KEYS)), "")
        if not name:
            return False
        if self._seen.get(name) == tool_use:
            return True
        self._seen[name] = tool_use
        return False

    def _check_keys(self, value: JsonValue) -> None:
        pending = [value]
        while pending:
            content = pending.pop().value
            if isinstance(content, tuple):
                pending.extend(content)
            elif isinstance(content, JsonObject):
                pending.extend(content.members.values())
                for key, position in content.duplicates:
                    shown = show_name(key[:QUOTED_CHARACTERS])
                    self._add("calls.twice", f'The key "{shown}" is duplicated.', "Give it once.", position)

    def _excluded_names(self) -> str:
        names = [
            f"{show_name(tool[:QUOTED_CHARACTERS])} ({count})"
            if count > 1
            else show_name(tool[:QUOTED_CHARACTERS])
            for tool, count in list(self._excluded.items())[:NAMED_FILES_UP_TO]
        ]
        return ", ".join(names) + (", …" if len(self._excluded) > NAMED_FILES_UP_TO else "")

    def _add(self, code: str, message: str, hint: str, position: int) -> None:
        if self._problems.room > 0:
            self._problems.add(self._reply.problem(code, message, hint, position))
        else:
            self._problems.count(1)


def _command_text(tool: str, words: str) -> str:
    more = "…" if len(words) > QUOTED_CHARACTERS else ""
    command = f" “{show_name(words[:QUOTED_CHARACTERS])}{more}”" if words else ""
    return f"{show_name(tool[:QUOTED_CHARACTERS])}{command}"


def _tool_and_input(members: Mapping[str, JsonValue]) -> tuple[str, JsonValue | None] | None:
    """Return a tool call object's tool and input, else None."""
    if "tool_name" in members:
        name = _text(members["tool_name"])
        return (name, members.get("tool_input")) if name else None
    arguments = next((members[key] for key in _INPUT_KEYS if key in members), None)
    if _text(members.get("type")) == _LOCAL_SHELL and "action" in members:
        return _LOCAL_SHELL, members["action"]
    tool = _text(members.get("tool"))
    if tool:
        state = members.get("state")
        if state is not None and isinstance(state.value, JsonObject):
            is_begun = _text(state.value.members.get("status")) != "pending"
            arguments = state.value.members.get("input") if is_begun else None
        return (tool, arguments) if arguments is not None else None
    name = _text(members.get("name"))
    return (name, arguments) if name and arguments is not None else None


def _is_message(value: JsonValue) -> bool:
    """Return whether a value is another logged item: a message, an event."""
    if not isinstance(value.value, JsonObject):
        return False
    return any(_text(value.value.members.get(key)) for key in ("role", "type"))


def _text(value: JsonValue | None) -> str:
    return value.value if value is not None and isinstance(value.value, str) else ""
