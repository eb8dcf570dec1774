"""The scripted model: asked by HTTP as clients ask it."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from studio.doors.agents.model_server import ModelServer
from studio.doors.agents.script import ENDED, Call, ToolResult

TWO_EDITS = (Call("Edit", {"path": "a"}), Call("Edit", {"path": "b"}))
SCRIPT = (TWO_EDITS, "Done.")
WHOLE, STREAMED = "generateContent", "streamGenerateContent"
PATCH = (Call("apply_patch", "*** Begin Patch\n"), Call("mcp__lab/note", {"text": "x"}))


def ask(model: ModelServer, path: str, body: Mapping[str, Any], method: str = "POST") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", int(model.url.rpartition(":")[2]), timeout=10)
    try:
        connection.request(method, path, json.dumps(body))
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def answered(model: ModelServer, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    status, text = ask(model, path, body)
    assert status == 200
    return json.loads(text)


def events(model: ModelServer, path: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is streamed; the name of each event is also in its data."""
    status, text = ask(model, path, {**body, "stream": True})
    assert status == 200
    found = re.findall(r"event: (.+)\ndata: (.+)\n\n", text.decode())
    assert [name for name, _ in found] == [json.loads(data)["type"] for _, data in found]
    return [json.loads(data) for _, data in found]


def messages(*history: dict[str, Any], **fields: Any) -> dict[str, Any]:
    prompt = {"role": "user", "content": "Go on."}
    return {"model": "m", "tools": [{"name": "Edit"}], "messages": [prompt, *history], **fields}


def items(*history: dict[str, Any], **fields: Any) -> dict[str, Any]:
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]}
    tools = [{"type": "custom", "name": "apply_patch"}, {"type": "web_search"}]
    return {"model": "m", "tools": tools, "input": [prompt, *history], **fields}


def contents(*history: dict[str, Any], **fields: Any) -> dict[str, Any]:
    prompt = {"role": "user", "parts": [{"text": "Go on."}]}
    tools = [{"functionDeclarations": [{"name": "replace"}, {"name": "write_file"}]}, {"googleSearch": {}}]
    return {"tools": tools, "contents": [prompt, *history], **fields}


def chat(*history: dict[str, Any], **fields: Any) -> dict[str, Any]:
    tools = [{"type": "function", "function": {"name": "edit"}}]
    prompt = {"role": "user", "content": [{"type": "text", "text": "Go on."}]}
    return {"model": "m", "tools": tools, "messages": [prompt, *history], **fields}


def test_messages_follow_the_script() -> None:
    with ModelServer(SCRIPT) as model:
        first = answered(model, "/v1/messages?beta=true", messages())
        assert first["stop_reason"] == "tool_use"
        calls = [(part["type"], part["name"], part["input"]) for part in first["content"]]
        assert calls == [("tool_use", "Edit", {"path": "a"}), ("tool_use", "Edit", {"path": "b"})]
        ids = [part["id"] for part in first["content"]]
        yes = [{"type": "text", "text": "Yes."}]
        results = [
            {"type": "tool_result", "tool_use_id": ids[0], "content": "No.", "is_error": True},
            {"type": "tool_result", "tool_use_id": ids[1], "content": yes},
        ]
        told = [
            {"role": "assistant", "content": first["content"]},
            {"role": "user", "content": results},
            {"role": "system", "content": "A hook says something."},
        ]
        second = answered(model, "/v1/messages", messages(*told))
        request = model.record.last
        third = answered(model, "/v1/messages", messages(*told, {"role": "assistant", "content": "Done."}))
    assert (second["stop_reason"], second["content"][0]["text"]) == ("end_turn", "Done.")
    assert third["content"][0]["text"] == ENDED
    assert request.results == (
        ToolResult("call_0_0", "No.", is_error=True),
        ToolResult("call_0_1", "Yes.", is_error=False),
    )
    assert request.system == ("A hook says something.",)
    assert (request.turns, request.prompts, request.tools) == (1, ("Go on.",), ("Edit",))


def test_messages_are_streamed() -> None:
    with ModelServer(SCRIPT) as model:
        streamed = events(model, "/v1/messages", messages())
    kinds = [event["type"].removeprefix("content_block_") for event in streamed]
    assert kinds == ["message_start", *(["start", "delta", "stop"] * 2), "message_delta", "message_stop"]
    parts = [event["delta"]["partial_json"] for event in streamed if event["type"] == "content_block_delta"]
    assert [json.loads(part) for part in parts] == [{"path": "a"}, {"path": "b"}]
    assert streamed[-2]["delta"]["stop_reason"] == "tool_use"


def test_responses_follow_the_script() -> None:
    with ModelServer((PATCH, "Done.")) as model:
        first = answered(model, "/v1/responses", items())["output"]
        results = [
            {"type": "custom_tool_call_output", "call_id": first[0]["call_id"], "output": "Success."},
            {
                "type": "function_call_output",
                "call_id": first[1]["call_id"],
                "output": [{"type": "input_text", "text": "noted"}],
            },
            {"role": "developer", "content": [{"type": "input_text", "text": "A hook says something."}]},
        ]
        streamed = events(model, "/v1/responses", items(*first, *results, instructions="Be kind."))
        request = model.record.last
    assert [item["type"] for item in first] == ["custom_tool_call", "function_call"]
    assert first[0]["input"] == "*** Begin Patch\n"
    assert (first[1]["namespace"], first[1]["name"]) == ("mcp__lab", "note")
    assert json.loads(first[1]["arguments"]) == {"text": "x"}
    kinds = [event["type"] for event in streamed]
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert streamed[2]["item"]["content"][0]["text"] == "Done."
    assert [(result.call, result.text) for result in request.results] == [
        ("call_0_0", "Success."),
        ("call_0_1", "noted"),
    ]
    assert request.system == ("Be kind.", "A hook says something.")
    assert (request.turns, request.prompts, request.tools) == (1, ("Go on.",), ("apply_patch",))


def test_contents_follow_the_script() -> None:
    """The path names a model, and says whether the answer is streamed."""
    ask_whole, ask_streamed = (f"/v1beta/models/gemini-x:{how}" for how in (WHOLE, STREAMED))
    with ModelServer(SCRIPT) as model:
        first = answered(model, ask_whole, contents())["candidates"][0]["content"]
        calls = [part["functionCall"] for part in first["parts"]]
        results = [
            {"functionResponse": {**calls[0], "response": {"error": "No."}}},
            {"functionResponse": {**calls[1], "response": {"output": "Yes."}}},
        ]
        told = [first, {"role": "user", "parts": results}]
        system = {"role": "user", "parts": [{"text": "Be kind."}]}
        status, text = ask(
            model, f"{ask_streamed}?alt=sse", contents(*told, systemInstruction=system, stream=False)
        )
        request = model.record.last
        noted = {"id": "call_1_0", "name": "note", "response": {"content": [{"text": "x"}]}}
        answered(model, ask_whole, contents(*told, {"parts": [{"functionResponse": noted}]}))
        other = model.record.last.results[-1]
        assert ask(model, "/v1beta/models/gemini-x:countTokens", {})[0] == 404
    assert [(call["name"], call["args"]) for call in calls] == [
        ("Edit", {"path": "a"}),
        ("Edit", {"path": "b"}),
    ]
    (data,) = re.findall(r"data: (.+)\n\n", text.decode())
    said = json.loads(data)["candidates"][0]
    assert (status, said["content"]["parts"], said["finishReason"]) == (200, [{"text": "Done."}], "STOP")
    assert request.results == (
        ToolResult("call_0_0", "No.", is_error=True),
        ToolResult("call_0_1", "Yes.", is_error=False),
    )
    assert (request.turns, request.prompts, request.system) == (1, ("Go on.",), ("Be kind.",))
    assert request.tools == ("replace", "write_file")
    assert other == ToolResult("call_1_0", '{"content": [{"text": "x"}]}', is_error=False)


def test_chats_follow_the_script() -> None:
    path = "/v1/chat/completions"
    with ModelServer(SCRIPT) as model:
        first = answered(model, path, chat())["choices"][0]
        calls = first["message"]["tool_calls"]
        told = [
            {"role": "system", "content": "Be kind."},
            first["message"],
            {"role": "tool", "tool_call_id": calls[0]["id"], "content": "No."},
            {"role": "tool", "tool_call_id": calls[1]["id"], "content": [{"type": "text", "text": "Yes."}]},
        ]
        second = answered(model, path, chat(*told))["choices"][0]
        request = model.record.last
        third = answered(model, path, chat(*told, second["message"]))["choices"][0]
    assert first["finish_reason"] == "tool_calls"
    assert [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls] == [
        ("Edit", {"path": "a"}),
        ("Edit", {"path": "b"}),
    ]
    assert (second["message"]["content"], second["finish_reason"]) == ("Done.", "stop")
    assert third["message"]["content"] == ENDED
    assert [(result.call, result.text) for result in request.results] == [
        ("call_0_0", "No."),
        ("call_0_1", "Yes."),
    ]
    assert (request.turns, request.prompts, request.system) == (1, ("Go on.",), ("Be kind.",))
    assert request.tools == ("edit",)


def test_chats_are_streamed() -> None:
    with ModelServer(SCRIPT) as model:
        text = ask(model, "/v1/chat/completions", chat(stream=True, stream_options={"include_usage": True}))[
            1
        ].decode()
        bare = ask(model, "/v1/chat/completions", chat(stream=True))[1].decode()
    said = re.findall(r"data: (.+)\n\n", text)
    assert "".join(f"data: {each}\n\n" for each in said) == text, "chunks have no name"
    assert (said[-1], bare.count("data: ")) == ("[DONE]", len(said) - 1)
    first, end, usage = (json.loads(each) for each in said[:-1])
    calls = first["choices"][0]["delta"]["tool_calls"]
    assert [(call["index"], call["id"], json.loads(call["function"]["arguments"])) for call in calls] == [
        (0, "call_0_0", {"path": "a"}),
        (1, "call_0_1", {"path": "b"}),
    ]
    assert (first["choices"][0]["finish_reason"], end["choices"][0]["finish_reason"]) == (None, "tool_calls")
    assert (usage["choices"], usage["usage"]["total_tokens"]) == ([], 2)


def test_tools_in_a_group_are_on_record() -> None:
    group = {"type": "namespace", "name": "mcp__lab", "tools": [{"type": "function", "name": "note"}]}
    with ModelServer(PATCH[:0]) as model:
        answered(model, "/v1/responses", items(tools=[group]))
    assert model.record.last.tools == ("mcp__lab/note",)


def test_asking_again_changes_nothing() -> None:
    """A client that lost the answer gets it again; a title that it asks for between is no turn."""
    with ModelServer(SCRIPT) as model:
        first = answered(model, "/v1/messages", messages())
        aside = answered(model, "/v1/messages", messages(tools=[]))
        again = answered(model, "/v1/messages", messages())
    assert first == again
    assert aside["content"][0]["text"] == ENDED
    assert [request.is_side_request for request in model.record.requests] == [False, True, False]
    assert len(model.record.work) == 2


def test_what_nobody_serves_is_on_record() -> None:
    with ModelServer(SCRIPT) as model:
        assert ask(model, "/v1/messages/count_tokens", {})[0] == 404
        assert ask(model, "/", {}, "GET")[0] == 404
        assert ask(model, "/", {}, "HEAD") == (404, b"")
    assert model.record.unknown == ("POST /v1/messages/count_tokens", "GET /", "HEAD /")
    assert model.record.requests == ()


@pytest.mark.parametrize("body", [messages(), {"messages": [{"role": "user"}]}])
def test_what_it_can_not_answer_is_an_error_at_the_end(body: dict[str, Any]) -> None:
    """A client that is told so does not ask again, and no test goes on as if all were well."""
    with pytest.raises((TypeError, KeyError)), ModelServer((PATCH,)) as model:
        status, text = ask(model, "/v1/messages", body)
        assert status == 400
        assert json.loads(text)["error"]["type"] == "invalid_request_error"


def test_the_end_waits_for_no_client() -> None:
    """A client that keeps its connection, and says nothing, holds nobody up."""
    with ModelServer(SCRIPT) as model:
        connection = http.client.HTTPConnection("127.0.0.1", int(model.url.rpartition(":")[2]), timeout=10)
        connection.request("POST", "/v1/messages", json.dumps(messages()))
        connection.getresponse().read()
    connection.close()
