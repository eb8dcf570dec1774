"""Which format a text is in, and what it says as a draft plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from studio.engine.draft import PlanDraft
from studio.engine.errors import UsageError
from studio.engine.limits import SUBMISSION_BYTES
from studio.engine.names import show_name
from studio.engine.plan import Problem
from studio.engine.policy import PolicyLimits
from studio.formats import plan_json, unified
from studio.formats.amounts import USUAL_LIMITS

AUTO: Final = "auto"
UNKNOWN: Final = "unknown"
"""The format of a draft whose text is in no format."""

_READERS: Mapping[str, Callable[[bytes, PolicyLimits], PlanDraft]] = {
    unified.NAME: unified.read_unified_diff,
    plan_json.NAME: plan_json.read_plan,
}
FORMATS: Final = (AUTO, *_READERS)
"""What may be asked for by name."""

_DIFF_LINE = re.compile(
    rb"^(?:diff --git |--- .*\n\+\+\+ |@@ -[0-9]|Binary files |GIT binary patch)", re.MULTILINE
)
# Each looks at the text where it lies: a copy of a large one takes longer than to refuse it.
_WORD = re.compile(rb"\S")
_BEGINS_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_ONLY_NO_CHANGES = re.compile(rb"(?:\xef\xbb\xbf)?\s*NO_CHANGES_REQUIRED\s*")
"""All that stands where a diff was asked for, when an agent has nothing to change (R144)."""


def read(
    data: bytes, wanted: str = AUTO, *, file_name: str = "", limits: PolicyLimits = USUAL_LIMITS
) -> PlanDraft:
    """Read a submitted text of the format `wanted` into a draft; `file_name` only helps to tell formats.

    Never raises for bad content: `problems` says why a text can't be read, a step's own `problems` why
    that step can't be taken. Raises UsageError for a format that is not in FORMATS, and Refused for more
    steps or hunks than the project's `limits`, in the time of one look at the text.
    """
    if wanted not in FORMATS:
        raise UsageError(
            "format.not_known",
            f'There is no format "{show_name(wanted[:80])}".',
            f"Formats are {', '.join(FORMATS)}.",
        )
    if len(data) > SUBMISSION_BYTES:
        return _unreadable(
            wanted,
            "format.too_large",
            f"The text is larger than {SUBMISSION_BYTES} bytes.",
            "Submit it in parts.",
        )
    if is_empty(data):
        return _unreadable(wanted, "format.empty", "The text is empty.", "Submit a diff or a plan.")
    if _ONLY_NO_CHANGES.fullmatch(data):
        return _unreadable(
            wanted,
            "format.no_changes",
            "The text says that no change is needed.",
            "There is nothing to review, and nothing to submit.",
        )
    chosen = _detected(data, file_name) if wanted == AUTO else wanted
    if chosen is None:
        return _unreadable(
            wanted,
            "format.unknown",
            "The text is in no known format.",
            f"Known formats: {', '.join(_READERS)}. Name one to see what is wrong with the text.",
        )
    return _READERS[chosen](data, limits)


def is_empty(data: bytes) -> bool:
    """Whether a text holds nothing but white space."""
    return _WORD.search(data) is None


def _detected(data: bytes, file_name: str) -> str | None:
    if _BEGINS_OBJECT.match(data) or file_name.lower().endswith(".json"):
        return plan_json.NAME
    if _DIFF_LINE.search(data) or file_name.lower().endswith((".diff", ".patch")):
        return unified.NAME
    return None


def _unreadable(wanted: str, code: str, message: str, hint: str) -> PlanDraft:
    return PlanDraft(UNKNOWN if wanted == AUTO else wanted, (), problems=(Problem(code, message, hint),))
