"""The open root itself; what leads out of it is tried in test_jail.py."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from studio.engine.root import EntryKind, ProjectRoot, check_root, read_handle
from studio.errors import ErrorKind, InvalidPath, NotFound, PathTraversal, Refused
from studio.system import syscalls

LIMIT = 1 << 20


@pytest.fixture
def root(way: str, project: Path) -> Iterator[ProjectRoot]:
    with ProjectRoot(project) as opened:
        yield opened


def test_a_link_inside_is_refused_too(root: ProjectRoot) -> None:
    """Also a link that stays inside is never followed."""
    (root.path / "real.txt").write_text("x")
    (root.path / "link.txt").symlink_to("real.txt")
    with pytest.raises(Refused) as caught:
        root.read("link.txt", LIMIT)
    assert caught.value.code == "path.link"
    found = root.digest("link.txt")
    assert found is not None and found[0] == ""


def test_a_folder_that_was_none_for_a_moment_does_not_hide_its_files(
    root: ProjectRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in it is opened again: it must not pass for absent while another program exchanges folders."""
    (root.path / "folder").mkdir()
    (root.path / "folder" / "a.txt").write_text("x")
    moments = [NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))]
    really = syscalls.open_beneath

    def open_beneath(folder: int, path: bytes, flags: int) -> int:
        if moments:
            raise moments.pop()
        return really(folder, path, flags)

    monkeypatch.setattr(syscalls, "open_beneath", open_beneath)
    assert root.read("folder/a.txt", LIMIT)[0] == b"x"
    assert moments == []


def test_a_root_given_through_a_link_is_the_real_folder(project: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(project)
    (project / "a.txt").write_text("a")
    with ProjectRoot(tmp_path / "alias") as root:
        assert root.path == project.resolve()
        assert root.read("a.txt", LIMIT)[0] == b"a"


def test_a_replaced_root_is_noticed(project: Path, tmp_path: Path) -> None:
    with ProjectRoot(project) as root:
        assert root.is_path_unchanged()
        project.rename(tmp_path / "moved")
        project.mkdir()
        assert not root.is_path_unchanged()


@pytest.mark.parametrize("path", ["/", "/etc", "/usr", "/proc", "/lib"])
def test_system_folders_are_no_projects(path: str) -> None:
    with pytest.raises(Refused):
        check_root(Path(path))


def test_home_missing_and_files_are_no_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").write_text("x")
    with pytest.raises(Refused):
        check_root(tmp_path)
    for name, error in (("missing", FileNotFoundError), ("file", NotADirectoryError)):
        with pytest.raises(error) as refused:
            ProjectRoot(tmp_path / name)
        assert isinstance(refused.value, NotFound) and refused.value.kind is ErrorKind.NOT_FOUND


@pytest.mark.parametrize("path", ["/x", "/", "a/", "a//b", "./a", "a/..", "..", "a\0b", "a\ud800"])
def test_only_plain_paths_are_taken(root: ProjectRoot, path: str) -> None:
    """The handles hold without the parsers before them; nothing is bent to fit."""
    (root.path / "x").write_text("x")
    for call in (root.state, root.digest, root.list_folder, lambda path: root.read(path, LIMIT)):
        with pytest.raises(InvalidPath) as refused:
            call(path)
        assert refused.value.code == "path.not_plain"
        assert isinstance(refused.value, PathTraversal) is (".." in path)
    assert root.state("x") is not None


def test_the_root_itself_is_seen_and_never_changed(root: ProjectRoot) -> None:
    state, digest = root.state(""), root.digest("")
    assert state is not None and state.kind is EntryKind.FOLDER
    assert digest is not None and digest[0] == ""
    with pytest.raises(InvalidPath) as refused, root.parent(""):
        pass
    assert refused.value.code == "path.root"


def test_a_name_longer_than_the_system_takes_is_its_error(root: ProjectRoot) -> None:
    for path in ("n" * 300, "n" * 5000, f"a/{'n' * 5000}/b", "/".join(["a"] * 3000)):
        (root.path / "a").mkdir(exist_ok=True)
        with pytest.raises(OSError) as refused:
            root.read(path, LIMIT)
        assert refused.value.errno in (errno.ENAMETOOLONG, errno.ENOENT)


@pytest.mark.parametrize("names", [[], ["123", "_"], ["ReadMe"], ["readme", "README"], ["\u00e9"]])
def test_a_disk_that_tells_case_apart_is_asked(project: Path, names: list[str]) -> None:
    """By a name that is there, else by the root's own."""
    for name in names:
        (project / name).touch()
    with ProjectRoot(project) as root:
        assert not root.folds_case


def test_a_disk_that_folds_case_is_asked(root: ProjectRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other spelling leads somewhere, though nothing is called so."""
    (root.path / "ReadMe").touch()
    found = os.stat

    def folding(path: Any, **how: Any) -> os.stat_result:
        return found("ReadMe" if path == "rEADmE" else path, **how)

    monkeypatch.setattr(os, "stat", folding)
    assert root.folds_case


def test_mount_points_beneath_the_root_are_named_relative(
    root: ProjectRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = os.fsencode(root.path)
    monkeypatch.setattr(
        syscalls,
        "mount_points",
        lambda: (b"/", inside, inside + b"-evil/x", inside + b"/a b/c", inside + b"/\xff"),
    )
    assert root.mounts() == {"a b/c", "\udcff"}


def test_escapes_in_the_table_of_mounts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    line = rb"36 35 98:0 / /media/a\040b\134c rw,noatime shared:1 - ext3 /dev/root rw"
    monkeypatch.setattr(Path, "read_bytes", lambda _: line + b"\n")
    assert syscalls.mount_points() == (b"/media/a b\\c",)


def test_no_table_of_mounts_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: Path) -> bytes:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_bytes", missing)
    assert syscalls.mount_points() == ()


def test_threads_may_open_at_once(root: ProjectRoot) -> None:
    """Reads may run side by side. One root serves all threads of a window."""
    for number in range(20):
        (root.path / f"{number}").write_text(str(number))

    def read(number: int) -> bool:
        return all(root.read_bytes(f"{number}", 10) == str(number).encode() for _ in range(200))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(20)))


def test_a_file_without_a_size_is_read_up_to_the_limit() -> None:
    text = Path("/proc/version").read_bytes()
    handle = os.open("/proc/version", os.O_RDONLY)
    try:
        assert read_handle(handle, len(text), shown="version", hint="No.")[0] == text
        os.lseek(handle, 0, os.SEEK_SET)
        with pytest.raises(Refused):
            read_handle(handle, len(text) - 1, shown="version", hint="No.")
    finally:
        os.close(handle)


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "grows").write_bytes(b"a")
    handle = os.open(tmp_path / "grows", os.O_RDONLY)
    try:
        for limit, expected in ((4, b"abcd"), (3, None), (2, None)):
            pieces = iter((b"ab", b"c", b"d", b""))
            with monkeypatch.context() as patch:
                patch.setattr(os, "read", lambda _handle, _size, pieces=pieces: next(pieces))
                if expected is not None:
                    assert read_handle(handle, limit, shown="grows", hint="No.")[0] == expected
                else:
                    with pytest.raises(Refused):
                        read_handle(handle, limit, shown="grows", hint="No.")
    finally:
        os.close(handle)
