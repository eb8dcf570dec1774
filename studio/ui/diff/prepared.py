"""What of a diff is made ready away from the ui thread, so that showing it costs no more than a screen."""

from __future__ import annotations

from functools import lru_cache

from studio.engine.diff.compute import FileDiff
from studio.engine.diff.ends import line_count
from studio.engine.text import NotText, TextForm, describe
from studio.ui.diff.layout import row_map


# No more than one step's two sides: they may be large.
@lru_cache(2)
def _described(data: bytes, setting: str | None) -> TextForm | NotText:
    return describe(data, setting)


def form_of(data: bytes | None, setting: str | None = None) -> TextForm | NotText | None:
    """How a side is text, by the project's encoding for its path; None for a side that does not exist."""
    return None if data is None else _described(data, setting)


@lru_cache(2)
def line_total(data: bytes) -> int:
    """How many lines some bytes are."""
    return line_count(data)


def prepare(diff: FileDiff, base: bytes | None, result: bytes | None, setting: str | None = None) -> None:
    """Split the lines, count the rows, and find out how both sides are text."""
    form_of(base, setting)
    form_of(result, setting)
    assert len(diff.base_lines) >= 0
    assert len(diff.result_lines) >= 0
    row_map(diff)
