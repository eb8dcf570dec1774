"""Names that Windows reserves, and other spellings of a path, through the tools of a client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.workspace import Workspace
from tests.doors.mcp.conftest import Connect, plan_of


@pytest.mark.parametrize("name", ["aux.c", "10:00:00.json", "Foo::Bar.3pm", "end.", "units\\x2da.mount"])
def test_a_file_that_has_a_reserved_name(
    connect: Connect, project: Path, workspace: Workspace, name: str
) -> None:
    agent = connect()
    assert "on Linux a file that already has it" in agent.refuse("write", file_path=name, content="x\n")
    (project / name).write_text("one\n")
    assert agent.give("read", file_path=name)["content"] == "one\n"
    found = plan_of(workspace, agent.give("write", file_path=name, content="two\n"))
    assert [(step.path, step.problems) for step in found.steps] == [(name, ())]
    assert agent.give("read", file_path=name)["content"] == "two\n"
    text = json.dumps({"title": "t", "steps": [{"op": "delete", "path": name}]})
    found = plan_of(workspace, agent.give("propose", text=text))
    assert [(step.path, step.problems) for step in found.steps] == [(name, ())]


@pytest.mark.parametrize("spelled", ["./src/a.py", "src//a.py", "{project}//src/./a.py"])
def test_other_spellings_are_one_path(
    connect: Connect, project: Path, workspace: Workspace, spelled: str
) -> None:
    (project / "src").mkdir()
    (project / "src/a.py").write_text("one\n")
    agent, spelled = connect(), spelled.format(project=project)
    assert agent.give("read", file_path=spelled)["path"] == "src/a.py"
    found = plan_of(workspace, agent.give("append", file_path=spelled, content="two\n"))
    assert [step.path for step in found.steps] == ["src/a.py"]
    assert "climbs" in agent.refuse("read", file_path="src/../src/a.py")
