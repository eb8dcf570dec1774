"""Refusal of configuration files that contain API keys, tokens or passwords.

Stricter than for proposed text: nothing that belongs in a configuration looks like a secret, and a false
alarm costs a line and not a review.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from studio.engine import risks
from studio.engine.config.nodes import ConfigRefused, Node, format_location
from studio.engine.plan import Problem
from studio.names import show_name

SENSITIVE_NAME: Final = (
    r"(?:password|passwd|passphrase|passwort|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"secret[_-]?key|credentials?|authorization)"
)
"""How the name of a secret ends, case-insensitively."""
_SECRET_NAME = re.compile(f"(?i){SENSITIVE_NAME}$")
_NAMED = re.compile(rf"(?i){SENSITIVE_NAME}[\"']?\s*[:=]\s*[\"']?(?!\$\{{)")
_ENDS_WORD = re.compile(r"[\s\"'\[{,]")
_SECRET_LINE = re.compile(
    r"(?i:\b(?:bearer|basic)\s+[\w+/=.-]{8})"
    r"|\b(?:sk-[\w-]{20}|gh[pousr]_\w{20}|github_pat_\w{20}|xox[abp]-\w{8}|AKIA[0-9A-Z]{12})"
    r"|://[^\s/:@]+:[^\s/@]+@"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY",
)
"""Forms that are almost always secrets; samples are not excepted."""


def contains_secret(line: str) -> bool:
    """Return whether a line seems to hold a secret.

    By its form, or by the name before it.
    """
    ends = (found.end() for found in _NAMED.finditer(line))
    return _is_secret(line) or any(line[end : end + 1].strip(" \t\"'[{,()") for end in ends)


def check_secrets(data: bytes, root: Node, file: str) -> None:
    """Raise ConfigRefused where a configuration seems to hold a secret.

    The secret is not repeated. The raw bytes are checked for comments, the parsed values for JSON escapes.
    """
    values = list(_values(root, ""))
    keys = {line: key for line, key, _ in values}
    found = {line: keys.get(line, "") for line in _find_secret_lines(data)}
    if not found:
        found = {line: key for line, key, text in values if _is_secret(text)}
    found |= dict(_find_named_secrets(root, ""))
    if not found:
        return
    found = {line: "" if _is_secret(key) else key for line, key in found.items()}
    problems = [_problem(file, line, key) for line, key in sorted(found.items())]
    line, key = min(found.items())
    first = problems[0]
    raise ConfigRefused(
        first.code, first.message, first.hint, file=file, line=line, key=key, problems=problems
    )


def _find_named_secrets(node: Node, key: str) -> Iterator[tuple[int, str]]:
    """Yield line and key of each value whose key names a secret.

    A variable is none: its value is outside of the file.
    """
    if isinstance(node.value, tuple):
        for item in node.value:
            yield from _find_named_secrets(item, key)
    elif isinstance(node.value, Mapping):
        for name, value in node.value.items():
            yield from _find_named_secrets(value, f"{key}.{name}" if key else name)
    elif _SECRET_NAME.search(key) and _is_word(node.value):
        yield node.line or 1, key


def _is_word(value: object) -> bool:
    """Return whether a value could be a secret itself.

    That is non-empty text or a number, and no reference to a variable.
    """
    if isinstance(value, str):
        return value != "" and not value.startswith("${")
    return isinstance(value, int) and not isinstance(value, bool)


def _problem(file: str, line: int, key: str) -> Problem:
    return Problem(
        "config.secret",
        f"{format_location(file, line, show_name(key))}: this may be a key or a password (SEC-003).",
        "Remove it and replace it where it is used; it may have been exposed.",
        line=line,
    )


def _is_secret(text: str) -> bool:
    return any(_find_secret_lines(text.encode("utf-8", "replace")))


def _find_secret_lines(data: bytes) -> Iterator[int]:
    facts = risks.credentials.secret_facts([risks.added_lines.Run(1, data, "utf-8")])
    yield from (fact.line for fact in facts if fact.line is not None)
    text = data.decode("utf-8", "replace")
    yield from (text.count("\n", 0, found.start()) + 1 for found in _SECRET_LINE.finditer(text))
    for number, line in enumerate(text.split("\n"), start=1):
        if _names_secret(line.partition("#")[2]):
            yield number


# In steps, not by one expression: on a line of nothing but "#" that took minutes and blocked the window.
def _names_secret(comment: str) -> bool:
    """Return whether a comment's last word follows the name of a secret."""
    end = len(comment.rstrip())
    if comment[end - 1 : end] in ('"', "'"):
        end -= 1
    start = max((found.end() for found in _ENDS_WORD.finditer(comment, 0, end)), default=0)
    return any(start <= found.end() < end for found in _NAMED.finditer(comment, 0, end))


def _values(node: Node, key: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, key and text of each value and each name.

    A value's text is `name: value`; keys are dotted.
    """
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
