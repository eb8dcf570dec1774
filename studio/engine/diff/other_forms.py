"""Detection of unsupported diff formats, with hints for producing a unified diff."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.named_only import AS_PROSE, NAMED_ONLY, report_named_only
from studio.engine.diff.stray import OTHER_FORMS
from studio.engine.plan import Problem

_UNIFIED: Final = "Make a unified diff with diff -u or git diff."

# The first form that matches decides. No pattern scans a line twice. They are compiled at their first use.
_FORMS: Final[Sequence[tuple[bytes, str, str, str]]] = (
    (
        rb"\A(?:\xff\xfe|\xfe\xff|(?:[\t\r\n -~]\0){8}|(?:\0[\t\r\n -~]){8})",
        "diff.utf16",
        *OTHER_FORMS["diff.utf16"],
    ),
    (
        rb"^(?:\x1b\[[0-9;]*[mK])+(?:diff |--- |\+\+\+ |@@ |[-+])",
        "diff.colour",
        *OTHER_FORMS["diff.colour"],
    ),
    (
        rb"^\*\*\* .*\n--- .*\n\*{15}",
        "diff.context_format",
        *OTHER_FORMS["diff.context_format"],
    ),
    (
        rb"^[0-9]+(?:,[0-9]+)?[acd][0-9]+(?:,[0-9]+)?\n[<>] |^diff -.*\n[0-9]+(?:,[0-9]+)?[acd]$",
        "diff.ed_format",
        *OTHER_FORMS["diff.ed_format"],
    ),
    (
        rb"^(?: {4})?(?:hunk|addfile|rmfile|binary|move|replace) \./\S",
        "diff.darcs",
        "This is a patch in the format of darcs.",
        "Create the diff with darcs diff, in folders named a and b.",
    ),
    (
        (
            rb"^ [0-9]+ files? changed(?:, [0-9]+ \w+\([-+]\))+$"
            rb"|\A(?:(?:[0-9]+|-)\t(?:[0-9]+|-)\t.*\n)+\Z"
            rb"|^ +[0-9]+ +[0-9]+ TOTAL over [0-9]+ changed files$"
        ),
        "diff.summary",
        "This is a summary of changes, without their lines.",
        "Make it without --stat or --numstat.",
    ),
    (
        rb"^# HG changeset patch$|^changeset: +[0-9]+:[0-9a-f]{12}$",
        "diff.other_form",
        "This Mercurial changeset contains no lines.",
        "Make it with hg export --git.",
    ),
    (
        rb"\AIndex: .+\n(?!=)",
        "diff.other_form",
        "No unified diff follows this Index line.",
        _UNIFIED,
    ),
    (
        rb"^diff -\S+ \S+ \S",
        "diff.other_form",
        "This output of a diff command contains no unified diff.",
        _UNIFIED,
    ),
)
_HUNK: Final = re.compile(rb"@@ -[0-9]")
_CHANGED_WORD: Final = re.compile(rb"\[-.*-\]|\{\+.*\+\}")
_NAMED_ONLY: Final = rb"(?:\A|^(?!%s))%s" % (AS_PROSE.encode(), NAMED_ONLY.encode())


def unsupported_diff(data: bytes) -> tuple[Problem, ...]:
    """Return the problem of a text in an unsupported diff format.

    The result is empty where it is no diff at all.
    """
    for pattern, code, message, hint in _FORMS:
        found = re.search(pattern, data, re.MULTILINE)
        if found is not None:
            return (Problem(code, message, hint, line=data.count(b"\n", 0, found.start()) + 1, column=1),)
    if words := word_diff(data):
        return words
    found = re.search(_NAMED_ONLY, data, re.MULTILINE)
    if found is None:
        return ()
    cursor = Cursor(data)
    cursor.jump(found.start(), data.count(b"\n", 0, found.start()))
    report_named_only(cursor)
    return cursor.problems.listed_by_place()


def word_diff(data: bytes) -> tuple[Problem, ...]:
    """Return the problem of a word diff, else nothing.

    `git diff --word-diff` marks words in hunks.
    """
    if b"[-" not in data and b"{+" not in data:
        return ()
    header = 0
    # Not one pattern with a possessive group: Python 3.11.2 (Debian 12) does not match it, 3.11.7 does.
    for number, line in enumerate(data.split(b"\n"), start=1):
        if _HUNK.match(line):
            header = number
        elif line.startswith((b"-", b"+", b"\\", b"@@ ", b"diff --git ")):
            header = 0
        elif header and (b"[-" in line or b"{+" in line):
            if _CHANGED_WORD.search(line):
                hint = "Make it with git diff, without --word-diff."
                return (Problem("diff.word_diff", "This is a diff of words.", hint, line=header, column=1),)
            header = 0
    return ()
