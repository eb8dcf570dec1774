"""Stored results of agents' approval-gate tests, invalid after changes; current status.

A result is valid until anything changed that it depends on.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from msgspec.structs import replace

from studio import __version__, extras
from studio.doors.acp.startup_programs import startup_program_warning
from studio.doors.clients.client import AcpAgent
from studio.doors.clients.codex_trust import TrustWatch
from studio.doors.connect import (
    CLIENTS,
    CODEX,
    Client,
    EntryState,
    client_of,
    entry_states,
    find_disabled_hooks,
    has_written_entries,
    hook_command,
    hook_settings,
)
from studio.doors.doctor.acp_trial import ACP_TEST_AGENTS, TestedAcpAgent
from studio.errors import StudioError
from studio.extras.agents import Gate, GateStatus
from studio.extras.home_files import read_stored_file, write_stored_file
from studio.names import show_name
from studio.values import Value

_NAME: Final = "gates.json"
_UNTRUSTED: Final = "hook_untrusted"
"""Reason code: Codex itself reports that it does not run the hook."""
_codex: Final = TrustWatch()


class _Proof(Value):
    """A test result with the fingerprint of what was tested.

    A different fingerprint makes it invalid.
    """

    status: GateStatus
    fingerprint: str


def store_proof(status: GateStatus, fingerprint: str) -> None:
    """Save a test result in place of the agent's last one.

    The fingerprint is from before the test. Raises FileError.
    """
    proofs = {**_read_proofs(), status.agent: _Proof(status, fingerprint)}
    document = [_fields(proof) for _, proof in sorted(proofs.items())]
    write_stored_file(_NAME, (json.dumps(document, indent=1) + "\n").encode())


def gate_status_of(client: Client, projects: Sequence[Path], *, asks: bool = True) -> GateStatus | None:
    """Return an agent's current gate status; None: it was never connected.

    The status is for these projects, as their own settings may turn the gate off. It is the stored result, or
    why none is valid. `asks`: start Codex to query whether it trusts the hook, where its last answer is older
    than a minute.
    """
    name = client.name
    try:
        connected = has_written_entries(client)
    except StudioError as error:
        return GateStatus(name, Gate.OPEN_ON_FAILURE, False, error.message)
    try:
        states = entry_states(client)
        is_there = any(state is not EntryState.MISSING for state in states)
        now = fingerprint_of(client)
        off = find_disabled_hooks(client, projects) if is_there else None
    except StudioError as error:
        return GateStatus(name, Gate.OPEN_ON_FAILURE, False, error.message) if connected else None
    entry = client.entries[0].path
    if connected and states[0] is EntryState.MISSING:
        # Removed by someone else, perhaps the agent itself: `connect --remove` would have deleted the record.
        why = f"Our entry was removed from {show_name(str(entry))}. Restore it with: studio connect {name}"
        return GateStatus(name, Gate.NONE, False, why)
    if not is_there:
        return None
    if client.no_gate:
        return GateStatus(name, Gate.NONE, False, client.no_gate)
    if off is not None:
        why = f"{off.sentence}, so {client.title} may not ask for approval. Change that file."
        return GateStatus(name, Gate.NONE, False, why, file=off.shown, reason=off.reason.value)
    if name == CODEX.name and projects:
        settings = (entry, *(entry.with_name(name) for name in client.habits.beside))
        stamp = " ".join(_stamp(str(path)) for path in settings)
        trust = _codex.trust(hook_command(client), projects, stamp, asks=asks)
        if trust is not None and not trust.is_trusted:
            gate = Gate.NONE if trust.answered else Gate.OPEN_ON_FAILURE
            reason = _UNTRUSTED if trust.answered else ""
            return GateStatus(name, gate, False, trust.missing, reason=reason)
    return _stored_status(name, now) or _untested_status(name)


def acp_gate_status(acp_agent: AcpAgent, command: Sequence[str], project: Path) -> GateStatus:
    """Return the gate status of a conversation's agent and command."""
    name = acp_agent.gate or "acp"
    if warning := acp_agent.warning or startup_program_warning(acp_agent, project):
        return GateStatus(name, Gate.NONE, False, warning)
    agent = ACP_TEST_AGENTS[name]
    program = agent.client.program
    if _stamp(shutil.which(command[0])) != _stamp(shutil.which(program)):
        why = (
            f"It was not started as {program}, the program that was tested. Test it with: studio "
            f"doctor {name}"
        )
        return GateStatus(name, Gate.OPEN_ON_FAILURE, False, why)
    return _stored_status(name, acp_fingerprint(agent)) or _untested_status(name)


def sandbox_gate_status() -> GateStatus:
    """Return the gate status of a sandboxed session.

    Whether commands in the sandbox reach nothing outside is tested anew each time.
    """
    proofs = extras.sandbox.check_layer_methods()
    if any(proof.works for proof in proofs):
        why = "It runs in the sandbox; its changes do not reach the project."
        return GateStatus("acp", Gate.CLOSED, True, why)
    return GateStatus("acp", Gate.NONE, False, " ".join(proof.message for proof in proofs))


def _untested_status(name: str) -> GateStatus:
    why = f"It was not tested yet. Test it with: studio doctor {name}"
    return GateStatus(name, Gate.OPEN_ON_FAILURE, False, why)


def _stored_status(name: str, fingerprint: str) -> GateStatus | None:
    """Return a gate's stored result, not proved if anything changed."""
    proof = _read_proofs().get(name)
    if proof is None or proof.fingerprint == fingerprint:
        return proof and proof.status
    why = (
        f"The client, our program or our entry changed since the test. Test again with: studio doctor {name}"
    )
    return replace(proof.status, proved=False, why=why)


def gate_statuses(projects: Sequence[Path]) -> tuple[GateStatus, ...]:
    """Return the gates of all connected agents in these projects, for display.

    Includes agents used in conversations that were tested.
    """
    connected = (gate_status_of(client_of(name), projects) for name in CLIENTS)
    talked = (_stored_status(name, acp_fingerprint(agent)) for name, agent in ACP_TEST_AGENTS.items())
    return tuple(status for status in (*connected, *talked) if status is not None)


def fingerprint_of(client: Client) -> str:
    """Return a SHA-256 over everything that a hook's test result depends on.

    It covers our version, the client's program, our hook program, our entries, and what the files beside them
    say of hooks. Raises Refused where a file of the agent's configuration can't be read.
    """
    parts = [__version__, _stamp(shutil.which(client.program)), _sha256(read_stored_file(client.hook_name))]
    parts += [json.dumps(entry.value, sort_keys=True) for entry in client.entries]
    states = zip(client.entries, entry_states(client), strict=True)
    parts += [f"{entry.path} {entry.spot} {state.value}" for entry, state in states]
    parts += hook_settings(client)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def acp_fingerprint(agent: TestedAcpAgent) -> str:
    """Return a SHA-256 over our version and a conversation agent's program."""
    parts = [__version__, _stamp(shutil.which(agent.client.program))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _read_proofs() -> Mapping[str, _Proof]:
    """Return the stored results by agent; an unreadable file proves nothing."""
    data = read_stored_file(_NAME)
    found: dict[str, _Proof] = {}
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        for fields in cast("list[dict[str, Any]]", json.loads(data or b"[]")):
            status = GateStatus(
                agent=str(fields["agent"]),
                gate=Gate(fields["gate"]),
                proved=fields["proved"] is True,
                why=str(fields["why"]),
                version=str(fields["version"]),
                when=datetime.fromisoformat(fields["when"]) if fields["when"] else None,
                is_own=fields.get("settings") == "own",
            )
            found[status.agent] = _Proof(status, str(fields["fingerprint"]))
    return found


def _fields(proof: _Proof) -> dict[str, Any]:
    status = proof.status
    return {
        "agent": status.agent,
        "version": status.version,
        "gate": status.gate.value,
        "proved": status.proved,
        "when": status.when.isoformat() if status.when is not None else None,
        "settings": "own" if status.is_own else "empty home",
        "why": status.why,
        "fingerprint": proof.fingerprint,
    }


def _stamp(program: str | None) -> str:
    """Return the resolved path, size and time, which change with every update."""
    if program is None:
        return ""
    path = Path(program).resolve()
    try:
        stat_result = path.stat()
    except OSError:
        return ""
    return f"{path} {stat_result.st_size} {stat_result.st_mtime_ns}"


def _sha256(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
