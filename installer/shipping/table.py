"""The table at the end of a release: what was built, tested, not tried or failed, how large, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from shipping.outcome import Outcome, State

WIDTH = 110
_HEADINGS = ("what", "state", "size", "words")


def table(outcomes: Sequence[Outcome]) -> str:
    """Lines of four columns; the last one goes on below itself."""
    rows = [_HEADINGS, *((each.what, each.state.value, _size(each), each.words) for each in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    indent = sum(widths) + 2 * len(widths)
    lines: list[str] = []
    for what, state, size, words in rows:
        lead = f"{what:<{widths[0]}}  {state:<{widths[1]}}  {size:>{widths[2]}}  "
        paragraphs = words.splitlines() or [""]
        wrapped = [
            line for each in paragraphs for line in textwrap.wrap(each, max(30, WIDTH - indent)) or [""]
        ]
        lines += [f"{lead}{wrapped[0]}".rstrip(), *(f"{' ' * indent}{line}".rstrip() for line in wrapped[1:])]
    return "\n".join(lines) + "\n"


def has_failed(outcomes: Sequence[Outcome]) -> bool:
    return any(each.state is State.FAILED for each in outcomes)


def _size(outcome: Outcome) -> str:
    if outcome.file is None or not outcome.file.exists():
        return ""
    files = [outcome.file] if outcome.file.is_file() else [f for f in outcome.file.rglob("*") if f.is_file()]
    size = sum(file.stat().st_size for file in files)
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"
