"""A client's hook as a process of its own, and the person who decides meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.engine.workspace import Person, PersonSource
from tests.doors.conftest import TIMEOUT_SECONDS
from tests.tools.forked import ForkServer, command_of

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
    """A running hook: `said` waits for its answer."""

    def __init__(
        self,
        client: str,
        text: bytes,
        cwd: Path,
        *words: str,
        forks: ForkServer | None = None,
        before: tuple[str, ...] = (),
        **variables: str,
    ) -> None:
        """Start it; with `forks` in a process that need not import the program first, behind the words
        `before` if it is one of its own."""
        command, handles = command_of(forks, "hook", client, *words)
        self.process = subprocess.Popen(
            [*before, *command],
            cwd=cwd, env={**os.environ, **variables}, pass_fds=handles,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._text = text
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()
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


@pytest.fixture
def hook(project: Path, forks: ForkServer | None) -> Iterator[Callable[..., Hook]]:
    """Starts one of a client for a use of a tool in the project."""
    running: list[Hook] = []

    def start(
        tool: str, given: dict[str, Any], *words: str, client: str = "claude-code", **fields: Any
    ) -> Hook:
        said = use_of(tool, given, fields.pop("cwd", project), **fields)
        running.append(Hook(client, json.dumps(said).encode(), project, *words, forks=forks))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.communicate()
