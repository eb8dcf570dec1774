"""`agents: {shell: sandbox}`: a hook runs its agent's command there, and tells what came of it as a no."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.doors.limits import AGENT_COMMAND_BYTES
from studio.program.app_folders import state_directory
from studio.workspace import Workspace
from tests.doors.awaited import soon, waiting_call
from tests.doors.conftest import set_configuration
from tests.doors.hooks.conftest import PERSON, Hook, HookProcess
from tests.engine.snapshot_store.folders import standing
from tests.tools.sandboxed import opened

Start = Callable[..., Hook]


@pytest.fixture(autouse=True)
def notes(project: Path) -> Path:
    opened(project).close()
    set_configuration("agents: {shell: sandbox}")
    (project / "notes.txt").write_bytes(b"alpha\n")
    return project / "notes.txt"


@pytest.mark.parametrize(
    ("client", "named"),
    [("claude-code", "Bash command"), ("codex", "Bash command"), ("codex", "exec_command cmd")],
)
def test_what_a_command_changes_waits_and_its_agent_is_told_what_came_of_it(
    hook: Start, workspace: Workspace, project: Path, client: str, named: str
) -> None:
    before = standing(project)
    command = r"echo beta >> notes.txt; printf 'said\033]0;title\007\n'; exit 3"
    tool, key = named.split()
    said = hook(tool, {key: command}, client=client).said()
    assert (said.code, said.err, said.decision) == (0, "", "deny")
    head, *_ = said.reason.split(". ")
    assert head == "This command was run in a sandbox, as the user's settings require: do not run it again"
    assert "It ended with 3 after" in said.reason and "without a network." in said.reason
    (plan,) = workspace.proposer.plans()
    assert f"Plan {plan.short_id}" in said.reason and "waiting for review" in said.reason
    assert "It printed:\n\nsaid\\x1b]0;title\\x07\n" in said.reason and "\x1b" not in said.reason
    assert (plan.agent, plan.title, plan.state.value) == (client, f"Changes of {command}", "pending")
    assert [step.path for step in plan.steps] == ["notes.txt"] and "said" in plan.message
    (session,) = workspace.proposer.sessions()
    assert session.plans == (plan.id,) and session.open_plan is None
    assert standing(project) == before and workspace.proposer.calls() == ()


def test_a_command_sees_the_disk_and_its_agent_is_told_what_it_could_not_see(
    hook: Start, workspace: Workspace, notes: Path
) -> None:
    hook("Bash", {"command": "echo beta >> notes.txt"}).said()
    (plan,) = workspace.proposer.plans()
    said = hook("Bash", {"command": "cat notes.txt"}).said()
    assert said.reason.endswith("It made no changes that can be proposed.\n\nIt printed:\n\nalpha\n")
    assert f"without your plans that are waiting for review: {plan.short_id}." in said.reason
    workspace.reviewer(PERSON).approve(plan.id)
    workspace.reviewer(PERSON).apply(plan.id)
    said = hook("Bash", {"command": "cat notes.txt"}).said()
    assert said.reason.endswith("alpha\nbeta\n") and "waiting for review" not in said.reason


def test_a_command_that_hangs_is_ended_in_time(hook: Start, workspace: Workspace) -> None:
    command = {"command": "echo new > new.txt; sleep 1000"}
    said = hook("Bash", command, "--timeout", "2").said()
    assert "It was ended when its time was over" in said.reason and "do not run it again" not in said.reason
    assert [step.path for step in workspace.proposer.plans()[0].steps] == ["new.txt"]


def test_a_client_that_is_killed_takes_its_command_along(
    hook: Start, workspace: Workspace, project: Path
) -> None:
    """Nobody asks for its changes any more; of the command nothing runs on, and nothing is left."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    runs = state_directory() / "sandbox"
    running = hook("Bash", {"command": "echo new > new.txt; sleep 1000"}, "--caller", str(client.pid))
    soon(lambda: [*runs.glob("*/upper/new.txt")])
    client.kill()
    client.communicate()
    assert running.said().decision == "deny"
    assert workspace.proposer.plans() == () and not any(runs.iterdir())


@pytest.mark.process
def test_a_hook_that_is_ended_ends_its_command(
    hook_process: Callable[..., HookProcess], workspace: Workspace, project: Path
) -> None:
    running = hook_process("Bash", {"command": "echo $$ > new.txt; exec sleep 1000"})
    soon(lambda: [*(state_directory() / "sandbox").glob("*/upper/new.txt")])
    running.process.send_signal(signal.SIGTERM)
    assert running.said().code != 0 and workspace.proposer.plans() == ()
    opened(project).close()
    assert not any((state_directory() / "sandbox").iterdir())


def test_a_long_output_is_cut_in_the_middle(hook: Start) -> None:
    said = hook("Bash", {"command": "echo first; yes | head -c 1000000; echo last"}).said()
    assert "It printed:\n\nfirst\n" in said.reason and said.reason.endswith("last\n")
    assert "bytes left out]" in said.reason and len(said.reason) < AGENT_COMMAND_BYTES + 2000


@pytest.mark.parametrize("folder", ["/", "/no/such/folder", "deep/none"])
def test_a_command_for_another_folder_is_not_run(
    hook: Start, workspace: Workspace, project: Path, folder: str
) -> None:
    (project / ".git").mkdir()
    given = {"cmd": "echo new > new.txt", "workdir": str(project / folder)}
    said = hook("exec_command", given, client="codex").said()
    assert said.decision == "deny" and "is not a folder of the project" in said.reason
    assert said.reason.startswith("Nothing was run: ") and workspace.proposer.plans() == ()


def test_a_command_in_a_folder_of_the_project_is_run_there(
    hook: Start, workspace: Workspace, project: Path
) -> None:
    (project / ".git").mkdir()
    (project / "deep").mkdir()
    hook("Bash", {"command": "echo new > new.txt"}, cwd=project / "deep").said()
    assert [step.path for step in workspace.proposer.plans()[0].steps] == ["deep/new.txt"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__other__write", {"command": "touch x"}),
        ("Bash", {"command": ["touch", "x"]}),
        ("Bash", {"command": "touch x", "dangerouslyDisableSandbox": True}),
    ],
)
def test_what_is_no_command_for_a_shell_waits_for_a_person(
    hook: Start, workspace: Workspace, tool: str, given: dict[str, object]
) -> None:
    """Shown with all arguments: what a key means that its client's shell does not have, nobody knows."""
    running = hook(tool, given)
    call = waiting_call(workspace)
    assert json.loads(call.command) == given
    workspace.reviewer(PERSON).deny(call.id, reason="No.")
    assert running.said().reason == "The reviewer denied this: No."


@pytest.mark.process
def test_where_no_sandbox_can_be_had_nothing_is_run(
    hook_process: Callable[..., HookProcess], workspace: Workspace
) -> None:
    """In a name space of users that may make no further one, as in many a container."""
    limit = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    before = ("unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh")
    said = hook_process("Bash", {"command": "echo new > new.txt"}, *before).said()
    assert said.decision == "deny", said
    assert said.reason.startswith("Nothing was run: this system gives us no name space of our own")
    assert "max_user_namespaces" in said.reason
    assert workspace.proposer.plans() == () and workspace.proposer.calls() == ()
