"""Whether what an agent calls by our name is ours: where else it may find a server of that name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.doors.connect import carry_out, client_of, only_own_server, plan_connection

OTHER = json.dumps({"mcpServers": {"studio": {"command": "/tmp/other"}}})
PLACES = [
    ("claude-code", "project/.mcp.json"),
    ("claude-code", ".mcp.json"),
    ("gemini", "project/.gemini/settings.json"),
    ("gemini", ".gemini/settings.json"),
    ("gemini", "home/.gemini/extensions/one/gemini-extension.json"),
    ("qwen", "project/.qwen/settings.json"),
    ("qwen", "project/.mcp.json"),
    ("qwen", "home/.qwen/extensions/one/qwen-extension.json"),
    ("opencode", "project/opencode.json"),
    ("opencode", "project/.opencode/opencode.jsonc"),
    ("opencode", "opencode.jsonc"),
    ("opencode", "config/opencode/opencode.jsonc"),
]


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_another_server_of_our_name_is_found(name: str, place: str, private_folders: Path) -> None:
    project = private_folders / "project"
    assert not only_own_server(client_of(name), project), "there is none at all"
    carry_out(plan_connection(client_of(name)))
    assert only_own_server(client_of(name), project)
    file = private_folders / place
    file.parent.mkdir(parents=True, exist_ok=True)
    other = OTHER.replace("mcpServers", "mcp") if name == "opencode" else OTHER
    file.write_text(other)
    assert not only_own_server(client_of(name), project)
    file.write_text(other.replace("studio", "theirs"))
    assert only_own_server(client_of(name), project)
    file.write_text("{")
    assert not only_own_server(client_of(name), project)
