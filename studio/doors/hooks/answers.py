"""What a hook answers its client, in the shape that it takes: one for each kind of client (see `clients`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answers:
    """All that can be said to one kind of client.

    `no_opinion`: its own rules decide, which to allow would switch off. `allowed`: a person said yes to
    exactly this; the note is for the model. `denied`: the tool is not run, and the model is told why.
    """

    no_opinion: Answer
    allowed: Callable[[str], Answer]
    denied: Callable[[str], Answer]


SKILL_EVENT: Final = "PreSkillShellCommand"
"""Claude Code's event for a shell command in the text of a skill or command file (since 2.1.332)."""


def _decided(decision: str, event: str = "PreToolUse", **said: str) -> Answer:
    named = {"hookEventName": event, "permissionDecision": decision}
    return {"hookSpecificOutput": {**named, **{key: text for key, text in said.items() if text}}}


PRE_TOOL_USE: Final = Answers(
    no_opinion={"hookSpecificOutput": {"hookEventName": "PreToolUse"}},
    allowed=lambda note: _decided("allow", additionalContext=note),
    denied=lambda reason: _decided("deny", permissionDecisionReason=reason),
)
"""As Claude Code takes it, and who took it over."""

PRE_SKILL_SHELL_COMMAND: Final = Answers(
    no_opinion={"hookSpecificOutput": {"hookEventName": SKILL_EVENT}},
    # It has no place for words to the model beside a yes.
    allowed=lambda _note: _decided("allow", SKILL_EVENT),
    denied=lambda reason: _decided("deny", SKILL_EVENT, permissionDecisionReason=reason),
)
"""As Claude Code takes it for that event."""

BEFORE_TOOL: Final = Answers(
    no_opinion={},
    # What else is said is for its user alone. Its own rules stay in force behind a yes.
    allowed=lambda _note: {"decision": "allow"},
    denied=lambda reason: {"decision": "deny", "reason": reason},
)
"""As Gemini CLI takes it."""

TOOL_EXECUTE: Final = Answers(
    no_opinion={"decision": "none"},
    allowed=lambda _note: {"decision": "allow"},
    denied=lambda reason: {"decision": "deny", "reason": reason},
)
"""As our own plugin in opencode takes it."""

TOOL_CALL: Final = Answers(
    no_opinion={"cancel": False},
    allowed=lambda _note: {"cancel": False},
    denied=lambda reason: {"cancel": True, "errorMessage": reason},
)
"""As Cline takes it: a no ends its whole run, and neither its model nor its user is told why."""


def answer_text(answer: Answer) -> str:
    """One line of JSON, in ASCII: whatever the client's locale is, it reads the same."""
    return json.dumps(answer)
