"""Where something stands in a text: offsets of characters as 1-based lines and columns."""

from __future__ import annotations

from studio.engine.plan import Problem


class Places:
    """Turns offsets in characters into lines and columns; what is asked in order is counted once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def problem(self, code: str, message: str, hint: str, position: int) -> Problem:
        """A problem that stands at an offset."""
        line = self.line(position)
        return Problem(code, message, hint, line=line, column=position - self._text.rfind("\n", 0, position))

    def line(self, position: int) -> int:
        if position >= self._at:
            self._line += self._text.count("\n", self._at, position)
        else:
            self._line -= self._text.count("\n", position, self._at)
        self._at = position
        return self._line
