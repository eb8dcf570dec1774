"""One Continue CLI run that has only our MCP server's tools.

Found by running Continue CLI 1.5.47: without a window it offers its model a shell, and all tools of other
servers, and asks no one. A tool that a pattern excludes is not offered, and can't be called. All of its own
tools begin with a capital letter, and none of ours does. A project's files for it are not read: it is started
in an empty folder, and its model reads the project by our tools.
"""

from __future__ import annotations

import json
import os
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.agents.server_process import AgentFailed, ServerProcess
from studio.program.work_folder import WorkFolder
from studio.system.os_errors import reason

AGENT: Final = "continue"
TITLE: Final = "Continue"
PROGRAM: Final = "cn"
_COPIED_KEYS: Final = ("name", "version", "schema", "models", "rules")
"""The user's settings that do not concern tools."""
_EXCLUDED: Final = [word for letter in string.ascii_uppercase for word in ("--exclude", f"{letter}*")]


def user_settings() -> Path:
    """Return the path of the user's own settings."""
    chosen = os.environ.get("CONTINUE_GLOBAL_DIR")
    return (Path(chosen) if chosen else Path.home() / ".continue") / "config.yaml"


def settings_with(text: str, server: Mapping[str, Any]) -> dict[str, Any]:
    """Return the user's settings for one run, with only our MCP server.

    Raises AgentFailed.
    """
    import ruamel.yaml.error

    loader: Any = ruamel.yaml.YAML(typ="safe", pure=True)
    try:
        loaded: object = loader.load(text)
    except ruamel.yaml.error.YAMLError as error:
        raise AgentFailed("its settings can't be read") from error
    if not isinstance(loaded, dict):
        raise AgentFailed("its settings must be a mapping")
    settings = cast("dict[str, Any]", loaded)
    copied = {key: settings[key] for key in _COPIED_KEYS if key in settings}
    return {**copied, "mcpServers": [{"name": "studio", **server}]}


class ContinueRun:
    """One prompt; the process runs until the end of the `with` block."""

    def __init__(self, program: str, settings: Mapping[str, Any], prompt: str) -> None:
        """Start the process. Raises AgentFailed where it can't be started."""
        self._folder = WorkFolder("continue")
        place = self._folder.path
        file = place / "config.yaml"
        # JSON is valid YAML; it may contain an API key.
        file.touch(0o600)
        file.write_text(json.dumps(settings, default=str), encoding="utf-8")
        (place / "empty").mkdir()
        command: Sequence[str] = [program, "-p", "--config", str(file), *_EXCLUDED, "--", prompt]
        try:
            self.process = ServerProcess(command, place / "empty", None)
        except OSError as error:
            self._folder.close()
            raise AgentFailed(reason(error, "its program")) from error
        self.process.close_input()

    def __enter__(self) -> ContinueRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.close()
        self._folder.close()
