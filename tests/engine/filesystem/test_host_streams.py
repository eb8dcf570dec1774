"""Files written as streams on disk: what stands there meanwhile, and what a failure or a kill leaves."""

from __future__ import annotations

import errno
import os
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.disk import TargetChanged
from studio.engine.disk.streaming import NewContent
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.filesystem import HostFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.types import WriteMode
from studio.errors import FileError, LeadsOutside, NotAFile
from studio.system import syscalls
from tests.engine.filesystem.backends import names, written
from tests.tools.mounts import mounted

ROOT = Path(__file__).parents[3]


def test_a_new_file_has_the_mode_that_others_give_it(backing: HostBacking, project: Path) -> None:
    written(backing, "new.txt", b"text")
    (project / "other.txt").write_bytes(b"text")
    assert (project / "new.txt").read_bytes() == b"text"
    assert (project / "new.txt").stat().st_mode == (project / "other.txt").stat().st_mode


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755, 0o400])
def test_an_overwrite_keeps_the_mode(backing: HostBacking, project: Path, mode: int) -> None:
    file = project / "tool.sh"
    file.write_bytes(b"old")
    file.chmod(mode)
    written(backing, "tool.sh", b"new")
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_bytes() == b"new"
    written(backing, "tool.sh", b"+", WriteMode.APPEND)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_bytes() == b"new+"


def test_an_overwrite_keeps_extended_attributes(backing: HostBacking, project: Path) -> None:
    file = project / "a.txt"
    file.write_bytes(b"old")
    os.setxattr(file, "user.note", b"kept")
    written(backing, "a.txt", b"new")
    assert os.getxattr(file, "user.note") == b"kept"


def test_nobody_sees_a_part(backing: HostBacking, project: Path) -> None:
    """The old bytes until the end, then all of the new ones."""
    file = project / "a.txt"
    file.write_bytes(b"old")
    with file.open("rb") as reader:
        writing = backing.start("a.txt", WriteMode.OVERWRITE)
        writing.write(b"new" * 100_000)
        assert file.read_bytes() == b"old"
        writing.finish()
        assert reader.read() == b"old"
    assert file.read_bytes() == b"new" * 100_000
    assert names(project) == ["a.txt"]


@pytest.mark.parametrize("mode", list(WriteMode))
def test_discarding_leaves_everything_as_it_was(backing: HostBacking, project: Path, mode: WriteMode) -> None:
    (project / "a.txt").write_bytes(b"old")
    path = "b.txt" if mode is WriteMode.CREATE else "a.txt"
    writing = backing.start(path, mode)
    writing.write(b"new")
    assert names(project) == ["a.txt"], "what is not complete has no name"
    writing.discard()
    assert names(project) == ["a.txt"]
    assert (project / "a.txt").read_bytes() == b"old"


KILLED = """
import os, signal, sys
from pathlib import Path
from studio.engine.filesystem import HostFilesystem
filesystem = HostFilesystem(Path(sys.argv[1]))
writer = filesystem.open_write("a.txt", sys.argv[2])
writer.write(b"half of it")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("mode", ["create", "overwrite", "append"])
def test_a_process_that_is_killed_in_the_middle_leaves_nothing(project: Path, mode: str) -> None:
    """No request names the file, so nobody could sweep it."""
    if mode != "create":
        (project / "a.txt").write_bytes(b"old")
    before = names(project)
    done = subprocess.run([sys.executable, "-c", KILLED, str(project), mode], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert names(project) == before
    assert [file.read_bytes() for file in project.iterdir()] == [b"old"] * len(before)


@pytest.fixture
def without_unnamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk whose files all have names."""
    monkeypatch.setattr("studio.engine.disk.streaming.can_name_later", lambda: False)


@pytest.mark.usefixtures("without_unnamed")
def test_a_private_file_stays_private_while_it_is_written_anew(project: Path) -> None:
    """Our file beside it holds its bytes long before it has its mode."""
    file = project / "a.txt"
    file.write_bytes(b"old")
    file.chmod(0o600)
    before = os.umask(0)
    try:
        with HostFilesystem(project) as filesystem, filesystem.open_write("a.txt", "append") as writer:
            writer.write(b" and more")
            (ours,) = [path for path in project.iterdir() if is_temporary(path.name)]
            assert stat.S_IMODE(ours.stat().st_mode) == 0o600
    finally:
        os.umask(before)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"old and more", 0o600)


@pytest.mark.usefixtures("without_unnamed")
@pytest.mark.parametrize("mode", list(WriteMode))
def test_our_name_stands_in_no_listing_and_goes(project: Path, mode: WriteMode) -> None:
    """Where the file has a name of ours from the start."""
    with HostFilesystem(project) as filesystem:
        filesystem.write("docs/a.txt", "word old")
        path = "docs/b.txt" if mode is WriteMode.CREATE else "docs/a.txt"
        for is_finished in (False, True):
            writer = filesystem.open_write(path, mode.value)
            writer.write(b"word new")
            assert len([name for name in names(project / "docs") if is_temporary(name)]) == 1
            assert [entry.name for entry in filesystem.list("docs")] == ["a.txt"]
            assert [match.path for match in filesystem.glob("**")] == ["docs/a.txt"]
            for program_folders in (os.environ["PATH"], ""):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setenv("PATH", program_folders)
                    assert {match.path for match in filesystem.grep("word")} == {"docs/a.txt"}
            if is_finished:
                writer.close()
            else:
                with pytest.raises(KeyError), writer:
                    raise KeyError
        assert names(project / "docs") == sorted({"a.txt", path.removeprefix("docs/")})
        assert filesystem.read(path).content.endswith("word new")


@pytest.mark.usefixtures("without_unnamed")
def test_with_a_name_of_ours_the_mode_and_the_others_file_stay(backing: HostBacking, project: Path) -> None:
    file = project / "a.txt"
    file.write_bytes(b"old")
    file.chmod(0o750)
    written(backing, "a.txt", b"new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    writing = backing.start("b.txt", WriteMode.CREATE)
    (project / "b.txt").write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        writing.finish()
    assert names(project) == ["a.txt", "b.txt"]
    assert (project / "b.txt").read_bytes() == b"theirs"


def test_a_create_loses_to_a_file_that_appears(backing: HostBacking, project: Path) -> None:
    writing = backing.start("a.txt", WriteMode.CREATE)
    writing.write(b"ours")
    (project / "a.txt").write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        writing.finish()
    assert names(project) == ["a.txt"]
    assert (project / "a.txt").read_bytes() == b"theirs"


@pytest.mark.parametrize(
    ("put", "error"),
    [
        (lambda file: file.mkdir(), NotAFile),
        (lambda file: file.symlink_to("elsewhere"), LeadsOutside),
        (os.mkfifo, NotAFile),
    ],
    ids=["folder", "link", "pipe"],
)
def test_what_became_something_else_is_not_replaced(
    backing: HostBacking, project: Path, put: Callable[[Path], None], error: type[FileError]
) -> None:
    file = project / "a.txt"
    file.write_bytes(b"old")
    writing = backing.start("a.txt", WriteMode.OVERWRITE)
    writing.write(b"new")
    file.unlink()
    put(file)
    before = file.lstat().st_ino
    with pytest.raises(error):
        writing.finish()
    assert file.lstat().st_ino == before
    assert names(project) == ["a.txt"]


@pytest.mark.parametrize("change", ["grows", "is replaced", "is gone"])
def test_an_append_loses_nothing_that_came_in_between(
    backing: HostBacking, project: Path, change: str
) -> None:
    file = project / "a.log"
    file.write_bytes(b"old\n")
    writing = backing.start("a.log", WriteMode.APPEND)
    writing.write(b"ours\n")
    if change != "grows":
        file.unlink()
    if change != "is gone":
        with file.open("ab") as other:
            other.write(b"theirs\n")
    with pytest.raises(TargetChanged, match="log changed while it was appended to"):
        writing.finish()
    expected = {"grows": [b"old\ntheirs\n"], "is replaced": [b"theirs\n"], "is gone": []}
    assert [entry.read_bytes() for entry in project.iterdir()] == expected[change]


def test_a_file_that_is_gone_is_written_anew_with_its_mode(backing: HostBacking, project: Path) -> None:
    file = project / "a.txt"
    file.write_bytes(b"old")
    file.chmod(0o750)
    writing = backing.start("a.txt", WriteMode.OVERWRITE)
    file.unlink()
    writing.finish()
    assert stat.S_IMODE(file.stat().st_mode) == 0o750


@pytest.mark.parametrize("put", ["nothing", "file", "folder", "link"])
def test_a_folder_that_is_replaced_in_between(backing: HostBacking, project: Path, put: str) -> None:
    """What was moved away gets nothing, and what stands in its place neither."""
    folder = project / "docs"
    folder.mkdir()
    writing = backing.start("docs/a.txt", WriteMode.OVERWRITE)
    writing.write(b"new")
    away = project.parent / "away"
    folder.rename(away)
    if put == "file":
        folder.write_bytes(b"file")
    elif put == "folder":
        folder.mkdir()
    elif put == "link":
        folder.symlink_to(away, target_is_directory=True)
    expected = {"nothing": FileNotFoundError, "file": NotADirectoryError, "folder": FileNotFoundError}
    with pytest.raises(expected.get(put, LeadsOutside)):
        writing.finish()
    assert names(away) == []
    assert put != "folder" or names(folder) == []


@pytest.mark.root
def test_a_full_disk_leaves_the_old_file(backing: HostBacking, project: Path) -> None:
    """ENOSPC for real: a small disk of its own."""
    (project / "a.txt").write_bytes(b"old")
    source = (
        "import json, sys; from pathlib import Path\n"
        "from studio.engine.filesystem.host_backing import HostBacking\n"
        "from studio.engine.filesystem.types import WriteMode\n"
        "from studio.engine.root import ProjectRoot\n"
        "root = Path(sys.argv[1]); backing = HostBacking(ProjectRoot(root))\n"
        "(root / 'a.txt').write_bytes(b'old'); writing = backing.start('a.txt', WriteMode.OVERWRITE)\n"
        "try:\n    writing.write(b'x' * 2_000_000)\n"
        "except OSError as error: print(json.dumps(error.errno))\n"
        "writing.discard(); assert (root / 'a.txt').read_bytes() == b'old'\n"
        "assert [entry.name for entry in root.iterdir()] == ['a.txt']\n"
    )
    small = mounted('mount -t tmpfs -o size=600k x "$0"', project)
    done = subprocess.run(
        [*small, sys.executable, "-c", source, str(project)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (str(errno.ENOSPC), "")


def test_a_flush_that_fails_discards(
    backing: HostBacking, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.txt").write_bytes(b"old")
    writing = backing.start("a.txt", WriteMode.OVERWRITE)
    writing.write(b"new")

    def fail(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output error"):
            writing.finish()
    assert names(project) == ["a.txt"]
    assert (project / "a.txt").read_bytes() == b"old"


def open_handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


def test_streams_leave_no_handles(backing: HostBacking, project: Path) -> None:
    (project / "a.txt").write_bytes(b"old")
    before = open_handles()
    for mode in (WriteMode.OVERWRITE, WriteMode.APPEND):
        written(backing, "a.txt", b"new", mode)
        backing.start("a.txt", mode).discard()
        backing.open("a.txt").close()
    with pytest.raises(FileExistsError):
        backing.start("a.txt", WriteMode.CREATE)
    with pytest.raises(FileNotFoundError):
        backing.open("b.txt")
    assert open_handles() == before


def test_an_access_list_goes_to_the_new_file(backing: HostBacking, project: Path) -> None:
    entries = [(1, 6, 2**32 - 1), (2, 4, 7), (4, 4, 2**32 - 1), (16, 4, 2**32 - 1), (32, 4, 2**32 - 1)]
    access_list = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    file = project / "a.txt"
    file.write_bytes(b"old")
    os.setxattr(file, "system.posix_acl_access", access_list)
    written(backing, "a.txt", b"new")
    assert os.getxattr(file, "system.posix_acl_access") == access_list


@pytest.mark.usefixtures("without_unnamed")
def test_without_a_rename_that_takes_no_name_a_create_still_replaces_nothing(
    backing: HostBacking, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise syscalls.Unsupported("renameat2")

    monkeypatch.setattr(syscalls, "rename_new", missing)
    written(backing, "a.txt", b"new", WriteMode.CREATE)
    assert (project / "a.txt").read_bytes() == b"new"
    content = NewContent(backing.project, "b.txt", exclusive=True)

    def in_the_last_moment(*_: object) -> None:
        (project / "b.txt").write_bytes(b"theirs")
        raise syscalls.Unsupported("renameat2")

    monkeypatch.setattr(syscalls, "rename_new", in_the_last_moment)
    with pytest.raises(FileExistsError):
        content.finish()
    assert names(project) == ["a.txt", "b.txt"]
    assert (project / "b.txt").read_bytes() == b"theirs"
