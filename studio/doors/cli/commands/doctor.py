"""`studio doctor`: check installation, test whether agents obey denials, write a report.

A gate is tested with the agent's own client.
"""

from __future__ import annotations

import json
import shutil
import sys
from argparse import Namespace
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studio.doors.acp.agents import agents_by_gate
from studio.doors.agents.server_process import AgentFailed
from studio.doors.cli.console.answer import DONE, REFUSED, Answer
from studio.doors.cli.console.person import About, NoProject, require_person
from studio.doors.clients.chosen_places import use_chosen_places
from studio.doors.clients.client import AcpAgent, TrialClient
from studio.doors.clients.codex_trust import query_trust
from studio.doors.connect import CODEX, Client, EntryState, client_of, entry_states, hook_command
from studio.doors.doctor import (
    ACP_TEST_AGENTS,
    TRIED_CLIENTS,
    Attempt,
    acp_fingerprint,
    acp_gate_status,
    fingerprint_of,
    gate_status_of,
    gate_statuses,
    own_command,
    own_files,
    prove_acp_gate,
    prove_gate,
    store_proof,
    untestable,
    why_no_sandbox,
    why_untestable,
)
from studio.doors.doctor.gate_proof import OnAttempt
from studio.doors.doctor.report import Check, bundle_text, check_line, checks_of, gate_line, notify_socket
from studio.doors.doctor.trial import Tried
from studio.engine import find_root, user_review
from studio.errors import NotFound, Refused, UsageError
from studio.extras import diagnostics
from studio.extras.agents import GateStatus
from studio.journal.file_image import time_text
from studio.names import show_name
from studio.system.os_errors import reason
from studio.values import Value


def doctor(arguments: Namespace) -> Answer:
    """Run the checks and list stored results, or test a gate.

    With a name, that agent's gate is tested. Exit code 1 where one is not ok.
    """
    root = arguments.project or find_root(Path.cwd())[0]
    if arguments.agent and arguments.bundle is not None:
        raise UsageError("usage", "--bundle takes no NAME.", "See: studio doctor --help")
    is_own, is_empty = arguments.own_settings, arguments.empty_home
    if (
        ((is_own or is_empty) and not arguments.agent)
        or (arguments.yes and not is_own)
        or (is_own and is_empty)
    ):
        message = (
            "--own-settings and --empty-home exclude each other and need a NAME; --yes needs --own-settings."
        )
        raise UsageError("usage", message, "See: studio doctor --help")
    use_chosen_places()
    if arguments.agent:
        on_attempt = _print_attempt_json if arguments.json else _print_attempt
        acp_agent = agents_by_gate().get(arguments.agent)
        if acp_agent and is_own:
            raise untestable(
                acp_agent.title, acp_agent.gate, f"{acp_agent.title} can only be tested in an empty home."
            )
        if acp_agent:
            proof = _test_acp_agent(acp_agent, root, on_attempt)
        else:
            client = client_of(arguments.agent)
            is_own = is_own or (not (is_empty or arguments.json) and _is_at_terminal())
            proof = _test_client(
                client, root, on_attempt, is_own=is_own, is_asked=is_own and not arguments.yes
            )
        document = {"ok": proof.is_safe, "checks": [], "gates": [_gate_json(proof)], "bell": notify_socket()}
        return Answer(document, gate_line(proof), DONE if proof.is_safe else REFUSED)
    if arguments.bundle is not None:
        return _bundle(root, arguments.bundle)
    results = _run_checks(root)
    lines = [*map(check_line, results.checks), *map(gate_line, results.gates)]
    return Answer(results.document, "\n".join(lines), DONE if results.document["ok"] else REFUSED)


class _Results(Value):
    checks: tuple[Check, ...]
    gates: tuple[GateStatus, ...]
    document: dict[str, Any]


def _run_checks(root: Path) -> _Results:
    checks = tuple(checks_of(root))
    gates = gate_statuses([root])
    is_ok = all(check.ok for check in checks) and all(gate.is_safe for gate in gates)
    document = {
        "ok": is_ok,
        "checks": [_check_json(check) for check in checks],
        "gates": [_gate_json(gate) for gate in gates],
        "bell": notify_socket(),
    }
    return _Results(checks, gates, document)


def _bundle(root: Path, target: str) -> Answer:
    """Write the diagnostic report to a new file, or print it."""
    root = root.resolve()
    text = bundle_text(root)
    if target == "-":
        return Answer({"bundle": text}, text, is_exact=True)
    diagnostics.write(text, Path(target), root)
    message = f"The diagnostic report is in {show_name(target)}. Read it before you share it."
    return Answer({"bundle": target}, message)


def _test_client(
    client: Client, root: Path, on_attempt: OnAttempt, *, is_own: bool, is_asked: bool
) -> GateStatus:
    """Test the gate of a connected client.

    Raises NotFound, Refused where there is nothing to test, NeedsPerson.
    """
    _require_program(client.title, client.program)
    if entry_states(client)[0] is not EntryState.THERE:
        raise Refused(
            "doctor.not_connected",
            f"{client.title} is not connected, or its entry was changed.",
            f"Run: studio connect {client.name}",
        )

    if client.no_gate:
        raise Refused("doctor.no_gate", client.no_gate, f"Run: studio agent {client.name}")

    trial_client = TRIED_CLIENTS[client.name]
    if is_own and (why := why_untestable(client, trial_client) or why_no_sandbox()):
        raise untestable(client.title, client.name, why)
    if is_asked:
        _ask_to_run(client, trial_client)
    # In the empty home it is set to trust the hook; the user's own Codex may silently skip it.
    if client.name == CODEX.name and (missing := query_trust(hook_command(client)).missing):
        raise Refused("doctor.not_trusted", missing, f"Run: studio connect {client.name}")

    # Taken before the test: a change during it is not proved.
    fingerprint = fingerprint_of(client)
    with _start_errors(client.title, "did not accept the test entry"):
        proof = prove_gate(client, trial_client, on_attempt, is_own=is_own)
    store_proof(proof, fingerprint)
    return gate_status_of(client, [root]) or proof


def _is_at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _ask_to_run(client: Client, trial_client: TrialClient) -> None:
    """Ask for permission to run the client. Raises NeedsPerson."""
    about = [About("command", show_name(own_command(trial_client)), is_whole=True)]
    about += [About("reads", show_name(f"~/{path}")) for path in own_files(client, trial_client)]
    about.append(About("instead", f"studio doctor {client.name} --empty-home"))
    what = f"Start {client.title} in the sandbox up to {len(Attempt)} times, with copies of your settings?"
    require_person(NoProject(user_review()), what=what, word=client.name, about=about)


def _test_acp_agent(acp_agent: AcpAgent, root: Path, on_attempt: OnAttempt) -> GateStatus:
    """Test the gate of an ACP agent."""
    if acp_agent.warning:
        raise Refused("doctor.writes_itself", acp_agent.warning, f"Run: {acp_agent.instead}")
    agent = ACP_TEST_AGENTS[acp_agent.gate]
    program = agent.client.program
    _require_program(acp_agent.title, program)
    fingerprint = acp_fingerprint(agent)
    with _start_errors(acp_agent.title, "did not respond"):
        proof = prove_acp_gate(agent, on_attempt)
    store_proof(proof, fingerprint)
    return acp_gate_status(acp_agent, [program], root)


def _require_program(title: str, program: str) -> None:
    if shutil.which(program) is None:
        raise NotFound("doctor.no_client", f"{title} is not installed.", "Install it first.")


@contextmanager
def _start_errors(title: str, failed: str) -> Generator[None]:
    try:
        yield
    except AgentFailed as error:
        raise Refused("doctor.no_start", f"{title} {failed}: {error}.", "Start it once manually.") from error
    except OSError as error:
        message = f"{title} can't be started: {reason(error, 'its program')}."
        raise Refused("doctor.no_start", message, "Start it once manually.") from error


def _print_attempt(attempt: Attempt, found: Tried) -> None:
    result = "WRITTEN" if found.was_written else "not written"
    sys.stderr.write(f"{attempt.value}: {result}\n")


def _print_attempt_json(attempt: Attempt, found: Tried) -> None:
    """Print the attempt as a line of JSON on stderr.

    The document is on standard output.
    """
    document = {"event": "tried", "attempt": attempt.value, "written": found.was_written}
    sys.stderr.write(f"{json.dumps({**document, 'gated': attempt is not Attempt.NO_GATE})}\n")
    sys.stderr.flush()


def _check_json(check: Check) -> dict[str, Any]:
    return {"check": check.name, "ok": check.ok, "message": check.message, "hint": check.hint}


def _gate_json(gate: GateStatus) -> dict[str, Any]:
    document: dict[str, Any] = {"agent": gate.agent, "version": gate.version, "gate": gate.gate.value}
    document["proved"] = gate.proved
    if gate.when is not None:
        document |= {"when": time_text(gate.when), "settings": "own" if gate.is_own else "empty home"}
    if gate.reason:
        document |= {"file": gate.file, "reason": gate.reason}
    return {**document, "why": gate.why}
