"""Agents in every condition, and a change of one that is shown and never made: for pictures of the window."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from studio.doors.connect import client_of
from studio.extras.agents import (
    ChangeMade,
    ConnectableAgent,
    ConnectionState,
    FileDifference,
    Gate,
    GateStatus,
    OtherWays,
    PlannedChange,
)

if TYPE_CHECKING:
    from studio.ui.agents.agent_process import AgentConnections

_CLOSED = "The client wrote nothing in any failure we tested."
_VERSION = "2.1.332 (Claude Code)"
_TRIED = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
_DIFF = """\
diff --git a/somewhere/.gemini/settings.json b/somewhere/.gemini/settings.json
--- a/somewhere/.gemini/settings.json
+++ b/somewhere/.gemini/settings.json
@@ -1,4 +1,20 @@
 {
   "model": {"name": "gemini-pro"},
-  "hooks": {},
+  "hooks": {
+    "BeforeTool": [
+      {"matcher": ".*", "hooks": [{"type": "command", "command": "/somewhere/.studio/hooks/gemini"}]}
+    ]
+  },
+  "mcpServers": {
+    "studio": {"command": "/usr/bin/studio", "args": ["mcp"], "trust": true}
+  },
   "general": {"vimMode": true}
 }
"""
_CHANGE = PlannedChange(
    (
        FileDifference(
            "/somewhere/.gemini/settings.json",
            _DIFF,
            (
                "Each tool call asks Exacta Studio first.",
                "Adds the tools of Exacta Studio, allowed without asking.",
            ),
        ),
    ),
    (),
    (),
    is_done=False,
)


def _agent(name: str, state: ConnectionState, *, is_installed: bool = True) -> ConnectableAgent:
    client = client_of(name)
    unseen = client.unseen
    if state is ConnectionState.NOT_CONNECTED:
        unseen = (f"Everything: {client.title} is not connected.",)
    return ConnectableAgent(client.name, client.title, client.program, is_installed, state, unseen)


def every_condition() -> tuple[ConnectableAgent, ...]:
    """An agent for each way in which one may stand."""
    states = ConnectionState
    changed = replace(
        _agent("codex", states.CHANGED),
        gate_status=GateStatus("codex", Gate.OPEN_ON_FAILURE, False, "It was not tested yet."),
        not_proved="The connection of Codex was changed. Connect it again first.",
    )
    return (
        replace(
            _agent("claude-code", states.CONNECTED),
            gate_status=GateStatus("claude-code", Gate.CLOSED, True, _CLOSED, _VERSION, _TRIED),
        ),
        replace(_agent("cline", states.NOT_CONNECTED, is_installed=False), not_proved="It is not connected."),
        changed,
        _agent("continue", states.NOT_CONNECTED, is_installed=False),
        _agent("gemini", states.NOT_CONNECTED),
        replace(
            _agent("opencode", states.UNREADABLE),
            trouble="/somewhere/.config/opencode/opencode.json was not changed: line 3: a value is missing. "
            "Fix the file there, then try again.",
            gate_status=GateStatus("opencode", Gate.OPEN_ON_FAILURE, False, "Its files can't be read."),
            not_proved="The connection of opencode was changed. Connect it again first.",
        ),
        _agent("qwen", states.NOT_CONNECTED, is_installed=False),
    )


def said_by_doors() -> set[str]:
    """Names and sentences that the doors make of them, in their one language."""
    said = {file.shown for file in _CHANGE.files} | {each for file in _CHANGE.files for each in file.meanings}
    for agent in every_condition():
        said |= {agent.title, agent.program, agent.trouble, agent.not_proved, *agent.unseen}
        if agent.gate_status is not None:
            said |= {agent.gate_status.why, agent.gate_status.version}
    return said


def show_change(pipe: Connection) -> None:
    """Show a change, and wait to be let go."""
    with suppress(EOFError, OSError):
        pipe.send(_CHANGE)
        pipe.recv()


def _make_first_change(settings: Path, pipe: Connection) -> None:
    """Show a change, and write one file when asked for it."""
    with suppress(EOFError, OSError):
        pipe.send(_FIRST_CHANGE)
        pipe.recv()
        settings.write_text(_FIRST_DIFF)
        pipe.send(ChangeMade((), ""))


_ATTEMPTS = (
    "there is no gate",
    "our part answers no",
    "our part is killed",
    "the hook program itself is missing",
)
_WORTH = {
    "agent": "claude-code",
    "gate": "open on failure",
    "proved": True,
    "version": "2.1.1 (Claude Code)",
    "why": "The client writes when the hook program itself is missing.",
    "when": _TRIED.isoformat(),
}


def _proof_command(_name: str, _is_own: bool, *, is_closed: bool = False) -> tuple[str, ...]:
    """Says what a trial would, and tries nothing."""
    tried = [{"event": "tried", "attempt": each, "gated": True, "written": False} for each in _ATTEMPTS]
    tried[0] |= {"gated": False, "written": True}
    tried[-1]["written"] = not is_closed
    said = "\n".join(map(json.dumps, tried))
    worth = _WORTH | ({"gate": "closed", "why": _CLOSED, "version": _VERSION} if is_closed else {})
    program = f"import sys; print({said!r}, file=sys.stderr); print({json.dumps({'gates': [worth]})!r})"
    return sys.executable, "-c", program


def stand_in_connections() -> AgentConnections:
    """These agents; none of them is ever started, and no file is changed."""
    from studio.ui.agents.agent_process import AgentConnections

    return AgentConnections(
        lambda _projects: every_condition(),
        lambda _name, _removes: show_change,
        _proof_command,
        lambda _name, _path: None,
        lambda: OtherWays('{"mcpServers": {}}', "~/inbox"),
    )


_FIRST_DIFF = """\
diff --git a/.claude/settings.json b/.claude/settings.json
--- a/.claude/settings.json
+++ b/.claude/settings.json
@@ -1,3 +1,8 @@
 {
-  "model": "opus"
+  "model": "opus",
+  "hooks": {
+    "PreToolUse": [
+      {"matcher": "*", "hooks": [{"type": "command", "command": "~/.studio/hooks/claude-code"}]}
+    ]
+  }
 }
"""
_FIRST_CHANGE = PlannedChange(
    (
        FileDifference(
            "~/.claude/settings.json", _FIRST_DIFF, ("Every tool it uses asks Exacta Studio first.",)
        ),
    ),
    (),
    (),
    is_done=False,
)


def first_connection(settings: Path) -> AgentConnections:
    """One agent, Claude Code, which is connected once its `settings` are there; no client is ever started."""
    from studio.ui.agents.agent_process import AgentConnections

    def agents() -> tuple[ConnectableAgent, ...]:
        if not settings.exists():
            return (_agent("claude-code", ConnectionState.NOT_CONNECTED),)
        gate = GateStatus("claude-code", Gate.CLOSED, True, _CLOSED, _VERSION, _TRIED)
        return (replace(_agent("claude-code", ConnectionState.CONNECTED), gate_status=gate),)

    return AgentConnections(
        lambda _projects: agents(),
        lambda _name, _removes: partial(_make_first_change, settings),
        partial(_proof_command, is_closed=True),
        lambda _name, _path: None,
        lambda: OtherWays('{"mcpServers": {}}', "~/inbox"),
    )
