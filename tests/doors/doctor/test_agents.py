"""Every agent that can be connected, as it stands: installed, connected, proved, and what it can write."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.doors.clients.client import Client
from studio.doors.connect import CLIENTS, carry_out, client_of, plan_connection
from studio.doors.doctor import connectable_agents, fingerprint_of, store_proof
from studio.extras.agents import ConnectableAgent, ConnectionState, Gate, GateStatus
from studio.extras.home_files import stored_file_path

State = ConnectionState
CLAUDE = "claude-code"


@pytest.fixture
def programs(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def claude(programs: Path) -> Client:
    """Claude Code, installed and connected."""
    program = programs / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(stat.S_IRWXU)
    client = client_of(CLAUDE)
    carry_out(plan_connection(client))
    return client


def found(name: str = CLAUDE) -> ConnectableAgent:
    return next(agent for agent in connectable_agents(()) if agent.name == name)


def test_all_are_listed_where_none_is_installed(programs: Path) -> None:
    agents = connectable_agents(())
    assert tuple(agent.name for agent in agents) == CLIENTS
    for agent in agents:
        assert (agent.is_installed, agent.state, agent.gate_status) == (False, State.NOT_CONNECTED, None)
        (sentence,) = agent.unseen
        assert sentence.startswith("Everything: ") and agent.not_proved.endswith("is not connected.")


def test_one_that_is_connected_says_what_its_gate_is_worth_and_what_passes(claude: Client) -> None:
    agent = found()
    assert (agent.state, agent.is_installed, agent.trouble, agent.not_proved) == (
        State.CONNECTED,
        True,
        "",
        "",
    )
    assert agent.gate_status is not None and not agent.gate_status.proved
    assert any("Command-line options" in sentence for sentence in agent.unseen)
    assert any("that you allow" in sentence for sentence in agent.unseen)
    proof = GateStatus(CLAUDE, Gate.CLOSED, True, "It holds.", "9.9.9")
    store_proof(proof, fingerprint_of(claude))
    assert found().gate_status == proof


@pytest.mark.parametrize("name", ["gemini", "opencode", "qwen"])
def test_one_that_runs_command_files_unasked_says_so(programs: Path, name: str) -> None:
    carry_out(plan_connection(client_of(name)))
    assert any("commands in a command file" in sentence for sentence in found(name).unseen)


def change_entry(client: Client) -> None:
    file = client.entries[0].path
    document = json.loads(file.read_text())
    document["hooks"]["PreToolUse"][0]["matcher"] = "Bash"
    file.write_text(json.dumps(document))


def take_entry_out(client: Client) -> None:
    client.entries[0].path.write_text("{}")


def take_server_out(client: Client) -> None:
    client.entries[1].path.write_text("{}")


def break_file(client: Client) -> None:
    client.entries[0].path.write_text('{"hooks": ')


def drop_hook(client: Client) -> None:
    stored_file_path(client.hook_name).unlink()


def other_hook(client: Client) -> None:
    stored_file_path(client.hook_name).write_text("#!/bin/sh\n# of an older version\n")


def break_record(_client: Client) -> None:
    stored_file_path("connections.json").write_text("{")


@pytest.mark.parametrize(
    ("become", "state", "trouble", "can_be_proved"),
    [
        (change_entry, State.CHANGED, "", False),
        (take_entry_out, State.MISSING, "", False),
        (take_server_out, State.MISSING, "", True),
        (break_file, State.UNREADABLE, "settings.json was not changed: line 1", False),
        (drop_hook, State.MISSING, "hook program is missing", True),
        (other_hook, State.OUTDATED, "", True),
        (break_record, State.UNREADABLE, "connections.json can't be read", False),
    ],
)
def test_what_became_of_our_entries_is_told(
    claude: Client, become: Callable[[Client], None], state: State, trouble: str, *, can_be_proved: bool
) -> None:
    become(claude)
    agent = found()
    assert (agent.state, agent.not_proved == "") == (state, can_be_proved), agent
    assert trouble in agent.trouble and bool(agent.trouble) == bool(trouble)
    assert agent.holds_ours and agent.gate_status is not None and not agent.gate_status.is_safe


def test_one_without_a_gate_says_so(programs: Path, private_folders: Path) -> None:
    assert "Set up Continue first" in found("continue").trouble
    settings = private_folders / "home/.continue/config.yaml"
    settings.parent.mkdir()
    settings.write_text("name: mine\nversion: 1.0.0\n")
    carry_out(plan_connection(client_of("continue")))
    (programs / "cn").write_text("#!/bin/sh\n")
    (programs / "cn").chmod(stat.S_IRWXU)
    agent = found("continue")
    assert agent.state is State.CONNECTED and "has no hooks" in agent.not_proved
    assert len(agent.unseen) == 1 and "only the tools of Exacta Studio ask here" in agent.unseen[0]
