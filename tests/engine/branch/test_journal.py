"""Every journal: gap-free positions, followers, backward reading, waiting, many writers."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import assert_type

import pytest
from hypothesis import given, settings, strategies as st

from studio.branch import new_correlation_id
from studio.branch.file_journal import FileJournal
from studio.engine.store import Store
from studio.errors import FaultKind, StudioError, TimedOut
from studio.journal import entries
from studio.journal.entries import (
    Content,
    CreateMode,
    Entry,
    FileContent,
    FileFault,
    FileList,
    FileListing,
    FileRead,
    FileStat,
    FileWrite,
    FileWriteChunk,
    ListedEntry,
    from_json,
    to_json,
)
from studio.journal.journal import Journal, MemoryJournal
from studio.limits import JOURNAL_POLL_SECONDS

MakeJournal = Callable[[], Journal[Entry]]


@pytest.fixture(params=["memory", "file", "store"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeJournal]:
    """Another view of the same journal for every call, as another thread would take it."""
    memory: MemoryJournal[Entry] = MemoryJournal()
    stores: list[Store] = []
    if request.param == "file":
        memory = FileJournal(tmp_path / "journal.ndjson")

    def view() -> Journal[Entry]:
        if request.param != "store":
            return memory
        stores.append(Store(tmp_path))
        return stores[-1].journal

    yield view
    for store in stores:
        store.close()
    if isinstance(memory, FileJournal):
        memory.close()


def numbered(count: int) -> list[FileStat]:
    return [FileStat(f"c{number}", f"{number}.txt") for number in range(1, count + 1)]


def test_positions_start_at_one_and_have_no_gaps(make: MakeJournal) -> None:
    journal = make()
    assert [journal.write(entry) for entry in numbered(5)] == [1, 2, 3, 4, 5]
    assert [item.position for item in journal.read()] == [1, 2, 3, 4, 5]
    assert [item.entry for item in journal.read(3)] == numbered(5)[3:]
    assert journal.read(5) == () and journal.read(99) == ()
    assert [item.position for item in journal.read(1, limit=2)] == [2, 3]


def test_reading_backward_is_reading_forward_reversed(make: MakeJournal) -> None:
    journal = make()
    for entry in numbered(7):
        journal.write(entry)
    assert [item.position for item in journal.backward()] == [7, 6, 5, 4, 3, 2, 1]
    assert [item.position for item in journal.read_backward(4, limit=2)] == [3, 2]
    assert journal.read_backward(1) == ()


def test_a_follower_in_memory_sees_what_is_there_and_what_comes() -> None:
    journal: MemoryJournal[Entry] = MemoryJournal()
    journal.write(numbered(1)[0])
    tail = journal.tail(timeout=5)
    assert next(tail).position == 1
    writer = threading.Timer(0.01, journal.write, numbered(1))
    writer.start()
    assert next(tail).position == 2
    writer.join()


def test_a_follower_of_a_store_sees_what_another_process_writes(tmp_path: Path) -> None:
    store = Store(tmp_path)
    try:
        store.journal.write(numbered(1)[0])
        tail = store.journal.tail(timeout=30)
        assert next(tail).position == 1
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "other"])
        assert [next(tail).position for _ in range(50)] == list(range(2, 52))
        assert writer.wait(30) == 0
    finally:
        store.close()


def test_a_follower_ends_when_it_is_told_to(make: MakeJournal) -> None:
    stop = threading.Event()
    stop.set()
    assert list(make().tail(cancel=stop)) == []
    assert list(make().tail(timeout=0)) == []


def test_waiting_finds_the_first_later_entry_by_type_or_predicate(make: MakeJournal) -> None:
    journal = make()
    for entry in (FileStat("a", "x"), FileRead("b", "x"), FileRead("c", "y")):
        journal.write(entry)
    found = journal.wait_for(FileRead)
    assert assert_type(found.entry, FileRead).path == "x" and found.position == 2
    assert journal.wait_for(FileRead, after=2).position == 3
    assert journal.wait_for(lambda entry: entry.correlation_id == "c").position == 3
    with pytest.raises(TimeoutError) as late:
        journal.wait_for(FileFault, timeout=0.01)
    assert isinstance(late.value, TimedOut) and late.value.code == "journal.timed_out"


class Pauses(threading.Event):
    """Remembers how long somebody was ready to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout or 0)
        return super().wait(timeout)


def test_who_follows_a_store_rests_between_two_looks(tmp_path: Path) -> None:
    """A follower that has read everything asks the store a few times a second, not all the time."""
    store, pauses = Store(tmp_path), Pauses()
    try:
        store.journal.write(FileStat("a", "x"))
        assert [item.position for item in store.journal.tail(timeout=0.12, cancel=pauses)] == [1]
    finally:
        store.close()
    assert pauses.seconds and sum(pauses.seconds) < 0.13
    assert max(pauses.seconds) <= JOURNAL_POLL_SECONDS


def test_bytes_are_found_by_what_an_entry_names(make: MakeJournal) -> None:
    journal = make()
    data = bytes(range(256)) * 10
    journal.write(FileWrite("w", "a.bin", data, CreateMode.CREATE_NEW))
    entry = journal.read()[0].entry
    assert isinstance(entry, FileWrite) and entry.content is not None
    assert journal.bytes_of(entry.content) == data
    with pytest.raises(StudioError):
        journal.bytes_of(Content("0" * 64, 1))


WRITER = """
import sys
from pathlib import Path
from studio.journal.entries import FileStat
from studio.engine.store import Store
store = Store(Path(sys.argv[1]))
for number in range(50):
    store.journal.write(FileStat(f"{sys.argv[2]}-{number}", "x"))
store.close()
"""


def test_many_writers_leave_no_gap_and_nothing_twice(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(number)]) for number in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    store = Store(tmp_path)
    try:
        found = list(store.journal.every_row())
        assert [row.position for row in found] == list(range(1, 201))
        assert len({row.entry.correlation_id for row in found}) == 200
        assert store.journal.verify().damaged_at is None
    finally:
        store.close()


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
payloads = st.binary(max_size=30)
every_entry = st.one_of(
    st.builds(FileRead, names, names, st.none() | st.integers(0), st.none() | st.integers(0)),
    st.builds(
        FileWrite,
        names,
        names,
        st.none() | payloads,
        st.sampled_from(CreateMode),
        executable=st.none() | st.booleans(),
    ),
    st.builds(FileWriteChunk, names, st.integers(0), payloads, st.booleans()),
    st.builds(FileList, names, names, st.none() | names, st.booleans()),
    st.builds(FileContent, names, payloads, st.integers(0), st.booleans()),
    st.builds(
        FileListing,
        names,
        st.lists(
            st.builds(ListedEntry, names, names, st.booleans(), st.integers(0), names, st.booleans()),
            max_size=3,
        ).map(tuple),
    ),
    st.builds(FileFault, names, st.sampled_from(FaultKind), names, names),
)


@given(every_entry)
@settings(max_examples=200)
def test_every_entry_survives_its_canonical_json(entry: Entry) -> None:
    """The second writing is the first; bytes become references to the same bytes."""
    again = from_json(to_json(entry))
    assert type(again) is type(entry) and to_json(again) == to_json(entry)
    payload = entries.payload_of(entry)
    if isinstance(payload, bytes):
        assert entries.payload_of(again) == Content.of(payload)


def test_the_branch_has_all_entries_of_its_table() -> None:
    """Requests and their replies, no more and no fewer."""
    named = {kind.__name__ for kind in (*entries.REQUEST_TYPES, *entries.REPLY_TYPES)}
    assert named == set(
        """FileRead FileContent FileContentChunk FileWrite FileWriteChunk FileWritten FileList FileListing
        FileDelete FileDeleted FileStat FileMetadata FileFault DirectoryCreate DirectoryCreated FileMove
        FileMoved FileModeSet FileModeChanged""".split()
    )
    assert len({new_correlation_id() for _ in range(100)}) == 100 and len(new_correlation_id()) == 32
