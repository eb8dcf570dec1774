"""What an agent's client asks before it uses a tool is decided in the window, and the client is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import PROCESS_SECONDS

Use = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def use(harbour: Harbour) -> Iterator[Use]:
    """A client's question about one use of a tool, in a process that waits for its answer."""
    running: list[subprocess.Popen[bytes]] = []

    def use(tool: str, **given: Any) -> subprocess.Popen[bytes]:
        said = {"session_id": "s", "cwd": str(harbour.root), "hook_event_name": "PreToolUse"}
        command = [sys.executable, "-m", "studio", "hook", "claude-code"]
        process = subprocess.Popen(
            command, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        running.append(process)
        assert process.stdin is not None
        process.stdin.write(json.dumps({**said, "tool_name": tool, "tool_input": given}).encode())
        process.stdin.close()
        process.stdin = None
        return process

    yield use
    for process in running:
        process.kill()
        process.communicate()


def answer(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    out, _ = process.communicate(timeout=PROCESS_SECONDS)
    return json.loads(out)["hookSpecificOutput"]


def test_a_change_and_a_command_wait_in_the_window_and_are_answered_there(
    harbour: Harbour, desktop: Desktop, use: Use
) -> None:
    person = desktop.open(harbour.root)
    process = use("Edit", file_path=str(harbour.root / "one.txt"), old_string="line 5\n", new_string="five\n")
    person.wait_for_step(1)
    assert harbour.untouched() and process.poll() is None
    person.click("step-approve_step")
    person.wait_until_on("apply")
    assert process.poll() is None, "approved alone, it waits on"
    person.click("toolbar-apply")
    said = answer(process)
    assert said["permissionDecisionReason"].startswith("Done: the reviewer approved this change")
    assert harbour.read("one.txt") == lines_with(l5="five")

    process = use("Bash", command="make all")
    wait_for(lambda: person.sees("call-strip"), "the question")
    assert person.find("call-command").toPlainText() == "make all"
    person.click("call-allow")
    assert answer(process)["permissionDecision"] == "allow"
    wait_for(lambda: not person.sees("call-strip"), "the question to go")
    process = use("Bash", command="rm -rf .")
    wait_for(lambda: person.sees("call-strip"), "the next question")
    process.kill()
    wait_for(lambda: not person.sees("call-strip"), "the question of a client that is gone")
    assert harbour.read("one.txt") == lines_with(l5="five")
