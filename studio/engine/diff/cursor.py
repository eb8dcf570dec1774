"""A place in the bytes of a diff, and the problems found on the way; shared by the strict readers."""

from __future__ import annotations

import re
from typing import Final

from studio.engine.errors import Refused
from studio.engine.limits import PLAN_PROBLEMS_UP_TO
from studio.engine.plan import Problem
from studio.engine.problem_lists import ProblemList

# Lines where a reader that lost its way can start again.
FILE_ANCHOR: Final = rb"(?:diff --git |--- [^\n]*\n\+\+\+ )"
"""A pattern for the beginning of a line with which a file begins."""

_FILE_ANCHOR = re.compile(rb"(?m)^" + FILE_ANCHOR)
_ANCHOR = re.compile(rb"(?m)^(?:diff --git |@@ -|--- [^\n]*\n\+\+\+ )")
_PLAIN_FILE = re.compile(rb"\n--- [^\n]*\n\+\+\+ [^\n]*\n@@ -")


class DiffRefused(Refused):
    """The text is not a diff that reads exactly one way; `problems` holds all that was found.

    Each problem has its line and column in the text, both from 1, columns in bytes.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        where = f"Line {first.line}: " if first.line is not None else ""
        others = sum(problem.count for problem in problems) - 1
        more = f" ({others} more problems.)" if others else ""
        super().__init__(first.code, f"{where}{first.message}{more}", first.hint)
        self.problems = problems


class Cursor:
    """Walks a text line by line and remembers the line number; lines end at LF only."""

    def __init__(
        self, data: bytes, *, problems_up_to: int = PLAN_PROBLEMS_UP_TO, first_line: int = 1
    ) -> None:
        """`problems_up_to` are kept, those behind them counted."""
        self.data = data
        self.position = 0
        self.line = first_line
        self.problems = ProblemList(problems_up_to)
        self.holds_nul = b"\0" in data
        # The last finds are kept, so that a text with few files is not searched once per file.
        self._next_git = -1
        self._next_plain = -1

    @property
    def at_end(self) -> bool:
        """Whether nothing is left to read."""
        return self.position >= len(self.data)

    def current(self) -> bytes:
        """The line at the cursor without its LF."""
        end = self.data.find(b"\n", self.position)
        return self.data[self.position : end if end >= 0 else len(self.data)]

    def starts(self, prefix: bytes | tuple[bytes, ...]) -> bool:
        """Whether what is left begins so."""
        return self.data.startswith(prefix, self.position)

    def advance(self) -> None:
        """Step over the current line."""
        end = self.data.find(b"\n", self.position)
        self.position = end + 1 if end >= 0 else len(self.data)
        self.line += 1

    def jump(self, position: int, lines: int) -> None:
        """Step forward to a line start whose distance in lines the caller has counted."""
        self.position = position
        self.line += lines

    def skip_to_file(self) -> None:
        """Go on at the next line that begins a file, at the earliest the line after this one."""
        self.skip_to(_FILE_ANCHOR)

    def skip_to_anchor(self) -> None:
        """Go on at the next line that begins a file or a hunk."""
        self.skip_to(_ANCHOR)

    def skip_to(self, anchor: re.Pattern[bytes]) -> None:
        """Go on where the pattern is found next, at the earliest at the line after this one."""
        next_line = self.data.find(b"\n", self.position)
        found = anchor.search(self.data, next_line + 1) if next_line >= 0 else None
        target = found.start() if found else len(self.data)
        self.line += self.data.count(b"\n", self.position, target)
        self.position = target

    def at_file_header(self) -> bool:
        """Whether the two lines here begin a file of the plain form."""
        if not self.starts(b"--- "):
            return False
        end = self.data.find(b"\n", self.position)
        return end >= 0 and self.data.startswith(b"+++ ", end + 1)

    def git_border(self, start: int) -> int:
        """Where the next `diff --git` line stands after the line start `start`; else the end of the text.

        No such line can stand inside a hunk, whose lines all begin with a sign.
        """
        if self._next_git < start:
            # Without the space at its end: a search is faster for words that end with a rare byte.
            found = self.data.find(b"\ndiff --git", start)
            self._next_git = found + 1 if found >= 0 else len(self.data)
        return self._next_git

    def file_border(self, start: int, *, plain: bool) -> int:
        """Where the next file may begin after `start`: like git_border, and with `plain` also at lines that
        look like the two names of a file above a hunk. Those may be lines of a hunk instead.
        """
        border = self.git_border(start)
        if plain and self._next_plain <= start:
            found = _PLAIN_FILE.search(self.data, start)
            self._next_plain = found.start() + 1 if found else len(self.data)
        return min(border, self._next_plain) if plain else border

    def report(self, code: str, message: str, hint: str, *, line: int | None = None, column: int = 1) -> None:
        """Add a problem, by default at the cursor's line."""
        if self.problems.room > 0:
            at = self.line if line is None else line
            self.problems.add(Problem(code, message, hint, line=at, column=column))
        else:
            self.problems.count(1)

    def refuse_if_problems(self) -> None:
        """Raises DiffRefused with the problems, by line and column, if there are any."""
        if self.problems:
            raise DiffRefused(self.problems.listed_by_place())
