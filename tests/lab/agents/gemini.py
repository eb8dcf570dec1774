"""Gemini CLI 0.61.0: how it is set up and run. What stands here was seen by running it.

- It is a bundle that Node runs. A trial takes a second, if its model is named: else it asks a model first
  which one to take, and again until that answers in a form that it likes.
- Where nobody is asked it starts only in a folder that is trusted, by a variable say. In one that is not it
  skips every hook, the user's own as well.
- A hook is asked in each of its modes alike. What a hook says yes to, its own rules decide.
- A hook is run by bash, in the client's own group: a client that is killed with its group takes it along.
- A hook that ends with 2 or more has said no, if it printed anything, which is the reason. Without a word,
  with 1, killed or late it has said yes.
- A path out of its own folders it refuses before it asks its hook.
- The calls of one turn come to the hook one by one, each after the one before was done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.doors.clients.gemini import MODEL
from studio.doors.clients.hook_program import guarded
from tests.lab.agents.cache import fetched
from tests.lab.agents.lab import Lab

Command = tuple[Sequence[str], Mapping[str, str]]


def settings_file(home: Path) -> Path:
    """Where the user's own settings lie."""
    return home / ".gemini/settings.json"


def hooked(
    lab: Lab,
    program: Path,
    *,
    is_guarded: bool = False,
    mode: str = "yolo",
    timeout: int = 86_400_000,
    switches: Mapping[str, Any] | None = None,
    words: Sequence[str] = (),
) -> Command:
    """It with this program as its hook before every tool; `timeout` counts milliseconds, `switches` are
    further settings, `words` go on its command line."""
    hook = {"type": "command", "command": guarded(program) if is_guarded else str(program)}
    hooks = {"BeforeTool": [{"matcher": ".*", "hooks": [{**hook, "timeout": timeout}]}]}
    write_settings(lab.home, {"hooks": hooks, **(switches or {})})
    return gemini_command(lab, mode, words)


def write_settings(home: Path, settings: Mapping[str, Any]) -> None:
    """Beside what keeps it from calling anybody but its model, and its way to log in."""
    file = settings_file(home)
    file.parent.mkdir(exist_ok=True)
    quiet = {
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
    }
    before = json.loads(file.read_bytes()) if file.exists() else {}
    file.write_text(json.dumps({**quiet, **before, **settings}), encoding="utf-8")


def gemini_command(lab: Lab, mode: str = "yolo", words: Sequence[str] = ()) -> Command:
    """The command and the variables that start it in this lab."""
    command = ["-p", "Go on.", "-m", MODEL, "--approval-mode", mode, *words]
    return [*gemini_program(), *command], gemini_variables(lab)


def gemini_program() -> Sequence[str]:
    """What starts it, without any words of its own."""
    return [str(fetched("node")), str(fetched("gemini"))]


def gemini_variables(lab: Lab) -> Mapping[str, str]:
    """What it must know of its model, and of the folder that it works in."""
    return {
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": lab.url,
        "GEMINI_CLI_NO_RELAUNCH": "1",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
