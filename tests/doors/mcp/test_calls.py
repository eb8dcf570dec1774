"""Every tool once, bad arguments, and what a session sees: through the official client."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation
from studio.limits import PATH_BYTES
from studio.workspace import Workspace
from tests.doors.mcp.conftest import ERAS, Agent, Connect, check, plan_of


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_once(agent: Agent, project: Path, workspace: Workspace) -> None:
    """It reads its own pending changes, all of them one plan, and the disk stays as it is."""
    (project / "a.txt").write_text("one\n")
    before = sorted(project.iterdir())
    tools = agent.tools()
    calls: list[tuple[str, dict[str, Any]]] = [
        ("read", {"file_path": "a.txt"}),
        ("write", {"file_path": "b.txt", "content": "two\n"}),
        ("append", {"file_path": "a.txt", "content": "more\n"}),
        ("create_directory", {"directory_path": "deep"}),
        ("copy", {"source_path": "b.txt", "destination_path": "deep/c.txt"}),
        ("move", {"source_path": "b.txt", "destination_path": "d.txt"}),
        ("list", {"directory_path": ".", "recursive": True}),
        ("tree", {"directory_path": "."}),
        ("search", {"directory_path": ".", "text": "two"}),
        ("exists", {"path": "d.txt"}),
        ("info", {"path": "d.txt"}),
        ("delete", {"path": "d.txt", "confirm": True}),
        ("bulk", {"operations": [{"operation": "write_file", "file_path": "e.txt", "content": "e\n"}]}),
        (
            "propose",
            {
                "text": json.dumps(
                    {"title": "f", "steps": [{"op": "create", "path": "f.txt", "content": "f\n"}]}
                )
            },
        ),
    ]
    told: dict[str, dict[str, Any]] = {}
    for name, arguments in calls:
        told[name] = agent.give(name, **arguments)
        check(tools[name].output_schema or {}, told[name])
    plan = told["propose"]["plan"]
    for name in ("propose_status", "wait"):
        told[name] = agent.give(name, plan=plan[:8], **({"timeout_seconds": 0} if name == "wait" else {}))
        check(tools[name].output_schema or {}, told[name])
        assert told[name]["state"] == "pending" and told[name]["decided"] is False
    assert told.keys() == tools.keys() - {"run", "withdraw"}
    assert told["read"]["content"] == "one\n"
    assert agent.give("read", file_path="a.txt")["content"] == "one\nmore\n"
    listed = [item["path"] for item in told["list"]["items"]]
    assert {"a.txt", "d.txt", "deep/c.txt"} <= set(listed) and "b.txt" not in listed
    assert [match["path"] for match in told["search"]["matches"]] == ["d.txt", "deep/c.txt"]
    assert told["exists"]["exists"] and told["info"]["sizeBytes"] == 4
    found = plan_of(workspace, told["propose"])
    assert {told[name]["plan"] for name in ("write", "append", "move", "delete", "bulk")} == {found.id}
    assert found.agent == "tester" and found.session is not None
    told["withdraw"] = agent.give("withdraw", plan=plan)
    check(tools["withdraw"].output_schema or {}, told["withdraw"])
    assert told["withdraw"]["state"] == "cancelled"
    assert sorted(project.iterdir()) == before and (project / "a.txt").read_text() == "one\n"


def test_a_backup_is_the_undo_of_the_plan(agent: Agent, project: Path) -> None:
    """The parameters of the specification are taken; what a person and the undo settle changes nothing."""
    (project / "a.txt").write_text("one\n")
    for keeps in (True, False):
        given = agent.give("write", file_path="a.txt", content=f"{keeps}\n", create_backup=keeps)
        assert given["success"] and given["state"] == "pending" and given["backupPath"] is None
        assert given["plan"]
    assert sorted(path.name for path in project.iterdir()) == ["a.txt", "studio.yaml"]


def test_what_is_read_is_noted(agent: Agent, project: Path, workspace: Workspace) -> None:
    (project / "a.txt").write_text("one\n")
    agent.give("read", file_path="a.txt")
    agent.give("list", directory_path=".")
    (session,) = workspace.proposer.sessions()
    entries = [row.entry for row in reversed(workspace.journal.newest())]
    noted = [(type(entry).__name__, getattr(entry, "session", "")) for entry in entries]
    assert noted == [("SessionRead", session.id), ("SessionListing", session.id)]
    assert (session.agent, session.door, session.state.value) == ("tester", "mcp", "alive")


def test_a_name_that_is_no_utf8_is_listed_as_it_is_shown(agent: Agent, project: Path) -> None:
    (project / os.fsdecode(b"\xff.txt")).write_text("odd\n")
    listed = agent.give("list", directory_path=".")
    assert "\\udcff.txt" in [each["path"] for each in listed["unseen"]]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("read", {}, "read requires path"),
    ("read", {"file_path": 3}, "requires a text for path"),
    ("read", {"file_path": "a" * (PATH_BYTES + 1)}, f"at most {PATH_BYTES} characters"),
    ("read", {"file_path": "a", "max_lines": -1}, "at least 0 for max_lines"),
    ("read", {"file_path": "a", "encoding": "klingon"}, "klingon"),
    ("write", {"file_path": "a", "content": "a", "create_backup": "no"}, "true or false for create_backup"),
    ("write", {"file_path": "a\0b", "content": "a"}, "a"),
    ("append", {"file_path": "a"}, "requires content"),
    ("list", {"directory_path": ".", "recursive": "yes"}, "true or false for recursive"),
    ("tree", {"directory_path": ".", "max_depth": -1}, "at least 0"),
    ("create_directory", {"directory_path": None}, "a text for path"),
    ("copy", {"source_path": "a"}, "requires destination_path"),
    ("move", {"source_path": "a", "destination_path": "b", "backup": True}, "takes no backup"),
    ("delete", {"path": "a", "confirm": "yes"}, "true or false for confirm"),
    ("exists", {"path": ["a"]}, "a text for path"),
    ("info", {"file": "a"}, "takes no file"),
    ("search", {"directory_path": ".", "text": "("}, "("),
    ("search", {"directory_path": ".", "text": "a", "max_matches": 0}, "at least 1"),
    ("bulk", {"operations": ["write_file"]}, "a list of objects"),
    ("bulk", {"operations": [{"operation": "rm"}]}, "rm"),
    ("run", {"command": ""}, "at least 1 characters for command"),
    ("propose", {"text": ""}, "at least 1 characters for text"),
    ("propose", {"text": "x", "format": "poem"}, "poem"),
    ("propose", {"text": "x", "agent": "root"}, "takes no agent"),
    ("propose_status", {"plan": "ab"}, "at least 4 characters"),
    ("propose_status", {"plan": "abcd"}, "None of your plans"),
    ("wait", {"plan": "abcd", "timeout_seconds": 1e9}, "a whole number"),
    ("wait", {"plan": "abcd", "timeout_seconds": 100_000}, "at most 86400"),
    ("withdraw", {"plan": "abcd"}, "None of your plans"),
    *(
        ("write", {"file_path": path, "content": "x"}, "")
        for path in ("../x", "/etc/x", "a/../../x", ".git/config")
    ),
    *(("read", {"file_path": path}, "") for path in ("../x", "/etc/passwd")),
]


def test_bad_arguments_are_one_sentence_and_leave_nothing(
    agent: Agent, project: Path, workspace: Workspace
) -> None:
    assert {name for name, _, _ in BAD} == agent.tools().keys()
    for name, arguments, words in BAD:
        sentence = agent.refuse(name, **arguments)
        assert words in sentence and "\n" not in sentence and sentence.endswith("."), (
            name,
            arguments,
            sentence,
        )
        assert "Traceback" not in sentence and "internal" not in sentence.lower(), sentence
    assert workspace.proposer.plans() == () and sorted(path.name for path in project.iterdir()) == [
        "studio.yaml"
    ]


def test_arguments_that_no_tool_takes_open_no_session(agent: Agent, workspace: Workspace) -> None:
    agent.refuse("read")
    assert workspace.proposer.sessions() == ()


def test_any_text_format_and_one_that_can_not_be_read(
    agent: Agent, project: Path, workspace: Workspace
) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n"
    found = agent.give("propose", text=diff, title="Shout")
    assert found["title"] == "Shout" and [step["path"] for step in found["steps"]] == ["a.txt"]
    refused = agent.refuse("propose", text="--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+3\n")
    assert "does not match the file" in refused and "ONE" in refused, (
        "what a new diff needs, as it sees the file"
    )
    assert "in no known format" in agent.refuse("propose", text="A poem.")


def test_the_plan_of_a_session_is_named_by_its_first_file_until_the_agent_names_it(
    agent: Agent, project: Path
) -> None:
    titles: list[str] = []
    for name, words in (("a.txt", {}), ("b.txt", {}), ("c.txt", {"title": "Shout"}), ("d.txt", {})):
        (project / name).write_text("one\n")
        diff = f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+ONE\n"
        titles.append(agent.give("propose", text=diff, **words)["title"])
    assert titles == ["Modify a.txt", "Modify a.txt and 1 more", "Shout", "Shout"]


def test_its_own_plans_only(connect: Connect, workspace: Workspace) -> None:
    one, other = connect(name="one"), connect("--agent", "named")
    plan = one.propose(**{"a.txt": "one\n"})
    for name in ("propose_status", "wait", "withdraw"):
        assert "None of your plans" in other.refuse(name, plan=plan)
    assert not other.give("exists", path="a.txt")["exists"], "nor does it see what the other one wrote"
    again = other.propose(**{"a.txt": "one\n"})
    assert again == plan, "the same change finds its plan"
    assert other.give("propose_status", plan=plan)["state"] == "pending"
    assert "another session" in other.refuse("withdraw", plan=plan)
    mine = other.propose(**{"a.txt": "two\n"})
    assert mine != plan
    agents = {found.id: found.agent for found in workspace.proposer.plans()}
    assert agents == {plan: "one", mine: "named"}


def test_a_restarted_server_has_the_plans_of_its_agent(connect: Connect) -> None:
    first, other = connect("--agent", "named"), connect("--agent", "other")
    plan = first.propose(**{"a.txt": "one\n"})
    again = connect("--agent", "named")
    assert "None of your plans" in again.refuse("withdraw", plan=plan), "its own session still works on it"
    first.end()
    for name in ("propose_status", "wait", "withdraw"):
        assert "None of your plans" in other.refuse(name, plan=plan), "nor does anybody else's"
    assert again.give("propose_status", plan=plan[:8])["state"] == "pending"
    assert again.give("wait", plan=plan, timeout_seconds=0)["plan"] == plan
    assert again.give("read", path="a.txt")["content"] == "one\n"
    assert again.give("write", path="a.txt", content="two\n")["plan"] == plan, "it is revised"
    assert again.give("withdraw", plan=plan)["state"] == "cancelled"
    again.end()
    assert connect("--agent", "named").give("propose_status", plan=plan)["state"] == "cancelled"


@pytest.mark.parametrize("era", ["legacy"])
def test_the_older_era_names_its_agent_too(connect: Connect, workspace: Workspace, era: str) -> None:
    agent = connect(era=era, name="old-client")
    plan = agent.propose(**{"a.txt": "one\n"})
    assert workspace.proposer.plan(plan).agent == "old-client"
    assert agent.give("wait", plan=plan, timeout_seconds=0)["state"] == "pending"


def test_what_is_proposed_names_its_project(connect: Connect, project: Path, tmp_path: Path) -> None:
    """And a folder around it whose plans nobody would find again: an agent reads no standard error."""
    with closing(Workspace.open(tmp_path)) as former:
        former.proposer.propose(PlanDraft("plan", (DraftStep(Operation.CREATE, "a", content=b""),), "A", "b"))
    agent = connect()
    (project / "studio.yaml").touch()
    plan = agent.propose(**{"a.txt": "a"})
    document = agent.give("propose_status", plan=plan)
    check(agent.tools()["propose_status"].output_schema or {}, document)
    assert document["project"] == {"path": str(project), "reason": "the nearest folder with studio.yaml"}
    assert document["other_projects"] == [{"path": str(tmp_path), "open_plans": 1}]
    assert f"The project is {project}, " in document["text"]
    assert f"studio plans --project {tmp_path}" in document["text"]
    wrong = json.dumps({"title": "t", "steps": [{"op": "delete", "path": "missing.txt"}]})
    assert f"The project is {project}, " in agent.refuse("propose", text=wrong)
    refused = agent.call("propose", text=wrong).structured_content
    assert refused is not None and [step["outcome"] for step in refused["steps"]] == ["refused"]


def test_a_git_file_that_leads_nowhere_stops_proposals(connect: Connect, project: Path) -> None:
    (project / "studio.yaml").unlink()
    (project / ".git").write_text("gitdir: ../gone\n")
    text = json.dumps({"title": "t", "steps": [{"op": "create", "path": "a.txt", "content": "a"}]})
    assert "points to no git repository" in connect().refuse("propose", text=text)
