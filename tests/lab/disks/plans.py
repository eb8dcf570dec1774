"""The plans that every disk is given: the steps, and the tree that they must leave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Tree = dict[str, tuple[int, bytes | None]]
"""Path → permission bits, bytes (None: a folder)."""

_LINES = [b"line %d\n" % number for number in range(40)]
_CRLF = b"one\r\ntwo\r\nthree\r\n"

START: Tree = {
    "a.txt": (0o644, b"".join(_LINES)),
    "empty": (0o755, None),
    "gone": (0o755, None),
    "gone/inner": (0o755, None),
    "gone/inner/two.txt": (0o644, b"2\n"),
    "gone/one.txt": (0o644, b"1\n"),
    "left.txt": (0o644, b"left\n"),
    "own.txt": (0o600, b"own\n"),
    "right.txt": (0o644, b"right\n"),
    "run.sh": (0o755, b"#!/bin/sh\n"),
    "sub": (0o755, None),
    "sub/b.txt": (0o644, _CRLF),
    "sub/c.bin": (0o644, bytes(range(256))),
    "tool": (0o644, b"#!/bin/sh\n"),
    "\u00fcber.txt": (0o644, b"accent\n"),
}

_HUNKS = (
    b"--- a/a.txt\n+++ b/a.txt\n"
    b"@@ -2,3 +2,3 @@\n line 1\n-line 2\n+LINE 2\n line 3\n"
    b"@@ -20,3 +20,4 @@\n line 19\n-line 20\n+LINE 20\n+and more\n line 21\n"
    b"@@ -38,3 +39,2 @@\n line 37\n-line 38\n line 39\n"
)


def _hunks(*chosen: int) -> bytes:
    lines = list(_LINES)
    if 3 in chosen:
        del lines[38]
    if 2 in chosen:
        lines[20:21] = [b"LINE 20\n", b"and more\n"]
    if 1 in chosen:
        lines[2] = b"LINE 2\n"
    return b"".join(lines)


@dataclass(frozen=True, slots=True)
class Trial:
    """One plan: its text, the words of its approval, and what is another entry then (None: gone)."""

    name: str
    text: bytes
    after: Mapping[str, tuple[int, bytes | None] | None]
    choose: tuple[str, ...] = ()

    def expected(self) -> Tree:
        """The tree that it must leave."""
        return {path: entry for path, entry in {**START, **self.after}.items() if entry is not None}


def _plan(
    name: str, after: Mapping[str, tuple[int, bytes | None] | None], *steps: Mapping[str, Any]
) -> Trial:
    return Trial(name, json.dumps({"title": name, "steps": list(steps)}).encode(), after)


_NEW = {"op": "create", "path": "new.txt", "content": "new\n"}
_DEEP = {"op": "create", "path": "x/y/deep.sh", "content": "deep\n", "executable": True}
_RENAME = {"op": "move", "path": "own.txt", "to": "mine.txt"}

TRIALS = (
    _plan(
        "modify",
        {"sub/b.txt": (0o644, b"one\r\nzwei\r\nthree\r\n"), "own.txt": (0o600, b"x\n" * 9999)},
        {"op": "modify", "path": "sub/b.txt", "edits": [{"old": "two", "new": "zwei"}]},
        {"op": "modify", "path": "own.txt", "content": "x\n" * 9999},
    ),
    Trial("several hunks", _HUNKS, {"a.txt": (0o644, _hunks(1, 2, 3))}),
    Trial("some hunks", _HUNKS, {"a.txt": (0o644, _hunks(1, 3))}, ("--hunks", "1:1,3")),
    _plan("create", {"new.txt": (0o644, b"new\n")}, _NEW),
    _plan("create an empty file", {"nil": (0o644, b"")}, {"op": "create", "path": "nil", "content": ""}),
    _plan(
        "create in new folders",
        {"x": (0o755, None), "x/y": (0o755, None), "x/y/deep.sh": (0o755, b"deep\n")},
        _DEEP,
    ),
    _plan(
        "delete",
        {"\u00fcber.txt": None, "sub/c.bin": None},
        {"op": "delete", "path": "\u00fcber.txt"},
        {"op": "delete", "path": "sub/c.bin"},
    ),
    _plan("rename", {"own.txt": None, "mine.txt": (0o600, b"own\n")}, _RENAME),
    _plan(
        "move to another folder",
        {"run.sh": None, "sub/run.sh": (0o755, b"#!/bin/sh\n"), "tool": None, "tools": (0o755, None)}
        | {"tools/tool": (0o644, b"#!/bin/sh\nexit\n")},
        {"op": "move", "path": "run.sh", "to": "sub/run.sh"},
        {"op": "move", "path": "tool", "to": "tools/tool", "edits": [{"old": "sh\n", "new": "sh\nexit\n"}]},
    ),
    _plan("mode", {"tool": (0o755, b"#!/bin/sh\n")}, {"op": "mode", "path": "tool", "executable": True}),
    _plan(
        "mode back",
        {"run.sh": (0o644, b"#!/bin/sh\n")},
        {"op": "mode", "path": "run.sh", "executable": False},
    ),
    _plan(
        "copy",
        {"d.bin": (0o644, bytes(range(256))), "empty/run.sh": (0o755, b"#!/bin/sh\n")},
        {"op": "copy", "path": "sub/c.bin", "to": "d.bin"},
        {"op": "copy", "path": "run.sh", "to": "empty/run.sh"},
    ),
    _plan(
        "new folders",
        {"m": (0o755, None), "m/n": (0o755, None)},
        {"op": "mkdir", "path": "m"},
        {"op": "mkdir", "path": "m/n"},
    ),
    _plan(
        "delete a folder",
        {"gone": None, "gone/inner": None, "gone/inner/two.txt": None, "gone/one.txt": None},
        {"op": "delete", "path": "gone"},
    ),
    _plan(
        "file becomes folder",
        {"tool": (0o755, None), "tool/main": (0o644, b"main\n")},
        {"op": "delete", "path": "tool"},
        {"op": "create", "path": "tool/main", "content": "main\n"},
    ),
    _plan(
        "swap",
        {"left.txt": (0o644, b"right\n"), "right.txt": (0o644, b"left\n")},
        {"op": "move", "path": "left.txt", "to": "third.txt"},
        {"op": "move", "path": "right.txt", "to": "left.txt"},
        {"op": "move", "path": "third.txt", "to": "right.txt"},
    ),
    _plan(
        "all in one",
        {"a.txt": (0o644, b"short\n"), "left.txt": None, "new.txt": (0o644, b"new\n"), "own.txt": None}
        | {"x": (0o755, None), "x/y": (0o755, None), "x/y/deep.sh": (0o755, b"deep\n")}
        | {"mine.txt": (0o600, b"own\n")}
        | dict.fromkeys(("gone", "gone/inner", "gone/inner/two.txt", "gone/one.txt")),
        {"op": "modify", "path": "a.txt", "content": "short\n"},
        {"op": "delete", "path": "left.txt"},
        *(_NEW, _DEEP, _RENAME),
        {"op": "delete", "path": "gone"},
    ),
)
