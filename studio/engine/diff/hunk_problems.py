"""Detailed error reports for invalid hunks, by a line-by-line parser."""

from __future__ import annotations

import re

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.hunks import HEADER, PatchHunk
from studio.values import Value

_BODY_RUN = re.compile(rb"(?:[ +\-\\][^\n]*\n)*")
_MARKER = b"\\ "


def report_hunks(cursor: Cursor) -> tuple[PatchHunk, ...]:
    """Report all problems of the next hunks; return the valid ones.

    Stops at the first line that begins no hunk. This must accept and refuse the same hunks as `hunk_reader`,
    which a test compares.
    """
    hunks: list[PatchHunk] = []
    last: PatchHunk | None = None
    offset = 0
    are_valid = True
    while True:
        hunk = _read_hunk(cursor)
        if hunk is None:
            if not cursor.starts(b"@@ "):
                return tuple(hunks)
            # After an invalid hunk, the numbers of the next ones can't be checked.
            _report_hunk(cursor)
            are_valid = False
            continue
        if are_valid:
            _report_numbers(cursor, last, hunk, offset)
        offset += hunk.new_lines - hunk.old_lines
        last = hunk
        hunks.append(hunk)


def _read_hunk(cursor: Cursor) -> PatchHunk | None:
    """Read one hunk and move the cursor after it.

    None, with the cursor unmoved, where it is invalid.
    """
    data = cursor.data
    numbers = _numbers(cursor)
    if numbers is None:
        return None
    body = data.index(b"\n", cursor.position) + 1
    walk = _walk(data, body, numbers[1], numbers[3])
    if not walk.complete:
        return None
    ends_open = _check_markers(cursor, body, walk.end) if walk.markers else (False, False)
    hunk = PatchHunk(
        *numbers,
        cursor.line,
        *ends_open,
        data,
        body,
        walk.end,
    )
    cursor.jump(walk.end, 1 + walk.total)
    return hunk


def _numbers(cursor: Cursor) -> tuple[int, int, int, int] | None:
    """Parse starts and counts of a hunk header; None if invalid."""
    header = HEADER.match(cursor.data, cursor.position)
    if header is None:
        return None
    return int(header[1]), int(header[2] or 1), int(header[3]), int(header[4] or 1)


class _Walk(Value):
    """Lines read of a hunk; `complete` where both counts are met."""

    complete: bool
    end: int
    total: int
    added: int
    removed: int
    markers: int


def _walk(data: bytes, body: int, old_lines: int, new_lines: int) -> _Walk:
    """Read lines by their signs while the counts allow them."""
    position = body
    total = added = removed = markers = 0
    old_left, new_left = old_lines, new_lines
    while old_left > 0 or new_left > 0 or data.startswith(_MARKER, position):
        sign = data[position : position + 1]
        if sign == b"+" and new_left:
            added += 1
            new_left -= 1
        elif sign == b"-" and old_left:
            removed += 1
            old_left -= 1
        elif sign == b" " and old_left and new_left:
            old_left -= 1
            new_left -= 1
        elif data.startswith(_MARKER, position):
            markers += 1
        else:
            return _Walk(False, position, total, added, removed, markers)
        position = data.index(b"\n", position) + 1
        total += 1
    return _Walk(True, position, total, added, removed, markers)


def _report_hunk(cursor: Cursor) -> None:
    """Report why the next hunk is invalid; skip to the next header."""
    numbers = _numbers(cursor)
    if numbers is None:
        _report_header(cursor)
    else:
        counts = numbers[1], numbers[3]
        body = cursor.data.index(b"\n", cursor.position) + 1
        _report_body(cursor, body, _walk(cursor.data, body, *counts), counts)
    cursor.skip_to_anchor()


def _report_header(cursor: Cursor) -> None:
    line = cursor.current()
    if line.endswith(b"@@\r"):
        report_crlf(cursor)
        return
    cursor.report(
        "diff.hunk_header",
        "This hunk header can't be read.",
        "Write it as @@ -START,LINES +START,LINES @@ with plain decimal numbers.",
    )


def _report_body(cursor: Cursor, body: int, walk: _Walk, counts: tuple[int, int]) -> None:
    data, position = cursor.data, walk.end
    line = cursor.line + 1 + walk.total
    sign = data[position : position + 1]
    if not sign:
        line -= 1
    run = _BODY_RUN.match(data, body)
    run_end = run.end() if run else body
    context = data.count(b"\n ", body - 1, run_end)
    actual_old = data.count(b"\n-", body - 1, run_end) + context
    actual_new = data.count(b"\n+", body - 1, run_end) + context
    if sign == b"\n" or data.startswith(b"\r\n", position):
        cursor.report(
            "diff.blank_line",
            "A hunk contains an empty line.",
            "Begin an unchanged empty line with one space, as git -c diff.suppressBlankEmpty=false diff"
            " does, or remove the line.",
            line=line,
        )
    elif sign and sign not in b" +-" and not _begins_header(data, position):
        cursor.report(
            "diff.hunk_line",
            "A line of a hunk does not start with a space, +, - or backslash.",
            "Start every line of a hunk with its sign; unchanged lines start with one space.",
            line=line,
        )
    else:
        cursor.report(
            "diff.hunk_counts",
            f"The hunk header declares {counts[0]} old and {counts[1]} new lines; the hunk has"
            f" {actual_old} old and {actual_new} new.",
            "Fix the numbers in the header, or provide the whole hunk.",
            line=line,
        )


def _begins_header(data: bytes, position: int) -> bool:
    return data.startswith((b"@@ ", b"diff --git ", b"diff -", b"Binary files "), position)


def _report_numbers(cursor: Cursor, last: PatchHunk | None, hunk: PatchHunk, offset: int) -> None:
    """Report wrong numbers of a hunk.

    `offset` is the number of lines added so far, less those removed.
    """
    if (hunk.old_start == 0 and hunk.old_lines) or (hunk.new_start == 0 and hunk.new_lines):
        cursor.report(
            "diff.hunk_start",
            "A hunk with lines can't start at line 0.",
            "Line numbers start at 1; only an empty side starts at 0.",
            line=hunk.line,
        )
        return
    if not hunk.added and not hunk.removed:
        cursor.report(
            "diff.hunk_without_change",
            "This hunk changes nothing.",
            "Remove it, or add the lines it changes.",
            line=hunk.line,
        )
    if last is not None and (last.old_ends_open or last.new_ends_open):
        cursor.report(
            "diff.marker",
            "A hunk follows the hunk that ends at the end of the file.",
            "Only the last hunk may hold the marker for a missing newline.",
            line=hunk.line,
        )
    if last is not None and hunk.old_first < last.old_first + (last.old_lines or 1):
        cursor.report(
            "diff.hunk_order",
            "This hunk overlaps the previous hunk or belongs before it.",
            "List the hunks of a file in ascending order without overlap.",
            line=hunk.line,
        )
    elif hunk.new_first != hunk.old_first + offset:
        expected = hunk.old_first + offset + (1 if hunk.new_lines else 0)
        cursor.report(
            "diff.hunk_new_start",
            f"The new start {hunk.new_start} does not follow from the previous hunks; expected {expected}.",
            (f"Correct the header: the old start, moved by the {offset:+d} lines of the hunks before."),
            line=hunk.line,
        )


def _check_markers(cursor: Cursor, body: int, end: int) -> tuple[bool, bool]:
    """Check the end-of-file markers; return which sides end without newline."""
    old_open = new_open = False
    previous = b""
    for number, line in enumerate(cursor.data[body:end].split(b"\n")[:-1], cursor.line + 1):
        sign = line[:1]
        if sign == b"\\":
            if previous in (b"", b"\\"):
                _report_marker(cursor, number, "A marker for a missing newline follows no line.")
            old_open = old_open or previous in (b" ", b"-")
            new_open = new_open or previous in (b" ", b"+")
        elif (old_open and sign in (b" ", b"-")) or (new_open and sign in (b" ", b"+")):
            _report_marker(cursor, number, "A line follows the line marked as the file's last.")
            return False, False
        previous = sign
    return old_open, new_open


def _report_marker(cursor: Cursor, line: int, message: str) -> None:
    cursor.report(
        "diff.marker",
        message,
        "Put '\\ No newline at end of file' directly after the last line of the old or new file only.",
        line=line,
    )


def report_crlf(cursor: Cursor) -> None:
    """Report that the diff's own lines end with CRLF."""
    cursor.report(
        "diff.crlf",
        "The lines of the diff itself end with CRLF.",
        "Save the diff with LF line ends; CR is allowed only inside the hunks of a CRLF file.",
        column=len(cursor.current()),
    )
