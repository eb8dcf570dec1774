"""What names a place in a file: the definition before it, or the first one after it."""

from __future__ import annotations

import re

from studio.engine.text import Lines

DEFINITION_SEARCH_LINES = 2000
"""How many lines are looked through for the definition that names a band or a fold."""

_DEFINITION = re.compile(
    rb"[ \t]*(?:(?:export|default|async|public|private|protected|internal|static|final|abstract|override|pub"
    rb"|inline|extern|unsafe|sealed|partial|virtual|declare)(?:\([a-z]+\))?[ \t]+)*"
    rb"(?:def|class|function|fn|func|fun|struct|enum|interface|trait|impl|module|namespace|record|type|union"
    rb"|sub|procedure|macro_rules!|#define|protocol|extension|object)\b[ \t*]*[\w$(<\"]"
    rb"|#{1,6} \S|\[[\w.\-\" ]+\][ \t]*\r?\n?\Z|(?i:create[ \t]+(?:or[ \t]+replace[ \t]+)?"
    rb"(?:table|view|function|procedure|trigger|index))\b"
)
_HEADING = re.compile(rb"[ \t]*#{1,6} ")
# C functions, selectors, keys: a name in column 1 with a sign that something begins there.
_LIKELY_DEFINITION = re.compile(rb"[A-Za-z_$.@][^\n]*(?:\(|[:{][ \t]*\r?\n?\Z)")
_TEXT_BYTES = 160


def definition_before(lines: Lines, line: int) -> str:
    """The nearest definition before the 0-based `line`; else what looks like one in column 1."""
    likely = ""
    for index in range(min(line, len(lines)) - 1, max(-1, line - 1 - DEFINITION_SEARCH_LINES), -1):
        text = _head(lines, index)
        if _is_definition(lines, index, text):
            return _display(text)
        if not likely and _LIKELY_DEFINITION.match(text):
            likely = _display(text)
    return likely


def first_definition(lines: Lines, first: int, count: int) -> str:
    """The first definition among `count` lines from the 0-based line `first`; empty without one."""
    for index in range(first, min(first + min(count, DEFINITION_SEARCH_LINES), len(lines))):
        text = _head(lines, index)
        if _is_definition(lines, index, text):
            return _display(text)
    return ""


def _is_definition(lines: Lines, index: int, text: bytes) -> bool:
    """Whether something is named there. A heading stands alone: elsewhere such lines are comments."""
    if not _DEFINITION.match(text):
        return False
    return not _HEADING.match(text) or (_is_blank(lines, index - 1) and _is_blank(lines, index + 1))


def _is_blank(lines: Lines, index: int) -> bool:
    return not 0 <= index < len(lines) or not _head(lines, index).strip()


def _head(lines: Lines, index: int) -> bytes:
    """The beginning of a line: enough to name a section, however long the line is."""
    start = lines.starts[index]
    return lines.data[start : min(lines.starts[index + 1], start + _TEXT_BYTES)]


def _display(head: bytes) -> str:
    return head.decode("utf-8", "replace").strip()
