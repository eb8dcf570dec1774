"""What came of the parts of a release, and the table of it at the end."""

from __future__ import annotations

import subprocess
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from system_packages import Problem, say

WIDTH = 110
_HEADINGS = ("what", "state", "size", "words")


class State(Enum):
    BUILT = "built"
    TESTED = "tested"
    UNTRIED = "not tried"
    FAILED = "failed"


class Unavailable(Problem):
    """A tool or right that this machine lacks, in one sentence with the remedy: a part that can't be had
    here is not tried, and none that failed."""


@dataclass(frozen=True)
class Outcome:
    """One line: what, how far it came, in words what was found or why not, and the file it made."""

    what: str
    state: State
    words: str = ""
    file: Path | None = None


def attempt(what: str, do: Callable[[], str], file: Path | None = None) -> Outcome:
    """Try what returns in words what it found; the line that says what came of it."""
    say(f"Trying {what}")
    try:
        return Outcome(what, State.TESTED, do(), file)
    except Unavailable as reason:
        return Outcome(what, State.UNTRIED, str(reason), file)
    except (Problem, OSError, subprocess.SubprocessError) as problem:
        return Outcome(what, State.FAILED, str(problem), file)


def has_failed(outcomes: Sequence[Outcome]) -> bool:
    return any(each.state is State.FAILED for each in outcomes)


def table(outcomes: Sequence[Outcome]) -> str:
    """Lines of four columns; the last one goes on below itself."""
    rows = [_HEADINGS, *((each.what, each.state.value, _size(each.file), each.words) for each in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    indent = " " * (sum(widths) + 2 * len(widths))
    lines: list[str] = []
    for what, state, size, words in rows:
        lead = f"{what:<{widths[0]}}  {state:<{widths[1]}}  {size:>{widths[2]}}  "
        for paragraph in words.splitlines() or [""]:
            for line in textwrap.wrap(paragraph, max(30, WIDTH - len(indent))) or [""]:
                lines.append(f"{lead}{line}".rstrip())
                lead = indent
    return "\n".join(lines) + "\n"


def _size(file: Path | None) -> str:
    if file is None or not file.exists():
        return ""
    size = file.stat().st_size
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"
