"""A folder on disk beneath the protocol: what is read and seen, folders, moves, what the disk may do."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from msgspec.structs import replace

from studio.engine.disk.temporary_names import temporary_name
from studio.engine.filesystem import HostFilesystem
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.searching import find_files
from studio.engine.root import EntryKind
from studio.errors import BackendGone, FileError, LeadsOutside, NotAFile
from studio.system import syscalls
from tests.engine.filesystem.backends import names
from tests.tools.mounts import REFUSED, mounted, ntfs_programs
from tests.tools.rights import IS_ROOT

ROOT = Path(__file__).parents[3]


def test_a_call_on_a_closed_one_says_that_it_is_closed(project: Path) -> None:
    """Not that the disk failed: the descriptor is gone."""
    files = HostFilesystem(project)
    files.write("a.txt", "one")
    files.close()
    for call in (
        lambda: files.read("a.txt"),
        lambda: files.write("a.txt", "two"),
        lambda: files.stat("a.txt"),
        lambda: files.exists("a.txt"),
        files.list,
        files.scan,
        lambda: files.glob("**"),
        lambda: files.grep("one"),
        lambda: files.mkdir("b"),
        lambda: files.move("a.txt", "b.txt"),
        lambda: files.copy("a.txt", "b.txt"),
        lambda: files.delete("a.txt"),
        files.snapshot,
    ):
        with pytest.raises(ValueError, match="The filesystem is closed"):
            call()
    assert files.root == str(project) and (project / "a.txt").read_text() == "one"


# Reading


def test_a_file_that_shrinks_while_it_is_read(backing: HostBacking, project: Path) -> None:
    file = project / "a.txt"
    file.write_bytes(b"0123456789")
    reading = backing.open("a.txt")
    assert reading.read_at(0, 4) == b"0123"
    os.truncate(file, 6)
    assert reading.size == 10
    assert reading.read_at(4, 6) == b"45"
    reading.close()


def test_a_file_that_vanishes_is_read_to_its_end(backing: HostBacking, project: Path) -> None:
    file = project / "a.txt"
    file.write_bytes(b"0123456789")
    reading = backing.open("a.txt")
    file.unlink()
    assert reading.read_at(2, 8) == b"23456789"
    reading.close()


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "link"])
def test_only_regular_files_are_opened(backing: HostBacking, project: Path, kind: str) -> None:
    file = project / "a"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "link":
        file.symlink_to("/etc/passwd")
    else:
        with socket.socket(socket.AF_UNIX) as unix:
            here = Path.cwd()
            os.chdir(project)
            try:
                unix.bind("a")
            finally:
                os.chdir(here)
    with pytest.raises(LeadsOutside if kind == "link" else NotAFile):
        backing.open("a")


# Names


def test_what_is_in_a_folder(backing: HostBacking, project: Path) -> None:
    for name in ("b.txt", "a.txt", " spaces "):
        (project / name).write_bytes(b"")
    (project / "folder").mkdir()
    (project / "link").symlink_to("a.txt")
    (project / "away").symlink_to("/", target_is_directory=True)
    os.mkfifo(project / "pipe")
    Path(os.fsdecode(os.fsencode(project) + b"/\xff.txt")).write_bytes(b"")
    ours = temporary_name(str(uuid4()), 1)
    for name in (ours, f"{ours}~"):  # what is being written, and what is kept meanwhile
        (project / name).write_bytes(b"")
    found = backing.entries("")
    assert found.files == (" spaces ", "a.txt", "b.txt")
    assert found.folders == ("folder",)
    assert found.others == (("away", EntryKind.LINK), ("link", EntryKind.LINK), ("pipe", EntryKind.PIPE))
    assert [entry.path for entry in found.unseen] == ["\udcff.txt"]
    assert found.unseen[0].reason == "The name \\udcff.txt is not UTF-8."


def test_names_that_are_not_utf8_are_told_where_they_match(backing: HostBacking, project: Path) -> None:
    odd = os.fsencode(project) + b"/\xe4"
    Path(os.fsdecode(odd)).mkdir()
    for name in (b"a.py", b"b.txt"):
        Path(os.fsdecode(odd + b"/" + name)).write_bytes(b"")
    (project / "c.py").write_bytes(b"")
    found = find_files(backing, "", Glob("**/*.py"))
    assert [match.path for match in found] == ["c.py"]
    assert [entry.path for entry in found.unseen] == ["\udce4/a.py"]


def test_links_are_not_followed_by_a_glob(backing: HostBacking, project: Path) -> None:
    (project / "real").mkdir()
    (project / "real" / "a.py").write_bytes(b"")
    (project / "linked").symlink_to("real", target_is_directory=True)
    (project / "b.py").symlink_to("real/a.py")
    assert [match.path for match in find_files(backing, "", Glob("**/*.py"))] == ["real/a.py"]
    with pytest.raises(LeadsOutside):
        find_files(backing, "linked/deeper", Glob("**"))


AS_NOBODY = """
import json, os, sys
from pathlib import Path
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Search
from studio.engine.filesystem.grep_pattern import read_expression
from studio.engine.filesystem.grep_worker import Job, search_files
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.searching import find_files, find_lines
from studio.engine.filesystem.types import WriteMode
from studio.engine.root import ProjectRoot
from studio.system.syscalls import creation_mask
root = ProjectRoot(Path(sys.argv[1]))
creation_mask()  # what it imports may lie in a home folder that is closed to others
if sys.argv[2] == "root":
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
backing = HostBacking(root)
files = find_files(backing, "", Glob("**"))
files_by_name = [match.path for match in files]
lines = {}
for way in ("ripgrep", "python"):
    if way == "python":
        os.environ["PATH"] = ""
    found = find_lines(backing, "", Search(read_expression("word"), None, 10))
    lines[way] = [[match.path for match in found], [[one.path, one.reason] for one in found.unseen]]
job = Job(
    expression="w(o)r?d", root="", identity="", paths=files_by_name, sizes=[], limit=10, seconds=9
)
answer = search_files(root.handle, job)
lines["worker"] = [[number for number, _ in answer["found"]], answer["errors"]]
refused = []
for attempt in (
    lambda: backing.open("secret.txt"), lambda: backing.entries("closed"),
    lambda: backing.start("closed/new.txt", WriteMode.CREATE),
    lambda: backing.remove("closed", recursive=True),
    lambda: backing.start("read_only/new.txt", WriteMode.CREATE),
    lambda: backing.make_folder("read_only/new"),
):
    try:
        attempt()
        refused.append(None)
    except PermissionError as error:
        refused.append(type(error).__name__)
print(json.dumps([files_by_name, [one.path for one in files.unseen], lines, refused]))
"""


def test_what_may_not_be_seen_is_told(project: Path) -> None:
    """As a user without rights: the same with ripgrep and without, and nothing half done."""
    project.chmod(0o755)
    for path in ("open/a.txt", "closed/b.txt", "secret.txt", "read_only/c.txt"):
        file = project / path
        file.parent.mkdir(exist_ok=True)
        file.write_text("a word\n")
    (project / "secret.txt").chmod(0)
    (project / "closed").chmod(0)
    (project / "read_only").chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(project), "root" if IS_ROOT else ""],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files, unseen, lines, refused = json.loads(done.stdout)
    (project / "closed").chmod(0o755)
    assert files == ["open/a.txt", "read_only/c.txt", "secret.txt"]
    assert unseen == ["closed"]
    assert lines.pop("worker") == [[0, 1], [[2, errno.EACCES]]]
    assert len(lines) == 2
    for matched, missed in lines.values():
        assert matched == ["open/a.txt", "read_only/c.txt"]
        assert [path for path, _ in missed] == ["closed", "secret.txt"]
        assert all(reason.endswith(".") and path in reason for path, reason in missed)
    assert refused == ["PermissionError"] * 3 + ["AccessDenied"] + ["PermissionError"] * 2
    assert names(project / "closed") == ["b.txt"]


def test_a_scan_without_statx_lacks_the_creation_times_alone(
    backing: HostBacking, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "folder").mkdir()
    (project / "link").symlink_to("folder")
    os.mkfifo(project / "pipe")
    (project / "file.txt").write_text("words")
    found = backing.scan("").found
    monkeypatch.setattr(syscalls, "read_status", lambda folder, name: None)
    assert backing.scan("").found == tuple(replace(entry, created_ns=None) for entry in found)
    assert [(entry.name, entry.size_bytes) for entry in found if entry.name == "file.txt"] == [
        ("file.txt", 5)
    ]


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ENODEV, errno.ENOTCONN])
def test_a_disk_that_goes_away_ends_a_search(
    backing: HostBacking, project: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (project / "folder").mkdir()

    def gone(path: int | str) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", gone)
        with pytest.raises(FileError) as failed:
            find_files(backing, "", Glob("**"))
    assert isinstance(failed.value, BackendGone) == (number != errno.EIO)
    assert isinstance(failed.value, OSError) and failed.value.hint


DISK_GOES_AWAY = """
import os, signal, sys
from pathlib import Path
from studio.errors import BackendGone
from studio.engine.filesystem import HostFilesystem
folder = Path(sys.argv[1])
server = int(Path(f"{folder}.pid").read_text())
filesystem = HostFilesystem(folder)
filesystem.write_bytes("docs/a.bin", b"word\\n" * 1_000_000)
reader = filesystem.open_read("docs/a.bin")
reader.read(10)
writer = filesystem.open_write("docs/b.bin")
writer.write(b"x")
os.kill(server, signal.SIGKILL)
os.waitpid(server, 0)  # a child of the shell that became this process
for name, attempt in {
    "read": lambda: reader.read(), "write": writer.close, "open": lambda: filesystem.open_read("docs/a.bin"),
    "list": lambda: filesystem.list("docs"), "glob": lambda: filesystem.glob("docs/*"),
    "grep": lambda: filesystem.grep("word", "docs"), "stat": lambda: filesystem.stat("docs/a.bin"),
    "mkdir": lambda: filesystem.mkdir("docs/new"), "delete": lambda: filesystem.delete("docs/a.bin"),
}.items():
    try:
        attempt()
    except BackendGone as error:
        assert isinstance(error, RuntimeError), error
        print(f"{name}: {error}")
print("end")
"""


@pytest.mark.root
def test_a_disk_that_is_gone_is_said_for_each_call(project: Path) -> None:
    """For real: a file system in a process of its own, which is killed."""
    make, serve = ntfs_programs()
    with project.with_name(f"{project.name}.img").open("wb") as image:
        image.truncate(32 << 20)
    serve = (
        f'{make} -q -F -Q "$0.img" >/dev/null 2>&1 && '
        f'{{ {serve} "$0.img" "$0" -o no_detach >/dev/null 2>&1 & echo $! >"$0.pid"; }} && '
        'until mountpoint -q "$0"; do readlink "/proc/$!/exe" >/dev/null || exit 9; sleep 0.01; done'
    )
    done = subprocess.run(
        [*mounted(serve, project), sys.executable, "-c", DISK_GOES_AWAY, str(project)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 9:
        pytest.skip(REFUSED)
    assert done.stderr == ""
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert list(told) == ["read", "write", "open", "list", "glob", "grep", "stat", "mkdir", "delete"]
    assert told["read"].startswith("docs/a.bin can't be read at byte 10: the disk that held it is gone.")
    assert all("is gone. Bring the disk back and try again." in sentence for sentence in told.values())


# Folders, moves, copies


def test_a_folder_is_removed_with_all_it_holds(backing: HostBacking, project: Path) -> None:
    (project / "a" / "b" / "c").mkdir(parents=True)
    (project / "a" / "b" / "file").write_bytes(b"")
    (project / "kept.txt").write_bytes(b"kept")
    (project / "a" / "link").symlink_to("../kept.txt")
    (project / "a" / "away").symlink_to(project.parent, target_is_directory=True)
    Path(os.fsdecode(os.fsencode(project) + b"/a/\xff")).write_bytes(b"")
    with pytest.raises(OSError, match="not empty"):
        backing.remove("a", recursive=False)
    backing.remove("a", recursive=True)
    assert names(project) == ["kept.txt"]


def test_a_link_is_removed_and_not_where_it_leads(backing: HostBacking, project: Path) -> None:
    (project / "folder").mkdir()
    (project / "link").symlink_to("folder", target_is_directory=True)
    backing.remove("link", recursive=True)
    assert names(project) == ["folder"]


def test_moves(backing: HostBacking, project: Path) -> None:
    (project / "a.txt").write_bytes(b"a")
    (project / "b.txt").write_bytes(b"b")
    (project / "folder").mkdir()
    with pytest.raises(FileExistsError):
        backing.move("a.txt", "b.txt", replace=False)
    backing.move("a.txt", "folder/c.txt", replace=False)
    backing.move("b.txt", "folder/c.txt", replace=True)
    assert (project / "folder" / "c.txt").read_bytes() == b"b"
    backing.move("folder", "other", replace=False)
    assert names(project) == ["other"]


def test_a_copy_has_the_bytes_and_the_mode(backing: HostBacking, project: Path) -> None:
    (project / "a.bin").write_bytes(bytes(range(256)) * 20_000)
    (project / "a.bin").chmod(0o751)
    backing.copy("a.bin", "b.bin", replace=False)
    assert (project / "b.bin").read_bytes() == (project / "a.bin").read_bytes()
    assert stat.S_IMODE((project / "b.bin").stat().st_mode) == 0o751
    (project / "b.bin").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        backing.copy("a.bin", "b.bin", replace=False)
    backing.copy("a.bin", "b.bin", replace=True)
    assert (project / "b.bin").stat().st_size == 256 * 20_000
