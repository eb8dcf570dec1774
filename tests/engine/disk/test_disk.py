"""The writer alone, without a store: what it carries over, its fallbacks, thousands of files."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from studio.engine.disk import Batch, DiskChange, NotPutBack, TargetChanged, allowed_bits
from studio.engine.disk.batch import Aborted
from studio.engine.disk.open_folders import HeldFolders
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot
from studio.errors import DiskFailed, FileError, PathTooLong
from studio.journal.file_image import FileImage
from studio.system import syscalls
from tests.tools.rights import AS_ROOT, as_root

ROOT = Path(__file__).parents[3]
NOBODY = 65534


def image(data: bytes, mode: int = 0o644) -> FileImage:
    return FileImage(hashlib.sha256(data).hexdigest(), len(data), mode)


class Scene:
    """A folder, and placements in it whose bytes are kept by SHA-256."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = ProjectRoot(folder)
        self.contents: dict[str, bytes] = {}
        self.left: list[str] = []
        self._number = 0

    def placed(self, path: str, before: bytes | None, after: bytes | None, mode: int = 0o644) -> DiskChange:
        images: list[FileImage | None] = []
        for data in (before, after):
            images.append(None if data is None else image(data, mode))
            if data is not None:
                self.contents[hashlib.sha256(data).hexdigest()] = data
        self._number += 1
        above = path.rpartition("/")[0]
        name = temporary_name(str(UUID(int=self._number)), 1)
        temporary = f"{above}/{name}" if above else name
        like = path if before is not None else None
        return DiskChange(path, images[0], images[1], temporary, like)

    def batch(self, *disk_changes: DiskChange) -> Batch:
        return Batch(self.root, disk_changes, self.contents.__getitem__)

    def write(self, *disk_changes: DiskChange) -> dict[str, bool]:
        """All of it: prepared, committed, swept."""
        batch = self.batch(*disk_changes)
        batch.prepare()
        exclusive = batch.commit()
        assert batch.finish() == ()
        return exclusive

    def replaced(self, path: str, after: bytes) -> None:
        """Write one existing file."""
        file = self.folder / path
        mode = stat.S_IMODE(file.stat().st_mode)
        self.write(self.placed(path, file.read_bytes(), after, mode))
        assert file.read_bytes() == after and stat.S_IMODE(file.stat().st_mode) == mode

    def own_files(self) -> list[str]:
        return [path.name for path in self.folder.rglob(".exacta*")]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    folder = tmp_path / "project"
    folder.mkdir()
    made = Scene(folder)
    yield made
    made.root.close()
    assert made.own_files() == made.left


def unsupported(*_: object, **__: object) -> None:
    raise syscalls.Unsupported


def no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize(
    "mode", [0o644, 0o600, 0o4755, 0o2750, 0o1777, 0o444, pytest.param(0o000, marks=AS_ROOT)]
)
def test_permission_bits_stay(scene: Scene, mode: int) -> None:
    """All twelve, also those that a change of owner clears."""
    file = scene.folder / "a.txt"
    file.write_bytes(b"old")
    os.chown(file, os.geteuid(), os.getegid())
    file.chmod(mode)
    scene.replaced("a.txt", b"new")


@pytest.mark.parametrize("owner", [pytest.param((4321, 1234), marks=AS_ROOT), (os.geteuid(), os.getegid())])
@pytest.mark.parametrize("rights", [0o4750, 0o440])
def test_owner_list_and_attributes_stay(scene: Scene, owner: tuple[int, int], rights: int) -> None:
    """Also of somebody else's file, for root, who may give files away; and of one that even
    its owner may only read, whose access list would keep everybody but root from setting the attributes."""
    file = scene.folder / "a.txt"
    file.write_bytes(b"old")
    os.chown(file, *owner)
    subprocess.run(["setfacl", "-m", "u:77:rw-,g:88:r--", str(file)], check=True)
    os.setxattr(file, "user.note", b"kept\0bytes")  # listed behind the access list
    file.chmod(rights)
    mode = stat.S_IMODE(file.stat().st_mode)
    before = {name: os.getxattr(file, name) for name in os.listxattr(file)}
    assert "system.posix_acl_access" in before
    scene.write(scene.placed("a.txt", b"old", b"new", mode))
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (*owner, mode)
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == before
    assert file.read_bytes() == b"new"


def test_a_default_list_of_the_folder_does_not_reach_a_file_that_has_none(scene: Scene) -> None:
    """A replaced file keeps its own; a new one takes the folder's, as any new file does."""
    file = scene.folder / "a.txt"
    file.write_bytes(b"old")
    file.chmod(0o640)
    subprocess.run(["setfacl", "-d", "-m", "u:77:rwx", str(scene.folder)], check=True)
    scene.replaced("a.txt", b"new")
    assert os.listxattr(file) == []
    scene.write(scene.placed("new.txt", None, b"x"))
    assert "system.posix_acl_access" in os.listxattr(scene.folder / "new.txt")


def default_list(user: int, group: int, mask: int | None, others: int) -> bytes:
    """A folder's default access list, with one more user where there is a mask."""
    unnamed = 2**32 - 1
    entries = [(1, 7, unnamed), (4, group, unnamed), (32, others, unnamed)]
    if mask is not None:
        entries += [(2, user, 77), (16, mask, unnamed)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in sorted(entries))


BITS = st.integers(0, 7)
LISTS = st.builds(default_list, BITS, BITS, st.none() | BITS, BITS)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(access_list=LISTS, umask=st.sampled_from([0o002, 0o022, 0o077]))
def test_new_entries_have_what_the_kernel_gives_in_a_folder_with_a_default_list(
    scene: Scene, access_list: bytes, umask: int
) -> None:
    above = scene.folder / uuid4().hex
    above.mkdir()
    os.setxattr(above, "system.posix_acl_default", access_list)
    before = os.umask(umask)
    try:
        (above / "touched").touch()
        (above / "folder").mkdir()
    finally:
        os.umask(before)
    bits = allowed_bits(scene.root, f"{above.name}/made/a.txt", umask)
    scene.write(
        DiskChange(f"{above.name}/made", None, FileImage(None, 0, bits)),
        scene.placed(f"{above.name}/a.txt", None, b"a", 0o666 & bits),
        scene.placed(f"{above.name}/made/a.txt", None, b"a", 0o666 & bits),
    )

    def rights(path: Path) -> tuple[int, dict[str, bytes]]:
        return path.stat().st_mode, {name: os.getxattr(path, name) for name in os.listxattr(path)}

    assert rights(above / "a.txt") == rights(above / "made/a.txt") == rights(above / "touched")
    assert rights(above / "made") == rights(above / "folder")


def test_without_a_default_list_the_umask_says_what_a_new_entry_may_have(scene: Scene) -> None:
    assert allowed_bits(scene.root, "a.txt", 0o027) == 0o750
    assert allowed_bits(scene.root, "missing/deep/a.txt", 0o077) == 0o700
    (scene.folder / "file").write_bytes(b"")
    assert allowed_bits(scene.root, "file/a.txt", 0o022) == 0o755


def test_an_umask_takes_nothing_away(scene: Scene) -> None:
    (scene.folder / "a.txt").write_bytes(b"old")
    (scene.folder / "a.txt").chmod(0o664)
    folder = DiskChange("made", None, FileImage(None, 0, 0o755))
    before = os.umask(0o777)
    try:
        scene.write(
            folder,
            scene.placed("a.txt", b"old", b"new", 0o664),
            scene.placed("made/b.txt", None, b"b", 0o755),
        )
    finally:
        os.umask(before)
    modes = {
        name: stat.S_IMODE((scene.folder / name).stat().st_mode) for name in ("a.txt", "made", "made/b.txt")
    }
    assert modes == {"a.txt": 0o664, "made": 0o755, "made/b.txt": 0o755}


def test_a_sparse_file_an_empty_one_and_a_large_one(scene: Scene) -> None:
    sparse = scene.folder / "sparse"
    with sparse.open("wb") as stream:
        stream.truncate(4 << 20)
    (scene.folder / "empty").write_bytes(b"")
    (scene.folder / "large").write_bytes(b"old")
    large = os.urandom(10 << 20)
    scene.write(
        scene.placed("sparse", bytes(4 << 20), b"dense"),
        scene.placed("empty", b"", b"filled"),
        scene.placed("large", b"old", large),
        scene.placed("created empty", None, b""),
    )
    found = {
        name: (scene.folder / name).read_bytes() for name in ("sparse", "empty", "large", "created empty")
    }
    assert found == {"sparse": b"dense", "empty": b"filled", "large": large, "created empty": b""}
    scene.write(scene.placed("empty", b"filled", b""))
    assert (scene.folder / "empty").read_bytes() == b""


def test_the_other_name_of_a_hard_linked_file_keeps_the_old_bytes(scene: Scene) -> None:
    """T: the fact is told before; what is outside the plan is not touched."""
    (scene.folder / "a.txt").write_bytes(b"old")
    os.link(scene.folder / "a.txt", scene.folder / "twin.txt")
    scene.replaced("a.txt", b"new")
    assert (scene.folder / "twin.txt").read_bytes() == b"old"


def test_names_of_255_bytes(scene: Scene) -> None:
    """Our own file's name does not grow with the target's."""
    names = ["n" * 255, "\u00fc" * 127 + "x"]
    for name in names:
        (scene.folder / name).write_bytes(b"old")
    scene.write(*(scene.placed(name, b"old", b"new") for name in names), scene.placed("c" * 255, None, b"c"))
    assert [(scene.folder / name).read_bytes() for name in names] == [b"new"] * 2
    batch = scene.batch(scene.placed("a.txt", None, b"x"), scene.placed("x" * 256, None, b"x"))
    batch.prepare()
    with pytest.raises(PathTooLong, match="too long") as caught:
        batch.commit()
    assert caught.value.hint
    ended = batch.abort()
    assert (ended.left, ended.foreign_paths) == ((), ())
    assert not (scene.folder / "a.txt").exists()


@pytest.mark.parametrize("lacks", ["exchange", "rename_new", "links", "everything", "syncfs", "openat2"])
def test_every_fallback_writes_the_same(lacks: str, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less exclusive, and it says so; never other bytes, modes or leftovers."""
    if lacks in ("exchange", "links", "everything"):
        monkeypatch.setattr(syscalls, "exchange", unsupported)
    if lacks in ("rename_new", "everything"):
        monkeypatch.setattr(syscalls, "rename_new", unsupported)
    if lacks == "links":
        monkeypatch.setattr(os, "link", no_links)
    if lacks == "syncfs":
        monkeypatch.setattr(syscalls, "flush_file_system", unsupported)
    if lacks == "openat2":
        monkeypatch.setattr(syscalls, "open_beneath", unsupported)
    for number in range(12):
        (scene.folder / f"{number}.txt").write_bytes(b"old %d" % number)
        (scene.folder / f"{number}.txt").chmod(0o640)
    disk_changes = [scene.placed(f"{number}.txt", b"old %d" % number, b"new", 0o640) for number in range(10)]
    exclusive = scene.write(
        *disk_changes,
        scene.placed("10.txt", b"old 10", None, 0o640),
        scene.placed("new.txt", None, b"created"),
    )
    assert exclusive["0.txt"] is (lacks in ("rename_new", "syncfs", "openat2"))
    found = {path.name: path.read_bytes() for path in scene.folder.iterdir()}
    assert found == {f"{number}.txt": b"new" for number in range(10)} | {
        "11.txt": b"old 11",
        "new.txt": b"created",
    }
    assert {stat.S_IMODE((scene.folder / f"{number}.txt").stat().st_mode) for number in range(10)} == {0o640}


@pytest.mark.parametrize("exchanges", [True, False])
def test_an_abort_gives_everything_back(
    exchanges: bool, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After preparing, and after committing; twice does no harm."""
    if not exchanges:
        monkeypatch.setattr(syscalls, "exchange", unsupported)
    (scene.folder / "a.txt").write_bytes(b"old")
    (scene.folder / "b.txt").write_bytes(b"going")
    disk_changes = (
        DiskChange("made", None, FileImage(None, 0, 0o755)),
        scene.placed("a.txt", b"old", b"new"),
        scene.placed("b.txt", b"going", None),
        scene.placed("made/c.txt", None, b"created"),
    )
    for is_committed in (False, True):
        batch = scene.batch(*disk_changes)
        batch.prepare()
        assert (scene.folder / "a.txt").read_bytes() == b"old"
        if is_committed:
            batch.commit()
            assert sorted(scene.folder.rglob("c.txt")) and not (scene.folder / "b.txt").exists()
        for _ in range(2):
            ended = batch.abort()
            assert (ended.left, ended.foreign_paths) == ((), ())
        found = {path.name: path.read_bytes() for path in scene.folder.rglob("*")}
        assert found == {"a.txt": b"old", "b.txt": b"going"}


def test_what_changed_while_it_was_prepared_stays(scene: Scene) -> None:
    """The exchange is checked by what came out; the newer bytes and the other files are as they were."""
    for name in ("a.txt", "b.txt", "c.txt"):
        (scene.folder / name).write_bytes(b"old")
    batch = scene.batch(*(scene.placed(name, b"old", b"new") for name in ("a.txt", "b.txt", "c.txt")))
    batch.prepare()
    (scene.folder / "b.txt").write_bytes(b"newer")
    with pytest.raises(TargetChanged, match=r"b\.txt"):
        batch.commit()
    assert batch.abort().left == ("b.txt",)
    found = {path.name: path.read_bytes() for path in scene.folder.iterdir()}
    assert found == {"a.txt": b"old", "b.txt": b"newer", "c.txt": b"old"}


def test_a_create_replaces_nothing(scene: Scene) -> None:
    batch = scene.batch(scene.placed("a.txt", None, b"mine"))
    batch.prepare()
    (scene.folder / "a.txt").write_bytes(b"theirs")
    with pytest.raises(TargetChanged):
        batch.commit()
    batch.abort()
    assert {path.name: path.read_bytes() for path in scene.folder.iterdir()} == {"a.txt": b"theirs"}


def test_a_folder_that_was_moved_away_meanwhile_is_noticed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handle of a folder goes with it: what was done there was not done at the path."""
    (scene.folder / "sub").mkdir()
    (scene.folder / "sub/a.txt").write_bytes(b"old")
    batch = scene.batch(scene.placed("sub/a.txt", b"old", b"new"))
    batch.prepare()
    exchange = syscalls.exchange

    def moved(folder: int, one: bytes, other: bytes) -> None:
        (scene.folder / "sub").rename(scene.folder / "moved")
        exchange(folder, one, other)

    monkeypatch.setattr(syscalls, "exchange", moved)
    with pytest.raises(FileError, match="does not exist"):
        batch.commit()
    monkeypatch.undo()
    (scene.folder / "moved").rename(scene.folder / "sub")
    assert batch.abort().left == ()
    assert {path.name: path.read_bytes() for path in (scene.folder / "sub").iterdir()} == {"a.txt": b"old"}


def test_bytes_that_read_back_otherwise_are_never_put_in_place(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verify fails, the prepared files go."""
    (scene.folder / "a.txt").write_bytes(b"old")
    write = os.write
    batch = scene.batch(scene.placed("a.txt", b"old", b"new"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, data: write(handle, bytes(len(data))))
        with pytest.raises(DiskFailed, match=r"a\.txt"):
            batch.prepare()
    assert scene.own_files() == []
    batch.abort()
    assert (scene.folder / "a.txt").read_bytes() == b"old"


def test_what_is_written_wrongly_once_is_written_anew(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    (scene.folder / "a.txt").write_bytes(b"old")
    write = os.write
    wrong = [b"bad"]
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, wrong.pop() if wrong else data))
    scene.replaced("a.txt", b"new")
    assert wrong == []


def test_one_broken_file_does_not_keep_the_others_from_going_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.txt", "b.txt"):
        (scene.folder / name).write_bytes(b"old")
    batch = scene.batch(*(scene.placed(name, b"old", b"new") for name in ("a.txt", "b.txt")))
    batch.prepare()
    batch.commit()
    exchange = syscalls.exchange

    def broken(folder: int, one: bytes, other: bytes) -> None:
        if b"b.txt" in (one, other):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        exchange(folder, one, other)

    with monkeypatch.context() as patch:
        patch.setattr(syscalls, "exchange", broken)
        with pytest.raises(NotPutBack, match=r"b\.txt"):
            batch.abort()
    assert (scene.folder / "a.txt").read_bytes() == b"old"
    assert batch.abort().left == ()
    assert (scene.folder / "b.txt").read_bytes() == b"old"


def test_a_displaced_file_that_somebody_still_wrote_into_is_kept(scene: Scene) -> None:
    """An open handle goes on writing into the old file; that is somebody's work."""
    (scene.folder / "a.txt").write_bytes(b"old")
    with (scene.folder / "a.txt").open("ab") as stream:
        batch = scene.batch(scene.placed("a.txt", b"old", b"new"))
        batch.prepare()
        batch.commit()
        stream.write(b" and more")
        stream.flush()
        (kept,) = batch.finish()
    scene.left = [kept]
    assert (scene.folder / kept).read_bytes() == b"old and more"
    assert (scene.folder / "a.txt").read_bytes() == b"new"


@pytest.mark.parametrize("before", [b"old", None])
def test_a_folder_that_is_away_for_a_moment_keeps_no_result(
    before: bytes | None, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program moves it away and back while a failed apply is put back."""
    folder, aside = scene.folder / "sub", scene.folder / "aside"
    folder.mkdir()
    if before is not None:
        (folder / "a.txt").write_bytes(before)
    batch = scene.batch(scene.placed("sub/a.txt", before, b"new"))
    batch.prepare()
    batch.commit()
    looks: list[str] = []
    really = HeldFolders.folder

    def in_motion(held: HeldFolders, path: str) -> AbstractContextManager[int]:
        looks.append(path)
        if len(looks) == 3:
            aside.rename(folder)
        return really(held, path)

    monkeypatch.setattr(HeldFolders, "folder", in_motion)
    folder.rename(aside)
    assert batch.abort() == Aborted((), ())
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == (
        {} if before is None else {"a.txt": before}
    )


def test_thousands_of_files_with_a_handful_of_handles(scene: Scene) -> None:
    """1,200 files in 40 folders, by somebody who may open 20 files more than were open before."""
    count, folders = 1_200, 40
    names = [f"d{number % folders}/{number}.txt" for number in range(count)]
    for number in range(folders):
        (scene.folder / f"d{number}").mkdir()
    for name in names:
        (scene.folder / name).write_bytes(b"old")
    done = in_child(
        lambda: scene.write(*(scene.placed(name, b"old", name.encode()) for name in names)), handles=20
    )
    assert done == dict.fromkeys(names, True)
    assert all((scene.folder / name).read_bytes() == name.encode() for name in names)


@as_root
@pytest.mark.parametrize("groups", [[], [1234]])
def test_who_may_not_give_files_away_keeps_what_can_be_kept(scene: Scene, groups: list[int]) -> None:
    """The group is kept where one is in it; mode and attributes in any case."""
    scene.folder.chmod(0o777)
    file = scene.folder / "a.txt"
    file.write_bytes(b"old")
    os.setxattr(file, "user.note", b"kept")
    os.chown(file, 4321, 1234)
    file.chmod(0o664)
    placed = scene.placed("a.txt", b"old", b"new", 0o664)
    assert in_child(lambda: scene.write(placed), user=NOBODY, groups=groups) == {"a.txt": True}
    status = file.stat()
    assert (file.read_bytes(), stat.S_IMODE(status.st_mode)) == (b"new", 0o664)
    assert status.st_uid == NOBODY
    assert status.st_gid == (1234 if groups else NOBODY)
    assert os.getxattr(file, "user.note") == b"kept"


def in_child(
    call: Callable[[], Any], *, user: int = 0, groups: list[int] | None = None, handles: int = 0
) -> Any:
    """What a call returns in a forked child, as another user or with few handles besides those open now."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if handles:
                import resource

                allowed = len(list(Path("/proc/self/fd").iterdir())) + handles
                resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
            if user:
                os.setgroups(groups or [])
                os.setgid(user)
                os.setuid(user)
            answer = json.dumps(call()).encode()
            with os.fdopen(write, "wb") as stream:
                stream.write(answer)
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        answer = stream.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return json.loads(answer)


@pytest.mark.parametrize(("files", "folders"), [(3, 2), (60, 4)])
def test_flushes_are_counted(files: int, folders: int, scene: Scene, tmp_path: Path) -> None:
    """Speed of issue "writing": at most folders + min(files, 8) + 5 flushes, whatever their number."""
    for number in range(folders):
        (scene.folder / f"d{number}").mkdir()
    for number in range(files):
        (scene.folder / f"d{number % folders}/{number}.txt").write_bytes(b"old")
    source = f"""
from pathlib import Path
from tests.engine.disk.test_disk import Scene
scene = Scene(Path({str(scene.folder)!r}))
scene.write(*(scene.placed(f"d{{n % {folders}}}/{{n}}.txt", b"old", b"new") for n in range({files})))
"""
    trace = tmp_path / "trace"
    flushing = "trace=fsync,fdatasync,syncfs,sync,sync_file_range,msync"
    command = ["strace", "-f", "-o", str(trace), "-e", flushing, sys.executable, "-c", source]
    subprocess.run(command, cwd=ROOT, check=True)
    calls = re.findall(r"(\w+)\(", trace.read_text())
    print(f"{files} files in {folders} folders: {len(calls)} flushes")
    assert folders < len(calls) <= folders + min(files, 8) + 5
    assert ("syncfs" in calls) == (files > 8)
