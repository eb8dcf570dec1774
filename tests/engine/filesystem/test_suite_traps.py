"""Mistakes seen elsewhere, each tried on every backend."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from studio.engine import filesystem
from studio.engine.filesystem import HostFilesystem, OverlayFilesystem
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.policy_backing import RuledBacking
from studio.errors import AccessDenied, InvalidPath, LeadsOutside, PathTraversal, StudioError
from tests.engine.filesystem.backends import Backends, Make

FORMS = ["host", "overlay"]
"""Backends over a folder in which a test has put something that the protocol can't make."""


def over(folder: Path, form: str) -> BackedFilesystem:
    host = HostFilesystem(folder)
    return host if form == "host" else OverlayFilesystem(host)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_bytes(b"secret")
    return folder


@pytest.fixture
def linked(tmp_path: Path, outside: Path) -> Path:
    """A folder with links in it: to a file and a folder inside, and to a file and a folder outside."""
    folder = tmp_path / "linked"
    (folder / "dir").mkdir(parents=True)
    (folder / "dir/real").write_bytes(b"real")
    (folder / "file_link").symlink_to("dir/real")
    (folder / "dir_link").symlink_to("dir")
    (folder / "out_link").symlink_to(outside)
    (folder / "secret_link").symlink_to(outside / "secret")
    return folder


def test_line_ends_are_the_same_everywhere(make: Make) -> None:
    files = make({"a": b"one\r\ntwo\rstill two\r\n"})
    assert files.read("a").content == "one\r\ntwo\rstill two"
    assert files.read("a").total_lines == 2
    with files.open_text("a") as text:
        assert list(text) == ["one\r\n", "two\rstill two\r\n"]


def test_a_star_stays_in_its_folder(make: Make) -> None:
    files = make({"a.txt": b"", "b/c.txt": b""})
    assert [match.path for match in files.glob("*.txt")] == ["a.txt"]
    assert [match.path for match in files.glob("**/*.txt")] == ["a.txt", "b/c.txt"]


@pytest.mark.parametrize("form", FORMS)
def test_a_root_that_is_reached_through_a_link(tmp_path: Path, form: str) -> None:
    (tmp_path / "real/dir").mkdir(parents=True)
    (tmp_path / "real/dir/a.txt").write_bytes(b"word")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files = over(tmp_path / "link", form)
    assert [match.path for match in files.glob("**")] == ["dir/a.txt"]
    assert [match.path for match in files.grep("word")] == ["dir/a.txt"]
    assert files.root == str(tmp_path / "real")
    (tmp_path / "link").unlink()
    assert files.read("dir/a.txt").content == "word"


def test_climbing_out_is_one_error(make: Make) -> None:
    """Outside of the root nothing exists."""
    files = make({"a/x": b"inside"})
    for path in (
        "../x",
        "a/../../x",
        "..",
        "/..",
        "a/../..",
        "./../x",
        "a/b/../../../a/x",
    ):
        refuse_to_climb_out(files, path)


def refuse_to_climb_out(files: BackedFilesystem, path: str) -> None:
    assert not files.exists(path)
    for call in (
        lambda: files.read(path),
        lambda: files.stat(path),
        lambda: files.list(path),
        lambda: files.glob("**", path),
        lambda: files.grep("x", path),
        lambda: files.write(path, "y"),
        lambda: files.delete(path, recursive=True),
        lambda: files.mkdir(path),
        lambda: files.move("a/x", path),
        lambda: files.move(path, "y"),
        lambda: files.copy(path, "y"),
        lambda: files.copy("a/x", path),
    ):
        with pytest.raises(PathTraversal) as refused:
            call()
        assert isinstance(refused.value, ValueError) and isinstance(refused.value, PermissionError)
        assert (refused.value.errno, refused.value.filename, refused.value.path) == (errno.EACCES, path, path)
        assert "project" not in str(refused.value), "a program may have none"
    assert [match.path for match in files.glob("**")] == ["a/x"]


def test_a_leading_slash_is_the_root_of_the_filesystem(make: Make) -> None:
    """On every backend, and no other file of the system."""
    files = make({"a": b"inside"})
    assert files.read("/a").content == files.read("//a").content == "inside"
    assert files.read("b/../a").content == "inside"
    assert not files.exists("/etc/passwd")
    files.write("/etc/passwd", "mine")
    assert files.read("etc/passwd").content == "mine"
    assert Path("/etc/passwd").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o640])
@pytest.mark.parametrize("form", FORMS)
def test_the_mode_stays(tmp_path: Path, form: str, mode: int) -> None:
    (tmp_path / "root").mkdir()
    file = tmp_path / "root/a"
    file.write_bytes(b"old")
    file.chmod(mode)
    files = over(tmp_path / "root", form)
    with files.open_write("a") as writer:
        writer.write(b"new")
    files.write("a", " newer", mode="append")
    assert files.stat("a").mode == mode
    files.move("a", "b")
    files.copy("b", "c")
    assert files.stat("b").mode == files.stat("c").mode == mode


def test_a_new_file_is_not_private(make: Make) -> None:
    files = make()
    files.write("a", "x")
    assert files.stat("a").mode == 0o644


@pytest.mark.parametrize("form", FORMS)
def test_links_are_neither_followed_nor_changed(linked: Path, outside: Path, form: str) -> None:
    """What lies behind a link does not exist."""
    files = over(linked, form)
    for link in ("file_link", "dir_link", "out_link", "secret_link"):
        stat = files.stat(link)
        assert (stat.is_file, stat.is_directory, stat.is_link, stat.size_bytes) == (False, False, True, 0)
        assert files.exists(link)
        assert not files.exists(f"{link}/secret") and not files.exists(f"{link}/real")
        for call in (
            lambda link=link: files.read(link),
            lambda link=link: files.write(link, "x"),
            lambda link=link: files.write(link, "x", "append"),
            lambda link=link: files.list(link),
            lambda link=link: files.delete(link),
            lambda link=link: files.move(link, "y"),
            lambda link=link: files.copy(link, "y"),
            lambda link=link: files.move("dir/real", link, overwrite=True),
            lambda link=link: files.copy("dir/real", link, overwrite=True),
            lambda link=link: files.read(f"{link}/real"),
            lambda link=link: files.write(f"{link}/real", "x"),
            lambda link=link: files.stat(f"{link}/real"),
            lambda link=link: files.mkdir(f"{link}/new"),
        ):
            with pytest.raises(LeadsOutside) as refused:
                call()
            assert isinstance(refused.value, ValueError) and isinstance(refused.value, PermissionError)
    listed = {entry.name: entry for entry in files.list()}
    assert [name for name, entry in listed.items() if entry.is_link] == sorted(
        ["dir_link", "file_link", "out_link", "secret_link"]
    )
    assert not any(entry.is_file or entry.is_directory for entry in listed.values() if entry.is_link)
    assert [match.path for match in files.glob("**")] == ["dir/real"]
    assert [match.path for match in files.grep("secret|real")] == ["dir/real"]
    assert (outside / "secret").read_bytes() == b"secret"
    assert (linked / "dir/real").read_bytes() == b"real"
    assert [entry.name for entry in outside.iterdir()] == ["secret"]


def test_names_are_taken_as_they_are(make: Make) -> None:
    for name in (
        " a",
        "a ",
        " a b ",
        "a.",
        "...",
        "-rf",
        "a..b",
        "ä",
        "a'b",
        'a"b',
        "*",
        "~",
    ):
        files = make()
        if isinstance(files.backing, RuledBacking) and name.endswith((" ", ".")):
            with pytest.raises(AccessDenied, match="Windows leaves out"):  # or refused, never bent
                files.write(f"dir/{name}", "x")
            return
        assert files.write(f"dir/{name}", "x").path == f"dir/{name}"
        assert [entry.name for entry in files.list("dir")] == [name]
        assert [match.path for match in files.glob("**")] == [f"dir/{name}"]
        assert files.stat(f"dir/{name}").path == f"dir/{name}"
        assert not files.exists(f"dir/{name.strip(' .') or 'x'}") or name == name.strip(" .")
        files.move(f"dir/{name}", name)
        assert files.read(name).content == "x"


def test_names_that_mean_something_else(make: Make) -> None:
    """No backend is asked."""
    files = make({"dir/x": b""})
    for path in (
        "a\0b",
        "CON",
        "dir/nul.txt",
        "com1",
        "aux .c",
        "a\nb",
        "a\x7f",
        "C:a",
        "a\\b",
        "a:b",
    ):
        refuse_the_name(files, path)


def refuse_the_name(files: BackedFilesystem, path: str) -> None:
    for call in (
        lambda: files.read(path),
        lambda: files.exists(path),
        lambda: files.write(path, "x"),
        lambda: files.mkdir(path),
        lambda: files.move("dir/x", path),
    ):
        with pytest.raises(InvalidPath) as refused:
            call()
        assert isinstance(refused.value, ValueError)
    assert [match.path for match in files.glob("**")] == ["dir/x"]


def test_a_lone_surrogate_is_no_name(make: Make) -> None:
    with pytest.raises(InvalidPath):
        make().write("a\udcff", "x")


def test_files_and_folders_do_not_stand_on_each_other(make: Make) -> None:
    files = make({"file": b"x", "dir/a": b"y"})
    for call, error in (
        (lambda: files.write("file/below", "z"), NotADirectoryError),
        (lambda: files.mkdir("file/below"), NotADirectoryError),
        (lambda: files.write("dir", "z"), IsADirectoryError),
        (lambda: files.mkdir("file"), FileExistsError),
        (lambda: files.move("file", "dir", overwrite=True), FileExistsError),
        (lambda: files.move("dir", "file", overwrite=True), FileExistsError),
    ):
        with pytest.raises(error):
            call()
    assert [match.path for match in files.glob("**")] == ["dir/a", "file"]


def test_a_write_at_once_is_as_atomic_as_a_stream(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    files = make({"a": b"old"})

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("studio.engine.filesystem.content.ContentWriting.write", fail)
        patched.setattr("studio.engine.disk.streaming.NewContent.write", fail)
        for mode in ("overwrite", "append"):
            with pytest.raises(OSError) as refused:
                files.write("a", "new", mode)
            assert isinstance(refused.value, StudioError) and refused.value.code == "disk.full"
            assert refused.value.message == "a can't be written: the disk that holds it is full."
    assert files.read("a").content == "old"
    assert [entry.name for entry in files.list()] == ["a"]


def test_caps_count_bytes_and_hold_for_reads(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    files = make({"a": "\u20ac".encode() * 4})
    monkeypatch.setattr(filesystem, "MAX_WRITE_BYTES", 11)
    monkeypatch.setattr(filesystem, "MAX_READ_BYTES", 11)
    for call in (
        lambda: files.write("b", "\u20ac" * 4),
        lambda: files.read("a"),
        lambda: files.read_bytes("a"),
    ):
        with pytest.raises(ValueError, match="limit is 11"):
            call()


def test_negative_offsets_are_refused(make: Make) -> None:
    files = make({"a": b"one\ntwo\nthree\n"})
    for offset, limit in (
        (-1, None),
        (-3, 2),
        (0, -2),
        (2, -7),
    ):
        with pytest.raises(ValueError):
            files.read("a", offset, limit)
        with pytest.raises(ValueError):
            files.read_bytes("a", offset, limit)


@pytest.mark.parametrize("form", FORMS)
def test_names_that_are_not_utf8_are_told(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "root"
    (folder / "dir").mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/dir/odd\xff")).write_bytes(b"word")
    (folder / "dir/a").write_bytes(b"word")
    files = over(folder, form)
    files.write("dir/b", "word")
    listed = files.list("dir")
    assert [entry.name for entry in listed] == ["a", "b"]
    assert ["UTF-8" in unseen.reason for unseen in listed.unseen] == [True]
    assert files.glob("**").unseen and files.grep("word").unseen
    with pytest.raises(IsADirectoryError, match="not empty"):
        files.delete("dir")


@pytest.mark.parametrize("kind", ["pipe", "socket"])
@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_file(tmp_path: Path, form: str, kind: str) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    (os.mkfifo if kind == "pipe" else _make_socket)(folder / "odd")
    files = over(folder, form)
    assert files.exists("odd") and not files.stat("odd").is_file
    for call in (
        lambda: files.read("odd"),
        lambda: files.write("odd", "x"),
        lambda: files.delete("odd"),
        lambda: files.move("odd", "b"),
        lambda: files.copy("odd", "b"),
    ):
        with pytest.raises(IsADirectoryError, match=f"a {kind}"):
            call()
    assert files.glob("**") == () == files.grep("x")


def _make_socket(path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def test_a_spelling_that_windows_takes_for_another(backends: Backends) -> None:
    """Where the folder is of no matter: nothing is made on the way."""
    files = backends.make("host", {})
    with pytest.raises(InvalidPath):
        files.write("new/CON", "x")
    assert files.list() == ()
