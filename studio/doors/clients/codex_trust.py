"""Codex's trust in our hook, read and set through its app server.

Codex runs a hook only once it trusts it, and silently skips others. The trust is for a hook's content and its
position in the file, so it is set anew after each change of the file, and queried periodically: another
program may add an entry before ours.
"""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.doors.agents.app_server import AppServer, AppServerFailed
from studio.doors.agents.server_process import Message, as_fields, as_text
from studio.values import Value

_PROGRAM: Final = "codex"
_TRUSTED: Final = "trusted"
_LASTS_SECONDS: Final = 60.0
"""Seconds for which an answer is valid.

A query takes most of a second.
"""


class HookTrust(Value):
    """Whether Codex runs our hook.

    `missing` is a sentence that says why not, "" where it does. `answered` is false where Codex could not be
    queried.
    """

    missing: str = ""
    answered: bool = True

    @property
    def is_trusted(self) -> bool:
        """Whether Codex itself confirmed it."""
        return not self.missing


class TrustWatch:
    """Cache of the hook's trust, queried at most once a minute.

    Only one server runs at a time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queried: tuple[str, ...] = ()
        self._until = 0.0
        self._trust: HookTrust | None = None

    def trust(
        self, command: str, folders: Sequence[Path], stamp: str, *, asks: bool = True
    ) -> HookTrust | None:
        """Return the trust in these folders, queried anew if `stamp` changed.

        Returns None without `asks`, or where Codex is not installed, unless it was queried before.
        """
        query = (command, stamp, *map(str, folders))
        if not self._lock.acquire(blocking=asks):
            return None
        try:
            is_fresh = self._queried == query and time.monotonic() < self._until
            if asks and not is_fresh and shutil.which(_PROGRAM) is not None:
                self._trust = query_trust(command, folders)
                self._queried, self._until = query, time.monotonic() + _LASTS_SECONDS
            return self._trust if self._queried == query else None
        finally:
            self._lock.release()


def query_trust(command: str, folders: Sequence[Path] = ()) -> HookTrust:
    """Query the trust of the hook that runs `command`; change nothing.

    The query is for each of these folders, or the home folder if none is given.
    """
    return _query(command, sets=False, folders=folders)


def set_trust(command: str) -> HookTrust:
    """Make Codex trust the hook that runs `command`, and query the result."""
    return _query(command, sets=True)


def _query(command: str, *, sets: bool, folders: Sequence[Path] = ()) -> HookTrust:
    program = shutil.which(_PROGRAM)
    if program is None:
        return HookTrust("Codex is not installed, so its trust in the hook is unknown.", answered=False)
    try:
        with AppServer([program, "app-server"], Path.home()) as server:
            hook = hook_that_runs(server, command, Path.home()) if sets else None
            if hook is not None and not is_trusted(hook):
                trust(server, hook)
            found = [hook_that_runs(server, command, folder) for folder in folders or (Path.home(),)]
    except AppServerFailed as error:
        return HookTrust(f"Codex did not report whether it trusts the hook: {error}.", answered=False)
    missing = [_missing(hook) for hook in found]
    return HookTrust(next((each for each in missing if each), ""))


def _missing(hook: Message | None) -> str:
    if hook is None:
        return "Codex does not list the hook. Hooks may be disabled in its configuration."
    if hook.get("enabled") is False:
        return "The hook is disabled in Codex."
    if not is_trusted(hook):
        return "Codex does not trust the hook and skips it. Open Codex and trust it under /hooks."
    return ""


def trusted_key(command: str) -> str:
    """Return Codex's key of the trusted hook that runs `command`.

    Returns "" where Codex can't be queried or does not trust it.
    """
    program = shutil.which(_PROGRAM)
    if program is None:
        return ""
    with suppress(AppServerFailed), AppServer([program, "app-server"], Path.home()) as server:
        found = hook_that_runs(server, command, Path.home())
        return as_text(found.get("key")) if found is not None and is_trusted(found) else ""
    return ""


def forget_trust(key: str) -> HookTrust:
    """Remove a deleted hook's trust, and an empty trust table."""
    program = shutil.which(_PROGRAM)
    assert program is not None, "it named the key"
    try:
        with AppServer([program, "app-server"], Path.home()) as server:
            _write(server, f"hooks.state.{json.dumps(key, ensure_ascii=False)}", None, "replace")
            hooks = as_fields(as_fields(server.ask("config/read", {}).get("config")).get("hooks"))
            if not hooks.get("state"):
                _write(server, "hooks.state", None, "replace")
    except AppServerFailed as error:
        return HookTrust(f"The trust of Codex in the hook could not be removed: {error}.")
    return HookTrust()


def hook_that_runs(server: AppServer, command: str, folder: Path) -> Message | None:
    """Return the hook that runs `command` in a folder.

    Raises AppServerFailed, as `hooks_in` does.
    """
    return next((hook for hook in hooks_in(server, folder) if hook.get("command") == command), None)


def hooks_in(server: AppServer, folder: Path) -> list[Message]:
    """Return the effective hooks of a folder. Raises AppServerFailed."""
    answer = server.ask("hooks/list", {"cwds": [str(folder)]})
    try:
        return [dict(hook) for entry in answer["data"] for hook in entry["hooks"]]
    except (KeyError, TypeError, ValueError) as error:
        raise AppServerFailed("its answer about hooks has an unknown form") from error


def is_trusted(hook: Message) -> bool:
    """Return whether Codex trusts this hook."""
    return hook.get("trustStatus") == _TRUSTED


def trust(server: AppServer, hook: Message) -> None:
    """Trust a hook as it is now. Raises AppServerFailed."""
    try:
        value = {hook["key"]: {"trusted_hash": hook["currentHash"]}}
    except KeyError as error:
        raise AppServerFailed("its answer about hooks has an unknown form") from error
    _write(server, "hooks.state", value, "upsert")


def _write(server: AppServer, key: str, value: object, strategy: str) -> None:
    """Set a key of its configuration; None removes it."""
    edit = {"keyPath": key, "value": value, "mergeStrategy": strategy}
    server.ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})
