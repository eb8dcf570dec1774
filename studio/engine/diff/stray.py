"""Errors for stray text in diffs: code fences, mail, colours, other formats."""

from __future__ import annotations

import re
from typing import Final

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.hunk_problems import report_crlf
from studio.engine.diff.named_only import report_named_only

_EXPECTED = "Send only the diff."

OTHER_FORMS: Final = {
    "diff.colour": (
        "The diff holds colour codes of a terminal.",
        "Make it again with git diff --no-color.",
    ),
    "diff.utf16": (
        "The diff is UTF-16.",
        "Save it as UTF-8; in PowerShell use git diff --output=FILE.",
    ),
    "diff.context_format": (
        "This is a context diff.",
        "Make a unified diff with diff -u or git diff.",
    ),
    "diff.ed_format": (
        "This is an ed script or a normal diff.",
        "Make a unified diff with diff -u or git diff.",
    ),
}
"""Message and hint for each format of differences other than unified diff, by code."""

# The first pattern that matches the line decides; each has its code, message and hint.
_KINDS: tuple[tuple[re.Pattern[bytes], str, str, str], ...] = (
    (
        re.compile(rb"\x1b\["),
        "diff.colour",
        *OTHER_FORMS["diff.colour"],
    ),
    (
        re.compile(rb"(?:```|~~~)"),
        "diff.fence",
        "The diff is wrapped in a code fence.",
        "Remove the fence lines and the text around them.",
    ),
    (
        re.compile(rb"\xef\xbb\xbf"),
        "diff.byte_order_mark",
        "The diff begins with a byte order mark.",
        "Save it as UTF-8 without a byte order mark.",
    ),
    (
        re.compile(rb"\xff\xfe|\xfe\xff"),
        "diff.utf16",
        *OTHER_FORMS["diff.utf16"],
    ),
    (
        re.compile(rb"diff --(?:cc|combined) |@@@"),
        "diff.combined",
        "This is a combined diff of a merge.",
        "Create a diff against one parent.",
    ),
    (
        re.compile(rb"\*\*\* |\*{15}|--- [0-9]+,[0-9]+ ----"),
        "diff.context_format",
        *OTHER_FORMS["diff.context_format"],
    ),
    (
        re.compile(rb"[0-9]+(?:,[0-9]+)?[acd]"),
        "diff.ed_format",
        *OTHER_FORMS["diff.ed_format"],
    ),
    (
        re.compile(rb"@@ "),
        "diff.names_missing",
        "A hunk has no --- and +++ lines before it.",
        "Put --- a/NAME and +++ b/NAME before the first hunk of each file.",
    ),
    (
        re.compile(rb"@@"),
        "diff.hunk_header",
        "This hunk header can't be read.",
        "Write it as @@ -START,LINES +START,LINES @@ with plain decimal numbers.",
    ),
    (
        re.compile(rb"(?:---|\+\+\+) "),
        "diff.names_missing",
        "A --- or +++ line is missing its counterpart.",
        "Write both lines, with /dev/null for the side where the file does not exist.",
    ),
    (
        re.compile(rb"-- ?\Z"),
        "diff.mail",
        "A mail signature follows the diff.",
        "Remove the signature, or make the diff with git diff.",
    ),
    (
        re.compile(rb"From [0-9a-f]{40} |From: |commit [0-9a-f]{7,64}\Z"),
        "diff.mail",
        "The diff is inside a mail or a log.",
        "Make it with git diff, or with git show --format= for a commit.",
    ),
    (
        re.compile(rb"Index: |={67}"),
        "diff.index_line",
        "Index lines are not part of a unified diff.",
        "Create the diff with svn diff --git --patch-compatible, or with git diff.",
    ),
    (
        re.compile(rb"GIT binary patch|(?:literal|delta) [0-9]+\Z"),
        "diff.binary",
        "A binary patch has no file headers before it.",
        "Put it below the diff --git and index lines; in a JSON plan use content_base64 instead.",
    ),
    (
        re.compile(
            rb"(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|"
            rb"rename to|similarity index|dissimilarity index|index|rename old|rename new) "
        ),
        "diff.header",
        "A git header is in the wrong place.",
        "Put it directly below the diff --git line of its file.",
    ),
    (
        re.compile(rb"NO_CHANGES_REQUIRED"),
        "diff.no_changes",
        "The text says that no change is needed.",
        "There is nothing to review.",
    ),
)


def report_stray(cursor: Cursor, *, after_hunk: bool) -> None:
    """Report the line at the cursor and skip to the next file.

    The skipped text gets one report, but each line in it that names a change without content is reported.
    """
    if report_named_only(cursor):
        return
    line = cursor.current()
    for pattern, code, message, hint in _KINDS:
        if pattern.match(line):
            cursor.report(code, message, hint)
            break
    else:
        if line.endswith(b"\r") and line.startswith((b"diff --git ", b"--- ", b"+++ ")):
            report_crlf(cursor)
        elif after_hunk and line[:1] in (b" ", b"+", b"-", b"\\"):
            cursor.report(
                "diff.hunk_counts",
                "The hunk has more lines than its header declares.",
                "Correct the numbers in the header, or remove the lines.",
            )
        elif not line.strip():
            cursor.report("diff.blank_line", "An empty line is outside the hunks.", "Remove it.")
        else:
            cursor.report("diff.stray_text", "This line belongs to no file header and no hunk.", _EXPECTED)
    cursor.skip_to_file()
