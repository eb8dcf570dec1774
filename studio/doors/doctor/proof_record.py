"""Proofs of gates, kept for all projects of a user; one counts until something changed that it is about."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from studio import __version__
from studio.doors.connect import CLIENTS, Client, EntryState, client_of, entry_states
from studio.doors.doctor.gate_proof import GateProof
from studio.engine.errors import StudioError
from studio.engine.gate import Gate, GateStanding
from studio.engine.home_files import keep, read_kept

_NAME: Final = "gates.json"
NEVER: Final = datetime.fromtimestamp(0, UTC)
"""When a gate was tried that never was."""


def read_proofs() -> Mapping[str, GateProof]:
    """The last proof of each gate, by its agent; of what can't be read nothing is proved."""
    data = read_kept(_NAME)
    found: dict[str, GateProof] = {}
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        for fields in cast("list[dict[str, Any]]", json.loads(data or b"[]")):
            proof = GateProof(
                agent=str(fields["agent"]),
                version=str(fields["version"]),
                gate=Gate(fields["gate"]),
                proved=fields["proved"] is True,
                when=datetime.fromisoformat(fields["when"]),
                why=str(fields["why"]),
                fingerprint=str(fields["fingerprint"]),
            )
            found[proof.agent] = proof
    return found


def keep_proof(proof: GateProof) -> None:
    """Keep it in place of the agent's last one. Raises FileError."""
    proofs = {**read_proofs(), proof.agent: proof}
    document = [
        {
            "agent": each.agent,
            "version": each.version,
            "gate": each.gate.value,
            "proved": each.proved,
            "when": each.when.isoformat(),
            "why": each.why,
            "fingerprint": each.fingerprint,
        }
        for _, each in sorted(proofs.items())
    ]
    keep(_NAME, (json.dumps(document, indent=1) + "\n").encode())


def standing_of(client: Client) -> GateProof | None:
    """What is known of an agent's gate now: its proof, or that it counts no more, or that there is none. None
    for an agent that is not connected. Raises Refused as `fingerprint_of`."""
    if all(state is EntryState.MISSING for state in entry_states(client).values()):
        return None
    stored = read_proofs().get(client.name)
    if stored is None:
        why = f"It was never tried here: studio doctor {client.name}"
        return GateProof(client.name, "", Gate.OPEN_ON_FAILURE, False, NEVER, why)
    if stored.fingerprint == fingerprint_of(client):
        return stored
    why = f"The client, our program or our entry changed since it was tried: studio doctor {client.name}"
    return replace(stored, proved=False, why=why)


def gate_standings() -> tuple[GateStanding, ...]:
    """The gates of all connected agents, for who shows them; one that can't be looked at is no gate."""
    found: list[GateStanding] = []
    for name in CLIENTS:
        try:
            proof = standing_of(client_of(name))
        except StudioError as error:
            found.append(GateStanding(name, Gate.NONE, False, error.message))
            continue
        if proof is not None:
            found.append(GateStanding(name, proof.gate, proof.proved, proof.why))
    return tuple(found)


def fingerprint_of(client: Client) -> str:
    """SHA-256 over our version, the client's program, our hook program and our entries, as they are now.

    Raises Refused where a file of the agent's configuration can't be read.
    """
    parts = [__version__, _stamp(shutil.which(client.program)), _sha256(read_kept(client.hook_name))]
    parts += [json.dumps(entry.value, sort_keys=True) for entry in client.entries]
    parts += [f"{path} {state.value}" for path, state in sorted(entry_states(client).items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _stamp(program: str | None) -> str:
    """What changes with every update of a program: where it really lies, its size and its time."""
    if program is None:
        return ""
    place = Path(program).resolve()
    try:
        status = place.stat()
    except OSError:
        return ""
    return f"{place} {status.st_size} {status.st_mtime_ns}"


def _sha256(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
