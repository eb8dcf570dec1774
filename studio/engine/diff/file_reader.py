"""Parser for one file of a unified diff: headers and hunks.

`header_rules` validates the headers.
"""

from __future__ import annotations

import re

from studio.engine.diff.binary_patch import BINARY_PATCH, read_blocks
from studio.engine.diff.cursor import Cursor
from studio.engine.diff.header_names import USUAL_MARKS, QuotingError, read_name, report_quoting
from studio.engine.diff.header_rules import FileEntry, Section, judge
from studio.engine.diff.hunk_problems import report_crlf
from studio.engine.diff.hunk_reader import read_hunks
from studio.engine.diff.patch import FilePatch
from studio.engine.diff.stray import report_stray
from studio.engine.plan import Operation

GIT_LINE = b"diff --git "
BINARY_STUB = b"Binary files "
# Fossil 2.21 writes it below the names of the file.
_FOSSIL_STUB = b"cannot compute difference between binary files\n"
_EXTENDED = re.compile(
    rb"((?:old|new|deleted file|new file) mode |(?:copy|rename) (?:from|to) |(?:(?:dis)?similarity )?index )"
    rb"([^\n]*)\n"
)
_ID, _NO_ID = rb"(?!0+[.\n ])[0-9a-f]{4,64}", rb"0{4,64}"
_MODE = rb"(100644|100755)"
# What git writes for an ordinary name and one operation; the pattern requires all names to be the same.
_USUAL = re.compile(
    rb"diff --git a/([!#-\[\]-~]+) b/\1\n"
    rb"(?:index " + _ID + rb"\.\." + _ID + b" " + _MODE + rb"\n--- a/\1\n\+\+\+ b/\1\n(?=@@ )"
    rb"|new file mode " + _MODE + rb"\nindex " + _NO_ID + rb"\.\." + _ID + rb"\n"
    rb"--- /dev/null\n\+\+\+ b/\1\n(?=@@ -0,0 )"
    rb"|deleted file mode " + _MODE + rb"\nindex " + _ID + rb"\.\." + _NO_ID + rb"\n"
    rb"--- a/\1\n\+\+\+ /dev/null\n(?=@@ -[0-9,]+ \+0,0 @@))"
)
_CHANGED, _CREATED, _DELETED = 2, 3, 4  # the groups that hold the mode


def read_usual_file(cursor: Cursor) -> FileEntry | None:
    """Read a file in git's most frequent form, where headers can't contradict.

    None, with the cursor unmoved, for a file of any other form or with any problem: `read_git_file` reports
    it.
    """
    start, line, before = cursor.position, cursor.line, len(cursor.problems)
    header = None if cursor.holds_nul else _USUAL.match(cursor.data, start)
    if header is None:
        return None
    kind = header.lastindex
    cursor.jump(header.end(), 4 if kind == _CHANGED else 5)
    hunks = read_hunks(cursor)
    if len(cursor.problems) > before or (kind != _CHANGED and len(hunks) != 1):
        cursor.problems.forget_after(before)
        cursor.jump(start, line - cursor.line)
        return None
    name, mode = header[1].decode(), int(header[kind or 0], 8)
    if kind == _CREATED:
        patch = FilePatch(Operation.CREATE, None, name, hunks, None, mode, line)
    elif kind == _DELETED:
        patch = FilePatch(Operation.DELETE, name, None, hunks, mode, None, line)
    else:
        patch = FilePatch(Operation.MODIFY, name, name, hunks, mode, mode, line)
    return FileEntry(patch, USUAL_MARKS, False)


def read_git_file(cursor: Cursor) -> FileEntry | None:
    """Read a file whose `diff --git` line is next; None after problems."""
    before = len(cursor.problems)
    section = Section(cursor.line, git_rest=cursor.current()[len(GIT_LINE) :])
    if _at_crlf(cursor):
        return None
    cursor.advance()
    _read_extended(cursor, section)
    if cursor.starts(BINARY_STUB):
        section.is_stub = True
        cursor.advance()
    elif cursor.starts(BINARY_PATCH):
        section.blocks = read_blocks(cursor)
    else:
        _read_marks_and_hunks(cursor, section)
    return judge(cursor, section, before)


def read_plain_file(cursor: Cursor, *, is_named_above: bool) -> FileEntry | None:
    """Read a file whose `---` line is next; None after problems.

    `is_named_above` is set where lines above it showed that its name has no prefix.
    """
    before = len(cursor.problems)
    section = Section(cursor.line, is_named_above=is_named_above)
    _read_marks_and_hunks(cursor, section)
    return judge(cursor, section, before)


def read_binary_stub(cursor: Cursor) -> FileEntry | None:
    """Read a plain `Binary files a/NAME and b/NAME differ` line.

    None after reporting problems.
    """
    before = len(cursor.problems)
    section = Section(cursor.line, is_stub=True)
    line = cursor.current()
    middle = line.removeprefix(BINARY_STUB).removesuffix(b" differ")
    old, _, new = middle.partition(b" and ")
    try:
        section.old, section.new = read_name(old), read_name(new)
    except QuotingError as error:
        report_quoting(cursor, len(BINARY_STUB) + 1 + error.offset)
        cursor.advance()
        return None
    if not line.endswith(b" differ") or not new:
        cursor.report("diff.binary", "This line about binary files can't be read.", "Remove it.")
    cursor.advance()
    return judge(cursor, section, before)


def _read_extended(cursor: Cursor, section: Section) -> None:
    while not cursor.at_end:
        header = _EXTENDED.match(cursor.data, cursor.position)
        if header is None:
            if not _skip_unknown(cursor):
                return
            continue
        key, value = header.groups()
        if value.endswith(b"\r"):
            report_crlf(cursor)
            cursor.skip_to_file()
            return
        if key in section.headers:
            cursor.report(
                "diff.header_twice",
                f"The header '{key.decode().strip()}' is duplicated.",
                "Include each header of a file once.",
            )
        section.headers[key] = value
        cursor.jump(header.end(), 1)


def _skip_unknown(cursor: Cursor) -> bool:
    """Report and skip an unknown line among git's headers.

    False where the next line is no such line.
    """
    if cursor.starts((b"--- ", b"+++ ", b"diff ", b"@@", BINARY_STUB)):
        return False
    next_line = cursor.data.find(b"\n", cursor.position) + 1
    if not cursor.data.startswith(b"--- ", next_line) and not _EXTENDED.match(cursor.data, next_line):
        return False
    hint = "Use the headers as git diff writes them."
    if cursor.starts(b"old file mode "):
        # Dulwich 1.2.21 writes it for `old mode`, and `new file mode` for `new mode`.
        hint = "Create the diff with git diff: Dulwich writes mode changes differently."
    cursor.report("diff.header", "Git knows no such header.", hint)
    cursor.advance()
    return True


def _read_marks_and_hunks(cursor: Cursor, section: Section) -> None:
    if cursor.at_file_header():
        for side in ("old", "new"):
            if _at_crlf(cursor):
                return
            try:
                name = read_name(cursor.current()[4:])
            except QuotingError as error:
                report_quoting(cursor, 5 + error.offset)
                cursor.skip_to_file()
                return
            section.quoted = section.quoted or name.quoted
            setattr(section, side, name)
            cursor.advance()
        section.hunks = read_hunks(cursor, plain=section.git_rest is None)
        _report_odd_hunk(cursor)
        if not section.hunks and cursor.starts(_FOSSIL_STUB):
            section.is_stub = True
            cursor.advance()
    elif cursor.starts(b"--- ") or cursor.starts(b"+++ "):
        cursor.report(
            "diff.names_missing",
            "No +++ line follows the --- line.",
            "Write both lines, with /dev/null for the side where the file does not exist.",
        )
        cursor.skip_to_file()
    elif cursor.starts(b"@@ "):
        cursor.report(
            "diff.names_missing",
            "A hunk has no --- and +++ lines before it.",
            "Put --- a/NAME and +++ b/NAME before the first hunk of each file.",
        )
        cursor.skip_to_file()


def _report_odd_hunk(cursor: Cursor) -> None:
    """Report a line after the hunks that begins with an unsupported @@."""
    if cursor.starts(b"@@"):
        report_stray(cursor, after_hunk=True)


def _at_crlf(cursor: Cursor) -> bool:
    if not cursor.current().endswith(b"\r"):
        return False
    report_crlf(cursor)
    cursor.skip_to_file()
    return True
