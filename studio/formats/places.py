"""Conversion of character offsets to 1-based lines and columns."""

from __future__ import annotations

from studio.engine.plan import Problem


class Places:
    """Converter of offsets; ascending offsets are counted incrementally."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def problem(self, code: str, message: str, hint: str, position: int) -> Problem:
        """Return a problem at an offset."""
        line = self.line(position)
        return Problem(code, message, hint, line=line, column=position - self._text.rfind("\n", 0, position))

    def line(self, position: int) -> int:
        if position >= self._at:
            self._line += self._text.count("\n", self._at, position)
        else:
            self._line -= self._text.count("\n", position, self._at)
        self._at = position
        return self._line
