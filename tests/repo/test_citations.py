"""Sources and pages give a reason, never only a number of a list that their reader does not have."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.repo.test_sources import texts

OWN = "tests/repo/test_citations.py"
CITATION = re.compile(
    r"(?<![\w.=/-])[RCQT][1-9]\d{0,2}(?![\w=])"
    r"|\b(?:contract|design|issue|look|promise|requirement|section)s?(?:\.md)? #?\d+(?:\.\d+)?(?!\w)"
    r"|(?<![\w\"/])notes/",
    re.IGNORECASE,
)
CONTROL_CHARACTERS = re.compile(r"\bC0 (?:and|or) C1\b|\bC1 controls?\b")


def spoken(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of comments, docstrings, assert messages and names of tests."""
    comments = [line[line.index("#") :] for line in source.splitlines() if "#" in line]
    if any(CITATION.search(comment) for comment in comments):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, " ".join(re.findall(r"^test_([rcqt]\d+)_", node.name))
        value = (
            node.value if isinstance(node, ast.Expr) else node.msg if isinstance(node, ast.Assert) else None
        )
        for part in ast.walk(value) if isinstance(value, ast.Constant | ast.JoinedStr) else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


def citations(file: str, text: str) -> list[str]:
    """Return each citation of a file, with its line."""
    found = list[str]()
    if not CITATION.search(text) and "def test_" not in text:
        return found
    for first, words in spoken(text) if file.endswith(".py") else ((1, text),):
        shown = CONTROL_CHARACTERS.sub(lambda match: "-" * len(match[0]), words)
        found += [
            f"{file}:{first + shown.count(chr(10), 0, match.start())}: {match[0]}"
            for match in CITATION.finditer(shown)
        ]
    return found


def test_no_number_takes_the_place_of_a_reason() -> None:
    shown = texts("studio/*.py", "tests/*.py", "installer/*.py", "[A-Z]*.md", "docs/*.md")
    found = [each for file, text in shown if file != OWN for each in citations(file, text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("a.py", '"""Links (R15-R17;\nT8, 0xC6)."""', ["R15", "T8"]),
        ("a.py", "x = 'R1'  # R2\nassert x, 'contract 3'", ["R2", "contract 3"]),
        ("a.py", "def test_t5_line_ends() -> None:\n    '''Case C01, and C0 or C1.'''", ["t5"]),
        ("a.md", "Promise 3, look.md 4.5 and issue 6, but look 2px", ["Promise 3", "look.md 4.5", "issue 6"]),
    ],
)
def test_citations_are_found(file: str, text: str, found: list[str]) -> None:
    assert [each.split(": ")[1] for each in citations(file, text)] == found
