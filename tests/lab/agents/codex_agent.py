"""`studio agent codex` with the real Codex: what a person decides is on disk, and what its model is told.

The words of ours stand behind the answer that Codex gives its model ("rejected by user"), as its user's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

from studio.doors.clients.codex import KEY, model_options
from tests.lab.agents import codex, wishes
from tests.lab.agents.cache import fetched
from tests.lab.agents.desk import REASON, allows, approves_one_file, denies, nothing, program_killed, rejects
from tests.lab.agents.gates import KILLED, LEFT_FILE_OUT, Door, decided, gate_environment
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import Lab
from tests.lab.agents.trials import MCP_SERVER
from tests.lab.agents.wishes import AFTER, BEFORE, BINARY, WIDE, new_and_patch, patch_in_shell, shell, tool

REFUSED = 1
_OWN_RULES = 'prefix_rule(pattern=["echo"], decision="allow")\n'


def behind_agent(lab: Lab, *, prepare: Callable[[Lab], None] = codex.set_up) -> Command:
    """What has Codex work on one prompt, found as `codex` as a user has it; `prepare` makes its home."""
    prepare(lab)
    programs = lab.home / "programs"
    programs.mkdir()
    (programs / "codex").symlink_to(fetched("codex"))
    words = [*model_options(lab.url), "Go on."]
    variables = {**gate_environment(), **KEY, "PATH": f"{programs}:{lab.environment['PATH']}"}
    return [sys.executable, "-m", "studio", "agent", "codex", "--", *words], variables


def with_rules(lab: Lab) -> None:
    """A user who once said “always allow” to a command."""
    codex.set_up(lab)
    rules = lab.home / ".codex/rules"
    rules.mkdir()
    (rules / "default.rules").write_text(_OWN_RULES, encoding="utf-8")


def with_server(lab: Lab) -> None:
    """A user who approved all that a server offers, and its one tool once more."""
    approved = '[mcp_servers.lab.tools.note]\napproval_mode = "approve"\n'
    entry = codex.mcp_server("lab", sys.executable, ["-I", str(MCP_SERVER)])
    codex.set_up(lab, configuration=f"{entry}{approved}")


agent = Door("codex", "agent", replace(wishes.CODEX, command=wishes.shell_outside), behind_agent)

_NO_TEXT = "invalid utf-8 sequence"

AGENTS = (
    *decided(agent),
    agent("in part, of two files", approves_one_file, AFTER, LEFT_FILE_OUT, ask=new_and_patch),
    # It reads the file itself before it asks, and knows UTF-8 alone.
    agent("a file in UTF-16 with CRLF", nothing, WIDE, _NO_TEXT, before=WIDE),
    agent("a binary file", nothing, BINARY, _NO_TEXT, before=BINARY),
    agent("a patch in a command", rejects, BEFORE, REASON, ask=patch_in_shell),
    agent("a command in the sandbox", nothing, BEFORE, "Read-only file system", ask=shell),
    agent("what the user's rules allow", nothing, BEFORE, "", ask=shell, prepare=with_rules, code=REFUSED),
    agent("a tool allowed", allows, BEFORE, '{"noted":"hello"}', ask=tool, prepare=with_server),
    agent("a tool denied", denies, BEFORE, REASON, ask=tool, prepare=with_server),
    agent("our program killed", program_killed, AFTER, "", code=KILLED, always=True),
)
"""Codex behind its closed gate, against what a person decides."""
