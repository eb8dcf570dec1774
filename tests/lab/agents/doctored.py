"""What `doctor` finds of each real client's gate, by the very entries that `connect` writes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.doors.clients.cline import model_settings
from studio.doors.clients.opencode import mark_package_installed
from studio.doors.connect import client_of
from studio.doors.doctor import ACP_TEST_AGENTS, TRIED_CLIENTS
from tests.doors.awaited import soon
from tests.lab.agents.cache import CACHE, PACKAGES
from tests.lab.agents.gates import gate_environment
from tests.lab.agents.lab import Lab
from tests.lab.agents.opencode import folder_of
from tests.lab.agents.trials import Seen, Trial, make_project
from tests.lab.agents.wishes import BEFORE, NOTES
from tests.tools.sandboxed import PYTHON

# Each way in which our part may fail is a run of the client.
_DOCTOR_SECONDS: Final = 600.0
_PROVE: Final = """
import sys
from studio.doors.connect import carry_out, client_of, plan_connection
from studio.doors.doctor import TRIED_CLIENTS, prove_gate
client = client_of(sys.argv[1])
carry_out(plan_connection(client))
proof = prove_gate(client, TRIED_CLIENTS[client.name], is_own=len(sys.argv) > 2)
print(f"{proof.gate.value}, {'proved' if proof.proved else 'not proved'}: {proof.why}")
"""
_PROVE_TALK: Final = """
import sys
from studio.doors.doctor import ACP_TEST_AGENTS, prove_acp_gate
proof = prove_acp_gate(ACP_TEST_AGENTS[sys.argv[1]])
print(f"{proof.gate.value}, {'proved' if proof.proved else 'not proved'}: {proof.why}")
"""
_KILLED: Final = "what it starts as its hook is killed"
_CLOSED: Final = "closed, proved: The client wrote nothing in any failure we tested."
_OPEN: Final = "open on failure, proved: The client writes when"

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


_AWAY: Final = "http://127.0.0.1:9"
"""Where nobody listens."""
_OPENED: Final = {"baseURL": _AWAY, "apiKey": "theirs"}
OWN: Final[Mapping[str, Mapping[str, object]]] = {
    "claude-code": {
        ".claude/settings.json": {"env": {"ANTHROPIC_BASE_URL": _AWAY, "HTTP_PROXY": _AWAY}},
    },
    "cline": {".cline/data/settings/providers.json": model_settings(_AWAY)},
    "codex": {
        ".codex/config.toml": f"""model_provider = "theirs"
[model_providers.theirs]
name = "Theirs"
base_url = "{_AWAY}"
"""
    },
    "gemini": {
        ".gemini/settings.json": {
            "security": {"auth": {"selectedType": "oauth-personal", "enforcedType": "oauth-personal"}},
            "tools": {"sandbox": True},
        },
        ".gemini/.env": f"GOOGLE_GEMINI_BASE_URL={_AWAY}\nHTTPS_PROXY={_AWAY}\nGEMINI_SANDBOX=docker\n",
    },
    "opencode": {
        ".config/opencode/opencode.json": {
            "model": "anthropic/theirs",
            "enabled_providers": ["anthropic"],
            "disabled_providers": ["scripted"],
            "permission": {"edit": "ask"},
            "agent": {"build": {"model": "anthropic/theirs"}},
            "provider": {"scripted": {"options": _OPENED}},
        },
    },
    "qwen": {
        ".qwen/settings.json": {
            "security": {"auth": {"selectedType": "anthropic", "baseUrl": _AWAY}},
            "env": {"OPENAI_BASE_URL": _AWAY, "HTTP_PROXY": _AWAY},
            "proxy": _AWAY,
            "model": {"name": "theirs"},
            "modelProviders": {"openai": [{"id": "theirs", "envKey": "THEIRS", "baseUrl": _AWAY}]},
        },
    },
}
"""Settings of a user that lead each client to another model than ours, or past it."""


def _write_own(client: str, home: Path) -> None:
    for name, held in OWN[client].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(held if isinstance(held, str) else json.dumps(held))


def _install(name: str, program: str, tools: Path) -> None:
    """Put a client into the home: of another place a sandbox shows nothing."""
    package = PACKAGES[name]
    shutil.copytree(CACHE / package.folder, tools / package.folder, symlinks=True)
    (tools / "bin").mkdir(exist_ok=True)
    (tools / "bin" / program).symlink_to(tools / package.folder / package.path)


def doctored(client: str, program: str, prove: str, gate: str, *, is_own: bool = False) -> Trial:
    """A client that is tried as a user has it who just connected it, or talks with it."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, (), environment=gate_environment()) as lab:
            mark_package_installed(folder_of(lab))
            # Some are run by whichever Node is found.
            for name, called in ((client, program), ("node", "node")):
                _install(name, called, lab.home / ".tools")
            if is_own:
                _write_own(client, lab.home)
            path = f"{lab.home}/.tools/bin:{Path(PYTHON).parent}:{lab.environment['PATH']}"
            words = [sys.executable, "-c", prove, gate, *(["own"] if is_own else [])]
            ran = lab.run(words, {"PATH": path}, _DOCTOR_SECONDS)
            assert ran.exit_code == 0, ran
            # A hook's watch looks a second after it began, where it was not told of the end.
            soon(lambda: not _running_in(lab.home))
            return Seen((project / NOTES).read_bytes(), (), ran.output.strip())

    name = f"doctor: {gate} with its user's settings" if is_own else f"doctor: what {gate} is worth"
    return Trial(client, name, BEFORE, FOUND[gate], play)


def _running_in(home: Path) -> list[bytes]:
    """The command lines of processes that were started with a word about this folder."""
    lines: list[bytes] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            lines.append(file.read_bytes())
    return [line for line in lines if os.fsencode(home) in line]


DOCTORED = (
    *(
        doctored(client, client_of(client).program, _PROVE, client, is_own=is_own)
        for client in TRIED_CLIENTS
        for is_own in (False, True)
    ),
    # Their programs are called as they are themselves.
    *(
        doctored(gate.removesuffix("-acp"), gate.removesuffix("-acp"), _PROVE_TALK, gate)
        for gate in ACP_TEST_AGENTS
    ),
)
"""What each gate is worth."""
