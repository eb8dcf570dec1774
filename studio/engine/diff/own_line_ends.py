"""Line ends of text that comes into a file: lines that stay keep theirs, new ones take their neighbour's.

Agents read files through tools that show every line end as LF, and send LF back: the text says nothing about
the line ends of the file. One that has CRLF itself does, and is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import repeat

from studio.engine.diff.compute import Change, compute
from studio.engine.text import TextForm, decode_text

CRLF = "\r\n"


def with_line_ends_of(text: str, base: bytes, form: TextForm) -> str:
    """Return the whole new text of a file with the line ends of its lines in `base`.

    `form` is how `base` is text. The same object is returned where nothing is adapted.
    """
    if "\n" not in text or CRLF in text or form.line_ending != "mixed":
        return in_common_line_end(text, form)
    before = decode_text(base, form)
    adapted = replaced_lines(before, text, end_before(before, 0))
    return text if adapted == text else adapted


def in_common_line_end(text: str, form: TextForm) -> str:
    """Return text for a part of a file in CRLF, where the file has it throughout and the text LF alone."""
    if "\n" not in text or CRLF in text or form.line_ending != "CRLF":
        return text
    return text.replace("\n", CRLF)


def replaced_lines(old: str, new: str, default: str) -> str:
    """Return lines that replace the lines `old`, each with the end of the line that it keeps or replaces.

    Lines that are only added take the end of the line before them, the first one `default`. Whether the last
    line has an end is up to `new`.
    """
    old_lines = _lines(old)
    difference = compute(_bytes(old.replace(CRLF, "\n")), _bytes(new.replace(CRLF, "\n")), 0)
    end = default
    pieces: list[str] = []
    for line, origin in zip(_lines(new), _origins(difference.changes, len(old_lines)), strict=True):
        if origin is not None:
            end = end_of(old_lines[origin]) or end
        own = end_of(line)
        pieces.append(line[: -len(own)] + end if own else line)
    return "".join(pieces)


def end_before(text: str, at: int) -> str:
    """Return the last line end before an offset; where there is none, the first one of the text."""
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
    """For each new line the 0-based old line that it keeps or replaces, None for one that is only added."""
    at = 0
    for change in changes:
        yield from range(at, change.old_first)
        paired = min(change.old_count, change.new_count)
        yield from range(change.old_first, change.old_first + paired - 1)
        if paired:
            # Where fewer lines come than go, the last one has the end that is left of them.
            yield change.old_end - 1 if change.new_count == paired else change.old_first + paired - 1
        yield from repeat(None, change.new_count - paired)
        at = change.old_end
    yield from range(at, old_total)


def _lines(text: str) -> list[str]:
    # Of the newlines that StringIO knows only this one neither translates nor ends a line at CR.
    return list(StringIO(text, newline="\n"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
