"""Parser of the format `unified`: unified diffs, one step per file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from studio.engine import (
    DiffRefused,
    DraftStep,
    Fact,
    FilePatch,
    PlanDraft,
    PolicyLimits,
    Problem,
    Severity,
    parse_unified,
    word_diff,
)
from studio.formats.commit_order import order_problems
from studio.formats.count_checks import USUAL_LIMITS, check_diff
from studio.formats.diff_blocks import DiffBlock, begins_diff, diff_blocks
from studio.formats.folding import fold, title_for
from studio.formats.mail import encoded_mails, strip_mail
from studio.formats.reply_text import ReplyText, Span
from studio.limits import PLAN_PROBLEMS_UP_TO

NAME: Final = "unified"

_EXECUTABLE = 0o100755
_NO_CHANGES = re.compile(r"^NO_CHANGES_REQUIRED[ \t]*$", re.MULTILINE)
_BEGINS = re.compile(rb"(?:diff -|--- |Index: |@@ |Only in |Binary files )")


def read_unified_diff(
    data: bytes, limits: PolicyLimits = USUAL_LIMITS, reply: ReplyText | None = None
) -> PlanDraft:
    """Parse the diffs of a text; report bad content in `problems`.

    A text that begins as a diff and parses as one is nothing else. In any other, diffs are in fences, in
    mails or among words, which become the plan's message; `reply` is the decoded text if available. Raises
    Refused for more hunks or files than `limits`, before it is read, or read to its end. Lines and columns
    are 1-based; columns count bytes of the diff. A diff has no title of its own, so the plan is named after
    the files it touches.
    """
    check_diff(data, limits)
    problems: tuple[Problem, ...] = ()
    if _BEGINS.match(data):
        try:
            return _draft(parse_unified(data, files_up_to=limits.steps))
        except DiffRefused as error:
            problems = error.problems
    # Latin-1 files make a mail or log around them non-UTF-8: surrogateescape loses no byte.
    decoded = reply or ReplyText(data.decode("utf-8", "surrogateescape"))
    blocks = decoded.compute_once(diff_blocks)
    if not blocks or len(blocks[0].text) == len(decoded.text):
        return PlanDraft(NAME, (), problems=problems) if problems else _whole(data, limits)
    return _read_blocks(decoded, blocks, limits)


def find(reply: ReplyText) -> list[Span]:
    """Return the diffs in a text, each with the fence around it."""
    return [block.span for block in reply.compute_once(diff_blocks)]


def has_diff(reply: ReplyText) -> bool:
    """Return whether the text has a diff.

    A diff at the start of the text is found without scanning to its end.
    """
    return begins_diff(reply.text) or bool(find(reply))


def _whole(data: bytes, limits: PolicyLimits) -> PlanDraft:
    try:
        return _draft(parse_unified(data, files_up_to=limits.steps))
    except DiffRefused as error:
        return PlanDraft(NAME, (), problems=error.problems)


def _read_blocks(reply: ReplyText, blocks: Sequence[DiffBlock], limits: PolicyLimits) -> PlanDraft:
    """Parse the diffs of a text as strictly as a single one."""
    patches: list[FilePatch] = []
    patches_by_block: list[Sequence[FilePatch]] = []
    problems = list(encoded_mails(reply, [block.span for block in blocks]))
    words = reply.text_outside(block.span for block in blocks)
    if _NO_CHANGES.search(words):
        message = "The text contains a change, but says that no change is needed."
        problems.append(Problem("diff.no_changes", message, "Send only one of them."))
    for block in blocks:
        if not block.is_closed:
            hint = "Close it; check that nothing was cut off."
            message = "The fence around this diff is not closed."
            problems.append(reply.problem("diff.fence_not_closed", message, hint, block.span.start))
        try:
            line = reply.line(block.start)
            found = parse_unified(_encode(block.text), files_up_to=limits.steps, first_line=line)
            patches_by_block.append([_from_fence(patch) for patch in found] if block.is_fenced else found)
            patches += patches_by_block[-1]
        except DiffRefused as error:
            problems += error.problems
        limits.check_steps(len(patches))
    if not problems:
        problems += order_problems(reply, blocks, patches_by_block)
    if problems:
        # The lines of a word diff have no signs, and would be taken as words around a truncated hunk.
        shown = word_diff(_encode(reply.text)) or Problem.shorten(problems, PLAN_PROBLEMS_UP_TO)
        return PlanDraft(NAME, (), problems=shown)
    return replace(_draft(patches), message=strip_mail(_decode_words(words)))


def _from_fence(patch: FilePatch) -> FilePatch:
    fact = Fact("fenced", Severity.NOTE, "Read from a fence. The text around it is ignored.")
    return replace(patch, facts=(*patch.facts, fact))


def _encode(text: str) -> bytes:
    """Return the original bytes of a part of the text."""
    return text.encode("utf-8", "surrogateescape")


def _decode_words(words: str) -> str:
    """Decode words that are not UTF-8 as Windows-1252, as for files."""
    return words if words.isascii() or _is_utf8(words) else _encode(words).decode("cp1252", "replace")


def _is_utf8(words: str) -> bool:
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


def _draft(patches: Sequence[FilePatch]) -> PlanDraft:
    steps = fold([_step(patch) for patch in patches])
    return PlanDraft(NAME, steps, title=title_for(steps))


def _step(patch: FilePatch) -> DraftStep:
    return DraftStep(
        op=patch.operation,
        path=patch.path,
        to=patch.to,
        patch=patch,
        executable=_executable(patch),
        problems=patch.problems,
        line=patch.line,
    )


def _executable(patch: FilePatch) -> bool | None:
    """Return the executable bit that the diff sets, None if unchanged.

    A new file's mode or a changed mode sets it.
    """
    if patch.new_mode is None or patch.new_mode == patch.old_mode:
        return None
    return patch.new_mode == _EXECUTABLE
