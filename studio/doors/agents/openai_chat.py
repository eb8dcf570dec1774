"""OpenAI Chat Completions API: request parsing and responses of the scripted model.

It parses requests, and formats turns as whole or streamed responses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from studio.doors.agents.script import ModelRequest, ToolResult, Turn, call_id, count_turns, fields_of

PATH: Final = re.compile(r"/v1/chat/completions")
END: Final = "data: [DONE]\n\n"
"""Follows the last event of a stream."""

Fields = Mapping[str, Any]

_INSTRUCTIONS = ("system", "developer")


def read(body: Fields) -> ModelRequest:
    """Parse a request into the protocol-independent form."""
    messages = _list(body, "messages")
    return ModelRequest(
        turns=count_turns(call for message in messages for call in _call_ids(message)),
        system=tuple(_text(message) for message in messages if message["role"] in _INSTRUCTIONS),
        prompts=tuple(_text(message) for message in messages if message["role"] == "user"),
        results=tuple(
            # Only the text shows success or failure.
            ToolResult(message["tool_call_id"], _text(message), is_error=False)
            for message in messages
            if message["role"] == "tool"
        ),
        tools=tuple(str(tool["function"]["name"]) for tool in _list(body, "tools")),
        body=body,
    )


def _call_ids(message: Fields) -> Iterator[str | None]:
    """Yield each tool call id of the model, None for text."""
    if message["role"] != "assistant":
        return
    if _text(message):
        yield None
    yield from (str(call["id"]) for call in _list(message, "tool_calls"))


def _list(fields: Fields, key: str) -> Sequence[Fields]:
    return cast("Sequence[Fields]", fields.get(key) or [])


def _text(message: Fields) -> str:
    content: str | Sequence[Fields] = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if "text" in part)


def whole(turn: Turn, request: ModelRequest) -> Fields:
    """Return the turn as one response."""
    choice = {"index": 0, "message": _message(turn, request), "finish_reason": _finish_reason(turn)}
    return {**_completion(request, "chat.completion"), "choices": [choice], "usage": _USAGE}


def streamed(turn: Turn, request: ModelRequest) -> Iterator[Fields]:
    """Yield the turn as chunks."""
    chunk = _completion(request, "chat.completion.chunk")
    message = dict(_message(turn, request))
    if calls := message.get("tool_calls"):
        message["tool_calls"] = [{"index": index, **call} for index, call in enumerate(calls)]
    for delta, reason in ((message, None), (dict[str, Any](), _finish_reason(turn))):
        yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    options = cast("Fields", request.body.get("stream_options") or {})
    if options.get("include_usage"):
        yield {**chunk, "choices": [], "usage": _USAGE}


_USAGE: Final = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _completion(request: ModelRequest, kind: str) -> Fields:
    model = request.body.get("model", "")
    return {"id": f"chatcmpl-{request.turns}", "object": kind, "created": 0, "model": model}


def _message(turn: Turn, request: ModelRequest) -> Fields:
    if isinstance(turn, str):
        return {"role": "assistant", "content": turn}
    calls = [
        {
            "id": call_id(request.turns, index),
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(fields_of(call)))},
        }
        for index, call in enumerate(turn)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _finish_reason(turn: Turn) -> str:
    return "stop" if isinstance(turn, str) else "tool_calls"
