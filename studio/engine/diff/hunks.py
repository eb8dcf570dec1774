"""Hunks of a unified diff, stored as ranges of the diff text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import overload

from studio.values import Value

# git apply 2.39.5 accepts a start of twenty digits and applies the hunk anyway.
_NUMBER = rb"(?!0[0-9])([0-9]{1,9})"
_RANGE = _NUMBER + rb"(?:," + _NUMBER + rb")?"
_HEADER = rb"@@ -" + _RANGE + rb" \+" + _RANGE + rb" @@(?=[ \n])"
HEADER = re.compile(_HEADER)
"""Hunk header; its groups are the four numbers, None for an omitted count of 1."""
_HEADERS = re.compile(rb"\n" + _HEADER)
_PLUS, _MINUS = b"+-"


class PatchHunk(Value):
    """One hunk: header numbers, and a body between offsets of `data`.

    Starts are 1-based as printed (the line before, where the count is 0). `line` is the 1-based line of its
    header in the diff. `old_ends_open` and `new_ends_open` are set where the side's last line in this hunk is
    marked as having no newline.
    """

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    line: int
    old_ends_open: bool
    new_ends_open: bool
    data: bytes
    start: int
    end: int

    @property
    def removed(self) -> int:
        """The number of `-` lines."""
        return self.data.count(b"\n-", self.start - 1, self.end)

    @property
    def added(self) -> int:
        """The number of `+` lines."""
        return self.removed + self.new_lines - self.old_lines

    @property
    def section(self) -> str:
        """The heading after the second `@@`, usually the enclosing function."""
        header = self.data[self.data.rfind(b"\n", 0, self.start - 1) + 1 : self.start]
        return header.partition(b" @@")[2].decode("utf-8", "replace").strip()

    @property
    def old_first(self) -> int:
        """The 0-based line of the base at which the hunk begins."""
        return self.old_start - 1 if self.old_lines else self.old_start

    @property
    def old_end(self) -> int:
        """The 0-based line of the base after the hunk."""
        return self.old_first + self.old_lines

    @property
    def new_first(self) -> int:
        """The 0-based line of the result at which the hunk begins."""
        return self.new_start - 1 if self.new_lines else self.new_start

    @property
    def body(self) -> bytes:
        """The hunk's lines with their signs, as in the diff."""
        return self.data[self.start : self.end]

    def old_block(self) -> bytes:
        """Return the lines expected in the base, without signs."""
        return self.sides()[0]

    def new_block(self) -> bytes:
        """Return the replacing lines, without signs."""
        return self.sides()[1]

    def sides(self) -> tuple[bytes, bytes]:
        """Return the expected old block and the replacing new block."""
        lines = list(BytesIO(self.body))
        if self.old_ends_open or self.new_ends_open:
            return _without_markers(lines, b"+"), _without_markers(lines, b"-")
        # Bytes are compared as numbers, and lines cut before they are joined: one pass for each side.
        old = b"".join([line[1:] for line in lines if line[0] != _PLUS])
        return old, b"".join([line[1:] for line in lines if line[0] != _MINUS])


def _without_markers(lines: Sequence[bytes], other_sign: bytes) -> bytes:
    """Return one side's lines; a marker removes the LF before it."""
    side_lines: list[bytes] = []
    previous_kept = False
    for line in lines:
        if line.startswith(b"\\"):
            if previous_kept:
                side_lines[-1] = side_lines[-1][:-1]
        else:
            previous_kept = not line.startswith(other_sign)
            if previous_kept:
                side_lines.append(line[1:])
    return b"".join(side_lines)


class Hunks(Sequence[PatchHunk]):
    """The validated hunks of one file, created on first access.

    They are the bytes `start` to `end` of `data`, beginning at the 1-based `line`. Most of a large diff is
    never accessed.
    """

    __slots__ = ("_cached", "_count", "_data", "_end", "_line", "_open", "_start")

    def __init__(
        self, data: bytes, start: int, end: int, *, line: int, count: int, ends_open: tuple[bool, bool]
    ) -> None:
        self._data = data
        self._start = start
        self._end = end
        self._line = line
        self._count = count
        self._open = ends_open
        self._cached: tuple[PatchHunk, ...] | None = None

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> PatchHunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PatchHunk, ...]: ...
    def __getitem__(self, index: int | slice) -> PatchHunk | tuple[PatchHunk, ...]:
        return self._hunks()[index]

    def __iter__(self) -> Iterator[PatchHunk]:
        return iter(self._hunks())

    def __eq__(self, other: object) -> bool:
        return self._hunks() == (other._hunks() if isinstance(other, Hunks) else other)

    def __hash__(self) -> int:
        return hash(self._hunks())

    def __repr__(self) -> str:
        return f"Hunks{self._hunks()!r}"

    def _hunks(self) -> tuple[PatchHunk, ...]:
        if self._cached is None:
            self._cached = self._build_hunks()
        return self._cached

    def _build_hunks(self) -> tuple[PatchHunk, ...]:
        data, line = self._data, self._line
        headers = list(_HEADERS.finditer(data, self._start - 1, self._end))
        starts = [header.start() + 1 for header in headers]
        hunks: list[PatchHunk] = []
        previous = self._start
        for header, start, end in zip(headers, starts, [*starts[1:], self._end], strict=True):
            old_start, old_count, new_start, new_count = header.groups()
            line += data.count(b"\n", previous, start)
            ends_open = self._open if end == self._end else (False, False)
            hunks.append(
                PatchHunk(
                    int(old_start),
                    int(old_count or 1),
                    int(new_start),
                    int(new_count or 1),
                    line,
                    *ends_open,
                    data,
                    data.index(b"\n", header.end()) + 1,
                    end,
                )
            )
            previous = start
        return tuple(hunks)
