"""Any bytes handed over as an export are read as they were written, or refused, with the line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from studio.engine.store.export_file import DamagedExport, ExportFile
from studio.journal.entries import JournalUpgraded, to_json
from tests.tools.exports import contents_of, create, export_of, made

SOUND = export_of(
    [
        create("a.txt", b"first\n", name="one-1"),
        made("a.txt", b"first\n", name="one-1"),
        create("src/b.txt", b"second\n", name="two-1"),
        {
            "$type": "FileFault",
            "correlationId": "two-1",
            "faultKind": "DiskFull",
            "message": "é",
            "path": "b",
        },
    ],
    contents_of(b"first\n", b"second\n"),
)
LINES = SOUND.splitlines(keepends=True)

HOW = ["change", "cut", "put in", "end"]

any_json: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def export(data: bytes) -> ExportFile:
    return ExportFile(io.BytesIO(data), "it")


def told(data: bytes) -> str:
    """What is said of an export, "" where it is sound: one sentence about one line of it, nothing else."""
    try:
        export(data).check()
    except DamagedExport as error:
        assert error.message.startswith(f"Line {error.line} of it is damaged: ")
        assert error.message.endswith(".")
        assert "\n" not in error.message and len(error.message) < 200
        assert 1 <= error.line <= data.count(b"\n") + 1
        return error.message
    return ""


def test_a_sound_export_is_read_as_it_was_written() -> None:
    read = export(SOUND)
    found = [to_json(item.entry) for item in read.entries()]
    assert found == [
        json.dumps(json.loads(line)["entry"], sort_keys=True, separators=(",", ":")) for line in LINES
    ]
    for digest, data in contents_of(b"first\n", b"second\n").items():
        assert read.content(digest) == data
    assert export(SOUND).check().covered_from == 1
    assert told(SOUND.removesuffix(b"\n")) == "", "only its last line end is missing"
    assert told(b"") == ""


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """A file that is none."""
    assert bool(told(data)) == bool(data)
    told(SOUND + data)


@given(st.integers(0, len(SOUND) - 1), st.integers(0, 255), st.sampled_from(HOW))
def test_a_damaged_byte_is_found_or_changes_nothing(place: int, byte: int, how: str) -> None:
    """Careless edits, and a line that is cut off."""
    after = SOUND[place:] if how == "put in" else b"" if how == "end" else SOUND[place + 1 :]
    data = SOUND[:place] + (bytes([byte]) if how in ("change", "put in") else b"") + after
    if not told(data):
        whole = [item.entry for item in export(SOUND).entries()]
        assert [item.entry for item in export(data).entries()] == whole[: len(data.splitlines())]


@given(st.lists(st.integers(0, len(LINES) - 1), max_size=6))
def test_lines_left_out_moved_or_doubled_are_found(order: list[int]) -> None:
    sound = order == list(range(len(order)))  # an end that is cut off can't be seen
    assert bool(told(b"".join(LINES[number] for number in order))) is not sound


@given(st.integers(0, len(LINES) - 1), st.data(), any_json)
def test_a_field_of_another_kind_is_found(number: int, data: st.DataObject, value: object) -> None:
    fields: dict[str, Any] = json.loads(LINES[number])
    place = data.draw(st.sampled_from([fields, fields["entry"]]))
    key = data.draw(st.sampled_from(sorted(place)) | st.text(max_size=5))
    is_same = key in place and json.dumps(place[key]) == json.dumps(value)
    place[key] = value
    changed = b"".join([*LINES[:number], json.dumps(fields).encode() + b"\n", *LINES[number + 1 :]])
    assert bool(told(changed)) is not is_same


@given(any_json)
def test_a_chain_that_holds_makes_no_entry_of_what_is_none(value: object) -> None:
    """Whoever makes the chain anew can put anything into it but an entry that is none."""
    entry = {**create("a.txt"), "result": value}
    assert bool(told(export_of([entry]))) is (value is not None)


HOSTILE: dict[str, tuple[bytes, str]] = {
    "nested deep": (b'{"a":' * 100_000, "nested too deep"),
    "nested deep within an entry": (
        LINES[0].replace(b'"base":null', b'"base":' + b"[" * 400 + b"]" * 400),
        "no entry that this version knows",
    ),
    "a key twice": (LINES[0].replace(b'"plan":', b'"plan":"other","plan":'), "duplicated"),
    "a key twice within": (LINES[0].replace(b'"base":', b'"base":{},"base":'), "duplicated"),
    "a number too many digits": (
        LINES[0].replace(b'"position":1', b'"position":' + b"1" * 10_000),
        "not JSON",
    ),
    "no number": (LINES[0].replace(b'"position":1', b'"position":NaN'), "NaN is no number"),
    "a position far up": (LINES[0] + LINES[1].replace(b'"position":2', b'"position":9'), "position 9, and 2"),
    "the same position again": (LINES[0] + LINES[0], "position 1, and 2 comes next"),
    "a position that is no number": (LINES[0].replace(b'"position":1', b'"position":true'), "no position"),
    "another version": (LINES[0].replace(b'"schemaVersion":"2"', b'"schemaVersion":"3"'), "only 1 and 2"),
    "two versions": (
        LINES[0] + LINES[1].replace(b'"schemaVersion":"2"', b'"schemaVersion":"1"'),
        "another schema",
    ),
    "a field too many": (LINES[0].replace(b'"plan":', b'"approvedBy":"me","plan":'), "no export has"),
    "no entry": (LINES[0].replace(b'"entry"', b'"entri"'), "lacks entry"),
    "an empty line": (LINES[0] + b"\n" + LINES[1], "not JSON"),
    "cut off": (SOUND[:-20], "cut off"),
    "other bytes": (LINES[0].replace(b'"contents":"', b'"contents":"AAAA'), "other bytes"),
    "no base64": (LINES[0].replace(b'"contents":"', b'"contents":"*'), "not base64"),
    "no UTF-8": (LINES[0].replace(b"a.txt", b"\xff.txt"), "not JSON"),
    "a changed time": (LINES[0].replace(b"2026-", b"2025-"), "it was changed"),
    "bytes of a file before that there was not": (
        LINES[0].replace(b'"contents"', b'"baseContents":"","contents"'),
        "other bytes",
    ),
    "a rule that begins twice": (
        export_of([json.loads(to_json(JournalUpgraded(f"{at}", at, "2"))) for at in (1, 2)]),
        "can't change there",
    ),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_what_is_wrong_is_said_of_its_line(how: str) -> None:
    data, words = HOSTILE[how]
    assert words in told(data)


def test_a_line_without_an_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.engine.store.export_file.EXPORT_LINE_BYTES", 1000)
    stream = io.BytesIO(b"x" * 1_000_000)
    with pytest.raises(DamagedExport, match="longer than 1000 bytes"):
        ExportFile(stream, "it").check()
    assert stream.tell() <= 1001
    monkeypatch.setattr("studio.engine.store.export_file.EXPORT_LINE_BYTES", 10_000)
    monkeypatch.setattr("studio.engine.store.export_file.EXPORT_BYTES", 1000)
    with pytest.raises(DamagedExport, match="the file exceeds 1000 bytes"):
        ExportFile(io.BytesIO(SOUND), "it").check()
