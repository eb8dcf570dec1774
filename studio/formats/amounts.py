"""How much a text proposes, counted before it is parsed: too much is refused in the time of one look.

What is counted here is never more than what the parser would find, so that nothing legal is refused; what it
misses is counted again once the text is read.
"""

from __future__ import annotations

import json
from typing import Any, Final, cast

from studio.engine.draft import DraftStep
from studio.engine.errors import Refused
from studio.engine.limits import EDITS_UP_TO, SUBMISSION_BYTES
from studio.engine.policy import PolicyLimits, check_hunks, check_steps

USUAL_LIMITS: Final = PolicyLimits()
"""Those of a project that sets none."""

_HEAD: Final = "\n@@ -"
_HUNK_BYTES_AT_LEAST: Final = 10
_VALUES_OF_A_STEP: Final = 16
_VALUES_OF_AN_EDIT: Final = 3
_VALUES_BESIDE: Final = 10_000
"""So many values where a plan has none are told one by one."""


def check_size(data: bytes | str, shown: str, path: str = "") -> None:
    """Refuse a text that is larger than is read.

    `shown` is what the text is called in the message, `path` where it stands. Raises Refused.
    """
    if len(data) > SUBMISSION_BYTES:
        message = f"{shown} is larger than {SUBMISSION_BYTES} bytes."
        raise Refused("submit.too_large", message, "Submit it in parts.", path=path)


class StepCount:
    """The steps that a text was found to propose so far: those of one path become one (contract 3)."""

    def __init__(self, limits: PolicyLimits) -> None:
        self._limits = limits
        self._paths: set[str] = set()
        self._joins = 0

    def add(self, step: DraftStep) -> None:
        """Raises Refused for one more than the limits allow."""
        self._paths.add(step.path)
        # Each far end of a move or copy may join two groups of steps for one path.
        self._joins += step.to is not None
        if len(self._paths) > self._limits.steps + self._joins:
            check_steps(self._limits, len(self._paths))


def check_diff(data: bytes, limits: PolicyLimits) -> None:
    """Raises Refused for a diff with more hunks than one plan may have.

    Every line of a hunk begins with a blank, +, - or backslash, one of a binary patch with a letter, and a
    header with a word of git: a line that begins with @@ is the head of a hunk, or belongs to no diff at all.
    """
    check_hunks(limits, data.count(_HEAD.encode()))


def check_plan(text: str, limits: PolicyLimits) -> None:
    """Raises Refused for a JSON plan with more steps, or more hunks in its patches, than one plan may have,
    and JSONDecodeError where it is no JSON; a small one is not looked at.

    A content that quotes hunks is no patch, and characters may be written as escapes: only a reader of JSON
    can tell. This one is quick, and what it makes is thrown away.
    """
    may_hold_hunks = len(text) >= limits.hunks * _HUNK_BYTES_AT_LEAST and _may_hold(text, "@@ -")
    if not _holds_times(text, ",", limits.steps) and not may_hold_hunks:
        return
    try:
        plan: Any = json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        return  # numbers of any length and nesting of any depth have sentences of their own
    steps: Any = cast("dict[str, Any]", plan).get("steps") if isinstance(plan, dict) else None
    listed = cast("list[Any]", steps) if isinstance(steps, list) else []
    if len(listed) > limits.steps:
        # Each far end of a move or copy may join two groups of steps for one path.
        joins = 0
        if _may_hold(text, '"to"'):
            joins = sum(1 for step in listed if isinstance(step, dict) and "to" in step)
        if _groups(listed, limits.steps + joins) > limits.steps + joins:
            check_steps(limits, len(listed))
    values, hunks = _VALUES_BESIDE, 0
    for step in listed:
        values += _VALUES_OF_A_STEP
        if isinstance(step, dict):
            known = cast("dict[str, Any]", step)
            patch, edits = known.get("patch"), known.get("edits")
            hunks += _heads(patch) if isinstance(patch, str) else 0
            count = len(cast("list[Any]", edits)) if isinstance(edits, list) else 0
            values += _VALUES_OF_AN_EDIT * min(count, EDITS_UP_TO)
    check_hunks(limits, hunks)
    _check_values(plan, values)


def _holds_times(text: str, character: str, times: int) -> bool:
    """Whether a character stands in a text so often; what lies behind is not looked at."""
    at = -1
    for _ in range(times):
        at = text.find(character, at + 1)
        if at < 0:
            return False
    return True


def _may_hold(text: str, word: str) -> bool:
    """Whether the word may stand in a string of the JSON text, where characters may be written as escapes."""
    # A single character is found at ten times the speed of a word.
    return any(part[0] in text and part in text for part in (word, "\\u00"))


def _heads(patch: str) -> int:
    """The lines of a patch that begin as the head of a hunk does."""
    return patch.count(_HEAD) + patch.startswith(_HEAD[1:])


def _groups(listed: list[Any], limit: int) -> int:
    """How many steps there are when those that name the same path first are one; once it is more than the
    limit nothing is counted any further."""
    named: set[str] = set()
    alone = 0
    for step in listed:
        path: Any = cast("dict[str, Any]", step).get("path") if isinstance(step, dict) else None
        if isinstance(path, str) and path:
            named.add(path)
        else:
            alone += 1
        if len(named) + alone > limit:
            break
    return len(named) + alone


def _check_values(plan: Any, most: int) -> None:
    """Raises Refused for a plan with more values than its steps can have: to read each with its place takes
    long, and most of memory."""
    found, unread = 0, [plan]
    while unread:
        value: Any = unread.pop()
        if not isinstance(value, dict | list):
            continue
        held = cast("dict[str, Any] | list[Any]", value)
        found += len(held)
        if found > most:
            raise Refused(
                "plan.too_many_values",
                "The plan holds far more values than its steps can have.",
                "Leave out what is no key of a plan or of a step; give whole content instead of many edits.",
            )
        unread.extend(held.values() if isinstance(held, dict) else held)
