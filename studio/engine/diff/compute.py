"""Compute what differs between two contents, and write it as a unified diff.

One FileDiff drives the screen, the stored plan and what is applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

from studio.engine.diff.headers import quote
from studio.engine.text import Lines, diff_text

_FUNCTION_LINE = re.compile(rb"[A-Za-z_$]")
_SECTION_BYTES = 80
_UTF8_CONTINUATION = re.compile(rb"[\x80-\xbf]")
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class Change:
    """A run of removed lines and the run of added lines in its place; 0-based, either may be empty."""

    old_first: int
    old_count: int
    new_first: int
    new_count: int

    @property
    def old_end(self) -> int:
        return self.old_first + self.old_count

    @property
    def new_end(self) -> int:
        return self.new_first + self.new_count


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changes with the lines around them. `number` from 1; starts 1-based as git prints them.

    Where a side has no lines its start is the line before.
    """

    number: int
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    changes: tuple[Change, ...]

    @property
    def old_first(self) -> int:
        """The 0-based line of the base at which the hunk begins."""
        return self.old_start - 1 if self.old_lines else self.old_start

    @property
    def new_first(self) -> int:
        """The 0-based line of the result at which the hunk begins."""
        return self.new_start - 1 if self.new_lines else self.new_start

    @property
    def changed_lines(self) -> int:
        """How many `-` and `+` lines the hunk has; a choice of lines counts them from 1."""
        return sum(change.old_count + change.new_count for change in self.changes)


@dataclass(frozen=True)
class FileDiff:
    """The difference of two contents in the space of diffs (UTF-8 for UTF-16 files, else the bytes)."""

    base: bytes
    result: bytes
    context: int
    hunks: tuple[Hunk, ...]
    added: int
    removed: int

    @cached_property
    def base_lines(self) -> Lines:
        """The base's lines, each with its LF."""
        return Lines(self.base)

    @cached_property
    def result_lines(self) -> Lines:
        """The result's lines, each with its LF."""
        return Lines(self.result)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """All changes in order, whatever hunk they are in."""
        return tuple(change for hunk in self.hunks for change in hunk.changes)

    @property
    def is_identical(self) -> bool:
        return not self.hunks


def compute(base: bytes, result: bytes, context: int = 3, setting: str | None = None) -> FileDiff:
    """The line difference of two contents, with `context` unchanged lines around each change.

    `setting` is the project's encoding for the path. The calling thread holds the interpreter for the
    whole computation (about 50 ms for 100,000 lines): large contents belong into a child process.
    """
    old, new = diff_text(base, setting), diff_text(result, setting)
    changes = _changes(old, new)
    removed = sum(change.old_count for change in changes)
    added = sum(change.new_count for change in changes)
    if not changes:
        return FileDiff(old, new, context, (), 0, 0)
    old_total = _line_count(old)
    new_total = old_total + added - removed
    return FileDiff(old, new, context, _hunks(changes, context, old_total, new_total), added, removed)


def format_unified(
    diff: FileDiff,
    old_path: str | None,
    new_path: str | None,
    *,
    old_mode: int | None = None,
    new_mode: int | None = None,
    copied: bool = False,
) -> bytes:
    """Write a diff in git's form that parse_unified and `git apply` read back to the same change.

    A path of None is a file that does not exist on that side; two different paths are a rename, or a
    copy with `copied`. Modes are git's (0o100644). Empty where nothing differs.
    """
    old = (old_path if old_path is not None else new_path or "").encode("utf-8", "surrogateescape")
    new = (new_path if new_path is not None else old_path or "").encode("utf-8", "surrogateescape")
    if old_path is None:
        headers = [b"new file mode %06o\n" % (new_mode or 0o100644)]
    elif new_path is None:
        headers = [b"deleted file mode %06o\n" % (old_mode or 0o100644)]
    else:
        headers = _mode_headers(old_mode, new_mode)
        headers += _far_headers(old, new, b"copy" if copied else b"rename", exact=not diff.hunks)
    if not headers and not diff.hunks:
        return b""
    pieces = [b"diff --git %s %s\n" % (quote(b"a/" + old), quote(b"b/" + new)), *headers]
    if diff.hunks:
        pieces.append(b"--- " + (b"/dev/null" if old_path is None else _marked(b"a/" + old)) + b"\n")
        pieces.append(b"+++ " + (b"/dev/null" if new_path is None else _marked(b"b/" + new)) + b"\n")
        pieces.extend(map(_hunk_text, repeat(diff), diff.hunks, _sections(diff)))
    return b"".join(pieces)


def _changes(old: bytes, new: bytes) -> list[Change]:
    if old == new:
        return []
    import pygit2
    from pygit2.enums import DiffOption

    patch = pygit2.Patch.create_from(
        old,
        new,
        flag=DiffOption.FORCE_TEXT | DiffOption.INDENT_HEURISTIC,
        context_lines=0,
        interhunk_lines=0,
    )
    # Without context each of libgit2's hunks is one run; git's numbers name the line before an empty side.
    return [
        Change(
            hunk.old_start - 1 if hunk.old_lines else hunk.old_start,
            hunk.old_lines,
            hunk.new_start - 1 if hunk.new_lines else hunk.new_start,
            hunk.new_lines,
        )
        for hunk in patch.hunks
    ]


def _line_count(text: bytes) -> int:
    return text.count(b"\n") + (1 if text and not text.endswith(b"\n") else 0)


def _hunks(changes: list[Change], context: int, old_total: int, new_total: int) -> tuple[Hunk, ...]:
    """Group changes as git does: a gap of at most twice the context joins them."""
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change.old_first - groups[-1][-1].old_end <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    hunks: list[Hunk] = []
    for number, group in enumerate(groups, 1):
        first, last = group[0], group[-1]
        before = min(context, first.old_first)
        after = min(context, old_total - last.old_end, new_total - last.new_end)
        old_first, new_first = first.old_first - before, first.new_first - before
        old_lines = last.old_end + after - old_first
        new_lines = last.new_end + after - new_first
        hunks.append(
            Hunk(
                number,
                old_first + 1 if old_lines else old_first,
                old_lines,
                new_first + 1 if new_lines else new_first,
                new_lines,
                tuple(group),
            )
        )
    return tuple(hunks)


def _marked(name: bytes) -> bytes:
    # git ends a name that holds a space with a TAB, so that it is not taken for a name and a date.
    return quote(name) if quote(name) != name or b" " not in name else name + b"\t"


def _mode_headers(old_mode: int | None, new_mode: int | None) -> list[bytes]:
    if old_mode is None or new_mode is None or old_mode == new_mode:
        return []
    return [b"old mode %06o\n" % old_mode, b"new mode %06o\n" % new_mode]


def _far_headers(old: bytes, new: bytes, verb: bytes, *, exact: bool) -> list[bytes]:
    if old == new:
        return []
    names = [b"%s from %s\n" % (verb, quote(old)), b"%s to %s\n" % (verb, quote(new))]
    return [b"similarity index 100%\n", *names] if exact else names


def _sections(diff: FileDiff) -> Iterator[bytes]:
    """For each hunk the nearest line before it that begins with a name in column 1, cut as git cuts it."""
    lines = diff.base_lines
    section = b""
    looked_to = 0
    for hunk in diff.hunks:
        for index in range(hunk.old_first - 1, looked_to - 1, -1):
            if _FUNCTION_LINE.match(lines.data, lines.starts[index]):
                section = _cut(lines[index])
                break
        looked_to = max(looked_to, hunk.old_first)
        yield section


def _cut(line: bytes) -> bytes:
    """The line as a section: short, and not ending inside a UTF-8 character."""
    section = line[:_SECTION_BYTES]
    if _UTF8_CONTINUATION.match(line, _SECTION_BYTES):
        section = section.rstrip(bytes(range(0x80, 0xC0)))[:-1]
    return section.rstrip()


def _hunk_text(diff: FileDiff, hunk: Hunk, section: bytes) -> bytes:
    old, new = diff.base_lines, diff.result_lines
    pieces = [
        b"@@ -%s +%s @@%s\n"
        % (
            _range(hunk.old_start, hunk.old_lines),
            _range(hunk.new_start, hunk.new_lines),
            b" " + section if section else b"",
        )
    ]
    position = hunk.old_first
    for change in hunk.changes:
        pieces.append(_signed(b" ", old.block(position, change.old_first - position)))
        pieces.append(_signed(b"-", old.block(change.old_first, change.old_count)))
        pieces.append(_signed(b"+", new.block(change.new_first, change.new_count)))
        position = change.old_end
    pieces.append(_signed(b" ", old.block(position, hunk.old_first + hunk.old_lines - position)))
    return b"".join(pieces)


def _range(start: int, lines: int) -> bytes:
    return b"%d" % start if lines == 1 else b"%d,%d" % (start, lines)


def _signed(sign: bytes, block: bytes) -> bytes:
    """Put the sign before each line, and the marker after a line that has no newline."""
    if not block:
        return b""
    open_end = not block.endswith(b"\n")
    body = block if open_end else block[:-1]
    return sign + body.replace(b"\n", b"\n" + sign) + (_NO_NEWLINE if open_end else b"\n")
