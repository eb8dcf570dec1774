"""Writer for computed diffs in git's form, which `git apply` can read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat

from studio.engine.diff.binary_apply import object_id
from studio.engine.diff.binary_patch import BINARY_PATCH, format_block
from studio.engine.diff.header_names import quote
from studio.engine.diff.line_diff import FileDiff, Hunk
from studio.text import NotText, TextForm, line_codec

_FUNCTION_LINE = re.compile(rb"[A-Za-z_$]")
_SECTION_BYTES = 80
_UTF8_CONTINUATION = re.compile(rb"[\x80-\xbf]")
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def format_unified(
    diff: FileDiff,
    old_path: str | None,
    new_path: str | None,
    *,
    old_mode: int | None = None,
    new_mode: int | None = None,
    copied: bool = False,
) -> bytes:
    """Write a diff in git's form, readable by parse_unified and `git apply`.

    They read it back as the same change. A path of None is a file that does not exist on that side; two
    different paths are a rename, or a copy with `copied`. Modes are git's (0o100644). Empty where nothing
    differs.
    """
    old, new = _names(old_path, new_path)
    exact = not diff.hunks
    headers = _headers(old_path, new_path, old_mode, new_mode, copied=copied, exact=exact)
    if not headers and not diff.hunks:
        return b""
    pieces = [_git_line(old, new), *headers]
    if diff.hunks:
        pieces.append(b"--- " + (b"/dev/null" if old_path is None else _header_name(b"a/" + old)) + b"\n")
        pieces.append(b"+++ " + (b"/dev/null" if new_path is None else _header_name(b"b/" + new)) + b"\n")
        pieces.extend(map(_hunk_text, repeat(diff), diff.hunks, _sections(diff)))
    return b"".join(pieces)


def decode_diff(diff: bytes, form: TextForm | NotText | None) -> str:
    """Decode a written diff, its lines in the encoding of the file.

    Headers are ASCII. A diff submitted in UTF-8 for a file in another encoding is still accepted as such.
    """
    return diff.decode(line_codec(form), "replace")


def format_binary(
    base: bytes | None,
    result: bytes | None,
    old_path: str,
    new_path: str,
    *,
    old_mode: int | None = None,
    new_mode: int | None = None,
    copied: bool = False,
) -> bytes:
    """Write both sides as a `GIT binary patch`, for non-text content.

    A side of None is no file; all else as for format_unified. Takes a few seconds for 10 MiB. Empty where
    nothing differs.
    """
    exact = base == result
    far = (old_path if base is not None else None, new_path if result is not None else None)
    headers = _headers(*far, old_mode, new_mode, copied=copied, exact=exact)
    if not headers and exact:
        return b""
    pieces = [_git_line(*_names(*far)), *headers]
    if not exact:
        ids = (b"0" * 40 if side is None else object_id(side, 40).encode() for side in (base, result))
        pieces += [b"index %s..%s\n" % tuple(ids), BINARY_PATCH, b"\n"]
        pieces += (format_block(side or b"") for side in (result, base))
    return b"".join(pieces)


def _names(old_path: str | None, new_path: str | None) -> tuple[bytes, bytes]:
    old = old_path if old_path is not None else new_path or ""
    new = new_path if new_path is not None else old_path or ""
    return old.encode("utf-8", "surrogateescape"), new.encode("utf-8", "surrogateescape")


def _git_line(old: bytes, new: bytes) -> bytes:
    return b"diff --git %s %s\n" % (quote(b"a/" + old), quote(b"b/" + new))


def _headers(
    old_path: str | None,
    new_path: str | None,
    old_mode: int | None,
    new_mode: int | None,
    *,
    copied: bool,
    exact: bool,
) -> list[bytes]:
    if old_path is None:
        return [b"new file mode %06o\n" % (new_mode or 0o100644)]
    if new_path is None:
        return [b"deleted file mode %06o\n" % (old_mode or 0o100644)]
    far = _path_headers(*_names(old_path, new_path), b"copy" if copied else b"rename", exact=exact)
    return [*_mode_headers(old_mode, new_mode), *far]


def _header_name(name: bytes) -> bytes:
    # git ends a name that contains a space with a TAB, so that it is not parsed as a name and a date.
    return quote(name) if quote(name) != name or b" " not in name else name + b"\t"


def _mode_headers(old_mode: int | None, new_mode: int | None) -> list[bytes]:
    if old_mode is None or new_mode is None or old_mode == new_mode:
        return []
    return [b"old mode %06o\n" % old_mode, b"new mode %06o\n" % new_mode]


def _path_headers(old: bytes, new: bytes, verb: bytes, *, exact: bool) -> list[bytes]:
    if old == new:
        return []
    names = [b"%s from %s\n" % (verb, quote(old)), b"%s to %s\n" % (verb, quote(new))]
    return [b"similarity index 100%\n", *names] if exact else names


def _sections(diff: FileDiff) -> Iterator[bytes]:
    """Yield each hunk's heading: the nearest line above beginning with a name.

    Truncated as git does.
    """
    lines = diff.base_lines
    section = b""
    searched_to = 0
    for hunk in diff.hunks:
        for index in range(hunk.old_first - 1, searched_to - 1, -1):
            if _FUNCTION_LINE.match(lines.data, lines.starts[index]):
                section = _truncate_heading(lines[index])
                break
        searched_to = max(searched_to, hunk.old_first)
        yield section


def _truncate_heading(line: bytes) -> bytes:
    """Truncate a line for a hunk heading, at a character boundary."""
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
        pieces.append(_sign_lines(b" ", old.block(position, change.old_first - position)))
        pieces.append(_sign_lines(b"-", old.block(change.old_first, change.old_count)))
        pieces.append(_sign_lines(b"+", new.block(change.new_first, change.new_count)))
        position = change.old_end
    pieces.append(_sign_lines(b" ", old.block(position, hunk.old_first + hunk.old_lines - position)))
    return b"".join(pieces)


def _range(start: int, lines: int) -> bytes:
    return b"%d" % start if lines == 1 else b"%d,%d" % (start, lines)


def _sign_lines(sign: bytes, block: bytes) -> bytes:
    """Prefix each line with the sign; mark a missing final newline."""
    if not block:
        return b""
    open_end = not block.endswith(b"\n")
    body = block if open_end else block[:-1]
    return sign + body.replace(b"\n", b"\n" + sign) + (_NO_NEWLINE if open_end else b"\n")
