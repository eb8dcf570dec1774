"""One entry of ours in somebody's configuration: where it belongs, and what putting it there made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Spot:
    """The keys of the objects around an entry, and its name in the innermost.

    Without a name `keys` lead to a list, and it is one of its elements.
    """

    keys: tuple[str, ...]
    name: str | None


WHOLE: Final = Spot((), "")
"""A file that is all ours. Its entry says what it holds as `content`, and may say that it is `executable`."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How to take an entry out again so that nothing of it stays.

    Of the objects around it so many levels stood there before, -1 where the file was blank; `inner` is what
    the innermost of these held, None where it held more than blanks and comments. In TOML and YAML it is
    what was put between the text and the entry.
    """

    depth: int
    inner: str | None


def newline_of(text: str) -> str:
    """What ends the lines of a text, as its first one has it."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
