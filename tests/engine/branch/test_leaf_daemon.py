"""A request written to a journal, carried out by a daemon, and answered in the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from studio.branch.daemon import DaemonStateError, DaemonStatus
from studio.branch.leaf_daemon import LeafDaemon
from studio.engine.branch.leaf import Leaf, LeafSettings
from studio.engine.filesystem import InMemoryFilesystem
from studio.errors import FaultKind, Refused
from studio.journal.entries import (
    CreateMode,
    Entry,
    FileContent,
    FileContentChunk,
    FileDelete,
    FileFault,
    FileRead,
    FileWrite,
    FileWriteChunk,
    FileWritten,
)
from studio.journal.journal import Journal, MemoryJournal

SECONDS = 10


@pytest.fixture
def journal() -> MemoryJournal[Entry]:
    return MemoryJournal()


@pytest.fixture
def files() -> InMemoryFilesystem:
    return InMemoryFilesystem()


@pytest.fixture
def start(journal: MemoryJournal[Entry], files: InMemoryFilesystem) -> Iterator[Callable[[], LeafDaemon]]:
    daemons: list[LeafDaemon] = []

    def call() -> LeafDaemon:
        daemon = LeafDaemon(
            lambda: journal,
            lambda of: Leaf(files, LeafSettings(chunk_size=8, streaming_threshold=16), of.bytes_of),
        )
        daemons.append(daemon)
        daemon.start()
        daemon.wait_for_status(DaemonStatus.RUNNING, timeout=SECONDS)
        return daemon

    yield call
    for daemon in daemons:
        daemon.shut_down()


def reply(journal: Journal[Entry], correlation_id: str, *kinds: type) -> Entry:
    def is_it(entry: Entry) -> bool:
        return entry.correlation_id == correlation_id and isinstance(entry, kinds)

    return journal.wait_for(is_it, timeout=SECONDS).entry


def test_from_request_to_reply(
    journal: MemoryJournal[Entry], files: InMemoryFilesystem, start: Callable[[], LeafDaemon]
) -> None:
    """In the order of the journal, each reply with its request's correlation id."""
    daemon = start()
    journal.write(FileWrite("w", "a.txt", b"hello", CreateMode.CREATE_NEW))
    journal.write(FileRead("r", "a.txt"))
    assert reply(journal, "w", FileWritten, FileFault) == FileWritten("w", "a.txt", 5)
    assert reply(journal, "r", FileContent, FileFault) == FileContent("r", b"hello", 5, is_partial=False)
    daemon.shut_down()
    assert daemon.status is DaemonStatus.COMPLETED
    journal.write(FileDelete("d", "a.txt"))
    assert files.exists("a.txt"), "a completed leaf does nothing"


def test_a_large_file_goes_and_comes_in_parts(
    journal: MemoryJournal[Entry], start: Callable[[], LeafDaemon]
) -> None:
    start()
    data = bytes(range(50))
    journal.write(FileWrite("w", "large.bin", None, CreateMode.CREATE_OR_REPLACE))
    for offset in range(0, 50, 20):
        part = data[offset : offset + 20]
        journal.write(FileWriteChunk("w", offset, part, is_final=offset == 40))
    assert reply(journal, "w", FileWritten, FileFault) == FileWritten("w", "large.bin", 50)
    journal.write(FileRead("r", "large.bin"))
    journal.wait_for(lambda entry: isinstance(entry, FileContentChunk) and entry.is_final, timeout=SECONDS)
    chunks = [item.entry for item in journal.read() if isinstance(item.entry, FileContentChunk)]
    assert b"".join(journal.bytes_of(chunk.data) for chunk in chunks) == data


def test_a_second_life_answers_reads_and_runs_no_change_again(
    journal: MemoryJournal[Entry], files: InMemoryFilesystem, start: Callable[[], LeafDaemon]
) -> None:
    files.write_bytes("a.txt", b"kept")
    journal.write(FileWrite("done", "x.txt", b"x", CreateMode.CREATE_NEW))
    journal.write(FileWritten("done", "x.txt", 1))
    journal.write(FileDelete("cut off", "a.txt"))
    journal.write(FileRead("asked", "a.txt"))
    start()
    assert reply(journal, "asked", FileContent, FileFault) == FileContent(
        "asked", b"kept", 4, is_partial=False
    )
    fault = reply(journal, "cut off", FileFault)
    assert isinstance(fault, FileFault) and fault.fault_kind is FaultKind.IO_ERROR
    assert "interrupted" in fault.message
    assert files.exists("a.txt") and not files.exists("x.txt")


def test_a_leaf_that_can_t_be_opened_is_a_failure(journal: MemoryJournal[Entry]) -> None:
    def refuse(_journal: Journal[Entry]) -> Leaf:
        raise Refused("root.missing", "The folder does not exist.", "Check the path.")

    daemon = LeafDaemon(lambda: journal, refuse)
    daemon.start()
    assert daemon.status is DaemonStatus.FAILED
    assert "does not exist" in daemon.wait_for_failure(timeout=0).error
    daemon.wait_for_status(DaemonStatus.FAILED, timeout=0)
    with pytest.raises(DaemonStateError, match="has failed"):
        daemon.wait_for_status(DaemonStatus.RUNNING)
    with pytest.raises(DaemonStateError, match="can't be started again"):
        daemon.start()
    daemon.shut_down()
    assert daemon.status is DaemonStatus.FAILED


@pytest.mark.expects_log("a leaf's daemon ended")
def test_a_leaf_that_ends_is_a_failure(
    journal: MemoryJournal[Entry],
    files: InMemoryFilesystem,
    start: Callable[[], LeafDaemon],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(path: str) -> None:
        raise RuntimeError(path)

    daemon = start()
    monkeypatch.setattr(files, "open_read", refuse)
    journal.write(FileRead("r", "a.txt"))
    daemon.wait_for_status(DaemonStatus.FAILED, timeout=SECONDS)
