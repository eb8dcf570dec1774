"""An agent by the official SDK, talked with through `studio acp`: on a thread, or as a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from typing import IO, Any, ClassVar, Self

import pytest

from tests.tools.in_process import Started, end_sharing

SDK_AGENT = Path(__file__).with_name("sdk_agent.py")
SECONDS = 20
SECONDS_IN_ALL = 60
"""After which nothing is waited for any more: the command is ended, and the test fails."""


class Talking:
    """`studio acp --json` with that agent: prompts are said, and what it prints is read. Its `options` are
    those of the command."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    talks: ClassVar[list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]]] = []
    """What Ctrl-C would end: a thread can't be sent one."""

    def __init__(
        self,
        project: Path,
        *words: str,
        resume: str = "",
        options: tuple[str, ...] = (),
        agent: tuple[str, ...] = (),
    ) -> None:
        """Start it."""
        resumes = ("--resume", resume) if resume else ()
        command = agent or (sys.executable, str(SDK_AGENT), *words)
        self._start(["--json", "--project", str(project), "acp", *resumes, *options, "--", *command])
        self._limit = threading.Timer(SECONDS_IN_ALL, self._kill)
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
        heard: list[dict[str, Any]] = []
        while line := self.stdout.readline():
            heard.append(json.loads(line))
            if heard[-1].get("event") == kind:
                return heard
        raise AssertionError(f"{heard} and then {self._end()}")

    def said(self) -> str:
        """What the agent says in its turn, to its end."""
        heard = self.heard_until("turn_ended")
        return "".join(event["text"] for event in heard if event["event"] == "message")

    def end(self) -> int:
        """Say no more, and wait for its end; the exit code."""
        self.stdin.close()
        return self._end()[0]

    def rest(self) -> tuple[int, str]:
        """Wait for its end, while more could be said: the exit code, and what it still prints."""
        printed = self.stdout.read().decode()
        return self._end()[0], printed

    def say(self, *said: dict[str, Any]) -> None:
        """Say all of it in one moment."""
        self.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in said))
        self.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._limit.cancel()
        self._close()
        self.stdout.close()

    def _start(self, words: list[str]) -> None:
        reads, self.stdin = _pipe()
        self.stdout, writes = _pipe()

        def close() -> None:
            # The thread that reads prompts ends with the process, or with what it reads.
            while prompts := [each for each in threading.enumerate() if each.name == "prompts"]:
                with suppress(BrokenPipeError):
                    self.stdin.close()
                prompts[0].join(SECONDS)
            reads.close()
            writes.close()

        self._started = Started(words, stdin=reads, stdout=writes, then=close)

    def _end(self) -> tuple[int, str]:
        return self._started.end(SECONDS)

    def _kill(self) -> None:
        for loop, talk in self.talks:
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(talk.cancel)

    def _close(self) -> None:
        """End it as whoever has enough of it does."""
        with suppress(BrokenPipeError, ValueError):  # it has ended
            self.stop()
        with suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.read()
        self._started.wait(SECONDS)
        end_sharing()


class TalkingApart(Talking):
    """The same as a process of its own, which can be killed."""

    process: subprocess.Popen[bytes]

    def _start(self, words: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "studio", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def _end(self) -> tuple[int, str]:
        assert self.process.stderr is not None
        return self.process.wait(SECONDS), self.process.stderr.read().decode()

    def _kill(self) -> None:
        self.process.kill()

    def _close(self) -> None:
        self.process.kill()
        self.process.communicate()


class _InContext(ThreadPoolExecutor):
    """Threads that print where those do which gave them work."""

    def submit(self, *work: Any, **named: Any) -> Future[Any]:
        return super().submit(copy_context().run, *work, **named)


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    reads, writes = os.pipe()
    return os.fdopen(reads, "rb"), os.fdopen(writes, "wb")


@pytest.fixture
def talking(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Talking]]:
    (project / "notes.txt").write_bytes(b"alpha\nbeta\ngamma\n")

    def begin(loop: asyncio.AbstractEventLoop, _: int, pressed: Any, talk: asyncio.Task[Any]) -> None:
        Talking.talks.append((loop, talk))

    # The main thread alone may set one.
    loop = asyncio.SelectorEventLoop
    monkeypatch.setattr(loop, "add_signal_handler", begin)
    monkeypatch.setattr(loop, "remove_signal_handler", lambda *_: Talking.talks.clear())
    monkeypatch.setattr("studio.doors.acp.client.ThreadPoolExecutor", _InContext)
    yield Talking
    Talking.talks.clear()
