"""Line-ending conversion of proposed text to match the existing file.

Agents read files through tools that show every line end as LF, and send LF back, so that the text says
nothing about the line ends of the file. Text that contains CRLF does, and is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import repeat

from studio.engine.diff.line_diff import Change, compute
from studio.text import TextForm, decode_text

CRLF = "\r\n"


def with_line_ends_of(text: str, base: bytes, form: TextForm) -> str:
    """Return a file's new text with the line ends of `base`.

    `form` is the text form of `base`. The same object is returned where nothing is adapted.
    """
    if "\n" not in text or CRLF in text or form.line_ending != "mixed":
        return form.with_line_ends(text)
    before = decode_text(base, form)
    adapted = replaced_lines(before, text, end_before(before, 0))
    return text if adapted == text else adapted


def replaced_lines(old: str, new: str, default: str) -> str:
    """Return new lines with the ends of those they keep or replace.

    Lines that are only added copy the end of the line before them, the first one `default`. Whether the last
    line has an end is up to `new`.
    """
    old_lines = _lines(old)
    difference = compute(_bytes(old.replace(CRLF, "\n")), _bytes(new.replace(CRLF, "\n")), 0)
    end = default
    pieces: list[str] = []
    for line, origin in zip(_lines(new), _origins(difference.changes, len(old_lines)), strict=True):
        if origin is not None:
            end = end_of(old_lines[origin]) or end
        line_end = end_of(line)
        pieces.append(line[: -len(line_end)] + end if line_end else line)
    return "".join(pieces)


def end_before(text: str, at: int) -> str:
    """Return the last line end before an offset, else the first."""
    found = text.rfind("\n", 0, at)
    if found < 0:
        found = text.find("\n")
    return CRLF if found > 0 and text[found - 1] == "\r" else "\n"


def end_of(line: str) -> str:
    """Return the end of a line, "" where it has none."""
    if line.endswith(CRLF):
        return CRLF
    return "\n" if line.endswith("\n") else ""


def _origins(changes: Iterable[Change], old_total: int) -> Iterator[int | None]:
    """Yield each new line's 0-based source among the old lines.

    That is the line it keeps or replaces; None for one that is only added.
    """
    at = 0
    for change in changes:
        yield from range(at, change.old_first)
        pair_count = min(change.old_count, change.new_count)
        yield from range(change.old_first, change.old_first + pair_count - 1)
        if pair_count:
            # Where there are fewer new lines than old, the last one takes the end of the last old line.
            yield change.old_end - 1 if change.new_count == pair_count else change.old_first + pair_count - 1
        yield from repeat(None, change.new_count - pair_count)
        at = change.old_end
    yield from range(at, old_total)


def _lines(text: str) -> list[str]:
    # Of StringIO's newline modes only this one neither translates nor ends a line at CR.
    return list(StringIO(text, newline="\n"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
