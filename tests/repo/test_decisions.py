"""Every number that the sources cite (R25, C6, contract 8, promise 4) is explained in docs, once and briefly.

A citation is one of the letters R, C, Q and T with a number that begins with no zero, or one of the words
contract, design, look and promise with numbers: "contract 3, 5 and 9", "look.md 4.11", "R15-R20". In Python
it stands in a comment, a docstring, the message of an assert or the name of a test ("test_t5_..."), in other
texts anywhere. docs/decisions.md has one item for each: `- **R25** ...`. Its numbered sections, the
numbered steps in them and its promises explain the rest. What no reader has ("seed 2") is cited nowhere.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.repo.test_sources import texts

ROOT = Path(__file__).parents[2]
DECISIONS = "docs/decisions.md"

CITING = ("studio/*", "tests/*", "installer/*", "resources/*", "[A-Z]*.md", "pyproject.toml")
"""Where numbers are cited; docs explain them."""

NOT_CITING = ("tests/repo/test_decisions.py", "*.case", "*.diff", "*.json", "*.ndjson", "*.svg", "*.tsv")
"""This file, which only speaks of citations, and data, which says nothing to whoever reads the sources."""

LOOK_ALIKES = {
    ("pyproject.toml", "C4"): "ruff's rules about comprehensions",
    ("pyproject.toml", "T20"): "ruff's rules about print",
    ("tests/data/right_warnings.txt", "C1"): "the second set of control characters",
}
"""What looks like a citation and is none, by file and number, and what is meant there."""

SENTENCES = {"contract": 2, "look": 2}
"""Most sentences of an item where it is more than one: these two stand for a whole section each."""

NUMBER = r"\d{1,2}(?:\.\d{1,2})?"
RANGE = rf"{NUMBER}(?:[-–]{NUMBER})?"
LETTERED = re.compile(r"(?<![\w.-])([RCQT])([1-9]\d{0,2})(?:[-–]\1([1-9]\d{0,2}))?(?!\w)")
WORDED = re.compile(
    r"\b(contract|design|look|promise)s?(?:\.md)?(?:\s+sections?)?\s+"
    rf"({RANGE}(?:(?:,\s+and|,|\s+and)\s+{RANGE})*)(?!\w)",
    re.IGNORECASE,
)
TEST_NAME = re.compile(r"test_([rcqt][1-9]\d{0,2})_")
NOWHERE = re.compile(
    r"(?<!-)\bseeds?(?:'s| \d)|\bissues?(?::| #?\d)|\b(?:requirements?|safety)(?:\.md)?(?: section)? \d"
    r"|\bsections? \d|(?<![\w\"/])notes/|\((?:[^()]*[,;] )?\d{1,2}\.\d{1,2}(?:[,;][^()]*)?\)"
    r"|\b[a-z]+-light\)",
    re.IGNORECASE,
)
"""How texts were cited that are not part of the repository; what cites ours is taken out before."""
IN_COMMENT = (LETTERED, WORDED, NOWHERE)
ITEM = re.compile(r"- \*\*((?:[RCQT]\d+|(?:contract|look) [\d.]+)(?:, [RCQT]\d+)*)\*\* (.*)")
"""One row, of one number or of several that mean the same; the first one gives its place."""


@dataclass(frozen=True)
class Place:
    """A number, and the line that cites or explains it."""

    file: str
    line: int
    number: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.number}"


@dataclass(frozen=True)
class Item(Place):
    """What docs/decisions.md says of a number, and under which heading."""

    heading: str
    text: str


def kind(number: str) -> str:
    return number.rstrip("0123456789.").strip()


def rank(number: str) -> tuple[str, tuple[int, ...]]:
    """What a number is sorted by: its kind, then its parts as numbers."""
    return kind(number), tuple(int(part) for part in re.findall(r"\d+", number))


def said(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of all that a Python source says to its readers and not to Python."""
    # To tokenize takes longer than to parse: only where something behind a # may be a citation.
    comments = [line[line.index("#") :] for line in source.splitlines() if "#" in line]
    if any(pattern.search(comment) for comment in comments for pattern in IN_COMMENT):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (name := TEST_NAME.match(node.name)):
            yield node.lineno, name[1].upper()
        spoken = (
            node.value if isinstance(node, ast.Expr) else node.msg if isinstance(node, ast.Assert) else None
        )
        for part in ast.walk(spoken) if isinstance(spoken, ast.Constant | ast.JoinedStr) else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.lineno, part.value


def cited(file: str, text: str) -> Iterator[Place]:
    """Every number that a file cites, those inside of a range too."""
    if not LETTERED.search(text) and not WORDED.search(text) and not TEST_NAME.search(text):
        return
    for first, words in said(text) if file.endswith(".py") else ((1, text),):
        for match in (*LETTERED.finditer(words), *WORDED.finditer(words)):
            line = first + words.count("\n", 0, match.start())
            for number in numbers(match):
                if (file, number) not in LOOK_ALIKES:
                    yield Place(file, line, number)


def leading_nowhere(file: str, text: str) -> Iterator[str]:
    """Every citation of something that no reader of the repository has, with file and line."""
    if not NOWHERE.search(WORDED.sub("\n", text)):
        return
    for first, words in said(text) if file.endswith(".py") else ((1, text),):
        rest = WORDED.sub(lambda match: "\n" * match[0].count("\n"), words)
        for match in NOWHERE.finditer(rest):
            line = first + rest.count("\n", 0, match.start())
            yield f"{file}:{line}: {match[0]!r} leads nowhere: say what it means, or cite {DECISIONS}"


def numbers(match: re.Match[str]) -> Iterator[str]:
    """The single numbers of a citation: "R15-R17" is three, "look.md 4.2, 8" is two."""
    if match.re is LETTERED:
        letter, first, last = match.groups()
        yield from (f"{letter}{number}" for number in range(int(first), int(last or first) + 1))
        return
    for part in re.findall(RANGE, match[2]):
        first, _, last = part.replace("–", "-").partition("-")
        chapter, point, low = first.rpartition(".")
        high = (last or first).rpartition(".")[2]
        yield from (
            f"{match[1].lower()} {chapter}{point}{number}" for number in range(int(low), int(high) + 1)
        )


def items(decisions: str) -> Iterator[Item]:
    heading = ""
    for line, text in enumerate(decisions.splitlines(), 1):
        if text.startswith("#"):
            heading = text
        elif match := ITEM.fullmatch(text):
            for number in match[1].split(", "):
                yield Item(DECISIONS, line, number, heading, match[2])


def design_numbers(design: str) -> Iterator[str]:
    """Sections by their headings (`## 5. ...`), steps in them by their lists, and the promises."""
    section, word = "", "design"
    for text in design.splitlines():
        if text.startswith("#"):
            word = "promise" if re.match(r"#+ (?:\d+\. )?Promises\b", text) else "design"
            if match := re.match(r"## (\d+)\. ", text):
                section = match[1]
                yield f"design {section}"
        elif match := re.match(r"(\d+)\. ", text):
            yield f"promise {match[1]}" if word == "promise" else f"design {section}.{match[1]}"


def faults(citations: list[Place], listed: list[Item], designed: set[str]) -> list[str]:
    """What does not fit together, one sentence each, with file, line and number."""
    explained = {item.number for item in listed} | designed
    used = {citation.number for citation in citations}
    often = Counter(item.number for item in listed)
    found = [
        f"{citation} is cited, and {DECISIONS} does not say what it is"
        for citation in citations
        if citation.number not in explained
    ]
    found += [f"{item} is explained, and nothing cites it" for item in listed if item.number not in used]
    found += [f"{item} is explained {often[item.number]} times" for item in listed if often[item.number] > 1]
    firsts = {item.line: item for item in reversed(listed)}
    found += [
        f"{item} stands behind {before.number}"
        for before, item in pairwise(firsts[line] for line in sorted(firsts))
        if before.heading == item.heading and rank(before.number) > rank(item.number)
    ]
    for item in listed:
        ends = len(re.findall(r"[.!?](?=\s|$)", item.text))
        most = SENTENCES.get(kind(item.number), 1)
        if not item.text.endswith(".") or not 1 <= ends <= most:
            found.append(f"{item} is not {'one sentence' if most == 1 else 'one or two sentences'}")
    return found


@cache
def citations() -> list[Place]:
    return [
        place
        for file, text in texts(*CITING)
        if not any(fnmatchcase(file, pattern) for pattern in NOT_CITING)
        for place in cited(file, text)
    ]


def test_each_number_is_explained_and_each_explanation_is_needed() -> None:
    decisions = (ROOT / DECISIONS).read_text(encoding="utf-8")
    listed, designed = list(items(decisions)), set(design_numbers(decisions))
    found = faults(citations(), listed, designed)
    assert not found, "\n".join(found)


def test_each_line_of_a_list_is_an_item() -> None:
    text = (ROOT / DECISIONS).read_text(encoding="utf-8")
    found = [
        f"{DECISIONS}:{line}: {row}"
        for line, row in enumerate(text.splitlines(), 1)
        if row.lstrip().startswith(("- ", "* ")) and not ITEM.fullmatch(row)
    ]
    assert not found, "\n".join(found)


def test_no_citation_leads_out_of_the_repository() -> None:
    citing = (*CITING, "docs/*.md", ".ci/*")
    shown = [pair for pair in texts(*citing) if not any(fnmatchcase(pair[0], it) for it in NOT_CITING)]
    found = [each for file, text in shown for each in leading_nowhere(file, text)]
    assert not found, "\n".join(found)


def test_what_only_looks_like_a_citation_is_still_there() -> None:
    for (file, number), meant in LOOK_ALIKES.items():
        assert re.search(rf"\b{number}\b", (ROOT / file).read_text(encoding="utf-8")), meant


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("a.py", '"""Links (R15-R17, C6,\nT8; 0xC6)."""', "1 R15, 1 R16, 1 R17, 1 C6, 2 T8"),
        ("a.py", "x = 'R1'  # R2\nassert x, 'R3'", "1 R2, 2 R3"),
        ("a.py", "def test_t5_line_ends() -> None:\n    '''Case C01, C04b, A50, D31.'''", "1 T5"),
        ("a.py", "# look.md 4.5-4.6, 9; design section 5", "1 look 4.5, 1 look 4.6, 1 look 9, 1 design 5"),
        (
            "a.py",
            '"""(Promise\n3, contract 3, 5 and 9)."""',
            "1 promise 3, 2 contract 3, 2 contract 5, 2 contract 9",
        ),
        ("a.md", "One.\n\nSince R2, look 2px.", "3 R2"),
        ("pyproject.toml", 'select = ["C4", "T20"] # T21', "1 T21"),
    ],
)
def test_citations_are_found(file: str, text: str, found: str) -> None:
    assert ", ".join(f"{place.line} {place.number}" for place in cited(file, text)) == found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The union\nof seeds 2 and 3, the seed's default.", [2, 2]),
        ("(R80, 2.1) (4.18) (requirements 4.18; R3) (safety 1.2)", [1, 1, 1, 1]),
        ("Issue 6, (issue: facts), notes/x.md, requirements section 7, (start-light).", [1] * 5),
        ("(look.md 4.2, 9.3)\n(contract\nsection 4)\nin section 2", [4]),
        ('`--seed 7`, "notes/todo.md", YAML 1.2 (design 5.4-5.6).', []),
    ],
)
def test_what_leads_nowhere_is_found(text: str, lines: list[int]) -> None:
    assert [int(found.split(":")[1]) for found in leading_nowhere("a.md", text)] == lines


def test_faults_are_found() -> None:
    decisions = "# Head\n- **R2** Two.\n- **R1** One. And more.\n- **R2** Again\n- **contract 1** One. Two.\n"
    design = "## 5. Apply\n1. Lock.\n## 6. Promises\n1. Nothing is lost.\n"
    cites = '"""R2, R7, contract 1, design 5.1, design 5.2, promise 1, promise 2."""'
    found = faults(list(cited("a.py", cites)), list(items(decisions)), set(design_numbers(design)))
    assert found == [
        *(
            f"a.py:1: {number} is cited, and {DECISIONS} does not say what it is"
            for number in ("R7", "design 5.2", "promise 2")
        ),
        f"{DECISIONS}:3: R1 is explained, and nothing cites it",
        f"{DECISIONS}:2: R2 is explained 2 times",
        f"{DECISIONS}:4: R2 is explained 2 times",
        f"{DECISIONS}:3: R1 stands behind R2",
        f"{DECISIONS}:3: R1 is not one sentence",
        f"{DECISIONS}:4: R2 is not one sentence",
    ]
