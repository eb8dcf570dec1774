"""Errors of a configuration, with file, line and key."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.errors import Refused
from studio.engine.plan import Problem


class ConfigRefused(Refused):
    """A configuration file, or a value set by a command, is invalid.

    `problems` lists every problem found. `file` is the file's name as shown, `line` 1-based, `key` dotted;
    None or empty where there is none.
    """

    def __init__(
        self,
        code: str,
        message: str,
        hint: str,
        *,
        file: str = "",
        line: int | None = None,
        key: str = "",
        problems: Sequence[Problem] = (),
    ) -> None:
        super().__init__(code, message, hint, path=file or None)
        self.file = file
        self.line = line
        self.key = key
        self.problems = tuple(problems) or (Problem(code, message, hint, line=line),)


def place(file: str, line: int | None, key: str = "") -> str:
    """Return the start of a message: `studio.yaml, line 3, limits.depth`."""
    parts = [file, f"line {line}" if line is not None else "", key]
    return ", ".join(part for part in parts if part)
