"""The words of docs/glossary.md: at most 60, one plain sentence each, in order, and where the code has them.

An entry is "- **word** (`Name` in `file`) sentence."; without a name the whole file carries the word. Words
of an older idiom stay out of docstrings, comments and pages.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOSSARY = "docs/glossary.md"
ENTRIES_UP_TO = 60

RETIRED = tuple(
    "begun text, choices key, closed group, dead page, dead time, decided counts, departed plan, "
    "displaced file, doorbell, fact sheet, gate is worth, gate worth, happenings, kept text, known "
    "state, laid file, lamp, layer of a run, left-out line, likeness, looking process, made decision, "
    "person at the window, placings, put aside, rollback outlook, rollback standing, rollback ways, "
    "strange file, undo going, unsent text, would-be project".split(", ")
)
"""Words of a private idiom, for which the field has others; ordinary English words are not among them."""

_RETIRED = re.compile(rf"\b(?:{'|'.join(RETIRED)})(?:e?s)?\b".replace(" ", r"\s+"), re.IGNORECASE)

ENTRY = re.compile(r"- \*\*([^*]+)\*\* \((?:`(\w+)` in )?`([^`]+)`\) (.+)")
SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def faults(glossary: str) -> list[str]:
    """What is wrong with the glossary, one sentence each, with the line."""
    found, listed = list[str](), list[tuple[str, str, str]]()
    group = ""
    for line, text in enumerate(glossary.splitlines(), 1):
        group = text if text.startswith("#") else group
        if not text.lstrip().startswith(("-", "*")):
            continue
        where = f"{GLOSSARY}:{line}:"
        match = ENTRY.fullmatch(text)
        if match is None:
            found.append(f"{where} this is no entry: {text}")
            continue
        word, name, file, sentence = match.groups()
        listed.append((group, word.casefold(), f"{where} {word}"))
        if len(SENTENCE_END.findall(sentence)) != 1 or not sentence.endswith("."):
            found.append(f"{where} {word} is not one sentence")
        if not (ROOT / file).is_file():
            found.append(f"{where} {word}: there is no {file}")
        elif name and not is_defined(name, (ROOT / file).read_text(encoding="utf-8")):
            found.append(f"{where} {word}: {file} defines no {name}")
    often = Counter(word for _, word, _ in listed)
    found += [f"{shown} is explained more than once" for _, word, shown in listed if often[word] > 1]
    found += [
        f"{after[2]} stands behind {before[1]}"
        for before, after in pairwise(listed)
        if before[0] == after[0] and before[1] > after[1]
    ]
    if len(listed) > ENTRIES_UP_TO:
        found.append(f"{GLOSSARY} has {len(listed)} entries, {ENTRIES_UP_TO} are allowed")
    return found


def is_defined(name: str, text: str) -> bool:
    """Whether a class, a function, a value or a field of that name is made there."""
    pattern = rf"^\s*(?:(?:class|def) {name}\b|{name}\b(?:: |[^=(\n]*=))"
    return re.search(pattern, text, re.MULTILINE) is not None


def retired_in(name: str, text: str) -> list[str]:
    """Each retired word of a page, or of the docstrings and comments of a module."""
    if not _RETIRED.search(text.replace("#", " ")):
        return []
    if name.endswith(".py"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        prose = [token.string.lstrip("#") for token in tokens if token.type == tokenize.COMMENT]
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Expr(ast.Constant(str(docstring))):
                    prose.append(docstring)
                case _:
                    pass
        text = "\n".join(prose)
    return [f"{name}: {' '.join(match.group().split())}" for match in _RETIRED.finditer(text)]


def test_each_word_is_in_the_code_and_has_its_place() -> None:
    found = faults((ROOT / GLOSSARY).read_text(encoding="utf-8"))
    assert not found, "\n".join(found)


def test_no_retired_word_is_used() -> None:
    files = (
        *(ROOT / "studio").rglob("*.py"),
        *(ROOT / "docs").glob("*.md"),
        ROOT / "README.md",
        ROOT / "pyproject.toml",
    )
    found = [each for file in files for each in retired_in(str(file), file.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


def test_retired_words_are_found() -> None:
    assert [retired_in("a.md", f"A {words}.") for words in RETIRED] == [
        [f"a.md: {words}"] for words in RETIRED
    ]
    module = '"""Dead\npages."""\ndead_time = "lamp"  # put\n# aside\ny = 1\n"""Likenesses."""\n'
    assert retired_in("a.py", module) == ["a.py: put aside", "a.py: Dead pages", "a.py: Likenesses"]


def test_faults_are_found() -> None:
    here = "tests/repo/test_glossary.py"
    entries = f"- **b** (`faults` in `{here}`) One.\n- **a** (`{here}`) A. B.\n- **A** (`No` in `{here}`) C"
    glossary = f"# A\n{entries}\n- **c** (`no.py`) One.\n# B\n- **a1** (`{here}`) One.\n- plan"
    assert faults(glossary) == [
        f"{GLOSSARY}:3: a is not one sentence",
        f"{GLOSSARY}:4: A is not one sentence",
        f"{GLOSSARY}:4: A: {here} defines no No",
        f"{GLOSSARY}:5: c: there is no no.py",
        f"{GLOSSARY}:8: this is no entry: - plan",
        f"{GLOSSARY}:3: a is explained more than once",
        f"{GLOSSARY}:4: A is explained more than once",
        f"{GLOSSARY}:3: a stands behind b",
    ]
    many = "\n".join(f"- **w{number}** (`{here}`) One." for number in range(100, 161))
    assert faults(many) == [f"{GLOSSARY} has 61 entries, 60 are allowed"]
