"""Scripted model for gate tests: predefined replies and parsed model requests.

A script is a list of turns. The next turn is found from the request's own history, so that a client which
repeats a request, or asks for a title beside its work, changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from studio.values import Value

ENDED = "That is all."
"""The model's reply after the last turn of its script."""

_CALL_ID = re.compile(r"call_(\d+)_(\d+)\Z")


class Call(Value):
    """One tool call; a tool in a group is named `group/name`.

    `arguments` are the tool's fields, or the whole text for a tool that takes one text.
    """

    name: str
    arguments: Mapping[str, Any] | str


Turn = str | tuple[Call, ...]
"""A text, or the tool calls that the model makes at once."""


class ToolResult(Value):
    """A client's answer to one tool call, with its error mark."""

    call: str
    text: str
    is_error: bool


class ModelRequest(Value):
    """One request of a client, independent of the protocol.

    `turns` counts the model's own turns in its history. `system` has the instructions and other text of the
    client that is not its user's; `tools` the names on offer, those in a group as `group/name`; `body` the
    request as sent.
    """

    turns: int
    system: tuple[str, ...]
    prompts: tuple[str, ...]
    results: tuple[ToolResult, ...]
    tools: tuple[str, ...]
    body: Mapping[str, Any]

    @property
    def is_side_request(self) -> bool:
        """Whether this is a side request, such as a title.

        Such a request offers no tools.
        """
        return not self.tools


Script = tuple[Turn | Callable[[ModelRequest], Turn], ...]
"""The turns in order; a function makes a turn from the request."""


def call_id(turn: int, index: int) -> str:
    """Return a tool call's id, which encodes its turn (from 0)."""
    return f"call_{turn}_{index}"


def fields_of(call: Call) -> Mapping[str, Any]:
    """Return a tool call's named arguments. Raises TypeError for text."""
    if isinstance(call.arguments, str):
        raise TypeError(f"{call.name}: this protocol has no tool that accepts one text")
    return call.arguments


def count_turns(history: Iterable[str | None]) -> int:
    """Count the model's turns by tool call ids, None for each text."""
    turns = 0
    for entry in history:
        match = _CALL_ID.match(entry) if entry is not None else None
        turns = int(match[1]) + 1 if match is not None else turns + 1
    return turns


def next_turn(script: Script, request: ModelRequest) -> Turn:
    """Return the model's turn for this request."""
    turn = script[request.turns] if request.turns < len(script) else ENDED
    if request.is_side_request:
        # A client without tools accepts only text; as a title any text will do.
        return turn if isinstance(turn, str) else ENDED
    return turn(request) if callable(turn) else turn
