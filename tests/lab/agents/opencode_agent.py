"""`studio agent opencode` with the real opencode: what is decided is on disk, and what its model is told.

It is set up in an empty home as a user has it, with a model of the protocol of Anthropic.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from studio.doors.agents.script import Call
from studio.doors.clients.opencode import QUIET
from tests.lab.agents.cache import fetched
from tests.lab.agents.desk import (
    REASON,
    allows,
    approves,
    approves_each,
    denies,
    nothing,
    program_killed,
    refused_unasked,
    rejects,
)
from tests.lab.agents.gates import DONE, KILLED, NOTHING, Door, decided, gate_environment
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import Lab
from tests.lab.agents.mcp_clients import CONNECT
from tests.lab.agents.opencode import folder_of, set_up
from tests.lab.agents.trials import MCP_SERVER, NEW
from tests.lab.agents.wishes import (
    AFTER,
    BEFORE,
    BINARY,
    NOTES,
    OPENCODE,
    WIDE,
    Calls,
    opencode_bash,
    opencode_edit_of,
)

REFUSED = 1
_FREE = {"*": "allow", "edit": "allow", "bash": "allow", "external_directory": "allow", "task": "allow"}
_WRITES = "require('fs').writeFileSync(process.cwd() + '/made.txt', 'made')\n"


def behind_agent(lab: Lab, *, prepare: Callable[[Lab], None] = set_up) -> Command:
    """What has opencode work on one prompt, found as a user has it; `prepare` makes its home."""
    prepare(lab)
    programs = lab.home / "programs"
    programs.mkdir()
    (programs / "opencode").symlink_to(fetched("opencode"))
    variables = {**gate_environment(), **QUIET, "PATH": f"{programs}:{lab.environment['PATH']}"}
    return [sys.executable, "-m", "studio", "agent", "opencode", "--", "Go on."], variables


def two_files(project: Path) -> Calls:
    """A change and a new file at once: opencode asks for both before it is answered."""
    new = Call("write", {"filePath": str(project / "new.txt"), "content": "new\n"})
    return (*opencode_edit_of(("beta", "BETA"))(project), new)


def delegate(_project: Path) -> Calls:
    """A subagent, whose rules would be those of its own kind."""
    return (Call("task", {"description": "x", "prompt": "Go on.", "subagent_type": "general"}),)


def tool(_project: Path) -> Calls:
    """A tool of somebody else's server, as opencode names it."""
    return (Call("lab_note", {"text": "hello"}),)


def with_free_settings(lab: Lab) -> None:
    """A user and a project who let everything pass, for each agent, too."""
    free = {"permission": _FREE, "agent": {"build": {"permission": _FREE}, "general": {"permission": _FREE}}}
    set_up(lab, **free)
    (lab.project / "opencode.json").write_text(json.dumps(free), encoding="utf-8")


def with_project_plugin(lab: Lab) -> None:
    """A project that brings a plugin, which would write as soon as it is loaded."""
    set_up(lab)
    place = lab.project / ".opencode/plugin"
    place.mkdir(parents=True)
    (place / "free.js").write_text(_WRITES, encoding="utf-8")


def with_project_server(lab: Lab) -> None:
    """A project that brings a server of tools, which would write as soon as it is started."""
    set_up(lab)
    server = {"type": "local", "command": ["sh", "-c", "echo made > made.txt"]}
    (lab.project / "opencode.json").write_text(json.dumps({"mcp": {"free": server}}), encoding="utf-8")


def with_plugin(lab: Lab) -> None:
    """A user's own plugin, which would write as soon as it is loaded."""
    set_up(lab)
    (folder_of(lab) / "plugins").mkdir()
    (folder_of(lab) / "plugins/free.js").write_text(_WRITES, encoding="utf-8")


def with_our_plugin(lab: Lab) -> None:
    """A user who has connected opencode: our plugin must not ask a second time."""
    connected = lab.run([sys.executable, "-c", CONNECT, "opencode"], gate_environment())
    assert connected.exit_code == 0, connected
    set_up(lab)


def with_tool(lab: Lab) -> None:
    """A user's own tool, which nobody would be asked for."""
    set_up(lab)
    (folder_of(lab) / "tool").mkdir()
    (folder_of(lab) / "tool/read.js").write_text(_WRITES, encoding="utf-8")


def with_server(lab: Lab) -> None:
    """A user who has a server of one tool, and lets it pass."""
    server = {"type": "local", "command": [sys.executable, "-I", str(MCP_SERVER)], "enabled": True}
    set_up(lab, mcp={"lab": server}, permission={"lab_*": "allow"})


command = OPENCODE.command
agent = Door("opencode", "agent", OPENCODE, behind_agent)

_ALONE = "the reviewer was not asked"
_NO_TASK = "unavailable tool 'task'"
_SETTINGS = ("opencode.json",)
"""What the project brings itself in some rows."""

OPENCODE_AGENT = (
    # Its start alone takes three seconds: two rows of all are in every run.
    *(replace(trial, always=trial.name == "agent: approved") for trial in decided(agent)),
    replace(agent("two files at once", approves_each, AFTER, f"{DONE}\nnew.txt", ask=two_files), others=NEW),
    # It reads the file itself before it asks, and knows UTF-8 alone.
    agent("a file in UTF-16 with CRLF", nothing, WIDE, "Could not find oldString", before=WIDE),
    agent("a binary file", refused_unasked, BINARY, NOTHING, before=BINARY),
    # It asks for the commands in what is to be run, and there are none.
    agent("a redirection alone", nothing, BEFORE, _ALONE, ask=opencode_bash(f"> {NOTES}"), always=True),
    agent("a redirection behind cd", nothing, BEFORE, _ALONE, ask=opencode_bash(f"cd . > {NOTES}")),
    agent("a subagent", nothing, BEFORE, _NO_TASK, ask=delegate),
    *(
        replace(trial, others=_SETTINGS)
        for trial in (
            agent("all is allowed, a change", rejects, BEFORE, REASON, prepare=with_free_settings),
            agent(
                "all is allowed, a command", denies, BEFORE, REASON, ask=command, prepare=with_free_settings
            ),
            agent(
                "all is allowed, a subagent",
                nothing,
                BEFORE,
                _NO_TASK,
                ask=delegate,
                prepare=with_free_settings,
            ),
            agent("a project's server of tools", approves, AFTER, DONE, prepare=with_project_server),
        )
    ),
    replace(
        agent("a project's plugin", nothing, BEFORE, "", prepare=with_project_plugin, code=REFUSED),
        others=(".opencode/plugin/free.js",),
    ),
    agent("a user's plugin", nothing, BEFORE, "", prepare=with_plugin, code=REFUSED),
    agent("our own plugin, a change", approves, AFTER, DONE, prepare=with_our_plugin),
    agent("our own plugin, a command", denies, BEFORE, REASON, ask=command, prepare=with_our_plugin),
    agent("a user's tool", nothing, BEFORE, "", prepare=with_tool, code=REFUSED),
    agent("a tool allowed", allows, BEFORE, "hello", ask=tool, prepare=with_server),
    agent("a tool denied", denies, BEFORE, REASON, ask=tool, prepare=with_server),
    agent("our program killed", program_killed, AFTER, "", code=KILLED),
)
"""opencode behind its closed gate, against what a person decides."""
