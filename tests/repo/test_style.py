"""First lines of docstrings are short and in the words of the field, and no number stands for a reason.

ruff's D401 asks the same of the first verb of a function.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

WORDS_UP_TO = 12

BANNED = re.compile(
    r"\b(?:told|said|heard|tells?|stands?|lies|hangs?|doorbells?|bells?|rings?|lamps?|begun|outlooks?|standing|"
    r"happenings?|departures?|departed|likeness(?:es)?|displaced|surroundings|elsewhere|somebody|whoever|"
    r"left out|taken in|put aside|put away|what counts|dead time|step ahead|sheets?|passages?|"
    r"look(?:s|ed|ing)?(?! up))\b",
    re.IGNORECASE,
)
"""Words of a private idiom, for which the field has others."""

NUMBERED = re.compile(
    r"(?<![\w.-])[RCQT][1-9]\d{0,2}(?!\w)|\b(?:contract|design|promise|look(?:\.md)?)s? \d", re.IGNORECASE
)
"""A requirement, a decision or a section, by its number."""


def faults(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the fault of each docstring and comment of a module."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        doc = ast.get_docstring(node)
        if doc is None:
            continue
        line = 1 if isinstance(node, ast.Module) else node.lineno
        first, _, rest = doc.partition("\n")
        if rest and rest.partition("\n")[0].strip():
            yield line, "the first line goes on in the second"
        if len(first.split()) > WORDS_UP_TO:
            yield line, f"the first line has more than {WORDS_UP_TO} words"
        if (word := BANNED.search(re.sub("`[^`]*`", "", first))) is not None:
            yield line, f"the first line says {word.group()!r}"
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.string.lstrip("rR").startswith('"""')
        if (token.type == tokenize.COMMENT or is_docstring) and (found := NUMBERED.search(token.string)):
            yield token.start[0], f"{found.group()!r} is a number in place of a reason"


def test_words_of_the_field() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {what}"
        for file in sorted((ROOT / "studio").rglob("*.py"))
        for line, what in faults(file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_what_is_found() -> None:
    text = '''"""What is told of a step (R12)."""  # contract 4\n\ndef f():\n    """One\n    line."""\n'''
    assert [(line, what.split(" ")[0]) for line, what in faults(text)] == [
        (1, "the"), (3, "the"), (1, "'R12'"), (1, "'contract")
    ]  # fmt: skip
