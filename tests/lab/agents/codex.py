"""Codex 0.169.0: how it is set up and run. What stands here was seen by running it.

- Its package for one platform holds a native program, which needs no Node. A trial takes half a second.
- It passes over a hook that is not trusted without a word, on standard error too.
- A patch inside of a shell command is `Bash` to a hook, but a change of files to a client of its app server.
- The user's login shell runs a hook, as `-c`. Where that is dash it stays between, and outlives a client that
  is killed: so a command begins with `exec`.
- A hook is the leader of a session of its own. A client that is killed, or told to end, leaves it alone: it
  sees its output closed, and another parent. Only after Ctrl-C it is killed.
- The calls of one turn come to the hook, and to a client of the app server, one by one, each after the one
  before was done.
- No setting puts a server's tools before the model: those of earlier versions are taken and do nothing. A
  tool that the model was never offered can be called all the same, by `GROUP/NAME`.
- A turn begins before a server has told its tools, unless its entry says `required`: a call that comes before
  is unknown to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.doors.agents.script import Script
from studio.doors.clients.codex import KEY, model_options
from studio.doors.clients.codex_trust import hooks_in, trust
from tests.lab.agents.cache import fetched
from tests.lab.agents.codex_app_server import AppServer
from tests.lab.agents.lab import Lab, Ran


def hooks(command: str, *, timeout: int = 86400) -> dict[str, Any]:
    """What stands in `.codex/hooks.json` of a home for a hook before every tool; a shell reads the command.

    `timeout` counts seconds. Until it is trusted it is passed over.
    """
    hook = {"type": "command", "command": command, "timeout": timeout}
    return {"hooks": {"PreToolUse": [{"matcher": ".*", "hooks": [hook]}]}}


def mcp_server(name: str, program: str, words: Sequence[str] = (), *, approved: bool = True) -> str:
    """What stands in `.codex/config.toml` of a home for a server on standard input.

    Unless its tools are approved, each is refused where nobody can be asked. The server sees HOME, LANG,
    PATH, TERM and TMPDIR alone: what else it needs stands in its words or in `env`.
    """
    approval = 'default_tools_approval_mode = "approve"\n' if approved else ""
    return f"""\
[mcp_servers.{name}]
command = {json.dumps(program)}
args = {json.dumps(list(words))}
{approval}"""


def hooks_file(home: Path) -> Path:
    """Where the user's hooks lie."""
    return home / ".codex/hooks.json"


def configuration_file(home: Path) -> Path:
    """Where the user's settings lie; trust in hooks is written there, too."""
    return home / ".codex/config.toml"


def run_codex(project: Path, script: Script, *, configuration: str | None = None) -> Ran:
    """Run `codex exec` in its read-only sandbox on a project, with a model that follows the script.

    `configuration` is written into its home. Raises Unavailable where it was not fetched.
    """
    with Lab(project, script) as lab:
        set_up(lab, configuration=configuration)
        return lab.run(*codex_command(lab, "read-only"))


def set_up(lab: Lab, *, hooks: Mapping[str, Any] | None = None, configuration: str | None = None) -> None:
    """Write what is given into the home of this lab."""
    hooks_file(lab.home).parent.mkdir(exist_ok=True)
    if configuration is not None:
        configuration_file(lab.home).write_text(configuration, encoding="utf-8")
    if hooks is not None:
        hooks_file(lab.home).write_text(json.dumps(hooks), encoding="utf-8")


def codex_command(
    lab: Lab, sandbox: str = "workspace-write", words: Sequence[str] = ()
) -> tuple[Sequence[str], Mapping[str, str]]:
    """The command and the variables that start `codex exec` in this lab."""
    command = [str(fetched("codex")), *model_options(lab.url), "exec", "--json", "--skip-git-repo-check"]
    return [*command, "--sandbox", sandbox, *words, "Go on."], KEY


def app_server(lab: Lab) -> AppServer:
    """Its app server in this lab."""
    set_up(lab)
    command = [*lab.network.prefix, str(fetched("codex")), *model_options(lab.url), "app-server"]
    return AppServer(command, lab.project, {**lab.environment, **KEY})


def trust_hooks(lab: Lab) -> None:
    """Trust every hook of the home, as a user does who says so in the client, and see that it is believed.

    Trust is bound to what the hook says and to where it stands: whatever rewrites it trusts it anew.
    """
    with app_server(lab) as server:
        for hook in hooks_in(server, lab.project):
            trust(server, hook)
        states = [hook["trustStatus"] for hook in hooks_in(server, lab.project)]
    assert states, "Codex lists no hook."
    assert set(states) == {"trusted"}, f"Codex doesn't trust its hooks: {states}"
