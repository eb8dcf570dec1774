"""What is listed: every tool with closed schemas, bounds and hints, in both eras of the protocol (R198)."""

from __future__ import annotations

import pytest

from studio.engine.tools import OPERATIONS
from tests.doors.mcp.conftest import ERAS, Connect

OF_PLANS = ["propose", "propose_status", "wait", "withdraw"]
READ_ONLY = {"read", "list", "tree", "exists", "info", "search", "propose_status", "wait"}


@pytest.mark.parametrize("era", ERAS)
def test_each_tool_is_listed(connect: Connect, era: str) -> None:
    agent = connect(era=era)
    assert agent.version == ERAS[era]
    tools = agent.tools()
    assert list(tools) == [*(operation.method for operation in OPERATIONS), *OF_PLANS]
    assert {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint} == (
        READ_ONLY
    )
    for name, tool in tools.items():
        hints = tool.annotations
        assert tool.title and tool.description and hints is not None and hints.open_world_hint is False
        assert not (hints.read_only_hint and hints.destructive_hint), name
        taken = tool.input_schema
        assert taken["type"] == "object" and taken["additionalProperties"] is False, name
        for parameter, schema in taken["properties"].items():
            is_bounded = schema["type"] == "boolean" or {"maxLength", "maxItems", "minimum"} & schema.keys()
            assert is_bounded, (name, parameter)
        given = tool.output_schema
        assert given is not None and given["type"] == "object" and given["additionalProperties"] is False
    confirm = tools["delete"].input_schema["properties"]["confirm"]["description"]
    assert confirm.endswith("Of a plan a person decides.")
