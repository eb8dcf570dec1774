"""What a scripted model says, and what it was told: the same for every protocol that it speaks.

A script is a list of turns. Which of them is next is read from the request's own history, so that a client
which asks again, or asks beside its work for a title, changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

ENDED = "That is all."
"""What the model says behind the last turn of its script."""

_CALL_ID = re.compile(r"call_(\d+)_(\d+)\Z")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call, of a tool in a group as `group/name`.

    Arguments are the tool's fields, or the whole text for a tool that takes one text.
    """

    name: str
    arguments: Mapping[str, Any] | str


Turn = str | tuple[Call, ...]
"""A text, or the tool calls that the model makes at once."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a client answered to one call: the text for the model, and whether it is marked as an error."""

    call: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request of a client, in the words of no protocol.

    `turns` counts the model's own turns in its history. `system` holds the instructions and whatever the
    client says to the model beside its user; `tools` the names on offer, those in a group as `group/name`;
    `body` all of it as it was sent.
    """

    turns: int
    system: tuple[str, ...]
    prompts: tuple[str, ...]
    results: tuple[ToolResult, ...]
    tools: tuple[str, ...]
    body: Mapping[str, Any]

    @property
    def is_aside(self) -> bool:
        """Whether this is asked beside the work (a title, a summary): nothing can be done in it."""
        return not self.tools


Script = tuple[Turn | Callable[[ModelRequest], Turn], ...]
"""The turns one after the other; one that rests on what was answered before is made of the request."""


def call_id(turn: int, index: int) -> str:
    """The id of a call; it says in which turn (from 0) the call was made."""
    return f"call_{turn}_{index}"


def fields_of(call: Call) -> Mapping[str, Any]:
    """The arguments of a call by name. Raises TypeError for one whose tool takes one text."""
    if isinstance(call.arguments, str):
        raise TypeError(f"{call.name}: this protocol has no tool that takes one text")
    return call.arguments


def turns_made(history: Iterable[str | None]) -> int:
    """How many turns the model has made, from what it said: the id of each call, None for each text."""
    turns = 0
    for said in history:
        match = _CALL_ID.match(said) if said is not None else None
        turns = int(match[1]) + 1 if match is not None else turns + 1
    return turns


def next_turn(script: Script, request: ModelRequest) -> Turn:
    """What the model says to this request."""
    turn = script[request.turns] if request.turns < len(script) else ENDED
    if request.is_aside:
        # A text can be said to whoever has no tools at all, and is a title as good as any other.
        return turn if isinstance(turn, str) else ENDED
    return turn(request) if callable(turn) else turn
