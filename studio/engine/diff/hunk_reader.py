"""Fast strict parser for one file's hunks in a unified diff.

The first bytes of all lines at once are enough to check the counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from operator import itemgetter

from msgspec import Struct

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.hunk_problems import report_hunks
from studio.engine.diff.hunks import HEADER, Hunks, PatchHunk

_FIRST_BYTE = itemgetter(0)
# One match per line that begins with @; its groups are empty where it is no valid header.
_HEADERS = re.compile(rb"\n@(?:" + HEADER.pattern[1:] + rb")?")
_SPACE, _PLUS, _MINUS, _BACKSLASH = b" +-\\"
_BODY_SIGNS = b" +-\\"
_SIGNS = b" +-\\@"
# A marker ends its side of the file: only lines of the other side, and their marker, may follow.
_MARKED = re.compile(rb"[ +\-]*(?: \\|-\\(?:\++\\?)?|\+\\(?:-+\\?)?)")
# Most counts are small: a table takes half the time of int().
_COUNTS = {b"": 1, **{b"%d" % number: number for number in range(1, 200)}}
_PIECE_BYTES = 1 << 20
"""Approximate size of the pieces read, so that a huge file is not copied whole."""


_CLOSED = (False, False)


class _Progress(Struct):
    """State after the hunks read so far: end, counts, next position.

    `lines` counts lines of the diff. `least_first` is the first 0-based line of the base that the next hunk
    may have, `shift` the lines added less those removed; `short` is set where the next hunk's counts go
    beyond the text scanned.
    """

    end: int
    count: int = 0
    lines: int = 0
    least_first: int = 0
    shift: int = 0
    ends_open: tuple[bool, bool] = _CLOSED
    short: bool = False


def read_hunks(cursor: Cursor, *, plain: bool = False) -> Sequence[PatchHunk]:
    """Parse the hunks at the cursor.

    Ends at the first line that begins no hunk; problems are added to the cursor. Counts must be exact, hunks
    must ascend without overlap and each change something, new starts must be the old starts plus the lines
    added so far, and end-of-file markers must be at the end. `plain` is set where the next file may begin
    without a `diff --git` line.
    """
    if not cursor.starts(b"@@ "):
        return ()
    hunks = _read_valid(cursor, plain=plain)
    return report_hunks(cursor) if hunks is None else hunks


def _read_valid(cursor: Cursor, *, plain: bool) -> Hunks | None:
    """Parse the hunks if all are valid; else None, cursor unmoved."""
    data = cursor.data
    start = border = cursor.position
    progress = _Progress(start)
    while True:
        border = cursor.file_border(border, plain=plain)
        if not _read_run(data, border, progress):
            return None
        if not progress.short:
            break
        # Lines that look like the headers of the next file may be the last lines of this one's hunk.
        if border == cursor.git_border(start):
            return None
    hunks = Hunks(
        data,
        start,
        progress.end,
        line=cursor.line,
        count=progress.count,
        ends_open=progress.ends_open,
    )
    cursor.jump(progress.end, progress.lines)
    return hunks


def _read_run(data: bytes, border: int, progress: _Progress) -> bool:
    """Validate the hunks from `progress.end` to at most `border`.

    False where one is invalid. The last one may be `short`: then progress ends before it.
    """
    start = progress.end
    signs, headers = _scan(data, start, border)
    # Every line that begins with @ has one header and separates the signs of two hunks.
    bodies = signs[1:].split(b"@")
    has_markers = b"\\" in signs
    least_first, shift, count, lines_read = progress.least_first, progress.shift, 0, 0
    short = ended = False
    small_count = _COUNTS.get
    for (old_start, old_count, new_start, new_count), body in zip(headers, bodies, strict=True):
        if not old_start:
            return False
        old_lines, new_lines = (
            small_count(old_count) or int(old_count),
            small_count(new_count) or int(new_count),
        )
        lines, added, removed = len(body), body.count(b"+"), body.count(b"-")
        if lines - added != old_lines or lines - removed != new_lines or (has_markers and b"\\" in body):
            # Markers, lines after the file's last hunk, or wrong counts.
            own_signs = _hunk_signs(body, old_lines, new_lines)
            if own_signs is None:
                short = count + 1 == len(bodies)
                break
            ended = True
            lines, added, removed = len(own_signs), own_signs.count(b"+"), own_signs.count(b"-")
            if b"\\" in own_signs:
                if not _MARKED.fullmatch(own_signs) or (lines == len(body) and count + 1 < len(bodies)):
                    return False
                is_both_sides = b" \\" in own_signs
                progress.ends_open = (
                    is_both_sides or b"-\\" in own_signs,
                    is_both_sides or b"+\\" in own_signs,
                )
        old_first = int(old_start) - 1 if old_lines else int(old_start)
        new_first = int(new_start) - 1 if new_lines else int(new_start)
        if old_first < least_first or new_first != old_first + shift or not (added or removed):
            return False
        # A hunk without old lines still occupies its position: two insertions there have no order.
        least_first = old_first + (old_lines or 1)
        shift += new_lines - old_lines
        count += 1
        lines_read += 1 + lines
        if ended:
            break
    if not (short or ended or count == len(bodies)):
        return False
    end = border if lines_read == len(signs) else _line_start(data, start, border, lines_read, len(signs))
    if signs[:lines_read].strip(_SIGNS) or (has_markers and _holds_odd_marker(data, start, end)):
        return False
    progress.end, progress.short = end, short
    progress.least_first, progress.shift = least_first, shift
    progress.count += count
    progress.lines += lines_read
    return True


def _hunk_signs(signs: bytes, old_lines: int, new_lines: int) -> bytes | None:
    """Return the leading lines that meet both counts, and markers after them.

    None where no prefix meets them.
    """
    for number, sign in enumerate(signs):
        if not old_lines and not new_lines and sign != _BACKSLASH:
            return signs[:number]
        old_lines -= sign in (_SPACE, _MINUS)
        new_lines -= sign in (_SPACE, _PLUS)
        if old_lines < 0 or new_lines < 0 or sign not in _BODY_SIGNS:
            return None
    return None if old_lines or new_lines else signs


def _scan(data: bytes, start: int, end: int) -> tuple[bytes, list[tuple[bytes, ...]]]:
    """Return the first byte of each line, and each header's numbers.

    Every line that begins with @ has one item among the numbers.
    """
    pieces: list[bytes] = []
    headers = [b""]
    while start < end:
        piece_end = end
        if end - start > _PIECE_BYTES:
            piece_end = data.index(b"\n", start + _PIECE_BYTES - 1) + 1
        lines = BytesIO(data[start:piece_end]).readlines()
        # A bytearray collects them faster than bytes.
        signs = bytes(bytearray(map(_FIRST_BYTE, lines)))
        at = signs.find(b"@")
        while at >= 0:
            headers.append(lines[at])
            at = signs.find(b"@", at + 1)
        pieces.append(signs)
        start = piece_end
    return b"".join(pieces), _HEADERS.findall(b"\n".join(headers))


def _line_start(data: bytes, start: int, end: int, number: int, total: int) -> int:
    """Return the offset of the 0-based line `number` of `total` lines."""
    if number <= total // 2:
        for _ in range(number):
            start = data.index(b"\n", start) + 1
        return start
    for _ in range(total - number):
        end = data.rindex(b"\n", start, end - 1) + 1
    return end


def _holds_odd_marker(data: bytes, start: int, end: int) -> bool:
    """Return whether a backslash line is no end-of-file marker (lacks the space)."""
    return data.count(b"\n\\", start - 1, end) != data.count(b"\n\\ ", start - 1, end)
