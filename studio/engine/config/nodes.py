"""Values of a configuration text, with line numbers, and its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.engine.plan import Problem
from studio.errors import Refused
from studio.values import Value

Scalar = str | int | bool | None


class Node(Value):
    """A value and its 1-based line, None where there is none."""

    value: Scalar | tuple[Node, ...] | Mapping[str, Node]
    line: int | None


def plain(node: Node) -> object:
    """Return a node's value without line numbers."""
    if isinstance(node.value, Mapping):
        return {key: plain(value) for key, value in node.value.items()}
    return [plain(item) for item in node.value] if isinstance(node.value, tuple) else node.value


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


def format_location(file: str, line: int | None, key: str = "") -> str:
    """Return the start of a message: `studio.yaml, line 3, limits.depth`."""
    parts = [file, f"line {line}" if line is not None else "", key]
    return ", ".join(part for part in parts if part)
