"""A diff as a tool writes it, from `studio submit` to the bytes on disk; see also tests/formats."""

from __future__ import annotations

from pathlib import Path

from tests.doors.conftest import CommandLine

OLD, NEW = b"first\nt\xe9\nlast\n", b"first\nT\xc9\nlast\n"
HUNK = b"@@ -1,3 +1,3 @@\n first\n-t\xe9\n+T\xc9\n last\n"
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


def test_a_patch_in_a_mail_is_written_to_the_byte_with_its_message(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    """Latin-1: no text around it is UTF-8 either."""
    (project / "src").mkdir()
    (project / "src/f.txt").write_bytes(OLD)
    said = studio("submit", stdin=MAIL % HUNK)
    assert said.code == 0, said.text
    assert studio("show", said.json["plan"]).json["message"] == "Shout\n\nIt was too quiet."
    assert studio("approve", said.json["plan"], "--apply").code == 0
    assert (project / "src/f.txt").read_bytes() == NEW


def test_another_form_is_refused_as_what_it_is(studio: CommandLine) -> None:
    (problem,) = studio("submit", stdin=b"2c2\n< t\n---\n> T\n").json["problems"]
    assert problem["code"] == "diff.ed_format" and problem["hint"]
