"""Definitions of the MCP tools: file operations and plan tools, with schemas.

What they do is imported at the first tool call; until then only the descriptions are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from msgspec.structs import replace

from studio.doors.limits import AGENT_WAIT_SECONDS, AGENT_WAIT_SECONDS_UP_TO
from studio.doors.outcomes import OUTCOME_SCHEMA
from studio.errors import UsageError
from studio.extras.tools import (
    ANY,
    OPERATIONS,
    Kind,
    Operation,
    Parameter,
    checked_arguments,
    input_schema,
    output_schema,
)
from studio.formats.limits import SUBMISSION_BYTES
from studio.limits import (
    CALL_CHARACTERS,
    PREFIX_CHARACTERS,
    SANDBOX_SECONDS,
    TITLE_CHARACTERS,
    TOOL_FILES_UP_TO,
)
from studio.names import show_name
from studio.values import Value

_PATH: Final = {"type": "string", "description": "The folder of the project."}
_ANSWER: Final[Mapping[str, Any]] = {
    **OUTCOME_SCHEMA,
    "properties": {
        **OUTCOME_SCHEMA["properties"],
        "project": {
            "type": "object",
            "description": "The project that the plan is for.",
            "properties": {
                "path": _PATH,
                "reason": {"type": "string", "description": "Why this folder was chosen."},
            },
            "required": ["path", "reason"],
            "additionalProperties": False,
        },
        "other_projects": {
            "type": "array",
            "description": "Folders around it with open plans of their own.",
            "items": {
                "type": "object",
                "properties": {"path": _PATH, "open_plans": {"type": "integer"}},
                "required": ["path", "open_plans"],
                "additionalProperties": False,
            },
        },
    },
    "required": [*OUTCOME_SCHEMA["required"], "project"],
}
"""Schema of an outcome together with its project."""

_ADDING = frozenset({"append_file", "create_directory"})
_REPEATABLE = frozenset({"write_file", "create_directory"})
_BECOMES_A_PLAN = " Creates a plan."
_PATH_NAME: Final = "path"
_OWN_PATH_NAMES: Final = ("file_path", "directory_path")
"""The file tool's own names for a path: accepted, but not listed."""


class Tool(Value):
    """One tool as it is listed.

    `declaration` describes its parameters by their names here, `result` is the JSON Schema of its result.
    `changes`: it may change a plan or, where the user allows it, a file; `destroys`: existing content may be
    lost; `repeats`: repeating a call has no further effect; `waits`: for a person. `operation` is the file
    tool's operation that carries it out, None for other tools.
    """

    name: str
    title: str
    declaration: Operation
    result: Mapping[str, Any]
    changes: bool = False
    destroys: bool = False
    repeats: bool = True
    waits: bool = False
    operation: Operation | None = None

    @property
    def words(self) -> str:
        """The description for a model."""
        return self.declaration.words

    @property
    def arguments(self) -> dict[str, object]:
        """The JSON Schema of its parameters.

        Open, as the file tool's own names are accepted as well.
        """
        parameters = self.declaration.parameters
        if self.name == _BULK:
            parameters = (replace(parameters[0], most=TOOL_FILES_UP_TO), *parameters[1:])
        schema = input_schema(replace(self.declaration, parameters=parameters))
        del schema["additionalProperties"]
        return schema

    def checked(self, raw: Mapping[str, object]) -> dict[str, object]:
        """Validate arguments and return them by the file tool's names.

        The file tool's own names are accepted, too. Raises UsageError as `checked_arguments`, by the names of
        this server.
        """
        path_name = next((name for name in _OWN_PATH_NAMES if name in self._own_names), _PATH_NAME)
        if path_name in raw and _PATH_NAME not in raw:
            raw = {_PATH_NAME if name == path_name else name: value for name, value in raw.items()}
        arguments = checked_arguments(self.declaration, raw)
        if self.name == _BULK:
            listed = cast("list[dict[str, object]]", arguments["operations"])
            arguments["operations"] = [_checked_entry(entry) for entry in listed]
        return {path_name if name == _PATH_NAME else name: value for name, value in arguments.items()}

    @property
    def _own_names(self) -> set[str]:
        return {each.name for each in self.operation.parameters} if self.operation is not None else set()


_BULK: Final = "bulk"
_IN_BULK: Final = tuple(operation.method for operation in OPERATIONS if operation.method != _BULK)
_LISTED: Final = f'In order: {{"operation": {" | ".join(_IN_BULK[:3])} or another file tool, ...}}.'


def _checked_entry(entry: Mapping[str, object]) -> dict[str, object]:
    """Validate one operation of a bulk, for the file tool. Raises UsageError."""
    operation_name = str(entry.get("operation", ""))
    for name in _IN_BULK:
        operation = TOOLS[name].operation
        if operation is not None and operation_name in (name, operation.name):
            raw = {word: value for word, value in entry.items() if word != "operation"}
            return {"operation": operation.name, **TOOLS[name].checked(raw)}
    raise UsageError(
        "tool.operation",
        f"{_BULK} has no operation {show_name(operation_name)}.",
        f"Use one of {', '.join(_IN_BULK)}.",
    )


def _of_operation(operation: Operation) -> Tool:
    parameters = operation.parameters
    if operation.method == _BULK:
        parameters = (replace(parameters[0], words=_LISTED), *parameters[1:])
    declaration = replace(
        operation,
        name=operation.method,
        words=f"{operation.words}{_BECOMES_A_PLAN if operation.changes else ''}",
        parameters=tuple(
            replace(each, name=_PATH_NAME) if each.name in _OWN_PATH_NAMES else each for each in parameters
        ),
    )
    return Tool(
        operation.method,
        operation.name.replace("_", " ").capitalize(),
        declaration,
        output_schema(operation.result),
        changes=operation.changes,
        destroys=operation.changes and operation.name not in _ADDING,
        repeats=not operation.changes or operation.name in _REPEATABLE,
        operation=operation,
    )


def _plan_tool(
    name: str, title: str, words: str, *parameters: Parameter, changes: bool = False, waits: bool = False
) -> Tool:
    declaration = Operation(name, name, words, parameters, ANY)
    return Tool(name, title, declaration, _ANSWER, changes=changes, waits=waits)


_PLAN = Parameter(
    "plan",
    Kind.STRING,
    "Plan id or its start.",
    least=PREFIX_CHARACTERS,
    most=36,
)

PROPOSE: Final = _plan_tool(
    "propose",
    "Propose changes",
    "Propose changes as one text: a unified diff, an apply_patch patch, SEARCH/REPLACE blocks, "
    'whole files, or JSON: {"steps": [{"op": "modify", "path": "a", "edits": [{"old": "", "new": ""}]}, '
    '{"op": "create", "path": "b", "content": ""}]}; also append, delete, move, copy, mkdir and mode. '
    "Nothing is written before the reviewer approves your plan.",
    Parameter(
        "text",
        Kind.STRING,
        f"At most {SUBMISSION_BYTES} bytes of UTF-8.",
        least=1,
        most=SUBMISSION_BYTES,
    ),
    Parameter("format", Kind.STRING, "Its format; auto detects it.", "auto", most=40),
    Parameter(
        "title",
        Kind.STRING,
        "One line; default: the text's own.",
        "",
        most=TITLE_CHARACTERS,
    ),
    Parameter("repair", Kind.BOOLEAN, "Accept text that fits after one named repair.", False),
    changes=True,
)
STATUS: Final = _plan_tool(
    "propose_status", "Get a plan's state", "Return the state of your plan without waiting.", _PLAN
)
WAIT: Final = _plan_tool(
    "wait",
    "Wait for a decision",
    "Wait until your plan is decided and, if approved, applied. Call again after a timeout.",
    _PLAN,
    Parameter(
        "timeout_seconds",
        Kind.INTEGER,
        "Time limit.",
        AGENT_WAIT_SECONDS,
        least=0,
        most=AGENT_WAIT_SECONDS_UP_TO,
    ),
    waits=True,
)
WITHDRAW: Final = _plan_tool(
    "withdraw", "Withdraw a plan", "Withdraw your plan before it is applied.", _PLAN, changes=True
)

_NULLABLE: Final = {"type": ["string", "null"]}
RUN: Final = Tool(
    "run",
    "Run a command",
    Operation(
        "run",
        "run",
        "Run a shell command in a sandbox without network. It sees your pending changes; its own join them.",
        (
            Parameter("command", Kind.STRING, "Shell command.", least=1, most=CALL_CHARACTERS),
            Parameter(
                "timeout_seconds",
                Kind.INTEGER,
                "Time limit.",
                int(SANDBOX_SECONDS),
                least=1,
                most=int(SANDBOX_SECONDS),
            ),
        ),
        ANY,
    ),
    {
        "type": "object",
        "title": "CommandOutcome",
        "properties": {
            "outcome": {"type": "string", "description": "How it ended."},
            "exit": {"type": ["integer", "null"]},
            "output": {"type": "string"},
            "plan": {**_NULLABLE, "description": "The id of your plan with its changes."},
            "state": _NULLABLE,
        },
        "required": ["outcome", "exit", "output", "plan", "state"],
        "additionalProperties": False,
    },
    changes=True,
    destroys=True,
    repeats=False,
    waits=True,
)

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in (*map(_of_operation, OPERATIONS), RUN, PROPOSE, STATUS, WAIT, WITHDRAW)
}
"""Every tool by name, in listing order."""
