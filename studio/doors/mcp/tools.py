"""The tools of the door, as they are listed: those for files are the file tool's operations (R198).

What they do is loaded when the first is called; until then only descriptions are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from studio.doors.outcomes import OUTCOME_SCHEMA
from studio.engine.agent_limits import AGENT_WAIT_SECONDS, AGENT_WAIT_SECONDS_UP_TO
from studio.engine.limits import PREFIX_CHARACTERS, SUBMISSION_BYTES, TITLE_CHARACTERS
from studio.engine.tools import ANY, OPERATIONS, Kind, Operation, Parameter, input_schema, output_schema

_PATH: Final = {"type": "string", "description": "Its folder."}
_ANSWER: Final[Mapping[str, Any]] = {
    **OUTCOME_SCHEMA,
    "properties": {
        **OUTCOME_SCHEMA["properties"],
        "project": {
            "type": "object",
            "description": "The project that the plan is for.",
            "properties": {
                "path": _PATH,
                "reason": {"type": "string", "description": "Why it is this folder."},
            },
            "required": ["path", "reason"],
            "additionalProperties": False,
        },
        "other_projects": {
            "type": "array",
            "description": "Folders around it that have open plans of their own.",
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
"""An outcome together with the project it is about."""

_ADDING = frozenset({"append_file", "create_directory"})
_REPEATABLE = frozenset({"write_file", "create_directory"})
_BECOMES_A_PLAN = " It joins your plan: a person decides it, and nothing is on the disk before."


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is listed.

    `asked` is what it takes, `result` the JSON Schema of what it gives. `changes`: a plan is another one
    afterwards, or, where the user allows it, a file; `destroys`: what was there may be gone then; `repeats`:
    a second call like the first one does nothing more; `waits`: for a person.
    """

    name: str
    title: str
    asked: Operation
    result: Mapping[str, Any]
    changes: bool = False
    destroys: bool = False
    repeats: bool = True
    waits: bool = False

    @property
    def words(self) -> str:
        """What it does, for a model."""
        return self.asked.words

    @property
    def arguments(self) -> dict[str, object]:
        """The JSON Schema of what it takes."""
        return input_schema(self.asked)


def _of_operation(operation: Operation) -> Tool:
    asked = operation
    if operation.changes:
        asked = replace(operation, words=f"{operation.words}{_BECOMES_A_PLAN}")
    return Tool(
        operation.method,
        operation.name.replace("_", " ").capitalize(),
        asked,
        output_schema(operation.result),
        changes=operation.changes,
        destroys=operation.changes and operation.name not in _ADDING,
        repeats=not operation.changes or operation.name in _REPEATABLE,
    )


def _about_a_plan(
    name: str, title: str, words: str, *parameters: Parameter, changes: bool = False, waits: bool = False
) -> Tool:
    asked = Operation(name, name, words, parameters, ANY)
    return Tool(name, title, asked, _ANSWER, changes=changes, waits=waits)


_PLAN = Parameter(
    "plan",
    Kind.STRING,
    "The plan's id, or the beginning of it, as a proposal or a change was answered with it.",
    least=PREFIX_CHARACTERS,
    most=36,
)

PROPOSE: Final = _about_a_plan(
    "propose",
    "Propose changes",
    "Propose changes of files in one text: a unified diff, an apply_patch patch, SEARCH/REPLACE blocks, "
    'whole files, or JSON like {"title": "...", "steps": [{"op": "modify", "path": "a.py", "edits": [{"old": '
    '"...", "new": "..."}]}, {"op": "create", "path": "b.py", "content": "..."}]} with the operations '
    f"create, modify, append, delete, move, copy, mkdir and mode.{_BECOMES_A_PLAN}",
    Parameter("text", Kind.STRING, "The changes.", least=1, most=SUBMISSION_BYTES),
    Parameter("format", Kind.STRING, "The name of the format; auto finds it out.", "auto", most=40),
    Parameter(
        "title",
        Kind.STRING,
        "What the person reads about it, in one line; else what the text says.",
        "",
        most=TITLE_CHARACTERS,
    ),
    Parameter("repair", Kind.BOOLEAN, "Take what fits with one named repair alone; it is shown.", False),
    changes=True,
)
STATUS: Final = _about_a_plan(
    "propose_status", "Look at a plan", "How a plan of yours stands, at once.", _PLAN
)
WAIT: Final = _about_a_plan(
    "wait",
    "Wait for a decision",
    "Wait until a plan of yours is decided and, if it was approved, applied; or until the time is over, then "
    "call it again. What was left out or changed is told with the reason.",
    _PLAN,
    Parameter(
        "timeout_seconds",
        Kind.INTEGER,
        "How long to wait.",
        AGENT_WAIT_SECONDS,
        least=0,
        most=AGENT_WAIT_SECONDS_UP_TO,
    ),
    waits=True,
)
WITHDRAW: Final = _about_a_plan(
    "withdraw", "Withdraw a plan", "Take a plan of yours back that is not applied yet.", _PLAN, changes=True
)

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in (*map(_of_operation, OPERATIONS), PROPOSE, STATUS, WAIT, WITHDRAW)
}
"""Every tool of the door by its name, in the order in which they are listed."""
