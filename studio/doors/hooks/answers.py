"""What a hook answers its client, in the one shape that all of them take (see `clients`)."""

from __future__ import annotations

import json
from typing import Any, Final

EVENT: Final = "PreToolUse"

Answer = dict[str, Any]


def no_opinion() -> Answer:
    """The client's own rules decide: to allow would switch them off."""
    return {"hookSpecificOutput": {"hookEventName": EVENT}}


def allowed(note: str = "") -> Answer:
    """A person said yes to exactly this; `note` is for the model."""
    said: dict[str, Any] = {"permissionDecision": "allow"}
    if note:
        said["additionalContext"] = note
    return _decision(said)


def denied(reason: str) -> Answer:
    """The tool is not run, and the model is told why."""
    return _decision({"permissionDecision": "deny", "permissionDecisionReason": reason})


def _decision(said: dict[str, Any]) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": EVENT, **said}}


def answer_text(answer: Answer) -> str:
    """One line of JSON, in ASCII: whatever the client's locale is, it reads the same."""
    return json.dumps(answer)
