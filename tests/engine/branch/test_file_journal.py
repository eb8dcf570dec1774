"""A journal in a file: lines of JSON that outlive their process, and a leaf works from it."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from studio.engine.branch import (
    CreateMode,
    FileJournal,
    FileRead,
    FileStat,
    FileWrite,
    FileWritten,
    PosixFSConfig,
    PosixFSDaemon,
)
from studio.errors import Refused, StudioError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "made" / "for it" / "journal.ndjson"


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def test_entries_are_lines_that_are_there_again(file: Path) -> None:
    """Contents too, each once; folders are made."""
    with FileJournal(file) as journal:
        kept = journal.keep(b"kept\n")
        entries = (
            FileStat("a", "a.txt"),
            FileWrite("b", "b.txt", b"bytes\n", CreateMode.CREATE_NEW),
            FileWrite("c", "c.txt", b"bytes\n", CreateMode.CREATE_NEW),
            FileWrite("d", "d.txt", kept, CreateMode.CREATE_NEW),
        )
        assert [journal.write(entry) for entry in entries] == [1, 2, 3, 4]
    assert [(line["schemaVersion"], line["position"]) for line in lines(file)] == [
        ("1", number) for number in (1, 2, 3, 4)
    ]
    assert [("contents" in line) for line in lines(file)] == [False, True, False, True]
    assert lines(file)[0]["entry"] == {"$type": "FileStat", "correlationId": "a", "path": "a.txt"}
    with FileJournal(file) as journal:
        found = [item.entry for item in journal.read()]
        contents = [
            journal.bytes_of(one.content) for one in found if isinstance(one, FileWrite) and one.content
        ]
        assert found[0] == entries[0] and contents == [b"bytes\n", b"bytes\n", b"kept\n"]
        assert journal.write(FileStat("e", "e.txt")) == 5
    assert len(lines(file)) == 5


def test_it_is_flushed_in_time(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With each so many entries, on request, and at the end."""
    flushed: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.append(len(lines(file))))
    with FileJournal(file, flush_every=3) as journal:
        for number in range(7):
            journal.write(FileStat(f"c{number}", "a"))
        assert flushed == [3, 6]
        journal.flush()
    assert flushed == [3, 6, 7, 7]
    with pytest.raises(ValueError, match="at least 1"):
        FileJournal(file, flush_every=0)


KILLED = """
import os, pathlib, signal, sys
from studio.engine.branch import FileJournal, FileStat
journal = FileJournal(pathlib.Path(sys.argv[1]))
journal.write(FileStat("a", "a.txt"))
with open(sys.argv[1], "ab") as stream:
    stream.write(b'{"schemaVersion": "1", "posi')
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_kill_cut_off_was_never_written(file: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    with FileJournal(file) as journal:
        assert [item.entry for item in journal.read()] == [FileStat("a", "a.txt")]
        journal.write(FileStat("b", "b.txt"))
    assert [line["position"] for line in lines(file)] == [1, 2]


def test_a_full_disk_leaves_no_half_entry(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with FileJournal(file) as journal:
        journal.write(FileStat("a", "a.txt"))

        def fill(handle: int, data: bytes) -> int:
            monkeypatch.setattr(os, "write", fail)
            return write(handle, bytes(data)[:10])

        def fail(handle: int, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "full")

        monkeypatch.setattr(os, "write", fill)
        with pytest.raises(StudioError, match="can't be written"):
            journal.write(FileStat("b", "b.txt"))
        monkeypatch.setattr(os, "write", write)
        assert journal.write(FileStat("c", "c.txt")) == 2
    assert [line["position"] for line in lines(file)] == [1, 2]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"schemaVersion": "2", "position": 1, "entry": {}}', "journal.schema_version"),
        ('{"schemaVersion": "1", "position": 2, "entry": {"$type": "FileStat"}}', "journal.damaged"),
        ('{"schemaVersion": "1", "position": 1, "entry": {"$type": "Nothing"}}', "journal.damaged"),
        ('{"schemaVersion": "1", "position": 1, "contents": {"00": "AA=="}}', "journal.damaged"),
        ("[]", "journal.damaged"),
        ("not JSON", "journal.damaged"),
    ],
)
def test_another_file_is_refused_and_left_as_it_is(file: Path, line: str, code: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_text(f"{line}\nbehind")
    with pytest.raises(Refused) as refused:
        FileJournal(file)
    assert refused.value.code == code and file.read_text() == f"{line}\nbehind"


def test_one_process_at_a_time_has_it(file: Path) -> None:
    with FileJournal(file), pytest.raises(Refused, match="open in another process"):
        FileJournal(file)
    FileJournal(file).close()


def test_a_leaf_works_from_it_and_goes_on_with_it(file: Path, tmp_path: Path) -> None:
    """What was answered before is not carried out again."""
    root = tmp_path / "root"
    root.mkdir()
    with FileJournal(file) as journal:
        daemon = PosixFSDaemon(PosixFSConfig(root_path=root), lambda: journal)
        daemon.start()
        journal.write(FileWrite("w", "a.txt", b"from a file\n", CreateMode.CREATE_NEW))
        journal.wait_for(FileWritten, timeout=10)
        daemon.shut_down()
    assert (root / "a.txt").read_bytes() == b"from a file\n"
    (root / "a.txt").unlink()
    with FileJournal(file) as journal:
        daemon = PosixFSDaemon(PosixFSConfig(root_path=root), lambda: journal)
        daemon.start()
        journal.write(FileRead("r", "a.txt"))
        journal.wait_for(lambda entry: getattr(entry, "path", "") == "a.txt", after=3, timeout=10)
        daemon.shut_down()
    assert not (root / "a.txt").exists()
