"""Validation of one file's diff headers: names, modes, operation, contradictions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field

from studio.engine.diff.binary_patch import BinaryPatch, Blocks
from studio.engine.diff.cursor import Cursor
from studio.engine.diff.header_names import (
    MNEMONIC_MARKS,
    NO_MARKS,
    USUAL_MARKS,
    Marks,
    Name,
    QuotingError,
    git_line_agrees,
    git_line_names,
    read_plain_name,
    report_names,
    report_quoting,
    split_prefix,
)
from studio.engine.diff.hunks import PatchHunk
from studio.engine.diff.patch import FilePatch
from studio.engine.plan import Operation, Problem
from studio.values import Value

_MODE = re.compile(rb"[0-7]{6}")
_PERCENT = re.compile(rb"(0|[1-9][0-9]?|100)%")
# Git's ids of an empty blob, by SHA-1 and by SHA-256.
_EMPTY_BLOBS = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_NEAR_EPOCH = re.compile(rb"19(?:70-01-01|69-12-31)\b|(?:\w{3} )?(?:Jan +(?:01|1)|Dec 31) .*\b19(?:70|69)\b")
_REGULAR_MODES = (0o100644, 0o100755)
_REVISION = re.compile(rb"@[0-9]+\Z")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_MNEMONIC = re.compile(rb"[ciow12]/")


class FileEntry(NamedTuple):
    """A parsed file, with the prefixes that its names had."""

    patch: FilePatch
    marks: Marks
    quoted: bool


class _Names(Value):
    old: bytes
    new: bytes
    marks: Marks


def judge(cursor: Cursor, section: Section, problems_before: int) -> FileEntry | None:
    """Validate the parsed headers together; None where they contradict each other."""
    if len(cursor.problems) > problems_before:
        return None
    try:
        names = _names(cursor, section)
    except QuotingError as error:
        report_quoting(cursor, 1 + error.offset, line=section.line)
        return None
    if names is None:
        return None
    modes = _modes(cursor, section)
    operation = _operation(cursor, section)
    _check_index(cursor, section)
    _check_extent(cursor, section)
    if len(cursor.problems) > problems_before:
        return None
    patch = FilePatch(
        operation,
        None if operation is Operation.CREATE else names.old.decode("utf-8", "surrogateescape"),
        None if operation is Operation.DELETE else names.new.decode("utf-8", "surrogateescape"),
        section.hunks,
        *modes,
        section.line,
        _own_problems(cursor, section, names, modes),
        binary=section.binary_patch,
        may_be_prefixed=_may_be_prefixed(section, names),
        # Without a `diff --git` line git apply 2.39.5 and GNU patch 2.7.6 then create a missing file.
        may_create=operation is Operation.MODIFY
        and section.git_rest is None
        and section.old is not None
        and section.is_empty(section.old),
    )
    return FileEntry(patch, names.marks, section.quoted)


def _names(cursor: Cursor, section: Section) -> _Names | None:
    """Return the names on which all headers agree; None after reporting problems."""
    far = _far_names(cursor, section)
    names = None
    if section.old and section.new:
        names = _mnemonic_names(section, far) or _marked_names(cursor, section)
    if section.old is not None and names is None:
        return None
    if far is not None and names is not None and (names.old, names.new) != far:
        _report_names(cursor, section)
        return None
    if far is None and names is not None and names.old != names.new:
        _report_names(cursor, section)
        return None
    if section.git_rest is None:
        return names
    if names is None:
        return _git_names(cursor, section, section.git_rest, far)
    if not _agrees(section.git_rest, names):
        _report_names(cursor, section)
        return None
    return names


def _far_names(cursor: Cursor, section: Section) -> tuple[bytes, bytes] | None:
    for verb, other in ((b"rename", b"copy"), (b"copy", b"rename")):
        keys = (verb + b" from ", verb + b" to ")
        if not section.has(*keys):
            continue
        if (
            not all(key in section.headers for key in keys)
            or section.has(other + b" from ", other + b" to ")
            or section.has(b"new file mode ", b"deleted file mode ")
        ):
            _report_contradiction(cursor, section, f"The {verb.decode()} headers contradict the others.")
        old, new = (read_plain_name(section.headers.get(key, b"")) for key in keys)
        section.quoted = section.quoted or old.quoted or new.quoted
        return old.value or b"", new.value or b""
    return None


def _marked_names(cursor: Cursor, section: Section) -> _Names | None:
    assert section.old is not None and section.new is not None
    if section.old.value is None and section.new.value is None:
        cursor.report(
            "diff.dev_null",
            "Both sides of this file are /dev/null.",
            "Name the file on the side where it exists.",
            line=section.line,
        )
        return None
    split = split_prefix(section.old.value, section.new.value)
    if split is not None and split[2] == NO_MARKS and section.git_rest is None and _may_be_mnemonic(section):
        cursor.report(
            "diff.prefix",
            "It is unclear whether this name has a prefix from git's diff.mnemonicPrefix setting.",
            (
                "Write --- a/NAME or +++ b/NAME, or create the diff with git -c "
                "diff.mnemonicPrefix=false diff."
            ),
            line=section.line,
        )
        return None
    if split is None:
        cursor.report(
            "diff.prefix",
            "It is unclear whether these names have the prefixes a/ and b/.",
            "Write --- a/NAME and +++ b/NAME.",
            line=section.line,
        )
        return None
    old, new, marks = split
    if old is None:
        old = new
    if new is None:
        new = old
    assert old is not None and new is not None
    return _Names(old, new, marks)


def _mnemonic_names(section: Section, far: tuple[bytes, bytes] | None) -> _Names | None:
    """Return the names without the prefixes of diff.mnemonicPrefix.

    None unless all headers have them. Without such prefixes the same headers would name two files, with no
    rename header.
    """
    assert section.old is not None and section.new is not None
    sides = section.old.value, section.new.value
    for marks in MNEMONIC_MARKS if section.git_rest is not None else ():
        if not all(side is None or side.startswith(mark) for side, mark in zip(sides, marks, strict=True)):
            continue
        bare_names = [side[len(mark) :] for side, mark in zip(sides, marks, strict=True) if side is not None]
        if not bare_names or (bare_names[0], bare_names[-1]) != (far or (bare_names[0], bare_names[0])):
            continue
        names = _Names(bare_names[0], bare_names[-1], marks)
        if section.git_rest is not None and _agrees(section.git_rest, names):
            return names
    return None


def _may_be_prefixed(section: Section, names: _Names) -> bool:
    """Return whether a new file's only name may have an unmarked prefix.

    As of `diff -ruN`: BusyBox 1.35.0 and quilt 0.66 write /dev/null on the other side, and a folder of any
    name before this one.
    """
    return (
        names.marks == NO_MARKS
        and b"/" in names.new
        and section.git_rest is None
        and section.old is not None
        and section.old.value is None
        and not section.is_named_above
    )


def _may_be_mnemonic(section: Section) -> bool:
    """Return whether the only name begins as with git's diff.mnemonicPrefix.

    Prefixes as of git-config 2.39.5.
    """
    sides = [side.value for side in (section.old, section.new) if side is not None and side.value is not None]
    return len(sides) == 1 and _MNEMONIC.match(sides[0]) is not None


def _git_names(
    cursor: Cursor, section: Section, rest: bytes, far: tuple[bytes, bytes] | None
) -> _Names | None:
    """Return the names of a file without --- and +++ lines."""
    section.quoted = section.quoted or b'"' in rest
    for marks in (USUAL_MARKS, *MNEMONIC_MARKS, NO_MARKS):
        if far is not None:
            names = _Names(*far, marks)
            if _agrees(rest, names):
                return names
        else:
            name = git_line_names(rest, marks)
            if name is not None and (marks != NO_MARKS or not name.startswith((b"a/", b"b/"))):
                return _Names(name, name, marks)
    _report_names(cursor, section)
    return None


def _agrees(rest: bytes, names: _Names) -> bool:
    return git_line_agrees(rest, names.marks[0] + names.old, names.marks[1] + names.new)


def _operation(cursor: Cursor, section: Section) -> Operation:
    if section.creates and section.deletes:
        _report_contradiction(cursor, section, "The headers mark the file as both new and deleted.")
    for key, mark in ((b"new file mode ", section.old), (b"deleted file mode ", section.new)):
        # Subversion 1.14.2 --git writes the mode header, and no /dev/null.
        if section.has(key) and mark is not None and mark.value is not None and not mark.is_nonexistent:
            _report_contradiction(
                cursor,
                section,
                "The mode header and the --- and +++ lines contradict each other about /dev/null.",
            )
    if section.has(b"rename from "):
        operation = Operation.MOVE
    elif section.has(b"copy from "):
        operation = Operation.COPY
    elif section.creates:
        operation = Operation.CREATE
    elif section.deletes:
        operation = Operation.DELETE
    elif section.has(b"old mode ") and not section.hunks and not section.is_binary:
        operation = Operation.MODE
    else:
        operation = Operation.MODIFY
    if operation in (Operation.MOVE, Operation.COPY) and (section.creates or section.deletes):
        _report_contradiction(cursor, section, "A renamed or copied file can't be /dev/null on one side.")
    return operation


def _modes(cursor: Cursor, section: Section) -> tuple[int | None, int | None]:
    """Return both modes as git prints them, None where unstated."""
    values: dict[bytes, int] = {}
    for key in (b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode "):
        text = section.headers.get(key)
        if text is None:
            continue
        if not _MODE.fullmatch(text):
            cursor.report(
                "diff.mode",
                "A file mode must be six octal digits.",
                "Write 100644, or 100755 for a program.",
                line=section.line,
            )
            return None, None
        values[key] = int(text, 8)
    pair = section.has(b"old mode "), section.has(b"new mode ")
    if pair[0] != pair[1] or (pair[0] and section.has(b"new file mode ", b"deleted file mode ")):
        _report_contradiction(cursor, section, "The mode headers contradict each other.")
    elif pair[0] and values[b"old mode "] == values[b"new mode "]:
        _report_contradiction(cursor, section, "The old and new modes are the same.")
    old = values.get(b"old mode ", values.get(b"deleted file mode "))
    new = values.get(b"new mode ", values.get(b"new file mode "))
    index = INDEX.fullmatch(section.headers.get(b"index ", b""))
    if index is not None and index.group(3):
        index_mode = int(index.group(3), 8)
        if pair[0] or any(mode not in (None, index_mode) for mode in (old, new)):
            _report_contradiction(cursor, section, "The mode in the index line disagrees with the others.")
        old = index_mode if old is None and not section.creates else old
        new = index_mode if new is None and not section.deletes else new
    return old, new


def _check_index(cursor: Cursor, section: Section) -> None:
    for key in (b"similarity index ", b"dissimilarity index "):
        if section.has(key) and not _PERCENT.fullmatch(section.headers[key]):
            _report_contradiction(cursor, section, "The similarity is not a percentage.")
    is_moved = section.has(b"rename from ", b"copy from ")
    similarity = section.headers.get(b"similarity index ")
    if similarity is not None and not is_moved:
        _report_contradiction(cursor, section, "A similarity index is only valid for a rename or copy.")
    if similarity not in (None, b"100%") and not section.hunks and not section.is_binary:
        _report_contradiction(cursor, section, "A rename or copy with changes has no hunks.")
    text = section.headers.get(b"index ")
    if text is None:
        return
    index = INDEX.fullmatch(text)
    if index is None:
        cursor.report(
            "diff.index",
            "The index line can't be read.",
            "Use index OLD..NEW with hexadecimal ids, or omit the line.",
            line=section.line,
        )
        return
    old, new = index.group(1), index.group(2)
    if (not old.strip(b"0")) != section.creates or (not new.strip(b"0")) != section.deletes:
        _report_contradiction(
            cursor, section, "The ids in the index line contradict the headers about which side exists."
        )
    elif not section.hunks and not section.is_binary:
        content = new if section.creates else old if section.deletes else None
        if content is not None and not any(blob.startswith(content) for blob in _EMPTY_BLOBS):
            cursor.report(
                "diff.header",
                "No hunk has the content that the index line names.",
                "Create the diff without -D: git diff -D omits the lines of a deleted file."
                if section.deletes
                else "Use the headers as git diff writes them, or omit them.",
                line=section.line,
            )


def _check_extent(cursor: Cursor, section: Section) -> None:
    """Check that creates and deletes have one hunk, and others change something."""
    whole = section.hunks if len(section.hunks) == 1 else ()
    if section.creates and section.hunks and not any(hunk.old_start == hunk.old_lines == 0 for hunk in whole):
        cursor.report(
            "diff.create",
            "A new file can't have removed lines.",
            "Give one hunk that begins with @@ -0,0 +1,LINES @@, or remove /dev/null.",
            line=section.line,
        )
    if section.deletes and section.hunks and not any(hunk.new_start == hunk.new_lines == 0 for hunk in whole):
        cursor.report(
            "diff.delete",
            "A deleted file can't keep lines.",
            "Give one hunk that begins with @@ -1,LINES +0,0 @@, or remove /dev/null.",
            line=section.line,
        )
    says_something = section.has(b"rename from ", b"copy from ", b"old mode ")
    if not (section.hunks or section.is_binary or section.creates or section.deletes or says_something):
        cursor.report(
            "diff.no_hunks",
            "This file's headers change nothing, and no hunk follows.",
            "Add the hunks, or remove the file.",
            line=section.line,
        )


def _own_problems(
    cursor: Cursor, section: Section, names: _Names, modes: tuple[int | None, int | None]
) -> tuple[Problem, ...]:
    """Return what makes this file alone invalid in a well-formed diff."""
    problems: list[Problem] = []

    def add(code: str, message: str, hint: str) -> None:
        problems.append(Problem(code, message, hint, line=section.line, column=1))

    if section.is_stub or _holds_nul(cursor, section):
        add(
            "file.binary",
            "The diff changes a binary file without including its bytes."
            if section.is_stub
            else "The diff changes a binary file line by line.",
            "Make it with git diff --binary, or give the new bytes as content_base64 in a JSON plan.",
        )
    if section.blocks is not None and section.binary_patch is None:
        add(
            "file.binary_ids",
            "The index line of the binary patch is missing the full ids of both sides.",
            "Create the diff with git diff --binary --full-index.",
        )
    for mode in dict.fromkeys(mode for mode in modes if mode is not None):
        # A link created by one entry and written through by the next leads out of the tree (CVE-2023-23946 in
        # git).
        if mode == 0o120000:
            add(
                "file.symlink",
                "The entry is a symbolic link.",
                "Propose a regular file; links are never created.",
            )
        elif mode == 0o160000:
            add("file.submodule", "The entry is a submodule.", "Submodules can't be changed by a plan.")
        elif mode not in _REGULAR_MODES:
            add("file.mode", f"The file mode {mode:06o} is not allowed.", "Use 100644 or 100755.")
    for name in dict.fromkeys((names.old, names.new)):
        if not name:
            add("name.empty", "The file has no name.", "Add the file name after the prefix.")
        # git apply 2.39.5 cuts a name at a NUL and writes to what is left of it.
        elif _CONTROL.search(name):
            add("name.control", "The name of the file holds a control character.", "Choose another name.")
        elif _not_utf8(name):
            add("name.not_utf8", "The name of the file is not UTF-8.", "Choose another name.")
    for side in (section.old, section.new):
        # Without its time zone a date can't be known to be 0 seconds since the epoch.
        if (
            section.git_rest is None
            and side is not None
            and not side.is_missing
            and side.value is not None
            and _NEAR_EPOCH.match(side.timestamp)
            and section.is_empty(side)
        ):
            add(
                "file.epoch",
                "The date in the header may mean that the file is missing on that side.",
                "Write /dev/null for the side on which the file is missing.",
            )
    return tuple(problems)


def _holds_nul(cursor: Cursor, section: Section) -> bool:
    return cursor.holds_nul and any(
        cursor.data.find(b"\0", hunk.start, hunk.end) >= 0 for hunk in section.hunks
    )


def _not_utf8(name: bytes) -> bool:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _report_names(cursor: Cursor, section: Section) -> None:
    source = section.headers.get(b"copy from ", section.headers.get(b"rename from ", b""))
    if _REVISION.search(source):
        message = "The old name of this file ends with a revision, as in Subversion copies."
        hint = "Create the diff with svn diff --show-copies-as-adds."
        cursor.report("diff.names", message, hint, line=section.line)
    else:
        report_names(cursor, section.line, section.old, section.new)


def _report_contradiction(cursor: Cursor, section: Section, message: str) -> None:
    cursor.report(
        "diff.header",
        message,
        "Use the headers as git diff writes them, or omit them.",
        line=section.line,
    )


# Header lines and hunks of one file, as parsed and before validation.

INDEX: Final = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
"""The ids of git's index line, and the mode if unchanged."""

_WHOLE_ID_DIGITS = (40, 64)


class Section(Struct):
    """Everything parsed about one file, before validation."""

    line: int
    git_rest: bytes | None = None
    headers: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    old: Name | None = None
    new: Name | None = None
    hunks: Sequence[PatchHunk] = ()
    is_stub: bool = False
    blocks: Blocks | None = None
    quoted: bool = False
    is_named_above: bool = False

    def has(self, *keys: bytes) -> bool:
        """Return whether one of these git headers is present."""
        return not self.headers.keys().isdisjoint(keys)

    @property
    def is_binary(self) -> bool:
        """Whether the file is not compared line by line."""
        return self.is_stub or self.blocks is not None

    @property
    def binary_patch(self) -> BinaryPatch | None:
        """The blocks with their ids; None if ids are abbreviated or missing."""
        index = INDEX.fullmatch(self.headers.get(b"index ", b""))
        if self.blocks is None or index is None:
            return None
        old_id, new_id = index[1].decode(), index[2].decode()
        if len(old_id) != len(new_id) or len(old_id) not in _WHOLE_ID_DIGITS:
            return None
        return BinaryPatch(old_id, new_id, *self.blocks)

    @property
    def creates(self) -> bool:
        """Whether the file is missing on the old side."""
        return self.has(b"new file mode ") or (self.old is not None and self._is_missing(self.old))

    @property
    def deletes(self) -> bool:
        """Whether the file is missing on the new side."""
        return self.has(b"deleted file mode ") or (self.new is not None and self._is_missing(self.new))

    def is_empty(self, side: Name) -> bool:
        """Return whether its only hunk has no lines on this side."""
        if len(self.hunks) != 1:
            return False
        (hunk,) = self.hunks
        if side is self.old:
            return hunk.old_start == hunk.old_lines == 0
        return hunk.new_start == hunk.new_lines == 0

    def _is_missing(self, side: Name) -> bool:
        if side.value is None:
            return True
        # With a git line the mode headers say it; GNU diff -N and Subversion have no other sign.
        return self.git_rest is None and side.is_missing and self.is_empty(side)
