"""What an agent asks that is no file change waits for a person while the agent is there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

AGENT = """
import sys
from studio.workspace import Workspace
workspace = Workspace.open(sys.argv[1])
session = workspace.proposer.open_session("claude-code", "hook", name="s")
call = workspace.proposer.ask(session, "Bash", command=sys.argv[2], cwd=sys.argv[1])
print(call.id, flush=True)
sys.stdin.readline()
call = workspace.proposer.wait_for_call(call.id, timeout=20)
print(call.state.value, call.decision.text, flush=True)
workspace.proposer.leave_call(call.id)
"""
"""An agent's door in a process of its own, which asks once and waits when it is told to."""

Ask = Callable[..., tuple[subprocess.Popen[str], str]]


@pytest.fixture
def ask(project: Path) -> Iterator[Ask]:
    running: list[subprocess.Popen[str]] = []

    def ask(command: str = "make -C build") -> tuple[subprocess.Popen[str], str]:
        words = [sys.executable, "-c", AGENT, str(project), command]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    yield ask
    for process in running:
        process.kill()
        process.communicate()


def listed(studio: CommandLine) -> list[dict[str, Any]]:
    return studio("calls").json["calls"]


@pytest.mark.parametrize("verb", ["allow", "deny"])
def test_a_person_answers_and_the_agent_is_told(
    studio: CommandLine, project: Path, ask: Ask, verb: str
) -> None:
    process, call = ask()
    (row,) = listed(studio)
    assert (row["call"], row["agent"], row["tool"]) == (call, "claude-code", "Bash")
    assert (row["command"], row["cwd"], row["state"]) == ("make -C build", str(project), "waiting")
    words = (verb, call, *(("--note", "Go on.") if verb == "allow" else ("--reason", "Not now.")))
    forged = studio(*words, stdin=call[:8].encode())
    assert (forged.code, forged.error["code"]) == (1, "needs_person")
    done = studio.at_terminal(*words, typed=f"{call[:8]}\n")
    told = "".join(done.terminal.split())
    assert done.code == 0 and "make-Cbuild" in told and str(project) in told
    said = {"allow": ("allowed", "Go on."), "deny": ("denied", "Not now.")}[verb]
    assert process.communicate("\n")[0] == f"{said[0]} {said[1]}\n"
    (row,) = listed(studio)
    decision = row["decision"]
    assert (row["state"], decision["verdict"], decision["seen"]) == (said[0], verb, "terminal")
    again = studio.at_terminal(*words, typed=f"{call[:8]}\n")
    assert (again.code, again.error["code"]) == (1, "call.ended")


def test_one_whose_agent_was_killed_is_gone_and_can_not_be_decided(
    studio: CommandLine, ask: Ask, allow_review: None
) -> None:
    process, call = ask()
    process.kill()
    process.wait()
    assert [row["state"] for row in listed(studio)] == ["gone"]
    said = studio("allow", call)
    assert (said.code, said.error["code"]) == (1, "call.ended")
    assert "decision" not in listed(studio)[0]


def test_all_of_a_command_is_told_before_somebody_types(studio: CommandLine, ask: Ask) -> None:
    """A line that was cut in the middle would hide what is run."""
    words = " ".join(f"word{number}" for number in range(60))
    _, call = ask(f"echo {words}\nrm -rf ~ \u202e")
    asked = studio.at_terminal("allow", call, typed="no\n")
    told = "".join(asked.terminal.split())
    assert all(f"word{number}" in told for number in range(60)) and "rm-rf~" in told
    assert "\u202e" not in asked.terminal and "…" not in asked.terminal
    _, wide = ask(f"touch {chr(0x8A9E) * 90}\n   rm 'a   b'")
    told = studio.at_terminal("allow", wide, typed="no\n").terminal
    assert told.count(chr(0x8A9E)) == 90 and "     rm 'a   b'" in told and "…" not in told
    _, long = ask("x\n" * 300)
    refused = studio.at_terminal("allow", long, typed=f"{long[:8]}\n")
    assert (refused.code, refused.error["code"]) == (1, "call.too_long_here")


def test_what_is_no_call(studio: CommandLine, allow_review: None) -> None:
    for words in (("allow", "abcdef"), ("deny", "abcdef", "--reason", "no")):
        said = studio(*words)
        assert (said.code, said.error["code"]) == (4, "call.not_found")
    assert studio("allow", "abc").code == 2
    assert studio("deny", "abcdef", "--reason", " ").code == 2
    assert listed(studio) == []
    assert studio("calls", json=False).text == "No tool calls.\n"
