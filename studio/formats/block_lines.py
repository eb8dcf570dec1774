"""Line numbers in Roo and Kilo Code's SEARCH/REPLACE blocks: removal and sorting.

    <<<<<<< SEARCH
    :start_line:4            the line of the file at which the old lines begin; :end_line: may follow
    -------
    old lines                a line of the file that looks like a mark has \\ before it
    =======
    new lines
    >>>>>>> REPLACE

All numbers of a reply or a tool call refer to the file as it is before the first of its blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from studio.engine import DraftStep

_END: Final = r"[ \t\r]*(?:\n|\Z)"
_NUMBERS: Final = re.compile(
    rf":start_line:[ \t]*(?P<line>[0-9]{{1,9}}){_END}(?::end_line:[ \t]*[0-9]*{_END})?(?:-------{_END})?"
)
_DASHES: Final = re.compile(rf"-------{_END}")
_ESCAPED: Final = re.compile(r"^\\(?=<<<<<<<|=======|>>>>>>>|-------|:start_line:|:end_line:)", re.MULTILINE)


class NumberedLines(NamedTuple):
    """A block's lines without numbers; `line` is None without one."""

    old: str
    new: str
    line: int | None = None


def strip_line_numbers(old: str, new: str, *, is_numbered: bool) -> NumberedLines:
    """Return a block's lines without Roo Code's numbers and escapes.

    With `is_numbered` the block is known to be of such a tool. Its multi-search-replace strategy also takes a
    line of dashes alone as the end of the numbers.
    """
    found = _NUMBERS.match(old)
    if found is None and not is_numbered:
        return NumberedLines(old, new)
    line = int(found["line"]) or None if found is not None else None
    head = found or _DASHES.match(old)
    old = old[head.end() :] if head is not None else old
    return NumberedLines(_ESCAPED.sub("", old), _ESCAPED.sub("", new), line)


def sort_by_line(steps: Sequence[DraftStep]) -> list[DraftStep]:
    """Sort each file's numbered blocks first and adjust their numbers.

    Each number is moved by what the blocks before it add or remove.
    """
    # Most blocks have no number: this saves a call for each of them.
    if all(not step.edits or step.edits[0].on_line is None for step in steps):
        return list(steps)
    first: dict[str, int] = {}
    for number, step in enumerate(steps):
        first.setdefault(step.path, number)
    moved: dict[str, int] = {}
    ordered: list[DraftStep] = []
    for step in sorted(steps, key=lambda step: (first[step.path], _line(step) is None, _line(step) or 0)):
        line = _line(step)
        if line is None:
            ordered.append(step)
            continue
        (edit,) = step.edits
        by = moved.get(step.path, 0)
        moved[step.path] = by + edit.new.count("\n") - edit.old.count("\n")
        ordered.append(replace(step, edits=(replace(edit, on_line=line + by),)))
    return ordered


def _line(step: DraftStep) -> int | None:
    return step.edits[0].on_line if step.edits else None
