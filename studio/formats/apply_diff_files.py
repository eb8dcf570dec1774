"""The `args` of Roo Code's apply_diff: several files, each with its diffs, as XML whose text is not escaped.

    <file><path>src/app.py</path><diff><content>blocks</content><start_line>4</start_line></diff></file>

One <args> may be around all files, and a file may have several diffs.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_BEGIN: Final = re.compile(r"\s*(?:<args>\s*)?(?=<file>)")
_END: Final = re.compile(r"\s*(?:</args>\s*)?\Z")
_FILE: Final = re.compile(r"\s*<file>\s*<path>([^<]*)</path>\s*(?=<diff>)")
_LINE: Final = r"(?:<start_line>\s*(?P<{}>[0-9]{{0,9}})\s*</start_line>\s*)?"
_DIFF: Final = re.compile(
    rf"<diff>\s*{_LINE.format('before')}<content>(?P<text>.*?)</content>\s*{_LINE.format('after')}</diff>\s*",
    re.DOTALL,
)
_FILE_END: Final = re.compile(r"</file>")


class FileDiffText(NamedTuple):
    """One diff of a file: its blocks, and the line that was given beside them."""

    path: str
    text: str
    line: int | None


def read_files(text: str) -> list[FileDiffText] | None:
    """Return all diffs in their order, None for a text of another shape."""
    found = _BEGIN.match(text)
    if found is None:
        return None
    diffs: list[FileDiffText] = []
    at = found.end()
    while (head := _FILE.match(text, at)) is not None:
        at = head.end()
        while (diff := _DIFF.match(text, at)) is not None:
            line = diff["before"] or diff["after"] or "0"
            diffs.append(FileDiffText(head[1].strip(), diff["text"], int(line) or None))
            at = diff.end()
        end = _FILE_END.match(text, at)
        if end is None:
            return None
        at = end.end()
    return diffs if _END.match(text, at) is not None else None
