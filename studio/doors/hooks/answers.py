"""Allow, deny and no-opinion hook answers as JSON, per agent format.

`clients` names the shape for each client.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

Answer = dict[str, Any]


class Answers:
    """All answers for one kind of client.

    `no_opinion`: the client's own rules decide, which an allow would switch off. `allowed`: a person allowed
    exactly this use; the note is for the model. `denied`: the tool is not run, and the model gets the reason.
    """

    def __init__(
        self, *, no_opinion: Answer, allowed: Callable[[str], Answer], denied: Callable[[str], Answer]
    ) -> None:
        self.no_opinion, self.allowed, self.denied = no_opinion, allowed, denied


SKILL_EVENT: Final = "PreSkillShellCommand"
"""Claude Code's event for shell commands in skills and command files.

It exists since 2.1.332.
"""


def _decision(decision: str, event: str = "PreToolUse", **texts: str) -> Answer:
    named = {"hookEventName": event, "permissionDecision": decision}
    return {"hookSpecificOutput": {**named, **{key: text for key, text in texts.items() if text}}}


PRE_TOOL_USE: Final = Answers(
    no_opinion={"hookSpecificOutput": {"hookEventName": "PreToolUse"}},
    allowed=lambda note: _decision("allow", additionalContext=note),
    denied=lambda reason: _decision("deny", permissionDecisionReason=reason),
)
"""The shape of Claude Code, and of clients that adopted it."""

PRE_SKILL_SHELL_COMMAND: Final = Answers(
    no_opinion={"hookSpecificOutput": {"hookEventName": SKILL_EVENT}},
    # This event has no field for a note to the model.
    allowed=lambda _note: _decision("allow", SKILL_EVENT),
    denied=lambda reason: _decision("deny", SKILL_EVENT, permissionDecisionReason=reason),
)
"""The shape of Claude Code for that event."""

BEFORE_TOOL: Final = Answers(
    no_opinion={},
    # Any other field is shown to the user only. Its own rules still apply after an allow.
    allowed=lambda _note: {"decision": "allow"},
    denied=lambda reason: {"decision": "deny", "reason": reason},
)
"""The shape of Gemini CLI."""

TOOL_EXECUTE: Final = Answers(
    no_opinion={"decision": "none"},
    allowed=lambda _note: {"decision": "allow"},
    denied=lambda reason: {"decision": "deny", "reason": reason},
)
"""The shape of our own plugin in opencode."""

TOOL_CALL: Final = Answers(
    no_opinion={"cancel": False},
    allowed=lambda _note: {"cancel": False},
    denied=lambda reason: {"cancel": True, "errorMessage": reason},
)
"""The shape of Cline, where a denial ends the whole run.

Neither its model nor its user gets the reason.
"""


def answer_text(answer: Answer) -> str:
    """Serialize an answer as one line of ASCII, valid in any locale."""
    return json.dumps(answer)
