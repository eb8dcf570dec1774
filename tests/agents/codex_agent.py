"""`studio agent codex` with the real Codex: what a person decides is on disk, and what its model is told.

The words of ours stand behind the answer that Codex gives its model ("rejected by user"), as its user's.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from studio.doors.agents.codex_model import KEY, model_options
from studio.doors.agents.model_server import Record
from studio.doors.agents.script import Call
from tests.agents import codex
from tests.agents.cache import fetched
from tests.agents.gates import (
    REASON,
    REVIEWED,
    Decide,
    Desk,
    allows,
    approves,
    decided,
    denies,
    edits,
    gate_environment,
    nothing,
    rejects,
)
from tests.agents.lab import Lab
from tests.agents.trials import (
    AFTER,
    APPENDED,
    BEFORE,
    MCP_SERVER,
    Ask,
    Seen,
    Trial,
    make_project,
    patch,
    patch_in_shell,
    seen_in,
    shell,
    shell_outside,
)

REFUSED = 1
_OWN_RULES = 'prefix_rule(pattern=["echo"], decision="allow")\n'


def agent(
    name: str,
    decide: Decide,
    text: str,
    told: str,
    *,
    ask: Ask = patch,
    prepare: Callable[[Lab], None] = codex.set_up,
    code: int = 0,
    always: bool = False,
) -> Trial:
    """One prompt to Codex behind its closed gate, and a person who decides; `code` is what we end with."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, ((ask(project),),)) as lab:
            prepare(lab)
            command = agent_command(lab, folder)
            ran = decided(project, decide, lambda: lab.run(*command))
            assert ran.exit_code == code, ran
            return _seen(project, lab.record)

    return Trial("codex", f"agent: {name}", text, told, play, always)


def killed() -> Trial:
    """Our program is killed while a plan waits: Codex is alone in its sandbox, and ends without a word."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        with Lab(project, ((patch(project),),)) as lab:
            codex.set_up(lab)
            desk = Desk(project)
            try:
                with lab.start(*agent_command(lab, folder)) as started:
                    plan = desk.plan()
                    os.kill(_program_of(started.process.pid), signal.SIGKILL)
                    # Its output is held open by Codex as well: read to the end, both are gone.
                    started.wait()
                seen = _seen(project, lab.record)
                desk.write(plan)
            finally:
                desk.workspace.close()
            assert (project / "notes.txt").read_text(encoding="utf-8") == AFTER, "it can still be decided"
            return seen

    return Trial("codex", "agent: our program killed before the answer", BEFORE, "", play, always=True)


def agent_command(lab: Lab, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
    """The command and the variables that have Codex work on one prompt, found as `codex` as a user has it."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "codex").symlink_to(fetched("codex"))
    path = f"{programs}:{lab.environment['PATH']}"
    command = [
        sys.executable,
        "-m",
        "studio",
        "agent",
        "codex",
        "--",
        *model_options(lab.url),
        "Go on.",
    ]
    return command, {**gate_environment(), **KEY, "PATH": path}


def _program_of(process: int) -> int:
    """Our program, behind what gave it a network of its own, if anything did."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    is_ours = b"studio" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    return process if is_ours else _program_of(int(children[0]))


def _seen(project: Path, record: Record) -> Seen:
    """What is there, and all that the model was told, also as its user's words after the first of them."""
    seen = seen_in(project, record)
    first = record.work[0].prompts if record.work else ()
    later = [text for request in record.work[-1:] for text in request.prompts if text not in first]
    return Seen(seen.text, "\n".join(filter(None, [seen.told, *later])))


def with_rules(lab: Lab) -> None:
    """A user who once said “always allow” to a command."""
    codex.set_up(lab)
    rules = lab.home / ".codex/rules"
    rules.mkdir()
    (rules / "default.rules").write_text(_OWN_RULES, encoding="utf-8")


def with_server(lab: Lab) -> None:
    """A user who approved all that a server offers, and its one tool once more."""
    approved = '[mcp_servers.lab.tools.note]\napproval_mode = "approve"\n'
    entry = codex.mcp_server("lab", sys.executable, ["-I", str(MCP_SERVER)])
    codex.set_up(lab, configuration=f"{entry}{approved}")


def tool(_project: Path) -> Call:
    """A tool of somebody else's server."""
    return Call("mcp__lab/note", {"text": "hello"})


def outside(project: Path) -> Call:
    """A patch of a file beside the project."""
    path = project.parent / "out.txt"
    return Call("apply_patch", f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n")


_DONE = "Done: a person approved this change, and Exacta Studio wrote it."

AGENTS = (
    agent("approved", approves, AFTER, _DONE, always=True),
    agent("rejected", rejects, BEFORE, REASON),
    agent("edited", edits, REVIEWED.decode(), "Read the file again before you go on"),
    agent("a patch in a command", rejects, BEFORE, REASON, ask=patch_in_shell),
    agent("out of the project", nothing, BEFORE, "Nothing is written.", ask=outside),
    agent("a command allowed", allows, APPENDED, "code 0", ask=shell_outside),
    agent("a command denied", denies, BEFORE, REASON, ask=shell_outside),
    agent("a command in the sandbox", nothing, BEFORE, "Read-only file system", ask=shell),
    agent("what the user's rules allow", nothing, BEFORE, "", ask=shell, prepare=with_rules, code=REFUSED),
    agent("a tool allowed", allows, BEFORE, '{"noted":"hello"}', ask=tool, prepare=with_server),
    agent("a tool denied", denies, BEFORE, REASON, ask=tool, prepare=with_server),
    killed(),
)
"""Codex behind its closed gate, against what a person decides."""
