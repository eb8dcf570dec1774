"""Anthropic Messages API: request parsing and responses of the scripted model.

It parses requests, and formats turns as whole or streamed responses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from studio.doors.agents.script import ModelRequest, ToolResult, Turn, call_id, count_turns, fields_of

PATH: Final = re.compile(r"/v1/messages")

Fields = Mapping[str, Any]


def read(body: Fields) -> ModelRequest:
    """Parse a request into the protocol-independent form."""
    messages = [(str(message["role"]), _parts(message["content"])) for message in _list(body, "messages")]
    from_model = [part for role, parts in messages for part in parts if role == "assistant"]
    from_user = [part for role, parts in messages for part in parts if role == "user"]
    aside = [part for role, parts in messages for part in parts if role == "system"]
    return ModelRequest(
        turns=count_turns(part.get("id") for part in from_model if part["type"] in ("text", "tool_use")),
        system=tuple(_texts([*_parts(body.get("system", [])), *aside])),
        prompts=tuple(_texts(from_user)),
        results=tuple(
            ToolResult(
                part["tool_use_id"], "\n".join(_texts(_parts(part.get("content", "")))), _is_error(part)
            )
            for part in from_user
            if part["type"] == "tool_result"
        ),
        tools=tuple(str(tool["name"]) for tool in _list(body, "tools")),
        body=body,
    )


def _list(body: Fields, key: str) -> Sequence[Fields]:
    return cast("Sequence[Fields]", body.get(key) or [])


def _parts(content: str | Sequence[Fields]) -> Sequence[Fields]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(parts: Sequence[Fields]) -> list[str]:
    return [str(part["text"]) for part in parts if part["type"] == "text"]


def _is_error(part: Fields) -> bool:
    return bool(part.get("is_error", False))


def whole(turn: Turn, request: ModelRequest) -> Fields:
    """Return the turn as one response."""
    return {
        **_message(request),
        "content": _blocks(turn, request),
        "stop_reason": _stop_reason(turn),
    }


def streamed(turn: Turn, request: ModelRequest) -> Iterator[Fields]:
    """Yield the turn as events, each with its `type`."""
    yield {"type": "message_start", "message": _message(request)}
    for index, block in enumerate(_blocks(turn, request)):
        if block["type"] == "text":
            initial, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            initial = {"input": dict[str, Any]()}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **initial}}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": _stop_reason(turn), "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _message(request: ModelRequest) -> Fields:
    return {
        "id": f"msg_{request.turns}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", ""),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _blocks(turn: Turn, request: ModelRequest) -> list[dict[str, Any]]:
    if isinstance(turn, str):
        return [{"type": "text", "text": turn}]
    return [
        {
            "type": "tool_use",
            "id": call_id(request.turns, index),
            "name": call.name,
            "input": fields_of(call),
        }
        for index, call in enumerate(turn)
    ]


def _stop_reason(turn: Turn) -> str:
    return "end_turn" if isinstance(turn, str) else "tool_use"
