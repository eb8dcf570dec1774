"""Hunks of a unified diff: read strictly, kept as places in the text they came from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from studio.engine.diff.cursor import Cursor

_NUMBER = rb"(0|[1-9][0-9]{0,8})"
_RANGE = _NUMBER + rb"(?:," + _NUMBER + rb")?"
_HEADER = re.compile(rb"@@ -" + _RANGE + rb" \+" + _RANGE + rb" @@(?: [^\n]*)?\n")
_BODY_RUN = re.compile(rb"(?:[ +\-\\][^\n]*\n)*")
_NOT_OLD = re.compile(rb"(?m)^(?:\+[^\n]*\n|[ \-])")
_NOT_NEW = re.compile(rb"(?m)^(?:-[^\n]*\n|[ +])")
_MARKER = b"\\ "


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """One hunk as written: header numbers, and its body as the bytes `start` to `end` of `data`.

    Starts are 1-based as printed (the line before, where the count is 0). `line` is the 1-based line of
    its header in the diff. `old_ends_open` and `new_ends_open` say that the side's last line in this
    hunk is marked as having no newline.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    line: int
    removed: int
    old_ends_open: bool
    new_ends_open: bool
    data: bytes = field(repr=False)
    start: int = field(repr=False)
    end: int = field(repr=False)

    @property
    def added(self) -> int:
        """The number of `+` lines; `removed` is that of `-` lines."""
        return self.removed + self.new_lines - self.old_lines

    @property
    def section(self) -> str:
        """What stands in the header after the second marks: by custom the function around the hunk."""
        header = self.data[self.data.rfind(b"\n", 0, self.start - 1) + 1 : self.start]
        return header.partition(b" @@")[2].decode("utf-8", "replace").strip()

    @property
    def old_first(self) -> int:
        """The 0-based line of the base at which the hunk begins."""
        return self.old_start - 1 if self.old_lines else self.old_start

    @property
    def old_end(self) -> int:
        """The 0-based line of the base after the hunk."""
        return self.old_first + self.old_lines

    @property
    def new_first(self) -> int:
        """The 0-based line of the result at which the hunk begins."""
        return self.new_start - 1 if self.new_lines else self.new_start

    @property
    def body(self) -> bytes:
        """The hunk's lines with their signs, as they stand in the diff."""
        return self.data[self.start : self.end]

    def old_block(self) -> bytes:
        """The lines this hunk expects in the base, signs taken off."""
        return self._side(_NOT_OLD, b"+")

    def new_block(self) -> bytes:
        """The lines this hunk puts in their place, signs taken off."""
        return self._side(_NOT_NEW, b"-")

    def _side(self, not_this_side: re.Pattern[bytes], other_sign: bytes) -> bytes:
        if self.old_ends_open or self.new_ends_open:
            return _side_with_markers(self.body, other_sign)
        return not_this_side.sub(b"", self.body)


def _side_with_markers(body: bytes, other_sign: bytes) -> bytes:
    kept: list[bytes] = []
    previous_kept = False
    for line in body.split(b"\n")[:-1]:
        if line.startswith(b"\\"):
            if previous_kept:
                kept[-1] = kept[-1][:-1]
        else:
            previous_kept = line[:1] != other_sign
            if previous_kept:
                kept.append(line[1:] + b"\n")
    return b"".join(kept)


def read_hunks(cursor: Cursor) -> tuple[PatchHunk, ...]:
    """Read the hunks at the cursor up to the first line that begins none; problems go to the cursor.

    Counts are exact, hunks ascend and don't overlap, each changes something, new starts are the old
    starts plus the lines added so far, and end-of-file markers stand at the end (R138, Q58, C47).
    """
    hunks: list[PatchHunk] = []
    last: PatchHunk | None = None
    least_first = offset = 0
    sound = True
    while True:
        hunk = _read_hunk(cursor)
        if hunk is None:
            if not cursor.starts(b"@@ "):
                return tuple(hunks)
            # After a hunk that can't be read, the numbers of the next ones can't be checked.
            _report_hunk(cursor)
            sound = False
            continue
        old_first = hunk.old_first
        if sound and (
            old_first < least_first
            or hunk.new_first != old_first + offset
            or (hunk.old_lines == hunk.new_lines and not hunk.removed)
            or (last is not None and (last.old_ends_open or last.new_ends_open))
        ):
            _report_numbers(cursor, last, hunk, offset)
        # A hunk without old lines still takes its place: two insertions there have no order.
        least_first = old_first + (hunk.old_lines or 1)
        offset += hunk.new_lines - hunk.old_lines
        last = hunk
        hunks.append(hunk)


def _read_hunk(cursor: Cursor) -> PatchHunk | None:
    """The hunk at the cursor, which moves behind it; None, and nothing moved, where none can be read."""
    data = cursor.data
    header = _HEADER.match(data, cursor.position)
    if header is None:
        return None
    old_start, old_count, new_start, new_count = header.groups()
    old_lines = 1 if old_count is None else int(old_count)
    new_lines = 1 if new_count is None else int(new_count)
    body = header.end()
    end = cursor.section_end(body)
    # Each sign is counted with the LF before it; the first one is the header's.
    removed = data.count(b"\n-", body - 1, end)
    added = data.count(b"\n+", body - 1, end)
    total = data.count(b"\n", body, end)
    markers = total - removed - new_lines
    if removed + data.count(b"\n ", body - 1, end) != old_lines or old_lines - removed + added != new_lines:
        markers = -1
    ends_open = (False, False)
    if markers:
        # More than this hunk stands before the next header, or its counts are wrong: line by line then.
        walked = _walk(data, body, old_lines, new_lines)
        if not walked.complete:
            return None
        end, total, removed = walked.end, walked.total, walked.removed
        if walked.markers:
            ends_open = _check_markers(cursor, body, end)
    hunk = PatchHunk(
        int(old_start),
        old_lines,
        int(new_start),
        new_lines,
        cursor.line,
        removed,
        *ends_open,
        data,
        body,
        end,
    )
    cursor.jump(end, 1 + total)
    return hunk


@dataclass(frozen=True, slots=True)
class _Walk:
    """How far a hunk's lines could be consumed; `complete` where both promised counts were met."""

    complete: bool
    end: int
    total: int
    added: int
    removed: int
    markers: int


def _walk(data: bytes, body: int, old_lines: int, new_lines: int) -> _Walk:
    """Consume lines by their signs until both counts are met, or up to the line that can't belong."""
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
    """Say why the hunk at the cursor can't be read, and go on at the next header."""
    header = _HEADER.match(cursor.data, cursor.position)
    if header is None:
        _report_header(cursor)
    else:
        counts = (int(header[2] or b"1"), int(header[4] or b"1"))
        walked = _walk(cursor.data, header.end(), *counts)
        _report_body(cursor, header.end(), walked, counts)
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


def _report_body(cursor: Cursor, body: int, walked: _Walk, promised: tuple[int, int]) -> None:
    data, position = cursor.data, walked.end
    line = cursor.line + 1 + walked.total
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
            "An empty line stands inside a hunk.",
            "Begin an unchanged empty line with one space; remove the line if it does not belong there.",
            line=line,
        )
    elif sign and sign not in b" +-" and not _begins_header(data, position):
        cursor.report(
            "diff.hunk_line",
            "A line inside a hunk begins with none of space, +, - and backslash.",
            "Begin every line of a hunk with its sign; unchanged lines begin with one space.",
            line=line,
        )
    else:
        cursor.report(
            "diff.hunk_counts",
            f"The hunk header promises {promised[0]} old and {promised[1]} new lines; "
            f"the hunk has {actual_old} old and {actual_new} new.",
            "Correct the numbers in the header, or give the whole hunk.",
            line=line,
        )


def _begins_header(data: bytes, position: int) -> bool:
    return data.startswith((b"@@ ", b"diff --git ", b"diff -", b"Binary files "), position)


def _report_numbers(cursor: Cursor, last: PatchHunk | None, hunk: PatchHunk, offset: int) -> None:
    """Say what is wrong with a hunk's numbers, given the hunk before and the lines added so far."""
    if (hunk.old_start == 0 and hunk.old_lines) or (hunk.new_start == 0 and hunk.new_lines):
        cursor.report(
            "diff.hunk_start",
            "A hunk with lines can't start at line 0.",
            "Lines count from 1; only an empty side starts at 0.",
            line=hunk.line,
        )
        return
    if not hunk.added and not hunk.removed:
        cursor.report(
            "diff.hunk_without_change",
            "This hunk changes nothing.",
            "Leave it out, or add the lines it is meant to change.",
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
            "This hunk overlaps the hunk before it or stands before it.",
            "List the hunks of a file in ascending order without overlap.",
            line=hunk.line,
        )
    elif hunk.new_first != hunk.old_first + offset:
        expected = hunk.old_first + offset + (1 if hunk.new_lines else 0)
        cursor.report(
            "diff.hunk_new_start",
            f"The new start {hunk.new_start} does not follow from the hunks before; it must be {expected}.",
            f"Correct the header: the old start, moved by the {offset:+d} lines of the hunks before.",
            line=hunk.line,
        )


def _check_markers(cursor: Cursor, body: int, end: int) -> tuple[bool, bool]:
    """Check each end-of-file marker of the hunk at the cursor; say which sides end without newline."""
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
            _report_marker(cursor, number, "A line follows the line that is marked as the file's last.")
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
        "Save the diff with LF line ends; CR may only stand inside the hunks of a CRLF file.",
        column=len(cursor.current()),
    )
