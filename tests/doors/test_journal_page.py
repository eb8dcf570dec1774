"""docs/journal.md names every kind of entry and each of its keys, as they are written, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from studio.errors import FaultKind
from studio.journal import entries
from tests.doors.conftest import CommandLine

PAGE = (Path(__file__).parents[2] / "docs/journal.md").read_text(encoding="utf-8")
KINDS = (*entries.REQUEST_TYPES, *entries.REPLY_TYPES, *entries.RECORD_TYPES)
_ENTRY = re.compile(r"^\| `([A-Z]\w+)` \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)


def told_of_a_line() -> set[str]:
    """The keys that the page lists for a line of an export."""
    section = PAGE.partition("## A line of an export")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    return {key for row in rows for key in re.findall(r"`(\w+)`", row)}


def written_keys(kind: type[entries.Entry]) -> set[str]:
    """The keys of such an entry in JSON."""
    fields: dict[str, Any] = dict.fromkeys(kind.__struct_fields__, ())
    return set(json.loads(entries.to_json(kind(**fields)))) - {"$type"}


def test_each_entry_and_each_key_is_told() -> None:
    """A new field fails until the page says what it is."""
    told = {name: re.findall(r"`(\w+)`", keys) for name, keys in _ENTRY.findall(PAGE)}
    assert set(told) == {kind.__name__ for kind in KINDS}
    for kind in KINDS:
        assert {"correlationId", *told[kind.__name__]} == written_keys(kind), kind.__name__
    first_cells = re.findall(r"^\| (`[^|]+) \|", PAGE.partition("\n## Keys\n")[2], re.MULTILINE)
    explained = {key for cell in first_cells for key in re.findall(r"`(\w+)`", cell)}
    assert explained == {key for kind in KINDS for key in written_keys(kind)}


def test_rows_of_a_listing_and_values_are_told() -> None:
    listed = entries.ListedEntry("a", "a", is_directory=False, size=1, modified="")
    (row,) = json.loads(entries.to_json(entries.FileListing("1", (listed,))))["entries"]
    told = next(line for line in PAGE.splitlines() if line.startswith("| `entries` | list"))
    assert set(row) == set(re.findall(r"`(\w+)`", told)) - {"entries"}
    assert all(f"`{kind.value}`" in PAGE for kind in (*FaultKind, *entries.CreateMode))


def test_an_export_has_the_keys_that_are_told(
    studio: CommandLine, project: Path, allow_review: None, tmp_path: Path
) -> None:
    (project / "a.txt").write_bytes(b"one\n")
    plan = studio.submit({"op": "modify", "path": "a.txt", "content": "two\n"})["plan"]
    assert studio("approve", plan, "--apply").code == 0
    file = tmp_path / "journal.ndjson"
    assert studio("journal", "--export", file, "--with-contents").code == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {key for line in lines for key in line} == told_of_a_line()
    printed = studio("journal").json["entries"]
    assert {key for row in printed for key in row} == (told_of_a_line() - {"schemaVersion"}) - {
        "contents",
        "baseContents",
    } | {"who", "seen"}
