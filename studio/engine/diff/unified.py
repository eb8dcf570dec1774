"""Strict parser for unified diffs of git and plain `diff -u`.

Every byte belongs to a header, a hunk or a line above them that names the same file (`lines_above`). Names
must agree in all headers. Accepted beyond the plain forms: any context length; names without `a/` and `b/`,
if a text uses none at all (see `headers.split_prefix`). Refused with a hint: prose, mail and code fences
around the diff (formats remove them before), lines that name a change without its content (`named_only`),
colours, combined and context diffs, CRLF in the diff's own lines, a last line without newline.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from studio.engine.diff.cursor import Cursor, DiffRefused
from studio.engine.diff.file_reader import (
    BINARY_STUB,
    GIT_LINE,
    read_binary_stub,
    read_git_file,
    read_plain_file,
    read_usual_file,
)
from studio.engine.diff.header_rules import FileEntry
from studio.engine.diff.headers import NO_MARKS
from studio.engine.diff.hunk_reader import read_hunks
from studio.engine.diff.hunks import PatchHunk
from studio.engine.diff.lines_above import Above, skip_lines_above
from studio.engine.diff.patch import FilePatch
from studio.engine.diff.second_reader import compare_readings
from studio.engine.diff.stray import report_stray
from studio.engine.errors import Refused
from studio.engine.limits import PLAN_PROBLEMS_UP_TO, STEP_PROBLEMS_UP_TO
from studio.engine.plan import Operation, Problem

__all__ = [
    "DiffRefused",
    "FilePatch",
    "PatchHunk",
    "TooManyFiles",
    "parse_hunks",
    "parse_unified",
    "read_unified",
]


def parse_unified(
    data: bytes, *, files_up_to: int | None = None, first_line: int = 1
) -> tuple[FilePatch, ...]:
    """Parse a diff and cross-check it with the second parser.

    Files are in the order of the diff. Lines are counted from `first_line`, that of the diff in the text it
    was taken from. Raises DiffRefused with the syntax problems, and TooManyFiles soon after there are more
    than `files_up_to` files: entries for one path count once, and are not joined. What makes one file alone
    invalid (binary, link, submodule, mode, name) is in that file's `problems`.
    """
    entries = _read_entries(data, files_up_to, first_line)
    facts = compare_readings(data, entries)
    patches = _clear_prefix_doubt([entry.patch for entry in entries])
    return tuple(replace(patch, facts=facts) if facts else patch for patch in patches)


def read_unified(data: bytes) -> tuple[FilePatch, ...]:
    """Parse a diff as parse_unified does, without the second parser."""
    return tuple([entry.patch for entry in _read_entries(data)])


def parse_hunks(data: bytes) -> Sequence[PatchHunk]:
    """Parse one file's hunks without headers: a JSON plan's `patch`.

    Raises DiffRefused with the problems.
    """
    cursor = _open_cursor(data, problems_up_to=STEP_PROBLEMS_UP_TO)
    # Headers are matched with the LF before them; this one counts as no line.
    cursor.data = b"\n" + cursor.data
    cursor.jump(1, 0)
    hunks = read_hunks(cursor)
    if not cursor.at_end:
        report_stray(cursor, after_hunk=bool(hunks))
    cursor.refuse_if_problems()
    return hunks


class TooManyFiles(Refused):
    """A diff with more files than one plan may have."""


def _open_cursor(data: bytes, *, problems_up_to: int = PLAN_PROBLEMS_UP_TO, first_line: int = 1) -> Cursor:
    if not data:
        message, hint = "The diff is empty.", "Give a diff with at least one file."
        raise DiffRefused((Problem("diff.empty", message, hint, line=first_line, column=1),))
    if data.endswith(b"\n"):
        return Cursor(data, problems_up_to=problems_up_to, first_line=first_line)
    # Parsing continues as if the newline were there, so that the other problems are found too.
    cursor = Cursor(data + b"\n", problems_up_to=problems_up_to, first_line=first_line)
    cursor.report(
        "diff.no_final_newline",
        "The last line of the diff has no newline.",
        "End the diff with a newline; check that nothing was cut off. A file without a final newline needs "
        "the marker that git diff writes behind its last line.",
        line=data.count(b"\n") + first_line,
        column=len(data) - data.rfind(b"\n"),
    )
    return cursor


# Not unidiff, which is the second parser: a million lines take it 3.2 s and 368 MiB, and a parser of this
# kind 0.14 s and 19 MiB.
def _read_entries(data: bytes, files_up_to: int | None = None, first_line: int = 1) -> tuple[FileEntry, ...]:
    cursor = _open_cursor(data, first_line=first_line)
    entries: list[FileEntry] = []
    unparsed = 0
    count_at = sys.maxsize if files_up_to is None else files_up_to
    after_hunk = False
    while not cursor.at_end:
        if files_up_to is not None and len(entries) + unparsed > count_at:
            _check_number(entries, unparsed, files_up_to)
            # Counting visits all entries; where many are of one path it is done a few times only.
            count_at += max(files_up_to, len(entries))
        entry = read_usual_file(cursor)
        if entry is not None:
            entries.append(entry)
            after_hunk = True
            continue
        skipped = skip_lines_above(cursor)
        if cursor.starts(GIT_LINE):
            entry = read_git_file(cursor)
        elif cursor.at_file_header():
            entry = read_plain_file(cursor, is_named_above=skipped is Above.NAME_IN_PROJECT)
        elif cursor.starts(BINARY_STUB):
            entry = read_binary_stub(cursor)
        else:
            report_stray(cursor, after_hunk=after_hunk)
            continue
        after_hunk = entry is not None and bool(entry.patch.hunks)
        if entry is not None:
            entries.append(entry)
        else:
            unparsed += 1
    _check_one_prefix_form(cursor, entries)
    cursor.refuse_if_problems()
    return tuple(entries)


def _clear_prefix_doubt(patches: list[FilePatch]) -> list[FilePatch]:
    """Clear `may_be_prefixed` where other files show that names have no prefix.

    A file that has a name on both sides shows it, and a new one in another folder or in none.
    """
    folders = {patch.new_path.partition("/")[0] for patch in patches if patch.new_path is not None}
    is_sure = len(folders) != 1 or any(
        not patch.may_be_prefixed and patch.operation is not Operation.DELETE for patch in patches
    )
    return [replace(patch, may_be_prefixed=False) if is_sure else patch for patch in patches]


def _check_number(entries: list[FileEntry], unparsed: int, files_up_to: int) -> None:
    """Raise TooManyFiles above the limit; `unparsed` files could not be parsed."""
    files = len({entry.patch.path for entry in entries}) + unparsed
    if files > files_up_to:
        raise TooManyFiles(
            "plan.too_many_steps",
            f"The diff is about more than {files_up_to:,} files, the limit of one plan.",
            "Propose it in parts, or raise limits: steps in the user configuration.",
        )


def _check_one_prefix_form(cursor: Cursor, entries: list[FileEntry]) -> None:
    for entry in entries:
        if (entry.marks == NO_MARKS) != (entries[0].marks == NO_MARKS):
            cursor.report(
                "diff.prefix",
                "Some names in this diff carry the prefixes a/ and b/ and some do not.",
                "Write --- a/NAME and +++ b/NAME for every file.",
                line=entry.patch.line,
            )
