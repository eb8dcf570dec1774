"""Changes that every tool is asked to write: each has a name, a tree before and a tree after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

Tree = Mapping[str, bytes]

_LINES: Final = [f"line {number} of the text".encode() for number in range(1, 21)]
TEXT: Final = b"\n".join(_LINES) + b"\n"
"""Long enough for two hunks, and for a tool to find a rename by its content."""

_PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))


@dataclass(frozen=True, slots=True)
class Change:
    """What a person did to a tree. `moves` and `copies` are told to tools that keep them."""

    name: str
    before: Tree
    after: Tree
    moves: Sequence[tuple[str, str]] = ()
    copies: Sequence[tuple[str, str]] = ()
    executable: frozenset[str] = frozenset()
    """Files that a program may be run from after the change, and not before."""


def _edited(text: bytes = TEXT, line: int = 10, end: bytes = b"\n") -> bytes:
    lines = text.split(end)
    lines[line - 1] = lines[line - 1].replace(b"text", b"changed text")
    return end.join(lines)


def _in_file(name: str, before: bytes, after: bytes, path: str = "f.txt") -> Change:
    return Change(name, {path: before}, {path: after})


_KEPT: Final = {"kept.txt": b"kept\n"}
_CRLF: Final = TEXT.replace(b"\n", b"\r\n")
_MIXED: Final = TEXT.replace(b"line 9 of the text\n", b"line 9 of the text\r\n")
_OPEN: Final = TEXT[:-1]
_DASHES: Final = b"-- one\n++ two\n-- three\n four\n@@ -1 +1 @@\nIndex: five\n"
_BLANKS: Final = b"one\n\n\ntwo\n\n  \nthree\n\n"

CHANGES: Final = (
    _in_file("modify", TEXT, _edited()),
    _in_file("modify far apart", TEXT, _edited(_edited(line=2), 19)),
    _in_file("modify in a folder", TEXT, _edited(), "src/deep/f.py"),
    _in_file("first line added", TEXT, b"new\n" + TEXT),
    _in_file("last line added", TEXT, TEXT + b"new\n"),
    _in_file("one line", b"one\n", b"two\n"),
    Change("two files", {"a.txt": TEXT, "b.txt": TEXT}, {"a.txt": _edited(), "b.txt": _edited(line=3)}),
    Change("add", _KEPT, {**_KEPT, "new.txt": b"one\ntwo\n"}),
    Change("add in a folder", _KEPT, {**_KEPT, "src/new/n.py": b"one\ntwo\n"}),
    Change("delete", {**_KEPT, "f.txt": TEXT}, _KEPT),
    Change("delete in a folder", {**_KEPT, "src/old/f.py": TEXT}, _KEPT),
    Change("add an empty file", _KEPT, {**_KEPT, "empty.txt": b""}),
    Change("delete an empty file", {**_KEPT, "empty.txt": b""}, _KEPT),
    _in_file("empty a file", TEXT, b""),
    _in_file("fill an empty file", b"", TEXT),
    Change("rename", {"f.txt": TEXT}, {"g.txt": TEXT}, moves=[("f.txt", "g.txt")]),
    Change("rename and edit", {"f.txt": TEXT}, {"g.txt": _edited()}, moves=[("f.txt", "g.txt")]),
    Change("rename into a folder", {"f.txt": TEXT}, {"src/f.txt": TEXT}, moves=[("f.txt", "src/f.txt")]),
    Change("copy", {"f.txt": TEXT}, {"f.txt": TEXT, "g.txt": TEXT}, copies=[("f.txt", "g.txt")]),
    Change(
        "copy and edit", {"f.txt": TEXT}, {"f.txt": TEXT, "g.txt": _edited()}, copies=[("f.txt", "g.txt")]
    ),
    Change("mode", {"run": TEXT}, {"run": TEXT}, executable=frozenset({"run"})),
    Change("mode and edit", {"run": TEXT}, {"run": _edited()}, executable=frozenset({"run"})),
    Change("add a program", _KEPT, {**_KEPT, "run": b"#!/bin/sh\n"}, executable=frozenset({"run"})),
    _in_file("binary", _PNG, _PNG[::-1], "p.png"),
    Change("add a binary", _KEPT, {**_KEPT, "p.png": _PNG}),
    Change("delete a binary", {**_KEPT, "p.png": _PNG}, _KEPT),
    _in_file("name with blanks", TEXT, _edited(), "my first file.txt"),
    _in_file("name with a quote", TEXT, _edited(), 'say "hi".txt'),
    _in_file("name with umlaut", TEXT, _edited(), "grüße.txt"),
    _in_file("name with a tab", TEXT, _edited(), "a\tb.txt"),
    _in_file("name that ends with a blank", TEXT, _edited(), "end "),
    _in_file("name with a backslash", TEXT, _edited(), "back\\slash.txt"),
    _in_file("name as a prefix", TEXT, _edited(), "b/a/b/f.txt"),
    _in_file("folder called w", TEXT, _edited(), "w/f.txt"),
    Change("add with a blank", _KEPT, {**_KEPT, "a new file.txt": TEXT}),
    Change("delete with a blank", {**_KEPT, "an old file.txt": TEXT}, _KEPT),
    Change("rename with a blank", {"f f.txt": TEXT}, {"g g.txt": TEXT}, moves=[("f f.txt", "g g.txt")]),
    _in_file("final newline added", _OPEN, TEXT),
    _in_file("final newline removed", TEXT, _OPEN),
    _in_file("no final newline", _OPEN, _OPEN + b" and more"),
    _in_file("no final newline, kept", _OPEN, _edited(_OPEN, 18)),
    Change("add without final newline", _KEPT, {**_KEPT, "new.txt": b"one\ntwo"}),
    Change("delete without final newline", {**_KEPT, "f.txt": b"one\ntwo"}, _KEPT),
    _in_file("CRLF", _CRLF, _edited(_CRLF, end=b"\r\n")),
    Change("add with CRLF", _KEPT, {**_KEPT, "new.txt": b"one\r\ntwo\r\n"}),
    _in_file("CRLF without final newline", _CRLF[:-2], _edited(_CRLF[:-2], 19, b"\r\n")),
    _in_file("mixed line ends", _MIXED, _edited(_MIXED)),
    _in_file("LF to CRLF", TEXT, _CRLF),
    _in_file("CR inside lines", TEXT.replace(b"of", b"\r"), _edited(TEXT.replace(b"of", b"\r"))),
    _in_file("byte order mark", b"\xef\xbb\xbf" + TEXT, _edited(b"\xef\xbb\xbf" + TEXT, 1)),
    _in_file("byte order mark removed", b"\xef\xbb\xbf" + TEXT, TEXT),
    _in_file("Latin-1", TEXT.replace(b"of", b"\xfcb\xe9r"), _edited(TEXT.replace(b"of", b"\xfcb\xe9r"))),
    _in_file("UTF-8", TEXT.replace(b"of", "für".encode()), _edited(TEXT.replace(b"of", "für".encode()))),
    _in_file("UTF-16", TEXT.decode().encode("utf-16"), _edited().decode().encode("utf-16")),
    _in_file("other line separators", TEXT.replace(b"of", b"\x0c\x0b\x1c\xc2\x85\xe2\x80\xa8"), TEXT),
    _in_file("lines like headers", _DASHES, b"-- 1\n++ 2\n-- 3\n 4\n@@ -1 +1 @@\nIndex: five\n"),
    _in_file("lines like headers removed", _DASHES + TEXT, TEXT),
    _in_file("blank lines", _BLANKS, b"one\n\n\ntwo\nmore\n\n  \nthree\n\n"),
    _in_file("blank last line removed", TEXT + b"\n", TEXT),
    _in_file("blank lines at the end", TEXT + b"\n\n\n", _edited(TEXT, 20) + b"\n\n\n"),
    Change("file to folder", {"conf": TEXT}, {"conf/base": _edited()}),
    Change("folder to file", {"conf/base": TEXT}, {"conf": _edited()}),
)
