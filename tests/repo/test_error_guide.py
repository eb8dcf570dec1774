"""docs/errors.md has one entry for each code there is, says what happened and what to do, and no other."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.tools import error_codes

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
ENTRY = re.compile(r"- \*\*`([^`]+)`\*\* ([A-Z`].*[.]) \*Do:\* ([A-Z`].*[.])")


@cache
def entries() -> list[str]:
    lines = [line for line in PAGE.splitlines() if line.startswith("- ")]
    faulty = [line for line in lines if ENTRY.fullmatch(line) is None]
    assert not faulty, "an entry is a code, what happened, and behind *Do:* what to do: " + "\n".join(faulty)
    return [match[1] for line in lines if (match := ENTRY.fullmatch(line))]


def test_each_code_has_its_entry() -> None:
    there = error_codes.codes()
    missing = [f"{code} ({place})" for code, place in sorted(there.items()) if code not in entries()]
    assert not missing, f"docs/errors.md says nothing of: {missing}"
    assert len(there) > 500


def test_each_entry_has_a_code_and_stands_once() -> None:
    often = Counter(entries())
    assert sorted(often) == sorted(error_codes.codes())
    assert [code for code, times in often.items() if times > 1] == []


def test_entries_are_sorted_within_their_group() -> None:
    for group in PAGE.split("\n## ")[1:]:
        codes = ENTRY.findall(group)
        assert all(before[0] < after[0] for before, after in pairwise(codes)), group.partition("\n")[0]


def test_what_is_no_code_is_still_there() -> None:
    """An exception that nothing needs any more would hide a code of that name."""
    words = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "studio").rglob("*.py"))
    assert [word for word in error_codes.OTHER_WORDS if f'"{word}"' not in words] == []


@pytest.mark.parametrize(
    "code", ["disk.full", "plan.not_found", "run.no_command", "needs_person", "call.prefix"]
)
def test_codes_are_found_however_they_are_made(code: str) -> None:
    assert code in error_codes.codes()
