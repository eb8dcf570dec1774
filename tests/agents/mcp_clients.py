"""Real clients with our own server, set up by the very entries that `connect` writes.

The model proposes a change and waits for it; a person, here a thread, decides it. The row says what
`notes.txt` holds then, what the model was told, how the plan ended, and whether the journal has its writes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio.doors.agents.script import Call, ModelRequest, Turn
from studio.engine.plan import PlanState
from studio.engine.workspace import Workspace
from tests.agents import claude_code, codex
from tests.agents.gates import (
    REASON,
    REVIEWED,
    Decide,
    approves,
    asks_for_changes,
    decided,
    edits,
    gate_environment,
    rejects,
    withdraws,
)
from tests.agents.lab import Lab, Ran
from tests.agents.trials import AFTER, BEFORE, Seen, Trial, make_project, seen_in

# What `studio connect` does once a person has typed its word.
_CONNECT = """
import sys
from studio.doors.connect import carry_out, client_of, plan_connection
carry_out(plan_connection(client_of(sys.argv[1])))
"""
_PLAN = re.compile(r'"plan": ?"([0-9a-f-]{36})"')
_WAIT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class ServedClient:
    """A client that has our server: what its model puts before a tool's name, what it calls itself, whether
    it offers our tools to its model at once, and how it is started."""

    name: str
    prefix: str
    own_name: str
    offers: bool
    command: Callable[[Lab], tuple[Sequence[str], Mapping[str, str]]]


def _claude(lab: Lab) -> tuple[Sequence[str], Mapping[str, str]]:
    # Nobody can be asked here whether it may use our tools: its user said so before.
    return claude_code.claude_command(lab, mode="default", words=["--allowedTools", "mcp__studio"])


def _codex(lab: Lab) -> tuple[Sequence[str], Mapping[str, str]]:
    # Else its first turn begins before our server has told its tools, and a scripted model does not wait.
    words = ["-c", "mcp_servers.studio.required=true"]
    return codex.codex_command(lab, "read-only", words)


def _codex_with_hook(lab: Lab) -> tuple[Sequence[str], Mapping[str, str]]:
    codex.trust_hooks(lab)
    return _codex(lab)


CLAUDE_CODE = ServedClient("claude-code", "mcp__studio__", "claude-code", True, _claude)
CODEX = ServedClient("codex", "mcp__studio/", "codex-mcp-client", False, _codex)
"""Its hook is there, but not trusted, and so passed over: its read-only sandbox alone is the gate."""
CODEX_WITH_HOOK = replace(CODEX, command=_codex_with_hook)


def server(
    client: ServedClient,
    name: str,
    decide: Decide,
    text: str,
    told: str,
    *,
    state: PlanState = PlanState.COMPLETED,
    always: bool = False,
) -> Trial:
    """A client whose model proposes by our server and waits, and a person who decides; `state` is the plan's
    in the end."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        script = ((_propose(client),), lambda request: _wait(client, request))
        with Lab(project, script, environment=gate_environment()) as lab:
            connected = lab.run([sys.executable, "-c", _CONNECT, client.name])
            assert connected.exit_code == 0, connected
            command = client.command(lab)
            ran = decided(project, decide, lambda: lab.run(*command))
        assert ran.exit_code == 0, ran
        assert (f"{client.prefix}propose" in ran.record.work[0].tools) == client.offers, ran.record.work[
            0
        ].tools
        _check_kept(project, client, ran, state)
        return seen_in(project, ran.record)

    return Trial(client.name, f"our server: {name}", text, told, play, always)


def _propose(client: ServedClient) -> Call:
    edit = {"op": "modify", "path": "notes.txt", "edits": [{"old": "beta", "new": "BETA"}]}
    return Call(f"{client.prefix}propose", {"text": json.dumps({"title": "Louder", "steps": [edit]})})


def _wait(client: ServedClient, request: ModelRequest) -> Turn:
    found = _PLAN.search(request.results[-1].text)
    if found is None:
        return "It was answered with no plan."
    return (Call(f"{client.prefix}wait", {"plan": found[1], "timeout_seconds": _WAIT_SECONDS}),)


def _check_kept(project: Path, client: ServedClient, ran: Ran, state: PlanState) -> None:
    """The one plan, its end, who is said to have proposed it, and that the journal has what was written."""
    workspace = Workspace.open(project)
    try:
        (plan,) = workspace.proposer.plans()
        written = {type(row.entry).__name__ for row in workspace.journal.newest() if row.plan_id == plan.id}
    finally:
        workspace.close()
    assert plan.state is state, (plan, ran)
    assert (plan.title, plan.agent) == ("Louder", client.own_name), plan
    assert ("FileWritten" in written) == (state is PlanState.COMPLETED), written


_APPLIED = '"outcome":"applied"'
_CHANGED = '"outcome":"changed"'

OUR_SERVER = (
    server(CLAUDE_CODE, "approved", approves, AFTER, _APPLIED, always=True),
    server(CLAUDE_CODE, "rejected", rejects, BEFORE, REASON, state=PlanState.REJECTED),
    server(CLAUDE_CODE, "edited", edits, REVIEWED.decode(), _CHANGED),
    server(
        CLAUDE_CODE, "changes asked for", asks_for_changes, BEFORE, REASON, state=PlanState.CHANGES_REQUESTED
    ),
    server(CLAUDE_CODE, "withdrawn", withdraws, BEFORE, '"outcome":"withdrawn"', state=PlanState.CANCELLED),
    server(CODEX, "approved", approves, AFTER, _APPLIED, always=True),
    server(CODEX, "rejected", rejects, BEFORE, REASON, state=PlanState.REJECTED),
    server(CODEX, "edited", edits, REVIEWED.decode(), _CHANGED),
    server(CODEX, "changes asked for", asks_for_changes, BEFORE, REASON, state=PlanState.CHANGES_REQUESTED),
    server(CODEX, "withdrawn", withdraws, BEFORE, '"outcome":"withdrawn"', state=PlanState.CANCELLED),
    server(CODEX_WITH_HOOK, "approved, with the hook", approves, AFTER, _APPLIED),
)
"""Our server, against what a person decides."""
