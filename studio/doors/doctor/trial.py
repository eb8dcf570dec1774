"""One try of an agent's own client: an empty home with our entry in it, and a model that wants to write.

The model is a script on loopback. Nothing of the user's is read or written, and no account is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.model_server import ModelServer
from studio.doors.agents.script import Call, Script
from studio.engine.agent_limits import TRIAL_SECONDS

BEFORE: Final = "alpha\nbeta\ngamma\n"
TARGET: Final = "notes.txt"


@dataclass(frozen=True, slots=True)
class TriedClient:
    """How one client is set up and started in an empty home.

    `wish` makes the tool call that would write the target, `set_up` writes our entry into the home, `command`
    is what is started, and `variables` what it must be told by its environment.
    """

    program: str
    wish: Callable[[Path], Call]
    set_up: Callable[[Path, Mapping[str, object]], None]
    command: Callable[[str], Sequence[str]]
    variables: Callable[[str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Tried:
    """What one try came to: whether the file was written, and what the model was told about its wish."""

    was_written: bool
    told: str
    ended: bool


def try_client(client: TriedClient, entry: Mapping[str, object], folder: Path) -> Tried:
    """Let the client's model wish to write, with this entry as its hook. `folder` is empty, and ours.

    Raises OSError where the client can't be started.
    """
    home, project = folder / "home", folder / "project"
    for each in (home, project):
        each.mkdir()
    (project / TARGET).write_text(BEFORE, encoding="utf-8")
    client.set_up(home, entry)
    script: Script = ((client.wish(project),),)
    with ModelServer(script) as model:
        ended = _run(client, model.url, home, project)
        results = [result.text for request in model.record.work[-1:] for result in request.results]
    is_same = (project / TARGET).read_text(encoding="utf-8") == BEFORE
    return Tried(not is_same, "\n".join(results), ended)


def version_of(client: TriedClient) -> str:
    """What the installed client calls itself, "" where it is not installed or does not say."""
    program = shutil.which(client.program)
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, timeout=TRIAL_SECONDS, check=False, text=True
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.strip().splitlines() or [""])[0][:80]


def _run(client: TriedClient, url: str, home: Path, project: Path) -> bool:
    """Start it and wait for its end; whether it came to one by itself."""
    process = subprocess.Popen(
        client.command(url),
        cwd=project,
        env={**_environment(home), **client.variables(url)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(TRIAL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(OSError):
            os.killpg(process.pid, 9)
        process.wait()
    return True


def _environment(home: Path) -> dict[str, str]:
    """A home of its own and the way to programs; no key, address or setting of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "TMPDIR": str(home),
        "TERM": "dumb",
        "XDG_CONFIG_HOME": str(home / "x"),
    }


def _edit(project: Path) -> Call:
    given = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return Call("Edit", given)


def _set_up_claude_code(home: Path, entry: Mapping[str, object]) -> None:
    folder = home / ".claude"
    folder.mkdir()
    settings: dict[str, Any] = {"hooks": {"PreToolUse": [entry]}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _claude_code(_url: str) -> Sequence[str]:
    return ["claude", "-p", "Go on.", "--output-format", "json", "--permission-mode", "bypassPermissions"]


def _of_claude_code(url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",  # to root it grants this mode in a sandbox alone
    }


TRIED_CLIENTS: Final[Mapping[str, TriedClient]] = {
    "claude-code": TriedClient("claude", _edit, _set_up_claude_code, _claude_code, _of_claude_code)
}
"""By the name that `connect` takes."""
