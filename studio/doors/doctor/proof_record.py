"""Proofs of gates, kept for all projects of a user; one counts until something changed that it is about."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from studio import __version__
from studio.doors.connect import Client, entry_states
from studio.doors.doctor.gate_proof import Gate, GateProof
from studio.engine.home_files import keep, read_kept

_NAME: Final = "gates.json"


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


def proof_of(client: Client) -> GateProof | None:
    """The last proof of this agent's gate, where it is still about what is there now."""
    proof = read_proofs().get(client.name)
    return proof if proof is not None and proof.fingerprint == fingerprint_of(client) else None


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
