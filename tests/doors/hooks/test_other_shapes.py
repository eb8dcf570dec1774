"""Hooks of clients that ask and are answered in other words than Claude Code: the same answers in theirs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.doors.connect import carry_out, client_of, plan_connection
from studio.workspace import Workspace
from tests.doors.awaited import waiting_call, waiting_plan
from tests.doors.conftest import set_configuration
from tests.doors.hooks.conftest import PERSON, Hook, Said, use_of
from tests.tools.sandboxed import opened

Answer = dict[str, Any]
Given = dict[str, Any]


@dataclass(frozen=True)
class Client:
    """How one client tells of a use of a tool, as it was recorded, and what each answer is to it."""

    name: str
    asked: Callable[[str, Given, Path], Answer]
    change: tuple[str, Callable[[Path], Given]]
    command: tuple[str, Given]
    harmless: str
    no_opinion: Answer
    allowed: Answer
    denied: Callable[[str], Answer]


def change_of(path: str, old: str, new: str) -> Callable[[Path], Given]:
    return lambda project: {path: str(project / "notes.txt"), old: "beta", new: "BETA"}


def asked_by_gemini(tool: str, given: Given, cwd: Path) -> Answer:
    said = use_of(tool, given, cwd, hook_event_name="BeforeTool", timestamp="2026-11-22T06:32:32.664Z")
    del said["permission_mode"], said["tool_use_id"]
    if tool.startswith("mcp_"):
        server, _, own = tool.removeprefix("mcp_").rpartition("_")
        said["mcp_context"] = {"server_name": server, "tool_name": own}
    return said


def asked_by_qwen(tool: str, given: Given, cwd: Path) -> Answer:
    return use_of(tool, given, cwd, permission_mode="auto-edit", prompt_id="5c2f########0")


def asked_by_cline(tool: str, given: Given, cwd: Path) -> Answer:
    return {
        "taskId": "conv_1795330304872_9de7avi",
        "workspaceRoots": [str(cwd)],
        "hookName": "tool_call",
        "tool_call": {"id": "call_0_0", "name": tool, "input": given},
        "preToolUse": {"toolName": tool, "parameters": given},
    }


def asked_by_opencode(tool: str, given: Given, cwd: Path) -> Answer:
    """In the words of our own plugin."""
    said = use_of(tool, given, cwd, hook_event_name="tool.execute.before")
    del said["permission_mode"], said["tool_use_id"]
    return said


def decided(**said: str) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}


STRINGS = change_of("file_path", "old_string", "new_string")
MAKE = {"command": "make", "is_background": False}
GEMINI = Client(
    "gemini", asked_by_gemini, ("replace", STRINGS), ("run_shell_command", MAKE), "read_file",
    no_opinion={}, allowed={"decision": "allow"},
    denied=lambda reason: {"decision": "deny", "reason": reason},
)  # fmt: skip
QWEN = Client(
    "qwen", asked_by_qwen, ("edit", STRINGS), ("run_shell_command", MAKE), "read_file",
    no_opinion=decided(), allowed=decided(permissionDecision="allow"),
    denied=lambda reason: decided(permissionDecision="deny", permissionDecisionReason=reason),
)  # fmt: skip
CLINE = Client(
    "cline", asked_by_cline, ("editor", change_of("path", "old_text", "new_text")),
    ("run_commands", {"commands": ["make"]}), "read_files",
    no_opinion={"cancel": False}, allowed={"cancel": False},
    denied=lambda reason: {"cancel": True, "errorMessage": reason},
)  # fmt: skip
OPENCODE = Client(
    "opencode", asked_by_opencode, ("edit", change_of("filePath", "oldString", "newString")),
    ("bash", {"command": "make", "description": "Make it"}), "read",
    no_opinion={"decision": "none"}, allowed={"decision": "allow"},
    denied=lambda reason: {"decision": "deny", "reason": reason},
)  # fmt: skip
CLIENTS = {client.name: client for client in (GEMINI, QWEN, CLINE, OPENCODE)}


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Client:
    return CLIENTS[request.param]


@pytest.fixture(autouse=True)
def notes(project: Path) -> Path:
    (project / "notes.txt").write_bytes(b"alpha\nbeta\ngamma\n")
    return project / "notes.txt"


def asking(client: Client, project: Path, tool: str, given: Given) -> Hook:
    return Hook(client.name, json.dumps(client.asked(tool, given, project)).encode())


def answer_of(said: Said) -> Answer:
    assert (said.code, said.err) == (0, "")
    return json.loads(said.out)


def test_a_change_is_written_here_and_not_by_the_client(
    client: Client, workspace: Workspace, project: Path, notes: Path
) -> None:
    tool, given = client.change
    hook = asking(client, project, tool, given(project))
    plan = waiting_plan(workspace)
    assert (plan.agent, [step.path for step in plan.steps]) == (client.name, ["notes.txt"])
    workspace.reviewer(PERSON).approve(plan.id)
    workspace.reviewer(PERSON).apply(plan.id)
    said = answer_of(hook.said())
    (reason,) = [text for text in texts(said) if text.startswith("Done: the reviewer approved this change")]
    assert said == client.denied(reason)
    assert notes.read_bytes() == b"alpha\nBETA\ngamma\n"


def texts(said: object) -> list[str]:
    """Every text in an answer, however deep."""
    if isinstance(said, dict):
        return [text for value in said.values() for text in texts(value)]
    return [said] if isinstance(said, str) else []


@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_a_command_waits_for_a_person(
    client: Client, workspace: Workspace, project: Path, verdict: str
) -> None:
    tool, given = client.command
    hook = asking(client, project, tool, given)
    call = waiting_call(workspace)
    assert (call.agent, call.tool, call.cwd) == (client.name, tool, str(project))
    assert "make" in call.command
    if verdict == "allow":
        workspace.reviewer(PERSON).allow(call.id)
    else:
        workspace.reviewer(PERSON).deny(call.id, reason="Not now.")
    said = answer_of(hook.said())
    denied = client.denied("The reviewer denied this: Not now.")
    assert said == (client.allowed if verdict == "allow" else denied)


def test_a_command_is_run_in_the_sandbox_where_the_user_says_so(
    client: Client, workspace: Workspace, project: Path, notes: Path
) -> None:
    """In the folder that it names; the client has nothing left to run."""
    opened(project).close()
    set_configuration("agents: {shell: sandbox}")
    tool, given = client.command
    (project / "deep").mkdir()
    folders = {"gemini": "dir_path", "qwen": "directory", "opencode": "workdir"}
    folder = {folders[client.name]: "deep"} if client.name in folders else {}
    words: Given = {"command": "echo b >> ../notes.txt", **folder}
    if not folder:
        words = {"commands": ["echo 'a", "cd deep && echo b >> ../notes.txt", "cat notes.txt"]}
    hook = asking(client, project, tool, {**given, **words})
    said = answer_of(hook.said())
    (plan,) = workspace.proposer.plans()
    (reason,) = [text for text in texts(said) if "This command was run in a sandbox" in text]
    assert said == client.denied(reason) and plan.short_id in reason
    assert (plan.agent, [step.path for step in plan.steps]) == (client.name, ["notes.txt"])
    assert workspace.proposer.calls() == () and notes.read_bytes() == b"alpha\nbeta\ngamma\n"
    assert folder or "alpha\nbeta\ngamma\nb" in reason


@pytest.mark.parametrize(
    ("client", "word"), [(GEMINI, "dir_path"), (QWEN, "directory"), (OPENCODE, "workdir")]
)
def test_the_folder_that_a_command_is_run_in_is_shown(
    client: Client, word: str, workspace: Workspace, project: Path
) -> None:
    tool, given = client.command
    for folder in ("deep", "/elsewhere"):
        hook = asking(client, project, tool, {**given, word: folder})
        call = waiting_call(workspace)
        assert (call.cwd, call.command) == (str(project / folder), "make")
        workspace.reviewer(PERSON).deny(call.id, reason="Not there.")
        hook.said()


def test_a_tool_that_changes_nothing_is_left_to_the_client(
    client: Client, workspace: Workspace, project: Path
) -> None:
    hook = asking(client, project, client.harmless, {})
    assert answer_of(hook.said()) == client.no_opinion
    assert workspace.proposer.sessions() == ()


@pytest.mark.parametrize("tool", ["WriteEverything", "Edit"])
def test_a_tool_that_nobody_knows_stops(client: Client, project: Path, tool: str) -> None:
    """Those of another client as well."""
    hook = asking(client, project, tool, {})
    said = hook.said()
    assert (said.code, said.out) == (2, "")
    assert f"{client.name} called the unknown tool {tool}." in said.err


def test_what_another_client_sends_stops(client: Client, project: Path) -> None:
    """Whoever is asked in words that are not its own knows nothing of what is asked."""
    for other in CLIENTS.values():
        if other.asked is client.asked:
            continue
        text = json.dumps(other.asked(client.harmless, {}, project)).encode()
        said = Hook(client.name, text).said()
        assert (said.code, said.out) == (2, "") and "can't be read" in said.err


@pytest.mark.parametrize("roots", [None, [], [3], "/"])
def test_cline_without_a_folder_stops(project: Path, roots: object) -> None:
    said = CLINE.asked("editor", {}, project) | {"workspaceRoots": roots}
    hook = Hook("cline", json.dumps(said).encode()).said()
    assert (hook.code, hook.out) == (2, "") and "can't be read" in hook.err


@pytest.mark.parametrize(
    ("client", "tool"),
    [
        (GEMINI, "mcp_studio_propose"),
        (GEMINI, "mcp_studio_propose_status"),
        (GEMINI, "discovered_tool_make"),
        (QWEN, "mcp__studio__propose"),
        (CLINE, "studio__propose"),
        (OPENCODE, "studio_propose"),
        (OPENCODE, "lab_note"),
    ],
)
def test_a_tool_that_the_client_found_elsewhere_is_asked_for(
    client: Client, workspace: Workspace, project: Path, tool: str
) -> None:
    """Where ours is not connected; and where a server `studio_propose` has a tool `status`, even if it is."""
    if tool == "mcp_studio_propose_status":
        carry_out(plan_connection(client_of("gemini")))
    hook = asking(client, project, tool, {"text": "x"})
    call = waiting_call(workspace)
    assert call.tool == tool
    workspace.reviewer(PERSON).deny(call.id, reason="No.")
    assert answer_of(hook.said()) == client.denied("The reviewer denied this: No.")


@pytest.mark.parametrize(
    ("client", "tool"),
    [
        (GEMINI, "mcp_studio_propose"),
        (QWEN, "mcp__studio__propose"),
        (CLINE, "studio__propose"),
        (OPENCODE, "studio_propose"),
    ],
)
def test_our_own_tools_are_left_to_the_client(
    client: Client, tool: str, workspace: Workspace, project: Path
) -> None:
    carry_out(plan_connection(client_of(client.name)))
    hook = asking(client, project, tool, {"text": "x"})
    assert answer_of(hook.said()) == client.no_opinion
    assert workspace.proposer.sessions() == ()


def test_a_mode_in_which_qwen_code_asks_nobody_is_told_of(workspace: Workspace, project: Path) -> None:
    tool, given = QWEN.change
    asking(QWEN, project, tool, given(project))
    (remark,) = waiting_plan(workspace).problems
    assert remark.message == "The agent runs in mode auto-edit: only this gate asks for approval."
