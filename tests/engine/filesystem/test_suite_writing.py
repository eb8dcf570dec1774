"""The suite of the protocol: writing through streams and at once, on every backend."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from studio.engine import filesystem
from studio.engine.filesystem import WriteMode, WriteResult
from studio.errors import StudioError
from tests.engine.filesystem.backends import Make


def test_overwrite_is_the_usual_mode(make: Make) -> None:
    files = make({"a": b"old and longer"})
    assert files.write("a", "n\xebw") == WriteResult("a", 4, WriteMode.OVERWRITE)
    assert files.read_bytes("a").content == "n\xebw".encode()
    assert files.write_bytes("new/deep/b", b"\0\xff") == WriteResult("new/deep/b", 2, WriteMode.OVERWRITE)
    assert files.read_bytes("new/deep/b").content == b"\0\xff"


def test_text_is_written_as_it_is(make: Make) -> None:
    """No line end is bent on the way in or out."""
    files = make()
    text = "\ufeffa\r\nb\nc\rd\u2028e"
    files.write("a", text)
    assert files.read_bytes("a").content == text.encode()
    assert files.read("a").content == text


def test_create(make: Make) -> None:
    files = make({"a": b"old"})
    with pytest.raises(FileExistsError) as refused:
        files.write("a", "new", "create")
    assert isinstance(refused.value, StudioError)
    assert files.read("a").content == "old"
    assert files.write("b", "new", mode="create").mode == "create"
    assert files.read("b").content == "new"


def test_append(make: Make) -> None:
    """A missing file is made; the count is that of the call."""
    files = make({"a": b"old"})
    assert files.write("a", "new", mode="append") == WriteResult("a", 3, WriteMode.APPEND)
    files.write_bytes("a", b"er", mode=WriteMode.APPEND)
    assert files.read("a").content == "oldnewer"
    files.write("b", "x", mode="append")
    files.write("b", "y", mode="append")
    assert files.read("b").content == "xy"


def test_no_folders_are_made_against_the_wish(make: Make) -> None:
    files = make({"dir/a": b""})
    for call in (
        lambda: files.write("none/b", "x", create_parents=False),
        lambda: files.open_write("none/deep/b", create_parents=False),
    ):
        with pytest.raises(FileNotFoundError):
            call()
    assert not files.exists("none")
    files.write("dir/b", "x", create_parents=False)
    assert files.read("dir/b").content == "x"


@pytest.mark.parametrize("mode", ["create", "overwrite", "append"])
def test_streams_show_nothing_before_they_are_closed(make: Make, mode: str) -> None:
    old = b"old" if mode != "create" else None
    files = make({"dir/a": old} if old else {"dir": None})
    writer = files.open_write("dir/a", mode)
    assert (writer.path, writer.bytes_written, writer.closed) == ("dir/a", 0, False)
    assert writer.write(b"new") == 3
    assert writer.write(b" content") == 8
    assert writer.bytes_written == 11
    assert files.exists("dir/a") == (old is not None)
    if old:
        assert files.read_bytes("dir/a").content == old
    writer.close()
    writer.close()
    assert writer.closed
    expected = b"oldnew content" if mode == "append" else b"new content"
    assert files.read_bytes("dir/a").content == expected
    assert [entry.name for entry in files.list("dir")] == ["a"]


@pytest.mark.parametrize("mode", ["create", "overwrite", "append"])
def test_leaving_by_an_exception_discards(make: Make, mode: str) -> None:
    files = make({} if mode == "create" else {"dir/a": b"old"})
    with pytest.raises(KeyError), files.open_write("dir/a", mode) as writer:
        writer.write(b"half")
        raise KeyError
    assert writer.closed
    assert [match.path for match in files.glob("**")] == ([] if mode == "create" else ["dir/a"])
    assert files.exists("dir") == (mode != "create")
    if mode != "create":
        assert files.read_bytes("dir/a").content == b"old"
        assert [entry.name for entry in files.list("dir")] == ["a"]


@pytest.mark.parametrize("mode", ["create", "overwrite", "append"])
def test_a_writer_takes_chunks_as_they_come(make: Make, mode: str) -> None:
    files = make({} if mode == "create" else {"a": b"old"})
    with files.open_write("a", mode) as writer:
        writer.write(b"1")
        assert writer.write_all(bytes([number]) * 3 for number in b"23") == 6
        assert writer.write_all([]) == 0
        assert writer.bytes_written == 7
    assert files.read_bytes("a").content == (b"old" if mode == "append" else b"") + b"1222333"


def test_a_stream_whose_chunks_fail_has_no_result(make: Make) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise KeyError

    files = make({"a": b"old"})
    writer = files.open_write("a")
    with pytest.raises(KeyError):
        writer.write_all(chunks())
    assert writer.closed
    assert files.read("a").content == "old"
    with pytest.raises(ValueError):
        writer.write_all([b"more"])


def test_a_writer_that_is_let_go_of_leaves_nothing(make: Make) -> None:
    files = make({"a": b"old"})
    writer = files.open_write("a")
    writer.write(b"half")
    del writer
    assert files.read("a").content == "old"
    assert [entry.name for entry in files.list()] == ["a"]


def test_discard(make: Make) -> None:
    files = make({"a": b"old"})
    with files.open_write("a") as writer:
        writer.write(b"half")
        writer.discard()
        writer.discard()
    assert files.read("a").content == "old"


def test_folders_that_were_made_and_used_stay(make: Make) -> None:
    files = make()
    writer = files.open_write("a/b/c")
    files.write("a/other", "x")
    writer.discard()
    assert [match.path for match in files.glob("**")] == ["a/other"]
    assert not files.exists("a/b")


def test_a_create_loses_to_a_file_that_appears(make: Make) -> None:
    files = make()
    writer = files.open_write("a", "create")
    writer.write(b"mine")
    files.write("a", "theirs")
    with pytest.raises(FileExistsError):
        writer.close()
    assert writer.closed
    assert files.read("a").content == "theirs"


def test_writers_do_not_seek(make: Make) -> None:
    with make().open_write("a") as writer:
        with pytest.raises(OSError, match="Illegal seek") as refused:
            writer.seek(0)
        assert isinstance(refused.value, StudioError)
        writer.write(b"x")


def test_closed_writers(make: Make) -> None:
    writer = make().open_write("a")
    writer.close()
    for call in (lambda: writer.write(b"x"), lambda: writer.seek(0), writer.__enter__):
        with pytest.raises(ValueError, match="I/O operation on closed file"):
            call()


def test_empty_files(make: Make) -> None:
    files = make()
    with files.open_write("a"):
        pass
    assert files.stat("a").size_bytes == 0
    assert files.write("b", "").bytes_written == 0
    assert files.read("b").content == ""


def test_many_pieces(make: Make) -> None:
    files = make()
    pieces = [bytes([number % 256]) * (number * 37 % 5000) for number in range(3000)]
    with files.open_write("a") as writer:
        for piece in pieces:
            writer.write(piece)
    whole = b"".join(pieces)
    assert files.read_bytes("a").content == whole
    assert files.read_bytes("a", 1_234_567, 89).content == whole[1_234_567 : 1_234_567 + 89]


def test_caps_of_one_call(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is counted in characters and in bytes, at call time."""
    files = make()
    monkeypatch.setattr(filesystem, "MAX_WRITE_BYTES", 10)
    monkeypatch.setattr(filesystem, "MAX_WRITE_LENGTH", 8)
    files.write("a", "12345678")
    files.write("a", "äääää")
    files.write_bytes("a", b"x" * 10)
    for call in (
        lambda: files.write("b", "123456789"),
        lambda: files.write("b", "ääääää"),
        lambda: files.write_bytes("b", b"x" * 11),
    ):
        with pytest.raises(ValueError, match="open_write"):
            call()
    assert not files.exists("b")
    with files.open_write("b") as writer:
        writer.write(b"x" * 11)
    assert files.stat("b").size_bytes == 11


def test_text_that_is_no_unicode(make: Make) -> None:
    files = make()
    with pytest.raises(ValueError, match="character 1 ") as refused:
        files.write("a", "x\ud800")
    assert isinstance(refused.value, StudioError)
    assert not files.exists("a")


def test_unknown_modes(make: Make) -> None:
    files = make()
    for mode in (
        "w",
        "",
        "CREATE",
        "Overwrite",
    ):
        with pytest.raises(ValueError, match="create, overwrite and append"):
            files.write("a", "x", mode)
        assert not files.exists("a")


def test_what_can_not_be_written(make: Make) -> None:
    """Nothing is written below a file or over a folder."""
    files = make({"dir/a": b"x"})
    for path, error in (
        ("dir", IsADirectoryError),
        ("dir/a/b", NotADirectoryError),
        ("dir/a/b/c", NotADirectoryError),
        (".", ValueError),
        ("", ValueError),
        ("/", ValueError),
        ("../a", ValueError),
        ("dir/../../a", ValueError),
    ):
        for mode in (
            "create",
            "overwrite",
            "append",
        ):
            with pytest.raises(error) as refused:
                files.write(path, "y", mode)
            assert isinstance(refused.value, StudioError)
            assert [(match.path, files.read(match.path).content) for match in files.glob("**")] == [
                ("dir/a", "x")
            ]


@pytest.mark.expects_log("exceeds the limits for new names; it can be read")
def test_limits_of_new_names(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    """Depth 16, 80 characters; what is beyond them already can be read and written."""
    deep, long = "/".join("abcdefghijklmnopq"), "ü" * 81
    files = make({deep: b"deep", long: b"long"})
    assert files.read(deep).content == "deep" and files.read(long).content == "long"
    assert caplog.messages == [f"{deep} exceeds the limits for new names; it can be read."]
    assert {match.path for match in files.glob("**")} == {deep, long}
    files.write(deep, "still deep")
    assert files.read(deep).content == "still deep"
    files.write(f"{'d/' * 15}f", "x")
    files.write("y" * 80, "x")
    for call in (
        lambda: files.write(f"{'d/' * 16}f", "x"),
        lambda: files.write("y" * 81, "x"),
        lambda: files.mkdir(f"{'e/' * 16}f"),
        lambda: files.mkdir("z" * 81 + "/a"),
        lambda: files.move("y" * 80, "y" * 81),
        lambda: files.copy("y" * 80, f"{'d/' * 16}f"),
        lambda: files.read("z" * 81),
        lambda: files.stat("q/" * 16 + "q"),
    ):
        with pytest.raises(ValueError, match="the limit"):
            call()
    assert not files.exists("e") and not files.exists("z" * 81)


def test_read_only(make: Make) -> None:
    """The only permission there is."""
    files = make({"dir/a": b"x", "b": b"y"}, read_only=True)
    for call in (
        lambda: files.write("b", "z"),
        lambda: files.write("new", "z"),
        lambda: files.write_bytes("dir", b"z"),
        lambda: files.open_write("b", "append"),
        lambda: files.delete("b"),
        lambda: files.delete("missing"),
        lambda: files.delete("dir", recursive=True),
        lambda: files.mkdir("dir"),
        lambda: files.mkdir("new"),
        lambda: files.mkdir("."),
        lambda: files.move("b", "c"),
        lambda: files.copy("b", "c"),
    ):
        with pytest.raises(PermissionError, match="read-only"):
            call()
    assert files.read("b").content == "y"
    assert [match.path for match in files.glob("**")] == ["b", "dir/a"]
    assert [(match.path, match.line_number) for match in files.grep("x|y")] == [("b", 1), ("dir/a", 1)]
