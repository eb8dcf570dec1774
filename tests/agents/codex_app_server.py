"""`codex app-server`, spoken to as its own desktop program does: JSON, line by line, on its pipes."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ANSWER_SECONDS = 30.0
"""How long one line of the server may take."""

Message = dict[str, Any]
Answer = Callable[[Message], Message | None]
"""From a request of the server to what is answered: a result, or None for no answer at all."""


class AppServer:
    """The server from `with` on. Raises TimeoutError where it does not answer, RuntimeError with an error."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._lines: queue.Queue[Message | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="codex app-server")
        self._number = 0
        self.seen: list[Message] = []

    def __enter__(self) -> Self:
        self._reader.start()
        self.request("initialize", {"clientInfo": {"name": "exacta-tests", "version": "1"}})
        self._send({"method": "initialized"})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(BrokenPipeError):
                stream.close()

    def hang_up(self) -> None:
        """Go without a word, as a client does that is killed."""
        stream = self._process.stdin
        assert stream is not None
        stream.close()

    def kill(self) -> None:
        """End the server at once, and what it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def hooks(self) -> list[Message]:
        """The hooks that count in the project, each with `key`, `currentHash` and `trustStatus`."""
        listed = self.request("hooks/list", {"cwds": [str(self._folder)]})
        return [hook for entry in listed["data"] for hook in entry["hooks"]]

    def trust(self, hook: Message) -> None:
        """Say that the user trusts a hook as it is now."""
        edit = {
            "keyPath": "hooks.state",
            "value": {hook["key"]: {"trusted_hash": hook["currentHash"]}},
            "mergeStrategy": "upsert",
        }
        self.request("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})

    def turn(self, answer: Answer, *, sandbox: str = "read-only") -> None:
        """One turn in a new thread; whatever the server asks goes to `answer`. Ends with the turn, or where
        the server ends."""
        started = self.request(
            "thread/start", {"cwd": str(self._folder), "approvalPolicy": "on-request", "sandbox": sandbox}
        )
        text = [{"type": "text", "text": "Go on."}]
        self.request("turn/start", {"threadId": started["thread"]["id"], "input": text}, answer)
        while (message := self._next()) is not None and message.get("method") != "turn/completed":
            self._meet(message, answer)

    def request(self, method: str, parameters: Message, answer: Answer | None = None) -> Message:
        """Ask the server, and give it what it asks meanwhile; returns the result."""
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": parameters})
        while (message := self._next()) is not None:
            if "method" in message:
                self._meet(message, answer)
            elif message["id"] == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"{method}: codex app-server ended")

    def _meet(self, message: Message, answer: Answer | None) -> None:
        result = answer(message) if "id" in message and answer is not None else None
        if result is not None:
            self._send({"id": message["id"], "result": result})

    def _next(self) -> Message | None:
        try:
            message = self._lines.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            raise TimeoutError(f"codex app-server said nothing for {ANSWER_SECONDS:.0f} s") from None
        if message is not None:
            self.seen.append(message)
        return message

    def _send(self, message: Message) -> None:
        stream = self._process.stdin
        assert stream is not None
        # Who was killed reads nothing.
        with suppress(BrokenPipeError):
            stream.write(json.dumps(message) + "\n")
            stream.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        for line in stream:
            self._lines.put(json.loads(line))
        self._lines.put(None)
