"""Codex runs a hook only once it trusts it, and skips others without a word; its server says and sets that.

Trust holds for a hook's content and its place in the file, so it is set anew after each change of the file.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.app_server import AppServer, AppServerFailed

_PROGRAM: Final = "codex"
_TRUSTED: Final = "trusted"


@dataclass(frozen=True, slots=True)
class HookTrust:
    """Whether Codex runs our hook; `missing` is a sentence that says why not, "" where it does."""

    missing: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether it said so itself."""
        return not self.missing


def look_at_trust(command: str) -> HookTrust:
    """What Codex says about the hook that runs `command`; nothing is changed."""
    return _asked(command, sets=False)


def set_trust(command: str) -> HookTrust:
    """Have Codex trust the hook that runs `command`, and ask it again whether it does."""
    return _asked(command, sets=True)


def _asked(command: str, *, sets: bool) -> HookTrust:
    program = shutil.which(_PROGRAM)
    if program is None:
        return HookTrust("Codex is not installed here, so nobody can say whether it trusts the hook.")
    try:
        with AppServer([program, "app-server"], Path.home()) as server:
            found = _hook(server, command)
            if found is not None and found.get("trustStatus") != _TRUSTED and sets:
                _trust(server, found)
                found = _hook(server, command)
    except AppServerFailed as error:
        return HookTrust(f"Codex could not be asked whether it trusts the hook: {error}.")
    if found is None:
        return HookTrust("Codex does not know the hook: hooks may be switched off in its configuration.")
    if found.get("enabled") is False:
        return HookTrust("The hook is switched off in Codex.")
    if found.get("trustStatus") != _TRUSTED:
        return HookTrust(
            "Codex does not trust the hook, and skips it: open Codex, and trust it under /hooks."
        )
    return HookTrust()


def _hook(server: AppServer, command: str) -> dict[str, Any] | None:
    """What it says of the hook that runs `command`. Raises AppServerFailed, as the other does."""
    answer = server.ask("hooks/list", {"cwds": [str(Path.home())]})
    try:
        listed = [hook for entry in answer["data"] for hook in entry["hooks"]]
        return next((hook for hook in listed if hook.get("command") == command), None)
    except (KeyError, TypeError, AttributeError) as error:
        raise AppServerFailed("its answer about hooks is not understood") from error


def _trust(server: AppServer, hook: dict[str, Any]) -> None:
    """Set the trust in a hook as it is now."""
    try:
        value = {hook["key"]: {"trusted_hash": hook["currentHash"]}}
    except KeyError as error:
        raise AppServerFailed("its answer about hooks is not understood") from error
    edit = {"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}
    server.ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})
