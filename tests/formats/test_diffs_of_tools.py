"""Diffs as tools write them; `tests.diffs` has many more."""

from __future__ import annotations

import pytest

from studio.engine.plan import Operation
from studio.engine.propose.build_result import build_changed
from studio.formats.detect import read

OLD, NEW = b"first\nt\xe9\nlast\n", b"first\nT\xc9\nlast\n"
"""Latin-1: no text around it is UTF-8 either."""
HUNK = b"@@ -1,3 +1,3 @@\n first\n-t\xe9\n+T\xc9\n last\n"
EQUALS = 67 * b"=" + b"\n"
PLAIN = b"--- src/f.txt\t%s\n+++ src/f.txt\t%s\n" + HUNK

MAIL = b"""\
From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: T <t@example.org>
Subject: [PATCH] Shout
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="------------2.39.5"

This is a multi-part message in MIME format.
--------------2.39.5
Content-Type: text/plain; charset=UTF-8; format=fixed
Content-Transfer-Encoding: 8bit

It was too quiet.
---
 src/f.txt | 2 +-

--------------2.39.5
Content-Type: text/x-patch; name="0001-Shout.patch"
Content-Transfer-Encoding: 8bit
Content-Disposition: attachment; filename="0001-Shout.patch"

diff --git a/src/f.txt b/src/f.txt
--- a/src/f.txt
+++ b/src/f.txt
%s
--------------2.39.5--

"""

READ = {
    "jsdiff": b"Index: src/f.txt\n" + EQUALS + PLAIN % (b"original", b"modified"),
    "jsdiff, two names": EQUALS + b"--- a/src/f.txt\n+++ b/src/f.txt\n" + HUNK,
    "svn": b"Index: src/f.txt\n" + EQUALS + PLAIN % (b"(revision 4)", b"(working copy)"),
    "cvs": (
        b"Index: src/f.txt\n" + EQUALS + b"RCS file: cvsroot/m/src/f.txt,v\nretrieving revision 1.1\n"
        b"diff -u -p -r1.1 src/f.txt\n"
        + PLAIN
        % (b"27 Nov 2026 10:00:00 -0000\t1.1", b"27 Nov 2026 11:00:00 -0000")
    ),
    "quilt -p ab": b"Index: b/src/f.txt\n" + EQUALS + b"--- a/src/f.txt\n+++ b/src/f.txt\n" + HUNK,
    "hg": b"diff -r 0123456789ab src/f.txt\n--- a/src/f.txt\tFri\n+++ b/src/f.txt\tFri\n" + HUNK,
    "hg between revisions": (
        b"# HG changeset patch\n# User T\n\nShout\n\ndiff -r 0123456789ab -r ba9876543210 src/f.txt\n"
        b"--- a/src/f.txt\tFri\n+++ b/src/f.txt\tFri\n" + HUNK
    ),
    "mnemonic": b"diff --git i/src/f.txt w/src/f.txt\n--- i/src/f.txt\n+++ w/src/f.txt\n" + HUNK,
    "mnemonic, reversed": b"diff --git w/src/f.txt c/src/f.txt\n--- w/src/f.txt\n+++ c/src/f.txt\n" + HUNK,
    "mail with the patch attached": MAIL % HUNK,
    "log in Latin-1": (
        b"commit 0123456789012345678901234567890123456789\n"
        b"Author: J\xf6rg <j@example.org>\n\n    Gr\xfc\xdfe\n\n"
        b"diff --git a/src/f.txt b/src/f.txt\n--- a/src/f.txt\n+++ b/src/f.txt\n" + HUNK
    ),
}

REFUSED = {
    "context": (
        b"*** a/f\tx\n--- b/f\tx\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
        "context_format",
    ),
    "normal": (b"2c2\n< t\n---\n> T\n", "ed_format"),
    "coloured": (b"\x1b[1mdiff --git a/f b/f\x1b[m\n\x1b[1m--- a/f\x1b[m\n\x1b[36m@@ -1 +1 @@\n", "colour"),
    "UTF-16": ("diff --git a/f b/f\n".encode("utf-16"), "utf16"),
    "words": (
        b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\none\nthe [-old-]{+new+} line\n",
        "word_diff",
    ),
    "darcs": (b"hunk ./src/f.txt 2\n-t\n+T\n", "darcs"),
    "stat": (b" src/f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n", "summary"),
    "numstat": (b"1\t1\tsrc/f.txt\n", "summary"),
    "side by side": (b"diff -ry a/f b/f\none\t\t\t| two\n", "other_form"),
    "only in": (b"Only in b: my new file.txt\n", "only_in"),
    "two folders": (b"--- old/src/f.txt\n+++ new/src/f.txt\n" + HUNK, "names"),
    "kept copy": (b"--- src/f.txt.orig\n+++ src/f.txt\n" + HUNK, "names"),
    "mnemonic of two names": (b"diff --git i/f.txt w/g.txt\n--- i/f.txt\n+++ w/g.txt\n" + HUNK, "names"),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_a_diff_of_a_tool_changes_its_file_to_the_byte(text: bytes) -> None:
    draft = read(text)
    (step,) = draft.steps
    assert (step.op, step.path, draft.problems) == (Operation.MODIFY, "src/f.txt", ())
    assert build_changed(step, OLD, None).result == NEW


@pytest.mark.parametrize(
    ("name", "words"),
    [("log in Latin-1", "Jörg"), ("mail with the patch attached", "Shout\n\nIt was too quiet.")],
)
def test_words_around_a_diff_are_read_in_their_own_encoding(name: str, words: str) -> None:
    message = read(READ[name]).message
    assert words in message and "Content-" not in message and "2.39.5" not in message


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED)
def test_another_form_is_refused_as_what_it_is(text: bytes, code: str) -> None:
    first = read(text).problems[0]
    assert first.code == f"diff.{code}" and first.hint
