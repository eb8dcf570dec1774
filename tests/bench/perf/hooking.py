"""What a hook costs a client: its answer where nobody is asked, and the way of a person's word to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studio.doors.clients.hook_program import hook_program
from studio.engine.plan import PersonSource
from studio.workspace import Person, Reviewer, Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds, studio
from tests.doors.awaited import waiting_plan

_CLIENT = "claude-code"
# The least that a process which waits for a word could do: it is told one, says it, and ends.
_TOLD = """
import socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bell:
    bell.bind(sys.argv[1])
    print("there", flush=True)
    print(bell.recv(100).decode(), flush=True)
"""


def _project(folder: Path) -> Path:
    project = folder / "project"
    project.mkdir()
    (project / "studio.yaml").write_text("schema_version: 1\n")
    (project / "notes.txt").write_text("alpha\nbeta\n")
    return project


def _hook(folder: Path) -> list[str]:
    """The hook program that `connect` writes for a client."""
    program = folder / "hook"
    program.write_bytes(hook_program(_CLIENT, [studio(), "hook", _CLIENT], folder))
    program.chmod(0o700)
    return [str(program)]


def _asked(project: Path, tool: str, given: Mapping[str, str]) -> bytes:
    """What a client sends to its hook before it uses a tool."""
    said: dict[str, Any] = {"hook_event_name": "PreToolUse", "session_id": "perf", "cwd": str(project)}
    return json.dumps({**said, "tool_name": tool, "tool_input": given}).encode()


def _answered(command: Sequence[str], asked: bytes, variables: Mapping[str, str], folder: Path) -> float:
    """How long the hook program lives that answers this."""
    question = folder / "question.json"
    question.write_bytes(asked)
    with question.open("rb") as handle:
        return milliseconds(list(command), variables, handle)


def _reading(folder: Path, pairs: int) -> Comparison:
    variables, project = environment(folder), _project(folder)
    asked = _asked(project, "Read", {"file_path": str(folder / "project/notes.txt")})
    command = [studio(), "hook", _CLIENT, "--caller", str(os.getpid())]
    ours, peer = compare(
        lambda: _answered(command, asked, variables, folder),
        lambda: milliseconds([sys.executable, "-c", "pass"], variables),
        pairs,
    )
    return Comparison("studio hook, before Read", "python -c pass", ours, peer, 3.0)


def _refused(folder: Path, pairs: int) -> Comparison:
    variables, project = environment(folder), _project(folder)
    asked = _asked(project, "Write", {"file_path": str(folder / "out.txt"), "content": "x\n"})
    command, check = _hook(folder), [studio(), "check", "--project", str(project), "notes.txt"]
    milliseconds(check, variables)  # the project's store is made once
    ours, peer = compare(
        lambda: _answered(command, asked, variables, folder), lambda: milliseconds(check, variables), pairs
    )
    return Comparison("the hook program, before Write", "studio check PATH", ours, peer, 1.3)


class _Desk:
    """A person who decides what one hook after another waits for."""

    def __init__(self, folder: Path) -> None:
        # Its store is this process's own, which decides.
        own = {name: os.environ[name] for name in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR")}
        self.variables, self.project = {**environment(folder), **own}, _project(folder)
        self.command, self._folder, self._number = _hook(folder), folder, 0
        self.workspace = Workspace.open(self.project)
        self.reviewer: Reviewer = self.workspace.reviewer(Person(PersonSource.WINDOW, "perf"))
        self.deciding: list[float] = []

    @contextmanager
    def asking(self) -> Iterator[subprocess.Popen[bytes]]:
        """The hook program of a client that is to write another content."""
        self._number += 1
        content = f"alpha\nBETA {self._number}\n"
        asked = _asked(
            self.project, "Write", {"file_path": str(self.project / "notes.txt"), "content": content}
        )
        question = self._folder / "question.json"
        question.write_bytes(asked)
        with (
            question.open("rb") as given,
            subprocess.Popen(
                self.command, env=self.variables, stdin=given, stdout=subprocess.PIPE
            ) as waiting,
        ):
            yield waiting

    def ask(self) -> float:
        """From the hook program's start until its edit is stored and waits."""
        began = time.perf_counter()
        with self.asking() as waiting:
            plan = waiting_plan(self.workspace).id
            asked_at = time.perf_counter()
            self.reviewer.reject(plan, reason="no")
            waiting.wait()
        return (asked_at - began) * 1000

    def decide(self) -> float:
        """From the return of `Reviewer.apply` until the hook program has ended."""
        with self.asking() as waiting:
            plan = waiting_plan(self.workspace).id
            began = time.perf_counter()
            self.reviewer.approve(plan)
            self.reviewer.apply(plan)
            decided = time.perf_counter()
            waiting.wait()
            ended = time.perf_counter()
            assert waiting.stdout is not None and b"Done: the reviewer approved" in waiting.stdout.read()
        self.deciding.append((decided - began) * 1000)
        return (ended - decided) * 1000


def _told(folder: Path) -> float:
    """From one datagram through a UNIX socket until the process that waited for it has ended."""
    import socket

    address = folder / "bell"
    address.unlink(missing_ok=True)
    command = [sys.executable, "-I", "-S", "-c", _TOLD, str(address)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as waiting,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender,
    ):
        assert waiting.stdout is not None
        waiting.stdout.readline()
        began = time.perf_counter()
        sender.sendto(b"told", os.fspath(address))
        waiting.wait()
        return (time.perf_counter() - began) * 1000


def _decided(folder: Path, pairs: int) -> Comparison:
    desk = _Desk(folder)
    try:
        ours, peer = compare(desk.decide, lambda: _told(folder), pairs)
    finally:
        desk.workspace.close()
    return Comparison(
        "apply returned to the hook program ended (at most 50 ms)",
        "a word through a UNIX socket to the end of a Python that waited for it",
        ours,
        peer,
        legs={"approve and apply": tuple(desk.deciding[1:])},
    )


def _waiting(folder: Path, pairs: int) -> Comparison:
    desk = _Desk(folder)
    try:
        ours, peer = compare(
            desk.ask, lambda: milliseconds([sys.executable, "-c", "pass"], desk.variables), pairs
        )
    finally:
        desk.workspace.close()
    return Comparison("the hook program started to its edit waits", "python -c pass", ours, peer, 12.0)


HOOK_READ = Benchmark("hook-read", "the hook's answer for a tool that changes no file", _reading)
HOOK_REFUSED = Benchmark("hook-refused", "the hook's answer for a path out of the project", _refused)
HOOK_WAITS = Benchmark("hook-waits", "from a hook's start until its edit waits for a person", _waiting)
HOOK_TOLD = Benchmark("hook-told", "a person's decision to the end of the hook that waits for it", _decided)
