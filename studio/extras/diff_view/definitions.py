"""Definitions around lines: functions, classes, sections.

What is not certain has no name. A file is read by its indentation, with comments and strings blanked out: a
definition ends before the next line of code that is indented no deeper than its own first one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from studio.extras.diff_view.languages import Ends, Language, language_of
from studio.text import Lines

NAMED_BYTES = 4 * 1024 * 1024
"""Largest file whose definitions are searched."""

_TEXT_BYTES = 160
_HEADER_BYTES, _HEADER_LINE_BYTES = 4000, 400


class Outline:
    """Definitions of a file, in order, with their extents.

    `firsts` are their 0-based lines, `ends` the lines after them, `parents` the indexes of what encloses them
    or -1.
    """

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.ends: list[int] = []
        self.parents: list[int] = []

    def enclosing(self, first: int, end: int) -> int:
        """Return the innermost definition around some lines, else -1.

        It begins before the 0-based line `first` and goes on to `end` (exclusive).
        """
        index = bisect_left(self.firsts, first) - 1
        while index >= 0 and self.ends[index] < end:
            index = self.parents[index]
        return self.firsts[index] if index >= 0 else -1

    def first_in(self, first: int, end: int) -> int:
        """Return the first definition that begins in a range, else -1."""
        index = bisect_left(self.firsts, first)
        return self.firsts[index] if index < len(self.firsts) and self.firsts[index] < end else -1


def is_named(path: str, size: int) -> bool:
    """Return whether such a file may have definitions."""
    return size <= NAMED_BYTES and language_of(path) is not None


def outline_of(path: str, data: bytes) -> Outline:
    """Return the definitions of a file, none where its language is unknown."""
    language = language_of(path)
    return Outline() if language is None else _Reader(language, data).read()


def definition_text(lines: Lines, line: int) -> str:
    """Return the beginning of a definition's line, "" for -1."""
    if line < 0:
        return ""
    start = lines.starts[line]
    head = lines.data[start : min(lines.starts[line + 1], start + _TEXT_BYTES)]
    return head.decode("utf-8", "replace").strip()


_IN_STRING = 1
"""Byte that replaces all of a string but its first."""

_BLANKS = bytes(10 if byte == 10 else 32 for byte in range(256))
_IN_STRINGS = bytes(10 if byte == 10 else _IN_STRING for byte in range(256))
_SIGNS = re.compile(rb"[()\[\]{}:;]")
_DONE = re.compile(rb"(?:;|\bend)\s*\Z|\)?\s=\s")
_UNDERLINE = re.compile(rb" {0,3}(=|-)\1+[ \t]*\r?\Z")
_NEXT_LINE = re.compile(rb"\n([ \t]*)([^\s])")


class _Open(NamedTuple):
    number: int
    indent: int
    kind: str | None


class _Reader:
    """Reader of one file, from its first line to its last."""

    def __init__(self, language: Language, data: bytes) -> None:
        self._language, self._data = language, data
        self._code = data if language.masks is None else language.masks.sub(_blank, data)
        self._outline = Outline()
        self._open: list[_Open] = []
        self._end = 0
        """The line after the last one with code."""

    def read(self) -> Outline:
        if self._language.ends is Ends.SECTION:
            self._read_sections()
        else:
            self._read_blocks()
        self._close(0)
        return self._outline

    def _read_sections(self) -> None:
        language, lines = self._language, self._code.split(b"\n")
        for number, line in enumerate(lines):
            if not line.strip():
                continue
            found = language.definition.match(line)
            level = len(found[1]) if found else 0
            if not level and language.skipped is not None and language.skipped.match(line):
                drawn = _UNDERLINE.match(lines[number + 1]) if number + 1 < len(lines) else None
                level = 0 if drawn is None else 1 if drawn[1] == b"=" else 2
            if level:
                while self._open and self._open[-1].indent >= level:
                    self._close(len(self._open) - 1)
                self._enter(number, level, None)
            self._end = number + 1

    def _read_blocks(self) -> None:
        skipped, definition, start, header_end = self._language.skipped, self._definition, 0, 0
        for number, line in enumerate(self._code.split(b"\n")):
            text = line.lstrip()
            begin, start = start + len(line) - len(text), start + len(line) + 1
            if not text:
                continue
            indent = _columns(line[: len(line) - len(text)])
            if begin < header_end or text[0] == _IN_STRING:
                self._check_string(begin, indent)
                self._end = number + 1
                continue
            if skipped is not None and skipped.match(text):
                continue
            goes_on = (
                bool(self._open) and indent <= self._open[-1].indent and self._leave(text, indent, number)
            )
            self._end = number + 1
            found = None if goes_on else definition(text, indent)
            opened = self._opened(begin + found.end(), indent) if found else 0
            if found and opened:
                header_end = opened
                self._enter(number, indent, found.lastgroup)

    def _definition(self, text: bytes, indent: int) -> re.Match[bytes] | None:
        around = self._open[-1].kind if self._open else None
        if around == "text" or len(text) > _HEADER_LINE_BYTES:
            return None
        found, bare = self._language.definition.match(text), self._language.bare
        if found is None and bare is not None and (not indent or around == "type"):
            return bare.match(text)
        return found

    def _enter(self, number: int, indent: int, kind: str | None) -> None:
        outline = self._outline
        outline.parents.append(self._open[-1].number if self._open else -1)
        self._open.append(_Open(len(outline.firsts), indent, kind))
        outline.firsts.append(number)
        outline.ends.append(number + 1)

    def _leave(self, text: bytes, indent: int, number: int) -> bool:
        """End what a line is not in; return whether one goes on."""
        while self._open and indent < self._open[-1].indent:
            self._close(len(self._open) - 1)
        if not self._open or indent > self._open[-1].indent:
            return False
        if text.startswith(self._language.closers):
            self._end = number + 1
            self._close(len(self._open) - 1)
            return True
        if text[:1] in b")]{":
            return True
        self._close(len(self._open) - 1)
        return False

    def _close(self, depth: int) -> None:
        while len(self._open) > depth:
            self._outline.ends[self._open.pop().number] = self._end

    def _check_string(self, begin: int, indent: int) -> None:
        """End all where a string holds a definition around it."""
        if self._open and indent <= self._open[-1].indent and self._code[begin] == _IN_STRING:
            line = self._data[begin : self._data.find(b"\n", begin)]
            blanks = len(line) - len(line.lstrip(b" \t"))
            if blanks <= self._open[-1].indent and self._language.definition.match(line[blanks:]):
                self._close(0)

    def _opened(self, start: int, indent: int) -> int:
        """Return the offset where a definition's body begins.

        0 where it has none, or ends on the same line.
        """
        code, ends, depth = self._code, self._language.ends, 0
        line_end = code.find(b"\n", start)
        line_end = len(code) if line_end < 0 else line_end
        if ends is Ends.LINE:
            return 0 if _DONE.search(code, start, line_end) else line_end
        for sign in _SIGNS.finditer(code, start, start + _HEADER_BYTES):
            byte = sign[0]
            if byte == ends.value and not depth:
                rest = code[sign.end() : code.find(b"\n", sign.end())]
                is_done = rest.strip() if ends is Ends.COLON else rest.count(b"}") > rest.count(b"{")
                return (
                    0 if is_done or not _is_one_header(code[line_end : sign.start()], indent) else sign.end()
                )
            depth += (byte in b"([{") - (byte in b")]}")
            if depth < 0 or (byte == b";" and not depth):
                return 0
        return 0


def _is_one_header(text: bytes, indent: int) -> bool:
    """Return whether no other statement begins before the body."""
    lines = _NEXT_LINE.finditer(text + b"{") if text else ()
    return all(_columns(line[1]) > indent or line[2] in b")]>{:w-" for line in lines)


def _blank(found: re.Match[bytes]) -> bytes:
    """Return what replaces a comment or a string."""
    text = found[0]
    return (
        text[:1] + text[1:].translate(_IN_STRINGS) if found.lastgroup == "string" else text.translate(_BLANKS)
    )


def _columns(blanks: bytes) -> int:
    return len(blanks.expandtabs(8)) if b"\t" in blanks else len(blanks)
