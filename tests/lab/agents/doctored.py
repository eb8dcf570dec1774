"""What `doctor` finds of each real client's gate, by the very entries that `connect` writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.doors.connect import client_of
from studio.doors.doctor import TALKED_AGENTS, TRIED_CLIENTS
from studio.doors.doctor.tried_opencode import say_package_is_there
from tests.doors.awaited import soon
from tests.lab.agents.cache import fetched
from tests.lab.agents.gates import gate_environment
from tests.lab.agents.lab import Lab
from tests.lab.agents.opencode import folder_of
from tests.lab.agents.trials import Seen, Trial, make_project
from tests.lab.agents.wishes import BEFORE, NOTES

# Each way in which our part may fail is a run of the client.
_DOCTOR_SECONDS: Final = 120.0
_PROVE: Final = """
import sys
from studio.doors.connect import carry_out, client_of, plan_connection
from studio.doors.doctor import TRIED_CLIENTS, prove_gate
client = client_of(sys.argv[1])
carry_out(plan_connection(client))
proof = prove_gate(client, TRIED_CLIENTS[client.name])
print(f"{proof.gate.value}, {'proved' if proof.proved else 'not proved'}: {proof.why}")
"""
_PROVE_TALK: Final = """
import sys
from studio.doors.doctor import TALKED_AGENTS, prove_talk
proof = prove_talk(TALKED_AGENTS[sys.argv[1]])
print(f"{proof.gate.value}, {'proved' if proof.proved else 'not proved'}: {proof.why}")
"""
_KILLED: Final = "what it starts as its hook is killed"
_CLOSED: Final = "closed, proved: The client wrote in none of the ways in which our part may fail."
_OPEN: Final = "open on failure, proved: The client writes where"

FOUND: Final[Mapping[str, str]] = {
    "claude-code": _CLOSED,
    "cline": f"{_OPEN} {_KILLED}.",
    "codex": f"{_OPEN} the hook program itself is missing, {_KILLED}.",
    "gemini": f"{_OPEN} {_KILLED}.",
    "opencode": _CLOSED,
    "qwen": f"{_OPEN} {_KILLED}.",
    "gemini-acp": _CLOSED,
    "qwen-acp": _CLOSED,
}


def doctored(client: str, program: str, prove: str, gate: str) -> Trial:
    """A client that is tried as a user has it who just connected it, or talks with it."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, (), environment=gate_environment()) as lab:
            say_package_is_there(folder_of(lab))
            programs = lab.home / "programs"
            programs.mkdir()
            (programs / program).symlink_to(fetched(client))
            # Some are run by whichever Node is found.
            (programs / "node").symlink_to(fetched("node"))
            path = f"{programs}:{lab.environment['PATH']}"
            ran = lab.run([sys.executable, "-c", prove, gate], {"PATH": path}, _DOCTOR_SECONDS)
            assert ran.exit_code == 0, ran
            # A hook's watch looks a second after it began, where it was not told of the end.
            soon(lambda: not _running_in(lab.home))
            return Seen((project / NOTES).read_bytes(), (), ran.output.strip())

    return Trial(client, f"doctor: what {gate} is worth", BEFORE, FOUND[gate], play)


def _running_in(home: Path) -> list[bytes]:
    """The command lines of processes that were started with a word about this folder."""
    lines: list[bytes] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            lines.append(file.read_bytes())
    return [line for line in lines if os.fsencode(home) in line]


DOCTORED = (
    *(doctored(client, client_of(client).program, _PROVE, client) for client in TRIED_CLIENTS),
    # Their programs are called as they are themselves.
    *(
        doctored(gate.removesuffix("-acp"), gate.removesuffix("-acp"), _PROVE_TALK, gate)
        for gate in TALKED_AGENTS
    ),
)
"""What each gate is worth."""
