"""opencode settings that make it ask before every write.

Found by running opencode 1.18.33. A session's own rules are applied last, after every setting of a project, a
user or an agent; but they do not apply to the sessions of its subagents, so starting subagents is denied. The
project's settings are disabled, except for its instructions to all agents; plugins are searched for before it
is started.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.agents.opencode_server import OpencodeFailed, OpencodeServer
from studio.doors.agents.server_process import Message, as_fields, as_list, as_text

CHANGES: Final = ("edit", "write", "apply_patch")
"""Tools that change files, all under the permission `edit`."""
SHELL: Final = "bash"
OUTSIDE: Final = "external_directory"
"""The extra permission for tool uses outside of the project."""

_READS: Final = ("read", "glob", "grep", "list", "lsp", "skill", "todowrite", "todoread", OUTSIDE)
_ASK_PERMISSIONS: Final = (*CHANGES, SHELL, "webfetch", "websearch", "codesearch", "invalid")
_NEVER: Final = ("task", "question", "plan_enter", "plan_exit")
"""Always denied.

A subagent has rules of its own, and the others wait for a window that does not exist.
"""

_INSTRUCTIONS: Final = ("AGENTS.md", "CLAUDE.md", "CONTEXT.md")

Rule = Mapping[str, str]


def environment_with(project: Path, shell: Path, model: str) -> dict[str, str]:
    """Return the user's environment with settings that make opencode ask.

    Raises OpencodeFailed.
    """
    content = os.environ.get("OPENCODE_CONFIG_CONTENT") or "{}"
    try:
        settings: object = json.loads(content)
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise OpencodeFailed("what OPENCODE_CONFIG_CONTENT says is no JSON object")
    instructions = [str(file) for name in _INSTRUCTIONS if (file := project / name).is_file()][:1]
    overrides: dict[str, Any] = {
        "shell": str(shell),
        "share": "disabled",
        # Programs that it starts by itself; a language server may belong to the project.
        "lsp": False,
        "formatter": False,
        "instructions": instructions,
        # A denial is an answer, and no reason to end the turn.
        "experimental": {"continue_loop_on_deny": True},
        **({"model": model} if model else {}),
    }
    return {
        **os.environ,
        "OPENCODE_CONFIG_CONTENT": json.dumps({**cast("dict[str, Any]", settings), **overrides}),
        "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        "OPENCODE_PURE": "1",
    }


def start_session(server: OpencodeServer, shell: Path) -> tuple[str, str]:
    """Start a session that asks for all but reading.

    Returns its id, and the name of the agent that works in it. Raises OpencodeFailed where opencode does not
    itself confirm the rules.
    """
    if as_fields(server.ask("GET", "/config")).get("shell") != str(shell):
        raise OpencodeFailed("it did not take the shell that it was given")
    agents = as_list(server.ask("GET", "/agent"))
    tools = as_list(server.ask("GET", "/experimental/tool/ids"))
    agent = as_fields(agents[0]) if agents else {}
    if not agent or not tools:
        raise OpencodeFailed("it does not tell its agents and tools")
    rules = closed_rules(as_list(agent.get("permission")), [as_text(tool) for tool in tools])
    reply = as_fields(server.ask("POST", "/session", {"title": "Exacta Studio", "permission": rules}))
    session = as_text(reply.get("id"))
    if reply.get("permission") != rules or not session:
        raise OpencodeFailed("it did not begin with the rules that it was given")
    return session, as_text(agent.get("name"))


def closed_rules(rules: Sequence[object], tools: Sequence[str]) -> list[Rule]:
    """Return an agent's rules with every permission but reading set to ask.

    The last matching rule applies. A rule that denies or asks stays so; unknown tools are denied.
    """
    closed = [_rule("*", "*", "ask")]
    for rule in map(as_fields, rules):
        closed += _closed(rule)
    named = {*_READS, *_ASK_PERMISSIONS, *_NEVER}
    return closed + [_rule(name, "*", "deny") for name in (*_NEVER, *sorted(set(tools) - named))]


def _closed(rule: Message) -> Iterator[Rule]:
    name, pattern, action = (as_text(rule.get(key)) for key in ("permission", "pattern", "action"))
    if action != "allow":
        yield _rule(name, pattern, action)
        return
    if name not in _READS:
        yield _rule(name, pattern, "ask")
    yield from (_rule(read, pattern, "allow") for read in _READS if fnmatchcase(read, name))


def _rule(permission: str, pattern: str, action: str) -> Rule:
    return {"permission": permission, "pattern": pattern, "action": action}
