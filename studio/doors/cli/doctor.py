"""`studio doctor`: check the installation, test a gate, write a report.

A gate is tested with the agent's own client.
"""

from __future__ import annotations

import json
import shutil
import sys
from argparse import Namespace
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio.doors.acp.agents import KNOWN_GATES, KnownAgent
from studio.doors.agents.server_process import AgentFailed
from studio.doors.cli.answer import DONE, REFUSED, Answer
from studio.doors.cli.person import About, NoProject, require_person
from studio.doors.clients.client import TriedClient
from studio.doors.clients.codex_trust import query_trust
from studio.doors.connect import CODEX, Client, EntryState, client_of, entry_states, hook_command
from studio.doors.doctor import (
    TALKED_AGENTS,
    TRIED_CLIENTS,
    Attempt,
    acp_gate_status,
    fingerprint_of,
    gate_status_of,
    gate_statuses,
    keep_proof,
    own_command,
    own_files,
    prove_gate,
    prove_talk,
    talk_fingerprint,
    untestable,
    why_no_sandbox,
    why_untestable,
)
from studio.doors.doctor.bundle import bundle_text, check_line, gate_line
from studio.doors.doctor.checks import Check, bell, checks_of
from studio.doors.doctor.gate_proof import Told
from studio.doors.doctor.trial import Tried
from studio.engine import diagnostics
from studio.engine.config import user_review
from studio.engine.errors import NotFound, Refused, UsageError
from studio.engine.gate import GateStatus
from studio.engine.names import show_name
from studio.engine.plan import time_text
from studio.engine.workspace import find_root, reason


def doctor(arguments: Namespace) -> Answer:
    """Run the checks and list stored results, or test a gate.

    With a name, that agent's gate is tested. Exit code 1 where one is not ok.
    """
    root = arguments.project or find_root(Path.cwd())[0]
    if arguments.agent and arguments.bundle is not None:
        raise UsageError("usage", "--bundle goes with no NAME.", "See: studio doctor --help")
    is_own, is_empty = arguments.own_settings, arguments.empty_home
    if (
        ((is_own or is_empty) and not arguments.agent)
        or (arguments.yes and not is_own)
        or (is_own and is_empty)
    ):
        message = "--own-settings or --empty-home goes with a NAME, and --yes with --own-settings."
        raise UsageError("usage", message, "See: studio doctor --help")
    if arguments.agent:
        told = _told_program if arguments.json else _told
        known = KNOWN_GATES.get(arguments.agent)
        if known and is_own:
            raise untestable(known.title, known.gate, f"{known.title} is tried in an empty home alone.")
        if known:
            proof = _proved_talk(known, root, told)
        else:
            client = client_of(arguments.agent)
            is_own = is_own or (not (is_empty or arguments.json) and _is_at_terminal())
            proof = _proved(client, root, told, is_own=is_own, is_asked=is_own and not arguments.yes)
        document = {"ok": proof.is_safe, "checks": [], "gates": [_gate_json(proof)], "bell": bell()}
        return Answer(document, gate_line(proof), DONE if proof.is_safe else REFUSED)
    if arguments.bundle is not None:
        return _bundle(root, arguments.bundle)
    found = _found(root)
    lines = [*map(check_line, found.checks), *map(gate_line, found.gates)]
    return Answer(found.document, "\n".join(lines), DONE if found.document["ok"] else REFUSED)


@dataclass(frozen=True, slots=True)
class _Found:
    checks: tuple[Check, ...]
    gates: tuple[GateStatus, ...]
    document: dict[str, Any]


def _found(root: Path) -> _Found:
    checks = tuple(checks_of(root))
    gates = gate_statuses([root])
    is_ok = all(check.ok for check in checks) and all(gate.is_safe for gate in gates)
    document = {
        "ok": is_ok,
        "checks": [_check_json(check) for check in checks],
        "gates": [_gate_json(gate) for gate in gates],
        "bell": bell(),
    }
    return _Found(checks, gates, document)


def _bundle(root: Path, target: str) -> Answer:
    """Write the diagnostic report to a new file, or print it."""
    root = root.resolve()
    text = bundle_text(root)
    if target == "-":
        return Answer({"bundle": text}, text, is_exact=True)
    diagnostics.write(text, Path(target), root)
    said = f"What helps to find a fault is in {show_name(target)}. Read it before you hand it on."
    return Answer({"bundle": target}, said)


def _proved(client: Client, root: Path, told: Told, *, is_own: bool, is_asked: bool) -> GateStatus:
    """Test the gate of a connected client.

    Raises NotFound, Refused where there is nothing to test, NeedsPerson.
    """
    _need(client.title, client.program)
    if entry_states(client)[0] is not EntryState.THERE:
        raise Refused(
            "doctor.not_connected",
            f"{client.title} is not connected, or its entry was changed.",
            f"Run: studio connect {client.name}",
        )

    if client.no_gate:
        raise Refused("doctor.no_gate", client.no_gate, f"Run: studio agent {client.name}")

    tried = TRIED_CLIENTS[client.name]
    if is_own and (why := why_untestable(client, tried) or why_no_sandbox()):
        raise untestable(client.title, client.name, why)
    if is_asked:
        _ask(client, tried)
    # In the empty home it is set to trust the hook; the user's own Codex may silently skip it.
    if client.name == CODEX.name and (missing := query_trust(hook_command(client)).missing):
        raise Refused("doctor.not_trusted", missing, f"Run: studio connect {client.name}")

    # Taken before the test: a change during it is not proved.
    fingerprint = fingerprint_of(client)
    with _started(client.title, "did not take our entry for the trial"):
        proof = prove_gate(client, tried, told, is_own=is_own)
    keep_proof(proof, fingerprint)
    return gate_status_of(client, [root]) or proof


def _is_at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _ask(client: Client, tried: TriedClient) -> None:
    """Ask for permission to run the client. Raises NeedsPerson."""
    about = [About("command", show_name(own_command(tried)), is_whole=True)]
    about += [About("reads", show_name(f"~/{path}")) for path in own_files(client, tried)]
    about.append(About("instead", f"studio doctor {client.name} --empty-home"))
    what = f"Start {client.title} in the sandbox, {len(Attempt)} times at most, with copies of your settings?"
    require_person(NoProject(user_review()), what=what, word=client.name, about=about)


def _proved_talk(known: KnownAgent, root: Path, told: Told) -> GateStatus:
    """Test the gate of an ACP agent."""
    if known.warning:
        raise Refused("doctor.writes_itself", known.warning, f"Run: {known.instead}")
    agent = TALKED_AGENTS[known.gate]
    program = agent.client.program
    _need(known.title, program)
    fingerprint = talk_fingerprint(agent)
    with _started(known.title, "can't be talked with"):
        proof = prove_talk(agent, told)
    keep_proof(proof, fingerprint)
    return acp_gate_status(known, [program], root)


def _need(title: str, program: str) -> None:
    if shutil.which(program) is None:
        raise NotFound("doctor.no_client", f"{title} is not installed here.", "Install it first.")


@contextmanager
def _started(title: str, failed: str) -> Generator[None]:
    try:
        yield
    except AgentFailed as error:
        raise Refused("doctor.no_start", f"{title} {failed}: {error}.", "Start it once by hand.") from error
    except OSError as error:
        message = f"{title} can't be started: {reason(error, 'its program')}."
        raise Refused("doctor.no_start", message, "Start it once by hand.") from error


def _told(attempt: Attempt, found: Tried) -> None:
    became = "WRITTEN" if found.was_written else "not written"
    sys.stderr.write(f"{attempt.value}: {became}\n")


def _told_program(attempt: Attempt, found: Tried) -> None:
    """Print the attempt as a line of JSON on stderr.

    The document is on standard output.
    """
    said = {"event": "tried", "attempt": attempt.value, "written": found.was_written}
    sys.stderr.write(f"{json.dumps({**said, 'gated': attempt is not Attempt.NO_GATE})}\n")
    sys.stderr.flush()


def _check_json(check: Check) -> dict[str, Any]:
    return {"check": check.name, "ok": check.ok, "message": check.message, "hint": check.hint}


def _gate_json(gate: GateStatus) -> dict[str, Any]:
    said: dict[str, Any] = {"agent": gate.agent, "version": gate.version, "gate": gate.gate.value}
    said["proved"] = gate.proved
    if gate.when is not None:
        said |= {"when": time_text(gate.when), "settings": "own" if gate.is_own else "empty home"}
    if gate.reason:
        said |= {"file": gate.file, "reason": gate.reason}
    return {**said, "why": gate.why}
