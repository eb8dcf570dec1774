"""Commands as a configuration names them: each a line as one would type it."""

from __future__ import annotations

import shlex


def command_words(line: str) -> tuple[str, ...]:
    """The words of a command; none where it is no command."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return ()
