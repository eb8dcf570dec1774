"""`studio acp` with real agents: what a person decides is on disk, and what their models are told.

Gemini CLI loses why a write was refused, and both lose what a person changed of one: their models are told
with the next prompt, so each is given two. The client that a person kills here is our own program.

claude-agent-acp and codex-acp make an edit that they were allowed once more, where it was written already:
they are told no, and that it is written: the one in that turn, the other, whose turn ends, in the next.

opencode asks only where its user's settings have it ask, and writes by itself: it calls our write, and does
not listen. What it asks for can be decided, and nobody is told that the rest waits.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from studio.doors.clients.codex import KEY, model_options
from studio.doors.clients.gemini import MODEL
from studio.engine.session import EventKind, Session
from tests.lab.agents import claude_code, codex, gemini, qwen, wishes
from tests.lab.agents.cache import fetched
from tests.lab.agents.desk import (
    REASON,
    Desk,
    agent_killed,
    approves,
    approves_the_second,
    denies,
    edits,
    leaves,
    nothing,
    rejects,
    talker_killed,
)
from tests.lab.agents.gates import DONE, KILLED, READ_AGAIN, Door, decided, gate_environment
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import Lab
from tests.lab.agents.opencode_agent import OPENCODE, QUIET, set_up
from tests.lab.agents.trials import NEW, Trial
from tests.lab.agents.wishes import (
    AFTER,
    APPENDED,
    BEFORE,
    BINARY,
    EDITED,
    LARGE,
    LARGE_AFTER,
    NOTES,
    WIDE,
    WIDE_AFTER,
    Ask,
    Calls,
    read_and_write,
    write_file_of,
)

REFUSED = 1
_PROMPTS = 'exec "$@" <<END\nGo on.\nGo on.\nEND'
"""Our program in place of this shell, with two prompts and no more to read."""
_FREE_MODE = ("--approval-mode", "yolo")


def behind_acp(
    agent: Callable[[], Sequence[str]],
    variables: Callable[[Lab], Mapping[str, str]],
    own: Sequence[str],
    lab: Lab,
    *,
    words: Sequence[str] = (),
    prepare: Callable[[Lab], None] = lambda _lab: None,
) -> Command:
    """An agent that is talked with in two prompts; `own` and `words` go on its command line, and `prepare`
    makes what it finds in its home and its project."""
    prepare(lab)
    ours = [sys.executable, "-m", "studio", "acp", "--", *agent(), *own, *words]
    return ["sh", "-c", _PROMPTS, "sh", *ours], {**gate_environment(), **variables(lab)}


gemini_agent = Door(
    "gemini",
    "acp",
    wishes.GEMINI,
    partial(behind_acp, gemini.gemini_program, gemini.gemini_variables, ("--acp", "-m", MODEL)),
    in_its_words={DONE: "Successfully modified file"},
)
qwen_agent = Door(
    "qwen",
    "acp",
    wishes.QWEN,
    partial(behind_acp, qwen.qwen_program, qwen.qwen_variables, ("--acp", "--auth-type", "openai")),
    in_its_words={DONE: "has been updated"},
)

_NEW_FILE = write_file_of("new.txt", b"new\n")


def _new_and(change: Ask) -> Ask:
    """A new file and a change, which are two writes."""

    def both(project: Path) -> Calls:
        turn = change(project)
        assert isinstance(turn, tuple)
        return (*_NEW_FILE(project), *turn)

    return both


def _with_rules(settings: str, lab: Lab) -> None:
    """A project whose own settings let commands pass, and every change."""
    file = lab.project / settings
    file.parent.mkdir()
    tools = ["Bash", "Edit", "run_shell_command", "replace", "edit", "write_file"]
    rules = {"tools": {"allowed": tools}, "permissions": {"allow": tools, "ask": []}}
    file.write_text(json.dumps(rules), encoding="utf-8")


def talked(door: Door, whole: Ask, settings: str) -> Iterator[Trial]:
    """The rows of an agent that writes by us alone; `whole` is its way to write LARGE_AFTER, and `settings`
    those of a project."""
    wants, free = door.wishes, partial(door, words=_FREE_MODE)
    for trial in decided(door):
        # A start takes seconds: one row of all is in every run.
        yield replace(trial, always=trial.name == "acp: edited")
    yield replace(door("a new file", approves, BEFORE, "new.txt", ask=_NEW_FILE), others=NEW)
    both = _new_and(wants.change)
    yield door("one of two files", approves_the_second, AFTER, f"{DONE}\n{REASON}", ask=both)
    yield free("in the mode that asks nobody", rejects, BEFORE, REASON)
    yield free("in that mode, a command", denies, BEFORE, REASON, ask=wants.command)
    ruled, brought = partial(door, prepare=partial(_with_rules, settings)), (settings,)
    trial = ruled("in a project that allows it", rejects, BEFORE, REASON)
    yield replace(trial, others=brought)
    trial = ruled("in a project that allows it, a command", denies, BEFORE, REASON, ask=wants.command)
    yield replace(trial, others=brought)
    yield door("a large file as a whole", approves, LARGE_AFTER, NOTES, before=LARGE, ask=whole)
    yield door("a file in UTF-16 with CRLF", approves, WIDE_AFTER, DONE, before=WIDE)
    yield door("a binary file", nothing, BINARY, "can't be read as text", before=BINARY)
    yield door("our program killed", talker_killed, AFTER, "", code=KILLED)
    yield door("the agent killed", agent_killed, AFTER, "", code=REFUSED)


@leaves()
def is_warned(desk: Desk) -> None:
    """Nobody is asked; what begins does not say that anything waits, and names the door that has it wait."""
    (session,) = desk.until(lambda: desk.proposer.sessions() or None)
    notice = desk.until(lambda: _first(desk, session, EventKind.NOTICE) or None)
    assert _first(desk, session, EventKind.BEGAN)["gated"] is False
    assert "studio agent opencode" in notice["text"], notice


def _first(desk: Desk, session: Session, kind: EventKind) -> Mapping[str, Any]:
    events = desk.proposer.events(session.id)
    return next((event.fields for event in events if event.kind is kind), {})


opencode_agent = Door(
    "opencode",
    "acp",
    OPENCODE,
    partial(behind_acp, lambda: [str(fetched("opencode"))], lambda _lab: QUIET, ("acp",)),
    in_its_words={DONE: "Edit applied successfully."},
)
asking = partial(opencode_agent, prepare=partial(set_up, permission={"*": "ask"}))
as_it_is = partial(opencode_agent, prepare=set_up)


def _adapter(name: str) -> Sequence[str]:
    return [str(fetched("node")), str(fetched(name))]


def _codex_home(lab: Lab) -> None:
    words = model_options(lab.url)[1::2]
    codex.set_up(lab, configuration="".join(f"{each.replace('=', ' = ', 1)}\n" for each in words))


# With these in it the file holds what they look for all the same.
_ADD_TO_LINE = wishes.edit_of(("beta", "beta, more"))
_ADD_LINE = wishes.patch_of(wishes.patch_text("@@\n gamma\n+delta\n"))
ADDED_TO = BEFORE.replace(b"beta", b"beta, more")

claude_adapter = Door(
    "claude-agent-acp",
    "acp",
    wishes.CLAUDE_CODE,
    partial(behind_acp, partial(_adapter, "claude-agent-acp"), claude_code.variables, ()),
)
codex_adapter = Door(
    "codex-acp",
    "acp",
    wishes.CODEX,
    partial(behind_acp, partial(_adapter, "codex-acp"), lambda _lab: KEY, (), prepare=_codex_home),
)

ACP_AGENTS = (
    claude_adapter("approved", approves, AFTER, DONE, always=True),
    claude_adapter("added to a line", approves, ADDED_TO, DONE, ask=_ADD_TO_LINE),
    claude_adapter("rejected", rejects, BEFORE, REASON),
    codex_adapter("approved", approves, AFTER, DONE, always=True),
    codex_adapter("added behind a line", approves, BEFORE + b"delta\n", DONE, ask=_ADD_LINE),
    codex_adapter("rejected", rejects, BEFORE, REASON),
    *talked(gemini_agent, write_file_of(NOTES, LARGE_AFTER), ".gemini/settings.json"),
    *talked(qwen_agent, read_and_write(LARGE_AFTER), ".qwen/settings.json"),
    asking("approved, where it is to ask", approves, AFTER, DONE),
    asking("rejected, where it is to ask", rejects, BEFORE, REASON),
    asking("edited, where it is to ask", edits, EDITED, READ_AGAIN),
    asking("a command denied, where it is to ask", denies, BEFORE, REASON, ask=OPENCODE.command),
    as_it_is("as it is set up", is_warned, AFTER, DONE),
    as_it_is("as it is set up, a command", is_warned, APPENDED, OPENCODE.ran, ask=OPENCODE.command),
)
"""The agents that are talked with, against what a person decides."""
