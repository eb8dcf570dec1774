"""What is listed: every tool with bounds and hints, in both eras of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp_types import Tool

from studio.extras.tools import OPERATIONS
from studio.formats.limits import SUBMISSION_BYTES
from studio.limits import TOOL_FILES_UP_TO
from tests.doors.mcp.conftest import ERAS, Agent, Connect

LISTED_BYTES = 8 * 1024
"""What a client sends its model in each turn: names, words, and what each tool takes."""

OF_PLANS = ["propose", "propose_status", "wait", "withdraw"]
READ_ONLY = {"read", "list", "tree", "exists", "info", "search", "propose_status", "wait"}


@pytest.mark.parametrize("era", ERAS)
def test_each_tool_is_listed(connect: Connect, era: str) -> None:
    agent = connect(era=era)
    assert agent.version == ERAS[era]
    tools = agent.tools()
    assert list(tools) == [*(operation.method for operation in OPERATIONS), "run", *OF_PLANS]
    assert {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint} == (
        READ_ONLY
    )
    for name, tool in tools.items():
        hints = tool.annotations
        assert tool.title and tool.description and hints is not None and hints.open_world_hint is False
        assert not (hints.read_only_hint and hints.destructive_hint), name
        taken = tool.input_schema
        assert taken["type"] == "object", name
        for parameter, schema in taken["properties"].items():
            is_bounded = schema["type"] == "boolean" or {"maxLength", "maxItems", "minimum"} & schema.keys()
            assert is_bounded, (name, parameter)
        given = tool.output_schema
        assert given is not None and given["type"] == "object" and given["additionalProperties"] is False
    confirm = tools["delete"].input_schema["properties"]["confirm"]["description"]
    assert confirm.endswith("a plan waits for review.")
    assert not {"file_path", "directory_path"} & {key for tool in tools.values() for key in properties(tool)}
    bulk = properties(tools["bulk"])["operations"]
    assert "read | write | append" in bulk["description"] and bulk["maxItems"] == TOOL_FILES_UP_TO
    assert f"{SUBMISSION_BYTES} bytes" in properties(tools["propose"])["text"]["description"]
    answered = [
        {"name": name, "description": tool.description, "inputSchema": tool.input_schema}
        for name, tool in tools.items()
    ]
    assert len(json.dumps(answered, ensure_ascii=False, separators=(",", ":")).encode()) <= LISTED_BYTES


def properties(tool: Tool) -> dict[str, Any]:
    return tool.input_schema["properties"]


def test_its_own_names_are_taken_and_the_offered_ones_answered(agent: Agent, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    for given in ({"path": "a.txt"}, {"file_path": "a.txt"}):
        assert agent.give("read", **given)["content"] == "one\n"
        for name in ("read", "read_file"):
            (item,) = agent.give("bulk", operations=[{"operation": name, **given}])["items"]
            assert item["success"] and item["operation"] == "read_file"
    refused = agent.refuse("read", path="a", file_path="a")
    assert refused.startswith("read takes no file_path. It takes path, ")
    refused = agent.refuse("bulk", operations=[{"operation": "write", "file_path": "a"}])
    assert refused.startswith("write requires content.")
    refused = agent.refuse("bulk", operations=[{"operation": "rm"}])
    assert refused.startswith("bulk has no operation rm. Use one of read, write, ")
