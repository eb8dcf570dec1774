"""Qwen Code 0.24.4: how it is set up and run. What stands here was seen by running it.

- It is a bundle that Node runs, 22 and newer. A trial takes two seconds.
- It changes no file that it has not read, and asks its hook only then. It may read it in the same turn.
- A hook is run by bash, as the leader of a session of its own: a client that is killed leaves it alone.
- A hook that ends with 2 has said no, if it gave a reason on standard error. Without a word, with any other
  code, killed, late or missing it has said yes.
- A time for a hook that is 1000 or more counts milliseconds, a smaller one seconds.
- Its user's own hooks are asked in a folder that is not trusted, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.doors.clients.hook_program import guarded
from tests.lab.agents.cache import fetched
from tests.lab.agents.lab import Lab

Command = tuple[Sequence[str], Mapping[str, str]]


def settings_file(home: Path) -> Path:
    """Where the user's own settings lie."""
    return home / ".qwen/settings.json"


def hooked(
    lab: Lab,
    program: Path,
    *,
    is_guarded: bool = False,
    mode: str = "yolo",
    timeout: int = 86_400_000,
    switches: Mapping[str, Any] | None = None,
) -> Command:
    """It with this program as its hook before every tool; `switches` are further settings."""
    hook = {"type": "command", "command": guarded(program) if is_guarded else str(program)}
    hooks = {"PreToolUse": [{"matcher": "*", "hooks": [{**hook, "timeout": timeout}]}]}
    write_settings(lab.home, {"hooks": hooks, **(switches or {})})
    return qwen_command(lab, mode)


def write_settings(home: Path, settings: Mapping[str, Any]) -> None:
    """Beside what keeps it from calling anybody but its model."""
    file = settings_file(home)
    file.parent.mkdir(exist_ok=True)
    quiet = {
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    before = json.loads(file.read_bytes()) if file.exists() else {}
    file.write_text(json.dumps({**quiet, **before, **settings}), encoding="utf-8")


def qwen_command(lab: Lab, mode: str = "yolo") -> Command:
    """The command and the variables that start it in this lab."""
    command = ["-p", "Go on.", "--auth-type", "openai", "--approval-mode", mode]
    return [*qwen_program(), *command], qwen_variables(lab)


def qwen_program() -> Sequence[str]:
    """What starts it, without any words of its own."""
    return [str(fetched("node")), str(fetched("qwen"))]


def qwen_variables(lab: Lab) -> Mapping[str, str]:
    """What it must know of its model."""
    return {
        "OPENAI_API_KEY": "scripted",
        "OPENAI_BASE_URL": f"{lab.url}/v1",
        "OPENAI_MODEL": "scripted",
    }
