"""What the trials ask of `codex app-server`, spoken to by the program's own module."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.doors.agents import app_server

ANSWER_SECONDS = 30.0
"""How long one message of the server may take."""

Message = dict[str, Any]
Answer = Callable[[Message], Message | None]
"""From a request of the server to what is answered: a result, or None for no answer at all."""


class AppServer(app_server.AppServer):
    """The server from `with` on. Raises AppServerFailed where it does not answer, or with an error."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        super().__init__(command, folder, environment)
        self._folder = folder

    def turn(self, answer: Answer, *, sandbox: str = "read-only") -> None:
        """One turn in a new thread; whatever the server asks goes to `answer`. Ends with the turn, or where
        the server ends."""
        started = self.ask(
            "thread/start", {"cwd": str(self._folder), "approvalPolicy": "on-request", "sandbox": sandbox}
        )
        text = [{"type": "text", "text": "Go on."}]
        self.ask("turn/start", {"threadId": started["thread"]["id"], "input": text})
        while (message := self.next(ANSWER_SECONDS)) is not None:
            if message["method"] == "turn/completed":
                return
            result = answer(message) if "id" in message else None
            if result is not None:
                self.answer(message, result)
