"""`studio agent continue` with the real Continue: its model has our tools alone, and proposes by them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from studio.doors.agents.script import Call, ModelRequest, Turn
from tests.lab.agents.cache import fetched
from tests.lab.agents.desk import Deed, Desk, leaves, nothing
from tests.lab.agents.gates import REASON, gate_environment
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import Lab
from tests.lab.agents.trials import MCP_SERVER, Seen, Trial, make_project, seen_in
from tests.lab.agents.wishes import AFTER, BEFORE, LINE_DIFF, NOTES

_ALLOWED = 'allow:\n  - "*"\n  - Bash\n  - Edit\n  - Write\n'

_PROPOSED = (Call("propose", {"text": LINE_DIFF}),)


def _waits(request: ModelRequest) -> Turn:
    """For the plan that it was told of."""
    found = re.search(r"Plan (\w+)", request.results[-1].text)
    assert found is not None, request.results
    return (Call("wait", {"plan": found[1]}),)


_EDITS = (Call("Edit", {"file_path": NOTES, "old_string": "beta", "new_string": "BETA"}),)
_WRITES = (Call("Write", {"filepath": "made.txt", "content": "x"}),)
_RUNS = (Call("Bash", {"command": f"echo x >> {NOTES}"}),)
_NOTES = (Call("note", {"text": "hello"}),)


Said = Turn | Callable[[ModelRequest], Turn]


def write_settings(lab: Lab, **more: object) -> Path:
    """Its settings with a model in this lab, and their folder."""
    model = {"name": "m", "provider": "openai", "model": "gpt-4o", "apiKey": "k", "apiBase": f"{lab.url}/v1"}
    settings = {"name": "l", "version": "0.0.1", "schema": "v1", "models": [model], **more}
    folder = lab.home / ".continue"
    folder.mkdir()
    (folder / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return folder


def continue_command(lab: Lab, *words: str) -> Command:
    """The command and the variables that start it by itself in this lab."""
    return [str(fetched("node")), str(fetched("continue")), "-p", *words, "Go on."], {}


def _run(lab: Lab) -> Sequence[str]:
    """Set up as a user has it, who lets everything pass and has a server of one tool."""
    programs = lab.home / "programs"
    programs.mkdir()
    program = programs / "cn"
    program.write_text(
        f"#!/bin/sh\nexec '{fetched('node')}' '{fetched('continue')}' \"$@\"\n", encoding="utf-8"
    )
    program.chmod(0o700)
    server = {"name": "lab", "command": sys.executable, "args": ["-I", str(MCP_SERVER)]}
    folder = write_settings(lab, mcpServers=[server])
    (folder / "permissions.yaml").write_text(_ALLOWED, encoding="utf-8")
    return [sys.executable, "-m", "studio", "agent", "continue", "--", "Go on."]


@leaves("completed: applied")
def approves_what_was_proposed(desk: Desk) -> None:
    """Its model may not wait for it."""
    desk.write(desk.until(desk.proposer.plans)[0])


@leaves("rejected: rejected")
def rejects_what_was_proposed(desk: Desk) -> None:
    desk.reviewer.reject(desk.until(desk.proposer.plans)[0].id, reason=REASON)


def _agent(
    name: str,
    deed: Deed,
    content: bytes,
    told: str,
    *turns: Turn | Callable[[ModelRequest], Turn],
    always: bool = False,
) -> Trial:
    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Desk(project) as desk, Lab(project, turns) as lab:
            paths = {"PATH": f"{lab.home / 'programs'}:{lab.environment['PATH']}"}
            with lab.start(_run(lab), {**gate_environment(), **paths}) as started:
                deed.act(desk)
                ran = started.wait()
            assert ran.exit_code == 0, ran
            offered = {tool for request in lab.record.requests for tool in request.tools}
            assert offered and all(tool.islower() for tool in offered), offered
            assert "note" not in offered, offered
            return replace(seen_in(project, lab.record), left=desk.left())

    return Trial("continue", f"agent: {name}", content, told, play, always, left=deed.left)


_EXCLUDED = "exclude:\n  - Edit\n  - MultiEdit\n  - Write\n  - Bash\n"


def _alone(name: str, content: bytes, *words: str) -> Trial:
    """Continue by itself, whose user excluded every tool that writes."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, (_RUNS,)) as lab:
            (write_settings(lab) / "permissions.yaml").write_text(_EXCLUDED, encoding="utf-8")
            ran = lab.run(*continue_command(lab, *words))
            assert ran.exit_code == 0, ran
            offered = {tool for request in lab.record.requests for tool in request.tools}
            assert offered and ({"Write", "Bash"} <= offered) == bool(words), offered
            return replace(seen_in(project, lab.record), told="")

    return Trial("continue", f"alone: {name}", content, "", play)


CONTINUE_AGENT = (
    # So that there is no place to take them out for good, and no gate.
    _alone("what is excluded is not on offer", BEFORE),
    _alone("what is excluded is on offer in the mode auto", BEFORE + b"x\n", "--auto"),
    _agent("approved", approves_what_was_proposed, AFTER, "applied", _PROPOSED, _waits, always=True),
    _agent("rejected", rejects_what_was_proposed, BEFORE, REASON, _PROPOSED, _waits),
    _agent("its own tool for edits", nothing, BEFORE, "Edit not found", _EDITS),
    _agent("its own tool for files", nothing, BEFORE, "", _WRITES),
    _agent("its own shell", nothing, BEFORE, "", _RUNS),
    _agent("a tool of another server", nothing, BEFORE, "note not found", _NOTES),
)
"""Continue with no tools but ours, against what a person decides."""
