"""Codex runs a hook only once it trusts it, and skips others without a word; its server says and sets that.

Trust holds for a hook's content and its place in the file, so it is set anew after each change of the file.
"""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from studio import __version__
from studio.engine.workspace import reason

_PROGRAM: Final = "codex"
_SECONDS: Final = 20.0
_END_SECONDS: Final = 2.0
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
        with _Server(program) as server:
            found = server.hook(command)
            if found is not None and found.get("trustStatus") != _TRUSTED and sets:
                server.trust(found)
                found = server.hook(command)
    except _Failed as error:
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


class _Failed(Exception):
    """The server gave no answer; the words are a clause."""


class _Server:
    """`codex app-server` while the block lasts: one JSON message a line, to and fro."""

    def __init__(self, program: str) -> None:
        self._until = time.monotonic() + _SECONDS
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last = 0
        try:
            self._process = subprocess.Popen(
                [program, "app-server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=Path.home(),
            )
        except OSError as error:
            raise _Failed(reason(error, "its program")) from error
        self._reader = threading.Thread(target=self._read, name="codex-app-server", daemon=True)
        self._reader.start()

    def __enter__(self) -> _Server:
        try:
            self._ask("initialize", {"clientInfo": {"name": "exacta-studio", "version": __version__}})
            self._send({"method": "initialized"})
        except _Failed:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, whatever it is doing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_END_SECONDS)
        self._process.stdout.close()

    def hook(self, command: str) -> dict[str, Any] | None:
        """What it says of the hook that runs `command`. Raises _Failed, as the others do."""
        answer = self._ask("hooks/list", {"cwds": [str(Path.home())]})
        try:
            listed = [hook for entry in answer["data"] for hook in entry["hooks"]]
            return next((hook for hook in listed if hook.get("command") == command), None)
        except (KeyError, TypeError, AttributeError) as error:
            raise _Failed("its answer about hooks is not understood") from error

    def trust(self, hook: dict[str, Any]) -> None:
        """Set the trust in a hook as it is now."""
        try:
            value = {hook["key"]: {"trusted_hash": hook["currentHash"]}}
        except KeyError as error:
            raise _Failed("its answer about hooks is not understood") from error
        edit = {"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}
        self._ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": parameters})
        while True:
            message = self._next()
            if message.get("id") != self._last or "method" in message:
                continue  # news, or a request of its own
            if "error" in message:
                raise _Failed(f"it refused {method}")
            result = message.get("result")
            return cast("dict[str, Any]", result) if isinstance(result, dict) else {}

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise _Failed("it ended") from error

    def _next(self) -> dict[str, Any]:
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, self._until - time.monotonic()))
            except queue.Empty:
                raise _Failed(f"it did not answer in {_SECONDS:.0f} seconds") from None
            if not line:
                raise _Failed("it ended")
            with suppress(ValueError):
                message: object = json.loads(line)
                if isinstance(message, dict):
                    return cast("dict[str, Any]", message)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")
