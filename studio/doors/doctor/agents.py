"""List of supported agents with installation, connection state, problems and test availability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from studio.doors.clients.chosen_places import command_of_program
from studio.doors.clients.known import TRIED_CLIENTS
from studio.doors.connect import (
    CLIENTS,
    Client,
    EntryState,
    client_of,
    entry_states,
    has_written_entries,
    plan_connection,
)
from studio.doors.doctor.proof_record import gate_status_of
from studio.doors.doctor.user_settings_trial import own_command, own_files, why_no_sandbox, why_untestable
from studio.errors import StudioError
from studio.extras.agents import ConnectableAgent, ConnectionState
from studio.extras.home_files import read_stored_file


def connectable_agents(projects: Sequence[Path]) -> tuple[ConnectableAgent, ...]:
    """Return all agents in order, as these projects' settings affect them.

    Changes nothing.
    """
    no_sandbox = cache(why_no_sandbox)
    return tuple(_agent(client_of(name), projects, no_sandbox) for name in CLIENTS)


def _agent(client: Client, projects: Sequence[Path], no_sandbox: Callable[[], str]) -> ConnectableAgent:
    state, problem = _state(client)
    is_installed = client.is_installed
    agent = ConnectableAgent(
        client.name,
        client.title,
        client.program,
        is_installed,
        state,
        (f"Everything: {client.title} is not connected.",),
        problem,
        command=command_of_program(client.program),
    )
    if not agent.holds_ours:
        return replace(agent, not_proved=f"{client.title} is not connected.")
    not_proved = _not_proved(client, state)
    if not not_proved:
        trial_client = TRIED_CLIENTS[client.name]
        if why := why_untestable(client, trial_client) or no_sandbox():
            agent = replace(agent, own_refusal=why)
        else:
            agent = replace(
                agent, own_trial=own_command(trial_client), own_files=own_files(client, trial_client)
            )
    return replace(
        agent,
        unseen=client.unseen,
        gate_status=gate_status_of(client, projects, asks=False),
        not_proved=not_proved,
    )


def _state(client: Client) -> tuple[ConnectionState, str]:
    """Return the connection state, and what is wrong with the client's files."""
    try:
        is_recorded = has_written_entries(client)
    except StudioError as error:
        return ConnectionState.UNREADABLE, _sentences(error)
    try:
        is_done = plan_connection(client).is_done
        states = entry_states(client)
        hook = read_stored_file(client.hook_name)
    except StudioError as error:
        state = ConnectionState.UNREADABLE if is_recorded else ConnectionState.NOT_CONNECTED
        return state, _sentences(error)
    if not is_recorded and all(each is EntryState.MISSING for each in states):
        return ConnectionState.NOT_CONNECTED, ""
    if EntryState.CHANGED in states:
        return ConnectionState.CHANGED, ""
    if EntryState.MISSING in states:
        return ConnectionState.MISSING, ""
    if hook is None and client.hook is not None:
        return ConnectionState.MISSING, "Our hook program is missing. Connect again to restore it."
    return ConnectionState.CONNECTED if is_done else ConnectionState.OUTDATED, ""


def _not_proved(client: Client, state: ConnectionState) -> str:
    if not client.is_installed:
        return f"{client.title} is not installed, or {client.program} is not on PATH."
    if client.no_gate:
        return client.no_gate
    if state is ConnectionState.UNREADABLE or entry_states(client)[0] is not EntryState.THERE:
        return f"The connection of {client.title} was changed. Connect it again first."
    return ""


def _sentences(error: StudioError) -> str:
    return f"{error.message} {error.hint}".strip()
