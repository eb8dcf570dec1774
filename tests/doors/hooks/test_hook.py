"""What a client is told before it uses a tool: only a person's word lets a change or a command go on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.doors.connect import carry_out, client_of, plan_connection
from studio.engine.plan import Plan, StepDecision, StepState
from studio.formats import count_checks
from studio.workspace import Workspace
from tests.doors.awaited import soon, waiting_call, waiting_plan
from tests.doors.conftest import CommandLine, set_configuration
from tests.doors.hooks.conftest import PERSON, Hook, HookProcess, use_of

Start = Callable[..., Hook]


@pytest.fixture(autouse=True)
def notes(project: Path) -> Path:
    (project / "notes.txt").write_bytes(b"alpha\nbeta\ngamma\n")
    return project / "notes.txt"


def edit(project: Path, old: str = "beta", new: str = "BETA", name: str = "notes.txt") -> dict[str, Any]:
    return {"file_path": str(project / name), "old_string": old, "new_string": new, "replace_all": False}


def approve_and_apply(workspace: Workspace, plan: Plan, *decisions: StepDecision) -> None:
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id, decisions or None)
    reviewer.apply(plan.id)


def test_what_a_person_approves_is_written_here_and_the_client_is_told(
    hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    running = hook("Edit", edit(project))
    plan = waiting_plan(workspace)
    assert (plan.agent, plan.waits, [step.path for step in plan.steps]) == (
        "claude-code",
        True,
        ["notes.txt"],
    )
    assert notes.read_bytes() == b"alpha\nbeta\ngamma\n"
    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    assert running.is_running, "approving alone writes nothing"
    reviewer.apply(plan.id)
    said = running.said()
    assert (said.code, said.err, said.decision) == (0, "", "deny"), "the client must not write it again"
    assert said.reason.startswith("Done: the reviewer approved this change, and Exacta Studio wrote it.")
    assert notes.read_bytes() == b"alpha\nBETA\ngamma\n"
    assert workspace.proposer.sessions()[0].door == "hook"
    (entry,) = workspace.proposer.history()
    assert entry.plan.id == plan.id


def test_what_a_person_rejects_is_not_written_and_the_reason_is_told(
    hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    running = hook("Edit", edit(project))
    workspace.reviewer(PERSON).reject(waiting_plan(workspace).id, reason="Keep the Greek small.")
    said = running.said()
    assert (said.code, said.decision) == (0, "deny")
    assert said.reason.startswith("Nothing is written.") and "Reason: Keep the Greek small." in said.reason
    assert notes.read_bytes() == b"alpha\nbeta\ngamma\n"


def test_what_a_person_edits_is_written_and_the_file_is_to_be_read_again(
    hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    running = hook("Edit", edit(project))
    approve_and_apply(workspace, waiting_plan(workspace), StepDecision(1, edited=b"alpha\nBeta!\ngamma\n"))
    said = running.said()
    assert "Read the file again before you continue" in said.reason and "+BETA" in said.reason
    assert notes.read_bytes() == b"alpha\nBeta!\ngamma\n"


def test_what_a_person_takes_in_part_is_not_called_done(
    hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    """A model that reads the first sentence alone must not take all of its change for written."""
    patch = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** Update File: notes.txt\n@@\n-beta\n+BETA\n"
    running = hook("apply_patch", {"command": f"{patch}*** End Patch\n"}, client="codex")
    plan = waiting_plan(workspace)
    workspace.reviewer(PERSON).reject(plan.id, [1], reason="No new file.")
    approve_and_apply(workspace, plan)
    said = running.said()
    assert said.reason.startswith("Partly done: the reviewer approved part of this change, and Exacta Studio")
    assert "Reason: No new file." in said.reason and "+new" in said.reason
    assert notes.read_bytes() == b"alpha\nBETA\ngamma\n" and not (project / "new.txt").exists()


def test_one_that_is_withdrawn_or_sent_back_is_told(hook: Start, workspace: Workspace, project: Path) -> None:
    running = hook("Edit", edit(project))
    workspace.reviewer(PERSON).request_changes(waiting_plan(workspace).id, reason="Explain it first.")
    assert "Explain it first." in running.said().reason
    running = hook("Write", {"file_path": str(project / "new.txt"), "content": "x\n"})
    workspace.proposer.withdraw(waiting_plan(workspace).id)
    assert running.said().reason.startswith("Nothing is written.")
    assert not (project / "new.txt").exists()


def test_nobody_decides_in_time_and_the_same_change_waits_on(
    hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    said = hook("Edit", edit(project), "--timeout", "0.1").said()
    assert said.decision == "deny" and "waiting for review" in said.reason
    (plan,) = workspace.proposer.plans()
    assert plan.id not in workspace.proposer.waiting(), "its caller is gone"
    running = hook("Edit", edit(project))
    assert waiting_plan(workspace).id == plan.id and len(workspace.proposer.plans()) == 1
    approve_and_apply(workspace, plan)
    assert running.said().reason.startswith("Done:")
    assert notes.read_bytes() == b"alpha\nBETA\ngamma\n"


@pytest.mark.process
def test_a_hook_that_is_killed_leaves_a_plan_that_can_be_decided(
    hook_process: Callable[..., HookProcess], hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    """And the same change, sent again when it is written, is known to be there."""
    content = "alpha\nBETA\ngamma\n"
    given = {"file_path": str(notes), "content": content}
    running = hook_process("Write", given)
    plan = waiting_plan(workspace)
    running.process.kill()
    assert running.said().code != 0
    soon(lambda: plan.id not in workspace.proposer.waiting())
    approve_and_apply(workspace, plan)
    assert notes.read_text() == content
    again = hook("Edit", edit(project)).said()
    assert again.decision == "deny" and not again.reason.startswith("Done")
    again = hook("Write", given).said()
    assert again.reason.startswith("Nothing to do: the files already have this content.")
    assert notes.read_text() == content


@pytest.mark.parametrize("tool", ["Edit", "Bash"])
def test_a_client_that_is_killed_leaves_nobody_who_waits(
    hook: Start, workspace: Workspace, project: Path, tool: str
) -> None:
    """Its hook lives on: nobody tells it, so that it looks. A plan can be decided then, a command can not."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    given = edit(project) if tool == "Edit" else {"command": "make"}
    running = hook(tool, given, "--caller", str(client.pid))
    if tool == "Edit":
        waiting_plan(workspace)
    else:
        waiting_call(workspace)
    client.kill()
    client.communicate()
    assert running.said().decision == "deny"
    assert not workspace.proposer.waiting()
    if tool == "Edit":
        assert workspace.proposer.plans()[0].state.value == "pending"
    else:
        assert workspace.proposer.calls()[0].state.value == "gone"


@pytest.mark.parametrize("number", ["2147483647", "999999999999999999999"])
def test_a_caller_that_is_no_process_is_gone(
    hook: Start, workspace: Workspace, project: Path, number: str
) -> None:
    said = hook("Edit", edit(project), "--caller", number).said()
    assert said.decision == "deny" and "waiting for review" in said.reason
    assert not workspace.proposer.waiting() and len(workspace.proposer.plans()) == 1


def test_a_file_that_changes_while_it_waits(
    hook: Start, workspace: Workspace, project: Path, notes: Path
) -> None:
    running = hook("Edit", edit(project))
    plan = waiting_plan(workspace)
    notes.write_bytes(b"alpha\nbeta\ngamma\ndelta\n")
    workspace.proposer.refresh()
    assert workspace.proposer.plan(plan.id).steps[0].state is StepState.STALE
    workspace.reviewer(PERSON).rebase(plan.id, 1)
    approve_and_apply(workspace, plan)
    assert running.said().reason.startswith("Done:")
    assert notes.read_bytes() == b"alpha\nBETA\ngamma\ndelta\n"


@pytest.mark.parametrize("path", ["/etc/passwd", "../out.txt", ".git/hooks/pre-commit", "studio.yaml"])
def test_what_may_not_be_written_is_refused_at_once(
    hook: Start, workspace: Workspace, project: Path, path: str
) -> None:
    named = path if path.startswith("/") else f"{project}/{path}"
    said = hook("Write", {"file_path": named, "content": "x\n"}).said()
    assert (said.code, said.decision) == (0, "deny") and said.reason.startswith("Nothing is written.")
    assert not workspace.proposer.waiting()


def test_what_is_larger_than_is_read_stops_the_tool(
    hook: Start, workspace: Workspace, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_checks, "SUBMISSION_BYTES", 300)
    assert hook("Edit", edit(project), "--timeout", "0").said().reason.startswith("Nothing is written yet")
    said = hook("Edit", edit(project, new="B" * 300)).said()
    assert "The tool input is larger than 300 bytes." in said.out + said.err
    assert (said.code, len(workspace.proposer.plans())) == (2, 1)


def added(name: str) -> dict[str, str]:
    return {"command": f"*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\n"}


def test_a_client_in_a_folder_of_the_project_names_its_files_from_there(
    hook: Start, workspace: Workspace, project: Path
) -> None:
    (project / ".git").mkdir()
    deep = project / "deep"
    deep.mkdir()
    refused = hook("apply_patch", added("../../out.txt"), client="codex", cwd=deep).said()
    assert refused.decision == "deny" and refused.reason.startswith("Nothing is written.")
    hook("apply_patch", added("./new.txt"), client="codex", cwd=deep)
    assert [step.path for step in waiting_plan(workspace).steps] == ["deep/new.txt"]


def test_a_project_behind_a_link_is_the_same_project(
    hook: Start, workspace: Workspace, project: Path, tmp_path: Path
) -> None:
    (project / ".git").mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    hook("Edit", edit(link), cwd=link)
    assert [step.path for step in waiting_plan(workspace).steps] == ["notes.txt"]


HARMLESS = ["Read", "Grep", "Glob", "TodoWrite", "WebFetch", "ToolSearch"]


@pytest.mark.parametrize("tool", HARMLESS)
def test_a_tool_that_changes_no_file_is_left_to_the_client(
    hook: Start, workspace: Workspace, tool: str
) -> None:
    """Also where no project could be opened: it is none of our business."""
    said = hook(tool, {"file_path": "/etc/passwd"}, cwd="/").said()
    assert (said.code, said.err, said.answer) == (0, "", {})
    assert workspace.proposer.sessions() == ()


OTHERS = {
    "claude-code": (".mcp.json", '{"mcpServers": {"studio": {"command": "/tmp/other"}}}'),
    "codex": (".codex/config.toml", '[mcp_servers.studio]\ncommand = "/tmp/other"\n'),
}
OWN_TOOL = "mcp__studio__propose"


@pytest.mark.parametrize("client", OTHERS)
def test_our_own_tools_are_left_to_the_client(hook: Start, workspace: Workspace, client: str) -> None:
    """They propose, and never write."""
    carry_out(plan_connection(client_of(client)))
    said = hook(OWN_TOOL, {"text": "x"}, client=client).said()
    assert (said.code, said.err, said.answer) == (0, "", {})
    assert workspace.proposer.sessions() == ()


def test_the_tools_of_a_server_whose_name_begins_like_ours_are_asked_for(
    hook: Start, workspace: Workspace
) -> None:
    """One called `studio__x`, say: what stands before a tool does not tell where the name ends."""
    carry_out(plan_connection(client_of("claude-code")))
    denied(hook, workspace, "claude-code", "mcp__studio__x__propose")


def denied(hook: Start, workspace: Workspace, client: str, tool: str = OWN_TOOL) -> None:
    running = hook(tool, {"text": "x"}, client=client)
    call = waiting_call(workspace)
    assert call.tool == tool
    workspace.reviewer(PERSON).deny(call.id, reason="Not this one.")
    assert running.said().decision == "deny"


@pytest.mark.parametrize("client", OTHERS)
@pytest.mark.parametrize("place", ["project", "above", "user"])
def test_another_server_of_our_name_is_asked_for(
    hook: Start, workspace: Workspace, project: Path, client: str, place: str
) -> None:
    """One that came with a project, say: its tools may do anything."""
    name, text = OTHERS[client]
    file = client_of(client).entries[1].path
    if place != "user":
        carry_out(plan_connection(client_of(client)))
        file = (project if place == "project" else project.parent) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    denied(hook, workspace, client)
    file.write_text("{")
    denied(hook, workspace, client)


def test_a_server_that_claude_code_keeps_for_one_project_is_asked_for(
    hook: Start, workspace: Workspace, project: Path
) -> None:
    carry_out(plan_connection(client_of("claude-code")))
    file = client_of("claude-code").entries[1].path
    own = json.loads(file.read_bytes())
    other = json.loads(OTHERS["claude-code"][1])
    file.write_text(json.dumps({**own, "projects": {str(project): other}}))
    denied(hook, workspace, "claude-code")


@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_a_command_waits_for_a_person(hook: Start, workspace: Workspace, project: Path, verdict: str) -> None:
    running = hook("Bash", {"command": "make -C build\nrm x", "description": "build"})
    call = waiting_call(workspace)
    assert (call.agent, call.tool, call.cwd) == ("claude-code", "Bash", str(project))
    assert call.command == "make -C build\nrm x"
    reviewer = workspace.reviewer(PERSON)
    if verdict == "allow":
        reviewer.allow(call.id, note="Once.")
    else:
        reviewer.deny(call.id, reason="Not now.")
    said = running.said()
    assert (said.code, said.decision) == (0, verdict)
    told = said.answer["additionalContext"] if verdict == "allow" else said.reason
    assert ("Once." if verdict == "allow" else "Not now.") in told


def test_two_commands_in_one_call_are_refused(hook: Start, workspace: Workspace) -> None:
    said = hook("Bash", {"command": "make", "cmd": "make clean"}).said()
    assert said.code == 2 and "two commands: “command” and “cmd”" in said.err
    assert workspace.proposer.calls() == ()


@pytest.mark.parametrize(
    ("tool", "given"),
    [("Agent", {"prompt": "Go on.", "isolation": "worktree"}), ("EnterWorktree", {"name": "side"})],
)
def test_work_in_another_worktree_waits_for_a_person(
    hook: Start, workspace: Workspace, tool: str, given: dict[str, Any]
) -> None:
    running = hook(tool, given)
    call = waiting_call(workspace)
    assert "where changes are not reviewed" in call.command
    assert all(value in call.command for value in given.values())
    workspace.reviewer(PERSON).deny(call.id, reason="Stay here.")
    assert running.said().reason == "The reviewer denied this: Stay here."


@pytest.mark.parametrize(
    ("client", "tool", "given", "words"),
    [
        ("claude-code", "Skill", {"skill": "release"}, "Commands that this skill runs are not shown."),
        (
            "claude-code",
            "SlashCommand",
            {"command": "/release"},
            "Commands that this skill runs are not shown.",
        ),
        ("qwen", "skill", {"skill": "release"}, "Commands that this skill runs are not shown."),
        ("codex", "Bash", {"command": "release"}, "Later input to it is not shown."),
        ("codex", "write_stdin", {"chars": "release"}, "Later input to it is not shown."),
    ],
)
def test_a_call_names_what_no_later_hook_shows(
    hook: Start,
    workspace: Workspace,
    studio: CommandLine,
    *,
    client: str,
    tool: str,
    given: dict[str, Any],
    words: str,
) -> None:
    running = hook(tool, given, client=client)
    call = waiting_call(workspace)
    assert call.command.startswith(words) and "release" in call.command
    assert words in studio("calls", json=False).text
    workspace.reviewer(PERSON).deny(call.id, reason="Not now.")
    assert running.said().reason == "The reviewer denied this: Not now."


@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_a_shell_command_of_a_skill_waits_for_a_person(
    hook: Start, workspace: Workspace, project: Path, verdict: str
) -> None:
    """As Claude Code 2.1.332 sends it while it loads the text of a skill or command file."""
    skill = {"command_name": "release", "command_source": "projectSettings", "invoked_by": "claude"}
    running = hook("Bash", {"command": "make"}, hook_event_name="PreSkillShellCommand", **skill)
    call = waiting_call(workspace)
    assert (call.tool, call.cwd) == ("Bash", str(project))
    assert call.command == "This comes from the text of the skill or command release.\n\nmake"
    reviewer = workspace.reviewer(PERSON)
    if verdict == "allow":
        reviewer.allow(call.id)
    else:
        reviewer.deny(call.id, reason="Not now.")
    said = json.loads(running.said().out)["hookSpecificOutput"]
    reason = {"permissionDecisionReason": "The reviewer denied this: Not now."} if verdict == "deny" else {}
    assert said == {"hookEventName": "PreSkillShellCommand", "permissionDecision": verdict, **reason}


@pytest.mark.parametrize("bad", ["\ud800", "\0"], ids=ascii)
@pytest.mark.parametrize(
    "fields",
    [
        lambda bad: {"tool_input": {"command": f"make{bad}"}},
        lambda bad: {"tool_name": f"mcp__other__{bad}"},
        lambda bad: {"session_id": bad},
        lambda bad: {"cwd": f"/{bad}"},
    ],
    ids=["command", "tool", "session", "folder"],
)
def test_half_a_character_or_a_nul_is_refused_with_what_to_do(
    project: Path, bad: str, fields: Callable[[str], dict[str, Any]]
) -> None:
    text = json.dumps({**use_of("Bash", {}, project), **fields(bad)})
    said = Hook("claude-code", text.encode()).said()
    assert (said.code, said.out) == (2, "") and "Something went wrong" not in said.err
    assert "an unpaired surrogate" in said.err or "a NUL" in said.err


def test_a_command_that_nobody_decides_is_not_run_and_is_gone(hook: Start, workspace: Workspace) -> None:
    said = hook("mcp__other__write", {"path": "x", "text": "é"}, "--timeout", "0.1").said()
    assert said.decision == "deny" and "the reviewer did not decide in time" in said.reason
    (call,) = workspace.proposer.calls()
    assert call.state.value == "gone" and '"text": "é"' in call.command


@pytest.mark.parametrize(
    ("setting", "decision", "words"),
    [("deny", "deny", "agents: shell: deny"), ("client", "", "")],
)
def test_what_the_user_set_for_all_commands(
    hook: Start, workspace: Workspace, setting: str, decision: str, words: str
) -> None:
    set_configuration(f"agents: {{shell: {setting}}}")
    said = hook("Bash", {"command": "make"}).said()
    assert (said.code, said.decision) == (0, decision)
    assert words in said.answer.get("permissionDecisionReason", "") and workspace.proposer.calls() == ()


def test_a_project_s_own_file_leaves_no_command_to_the_client(
    hook: Start, workspace: Workspace, project: Path
) -> None:
    (project / "studio.yaml").write_text("agents: {shell: client}\n")
    running = hook("Bash", {"command": "make"})
    workspace.reviewer(PERSON).deny(waiting_call(workspace).id, reason="No.")
    assert running.said().decision == "deny"


def test_a_client_that_asks_its_user_nothing_is_told_of(
    hook: Start, workspace: Workspace, project: Path
) -> None:
    hook("Edit", edit(project), permission_mode="bypassPermissions")
    (remark,) = waiting_plan(workspace).problems
    assert remark.message == "The agent runs in mode bypassPermissions: only this gate asks for approval."


BROKEN: dict[str, Any] = {
    "nothing": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "no UTF-8": b"\xff",
    "deeply nested": b"[" * 100_000,
    "another event": {"hook_event_name": "PostToolUse"},
    "no input": {"tool_input": None},
    "no tool": {"tool_name": ""},
    "no session": {"session_id": None},
    "an unknown tool": {"tool_name": "WriteEverything"},
    "no folder": {"cwd": "relative"},
    "a folder that is gone": {"cwd": "/gone/from/here"},
    "a folder that is no project": {"cwd": "/etc"},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_failure_stops_the_tool_with_one_sentence(project: Path, broken: bytes | dict[str, Any]) -> None:
    """The code that every client takes for no, and nothing on standard output."""
    if isinstance(broken, dict):
        usual = use_of("Write", {"file_path": "x", "content": ""}, project)
        broken = json.dumps({**usual, **broken}).encode()
    said = Hook("claude-code", broken).said()
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Exacta Studio stopped this: ") and said.err.count("\n") == 1


def test_a_store_that_can_not_be_used_stops_the_tool(
    hook: Start, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "file"))
    said = hook("Edit", edit(project)).said()
    assert (said.code, said.out) == (2, "") and said.err.startswith("Exacta Studio stopped this: ")


def test_usage_of_the_command_itself_stops_the_tool(studio: CommandLine) -> None:
    assert studio("hook", "nobody", stdin=b"{}", json=False).code == 2
    assert studio("hook", json=False).code == 2
