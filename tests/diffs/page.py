"""Writes docs/diffs.md anew from the diffs of the archive: python -m tests.diffs.page"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.diffs.archive import VERSIONS, read_archive
from tests.diffs.changes import CHANGES
from tests.diffs.outcomes import READ, Outcome, outcomes

FILE: Final = Path(__file__).parents[2] / "docs" / "diffs.md"

_HEAD: Final = f"""\
# Diffs of real tools

The tools below wrote each of {len(CHANGES)} changes themselves. Every diff was submitted, approved and
applied: it left exactly the bytes that the tool had described, or it was refused. What is refused has its
code here; [Errors](errors.md) says what to do. A tool that writes nothing of a change is not counted.

A name with a tab, which no project may have, is refused in diffs of every tool, which is not repeated below.
Diffs are made with the tools' own options, as the left column names them. This page is made by the tests
(`python -m tests.diffs.page`).
"""


def text(found: Sequence[Outcome]) -> str:
    """The whole page."""
    versions = json.loads(dict(read_archive())[VERSIONS])
    parts = [_HEAD]
    for tool, rows in groupby(found, key=lambda each: each.tool):
        parts.append(f"## {tool} {versions[tool]}\n\n| Made by | Read | Refused |\n|---|---:|---|")
        parts += [_row(form, list(of_form)) for form, of_form in groupby(rows, key=lambda each: each.form)]
        parts.append("")
    return "\n".join(parts)


def _row(form: str, rows: list[Outcome]) -> str:
    read = sum(row.judged == READ for row in rows)
    return f"| {form} | {read} of {len(rows)} | {'; '.join(_refusals(rows))} |"


def _refusals(rows: list[Outcome]) -> Iterator[str]:
    """Each code with the changes that it refused; "the others" where those are more than a few."""
    by_code: dict[str, list[str]] = {}
    for row in rows:
        if row.judged != READ and not row.problems[0].code.startswith("name."):
            by_code.setdefault(row.problems[0].code, []).append(row.change)
    for code, changes in sorted(by_code.items(), key=lambda item: len(item[1])):
        if len(changes) == len(rows):
            yield f"all: `{code}`"
        elif len(changes) > len(rows) // 3:
            yield f"{len(changes)} of them: `{code}`"
        else:
            yield f"{', '.join(changes)}: `{code}`"


if __name__ == "__main__":
    FILE.write_text(text(list(outcomes())), encoding="utf-8")
