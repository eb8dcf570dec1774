"""What "viewed" is about: the exact contents of a step; other contents have not been looked at."""

from __future__ import annotations

from studio.engine.plan import Plan, Step

ViewedMark = tuple[str, int, str]
"""Plan id, step number, and the contents that were looked at."""


def content_key(step: Step) -> str:
    """Names both sides of a step by their hashes; changes when either does."""
    base = step.base.sha256 if step.base is not None else None
    result = step.result.sha256 if step.result is not None else None
    return f"{base or ''}>{result or ''}"


def viewed_mark(plan: Plan, step: Step) -> ViewedMark:
    """What is remembered of a step that was looked at: new content is a new mark."""
    return plan.id, step.number, content_key(step)
