"""Our own gate between real clients and a person: what is decided is what is on disk, and what is told.

Each row is one run of a client whose hook is ours. A person, here a thread, decides what comes into the
queue; the row says what `notes.txt` holds then, and what the model was told.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from studio.doors.agents.script import Call, Script
from studio.doors.connect.hook_program import OWN_SECONDS, hook_program
from studio.engine.plan import Plan, StepDecision
from studio.engine.proposer import Call as AskedCall
from studio.engine.reviewer import Reviewer
from studio.engine.workspace import Person, PersonSource, Workspace
from tests.agents import claude_code, codex
from tests.agents.lab import Ran
from tests.agents.trials import (
    AFTER,
    APPENDED,
    BEFORE,
    Ask,
    Seen,
    Trial,
    bash,
    edit,
    make_project,
    patch,
    patch_in_shell,
    seen_in,
    shell,
)

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 40.0
REVIEWED = b"alpha\nBETA, reviewed\ngamma\n"
REASON = "Keep the Greek small."

Decide = Callable[["Desk"], object]
Found = TypeVar("Found")


class Desk:
    """A person who waits for what an agent asks, and answers it."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.workspace = Workspace.open(project)
        self.reviewer: Reviewer = self.workspace.reviewer(Person(PersonSource.WINDOW, "ada"))

    def plan(self) -> Plan:
        """The plan that an agent waits for."""
        return self._soon(
            lambda there: [plan for plan in self.workspace.proposer.plans() if plan.id in there]
        )

    def call(self) -> AskedCall:
        """The call that an agent waits for."""
        return self._soon(
            lambda there: [call for call in self.workspace.proposer.calls() if call.id in there]
        )

    def write(self, plan: Plan, *decisions: StepDecision) -> None:
        """Approve and apply it."""
        self.reviewer.approve(plan.id, decisions or None)
        self.reviewer.apply(plan.id)

    def _soon(self, look: Callable[[frozenset[str]], list[Found]]) -> Found:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if found := look(self.workspace.proposer.waiting()):
                return found[0]
            time.sleep(0.05)
        raise AssertionError("no agent asked for anything")


def gate_environment() -> Mapping[str, str]:
    """What our hook needs of this process: where its store is, and where it lies itself."""
    kept = {name: os.environ[name] for name in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR")}
    return {**kept, "PYTHONPATH": str(ROOT), "IS_SANDBOX": "1"}


def write_gate(folder: Path, client: str, command: Sequence[str] | None, seconds: int) -> Path:
    """The hook program that `connect` writes for a client, with our own command or another one in it."""
    own = [sys.executable, "-m", "studio", "hook", client]
    program = folder / "gate"
    text = hook_program(
        client, own if command is None else command, folder, gate_environment(), seconds=seconds
    )
    program.write_bytes(text)
    program.chmod(0o700)
    return program


def decided(project: Path, decide: Decide, run: Callable[[], Ran]) -> Ran:
    """What became of a client while a person decided beside it."""

    def at_the_desk() -> None:
        desk = Desk(project)
        try:
            decide(desk)
        finally:
            desk.workspace.close()

    with ThreadPoolExecutor(1) as person:
        deciding = person.submit(at_the_desk)
        ran = run()
        deciding.result(PATIENCE_SECONDS)
    return ran


def claude(
    name: str,
    decide: Decide,
    text: str,
    told: str,
    *,
    ask: Ask = edit,
    mode: str = "acceptEdits",
    command: Sequence[str] | None = None,
    seconds: int = OWN_SECONDS,
    always: bool = False,
) -> Trial:
    """Claude Code with our hook program, and a person who decides; `command` stands in for `studio hook`."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        program = write_gate(folder, "claude-code", command, seconds)
        settings = claude_code.hook_settings(str(program))
        script: Script = ((ask(project),),)

        def run() -> Ran:
            return claude_code.run_claude(
                project, script, settings=settings, mode=mode, environment=gate_environment()
            )

        ran = decided(project, decide, run)
        assert ran.exit_code == 0, ran
        return seen_in(project, ran.record)

    return Trial("claude-code", f"gate: {name}", text, told, play, always)


def codex_hook(
    name: str,
    decide: Decide,
    text: str,
    told: str,
    *,
    ask: Ask = patch,
    command: Sequence[str] | None = None,
    seconds: int = OWN_SECONDS,
    always: bool = False,
) -> Trial:
    """`codex exec` with our hook program, trusted, and a person who decides; `command` as above."""

    def play(folder: Path) -> Seen:
        project = make_project(folder)
        program = write_gate(folder, "codex", command, seconds)
        entries = codex.hooks(f"exec {shlex.quote(str(program))}")
        script: Script = ((ask(project),),)

        def run() -> Ran:
            return codex.run_codex(project, script, hooks=entries, environment=gate_environment())

        ran = decided(project, decide, run)
        assert ran.exit_code == 0, ran
        return seen_in(project, ran.record)

    return Trial("codex", f"gate: {name}", text, told, play, always)


# What the person does


def approves(desk: Desk) -> None:
    desk.write(desk.plan())


def rejects(desk: Desk) -> None:
    desk.reviewer.reject(desk.plan().id, reason=REASON)


def edits(desk: Desk) -> None:
    desk.write(desk.plan(), StepDecision(1, edited=REVIEWED))


def asks_for_changes(desk: Desk) -> None:
    desk.reviewer.request_changes(desk.plan().id, reason=REASON)


def withdraws(desk: Desk) -> None:
    desk.workspace.proposer.withdraw(desk.plan().id)


def allows(desk: Desk) -> None:
    desk.reviewer.allow(desk.call().id)


def denies(desk: Desk) -> None:
    desk.reviewer.deny(desk.call().id, reason=REASON)


def nothing(_desk: Desk) -> None:
    pass


def writes_meanwhile(desk: Desk) -> None:
    """Somebody adds a line while the plan waits; the change is put on the file as it is then."""
    plan = desk.plan()
    notes = desk.project / "notes.txt"
    notes.write_text(BEFORE + "delta\n", encoding="utf-8")
    desk.workspace.proposer.refresh()
    desk.reviewer.rebase(plan.id, 1)
    desk.write(plan)


def outside(project: Path) -> Call:
    """A file beside the project."""
    return Call("Write", {"file_path": str(project.parent / "out.txt"), "content": "x\n"})


_MISSING = ("/nowhere/studio", "hook")
_KILLED = ("sh", "-c", "kill -9 $$")
_GARBAGE = ("echo", "Not JSON, nor anything else.")
_SILENT = ("true",)
_TWO_ANSWERS = ("printf", "{}\\n{}\\n")
_LATE = ("sh", "-c", "exec sleep 60")
"""What may become of our own program, behind the hook program that `connect` wrote."""

_DONE = "Done: a person approved this change, and Exacta Studio wrote it."
_READ_AGAIN = "Read the file again before you go on"

CLAUDE_CODE = (
    claude("approved", approves, AFTER, _DONE, always=True),
    claude("approved in the mode that asks nobody", approves, AFTER, _DONE, mode="bypassPermissions"),
    claude("approved in the default mode", approves, AFTER, _DONE, mode="default"),
    claude("rejected", rejects, BEFORE, REASON, always=True),
    claude("edited", edits, REVIEWED.decode(), _READ_AGAIN, always=True),
    claude("changes asked for", asks_for_changes, BEFORE, REASON),
    claude("withdrawn", withdraws, BEFORE, "Nothing is written."),
    claude("changed meanwhile", writes_meanwhile, AFTER + "delta\n", _DONE),
    claude("out of the project", nothing, BEFORE, "Nothing is written.", ask=outside, always=True),
    claude("a command allowed", allows, APPENDED, "Bash completed", ask=bash),
    claude("a command denied", denies, BEFORE, REASON, ask=bash),
    claude("our program missing", nothing, BEFORE, "can't be started", command=_MISSING, always=True),
    claude("our program killed", nothing, BEFORE, "code 137", command=_KILLED, always=True),
    claude("our program printing garbage", nothing, BEFORE, "nothing that counts", command=_GARBAGE),
    claude("our program silent", nothing, BEFORE, "nothing that counts", command=_SILENT),
    claude("our program with two answers", nothing, BEFORE, "more than one", command=_TWO_ANSWERS),
    claude("our program too late", nothing, BEFORE, "nobody decided", command=_LATE, seconds=1),
)
CODEX = (
    codex_hook("approved", approves, AFTER, _DONE, always=True),
    codex_hook("rejected", rejects, BEFORE, REASON, always=True),
    codex_hook("edited", edits, REVIEWED.decode(), _READ_AGAIN),
    codex_hook("changes asked for", asks_for_changes, BEFORE, REASON),
    codex_hook("a command allowed", allows, APPENDED, "code 0", ask=shell),
    codex_hook("a command denied", denies, BEFORE, REASON, ask=shell),
    codex_hook("a patch in a command", rejects, BEFORE, REASON, ask=patch_in_shell),
    codex_hook("our program missing", nothing, BEFORE, "can't be started", command=_MISSING, always=True),
    codex_hook("our program killed", nothing, BEFORE, "code 137", command=_KILLED, always=True),
    codex_hook("our program printing garbage", nothing, BEFORE, "nothing that counts", command=_GARBAGE),
    codex_hook("our program silent", nothing, BEFORE, "nothing that counts", command=_SILENT),
    codex_hook("our program with two answers", nothing, BEFORE, "more than one", command=_TWO_ANSWERS),
    codex_hook("our program too late", nothing, BEFORE, "nobody decided", command=_LATE, seconds=1),
)
GATES = (*CLAUDE_CODE, *CODEX)
"""Our gate, against what a person decides."""
