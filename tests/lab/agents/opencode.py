"""opencode 1.18.33: how it is set up and run. What stands here was seen by running it.

- It is one native program. Its database, made at the first start, takes two seconds of each trial.
- Its hook is a plugin, which it asks before each tool, its subagents' and those of servers as well. What that
  throws is a no with its words for the model, which goes on; it waits for as long as that takes.
- A plugin that can't be loaded is passed over without a word, and so is every one with `--pure`: what stands
  in the file beside functions is run even then.
- Where there is a plugin it fetches its own package for plugins into the folder of its settings, and works
  only then; without a network after 75 seconds. A plugin that imports nothing of it works without it.
- The calls of one turn come at once, and so do their hooks.
- What a plugin starts is in its own group: a client that is killed with its group takes it along.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.doors.clients.opencode import QUIET, mark_package_installed, model_settings, write_plugin
from studio.doors.clients.opencode_plugin import opencode_plugin
from tests.lab.agents.cache import fetched
from tests.lab.agents.lab import Lab

Command = tuple[Sequence[str], Mapping[str, str]]


def folder_of(lab: Lab) -> Path:
    """Where the user's own settings lie."""
    folder = lab.home / ".config/opencode"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def set_up(lab: Lab, **more: Any) -> None:
    """Write its settings into the home of this lab, beside what stands there."""
    file = folder_of(lab) / "opencode.json"
    before = json.loads(file.read_bytes()) if file.exists() else {}
    file.write_text(json.dumps({**model_settings(lab.url), **before, **more}), encoding="utf-8")


def hooked(
    lab: Lab, program: Path, *, is_guarded: bool = False, words: Sequence[str] = (), damage: str = ""
) -> Command:
    """It with our plugin, which asks this program; `damage` stands before the plugin's text."""
    del is_guarded  # Our plugin says itself what a failure is.
    write_plugin(folder_of(lab), damage + opencode_plugin(program))
    return opencode_command(lab, words)


def connected(lab: Lab) -> Command:
    """It as `connect` has set it up in this lab."""
    mark_package_installed(folder_of(lab))
    return opencode_command(lab)


def opencode_command(lab: Lab, words: Sequence[str] = ()) -> Command:
    """The command and the variables that start it in this lab."""
    set_up(lab)
    return [str(fetched("opencode")), "run", *words, "Go on."], QUIET
