"""A patch that is handed to a client's own patch program in a shell: the client applies it as a patch.

Only a command that is nothing else is read so; whatever stands beside it makes it a command.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_PATCH = re.compile(
    r"\s*(?:cd[ \t]+(?P<folder>[\w./-]+|'[^'\n]*')[ \t]*&&\s*)?"
    r"apply_patch[ \t]*<<(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)[ \t]*\n(?P<patch>.*\n)(?P=end)\s*",
    re.DOTALL,
)


class ShellPatch(NamedTuple):
    """The text of a patch, and the folder that the command goes to before, "" for none."""

    text: str
    folder: str


def read_shell_patch(command: str) -> ShellPatch | None:
    """The patch that is all of a command; None where it may do anything else."""
    found = _PATCH.fullmatch(command)
    if found is None:
        return None
    text, end = found["patch"], found["end"]
    # Without quotes the shell puts values in, and a line that is the end alone ends it before.
    if not found["quote"] and re.search(r"[$`\\]", text):
        return None
    if any(line == end for line in text.split("\n")):
        return None
    return ShellPatch(text, (found["folder"] or "").strip("'"))
