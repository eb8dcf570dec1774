"""Streams over files that change, vanish or fail while they are in use."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from studio.engine.filesystem import HostFilesystem, OverlayFilesystem
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.streams import LineReader, StreamReader, StreamWriter
from studio.errors import Conflict, DiskFull, StudioError


class Failing:
    """An open file of ten bytes, of which only some come, and then an error."""

    size = 10

    def __init__(self, data: bytes, error: OSError | None = None) -> None:
        self._data = data
        self._error = error
        self.closed = 0

    def read_at(self, offset: int, size: int) -> bytes:
        if offset >= len(self._data) and self._error is not None:
            raise self._error
        return self._data[offset : offset + size]

    def close(self) -> None:
        self.closed += 1


class Spool:
    """New content that can't be kept at one of its steps."""

    def __init__(self, failing: str = "") -> None:
        self._failing = failing
        self.calls: list[str] = []

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if name == self._failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, data: bytes) -> None:
        self._call("write")

    def finish(self) -> None:
        self._call("finish")

    def discard(self) -> None:
        self._call("discard")


def test_a_file_that_shrinks() -> None:
    reader = StreamReader(Failing(b"1234"), "dir/a")
    assert reader.read(3) == b"123"
    with pytest.raises(Conflict, match=r"dir/a was truncated .* ends at byte 4 and had 10 bytes") as refused:
        reader.read()
    assert isinstance(refused.value, OSError) and refused.value.filename == "dir/a"
    with pytest.raises(Conflict):
        list(LineReader(StreamReader(Failing(b"a\nb"), "a")))


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.ENODEV, RuntimeError), (errno.ESTALE, RuntimeError), (errno.EIO, OSError)],
)
def test_a_disk_that_goes_away(number: int, error: type[Exception]) -> None:
    """The backend is unavailable."""
    failing = Failing(b"1234", OSError(number, os.strerror(number)))
    with StreamReader(failing, "dir/a") as reader:
        reader.read(4)
        with pytest.raises(error, match="dir/a can't be read at byte 4") as refused:
            reader.read(1)
        assert isinstance(refused.value, StudioError) and refused.value.path == "dir/a"
    assert failing.closed == 1


def test_a_reader_that_is_let_go_of_is_closed() -> None:
    failing = Failing(b"")
    reader = StreamReader(failing, "a")
    del reader
    assert failing.closed == 1


def test_a_size_alone_takes_no_memory() -> None:
    """The file said that it was large, and is not."""
    failing = Failing(b"")
    failing.size = 1 << 50
    with pytest.raises(Conflict):
        StreamReader(failing, "a").read()


@pytest.mark.parametrize(
    ("failing", "calls"),
    [("", ["write", "finish"]), ("write", ["write", "discard"]), ("finish", ["write", "finish"])],
)
def test_how_a_writer_ends(failing: str, calls: list[str]) -> None:
    spool, undone = Spool(failing), list[str]()
    writer = StreamWriter(spool, "a", lambda: undone.append("undone"))

    expected = pytest.raises(DiskFull, match="a can't be written") if failing else nullcontext()
    with expected, writer:
        writer.write(b"x")
    writer.close()
    del writer
    assert spool.calls == calls
    assert undone == (["undone"] if failing else [])


def test_after_a_write_that_failed_nothing_is_kept() -> None:
    spool = Spool("write")
    writer = StreamWriter(spool, "a", lambda: None)
    with pytest.raises(DiskFull):
        writer.write(b"x")
    with pytest.raises(ValueError, match="closed file"):
        writer.write(b"y")
    writer.close()
    assert spool.calls == ["write", "discard"]


OVER: dict[str, Callable[[HostFilesystem], BackedFilesystem]] = {
    "host": lambda host: host,
    "overlay": OverlayFilesystem,
}


@pytest.mark.parametrize("form", OVER)
def test_a_file_on_disk_that_shrinks_or_vanishes(tmp_path: Path, form: str) -> None:
    (tmp_path / "root").mkdir()
    file = tmp_path / "root/a"
    file.write_bytes(b"x" * 200_000)
    with HostFilesystem(tmp_path / "root") as host:
        files = OVER[form](host)
        with files.open_read("a") as reader:
            reader.read(10)
            os.truncate(file, 100)
            with pytest.raises(Conflict, match="ends at byte 100"):
                reader.read()
        with files.open_read("a") as reader:
            file.unlink()
            assert reader.read() == b"x" * 100
        with pytest.raises(FileNotFoundError):
            files.open_read("a")


@pytest.mark.parametrize("form", OVER)
def test_a_folder_that_becomes_a_file(tmp_path: Path, form: str) -> None:
    (tmp_path / "root/dir").mkdir(parents=True)
    (tmp_path / "root/dir/a").write_bytes(b"x")
    with HostFilesystem(tmp_path / "root") as host:
        files = OVER[form](host)
        assert files.read("dir/a").content == "x"
        (tmp_path / "root/dir/a").unlink()
        (tmp_path / "root/dir").rmdir()
        (tmp_path / "root/dir").write_bytes(b"now a file")
        for call in (
            lambda: files.read("dir/a"),
            lambda: files.write("dir/a", "y"),
            lambda: files.list("dir"),
            lambda: files.mkdir("dir/b"),
        ):
            with pytest.raises(NotADirectoryError) as refused:
                call()
            assert isinstance(refused.value, StudioError)
        assert files.read("dir").content == "now a file"


@pytest.mark.parametrize("form", OVER)
def test_a_root_that_goes_away(tmp_path: Path, form: str) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/a").write_bytes(b"x")
    with HostFilesystem(tmp_path / "root") as host:
        files = OVER[form](host)
        (tmp_path / "root/a").unlink()
        (tmp_path / "root").rmdir()
        assert files.list() == () and not files.exists("a")
        with pytest.raises(FileNotFoundError) as refused:
            files.read("a")
        assert isinstance(refused.value, StudioError)
