"""What has an agent ask where its user's or a project's own settings would let something pass.

Found by running Qwen Code 0.24.4: a line in a project's own settings lets its model run commands, and use
the tools of a server, unasked. A rule to ask counts more than one that allows, wherever the two stand, and
none of its files takes a rule of another one away.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from studio.doors.agents.server_process import AgentFailed, as_fields, as_list
from studio.engine.documents import Unreadable, read_spans
from studio.engine.home_files import keep, read_home_file

_VARIABLE: Final = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"
_ASKED: Final = ("Bash", "mcp__*")
_FOLDERS: Final = {"darwin": "/Library/Application Support/QwenCode", "win32": "C:/ProgramData/qwen-code"}


def environment_that_asks() -> Mapping[str, str]:
    """The variables that an agent is started with: our own, and what has it ask.

    Raises AgentFailed where what the machine's own settings say can't be read, or a FileError.
    """
    file = read_home_file(_machine_s_own())
    text = (file.data or b"").decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        settings = as_fields(read_spans(text).value) if text.strip() else {}
    except Unreadable as error:
        raise AgentFailed(f"{file.shown} can't be read: {error}") from error
    rules = as_fields(settings.get("permissions"))
    asked = [*as_list(rules.get("ask")), *_ASKED]
    whole = {**settings, "permissions": {**rules, "ask": asked}}
    return {**os.environ, _VARIABLE: str(keep("qwen-defaults.json", json.dumps(whole).encode()))}


def _machine_s_own() -> Path:
    """Where Qwen Code would read what every user of this machine begins with."""
    if chosen := os.environ.get(_VARIABLE):
        return Path(chosen)
    if settings := os.environ.get("QWEN_CODE_SYSTEM_SETTINGS_PATH"):
        return Path(settings).with_name("system-defaults.json")
    return Path(_FOLDERS.get(sys.platform, "/etc/qwen-code"), "system-defaults.json")
