"""Consecutive added or changed lines of a step, with line and column."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO
from itertools import accumulate, islice

from studio.engine import diff as diffs
from studio.system import chunks
from studio.text import Forms, diff_text, line_codec
from studio.values import Value


class Run(Value, dict=True):
    """Consecutive lines of the result that are not in the base.

    `first_line` is 1-based; `raw` is their diff text (bytes) with its line ends; `encoding` decodes it.
    Offsets are 0-based characters of `text`.
    """

    first_line: int
    raw: bytes
    encoding: str

    @cached_property
    def text(self) -> str:
        """The lines as text, with U+FFFD for undecodable bytes."""
        return self.raw.decode(self.encoding, "replace")

    @cached_property
    def starts(self) -> Sequence[int]:
        """The offset of each line, then the length of the text."""
        lines = self.text.split("\n")
        return list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0)) + [len(self.text)] * bool(
            lines[-1]
        )

    def index_of(self, offset: int) -> int:
        """Return the 0-based line of this run that contains an offset."""
        return bisect_right(self.starts, offset) - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return an offset's 1-based line and column in the whole file."""
        index = self.index_of(offset)
        return self.first_line + index, offset - self.starts[index] + 1

    def line(self, index: int) -> str:
        """Return one line of this run with its LF."""
        return self.text[self.starts[index] : self.starts[index + 1]]


def added_runs(
    base: bytes | None,
    result: bytes,
    forms: Forms,
    setting: str | None,
    *,
    diff: diffs.FileDiff | None = None,
) -> Iterator[Run]:
    """Yield the runs of lines that only `result` has, in order.

    None where either has no lines. `diff` is that from `base` to `result`, where it is known.
    """
    before = base or b""
    if not forms.have_lines:
        return
    encoding = line_codec(forms.result)
    if not before:
        if text := diff_text(result, setting):
            yield Run(1, text, encoding)
        return
    if diff is None:
        diff = diffs.compute(before, result, setting=setting)
    # Lines are skipped, not indexed: an index of all lines took 7 % of the check of a file of 20 KB.
    stream, line = BytesIO(diff.result), 0
    for first, count in zip(diff.changes.new_firsts, diff.changes.new_counts, strict=True):
        if count:
            start = _skip_lines(stream, first - line)
            line = first + count
            yield Run(first + 1, diff.result[start : _skip_lines(stream, count)], encoding)


def _skip_lines(stream: BytesIO, count: int) -> int:
    """Skip that many lines and return the position behind them."""
    for start, end in chunks.ranges(0, count):
        next(islice(stream, end - start - 1, None), None)
    return stream.tell()
