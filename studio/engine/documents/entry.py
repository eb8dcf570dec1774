"""Location of our entry in a configuration file, and its removal trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Spot:
    """Keys of the objects around an entry, and the entry's name.

    Without a name `keys` lead to a list, and the entry is one of its elements.
    """

    keys: tuple[str, ...]
    name: str | None


WHOLE: Final = Spot((), "")
"""A file that is entirely ours. Its entry has `content`, and may have `executable`."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Record of how to remove an entry completely.

    `depth` is how many levels of the objects around it existed before, -1 where the file was blank. `inner`
    is what the innermost of these contained, None where that was more than blanks and comments. In TOML and
    YAML it is what was inserted between the text and the entry.
    """

    depth: int
    inner: str | None


def newline_of(text: str) -> str:
    """Return the line ending of a text's first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
