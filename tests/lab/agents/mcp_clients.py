"""Real clients with our own server, set up by the very entries that `connect` writes.

The model proposes a change and waits for it; a person decides it. What a row says, `gates` tells.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from studio.doors.agents.script import Call, ModelRequest, Turn
from tests.lab.agents import claude_code, cline, codex, gemini, opencode, qwen
from tests.lab.agents.continue_agent import continue_command, write_settings
from tests.lab.agents.desk import REASON, Deed, Desk, approves, asks_for_changes, edits, rejects, withdraws
from tests.lab.agents.gates import gate_environment
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import Lab
from tests.lab.agents.trials import Seen, Trial, make_project, seen_in
from tests.lab.agents.wishes import AFTER, BEFORE, EDITED

# What `studio connect` does once a person has typed its word.
CONNECT = """
import sys
from studio.doors.connect import carry_out, client_of, plan_connection
carry_out(plan_connection(client_of(sys.argv[1])))
"""
_PLAN = re.compile(r'(?:"plan": ?"|(?:^|")Plan )([0-9a-f-]{8,36})', re.MULTILINE)
_WAIT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class ServedClient:
    """A client that has our server: what its model puts before a tool's name, what it calls itself, whether
    it offers our tools to its model at once, how it is started, and what makes its home before."""

    name: str
    prefix: str
    own_name: str
    offers: bool
    command: Callable[[Lab], Command]
    prepare: Callable[[Lab], object] = lambda _lab: None


def _claude(lab: Lab) -> Command:
    # Nobody can be asked here whether it may use our tools: its user said so before.
    return claude_code.claude_command(lab, mode="default", words=["--allowedTools", "mcp__studio"])


def _codex(lab: Lab) -> Command:
    # Else its first turn begins before our server has told its tools, and a scripted model does not wait.
    words = ["-c", "mcp_servers.studio.required=true"]
    return codex.codex_command(lab, "read-only", words)


def _codex_with_hook(lab: Lab) -> Command:
    codex.trust_hooks(lab)
    return _codex(lab)


def _gemini(lab: Lab) -> Command:
    gemini.write_settings(lab.home, {})
    return gemini.gemini_command(lab)


def _qwen(lab: Lab) -> Command:
    qwen.write_settings(lab.home, {})
    return qwen.qwen_command(lab)


CLAUDE_CODE = ServedClient("claude-code", "mcp__studio__", "claude-code", True, _claude)
CLINE = ServedClient("cline", "studio__", "@cline/core", True, cline.cline_command)
CODEX = ServedClient("codex", "mcp__studio/", "codex-mcp-client", False, _codex)
"""Its hook is there, but not trusted, and so passed over: its read-only sandbox alone is the gate."""
CODEX_WITH_HOOK = replace(CODEX, command=_codex_with_hook)
CONTINUE = ServedClient("continue", "", "continue-cli-client", True, continue_command, write_settings)
GEMINI = ServedClient("gemini", "mcp_studio_", "gemini-cli-mcp-client", True, _gemini)
OPENCODE = ServedClient("opencode", "studio_", "opencode", True, opencode.connected)
QWEN = ServedClient("qwen", "mcp__studio__", "qwen-cli-mcp-client-studio", False, _qwen)
"""These, too, with their hook, which leaves our own tools to them."""


def server(
    client: ServedClient, name: str, deed: Deed, content: bytes, told: str, *, always: bool = False
) -> Trial:
    """A client whose model proposes by our server and waits, and a person who decides."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        script = ((_propose(client),), lambda request: _wait(client, request))
        with Desk(project) as desk, Lab(project, script, environment=gate_environment()) as lab:
            client.prepare(lab)
            connected = lab.run([sys.executable, "-c", CONNECT, client.name])
            assert connected.exit_code == 0, connected
            with lab.start(*client.command(lab)) as started:
                desk.clients.append(started)
                deed.act(desk)
                ran = started.wait()
            assert ran.exit_code == 0, ran
            tools = lab.record.work[0].tools
            assert (f"{client.prefix}propose" in tools) == client.offers, tools
            (plan,) = desk.proposer.plans()
            assert (plan.title, plan.agent) == ("Louder", client.own_name), plan
            return replace(seen_in(project, lab.record), left=desk.left())

    return Trial(client.name, f"our server: {name}", content, told, play, always, left=deed.left)


def _propose(client: ServedClient) -> Call:
    edit = {"op": "modify", "path": "notes.txt", "edits": [{"old": "beta", "new": "BETA"}]}
    return Call(f"{client.prefix}propose", {"text": json.dumps({"title": "Louder", "steps": [edit]})})


def _wait(client: ServedClient, request: ModelRequest) -> Turn:
    found = _PLAN.search(request.results[-1].text)
    if found is None:
        return "It was answered with no plan."
    return (Call(f"{client.prefix}wait", {"plan": found[1], "timeout_seconds": _WAIT_SECONDS}),)


_APPLIED = '"outcome":"applied"'
_CHANGED = '"outcome":"changed"'
_WITHDRAWN = '"outcome":"withdrawn"'

OUR_SERVER = (
    server(CLAUDE_CODE, "approved", approves, AFTER, _APPLIED, always=True),
    server(CLAUDE_CODE, "rejected", rejects, BEFORE, REASON),
    server(CLAUDE_CODE, "edited", edits, EDITED, _CHANGED),
    server(CLAUDE_CODE, "changes asked for", asks_for_changes, BEFORE, REASON),
    server(CLAUDE_CODE, "withdrawn", withdraws, BEFORE, _WITHDRAWN),
    server(CLINE, "approved", approves, AFTER, _APPLIED),
    server(CLINE, "rejected", rejects, BEFORE, REASON),
    server(CLINE, "edited", edits, EDITED, _CHANGED),
    server(CLINE, "changes asked for", asks_for_changes, BEFORE, REASON),
    server(CLINE, "withdrawn", withdraws, BEFORE, _WITHDRAWN),
    server(CODEX, "approved", approves, AFTER, _APPLIED, always=True),
    server(CODEX, "rejected", rejects, BEFORE, REASON),
    server(CODEX, "edited", edits, EDITED, _CHANGED),
    server(CODEX, "changes asked for", asks_for_changes, BEFORE, REASON),
    server(CODEX, "withdrawn", withdraws, BEFORE, _WITHDRAWN),
    server(CODEX_WITH_HOOK, "approved, with the hook", approves, AFTER, _APPLIED),
    # They hand their models the text alone.
    *(
        trial
        for client in (CONTINUE, GEMINI, OPENCODE)
        for trial in (
            server(client, "approved", approves, AFTER, "applied as proposed"),
            server(client, "rejected", rejects, BEFORE, REASON),
            server(client, "edited", edits, EDITED, "applied with changes of the reviewer"),
            server(client, "changes asked for", asks_for_changes, BEFORE, REASON),
            server(client, "withdrawn", withdraws, BEFORE, "withdrawn; nothing was written"),
        )
    ),
    server(QWEN, "approved", approves, AFTER, _APPLIED),
    server(QWEN, "rejected", rejects, BEFORE, REASON),
    server(QWEN, "edited", edits, EDITED, _CHANGED),
    server(QWEN, "changes asked for", asks_for_changes, BEFORE, REASON),
    server(QWEN, "withdrawn", withdraws, BEFORE, _WITHDRAWN),
)
"""Our server, against what a person decides."""
