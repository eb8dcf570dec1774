"""A client's hook on a thread or as a process of its own, and the person who decides meanwhile."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.doors.hook import watch_parent
from studio.engine.plan import PersonSource
from studio.workspace import Person
from tests.doors.conftest import TIMEOUT_SECONDS
from tests.tools.in_process import Started, end_sharing, share_streams

PERSON = Person(PersonSource.WINDOW, "ada")


@dataclass(frozen=True)
class Said:
    """What the client gets: `decision` is "" for an answer without an opinion."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.out)["hookSpecificOutput"]
        assert said.pop("hookEventName") == "PreToolUse"
        return said

    @property
    def decision(self) -> str:
        return self.answer.get("permissionDecision", "")

    @property
    def reason(self) -> str:
        return self.answer["permissionDecisionReason"]


class Hook:
    """A running hook: `said` waits for its answer. It runs on a thread, with `hooks_here`."""

    def __init__(self, client: str, text: bytes, *words: str) -> None:
        """Start it."""
        self._out = io.BytesIO()
        self._started = Started(["hook", client, *words], stdin=io.BytesIO(text), stdout=self._out)

    @property
    def is_running(self) -> bool:
        return self._started.is_running

    def said(self) -> Said:
        code, errors = self._started.end(TIMEOUT_SECONDS)
        return Said(code, self._out.getvalue().decode(), errors)


class HookProcess:
    """One that is a process, because that is the question."""

    def __init__(self, client: str, text: bytes, cwd: Path, *before: str) -> None:
        """Start it, behind the words of another program."""
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "studio", "hook", client],
            cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.close()
        self.process.stdin = None

    def said(self) -> Said:
        out, err = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return Said(self.process.returncode, out.decode(), err.decode())


def use_of(tool: str, given: dict[str, Any], cwd: Path, **fields: Any) -> dict[str, Any]:
    """What Claude Code and Codex send, as it was recorded."""
    return {
        "session_id": "63fc7fb4-b75a-43e8-b044-c20dc8a9d392",
        "transcript_path": "~/.claude/projects/p/63fc7fb4.jsonl",
        "cwd": str(cwd),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": "toolu_0",
        **fields,
    }


@pytest.fixture(autouse=True)
def hooks_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have hooks run on threads; what waits at the end of the test ends as where its client has gone."""
    gone, own = list[threading.Event](), os.getppid()

    def watch(process: int) -> threading.Event:
        gone.append(threading.Event() if process == own else watch_parent(process))
        return gone[-1]

    monkeypatch.setattr("studio.doors.cli.commands.hook.watch_parent", watch)
    yield
    share_streams()
    for each in gone:
        each.set()
    for thread in threading.enumerate():
        if thread.name == "studio hook":
            thread.join(TIMEOUT_SECONDS)
    end_sharing()


@pytest.fixture
def hook(project: Path, hooks_here: None) -> Callable[..., Hook]:
    """Starts one of a client for a use of a tool in the project."""

    def start(
        tool: str, given: dict[str, Any], *words: str, client: str = "claude-code", **fields: Any
    ) -> Hook:
        said = use_of(tool, given, fields.pop("cwd", project), **fields)
        return Hook(client, json.dumps(said).encode(), *words)

    return start


@pytest.fixture
def hook_process(project: Path) -> Iterator[Callable[..., HookProcess]]:
    """The same, as a process."""
    running: list[HookProcess] = []

    def start(tool: str, given: dict[str, Any], *before: str) -> HookProcess:
        text = json.dumps(use_of(tool, given, project)).encode()
        running.append(HookProcess("claude-code", text, project, *before))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.communicate()
