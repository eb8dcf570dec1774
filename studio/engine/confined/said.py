"""What the launcher says to the process that asked, line by line (`order.Said`)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_ANSWERS = 1
"""The pipe to the process that asked."""


def say(word: str, *more: object) -> None:
    """One line; nobody may be there to read it."""
    try:
        os.write(_ANSWERS, "\t".join((word, *map(str, more))).encode() + b"\n")
    except BrokenPipeError:
        os._exit(1)


class Step:
    """A block in which an error of the system ends this process, after it was said what was being done.

    Not a generator of contextlib, which takes as long to import as all else here.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            say("refused", self._name, error.errno)
            os._exit(1)
