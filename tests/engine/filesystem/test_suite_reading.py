"""The suite of the protocol: reading and looking on every backend, writable and not."""

from __future__ import annotations

import re

import pytest

from studio.engine import filesystem
from studio.engine.filesystem import READ_ENTIRE_FILE, FileEntry, Filesystem
from studio.engine.filesystem.base import BackedFilesystem
from studio.errors import StudioError
from tests.engine.filesystem.backends import Make, Tree

TREE: Tree = {"dir/a": b"x", "dir/sub/b": b"yy", "empty": None, "top.txt": b"zzz", ".hidden": b""}
LINES = b"one\ntwo\r\nthree\n\nfive"


@pytest.fixture(params=[False, True], ids=["writable", "read-only"])
def make_to_read(request: pytest.FixtureRequest, make: Make) -> Make:
    """Makes a filesystem that no test here writes to."""

    def call(tree: Tree | None = None) -> BackedFilesystem:
        return make(tree, read_only=request.param)

    return call


def test_every_backend_is_a_filesystem(make: Make) -> None:
    """Memory, host and the overlay are one type to whoever is given one, and always
    there."""
    files = make()
    assert isinstance(files, Filesystem)
    assert files.root and not files.read_only
    assert make(read_only=True).read_only


def test_read_gives_lines(make_to_read: Make) -> None:
    result = make_to_read({"a.txt": LINES}).read("a.txt")
    assert result.content == "one\ntwo\r\nthree\n\nfive"
    assert (result.path, result.total_lines, result.offset, result.limit) == ("a.txt", 5, 0, 5)
    assert not result.truncated


def test_windows_of_lines(make_to_read: Make) -> None:
    """An offset behind the end is the end, `limit` is what was given back."""
    files = make_to_read({"a.txt": LINES})
    for asked, content, held, truncated in (
        ((0, 2), "one\ntwo", 2, True),
        ((1, 1), "two", 1, True),
        ((2, 2), "three\n", 2, True),
        ((3, 1), "", 1, True),
        ((3, 9), "\nfive", 2, False),
        ((4, None), "five", 1, False),
        ((5, None), "", 0, False),
        ((99, 3), "", 0, False),
        ((0, 0), "", 0, True),
        ((1, READ_ENTIRE_FILE), "two\r\nthree\n\nfive", 4, False),
    ):
        result = files.read("a.txt", *asked)
        assert (result.content, result.limit, result.truncated) == (content, held, truncated)
        assert (result.offset, result.total_lines) == (min(asked[0], 5), 5)


def test_two_thousand_lines_without_a_limit(make_to_read: Make) -> None:
    files = make_to_read({"a.txt": b"x\n" * 2001, "b.txt": b"x\n" * 2000})
    first, second = files.read("a.txt"), files.read("b.txt")
    assert (first.limit, first.truncated, first.total_lines) == (2000, True, 2001)
    assert (second.limit, second.truncated) == (2000, False)
    assert files.read("a.txt", limit=READ_ENTIRE_FILE).limit == 2001


def test_what_counts_as_a_line(make_to_read: Make) -> None:
    for data, lines in (
        (b"", 0),
        (b"\n", 1),
        (b"a", 1),
        (b"a\n", 1),
        (b"\n\n", 2),
        (b"\r", 1),
        (b"a\r\n", 1),
    ):
        result = make_to_read({"a": data}).read("a")
        assert (result.total_lines, result.limit) == (lines, lines)
        assert result.content == re.sub("\r?\n$", "", data.decode(), count=1) or data in (b"\n\n", b"\n")


def test_windows_of_bytes(make_to_read: Make) -> None:
    files = make_to_read({"a": b"0123456789"})
    whole = files.read_bytes("a")
    assert (whole.content, whole.size_bytes, whole.offset, whole.limit) == (b"0123456789", 10, 0, 10)
    assert not whole.truncated
    part = files.read_bytes("a", 3, 4)
    assert (part.content, part.offset, part.limit, part.truncated) == (b"3456", 3, 4, True)
    beyond = files.read_bytes("a", 50, 4)
    assert (beyond.content, beyond.offset, beyond.limit, beyond.truncated) == (b"", 10, 0, False)


def test_reader(make_to_read: Make) -> None:
    with make_to_read({"dir/a": b"0123456789"}).open_read("/dir//a") as reader:
        assert (reader.path, reader.size, reader.position, reader.closed) == ("dir/a", 10, 0, False)
        assert reader.read(3) == b"012"
        assert reader.position == 3
        assert reader.seek(2, 1) == 5
        assert reader.seek(-3, 2) == 7
        assert reader.read() == b"789"
        assert reader.read() == b"" == reader.read(5)
        assert reader.seek(10) == 10
        assert reader.seek(0) == 0
        assert list(reader.chunks(4)) == [b"0123", b"4567", b"89"]
    assert reader.closed
    reader.close()


def test_chunks_are_64_kib(make_to_read: Make) -> None:
    data = bytes(range(256)) * 600
    with make_to_read({"a": data}).open_read("a") as reader:
        chunks = list(reader)
    assert [len(chunk) for chunk in chunks] == [65_536, 65_536, 600 * 256 - 2 * 65_536]
    assert b"".join(chunks) == data


def test_seeks_out_of_range(make_to_read: Make) -> None:
    files = make_to_read({"a": b"0123456789"})
    for offset, whence in (
        (-1, 0),
        (11, 0),
        (-1, 1),
        (1, 2),
        (-11, 2),
        (0, 3),
        (0, -1),
    ):
        with files.open_read("a") as reader, pytest.raises(ValueError) as refused:
            reader.seek(offset, whence)
        assert isinstance(refused.value, StudioError)
        assert refused.value.path == "a" and "a " in refused.value.message


def test_closed_streams(make_to_read: Make) -> None:
    files = make_to_read({"a": b"x\ny\nz"})
    reader, text = files.open_read("a"), files.open_text("a")
    text.readline()  # the next one is held ready
    reader.close()
    text.close()
    for call in (
        reader.read,
        lambda: reader.seek(0),
        lambda: reader.position,
        lambda: list(reader),
        lambda: list(reader.chunks()),
        reader.__enter__,
        lambda: text.read(1),
        text.read,
        text.readline,
        lambda: list(text),
        lambda: list(text.lines()),
        text.__enter__,
    ):
        with pytest.raises(ValueError, match="I/O operation on closed file"):
            call()


def test_a_reader_keeps_what_it_was_opened_on(make: Make) -> None:
    """Copy-on-read in memory, the old file on disk."""
    files = make({"a": b"old"})
    with files.open_read("a") as reader:
        files.write("a", "new content")
        assert reader.read() == b"old"
    with files.open_read("a") as reader:
        files.delete("a")
        assert reader.read() == b"new content"


def test_text_reader(make_to_read: Make) -> None:
    with make_to_read({"a": "ä\r\nzwei  \n\nvier".encode()}).open_text("a") as text:
        assert (text.path, text.encoding, text.line_number, text.closed) == ("a", "utf-8", 0, False)
        assert text.readline() == "ä\r\n"
        assert text.line_number == 1
        assert text.read(3) == "zwe"
        assert text.readline() == "i  \n"
        assert list(text.lines(strip=True)) == ["", "vier"]
        assert text.line_number == 4
        assert text.readline() == "" == text.read()
    assert text.closed


def test_text_reader_over_chunks(make_to_read: Make) -> None:
    lines = [f"{number} {'ü' * (number % 5000)}\n" for number in range(0, 60_000, 997)]
    data = "".join(lines).encode()
    assert len(data) > 65_536
    files = make_to_read({"a": data})
    with files.open_text("a") as text:
        assert list(text) == lines
    with files.open_text("a") as text:
        assert "".join(iter(lambda: text.read(777), "")) == data.decode()
    with files.open_text("a") as text:
        assert text.read() == data.decode()


def test_lines_without_an_end(make_to_read: Make) -> None:
    long = "x" * 200_000
    with make_to_read({"a": long.encode()}).open_text("a") as text:
        assert text.readline() == long
        assert text.line_number == 1


@pytest.mark.parametrize("place", [0, 5, 70_000, 1_100_000])
def test_what_is_not_utf8_is_told_with_its_place(make: Make, place: int) -> None:
    data = (b"word\n" * (place // 5 + 1))[:place] + b"\xff\n"
    files = make({"dir/a": data})
    for call in (
        lambda: files.read("dir/a", limit=READ_ENTIRE_FILE),
        lambda: list(files.open_text("dir/a")),
        lambda: files.open_text("dir/a").read(),
    ):
        with pytest.raises(UnicodeDecodeError) as refused:
            call()
        assert isinstance(refused.value, StudioError)
        assert "dir/a" in str(refused.value) and f"byte {place} " in str(refused.value)
    assert files.read_bytes("dir/a").content == data


def test_only_utf8(make_to_read: Make) -> None:
    files = make_to_read({"a": b"x"})
    assert files.read("a", encoding="UTF-8").content == files.read("a", encoding="utf8").content == "x"
    for call in (lambda: files.read("a", encoding="latin-1"), lambda: files.open_text("a", "utf-16")):
        with pytest.raises(ValueError, match="UTF-8 only"):
            call()


def test_what_can_not_be_read(make_to_read: Make) -> None:
    files = make_to_read({"dir/a": b"x"})
    for path, error in (
        ("missing", FileNotFoundError),
        ("dir/missing", FileNotFoundError),
        ("none/missing", FileNotFoundError),
        ("dir", IsADirectoryError),
        (".", IsADirectoryError),
        ("dir/a/b", NotADirectoryError),
        ("dir/a/b/c", NotADirectoryError),
        ("../a", ValueError),
    ):
        for call in (files.open_read, files.open_text, files.read, files.read_bytes):
            with pytest.raises(error) as refused:
                call(path)
            assert isinstance(refused.value, StudioError)
            assert refused.value.message.endswith(".") and refused.value.hint


def test_large_reads_want_a_limit_or_a_stream(make_to_read: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """32 MiB without a limit, counted in bytes."""
    files = make_to_read({"a": "ä\n".encode() * 40})
    monkeypatch.setattr(filesystem, "MAX_READ_BYTES", 100)
    for call in (
        lambda: files.read_bytes("a"),
        lambda: files.read("a"),
        lambda: files.read("a", limit=READ_ENTIRE_FILE),
        lambda: files.read("a", limit=40),
    ):
        with pytest.raises(ValueError, match="open_read"):
            call()
    assert len(files.read_bytes("a", 20).content) == 100
    assert len(files.read_bytes("a", limit=110).content) == 110
    assert files.read("a", limit=30).limit == 30
    assert filesystem.MAX_READ_BYTES == 100


def test_the_limit_is_32_mib() -> None:
    limits = {filesystem.MAX_READ_BYTES, filesystem.MAX_WRITE_BYTES, filesystem.MAX_WRITE_LENGTH}
    assert limits == {33_554_432}


def test_negative_numbers(make_to_read: Make) -> None:
    files = make_to_read({"a": b"x"})
    for offset, limit in (
        (-1, None),
        (0, -2),
        (-5, 3),
    ):
        with pytest.raises(ValueError, match="is invalid"):
            files.read("a", offset, limit)
        with pytest.raises(ValueError, match="is invalid"):
            files.read_bytes("a", offset, limit)
        with pytest.raises(ValueError, match="is invalid"):
            files.read_bytes("a", 0, -1)
        with files.open_read("a") as reader, pytest.raises(ValueError, match="is invalid"):
            reader.chunks(0)


def test_exists(make_to_read: Make) -> None:
    files = make_to_read(TREE)
    for path in ("dir", "dir/a", "dir/", "/dir//sub/./b", "empty", ".", "", "dir/sub/../a"):
        assert files.exists(path)
    for path in ("missing", "dir/missing", "dir/a/b", "DIR/A" if not files.backing.folds_case else "x"):
        assert not files.exists(path)


def test_list(make_to_read: Make) -> None:
    files = make_to_read(TREE)
    assert files.list() == (
        FileEntry(".hidden", ".hidden", True, False),
        FileEntry("dir", "dir", False, True),
        FileEntry("empty", "empty", False, True),
        FileEntry("top.txt", "top.txt", True, False),
    )
    assert files.list("dir") == (
        FileEntry("a", "dir/a", True, False),
        FileEntry("sub", "dir/sub", False, True),
    )
    assert files.list("empty") == () == files.list("empty").unseen
    assert files.list(".") == files.list("/") == files.list("dir/..")


def test_what_can_not_be_listed(make_to_read: Make) -> None:
    for path, error in (
        ("missing", FileNotFoundError),
        ("dir/a", NotADirectoryError),
        ("dir/a/b", NotADirectoryError),
    ):
        with pytest.raises(error):
            make_to_read(TREE).list(path)


def test_glob(make_to_read: Make) -> None:
    files = make_to_read(TREE)
    assert [match.path for match in files.glob("**")] == [".hidden", "dir/a", "dir/sub/b", "top.txt"]
    assert [match.path for match in files.glob("*")] == [".hidden", "top.txt"]
    assert [match.path for match in files.glob("**/{a,b}")] == ["dir/a", "dir/sub/b"]
    assert [match.path for match in files.glob("*", "dir")] == ["dir/a"]
    assert [match.path for match in files.glob("sub/[a-c]", "dir")] == ["dir/sub/b"]
    assert all(match.is_file for match in files.glob("**"))
    assert files.glob("**", "missing") == ()
    with pytest.raises(ValueError):
        files.glob("[")


def test_grep(make: Make) -> None:
    files = make(
        {
            "a.py": "def a():\r\n    übrig = 1\n    return übrig, übrig".encode(),
            "b/c.py": "übrig".encode(),
            "b/d.txt": "übrig\n".encode(),
            "binary": "übrig\0".encode(),
            "latin": "\xfcbrig\nübrig".encode("latin-1"),
            "empty": b"",
        }
    )
    found = files.grep("übrig")
    assert [(m.path, m.line_number, m.line_content, m.match_start, m.match_end) for m in found] == [
        ("a.py", 2, "    übrig = 1", 4, 9),
        ("a.py", 3, "    return übrig, übrig", 11, 16),
        ("b/c.py", 1, "übrig", 0, 5),
        ("b/d.txt", 1, "übrig", 0, 5),
    ]
    assert not found.truncated and found.unseen == ()
    assert [match.path for match in files.grep("übrig", glob="**/*.txt")] == ["b/d.txt"]
    assert [match.path for match in files.grep("übrig", "b")] == ["b/c.py", "b/d.txt"]
    assert [match.line_number for match in files.grep("^ +", "a.py")] == [2, 3]
    assert len(files.grep("übrig", max_matches=2)) == 2
    assert files.grep("übrig", max_matches=2).truncated
    assert not files.grep("übrig", max_matches=4).truncated
    assert files.grep("x", "missing") == ()
    for pattern, glob in (("(", None), ("x", "{")):
        with pytest.raises(ValueError):
            files.grep(pattern, glob=glob)
