"""Early checks of submitted texts: size, number of steps and hunks.

The text is scanned once. A count here is never higher than what the parser would find, so that nothing legal
is refused; what it misses is counted again during parsing.
"""

from __future__ import annotations

import json
from typing import Any, Final, cast

from studio.engine import DraftStep, PolicyLimits
from studio.errors import Refused
from studio.formats.limits import EDITS_UP_TO, SUBMISSION_BYTES

USUAL_LIMITS: Final = PolicyLimits()
"""The limits of a project that sets none."""

_HEAD: Final = "\n@@ -"
_HUNK_BYTES_AT_LEAST: Final = 10
_VALUES_OF_A_STEP: Final = 16
_VALUES_OF_AN_EDIT: Final = 3
_VALUES_BESIDE: Final = 10_000
"""Allowance for other values, which get a problem each."""


def check_size(data: bytes | str, shown: str, path: str = "") -> None:
    """Refuse a text that is larger than the limit.

    `shown` names the text in the message, `path` is where it is. Raises Refused.
    """
    if len(data) > SUBMISSION_BYTES:
        message = f"{shown} is larger than {SUBMISSION_BYTES} bytes."
        raise Refused("submit.too_large", message, "Submit it in parts.", path=path)


class StepCount:
    """Counter of the steps found so far, one per path."""

    def __init__(self, limits: PolicyLimits) -> None:
        self._limits = limits
        self._paths: set[str] = set()
        self._joins = 0

    def add(self, step: DraftStep) -> None:
        """Count a step. Raises Refused for one more than the limits allow."""
        self._paths.add(step.path)
        # The target of each move or copy may join two groups of steps of one path.
        self._joins += step.to is not None
        if len(self._paths) > self._limits.steps + self._joins:
            self._limits.check_steps(len(self._paths))


def check_diff(data: bytes, limits: PolicyLimits) -> None:
    """Refuse a diff with too many hunks. Raises Refused.

    Every line of a hunk begins with a blank, +, - or backslash, one of a binary patch with a letter, and a
    header with a word of git: a line that begins with @@ is a hunk header, or belongs to no diff at all.
    """
    limits.check_hunks(data.count(_HEAD.encode()))


def check_plan(text: str, limits: PolicyLimits) -> None:
    """Refuse a JSON plan with too many steps or hunks.

    Raises Refused, and JSONDecodeError for invalid JSON; small plans are not checked. Only a JSON parser can
    count: a content that quotes hunks is no patch, and characters may be escaped. Python's parser is quick,
    and its result is discarded.
    """
    may_hold_hunks = len(text) >= limits.hunks * _HUNK_BYTES_AT_LEAST and _may_hold(text, "@@ -")
    if not _holds_times(text, ",", limits.steps) and not may_hold_hunks:
        return
    try:
        plan: Any = json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        return  # the reader reports such numbers and nesting itself
    steps: Any = cast("dict[str, Any]", plan).get("steps") if isinstance(plan, dict) else None
    items = cast("list[Any]", steps) if isinstance(steps, list) else []
    if len(items) > limits.steps:
        # The target of each move or copy may join two groups of steps of one path.
        joins = 0
        if _may_hold(text, '"to"'):
            joins = sum(1 for step in items if isinstance(step, dict) and "to" in step)
        if _groups(items, limits.steps + joins) > limits.steps + joins:
            limits.check_steps(len(items))
    values, hunks = _VALUES_BESIDE, 0
    for step in items:
        values += _VALUES_OF_A_STEP
        if isinstance(step, dict):
            fields = cast("dict[str, Any]", step)
            patch, edits = fields.get("patch"), fields.get("edits")
            hunks += _heads(patch) if isinstance(patch, str) else 0
            count = len(cast("list[Any]", edits)) if isinstance(edits, list) else 0
            values += _VALUES_OF_AN_EDIT * min(count, EDITS_UP_TO)
    limits.check_hunks(hunks)
    _check_values(plan, values)


def _holds_times(text: str, character: str, times: int) -> bool:
    """Return whether a text contains a character at least `times` times.

    It stops there.
    """
    at = -1
    for _ in range(times):
        at = text.find(character, at + 1)
        if at < 0:
            return False
    return True


def _may_hold(text: str, word: str) -> bool:
    """Return whether a string of the JSON text may contain the word.

    Its characters may be escaped.
    """
    # A single character is found ten times as fast as a word.
    return any(part[0] in text and part in text for part in (word, "\\u00"))


def _heads(patch: str) -> int:
    """Count a patch's lines that begin as a hunk header does."""
    return patch.count(_HEAD) + patch.startswith(_HEAD[1:])


def _groups(listed: list[Any], limit: int) -> int:
    """Count the steps up to the limit, one per first path."""
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
    """Refuse a plan with more values than its steps can have.

    Reading each with its position takes long, and most of the memory. Raises Refused.
    """
    found, unread = 0, [plan]
    while unread:
        value: Any = unread.pop()
        if not isinstance(value, dict | list):
            continue
        container = cast("dict[str, Any] | list[Any]", value)
        found += len(container)
        if found > most:
            raise Refused(
                "plan.too_many_values",
                "The plan has more values than its steps can use.",
                "Remove unknown keys; use the whole content instead of many edits.",
            )
        unread.extend(container.values() if isinstance(container, dict) else container)
