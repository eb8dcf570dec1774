"""An agent by the official SDK, talked with through the real command."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

from tests.tools.forked import ForkServer, command_of

SDK_AGENT = Path(__file__).with_name("sdk_agent.py")
SECONDS = 20
SECONDS_IN_ALL = 60
"""After which nothing is waited for any more: the command is killed, and the test fails."""


class Talking:
    """`studio acp --json` with that agent: prompts are said, and what it prints is read. Its `options` are
    those of the command."""

    forks: ClassVar[ForkServer | None] = None

    def __init__(
        self,
        project: Path,
        *words: str,
        resume: str = "",
        options: tuple[str, ...] = (),
        agent: tuple[str, ...] = (),
        is_forked: bool = True,
    ) -> None:
        """Start it; not forked where its own process is what a test is about."""
        resumes = ("--resume", resume) if resume else ()
        command = agent or (sys.executable, str(SDK_AGENT), *words)
        start, handles = command_of(
            self.forks if is_forked else None, "--json", "acp", *resumes, *options, "--", *command
        )
        self.process = subprocess.Popen(
            start,
            cwd=project,
            pass_fds=handles,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._limit = threading.Timer(SECONDS_IN_ALL, self.process.kill)
        self._limit.daemon = True
        self._limit.start()

    def ask(self, *acts: dict[str, Any]) -> None:
        """Have the agent do these things, one after the other."""
        self.say({"prompt": json.dumps(acts)})

    def stop(self) -> None:
        """Stop its turn."""
        self.say({"stop": True})

    def hear(self, kind: str) -> dict[str, Any]:
        """The next thing of this kind that is said or done; what comes before is left."""
        return self.heard_until(kind)[-1]

    def heard_until(self, kind: str) -> list[dict[str, Any]]:
        """All that is said or done, up to the next thing of this kind."""
        assert self.process.stdout is not None
        heard: list[dict[str, Any]] = []
        while line := self.process.stdout.readline():
            heard.append(json.loads(line))
            if heard[-1].get("event") == kind:
                return heard
        raise AssertionError(f"{heard} and then {self.process.communicate()[1].decode()}")

    def said(self) -> str:
        """What the agent says in its turn, to its end."""
        heard = self.heard_until("turn_ended")
        return "".join(event["text"] for event in heard if event["event"] == "message")

    def end(self) -> int:
        """Say no more, and wait for its end; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        return self.process.wait(SECONDS)

    def say(self, *said: dict[str, Any]) -> None:
        """Say all of it in one moment."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in said))
        self.process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def talking(project: Path, forks: ForkServer | None, monkeypatch: pytest.MonkeyPatch) -> type[Talking]:
    (project / "notes.txt").write_bytes(b"alpha\nbeta\ngamma\n")
    monkeypatch.setattr(Talking, "forks", forks)
    return Talking
