"""Cursor of the diff parser: current line, and found problems."""

from __future__ import annotations

import re
from typing import Final

from studio.engine.plan import Problem, ProblemList
from studio.errors import Refused
from studio.limits import PLAN_PROBLEMS_UP_TO

# Where a parser can resume after an error.
FILE_ANCHOR: Final = rb"(?:diff --git |--- [^\n]*\n\+\+\+ )"
"""Pattern for the start of a line that begins a file."""

_FILE_ANCHOR = re.compile(rb"(?m)^" + FILE_ANCHOR)
_ANCHOR = re.compile(rb"(?m)^(?:diff --git |@@ -|--- [^\n]*\n\+\+\+ )")
_PLAIN_FILE = re.compile(rb"\n--- [^\n]*\n\+\+\+ [^\n]*\n@@ -")


class DiffRefused(Refused):
    """A text that is not a diff with exactly one reading.

    `problems` lists everything found, each with its 1-based line and column in the text, columns in bytes.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        line_prefix = f"Line {first.line}: " if first.line is not None else ""
        others = sum(problem.count for problem in problems) - 1
        more = f" ({others} more problems.)" if others else ""
        super().__init__(first.code, f"{line_prefix}{first.message}{more}", first.hint)
        self.problems = problems


class Cursor:
    """Line-by-line reader that tracks the line number; lines end at LF only."""

    def __init__(
        self, data: bytes, *, problems_up_to: int = PLAN_PROBLEMS_UP_TO, first_line: int = 1
    ) -> None:
        """Start at the beginning; problems after `problems_up_to` are only counted."""
        self.data = data
        self.position = 0
        self.line = first_line
        self.problems = ProblemList(problems_up_to)
        self.holds_nul = b"\0" in data
        # Search results are cached, so that a text with few files is not searched once per file.
        self._next_git = -1
        self._next_plain = -1

    @property
    def at_end(self) -> bool:
        """Whether the end of the text is reached."""
        return self.position >= len(self.data)

    def current(self) -> bytes:
        """Return the line at the cursor without its LF."""
        end = self.data.find(b"\n", self.position)
        return self.data[self.position : end if end >= 0 else len(self.data)]

    def starts(self, prefix: bytes | tuple[bytes, ...]) -> bool:
        """Return whether the remaining text starts with a prefix."""
        return self.data.startswith(prefix, self.position)

    def advance(self) -> None:
        """Move past the current line."""
        end = self.data.find(b"\n", self.position)
        self.position = end + 1 if end >= 0 else len(self.data)
        self.line += 1

    def jump(self, position: int, lines: int) -> None:
        """Move forward to the start of a line, `lines` lines ahead."""
        self.position = position
        self.line += lines

    def skip_to_file(self) -> None:
        """Skip to the next later line that begins a file."""
        self.skip_to(_FILE_ANCHOR)

    def skip_to_anchor(self) -> None:
        """Skip to the next later line that begins a file or hunk."""
        self.skip_to(_ANCHOR)

    def skip_to(self, anchor: re.Pattern[bytes]) -> None:
        """Skip to the next match of a pattern after the current line."""
        next_line = self.data.find(b"\n", self.position)
        found = anchor.search(self.data, next_line + 1) if next_line >= 0 else None
        target = found.start() if found else len(self.data)
        self.line += self.data.count(b"\n", self.position, target)
        self.position = target

    def at_file_header(self) -> bool:
        """Return whether a `---` and a `+++` line are next."""
        if not self.starts(b"--- "):
            return False
        end = self.data.find(b"\n", self.position)
        return end >= 0 and self.data.startswith(b"+++ ", end + 1)

    def git_border(self, start: int) -> int:
        """Return the offset of the next `diff --git` line after `start`.

        The end of the text if there is none. No such line can be inside a hunk, whose lines all begin with a
        sign.
        """
        if self._next_git < start:
            # Without the space at its end: a search is faster for words that end with a rare byte.
            found = self.data.find(b"\ndiff --git", start)
            self._next_git = found + 1 if found >= 0 else len(self.data)
        return self._next_git

    def file_border(self, start: int, *, plain: bool) -> int:
        """Return the offset after `start` at which the next file may begin.

        As `git_border`, and with `plain` also lines that look like the two names of a file above a hunk.
        Those may be lines of a hunk instead.
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
        """Raise DiffRefused with the problems, by place, if there are any."""
        if self.problems:
            raise DiffRefused(self.problems.listed_by_place())
