"""`studio acp` with an agent of the official SDK: what it writes and asks for waits."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from studio.doors.acp.agents import known_agent
from studio.doors.acp.startup_programs import startup_program_warning
from studio.engine.plan import PlanState, StepDecision, StepState
from studio.engine.session import CallState, EventKind
from studio.workspace import Reviewer, Workspace
from tests.conftest import child_processes, command_line
from tests.doors.acp.conftest import SDK_AGENT, Talking, TalkingApart
from tests.doors.awaited import soon, waiting_call, waiting_plan
from tests.doors.conftest import CommandLine, set_configuration
from tests.tools.sandboxed import opened

BEFORE, AFTER = "alpha\nbeta\ngamma\n", "alpha\nBETA\ngamma\n"
THROUGH_US = ("name=qwen-code", "mode=default")
"""An agent of which it is known that it writes here, and that the reason of a no reaches it."""


def apply(reviewer: Reviewer, plan_id: str, *decisions: StepDecision) -> None:
    reviewer.approve(plan_id, decisions or None)
    reviewer.apply(plan_id)


def test_a_write_waits_and_is_written_here(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    notes = project / "notes.txt"
    with talking(project, *THROUGH_US) as talk:
        assert talk.hear("began")["title"] == "Qwen Code"
        talk.ask(
            {"read": {"path": str(notes)}}, {"write": [str(notes), AFTER]}, {"read": {"path": str(notes)}}
        )
        plan = waiting_plan(workspace)
        assert (plan.agent, plan.steps[0].path) == ("qwen-code", "notes.txt")
        assert notes.read_text() == BEFORE
        apply(reviewer, plan.id)
        assert talk.said() == f"read: {BEFORE}\nwrite: done\nread: {AFTER}\n"
        assert talk.end() == 0
    assert notes.read_text() == AFTER


def test_why_it_was_rejected_reaches_the_agent(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    notes = str(project / "notes.txt")
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"write": [notes, AFTER]})
        reviewer.reject(waiting_plan(workspace).id, reason="Not today.")
        said = talk.said()
        assert "write: ERROR" in said and "Not today." in said
        talk.ask({"say": "Go on."})
        assert "TOLD" not in talk.said(), "it knows"
    assert Path(notes).read_text() == BEFORE


def test_what_a_person_changed_is_told_with_the_next_prompt(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    notes = project / "notes.txt"
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"write": [str(notes), AFTER]})
        apply(reviewer, waiting_plan(workspace).id, StepDecision(1, edited=b"mine\n"))
        assert talk.said() == "write: done\n"
        talk.ask({"read": {"path": str(notes)}})
        said = talk.said()
        assert (
            "TOLD Message from Exacta Studio" in said
            and "Read the file again" in said
            and "read: mine\n" in said
        )
    assert notes.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ((), ""),
        (("steers=1",), "STEERED Message from Exacta Studio, in which your user decides: Done: "),
        (
            ("name=@agentclientprotocol/codex-acp", "mode=read-only", "ends=1"),
            "TOLD Message from Exacta Studio, in which your user decides: Done: ",
        ),
    ],
    ids=["told with the next prompt", "told within its turn", "its turn ended by a no"],
)
def test_a_change_asked_for_is_written_once(
    talking: type[Talking],
    project: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    *,
    settings: tuple[str, ...],
    told: str,
) -> None:
    """An agent that writes by itself makes its edit once more, if it may: a line that is added twice."""
    notes = project / "notes.txt"
    with talking(project, *settings) as talk:
        assert "writes without asking" in (said := talk.hear("notice")["text"]) or "unknown" in said
        talk.ask({"change": [str(notes), "gamma\n", "gamma\ndelta\n"]}, {"say": "x"})
        apply(reviewer, waiting_plan(workspace).id)
        heard = talk.heard_until("turn_ended")
        assert told in "".join(event["text"] for event in heard if event["event"] == "message")
        states = [event["status"] for event in heard if event["event"] == "tool" and event["kind"] == "edit"]
        assert states[0] == "pending" and states[-1] != "pending"
        talk.ask({"say": "x"})
        assert ("Done: the reviewer approved this change" in talk.said()) is (not told), "it is told once"
    assert notes.read_text() == BEFORE + "delta\n"


@pytest.mark.parametrize("decide", ["edit", "reject"])
def test_a_change_that_is_not_approved_as_it_is_is_refused(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer, decide: str
) -> None:
    """Else an agent that writes by itself would write over what was decided."""
    notes = project / "notes.txt"
    with talking(project) as talk:
        talk.ask({"ask": {"kind": "edit", "title": "E", "path": str(notes), "old": "beta", "new": "BETA"}})
        plan = waiting_plan(workspace)
        if decide == "edit":
            apply(reviewer, plan.id, StepDecision(1, edited=b"mine\n"))
        else:
            reviewer.reject(plan.id, reason="No.")
        assert talk.said() == "ask: reject_once\n"
        talk.ask({"say": "x"})
        assert ("Read the file again" if decide == "edit" else "Reason: No.") in talk.said()
    assert notes.read_text() == ("mine\n" if decide == "edit" else BEFORE)


@pytest.mark.parametrize(
    ("name", "warning"),
    [
        ("OpenCode", "studio agent opencode"),
        ("@agentclientprotocol/claude-agent-acp", "studio connect claude-code"),
        ("@agentclientprotocol/codex-acp", "studio agent codex"),
        ("sdk-agent", "unknown"),
        ("qwen-code", ""),
    ],
)
def test_an_agent_that_writes_by_itself_is_never_said_to_wait(
    studio: CommandLine, project: Path, name: str, warning: str
) -> None:
    agent = (sys.executable, str(SDK_AGENT), f"name={name}", "modes=default,read-only", "mode=default")
    text = studio("acp", "--", *agent, json=False).text
    assert ("Its changes wait for your review" in text) == (not warning)
    assert warning in text


@pytest.mark.parametrize(
    ("settings", "is_gated"),
    [
        ('{"theme": "x", "hooks": {}, "mcpServers": {}}', True),
        ('// one of theirs\n{"mcpServers": {"x": {"command": "make"}}}', False),
        ('{"hooks": {"PreToolUse": []}}', False),
        ('{"tools": {"discoveryCommand": "make"}}', False),
        ('{"toolCallCommand": "make"}', False),
        ('{"hooks": ', False),
    ],
)
def test_what_a_project_lets_an_agent_start_is_seen(tmp_path: Path, settings: str, is_gated: bool) -> None:
    file = tmp_path / ".qwen/settings.json"
    file.parent.mkdir()
    file.write_text(settings)
    told = startup_program_warning(known_agent("qwen-code"), tmp_path)
    assert (".qwen/settings.json" in told) is not is_gated


def test_a_session_with_programs_of_its_project_is_not_gated(talking: type[Talking], project: Path) -> None:
    """Hooks and servers of a project's settings write before anybody is asked, and that is told."""
    file = project / ".qwen/settings.json"
    file.parent.mkdir()
    file.write_text('{"hooks": {"PreToolUse": []}}')
    with talking(project, *THROUGH_US) as talk:
        assert talk.hear("began")["gated"] is False
        assert ".qwen/settings.json" in talk.hear("notice")["text"]


@pytest.mark.parametrize("when", ["before it says anything", "as its session begins"])
def test_programs_of_a_project_are_told_where_the_agent_fails(
    studio: CommandLine, project: Path, tmp_path: Path, when: str
) -> None:
    """What an agent has started by then has run."""
    file = project / ".qwen/settings.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"x": {"command": "make"}}}')
    ended = tmp_path / "qwen"
    ended.write_text("#!/bin/sh\nexit 3\n")
    ended.chmod(0o755)
    login = (sys.executable, str(SDK_AGENT), "name=qwen-code", "login=1")
    said = studio("acp", "--", *((str(ended), "--acp") if when.startswith("before") else login), json=False)
    assert said.code == 1
    assert "In this project Qwen Code starts programs because of " in said.err


def test_several_files_and_a_new_one(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    new = project / "sub/new.txt"
    with talking(project) as talk:
        talk.ask({"ask": {"kind": "edit", "title": "E", "path": str(new), "old": None, "new": "new\n"}})
        plan = waiting_plan(workspace)
        assert plan.steps[0].op.value == "create"
        apply(reviewer, plan.id)
        assert talk.said() == "ask: reject_once\n", "there is nothing left for it to write"
    assert new.read_text() == "new\n"


def test_a_command_is_run_in_the_sandbox_where_the_user_says_so(
    talking: type[Talking], project: Path, workspace: Workspace
) -> None:
    """The agent is refused it, and its model told of it with the next prompt, as its person at once."""
    opened(project).close()
    set_configuration("agents: {shell: sandbox}")
    command = {"kind": "execute", "title": "Write it", "raw_input": {"command": "echo b > b.txt; echo said"}}
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"ask": command})
        heard = talk.heard_until("turn_ended")
        assert "ask: reject_once\n" in [event["text"] for event in heard if event["event"] == "message"]
        (plan,) = workspace.proposer.plans()
        assert ([step.path for step in plan.steps], plan.session) == (
            ["b.txt"],
            workspace.proposer.sessions()[0].id,
        )
        notices = [event["text"] for event in heard if event["event"] == "notice"]
        (told,) = [text for text in notices if text.startswith("Write it: This command was run in a sandbox")]
        assert "It printed:\n\nsaid" in told
        talk.ask({"say": "x"})
        assert "This command was run in a sandbox" in (told := talk.said()) and plan.short_id in told
    assert workspace.proposer.calls() == () and not (project / "b.txt").exists()


def test_anything_else_is_a_call(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    command = {"kind": "execute", "title": "Clean up", "raw_input": {"command": "rm -rf build"}}
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"ask": command}, {"ask": command}, {"ask": {"kind": "delete", "title": "Delete notes.txt"}})
        call = waiting_call(workspace)
        assert (call.tool, call.command, call.cwd) == ("execute", "rm -rf build", str(workspace.root_path))
        reviewer.allow(call.id)
        second = soon(
            lambda: next((it for it in workspace.proposer.calls() if it.state is CallState.WAITING), None)
        )
        reviewer.deny(second.id, reason="Keep it.")
        third = soon(
            lambda: next((it for it in workspace.proposer.calls() if it.state is CallState.WAITING), None)
        )
        assert (third.tool, third.command) == ("delete", "Delete notes.txt")
        reviewer.deny(third.id, reason="No.")
        heard = talk.heard_until("turn_ended")
        said = "".join(event["text"] for event in heard if event["event"] == "message")
        assert said == "ask: allow_once\nask: reject_once\nask: reject_once\n"
        told = [event["text"] for event in heard if event["event"] == "notice"]
        assert {"Clean up: allowed", "Clean up: The reviewer denied this: Keep it."} <= set(told)
        talk.ask({"say": "x"})
        assert "The reviewer denied this: Keep it." in talk.said()


@pytest.mark.parametrize("settings", [THROUGH_US, ()], ids=["writes here", "writes by itself"])
def test_a_diff_does_not_make_a_change_of_a_tool_call(
    talking: type[Talking],
    project: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    settings: tuple[str, ...],
) -> None:
    """A person reads all arguments, and the diff; what a kind other than edit does no diff can say."""
    change = {"path": str(project / "notes.txt"), "old": BEFORE, "new": AFTER}
    asked: tuple[dict[str, Any], ...] = (
        {"kind": "execute", "raw_input": {"command": "make", "cwd": "/"}},
        {"kind": "edit", "raw_input": {"command": "make"}},
        {"kind": "edit", "raw_input": {"file_path": "/etc/hosts"}},
        {"kind": "delete"},
    )
    with talking(project, *settings) as talk:
        for more in asked:
            talk.ask({"ask": {"title": "Do it", **change, **more}})
            call = waiting_call(workspace)
            for value in (*more.get("raw_input", {}).values(), "notes.txt", "BETA"):
                assert value in call.command, more
            reviewer.deny(call.id, reason="No.")
            assert "ask: reject_once" in talk.said(), more
    assert workspace.proposer.plans() == ()


def test_a_file_that_is_emptied_is_written_here_alone(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """By the same diff an agent asks that deletes it: a yes would let it."""
    change = {"path": str(project / "notes.txt"), "old": BEFORE, "new": ""}
    with talking(project) as talk:
        talk.ask({"ask": {"kind": "edit", "title": "E", **change}})
        apply(reviewer, waiting_plan(workspace).id)
        assert "ask: reject_once" in talk.said()
    assert (project / "notes.txt").read_bytes() == b""


def test_a_path_out_of_the_project_is_refused_unasked(
    talking: type[Talking], project: Path, workspace: Workspace, tmp_path: Path
) -> None:
    """Also where the agent would write it by itself once it is told yes, and through a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "link").symlink_to(outside)
    paths = [str(outside / "x"), str(project / "../x"), str(project / "link/x"), "/etc/x", "~/x"]
    with talking(project, *THROUGH_US) as talk:
        talk.ask(*({"write": [path, "x"]} for path in paths))
        assert talk.said().count("write: ERROR") == len(paths)
        talk.ask(
            *(
                {"ask": {"kind": "edit", "title": "E", "path": path, "old": None, "new": "x"}}
                for path in paths[:4]
            )
        )
        assert talk.said().endswith("ask: reject_once\n" * 4)
        talk.ask({"read": {"path": "/etc/hostname"}}, {"read": {"path": str(outside / "x")}})
        assert talk.said().count("read: ERROR") == 2
    assert list(outside.iterdir()) == [] and not (project.parent / "x").exists()


def withdraw_waiting(root: Path) -> None:
    opened = Workspace.open(root)
    try:
        opened.proposer.withdraw(waiting_plan(opened).id)
    finally:
        opened.close()


def test_what_the_agent_takes_for_none_of_the_project_s_is_not_allowed_to_be_written(
    talking: type[Talking], project: Path, private_folders: Path
) -> None:
    """Gemini CLI writes by itself what it takes for another folder's, and below its own."""
    alias = project.parent / "alias"
    alias.symlink_to(project)
    with talking(project, "name=gemini-cli", "mode=default") as talk:
        edit = {"ask": {"kind": "edit", "title": "E", "old": BEFORE, "new": AFTER}}
        talk.ask({"ask": {**edit["ask"], "path": str(alias / "notes.txt")}})
        withdraw_waiting(project)
        assert talk.said().endswith("ask: reject_once\n"), "a plan for the project's own file"
        talk.ask({"ask": {**edit["ask"], "path": str(project / "notes.txt")}})
        assert talk.said().endswith("ask: allow_once\n"), "it comes as a write, and waits there"
    own = private_folders / "home" / ".gemini" / "project"
    own.mkdir(parents=True)
    (own / "notes.txt").write_text(BEFORE)
    with talking(own, "name=gemini-cli", "mode=default") as talk:
        talk.ask({"ask": {**edit["ask"], "path": str(own / "notes.txt")}})
        withdraw_waiting(own)
        assert talk.said().endswith("ask: reject_once\n")


def test_what_an_agent_can_not_hear_it_is_told_otherwise(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """Errors do not reach the model of Gemini CLI, and a file that is not there is a failure to it."""
    new, picture = project / "new.txt", project / "picture"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\0")
    with talking(project, "name=gemini-cli", "mode=default") as talk:
        talk.ask({"read": {"path": str(new)}}, {"write": [str(new), "new\n"]})
        plan = waiting_plan(workspace)
        assert plan.steps[0].op.value == "create"
        apply(reviewer, plan.id)
        assert talk.said() == "read: \nwrite: done\n"
        talk.ask({"read": {"path": str(picture)}})
        assert "read: ERROR" in talk.said()
        talk.ask({"say": "x"})
        assert "picture can't be read as text" in talk.said()
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"read": {"path": str(project / "none")}}, {"read": {"path": str(picture)}})
        assert talk.said().count("read: ERROR") == 2
        talk.ask({"say": "x"})
        assert "TOLD" not in talk.said()


def test_a_file_that_changed_since_it_was_read_is_stale(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    notes = project / "notes.txt"
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"read": {"path": str(notes)}})
        talk.said()
        notes.write_text("somebody else's\n")
        talk.ask({"write": [str(notes), AFTER]})
        plan = waiting_plan(workspace)
        assert plan.steps[0].state is StepState.STALE
        reviewer.reject(plan.id, reason="Look again.")
        assert "Look again." in talk.said()
    assert notes.read_text() == "somebody else's\n"


def test_reads_see_what_waits(talking: type[Talking], project: Path, workspace: Workspace) -> None:
    notes = str(project / "notes.txt")
    with talking(project, *THROUGH_US) as talk:
        talk.ask({"write": [notes, AFTER]})
        waiting_plan(workspace)
        talk.stop()
        assert talk.hear("turn_ended")["reason"] == "cancelled"
        talk.ask({"read": {"path": notes}}, {"read": {"path": notes, "line": 2, "limit": 1}})
        said = talk.said()
        assert f"read: {AFTER}\n" in said and said.endswith("read: BETA\n\n")
        assert "waiting for review" in said, "and it is told of its plan"
    assert workspace.proposer.plans()[0].state is PlanState.PENDING
    assert Path(notes).read_text() == BEFORE


def test_a_stop_counts_for_every_prompt_before_it(talking: type[Talking], project: Path) -> None:
    """Also for one that came in the same moment, and for one that waited behind a turn."""
    with talking(project, *THROUGH_US) as talk:
        talk.hear("began")
        talk.say({"prompt": "[]"}, {"prompt": json.dumps([{"wait": 1}])}, {"stop": True})
        ended = [talk.hear("turn_ended")["reason"] for _ in range(2)]
        assert ended[1] == "cancelled"
        talk.ask({"say": "hello"})
        assert "hello" in talk.said(), "what comes after it is told"


def test_a_stopped_turn_leaves_its_call_gone(
    talking: type[Talking], project: Path, workspace: Workspace
) -> None:
    with talking(project) as talk:
        talk.ask({"ask": {"kind": "execute", "title": "make"}})
        call = waiting_call(workspace)
        talk.stop()
        heard = talk.heard_until("turn_ended")
        assert "ask: cancelled\n" in "".join(event.get("text", "") for event in heard)
    assert workspace.proposer.call(call.id).state is CallState.GONE


def test_an_agent_that_does_not_stop_is_ended(
    talking: type[Talking], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.doors.acp.conversation.AGENT_STOP_SECONDS", 0.5)
    with talking(project) as talk:
        talk.ask({"say": "x"}, {"hang": 1})
        talk.hear("message")
        talk.stop()
        code, rest = talk.rest()
        assert code == 1 and "did not stop" in rest


@pytest.mark.parametrize("how", ["agent", pytest.param("ours", marks=pytest.mark.process)])
def test_killed_while_it_waits(
    talking: type[Talking], project: Path, workspace: Workspace, reviewer: Reviewer, how: str
) -> None:
    """Its plan stays, and says that nobody waits; nothing is decided or written."""
    notes = project / "notes.txt"
    with (talking if how == "agent" else TalkingApart)(project) as talk:
        talk.ask({"write": [str(notes), AFTER]})
        plan = waiting_plan(workspace)
        if isinstance(talk, TalkingApart):
            talk.process.kill()
        else:
            (agent,) = [each for each in child_processes() if str(SDK_AGENT) in command_line(each)]
            os.kill(agent, signal.SIGKILL)
        assert talk.rest()[0] == (1 if how == "agent" else -signal.SIGKILL)
        soon(lambda: plan.id not in workspace.proposer.waiting())
    assert notes.read_text() == BEFORE
    apply(reviewer, plan.id)
    assert notes.read_text() == AFTER


def test_modes_are_set_and_seen_before_the_first_prompt(
    talking: type[Talking], project: Path, workspace: Workspace
) -> None:
    with talking(project, "name=qwen-code", "mode=yolo", "modes=yolo,default") as talk:
        assert talk.hear("began")["mode"] == "default"
        talk.ask({"mode": "yolo"})
        assert "mode yolo, in which it does not ask" in talk.hear("notice")["text"]
        assert talk.hear("turn_ended")["reason"] == "cancelled"
        talk.ask({"which mode": ""})
        assert talk.said() == "which mode: default\n", "it is put back"
    with talking(project, "name=qwen-code", "mode=yolo", "sticks=1") as talk:
        code, rest = talk.rest()
        assert code == 1 and "did not enter default mode" in rest


def test_what_a_project_would_let_pass_is_asked_for(
    talking: type[Talking], project: Path, private_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qwen Code asks by a rule that its project's settings can't take away; those of the machine stay."""
    name = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"
    own = private_folders / "defaults.json"
    own.write_text('{"ui": 1, /* ours */ "permissions": {"ask": ["Read"], "deny": ["x"]}}')
    found: dict[str, Any] = {"ui": 1, "permissions": {"ask": ["Read"], "deny": ["x"]}}
    nothing: dict[str, Any] = {}
    for before, rules in (("", nothing), (str(own), found)):
        monkeypatch.setenv(name, before)
        with talking(project, *THROUGH_US) as talk:
            talk.ask({"variable": name})
            said = json.loads(Path(talk.said().removeprefix("variable: ").strip()).read_text())
        permissions = rules.get("permissions", {})
        asked = [*permissions.get("ask", []), "Bash", "mcp__*"]
        assert said == {**rules, "permissions": {**permissions, "ask": asked}}
    own.write_text("{")
    with talking(project, *THROUGH_US) as talk:
        code, rest = talk.rest()
        assert code == 1 and "defaults.json can't be read" in rest


def test_what_is_said_stands_in_the_store_and_goes_on(
    talking: type[Talking], project: Path, workspace: Workspace, studio: CommandLine
) -> None:
    with talking(project, "loads=1") as talk:
        talk.ask({"say": "Hello"}, {"todo": ["one", "two"]})
        talk.said()
        assert talk.end() == 0
    (session,) = workspace.proposer.sessions()
    events = workspace.proposer.events(session.id)
    kinds = [event.kind for event in events]
    assert kinds[:2] == [EventKind.BEGAN, EventKind.NOTICE] and kinds[-1] is EventKind.ENDED
    assert EventKind.PROMPT in kinds and EventKind.TURN_ENDED in kinds
    assert "Hello" in "".join(event.fields["text"] for event in events if event.kind is EventKind.MESSAGE)
    (todo,) = [event.fields["entries"] for event in events if event.kind is EventKind.TODO]
    assert [entry["text"] for entry in todo] == ["one", "two"]
    with talking(project, "loads=1", resume=session.id[:8]) as talk:
        assert talk.hear("began")["resumed"] is True
        talk.ask({"say": "Again"})
        assert "What was said before" not in talk.said()
        assert talk.end() == 0
    assert [each.id for each in workspace.proposer.sessions()] == [session.id]
    later = workspace.proposer.events(session.id, after=events[-1].number)
    assert later[0].kind is EventKind.BEGAN
    with talking(project, resume=session.id[:8]) as talk:
        assert "can't resume a session" in talk.hear("notice")["text"]
    said = studio("acp", "--resume", "nothing", "--", "x")
    assert (said.code, said.error["code"]) == (4, "acp.no_session")


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        (("/nowhere/agent",), "it can't be started"),
        (("sh", "-c", "echo Log in first. >&2; exit 3"), "it ended with code 3: Log in first."),
        (("sh", "-c", "exec <&-; echo Gone. >&2; sleep 0.3; exit 3"), "it ended with code 3: Gone."),
        (("sh", "-c", "echo no JSON"), "it ended with code 0"),
    ],
)
def test_an_agent_that_cant_be_talked_with_is_told(
    studio: CommandLine, monkeypatch: pytest.MonkeyPatch, agent: tuple[str, ...], why: str
) -> None:
    monkeypatch.setattr(logging, "exception", Mock())  # by which the SDK logs what it does not understand
    said = studio("acp", "--", *agent)
    assert said.code == 1 and why in said.error["message"], said


def test_an_agent_that_needs_a_login_is_told(talking: type[Talking], project: Path) -> None:
    with talking(project, "login=1") as talk:
        code, rest = talk.rest()
        assert code == 1 and "is not logged in" in rest


HALF = r"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {
        "initialize": {"protocolVersion": 1, "agentInfo": {"name": "half \ud800", "version": "\ud800"}},
        "session/new": {"sessionId": "\ud800"},
        "session/prompt": {"stopReason": "end_turn"},
    }
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said[asked["method"]]}), flush=True)
"""


def test_an_agent_with_half_a_character_in_its_name_is_talked_with(
    talking: type[Talking], project: Path, workspace: Workspace
) -> None:
    """JSON.stringify of Node writes half of a surrogate pair as an escape (ECMAScript 2019)."""
    with talking(project, agent=(sys.executable, "-c", HALF)) as talk:
        talk.say({"prompt": "half \ud800"})
        assert talk.hear("turn_ended")["reason"] == "end_turn" and talk.end() == 0
    (session,) = workspace.proposer.sessions()
    assert (session.agent, session.name) == (r"half \ud800", r"\ud800")
