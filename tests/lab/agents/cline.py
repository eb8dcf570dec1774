"""Cline CLI 3.0.65: how it is set up and run. What stands here was seen by running it.

- Its package for one platform holds a native program. A trial takes three seconds.
- Its hook is one file of its own, started itself; a link in its place is passed over without a word.
- It waits for a hook for two minutes, and has then heard a yes.
- What a hook prints counts, whatever code it ends with: a no is an object that says `cancel`. Anything else,
  silence and a death are a yes.
- What an agent of its own is to do comes to the same hook.
- A no ends the whole run, with code 0. Its model is told nothing, and its user as little: only "aborted by
  another client" is printed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.doors.clients.cline import model_settings
from studio.doors.clients.hook_program import cline_hook
from tests.lab.agents.cache import fetched
from tests.lab.agents.lab import Lab

Command = tuple[Sequence[str], Mapping[str, str]]


def hook_file(home: Path) -> Path:
    """Where the user's own hook lies."""
    return home / ".cline/hooks/PreToolUse"


def hooked(lab: Lab, program: Path, *, is_guarded: bool = False, is_link: bool = False) -> Command:
    """It with this program as its hook before every tool, or with a link to it."""
    file = hook_file(lab.home)
    file.parent.mkdir(parents=True)
    if is_link:
        file.symlink_to(program)
    else:
        file.write_bytes(cline_hook(program) if is_guarded else program.read_bytes())
        file.chmod(0o700)
    return cline_command(lab)


def cline_command(lab: Lab) -> Command:
    """The command and the variables that start it in this lab."""
    file = lab.home / ".cline/data/settings/providers.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(model_settings(lab.url)), encoding="utf-8")
    command = [str(fetched("cline")), "--json", "-P", "openai", "Go on."]
    return command, {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}
