"""Gemini contents API: request parsing and responses of the scripted model.

It parses requests, and formats turns as whole or streamed responses. The path names the model, and whether
the response is streamed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from studio.doors.agents.script import ModelRequest, ToolResult, Turn, call_id, count_turns, fields_of

PATH: Final = re.compile(r"/v1beta/models/[^/:]+:(?:generateContent|(?P<streamed>streamGenerateContent))")

Fields = Mapping[str, Any]


def read(body: Fields) -> ModelRequest:
    """Parse a request into the protocol-independent form."""
    contents = [(content.get("role", "user"), _parts(content)) for content in _list(body, "contents")]
    from_model = [part for role, parts in contents for part in parts if role == "model"]
    from_user = [part for role, parts in contents for part in parts if role == "user"]
    return ModelRequest(
        turns=count_turns(
            part["functionCall"].get("id") if "functionCall" in part else None for part in from_model
        ),
        system=tuple(_texts(_parts(body.get("systemInstruction") or {}))),
        prompts=tuple(_texts(from_user)),
        results=tuple(_result(part["functionResponse"]) for part in from_user if "functionResponse" in part),
        tools=tuple(
            str(tool["name"])
            for group in _list(body, "tools")
            for tool in _list(group, "functionDeclarations")
        ),
        body=body,
    )


def _list(fields: Fields, key: str) -> Sequence[Fields]:
    return cast("Sequence[Fields]", fields.get(key) or [])


def _parts(content: Fields) -> Sequence[Fields]:
    return _list(content, "parts")


def _texts(parts: Sequence[Fields]) -> list[str]:
    return [str(part["text"]) for part in parts if "text" in part]


def _result(part: Fields) -> ToolResult:
    response = cast("Fields", part["response"])
    output = response.get("error", response.get("output"))
    text = output if isinstance(output, str) else json.dumps(response)
    return ToolResult(part["id"], text, is_error="error" in response)


def whole(turn: Turn, request: ModelRequest) -> Fields:
    """Return the turn as one response."""
    content = {"role": "model", "parts": _candidate(turn, request)}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate = {"index": 0, "content": content, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": usage}


def streamed(turn: Turn, request: ModelRequest) -> Iterator[Fields]:
    """Yield the turn as a single event, since it fits in one."""
    yield whole(turn, request)


def _candidate(turn: Turn, request: ModelRequest) -> list[Fields]:
    if isinstance(turn, str):
        return [{"text": turn}]
    calls = [
        {"id": call_id(request.turns, index), "name": call.name, "args": dict(fields_of(call))}
        for index, call in enumerate(turn)
    ]
    return [{"functionCall": call} for call in calls]
