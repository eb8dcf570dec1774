"""Location of diffs in a reply: in prose, mails or code fences.

Nothing is judged here. What may belong to a diff is passed to its strict reader, which refuses what does not:
a line that begins as a hunk's line does is never taken as words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from studio.engine import AS_PROSE, NAMED_ONLY
from studio.formats.mail import mail_borders
from studio.formats.reply_text import FenceMark, ReplyText, Span, next_line_start
from studio.values import Value

_BEGINS: Final = (
    r"(?:diff --|diff -.*\n--- |Index: .*\n={66,67}\n|--- .*\n\+\+\+ |@@ -[0-9]|GIT binary patch"
    r"|Binary files .* differ\r?(?:\n|\Z)|Property changes on: .*\n_{67})"
)
_ANCHOR = re.compile(_BEGINS)
# A preceding line end is found five times as fast as a line start.
_NEXT_ANCHOR = re.compile(rf"\n{_BEGINS}")

_MAY_BEGIN = re.compile(
    r"\n {0,3}(?:diff -|Index: |--- |@@ -[0-9]|Binary files |GIT binary patch|Property changes )"
)
"""Begins a diff, also one that is indented with its fence."""

_HEADER = re.compile(
    r"diff -|Index: |={66,67}$|RCS file: |retrieving revision |cannot compute difference between "
    r"|(?:old|new|deleted file|new file) mode |(?:copy|rename) (?:from|to|old|new) "
    r"|(?:dis)?similarity index |index [0-9a-f]|--- |\+\+\+ |Binary files |GIT binary patch|@@",
    re.MULTILINE,
)
_NAMED_ONLY = re.compile(NAMED_ONLY, re.MULTILINE)
_AS_PROSE = re.compile(AS_PROSE, re.MULTILINE)
_ABOVE = re.compile(
    r"[ \t]*\n|diff -|Index: |={66,67}\n|index [0-9a-f]|(?:dis)?similarity index |(?:copy|rename) to "
    r"|new mode |  [<>] "
)
"""Lines allowed between a diff and a line that names a change."""

_DIFF_FENCES: Final = ("diff", "patch", "udiff")
_HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]{1,18}))? \+[0-9]+(?:,([0-9]{1,18}))? @@.*\n?")
_BINARY = re.compile(r"GIT binary patch\n(?:(?:literal|delta) [0-9]+\n(?:[A-Za-z].*\n)*\n?)*")
_MORE_OF_A_HUNK = re.compile(
    # Blanks directly after a hunk are an unchanged line of it, empty lines are not.
    r"(?: [ \t]*(?:\n|\Z)"
    # Possessive, without backtracking over empty lines: 8,000 of them took 8 s.
    r"|(?:(?:\t[ \t]*+)?\n)*+(?!-- ?\n[0-9]|--- .*\n\+\+\+ |(?:[ \t]*+\n)*+\Z)[ +\-\\].*\n?)"
    r"(?:[ +\-\\].*\n?)*"
)
_NO_NEWLINE = re.compile(r"\\.*\n?")
_NAMELESS = re.compile(r"(?:[ \t]*+\n)*+(?:(?:(?:dis)?similarity )?index .*\n)*")
_BLANK_LINES = re.compile(r"(?:[ \t]*+\n)*+")


class DiffBlock(Value):
    """One diff in a reply.

    `span` is its part of the text with the fence around it, `text` the diff alone, `start` the diff's offset.
    `is_closed` is False for one in a fence that the end of the text cuts off.
    """

    span: Span
    text: str
    start: int
    is_closed: bool = True

    @property
    def is_fenced(self) -> bool:
        """Whether a fence is around it."""
        return self.start > self.span.start


def diff_blocks(reply: ReplyText) -> tuple[DiffBlock, ...]:
    """Return the diffs of a reply, in order."""
    # A text may have many fences and no diff at all.
    may_begin = begins_diff(reply.text) or _MAY_BEGIN.search(reply.text) is not None
    return tuple(_scan_diffs(reply)) if may_begin else ()


def begins_diff(text: str) -> bool:
    """Return whether a diff begins with the first line."""
    return _ANCHOR.match(text) is not None


def _scan_diffs(reply: ReplyText) -> Iterator[DiffBlock]:
    text = reply.text
    at = 0
    borders = [*reply.compute_once(mail_borders), len(text)]
    anchor, fence = _find_anchor(text, 0), _next_fence(reply, 0)
    while anchor is not None or fence is not None:
        if anchor is not None and (fence is None or anchor < fence.start):
            start, end = _diff_start(text, anchor, at), _diff_end(text, anchor, borders)
            yield DiffBlock(Span(start, end), text[start:end], start)
            at = end
        elif fence is not None:
            block = _read_fence(reply, fence)
            if isinstance(block, DiffBlock):
                yield block
                at = block.span.end
            else:
                at = block
        if anchor is not None and anchor < at:
            anchor = _find_anchor(text, at)
        if fence is not None and fence.start < at:
            fence = _next_fence(reply, at)


def _find_anchor(text: str, at: int) -> int | None:
    """Return the first line from an offset that may begin a diff."""
    if _ANCHOR.match(text, at):
        return at
    found = _NEXT_ANCHOR.search(text, at)
    return found.start() + 1 if found is not None else None


def _next_fence(reply: ReplyText, at: int) -> FenceMark | None:
    return next((mark for mark in reply.fence_marks_from(at) if mark.opens), None)


def _read_fence(reply: ReplyText, fence: FenceMark) -> DiffBlock | int:
    """Return the diff in a fence, or the end of another fence."""
    text, indent = reply.text, fence.indent
    inside = next_line_start(text, fence.start)
    begins = _begins_diff(text, inside, fence)
    at = inside
    # The lines that a hunk counts belong to it, whatever they look like; an indented diff ends with its
    # fence.
    while begins and not indent and (found := _ANCHOR.match(text, _skip_blanks(text, at))):
        at = _diff_end(text, found.start(), [len(text)])
    close = next((mark for mark in reply.fence_marks_from(at) if _closes(mark, fence)), None)
    end = close.start if close is not None else len(text)
    behind = next_line_start(text, end) if close is not None else end
    if not begins:
        return behind
    diff = text[inside:end]
    if indent:
        diff = re.sub(rf"^ {{1,{indent}}}", "", diff, flags=re.MULTILINE)
    blank = _skip_blanks(diff, 0)
    lines = _strip_final_blanks(diff[blank:])
    return DiffBlock(Span(fence.start, behind), lines, inside + blank, close is not None)


def _closes(mark: FenceMark, fence: FenceMark) -> bool:
    return mark.may_close(fence.ticks) and not mark.info.strip(" \t")


def _begins_diff(text: str, inside: int, fence: FenceMark) -> bool:
    """Return whether a fence begins with a diff.

    In a fence marked as a diff, lines that only name a change count as one.
    """
    names_change = False
    at = _skip_blanks(text, inside)
    while at < len(text):
        behind = next_line_start(text, at)
        two_lines = text[at : next_line_start(text, behind)]
        if fence.indent:
            two_lines = re.sub(rf"^ {{1,{fence.indent}}}", "", two_lines, flags=re.MULTILINE)
        if _ANCHOR.match(two_lines):
            return True
        if _NAMED_ONLY.match(two_lines):
            names_change = True
        elif not _ABOVE.match(two_lines):
            break
        at = _skip_blanks(text, behind)
    return names_change and fence.info.strip() in _DIFF_FENCES


def _skip_blanks(text: str, at: int) -> int:
    found = _BLANK_LINES.match(text, at)
    assert found is not None
    return found.end()


def _skip_headers(text: str, at: int) -> int:
    """Skip empty lines, and git's headers that name no file."""
    found = _NAMELESS.match(text, at)
    assert found is not None
    return found.end()


def _strip_final_blanks(diff: str) -> str:
    """Remove empty lines at the end.

    Agents leave some before a fence's end.
    """
    # A binary patch ends with an empty line of its own.
    return diff.rstrip("\n") + "\n" if diff.endswith("\n\n") and "GIT binary patch" not in diff else diff


def _diff_start(text: str, anchor: int, floor: int) -> int:
    """Return the first line above an anchor that its diff may include."""
    start = at = anchor
    while at > floor:
        is_separate = text.startswith("\n", at)
        at = max(text.rfind("\n", 0, at - 1) + 1, floor)
        if _names_change(text, at, is_separate=is_separate):
            start = at
        elif not _ABOVE.match(text, at):
            break
    return start


def _names_change(text: str, at: int, *, is_separate: bool) -> bool:
    """Return whether a line names a change without its content.

    `apart` from a diff, it may be an agent's words.
    """
    return _NAMED_ONLY.match(text, at) is not None and not (is_separate and _AS_PROSE.match(text, at))


def _diff_end(text: str, at: int, borders: Sequence[int]) -> int:
    """Return the end of the diff that begins at an offset.

    It has one line at least. A hunk may contain a line like a border of the mail's parts where its header
    counts it, but no more than that.
    """
    start = at
    while at < len(text):
        hunk = _HUNK.match(text, at)
        if hunk is not None:
            at = _hunk_end(text, hunk.end(), int(hunk[1] or 1), int(hunk[2] or 1))
            more = _MORE_OF_A_HUNK.match(text, at, borders[bisect_left(borders, at)])
            at = more.end() if more is not None else at
            continue
        binary = _BINARY.match(text, at)
        if binary is not None:
            at = binary.end()
        elif at == start or _HEADER.match(text, at):
            at = next_line_start(text, at)
        elif _names_change(text, behind := _skip_headers(text, at), is_separate=behind > at):
            at = next_line_start(text, behind)
        else:
            break
    return at


def _hunk_end(text: str, at: int, old: int, new: int) -> int:
    """Skip the lines that a hunk's header counts.

    It stops before the first one that is no line of a hunk.
    """
    while (old > 0 or new > 0) and at < len(text):
        sign = text[at]
        if sign == "-":
            old -= 1
        elif sign == "+":
            new -= 1
        elif sign in " \n":
            old, new = old - 1, new - 1
        elif sign != "\\":
            return at
        at = text.find("\n", at) + 1 or len(text)
    note = _NO_NEWLINE.match(text, at)
    return note.end() if note is not None else at
