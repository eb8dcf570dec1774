"""One request after another on a filesystem: every entry, its ranges, chunks, modes and faults."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from studio.engine.branch.leaf import Leaf, LeafSettings
from studio.engine.filesystem import InMemoryFilesystem
from studio.errors import FaultKind, FileLocked
from studio.journal.entries import (
    CreateMode,
    DirectoryCreate,
    DirectoryCreated,
    FileContent,
    FileContentChunk,
    FileDelete,
    FileDeleted,
    FileFault,
    FileList,
    FileListing,
    FileMetadata,
    FileModeSet,
    FileMove,
    FileMoved,
    FileRead,
    FileStat,
    FileWrite,
    FileWriteChunk,
    FileWritten,
    Reply,
    Request,
)
from studio.journal.file_image import FileImage
from studio.journal.journal import MemoryJournal

bytes_of = MemoryJournal[object]().bytes_of

SMALL = LeafSettings(chunk_size=4, streaming_threshold=10)


class Bench:
    """A leaf over memory, a clock that is set by hand, and requests numbered by themselves."""

    def __init__(self, settings: LeafSettings = SMALL, *, windows: bool = False) -> None:
        self.files = InMemoryFilesystem(windows=windows)
        self.now = 0.0
        self.leaf = Leaf(
            self.files,
            settings,
            bytes_of,
            clock=lambda: self.now,
            sleep=self.sleep,
        )
        self.count = 0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def ask(self, make: Callable[..., Request], *fields: object, **named: object) -> list[Reply]:
        self.count += 1
        return list(self.leaf.execute(make(f"c{self.count}", *fields, **named)))

    def one(self, make: Callable[..., Request], *fields: object, **named: object) -> Reply:
        (reply,) = self.ask(make, *fields, **named)
        return reply

    def fault(self, make: Callable[..., Request], *fields: object, **named: object) -> FaultKind:
        reply = self.one(make, *fields, **named)
        assert isinstance(reply, FileFault), reply
        assert reply.message.endswith((".", "?")), reply.message
        return reply.fault_kind

    def bytes(self, path: str) -> bytes:
        return self.files.read_bytes(path).content


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    made.files.write_bytes("src/a.txt", b"0123456789")
    made.files.write_bytes("large.bin", bytes(range(25)))
    yield made
    made.leaf.close()


class TestReading:
    def test_a_file_up_to_the_threshold_comes_whole(self, bench: Bench) -> None:
        """Streamed when larger than the threshold, not at it."""
        assert bench.one(FileRead, "src/a.txt") == FileContent("c1", b"0123456789", 10, is_partial=False)

    def test_a_larger_one_comes_in_chunks_with_one_final(self, bench: Bench) -> None:
        chunks = [reply for reply in bench.ask(FileRead, "/large.bin") if isinstance(reply, FileContentChunk)]
        assert [chunk.offset for chunk in chunks] == [0, 4, 8, 12, 16, 20, 24]
        assert [chunk.is_final for chunk in chunks] == [False] * 6 + [True]
        assert b"".join(bytes_of(chunk.data) for chunk in chunks) == bytes(range(25))

    @pytest.mark.parametrize(
        ("offset", "length", "content", "is_partial"),
        [
            (3, 4, b"3456", True),
            (0, 10, b"0123456789", False),
            (8, 100, b"89", True),
            (100, 5, b"", True),
            (None, 0, b"", True),
            (2, None, b"23456789", True),
        ],
    )
    def test_a_range(
        self, bench: Bench, offset: int | None, length: int | None, content: bytes, is_partial: bool
    ) -> None:
        """What lies beyond the end is empty, and the size is the file's."""
        assert bench.one(FileRead, "src/a.txt", offset, length) == FileContent("c1", content, 10, is_partial)

    def test_a_large_range_streams(self, bench: Bench) -> None:
        assert len(bench.ask(FileRead, "large.bin", 5, 11)) == 3
        assert len(bench.ask(FileRead, "large.bin", 5, 10)) == 1

    def test_faults(self, bench: Bench) -> None:
        assert bench.fault(FileRead, "none.txt") is FaultKind.NOT_FOUND
        assert bench.fault(FileRead, "src") is FaultKind.NOT_A_FILE
        assert bench.fault(FileRead, "src/a.txt", -1) is FaultKind.IO_ERROR
        assert bench.fault(FileRead, "src/a.txt", 0, -1) is FaultKind.IO_ERROR
        for path in ("../x", "a//b", "a/../b", "x\0y"):
            assert bench.fault(FileRead, path) is FaultKind.INVALID_PATH, path

    def test_the_same_request_has_the_same_fault(self, bench: Bench) -> None:
        """Eleven kinds; kind, path and sentence say the same as long as nothing changes."""
        assert [kind.name for kind in FaultKind] == (
            "NOT_FOUND ALREADY_EXISTS ACCESS_DENIED INVALID_PATH DIRECTORY_NOT_EMPTY NOT_A_DIRECTORY "
            "NOT_A_FILE DISK_FULL IO_ERROR PATH_TOO_LONG TIMEOUT"
        ).split()
        requests: list[tuple[Callable[..., Request], tuple[object, ...], str]] = [
            (FileRead, ("none.txt",), "none.txt"),
            (FileRead, ("../x",), "../x"),
            (FileList, ("large.bin",), "large.bin"),
            (FileDelete, ("src",), "src"),
            (FileStat, ("src/a.txt/b",), "src/a.txt/b"),
            (FileWrite, ("src/a.txt", b"x", CreateMode.CREATE_NEW), "src/a.txt"),
        ]
        for make, fields, path in requests:
            faults = [bench.one(make, *fields) for _ in range(3)]
            assert all(isinstance(fault, FileFault) and fault.path == path for fault in faults), faults
            assert len({replace(fault, correlation_id="") for fault in faults}) == 1


class TestWriting:
    @pytest.mark.parametrize("content", [bytes(range(256)), b"\xff\xfe\0", b"one\r\ntwo\rthree\n", b""])
    def test_bytes_are_bytes(self, content: bytes) -> None:
        """No encoding is assumed and no line end bent, on the way in or out."""
        bench = Bench(LeafSettings())
        mode = CreateMode.CREATE_NEW
        assert bench.one(FileWrite, "a", content, mode) == FileWritten("c1", "a", len(content))
        reply = bench.one(FileRead, "a")
        assert reply == FileContent("c2", content, len(content), is_partial=False)
        bench.leaf.close()

    @pytest.mark.parametrize(
        ("mode", "on_missing", "on_existing"),
        [
            (CreateMode.CREATE_NEW, b"new", FaultKind.ALREADY_EXISTS),
            (CreateMode.CREATE_OR_REPLACE, b"new", b"new"),
            (CreateMode.CREATE_OR_APPEND, b"new", b"0123456789new"),
            (CreateMode.REPLACE_EXISTING, FaultKind.NOT_FOUND, b"new"),
            (CreateMode.APPEND_EXISTING, FaultKind.NOT_FOUND, b"0123456789new"),
        ],
    )
    def test_every_mode(
        self, bench: Bench, mode: CreateMode, on_missing: object, on_existing: object
    ) -> None:
        """A create is strict, an append adds nothing of its own."""
        for path, expected in (("deep/new.txt", on_missing), ("src/a.txt", on_existing)):
            if isinstance(expected, FaultKind):
                assert bench.fault(FileWrite, path, b"new", mode) is expected
                continue
            reply = bench.one(FileWrite, path, b"new", mode)
            assert isinstance(reply, FileWritten) and (reply.path, reply.bytes_written) == (path, 3)
            assert bench.bytes(path) == expected

    def test_the_root_and_folders_are_no_files(self, bench: Bench) -> None:
        for path in ("/", "src"):
            assert bench.fault(FileWrite, path, b"x", CreateMode.CREATE_OR_REPLACE) is FaultKind.NOT_A_FILE

    def test_chunks_are_seen_only_when_the_last_has_come(self, bench: Bench) -> None:
        assert bench.ask(FileWrite, "new.txt", None, CreateMode.CREATE_NEW) == []
        assert list(bench.leaf.execute(FileWriteChunk("c1", 0, b"abc", is_final=False))) == []
        assert not bench.files.exists("new.txt")
        (reply,) = bench.leaf.execute(FileWriteChunk("c1", 3, b"def", is_final=True))
        assert reply == FileWritten("c1", "new.txt", 6) and bench.bytes("new.txt") == b"abcdef"
        (late,) = bench.leaf.execute(FileWriteChunk("c1", 6, b"x", is_final=True))
        assert isinstance(late, FileFault) and late.fault_kind is FaultKind.IO_ERROR
        assert late.path and late.path in late.message, "also of a write that has ended"

    @pytest.mark.parametrize("offset", [2, 4])
    def test_a_gap_or_an_overlap_drops_the_write(self, bench: Bench, offset: int) -> None:
        bench.ask(FileWrite, "src/a.txt", None, CreateMode.REPLACE_EXISTING)
        list(bench.leaf.execute(FileWriteChunk("c1", 0, b"abc", is_final=False)))
        (reply,) = bench.leaf.execute(FileWriteChunk("c1", offset, b"x", is_final=True))
        assert isinstance(reply, FileFault) and reply.fault_kind is FaultKind.IO_ERROR
        assert reply.path == "src/a.txt" and "src/a.txt" in reply.message
        (unknown,) = bench.leaf.execute(FileWriteChunk("nobody", 0, b"x", is_final=True))
        assert isinstance(unknown, FileFault) and unknown.path == "" and "a file" in unknown.message
        assert bench.bytes("src/a.txt") == b"0123456789"

    def test_thirty_seconds_of_silence_drop_the_write(self, bench: Bench) -> None:
        bench.ask(FileWrite, "new.txt", None, CreateMode.CREATE_NEW)
        bench.now += 30
        assert list(bench.leaf.fail_overdue_writes()) == []
        bench.now += 1
        (reply,) = bench.leaf.fail_overdue_writes()
        assert isinstance(reply, FileFault) and reply.fault_kind is FaultKind.TIMEOUT
        assert not bench.files.exists("new.txt") and list(bench.leaf.fail_overdue_writes()) == []

    def test_an_id_serves_once(self, bench: Bench) -> None:
        """Refused, never merged."""
        list(bench.leaf.execute(FileStat("same", "src")))
        (reply,) = bench.leaf.execute(FileWrite("same", "x.txt", b"", CreateMode.CREATE_NEW))
        assert isinstance(reply, FileFault) and not bench.files.exists("x.txt")


class TestOthers:
    def test_a_listing_is_sorted_with_folders_followed_by_what_is_in_them(self, bench: Bench) -> None:
        """A pattern applies to names."""
        bench.files.write_bytes("src/deep/b.txt", b"bb")
        reply = bench.one(FileList, "/", None, recursive=True)
        assert isinstance(reply, FileListing)
        assert [entry.path for entry in reply.entries] == [
            "large.bin",
            "src",
            "src/a.txt",
            "src/deep",
            "src/deep/b.txt",
        ]
        assert [(entry.is_directory, entry.size) for entry in reply.entries[:2]] == [(False, 25), (True, 0)]
        named = bench.one(FileList, "/", "*.txt", recursive=True)
        assert isinstance(named, FileListing)
        assert [entry.name for entry in named.entries] == ["a.txt", "b.txt"]
        assert bench.fault(FileList, "none") is FaultKind.NOT_FOUND
        assert bench.fault(FileList, "large.bin") is FaultKind.NOT_A_DIRECTORY

    def test_a_pattern_with_a_slash_is_a_glob_over_paths(self, bench: Bench) -> None:
        """Counted from the listed folder, `**` for any folders and none; a bad one is a fault."""
        for path in ("src/main.py", "src/deep/er/part.py", "src/notes.md", "other/main.py"):
            bench.files.write_bytes(path, b"x")

        def found(path: str, pattern: str) -> list[str]:
            reply = bench.one(FileList, path, pattern)
            assert isinstance(reply, FileListing)
            return [entry.path for entry in reply.entries]

        assert found("/", "src/**/*.py") == ["src/deep/er/part.py", "src/main.py"]
        assert found("/", "/*/main.py") == ["other/main.py", "src/main.py"]
        assert found("src", "deep/**/*.py") == ["src/deep/er/part.py"]
        assert found("src", "src/*.py") == []
        assert bench.fault(FileList, "/", "src/[") is FaultKind.IO_ERROR

    def test_a_delete_counts_what_goes(self, bench: Bench) -> None:
        bench.files.write_bytes("src/deep/b.txt", b"bb")
        assert bench.fault(FileDelete, "src") is FaultKind.DIRECTORY_NOT_EMPTY
        assert bench.one(FileDelete, "src", recursive=True) == FileDeleted("c2", "src", 4)
        assert bench.one(FileDelete, "large.bin") == FileDeleted("c3", "large.bin", 1)
        assert bench.fault(FileDelete, "large.bin") is FaultKind.NOT_FOUND
        assert bench.fault(FileDelete, "/", recursive=True) is FaultKind.INVALID_PATH

    def test_metadata(self, bench: Bench) -> None:
        reply = bench.one(FileStat, "src/a.txt")
        assert isinstance(reply, FileMetadata)
        assert (reply.size, reply.is_directory, reply.is_symlink) == (10, False, False)
        assert reply.modified.endswith("Z") and reply.permissions & 0o600 == 0o600
        root = bench.one(FileStat, "/")
        assert isinstance(root, FileMetadata) and root.is_directory

    def test_folders_and_moves(self, bench: Bench) -> None:
        image = FileImage("", 0, 0)
        assert bench.one(DirectoryCreate, "made", 0o755) == DirectoryCreated("c1", "made")
        assert bench.fault(DirectoryCreate, "made", 0o755) is FaultKind.ALREADY_EXISTS
        moved = bench.one(FileMove, "src/a.txt", "made/b.txt", b"", image, image, "", "")
        assert moved == FileMoved("c3", "src/a.txt", "made/b.txt", 10)
        assert bench.bytes("made/b.txt") == b"0123456789" and not bench.files.exists("src/a.txt")
        link = FileImage("", 0, stat.S_IFLNK)
        assert bench.fault(FileWrite, "l", b"a", CreateMode.CREATE_NEW, link) is FaultKind.ACCESS_DENIED
        assert not bench.files.exists("l")
        assert bench.fault(FileModeSet, "made/b.txt", b"", image, image, "") is FaultKind.ACCESS_DENIED

    def test_what_is_not_allowed_is_refused_before_any_look_at_the_path(self) -> None:
        bench = Bench(LeafSettings(allow_write=False, allow_delete=False))
        assert bench.fault(FileWrite, "../x", b"", CreateMode.CREATE_NEW) is FaultKind.ACCESS_DENIED
        assert bench.fault(FileDelete, "../x") is FaultKind.ACCESS_DENIED
        assert bench.fault(FileRead, "../x") is FaultKind.INVALID_PATH

    def test_windows_takes_two_cases_for_one_and_no_devices(self) -> None:
        bench = Bench(windows=True)
        assert isinstance(bench.one(FileWrite, "Read.me", b"x", CreateMode.CREATE_NEW), FileWritten)
        assert bench.fault(FileWrite, "READ.ME", b"y", CreateMode.CREATE_NEW) is FaultKind.ALREADY_EXISTS
        for name in ("CON", "nul.txt", "com1"):
            assert bench.fault(FileRead, name) is FaultKind.INVALID_PATH

    def test_a_locked_file_is_tried_again_for_five_seconds(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Reads and writes wait, a delete does not."""
        tries = 0

        def locked(*_: object, **__: object) -> None:
            nonlocal tries
            tries += 1
            raise FileLocked("disk.locked", "It is locked by another program.", "Close it.")

        monkeypatch.setattr(bench.files, "open_read", locked)
        monkeypatch.setattr(bench.files, "delete", locked)
        assert bench.fault(FileRead, "src/a.txt") is FaultKind.ACCESS_DENIED
        assert tries > 4 and 2 < bench.now <= 5
        tries, began = 0, bench.now
        assert bench.fault(FileDelete, "src/a.txt") is FaultKind.ACCESS_DENIED
        assert (tries, bench.now) == (1, began)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="chunk_size"):
        LeafSettings(chunk_size=0)
    with pytest.raises(ValueError, match="streaming_threshold"):
        LeafSettings(streaming_threshold=-1)
