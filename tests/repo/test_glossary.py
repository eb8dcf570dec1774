"""The words of docs/glossary.md: one plain sentence each, in order, and where the code says them.

An entry is "- **word** (`Name` in `file`) sentence."; without a name the whole file carries the word.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOSSARY = "docs/glossary.md"
DESIGN = "docs/design.md"

ENTRY = re.compile(r"- \*\*([^*]+)\*\* \((?:`(\w+)` in )?`([^`]+)`\) (.+)")
SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def faults(glossary: str, design: str) -> list[str]:
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
    # What stands in bold among the words of the design, each in the singular.
    section = design.partition("\n## 2.")[2].partition("\n## ")[0]
    bold = {re.sub("(?<!s)s$", "", word) for word in re.findall(r"\*\*([^*]+)\*\*", section)}
    return found + [f"{DESIGN} uses {word}, {GLOSSARY} lacks it" for word in sorted(bold - set(often))]


def is_defined(name: str, text: str) -> bool:
    """Whether a class, a function, a value or a field of that name is made there."""
    pattern = rf"^\s*(?:(?:class|def) {name}\b|{name}\b(?:: |[^=(\n]*=))"
    return re.search(pattern, text, re.MULTILINE) is not None


def test_each_word_is_in_the_code_and_has_its_place() -> None:
    found = faults(*((ROOT / name).read_text(encoding="utf-8") for name in (GLOSSARY, DESIGN)))
    assert not found, "\n".join(found)


def test_faults_are_found() -> None:
    here = "tests/repo/test_glossary.py"
    entries = f"- **b** (`faults` in `{here}`) One.\n- **a** (`{here}`) A. B.\n- **A** (`No` in `{here}`) C"
    glossary = f"# A\n{entries}\n- **c** (`no.py`) One.\n# B\n- **a1** (`{here}`) One.\n- plan"
    assert faults(glossary, "\n## 1. A\n**x**\n## 2. B\nA **c**, **steps**, **a1**.\n## 3. C\n**y**") == [
        f"{GLOSSARY}:3: a is not one sentence",
        f"{GLOSSARY}:4: A is not one sentence",
        f"{GLOSSARY}:4: A: {here} defines no No",
        f"{GLOSSARY}:5: c: there is no no.py",
        f"{GLOSSARY}:8: this is no entry: - plan",
        f"{GLOSSARY}:3: a is explained more than once",
        f"{GLOSSARY}:4: A is explained more than once",
        f"{GLOSSARY}:3: a stands behind b",
        f"{DESIGN} uses step, {GLOSSARY} lacks it",
    ]
