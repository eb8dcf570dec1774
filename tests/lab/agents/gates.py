"""Our own gate between real clients and a person: what is decided is what is on disk, and what is told.

Each row is one run of a client, or of several at once, whose hook is ours. A person decides what comes into
the queue; the row says what `notes.txt` holds then, what the models were told, and by what the person did,
how plans and calls stand. That the journal tells the same holds for each row.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from studio.doors.agents.script import Script
from studio.doors.clients.hook_program import OWN_SECONDS, hook_program
from tests.lab.agents import wishes
from tests.lab.agents.desk import (
    MEANWHILE,
    REASON,
    Deed,
    Desk,
    allows,
    approves,
    approves_both,
    approves_one_file,
    approves_one_hunk,
    approves_one_of_both,
    approves_two_of_three,
    asks_for_changes,
    client_killed,
    client_killed_in_call,
    denies,
    edits,
    nothing,
    refused_unasked,
    rejects,
    window_killed,
    withdraws,
    writes_meanwhile,
)
from tests.lab.agents.hooked import Command, hooked
from tests.lab.agents.lab import Lab
from tests.lab.agents.trials import Seen, Trial, make_project, seen_in
from tests.lab.agents.wishes import (
    AFTER,
    APPENDED,
    BEFORE,
    BINARY,
    BOTH_ENDS,
    EDITED,
    FIRST_ALONE,
    LARGE,
    LARGE_AFTER,
    NOTES,
    TWICE,
    WIDE,
    WIDE_AFTER,
    WINDOWS,
    WINDOWS_AFTER,
    AgentRequests,
    Ask,
    Said,
    new_and_patch,
    overwrite_with,
    patch_in_shell,
    write_file_of,
)

ROOT = Path(__file__).parents[3]
KILLED = -signal.SIGKILL


def gate_environment() -> Mapping[str, str]:
    """What our hook needs of this process: where its store is, and where it lies itself."""
    kept = {name: os.environ[name] for name in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR")}
    return {**kept, "PYTHONPATH": str(ROOT)}


@dataclass(frozen=True, slots=True)
class Door:
    """A gate of ours before one client: how that is started behind it in a lab, and what its model wants."""

    client: str
    label: str
    wishes: AgentRequests
    start: Callable[..., Command]
    is_closed: bool = True
    """Whether its client can't write where we don't answer: more of its rows are in every run then."""
    ends_unsaid: bool = False
    """Whether a no ends the client's run, and its model is told nothing then."""
    is_printed: bool = False
    """Whether its user is told in place of a model: what our program prints behind its wait counts."""
    in_its_words: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its model is told in place of a line of ours."""

    def __call__(
        self,
        name: str,
        deed: Deed,
        content: bytes,
        told: str,
        *others: Ask,
        ask: Ask | None = None,
        before: bytes = BEFORE,
        code: int = 0,
        always: bool = False,
        **options: Any,
    ) -> Trial:
        """A row: a person at the desk and a client that ends with `code`; `others` are what one more client
        each wants, all of them at once. `options` go to `start`."""

        def play(folder: Path) -> Seen:
            project = make_project(folder, before)
            with ExitStack() as stack:
                desk = stack.enter_context(Desk(project))
                asks = (ask or self.wishes.change, *others)
                labs = [stack.enter_context(Lab(project, self._script(each(project)))) for each in asks]
                for number, lab in enumerate(labs):
                    if number:
                        # One after the other, so that it is known whose plan is the older one.
                        desk.plans(number)
                    desk.clients.append(stack.enter_context(lab.start(*self.start(lab, **options))))
                deed.act(desk)
                every = [each.wait() for each in desk.clients]
                assert all(ran.exit_code == code for ran in every), every
                # One that is not started at all, with a code that says so, asks nobody.
                was_asked = code > 0 or self.is_printed or all(lab.record.work for lab in labs)
                assert was_asked, "a model was never asked"
                seen = seen_in(project, *[lab.record for lab in labs])
                if self.is_printed:
                    seen = replace(seen, told="\n".join(_told_after_wait(ran.output) for ran in every))
                return replace(seen, left=desk.left())

        if self.ends_unsaid and deed is not allows:
            told = ""
        told = "\n".join(self.in_its_words.get(line, line) for line in told.splitlines())
        return Trial(self.client, f"{self.label}: {name}", content, told, play, always, left=deed.left)

    def _script(self, turn: Said) -> Script:
        # aider begins with a turn that its model never made.
        return (turn, turn) if self.is_printed else (turn,)


def _told_after_wait(output: str) -> str:
    _, waits, told = output.rpartition(" is waiting for review: ")
    return told.partition("\n")[2] if waits else output


def behind_hook(
    client: str,
    lab: Lab,
    *,
    command: Sequence[str] | None = None,
    seconds: int = OWN_SECONDS,
    **options: Any,
) -> Command:
    """A client with the hook program that `connect` writes; `command` stands in for `studio hook`. `options`
    are its own."""
    words = [sys.executable, "-m", "studio", "hook", client] if command is None else command
    program = lab.home / "gate"
    program.write_bytes(hook_program(client, words, lab.home, gate_environment(), seconds=seconds))
    program.chmod(0o700)
    return hooked(client, lab, program, is_guarded=True, **options)


_MISSING = ("/nowhere/studio", "hook")
_KILLED = ("sh", "-c", "kill -9 $$")
_GARBAGE = ("echo", "Not JSON, nor anything else.")
_SILENT = ("true",)
_TWO_ANSWERS = ("printf", "{}\\n{}\\n")
_LATE = ("sh", "-c", "exec sleep 60")
"""What may become of our own program, behind the hook program that `connect` wrote."""

DONE = "Done: the reviewer approved this change, and Exacta Studio wrote it."
IN_PART = "Partly done: the reviewer approved part of this change, and Exacta Studio wrote it."
NOTHING = "Nothing is written."
READ_AGAIN = "Read the file again before you continue"
MOVED_ON = "The file has changed since this step was proposed."
WRITTEN_ELSE = f"{DONE}\n{READ_AGAIN}"
LEFT_FILE_OUT = f"{IN_PART}\n{REASON}\n+new"
LEFT_OUT = f"{IN_PART}\n{READ_AGAIN}\n{REASON}\n-beta"


def decided(door: Door) -> tuple[Trial, ...]:
    """The rows of every gate of ours: what a person decides, on which file, and what goes away meanwhile."""
    wants, asked, gone = door.wishes, door.wishes.command, client_killed_in_call
    closed, itself = door.is_closed, wants.looks_itself
    unasked = nothing if itself else refused_unasked
    return (
        door("approved", approves, AFTER, DONE, always=True),
        door("rejected", rejects, BEFORE, REASON, always=closed),
        door("edited", edits, EDITED, WRITTEN_ELSE, always=closed),
        door("in part", approves_one_hunk, FIRST_ALONE, LEFT_OUT, ask=wants.twice, before=TWICE),
        door("changes asked for", asks_for_changes, BEFORE, REASON),
        door("withdrawn", withdraws, BEFORE, NOTHING),
        door("changed meanwhile", writes_meanwhile, AFTER + MEANWHILE, WRITTEN_ELSE),
        door("three in one turn", approves_two_of_three, BOTH_ENDS, f"{DONE}\n{REASON}", ask=wants.three),
        door("two agents, two lines", approves_both, BOTH_ENDS, WRITTEN_ELSE, wants.last, ask=wants.first),
        door("two agents, one line", approves_one_of_both, AFTER, f"{DONE}\n{MOVED_ON}", wants.otherwise),
        door("one line of a large file", approves, LARGE_AFTER, DONE, before=LARGE),
        door("a file with CRLF", approves, WINDOWS_AFTER, DONE, before=WINDOWS),
        door("out of the project", unasked, BEFORE, itself or NOTHING, ask=wants.outside, always=closed),
        door("a command allowed", allows, APPENDED, wants.ran, ask=asked),
        door("a command denied", denies, BEFORE, REASON, ask=asked),
        door("the window killed once open", window_killed("opened"), AFTER, DONE),
        door("the window killed once approved", window_killed("approved"), AFTER, DONE),
        door("the window killed as it wrote", window_killed("writing"), AFTER, DONE),
        door("the client killed", client_killed, AFTER, "", code=KILLED),
        door("the client killed over a command", gone, BEFORE, "", code=KILLED, ask=asked),
    )


def failing(door: Door) -> tuple[Trial, ...]:
    """The rows of our hook program, behind which our own one answers in no way that counts."""
    return (
        door("our program missing", nothing, BEFORE, "can't be started", command=_MISSING),
        door("our program killed", nothing, BEFORE, "code 137", command=_KILLED, always=True),
        door("our program printing garbage", nothing, BEFORE, "no JSON object", command=_GARBAGE),
        door("our program silent", nothing, BEFORE, "no JSON object", command=_SILENT),
        door("our program with two answers", nothing, BEFORE, "more than one", command=_TWO_ANSWERS),
        door("our program too late", nothing, BEFORE, "timed out", command=_LATE, seconds=1),
    )


claude = Door("claude-code", "gate", wishes.CLAUDE_CODE, partial(behind_hook, "claude-code"))
codex = Door("codex", "gate", wishes.CODEX, partial(behind_hook, "codex"), is_closed=False)
gemini = Door("gemini", "gate", wishes.GEMINI, partial(behind_hook, "gemini"), is_closed=False)
cline = Door("cline", "gate", wishes.CLINE, partial(behind_hook, "cline"), is_closed=False, ends_unsaid=True)
opencode = Door("opencode", "plugin", wishes.OPENCODE, partial(behind_hook, "opencode"))
qwen = Door("qwen", "gate", wishes.QWEN, partial(behind_hook, "qwen"), is_closed=False)

GATES = (
    *decided(claude),
    claude("approved in the mode that asks nobody", approves, AFTER, DONE, mode="bypassPermissions"),
    claude("approved in the default mode", approves, AFTER, DONE, mode="default"),
    claude(
        "a large file as a whole", approves, LARGE_AFTER, DONE, before=LARGE, ask=overwrite_with(LARGE_AFTER)
    ),
    claude("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE),
    # It looks itself before it asks its hook.
    claude("a binary file", nothing, BINARY, "binary data", before=BINARY),
    *failing(claude),
    *decided(codex),
    codex("in part, of two files", approves_one_file, AFTER, LEFT_FILE_OUT, ask=new_and_patch),
    codex("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE),
    codex("a binary file", refused_unasked, BINARY, NOTHING, before=BINARY),
    codex("a patch in a command", rejects, BEFORE, REASON, ask=patch_in_shell),
    *failing(codex),
    *decided(gemini),
    # Where its user gave it more folders than the project.
    gemini(
        "out of the project, in its folders",
        refused_unasked,
        BEFORE,
        NOTHING,
        ask=wishes.GEMINI.outside,
        words=["--include-directories", ".."],
    ),
    gemini("approved in the mode that asks for other tools", approves, AFTER, DONE, mode="auto_edit"),
    gemini(
        "a large file as a whole",
        approves,
        LARGE_AFTER,
        DONE,
        before=LARGE,
        ask=write_file_of(NOTES, LARGE_AFTER),
    ),
    gemini("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE),
    gemini("a binary file", refused_unasked, BINARY, NOTHING, before=BINARY),
    *failing(gemini),
    *decided(qwen),
    qwen("approved in the mode that asks for other tools", approves, AFTER, DONE, mode="auto-edit"),
    qwen("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE),
    qwen("a binary file", refused_unasked, BINARY, NOTHING, before=BINARY),
    *failing(qwen),
    # A no ends its run, so that the second call of a turn never comes.
    *(trial for trial in decided(cline) if "three in one turn" not in trial.name),
    cline(
        "a large file as a whole",
        approves,
        LARGE_AFTER,
        DONE,
        before=LARGE,
        ask=wishes.editor_whole(LARGE_AFTER),
    ),
    cline("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE),
    cline("a binary file", refused_unasked, BINARY, NOTHING, before=BINARY),
    *failing(cline),
    *(
        replace(trial, always=trial.name in ("plugin: approved", "plugin: our program killed"))
        for trial in (*decided(opencode), *failing(opencode))
        # They come at once, and not one after the other.
        if "three in one turn" not in trial.name
    ),
    opencode(
        "two in one turn",
        approves_both,
        BOTH_ENDS,
        WRITTEN_ELSE,
        ask=wishes.opencode_edit_of(("alpha", "ALPHA"), ("gamma", "GAMMA")),
    ),
    opencode("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE),
    opencode("a binary file", refused_unasked, BINARY, NOTHING, before=BINARY),
    opencode("a change by a subagent", rejects, BEFORE, "<task_result>", ask=wishes.opencode_by_subagent),
)
"""Our gate, against what a person decides."""
