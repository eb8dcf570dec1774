"""No key, token or password stands in a configuration file (R173, R174)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio.engine.config.errors import ConfigRefused, place
from studio.engine.config.tree import Node
from studio.engine.names import show_name
from studio.engine.plan import Problem


def check_secrets(data: bytes, root: Node, file: str) -> None:
    """Raise ConfigRefused where the text or a value of it looks like a secret; the secret is not repeated.

    The bytes are looked at as they are, for comments, and each value as it reads, for JSON's escapes.
    """
    places = list(_values(root, ""))
    keys = {line: key for line, key, _ in places}
    found = {line: keys.get(line, "") for line in _lines_with_secrets(data)}
    if not found:
        found = {line: key for line, key, text in places if _is_secret(text)}
    if not found:
        return
    found = {line: "" if _is_secret(key) else key for line, key in found.items()}
    problems = [_problem(file, line, key) for line, key in sorted(found.items())]
    line, key = min(found.items())
    first = problems[0]
    raise ConfigRefused(
        first.code, first.message, first.hint, file=file, line=line, key=key, problems=problems
    )


def _problem(file: str, line: int, key: str) -> Problem:
    return Problem(
        "config.secret",
        f"{place(file, line, show_name(key))}: this looks like a key or a password (SEC-003).",
        "Take it out, and make a new one where it was used: it may have been seen.",
        line=line,
    )


def _is_secret(text: str) -> bool:
    return any(_lines_with_secrets(text.encode("utf-8", "replace")))


def _lines_with_secrets(data: bytes) -> Iterator[int]:
    from studio.engine.risks.credentials import secret_facts
    from studio.engine.risks.runs import Run

    return (fact.line for fact in secret_facts([Run(1, data, "utf-8")]) if fact.line is not None)


def _values(node: Node, key: str) -> Iterator[tuple[int, str, str]]:
    """Line, dotted key and `name: value` of each single value, and the names themselves."""
    if isinstance(node.value, Mapping):
        for name, value in node.value.items():
            dotted = f"{key}.{name}" if key else name
            yield value.line or 1, key, name
            yield from _values(value, dotted)
    elif isinstance(node.value, tuple):
        for item in node.value:
            yield from _values(item, key)
    elif isinstance(node.value, str):
        yield node.line or 1, key, f"{key.rpartition('.')[2]}: {node.value}"
