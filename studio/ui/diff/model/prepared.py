"""What of a diff is made ready away from the ui thread, so that showing it costs no more than a screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from studio.engine.diff import FileDiff
from studio.engine.diff.on_screen import line_count
from studio.engine.text import NotText, TextForm, describe, diff_text
from studio.ui.diff.model.layout import row_map

Answer = TypeVar("Answer")


class _Latest(Generic[Answer]):
    """What was found out about the sides of one step and of the one read ahead, which may be large.

    They are known by identity: to hash or compare a large side holds up a frame.
    """

    def __init__(self, find_out: Callable[[bytes, str | None], Answer]) -> None:
        self._find_out = find_out
        self._known: deque[tuple[bytes, str | None, Answer]] = deque(maxlen=4)

    def of(self, data: bytes, setting: str | None = None) -> Answer:
        for known, known_setting, answer in tuple(self._known):
            if known is data and known_setting == setting:
                return answer
        answer = self._find_out(data, setting)
        self._known.append((data, setting, answer))
        return answer


_forms = _Latest[TextForm | NotText](describe)
_totals = _Latest[int](lambda data, _setting: line_count(data))


def form_of(data: bytes | None, setting: str | None = None) -> TextForm | NotText | None:
    """How a side is text, by the project's encoding for its path; None for a side that does not exist."""
    return None if data is None else _forms.of(data, setting)


def line_total(data: bytes, form: TextForm | None = None) -> int:
    """How many lines some bytes are, as text of that form."""
    return (
        _totals.of(data) if form is None or not form.is_utf16 else line_count(diff_text(data, form.encoding))
    )


def prepare(diff: FileDiff, base: bytes | None, result: bytes | None, setting: str | None = None) -> None:
    """Split the lines, count the rows, and find out how both sides are text."""
    form_of(base, setting)
    form_of(result, setting)
    assert len(diff.base_lines) >= 0
    assert len(diff.result_lines) >= 0
    row_map(diff)


def is_same(diff: FileDiff | None, before: FileDiff | None) -> bool:
    """Whether two diffs compare the same bytes: the file was looked at again and nothing is new."""
    if diff is None or before is None:
        return False
    return diff is before or (diff.base == before.base and diff.result == before.result)
