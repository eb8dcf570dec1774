"""Cached precomputation for a diff off the UI thread: encoding, lines, rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from studio.engine import FileDiff
from studio.extras.diff_view.on_screen import line_count
from studio.text import NotText, TextForm, describe, diff_text
from studio.ui.diff.model.layout import row_map

Answer = TypeVar("Answer")


class _Latest(Generic[Answer]):
    """Cache of facts about the newest texts, keyed by object identity.

    Hashing or comparing a large text would take longer than a frame.
    """

    def __init__(self, find_out: Callable[[bytes, str | None], Answer]) -> None:
        self._find_out = find_out
        self._cached: deque[tuple[bytes, str | None, Answer]] = deque(maxlen=4)

    def of(self, data: bytes, setting: str | None = None) -> Answer:
        for cached, cached_setting, answer in tuple(self._cached):
            if cached is data and cached_setting == setting:
                return answer
        answer = self._find_out(data, setting)
        self._cached.append((data, setting, answer))
        return answer


_forms = _Latest[TextForm | NotText](describe)
_totals = _Latest[int](lambda data, _setting: line_count(data))


def form_of(data: bytes | None, setting: str | None = None) -> TextForm | NotText | None:
    """Return the text form of a side, None for a missing side.

    `setting` is the project's encoding for its path.
    """
    return None if data is None else _forms.of(data, setting)


def line_total(data: bytes, form: TextForm | None = None) -> int:
    """Return the number of lines of some bytes, read in that form."""
    return (
        _totals.of(data) if form is None or not form.is_utf16 else line_count(diff_text(data, form.encoding))
    )


def prepare(diff: FileDiff, base: bytes | None, result: bytes | None, setting: str | None = None) -> None:
    """Split lines, count rows, and detect text forms, filling the caches."""
    form_of(base, setting)
    form_of(result, setting)
    assert len(diff.base_lines) >= 0
    assert len(diff.result_lines) >= 0
    row_map(diff)


def is_same(diff: FileDiff | None, before: FileDiff | None) -> bool:
    """Return whether two diffs compare the same bytes."""
    if diff is None or before is None:
        return False
    return diff is before or (diff.base == before.base and diff.result == before.result)
