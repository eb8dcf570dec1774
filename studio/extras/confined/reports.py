"""Status and error lines that the sandbox launcher writes to its parent."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_ANSWERS = 1
"""The pipe to the requesting process."""


def report(word: str, *more: object) -> None:
    """Write one line; exit if no one reads it anymore."""
    try:
        os.write(_ANSWERS, "\t".join((word, *map(str, more))).encode() + b"\n")
    except BrokenPipeError:
        os._exit(1)


class Step:
    """A block in which an OSError is reported and ends this process.

    Not a contextlib generator: importing contextlib takes as long as all other imports here.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            report("refused", self._name, error.errno)
            os._exit(1)
