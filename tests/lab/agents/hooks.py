"""Hooks of a few lines that behave in one way each: what a client does with them is what a gate is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.doors.hooks.answers import PRE_SKILL_SHELL_COMMAND

REASON = "Not today."
EDITED = "The reviewer changed it."

_ANSWER = "cat > /dev/null\ncat <<'END'\n{}\nEND"


def says(answer: Mapping[str, Any]) -> str:
    """The commands of a hook that answers this, whatever it is asked."""
    return _ANSWER.format(json.dumps(answer))


def _decided(decision: str, **fields: Any) -> str:
    answer = {"hookEventName": "PreToolUse", "permissionDecision": decision, **fields}
    return says({"hookSpecificOutput": answer})


DENIES = _decided("deny", permissionDecisionReason=REASON)
ALLOWS = _decided("allow")
ASKS = _decided("ask", permissionDecisionReason=REASON)
HAS_NO_OPINION = says({})
DENIES_SKILL = says(PRE_SKILL_SHELL_COMMAND.denied(REASON))
ALLOWS_SKILL = says(PRE_SKILL_SHELL_COMMAND.allowed(""))
HAS_NO_OPINION_OF_SKILL = says(PRE_SKILL_SHELL_COMMAND.no_opinion)
DENIES_AT_TOP = says({"permissionDecision": "deny", "permissionDecisionReason": REASON})
PRINTS_GARBAGE = _ANSWER.format("Not JSON, nor anything else.")
SAYS_NOTHING = "cat > /dev/null"
IS_KILLED = "kill -9 $$"
FAILS = "exit 1"
STOPS_UNSAID = "exit 2"
REFUSES = f"echo '{REASON}' >&2\nexit 2"
IS_LATE = "exec sleep 60"
# Long enough for another one to begin meanwhile, if the client lets it.
ALLOWS_ONE_BY_ONE = f"echo begun >> notes.txt\nsleep 0.2\necho ended >> notes.txt\n{ALLOWS}"
# It ends by itself once whoever started it is gone; what it said then would kill it.
WAITS_ALONE = (
    "echo began > ../told\nwhile kill -0 $PPID 2>/dev/null; do sleep 0.05; done\necho alone > ../told"
)
IS_MISSING = None
"""What the hook does, as the commands of a shell; None: there is no such program."""


def edits(arguments: dict[str, Any]) -> str:
    """The commands of a hook that lets a call pass with other arguments, and tells the model so."""
    return _decided("allow", updatedInput=arguments, additionalContext=EDITED)


def changes_file(content: bytes) -> str:
    """The commands of a hook that lets a call pass after somebody has changed the file."""
    return f"cat > notes.txt <<'END'\n{content.decode()}END\n{ALLOWS}"


def write_hook(folder: Path, commands: str | None) -> Path:
    """A program in `folder` that runs these commands; its path is returned also where it is missing."""
    program = folder / "hook"
    if commands is not None:
        program.write_text(f"#!/bin/sh\n{commands}\n", encoding="utf-8")
        program.chmod(0o700)
    return program
