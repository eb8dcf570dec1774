"""Detection of a text's format, and its parsing into a draft plan."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from studio.engine import PlanDraft, PolicyLimits, Problem, unsupported_diff
from studio.errors import UsageError
from studio.formats import (
    apply_patch,
    fences,
    file_action,
    plan_json,
    search_replace,
    tool_block,
    tool_calls,
    unified,
)
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.limits import SUBMISSION_BYTES
from studio.formats.reply_text import ReplyText, Span, decode_reply
from studio.names import show_name
from studio.values import Value

AUTO: Final = "auto"
UNKNOWN: Final = "unknown"
"""The format of a draft whose text is in no known format."""


class Format(Value):
    """A format of replies: finds its blocks and parses them.

    `find` checks the structure only and is quick; `read` never raises for bad content, and raises Refused for
    more than the limits.
    """

    name: str
    find: Callable[[ReplyText], Sequence[Span]]
    read: Callable[[ReplyText, PolicyLimits], PlanDraft]


_REPLY_FORMATS: tuple[Format, ...] = (
    Format(file_action.NAME, file_action.find, file_action.read),
    Format(tool_block.NAME, tool_block.find, tool_block.read),
    Format(apply_patch.NAME, apply_patch.find, apply_patch.read_patch),
    Format(search_replace.NAME, search_replace.find, search_replace.read_blocks),
    Format(tool_calls.NAME, tool_calls.find, tool_calls.read),
    Format(fences.NAME, fences.find, fences.read),
)
"""Formats of UTF-8 text with words around, in listing order."""

_BY_NAME: Mapping[str, Format] = {each.name: each for each in _REPLY_FORMATS}
FORMATS: Final = (AUTO, unified.NAME, plan_json.NAME, *_BY_NAME)
"""Format names that can be requested."""

_DIFF_LINE = re.compile(
    rb"^(?:diff --git |--- .*\n\+\+\+ |@@ -[0-9]|Binary files |GIT binary patch)", re.MULTILINE
)
# Each is matched in place: copying a large text takes longer than refusing it.
_WORD = re.compile(rb"\S")
_BEGINS_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_ONLY_NO_CHANGES = re.compile(rb"(?:\xef\xbb\xbf)?\s*NO_CHANGES_REQUIRED\s*")
"""An agent's whole answer where it has nothing to change."""


def read(
    data: bytes,
    format_name: str = AUTO,
    *,
    file_name: str = "",
    limits: PolicyLimits = USUAL_LIMITS,
    project: Path | None = None,
) -> PlanDraft:
    """Parse a submitted text into a draft.

    `wanted` is its format, AUTO to detect it; `file_name` only helps to detect it. `project` is the base of
    absolute paths in logged tool calls.

    Never raises for bad content: `problems` says why a text can't be read, a step's own `problems` why that
    step is invalid. Raises UsageError for a format that is not in FORMATS, and Refused for more steps or
    hunks than the project's `limits`, in one scan of the text.
    """
    if format_name not in FORMATS:
        raise UsageError(
            "format.not_known",
            f'Unknown format: "{show_name(format_name[:80])}".',
            f"Formats are {', '.join(FORMATS)}.",
        )
    if len(data) > SUBMISSION_BYTES:
        return _unreadable(
            format_name,
            "format.too_large",
            f"The text is larger than {SUBMISSION_BYTES} bytes.",
            "Submit it in parts.",
        )
    if is_empty(data):
        return _unreadable(format_name, "format.empty", "The text is empty.", "Submit a diff or a plan.")
    if _ONLY_NO_CHANGES.fullmatch(data):
        return _unreadable(
            format_name,
            "format.no_changes",
            "The text says that no change is needed.",
            "There is nothing to review, and nothing to submit.",
        )
    reply = None if format_name in (unified.NAME, plan_json.NAME) else decode_reply(data)
    names = _detect(data, reply, file_name) if format_name == AUTO else [format_name]
    if len(names) == 1:
        return _read_as(names[0], data, reply, limits, project)
    if names:
        return _unreadable(
            format_name,
            "format.ambiguous",
            f"The text can be read in several formats, with different meanings: {', '.join(names)}.",
            f"Name the one that is meant as the format, such as {names[0]}.",
        )
    if problems := unsupported_diff(data):
        return PlanDraft(unified.NAME, (), problems=problems)
    return _unreadable(
        format_name,
        "format.unknown",
        "The text is in no known format.",
        f"Known formats: {', '.join(FORMATS[1:])}. Name one to see what is wrong with the text.",
    )


def _read_as(
    name: str, data: bytes, reply: ReplyText | Problem | None, limits: PolicyLimits, project: Path | None
) -> PlanDraft:
    if name == unified.NAME:
        return unified.read_unified_diff(data, limits, reply if isinstance(reply, ReplyText) else None)
    if name == plan_json.NAME:
        return plan_json.read_plan(data, limits)
    decoded = reply or decode_reply(data)
    if isinstance(decoded, Problem):
        return PlanDraft(name, (), problems=(decoded,))
    if name == tool_calls.NAME:
        return tool_calls.read(decoded, limits, project=project)
    return _BY_NAME[name].read(decoded, limits)


def is_empty(data: bytes) -> bool:
    """Return whether a text is only white space."""
    return _WORD.search(data) is None


def _detect(data: bytes, reply: ReplyText | Problem | None, file_name: str) -> list[str]:
    """Return the formats whose blocks are outside of other formats' blocks.

    What is in a block is content, however much it looks like a change.
    """
    found = _blocks(data, reply)
    names = [
        name
        for name, spans in found.items()
        if not any(_are_inside(spans, others) for other, others in found.items() if other != name)
    ]
    if names:
        return names
    lower_name = file_name.lower()
    if _BEGINS_OBJECT.match(data) or lower_name.endswith(".json"):
        return [plan_json.NAME]
    return [unified.NAME] if lower_name.endswith((".diff", ".patch")) else []


def _blocks(data: bytes, reply: ReplyText | Problem | None) -> dict[str, Sequence[Span]]:
    """Return the blocks of each format that has any."""
    if not isinstance(reply, ReplyText):
        # A diff of files that are not UTF-8 is itself not UTF-8.
        return {unified.NAME: (Span(0, len(data)),)} if _DIFF_LINE.search(data) else {}
    found = {each.name: spans for each in _REPLY_FORMATS if (spans := each.find(reply))}
    whole = Span(0, len(reply.text))
    if not found and _BEGINS_OBJECT.match(data):
        return {plan_json.NAME: (whole,)}
    if not found:
        return {unified.NAME: (whole,)} if unified.has_diff(reply) else {}
    if spans := unified.find(reply):
        found[unified.NAME] = spans
    return found


def _are_inside(spans: Sequence[Span], others: Sequence[Span]) -> bool:
    """Return whether each span is inside one of the others.

    The others are in order and do not overlap.
    """
    starts = [other.start for other in others]

    def is_inside(span: Span) -> bool:
        at = bisect.bisect_right(starts, span.start) - 1
        return at >= 0 and others[at].holds(span)

    return all(map(is_inside, spans))


def _unreadable(format_name: str, code: str, message: str, hint: str) -> PlanDraft:
    return PlanDraft(
        UNKNOWN if format_name == AUTO else format_name, (), problems=(Problem(code, message, hint),)
    )
