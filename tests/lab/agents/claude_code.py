"""Claude Code 2.1.332: how it is set up and run. What stands here was seen by running it.

- Its package for one platform holds a native program, which needs no Node. A trial takes a second.
- A hook that allows switches the questions of the default mode off, but not plan mode.
- A hook that denies, or fails, is obeyed in the mode that asks nobody, too. To root that mode is granted
  only where IS_SANDBOX says that a sandbox is around it.
- What a hook adds for the model comes as a message of the role `system` behind the results.
- A hook is the leader of a session of its own. A client that is killed leaves it alone: it sees its output
  closed, and another parent. One that is told to end sends it SIGTERM, and waits for it up to 1.5 s.
- What is allowed is done on the file as it is then: an edit on what somebody wrote meanwhile, and a whole
  file, which the model had not read, over it.
- The calls of one turn come to the hook one by one, each after the one before was done.
- A hook at PreSkillShellCommand is asked for each shell command in the text of a skill as that is loaded.
- A server's tool that the model was never offered can be called all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.doors.agents.script import Script
from tests.lab.agents.cache import fetched
from tests.lab.agents.lab import Lab, Ran

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
"""What keeps it from calling anybody but its model."""


def hook_settings(
    program: str,
    words: Sequence[str] = (),
    *,
    timeout: int = 86400,
    on_failure: str | None = "block",
    switches: Mapping[str, Any] | None = None,
    event: str = "PreToolUse",
) -> dict[str, Any]:
    """What stands in `.claude/settings.json` of a home for a hook before every tool, or at another event.

    With `args`, even without any, the program is started itself; else a shell would read the command.
    `timeout` counts seconds; `switches` are further settings.
    """
    hook = {"type": "command", "command": program, "args": list(words), "timeout": timeout}
    if on_failure is not None:
        hook["onFailure"] = on_failure
    return {"hooks": {event: [{"matcher": "*", "hooks": [hook]}]}, **(switches or {})}


def mcp_servers(
    name: str, program: str, words: Sequence[str] = (), *, always_load: bool = True
) -> dict[str, Any]:
    """What stands in `.mcp.json`, or in the file after `--mcp-config`, for a server on standard input.

    `alwaysLoad` puts its tools before the model; without it the model would have to search for them.
    """
    return {"mcpServers": {name: {"command": program, "args": list(words), "alwaysLoad": always_load}}}


def settings_file(home: Path) -> Path:
    """Where the user's own settings lie."""
    return home / ".claude/settings.json"


def run_claude(project: Path, script: Script, *words: str) -> Ran:
    """Run it headless in its default mode on a project, with a model that follows the script.

    `words` go on its command line. Raises Unavailable where it was not fetched.
    """
    with Lab(project, script) as lab:
        return lab.run(*claude_command(lab, mode="default", words=words))


def claude_command(
    lab: Lab,
    settings: Mapping[str, Any] | None = None,
    mode: str = "acceptEdits",
    words: Sequence[str] = (),
) -> tuple[Sequence[str], Mapping[str, str]]:
    """The command and the variables that start it in this lab, after its settings are written."""
    if settings is not None:
        file = settings_file(lab.home)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    program = str(fetched("claude-code"))
    command = [program, "-p", "Go on.", "--output-format", "json", "--permission-mode", mode, *words]
    return command, variables(lab)


def variables(lab: Lab) -> Mapping[str, str]:
    """With these it takes the scripted model of this lab."""
    return {**QUIET, "ANTHROPIC_BASE_URL": lab.url, "ANTHROPIC_API_KEY": "scripted"}
