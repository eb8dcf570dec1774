"""Our server asked by the protocol's own inspector on its command line: each call is a process of its own."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.lab.agents.cache import fetched
from tests.lab.agents.desk import Deed, Desk, leaves
from tests.lab.agents.gates import gate_environment
from tests.lab.agents.lab import Lab
from tests.lab.agents.trials import Seen, Trial, make_project, seen_in
from tests.lab.agents.wishes import AFTER, LINE_DIFF, NOTES

_TOOLS = {"read", "list", "search", "propose", "propose_status", "wait", "withdraw"}


@leaves("completed: applied")
def approves_what_is_left(desk: Desk) -> None:
    """Nobody waits for it: whoever proposed it has ended."""
    (plan,) = desk.proposer.plans()
    desk.write(plan)


def _asked(lab: Lab, *words: str) -> dict[str, Any]:
    # It hands its server few variables of its own.
    given = [word for name, value in gate_environment().items() for word in ("-e", f"{name}={value}")]
    server = [*given, sys.executable, "-m", "studio", "mcp"]
    ran = lab.run([str(fetched("node")), str(fetched("inspector")), "--cli", *server, *words])
    assert ran.exit_code == 0, ran
    return json.loads(ran.output)


def _called(lab: Lab, tool: str, argument: str) -> dict[str, Any]:
    said = _asked(lab, "--method", "tools/call", "--tool-name", tool, "--tool-arg", argument)
    assert said["isError"] is False, said
    return said["structuredContent"]


def _inspected(deed: Deed) -> Trial:
    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Desk(project) as desk, Lab(project, ()) as lab:
            tools = {tool["name"] for tool in _asked(lab, "--method", "tools/list")["tools"]}
            assert tools >= _TOOLS, tools
            assert _called(lab, "read", f"file_path={NOTES}")["content"].encode() == desk.notes.read_bytes()
            proposed = _called(lab, "propose", f"text={LINE_DIFF}")
            assert proposed["state"] == "pending", proposed
            deed.act(desk)
            seen = seen_in(project, lab.record)
            return replace(seen, told=proposed["text"], left=desk.left())

    told = "Nothing is written before the reviewer approves and applies the plan."
    return Trial("inspector", "lists, reads, proposes", AFTER, told, play, left=deed.left)


INSPECTED = (_inspected(approves_what_is_left),)
"""Our server, as a client sees it that shows all it is told."""
