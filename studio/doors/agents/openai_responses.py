"""OpenAI Responses API: request parsing and responses of the scripted model.

It parses requests, and formats turns as whole or streamed responses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from studio.doors.agents.script import Call, ModelRequest, ToolResult, Turn, call_id, count_turns

PATH: Final = re.compile(r"/v1/responses")

Fields = Mapping[str, Any]

_CALLS = ("function_call", "custom_tool_call")
_RESULTS = ("function_call_output", "custom_tool_call_output")


def read(body: Fields) -> ModelRequest:
    """Parse a request into the protocol-independent form."""
    items = _input(body)
    from_model = [item for item in items if item["type"] in _CALLS or item.get("role") == "assistant"]
    instructions = [str(text) for text in [body.get("instructions")] if text]
    return ModelRequest(
        turns=count_turns(item.get("call_id") for item in from_model),
        system=(*instructions, *_input_texts(items, "developer"), *_input_texts(items, "system")),
        prompts=tuple(_input_texts(items, "user")),
        results=tuple(
            # Only the text shows success or failure.
            ToolResult(item["call_id"], _text(item["output"]), is_error=False)
            for item in items
            if item["type"] in _RESULTS
        ),
        tools=tuple(f"{group}/{tool['name']}" if group else tool["name"] for group, tool in _tools(body)),
        body=body,
    )


def _input(body: Fields) -> Sequence[Fields]:
    items: str | Sequence[Fields] = body.get("input") or ()
    if isinstance(items, str):
        return [{"type": "message", "role": "user", "content": items}]
    return [{"type": "message", **item} for item in items]


def _input_texts(items: Sequence[Fields], role: str) -> list[str]:
    return [_text(item["content"]) for item in items if item["type"] == "message" and item["role"] == role]


def _text(content: str | Sequence[Fields]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if "text" in part)


def _tools(body: Fields) -> Iterator[tuple[str, Fields]]:
    """Yield every named tool, with its group's name or ""."""
    for tool in cast("Sequence[Fields]", body.get("tools") or []):
        if tool["type"] == "namespace":
            yield from ((str(tool["name"]), member) for member in tool["tools"])
        elif "name" in tool:
            yield "", tool


def whole(turn: Turn, request: ModelRequest) -> Fields:
    """Return the turn as one response."""
    return _response(request, "completed", _items(turn, request))


def streamed(turn: Turn, request: ModelRequest) -> Iterator[Fields]:
    """Yield the turn as events, each with its `type`."""
    items = _items(turn, request)
    yield {"type": "response.created", "response": _response(request, "in_progress", [])}
    for index, item in enumerate(items):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": _response(request, "completed", items)}


def _response(request: ModelRequest, status: str, output: Sequence[Fields]) -> Fields:
    return {
        "id": f"resp_{request.turns}",
        "object": "response",
        "created_at": 0,
        "model": request.body.get("model", ""),
        "status": status,
        "output": output,
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def _items(turn: Turn, request: ModelRequest) -> list[Fields]:
    if isinstance(turn, str):
        text: Fields = {"type": "output_text", "text": turn, "annotations": []}
        return [
            {
                "type": "message",
                "id": f"msg_{request.turns}",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
        ]
    return [_call_item(call, request, index) for index, call in enumerate(turn)]


def _call_item(call: Call, request: ModelRequest, index: int) -> Fields:
    group, _, name = call.name.rpartition("/")
    item: dict[str, Any] = {
        "id": f"item_{request.turns}_{index}",
        "call_id": call_id(request.turns, index),
        "name": name,
        "status": "completed",
    }
    if group:
        item["namespace"] = group
    if isinstance(call.arguments, str):
        return {**item, "type": "custom_tool_call", "input": call.arguments}
    return {**item, "type": "function_call", "arguments": json.dumps(dict(call.arguments))}
