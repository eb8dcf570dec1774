"""Strict patch application without fuzz, adapting only CRLF and file encoding.

No offset, no fuzz, no white space tolerance. Two adaptations exist and both are reported as facts: to CRLF
where the whole file uses it, and to the encoding of a file that is not UTF-8.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from itertools import islice

from studio.engine.diff import binary_apply
from studio.engine.diff.binary_patch import BinaryPatch
from studio.engine.diff.hunks import PatchHunk
from studio.engine.diff.patch import FilePatch
from studio.engine.plan import Fact, Operation, Problem, ProblemList, Severity
from studio.errors import Refused
from studio.limits import FILE_BYTES, OTHER_PLACES_UP_TO, QUOTED_CHARACTERS, STEP_PROBLEMS_UP_TO
from studio.names import show_name
from studio.text import (
    Lines,
    NotText,
    TextForm,
    describe,
    detect_line_ending,
    diff_text,
    encoded,
    first_bad_byte,
    from_diff_text,
)
from studio.text.encodings import encode
from studio.values import Value

_ID_DIGITS_SHOWN = 12


class Mismatch(Value):
    """Where a hunk fails: its 1-based number and line, and both lines.

    `line` is a line of the base. `actual` is None past the end of the file; `expected` is None where the hunk
    says the file ends and it continues. `other_lines` lists 1-based lines of the base at which the whole hunk
    would match; it is information for the reader and never used to apply.
    """

    hunk: int
    line: int
    expected: bytes | None
    actual: bytes | None
    other_lines: tuple[int, ...]
    is_already_applied: bool


class DoesNotMatch(Refused):
    """A patch that does not match its file; nothing was changed.

    `problems` names each failing hunk at its line of the target, and counts those after the first
    STEP_PROBLEMS_UP_TO; `mismatches` has the bytes of those that are named.
    """

    def __init__(self, problems: tuple[Problem, ...], mismatches: tuple[Mismatch, ...], path: str) -> None:
        first = problems[0]
        others = sum(problem.count for problem in problems) - 1
        more = f" ({others} more problems.)" if others else ""
        super().__init__(first.code, first.message + more, first.hint, path=path)
        self.problems = problems
        self.mismatches = mismatches


class Applied(Value):
    """The complete new content, and facts about what was adapted."""

    result: bytes
    facts: tuple[Fact, ...]


def apply_strict(base: bytes, file_patch: FilePatch, setting: str | None = None) -> bytes:
    """Return the bytes after the patch.

    `setting` is the project's encoding for the path. Raises as `apply_with_facts` does.
    """
    return apply_with_facts(base, file_patch, setting).result


# No other program is used to apply: of 90 diffs that must be refused git apply 2.39.5 applies 36, GNU patch
# 2.7.6 49 and libgit2 1.9.7 18, one of them outside of the tree.
def apply_with_facts(
    base: bytes,
    patch: FilePatch,
    setting: str | None = None,
    *,
    form: TextForm | NotText | None = None,
    at_most: int = FILE_BYTES,
) -> Applied:
    """Apply a patch to the bytes of its file, or raise.

    The base of a create and the result of a delete are b"". A diff of a file that is not UTF-8 is read as
    UTF-8 text in the file's own encoding if its old lines fit that way, else as raw bytes; its new lines have
    no influence on that. Only if neither fits, CR is added to the lines of a diff without any CR for a file
    that is CRLF throughout. `form` is the text form of the base, where already determined. A binary patch
    makes at most `at_most` bytes.

    Raises DoesNotMatch, or Refused `patch.invalid`, `patch.binary_target`, `patch.too_large`,
    `patch.binary_damaged`, and `text.not_encodable` for new lines that the file's encoding can't represent.
    """
    invalid = next(iter(patch.problems), None)
    if invalid is not None:
        raise Refused("patch.invalid", invalid.message, invalid.hint, path=patch.path)
    _check_whole_file(base, patch)
    if patch.binary is not None:
        return Applied(_apply_binary(base, patch, patch.binary, at_most), ())
    if not patch.hunks:
        return Applied(b"" if patch.operation is Operation.DELETE else base, ())
    form = form or describe(base, setting)
    if isinstance(form, NotText) and form.reason == "binary":
        raise Refused(
            "patch.binary_target",
            f"{show_name(patch.path)} is binary: {form.sentence}",
            (
                "Create the diff with git diff --binary, or provide the new bytes as "
                "content_base64 in a JSON plan."
            ),
            path=patch.path,
        )
    readings = _readings(base, form, patch, setting)
    applied = _apply_first_fit(readings, patch)
    if applied is not None:
        return applied
    with_cr = _with_cr(readings, base, patch, setting)
    applied = _apply_first_fit(with_cr, patch)
    if applied is not None:
        return applied
    # The user compares with the screen, which shows UTF-16 as text and ignores CRLF.
    raise _mismatch_error(patch, *_mismatches((with_cr or readings)[0], patch))


def _apply_binary(base: bytes, patch: FilePatch, binary: BinaryPatch, at_most: int) -> bytes:
    creates, deletes = patch.operation is Operation.CREATE, patch.operation is Operation.DELETE
    if not binary_apply.is_meant_for(binary, None if creates else base):
        problem = Problem(
            "patch.does_not_match",
            f"The binary patch is for another version of {show_name(patch.path)}: its index line names"
            f" {binary.old_id[:_ID_DIGITS_SHOWN]}, the file is"
            f" {binary_apply.object_id(base, len(binary.old_id))[:_ID_DIGITS_SHOWN]}.",
            "Read the file again and make the diff from its current content.",
            at="target",
        )
        raise DoesNotMatch((problem,), (), patch.path)
    return binary_apply.carry_out(base, binary, path=patch.path, deletes=deletes, at_most=at_most)


class _Reading(Value):
    """One interpretation of the diff's bytes, and how to convert them.

    `convert` returns None for old lines that the file's encoding can't represent; `convert_new`, which gets
    the 1-based line of the result, raises Refused for such new lines.
    """

    base: bytes
    convert: Callable[[bytes], bytes | None]
    convert_new: Callable[[bytes, int], bytes]
    finish: Callable[[bytes], bytes]
    facts: tuple[Fact, ...] = ()


def _same(block: bytes) -> bytes:
    return block


def _same_new(block: bytes, _line: int) -> bytes:
    return block


def _readings(base: bytes, form: TextForm | NotText, patch: FilePatch, setting: str | None) -> list[_Reading]:
    """Return the one or two readings of the diff, by precedence."""
    raw = _Reading(base, _same, _same_new, _same)
    if isinstance(form, NotText) or form.encoding in ("ascii", "utf-8"):
        return [raw]
    fact = Fact(
        "encoding_adapted",
        Severity.NOTE,
        f"The diff was read as UTF-8 and written in the file's encoding, {form.encoding}.",
    )
    if form.is_utf16:

        def finish(result: bytes) -> bytes:
            return from_diff_text(result, base, setting)

        return [_Reading(diff_text(base, setting), _same, _same_new, finish, (fact,)), raw]
    if not _is_utf8_beyond_ascii(patch):
        return [raw]

    def convert(block: bytes) -> bytes | None:
        try:
            return encode(block.decode("utf-8"), form.encoding)
        except UnicodeEncodeError:
            return None

    def convert_new(block: bytes, line: int) -> bytes:
        return encoded(block.decode("utf-8"), form.encoding, first_line=line, path=patch.path)

    return [_Reading(base, convert, convert_new, _same, (fact,)), raw]


def _is_utf8_beyond_ascii(patch: FilePatch) -> bool:
    """Return whether reading the hunks as UTF-8 differs from reading raw bytes."""
    whole = b"".join([hunk.body for hunk in patch.hunks])
    return not whole.isascii() and first_bad_byte(whole, "utf-8") is None


def _with_cr(
    readings: Sequence[_Reading], base: bytes, patch: FilePatch, setting: str | None
) -> list[_Reading]:
    """Return the same readings with CR added to every line.

    Empty unless the file is CRLF throughout and the diff has no CR.
    """
    ending = detect_line_ending(diff_text(base, setting))
    if ending != "CRLF" or any(b"\r" in hunk.body for hunk in patch.hunks):
        return []
    fact = Fact(
        "line_endings_adapted",
        Severity.NOTE,
        "The file ends its lines with CRLF and the diff with LF; the new lines were converted to CRLF.",
    )

    def added(reading: _Reading) -> _Reading:
        def convert(block: bytes) -> bytes | None:
            return reading.convert(block.replace(b"\n", b"\r\n"))

        def convert_new(block: bytes, line: int) -> bytes:
            return reading.convert_new(block.replace(b"\n", b"\r\n"), line)

        return _Reading(reading.base, convert, convert_new, reading.finish, (*reading.facts, fact))

    return [added(reading) for reading in readings]


# All hunks of a reading apply or none does: GNU patch 2.7.6 writes the hunks that fit and skips the others.
def _apply_first_fit(readings: Iterable[_Reading], patch: FilePatch) -> Applied | None:
    for reading in readings:
        result = _apply_hunks(reading, patch)
        if result is not None:
            return Applied(result, reading.facts)
    return None


def _apply_hunks(reading: _Reading, patch: FilePatch) -> bytes | None:
    """Return the result of one reading; None if any hunk mismatches.

    Raises Refused where all match and a new line can't be encoded.
    """
    base = reading.base
    is_raw = reading.convert is _same
    # Lines are skipped, not indexed: most of a large file is never read.
    stream = BytesIO(base)
    pieces: list[bytes] = []
    new_lines: list[tuple[int, int]] = []
    line = position = 0
    for hunk in patch.hunks:
        first = hunk.old_first
        if first > line and next(islice(stream, first - line - 1, None), None) is None:
            return None
        start = stream.tell()
        old, new = hunk.sides()
        if not is_raw:
            old = reading.convert(old)
            new_lines.append((len(pieces) + 1, hunk.new_first + 1))
        if old is None or not _fits_at(base, start, hunk, old):
            return None
        pieces += (base[position:start], new)
        position = stream.seek(start + len(old))
        line = first + hunk.old_lines
    for index, at in new_lines:
        pieces[index] = reading.convert_new(pieces[index], at)
    pieces.append(base[position:])
    result = b"".join(pieces)
    if patch.operation is Operation.DELETE:
        return None if result else b""
    return reading.finish(result)


def _fits_at(base: bytes, start: int, hunk: PatchHunk, old: bytes) -> bool:
    """Return whether the hunk matches at the line that begins at `start`.

    Also false where its new lines would join two lines.
    """
    if not base.startswith(old, start):
        return False
    if start + len(old) == len(base):
        # Nothing can be added after a last line without LF.
        return bool(old) or not base or base.endswith(b"\n")
    return not hunk.new_ends_open and (not old or old.endswith(b"\n"))


def _check_whole_file(base: bytes, patch: FilePatch) -> None:
    if patch.operation is Operation.CREATE and base:
        raise Refused(
            "patch.create_over_existing",
            f"The diff creates {show_name(patch.path)}, which exists and is not empty.",
            "Make a diff against the file as it is now.",
            path=patch.path,
        )
    if patch.operation is Operation.DELETE and base and not patch.has_content:
        raise Refused(
            "patch.delete_not_empty",
            f"The diff deletes {show_name(patch.path)} as an empty file, but it is not empty.",
            "Make the diff again from the file as it is now.",
            path=patch.path,
        )


def _mismatches(reading: _Reading, patch: FilePatch) -> tuple[list[Mismatch], int]:
    """Return the first mismatches, and how many more there are.

    Limited because each description searches the whole file.
    """
    lines = Lines(reading.base)
    found: list[Mismatch] = []
    more = 0
    for number, hunk in enumerate(patch.hunks, 1):
        # A block that can't be encoded as the file is can't occur in it either.
        old = reading.convert(hunk.old_block())
        old_block = hunk.old_block() if old is None else old
        is_beyond = hunk.old_first > len(lines)
        fits = old is not None and not is_beyond
        fits = fits and _fits_at(lines.data, lines.starts[hunk.old_first], hunk, old_block)
        leaves_lines = patch.operation is Operation.DELETE and hunk.old_end < len(lines)
        if (not fits or leaves_lines) and len(found) >= STEP_PROBLEMS_UP_TO:
            more += 1
        elif not fits:
            found.append(_mismatch(lines, hunk, number, old_block))
        elif leaves_lines:
            found.append(Mismatch(number, hunk.old_end + 1, None, lines[hunk.old_end], (), False))
    return found, more


def _mismatch(lines: Lines, hunk: PatchHunk, number: int, old: bytes) -> Mismatch:
    index = hunk.old_first
    expected: bytes | None = None
    for expected in Lines(old):
        if index >= len(lines) or lines[index] != expected:
            break
        index += 1
    else:
        # All lines are there, so it is the end of the file that differs.
        expected = None
    actual = lines[index] if index < len(lines) else None
    new = hunk.new_block()
    is_already_applied = bool(hunk.new_lines) and lines.block(hunk.new_first, hunk.new_lines) == new
    return Mismatch(number, index + 1, expected, actual, _other_lines(lines, hunk, old), is_already_applied)


def _other_lines(lines: Lines, hunk: PatchHunk, old: bytes) -> tuple[int, ...]:
    """Return the other 1-based lines at which `old` occurs as whole lines."""
    line_numbers: list[int] = []
    offset = _find_whole_lines(lines.data, old, 0) if old else -1
    while offset >= 0 and len(line_numbers) < OTHER_PLACES_UP_TO:
        line = lines.line_at(offset)
        if line is not None and line != hunk.old_first:
            line_numbers.append(line + 1)
        offset = _find_whole_lines(lines.data, old, offset + 1)
    return tuple(line_numbers)


def _find_whole_lines(data: bytes, old: bytes, start: int) -> int:
    """Return the next offset where `old` occurs as whole lines, or -1."""
    if not old.endswith(b"\n"):
        # A line without LF can only be the last one.
        at = len(data) - len(old)
        whole = at == 0 or data[at - 1 : at] == b"\n"
        return at if at >= start and whole and data.endswith(old) else -1
    if start == 0 and data.startswith(old):
        return 0
    found = data.find(b"\n" + old, max(start - 1, 0))
    return found + 1 if found >= 0 else -1


def _mismatch_error(patch: FilePatch, mismatches: Sequence[Mismatch], more: int) -> DoesNotMatch:
    problems = ProblemList(STEP_PROBLEMS_UP_TO)
    for mismatch in mismatches:
        problem = Problem(
            "patch.does_not_match",
            f"Hunk {mismatch.hunk} does not match {show_name(patch.path)} at line {mismatch.line}: "
            f"the diff expects {_show_line(mismatch.expected)}, the file has {_show_line(mismatch.actual)}.",
            _mismatch_hint(mismatch),
            at="target",
            line=mismatch.line,
            column=1,
        )
        problems.add(problem)
    problems.count(more)
    return DoesNotMatch(problems.listed(), tuple(mismatches), patch.path)


def _mismatch_hint(mismatch: Mismatch) -> str:
    if mismatch.is_already_applied:
        return "The change seems to be already in the file."
    if mismatch.expected is not None and mismatch.actual == codecs.BOM_UTF8 + mismatch.expected:
        return "The file begins with a byte order mark; begin line 1 of the diff with it, too."
    if mismatch.other_lines:
        line_list = ", ".join(str(line) for line in mismatch.other_lines)
        return f"The same lines are at line {line_list}. Make the diff again from the file as it is now."
    return "Read the file again and make the diff from its current content."


def _show_line(line: bytes | None) -> str:
    if line is None:
        return "the end of the file"
    text = line.decode("utf-8", "backslashreplace")
    rest = "..." if len(text) > QUOTED_CHARACTERS else ""
    # ascii() tells look-alikes and invisible characters apart.
    return ascii(text[:QUOTED_CHARACTERS]) + rest
