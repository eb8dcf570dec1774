"""PosixFS, WindowsFS and MockFS with their settings and daemons: one story on each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import pytest

from studio import branch as embedding
from studio.branch.leaf_daemon import LeafDaemon
from studio.engine import LeafSettings, branch
from studio.engine.branch import (
    CreateMode,
    DaemonStatus,
    Entry,
    FileContent,
    FileDelete,
    FileDeleted,
    FileFault,
    FileList,
    FileListing,
    FileRead,
    FileWrite,
    FileWritten,
    Leaf,
    MemoryJournal,
    MockFS,
    MockFSConfig,
    MockFSDaemon,
    PosixFS,
    PosixFSConfig,
    PosixFSDaemon,
    WindowsFS,
    WindowsFSConfig,
    WindowsFSDaemon,
)
from studio.engine.filesystem import InMemoryFilesystem
from studio.errors import FaultKind

ROOT = PureWindowsPath("C:\\Projects\\Sandbox")
SECONDS = 10


@pytest.fixture
def journal() -> MemoryJournal[Entry]:
    return MemoryJournal()


@pytest.fixture(params=["posix", "windows", "mock"])
def daemon(
    request: pytest.FixtureRequest, tmp_path: Path, journal: MemoryJournal[Entry]
) -> Iterator[LeafDaemon]:
    (tmp_path / "root").mkdir()
    made: dict[str, LeafDaemon] = {
        "posix": PosixFSDaemon(PosixFSConfig(root_path=str(tmp_path / "root")), lambda: journal),
        "windows": WindowsFSDaemon(
            WindowsFSConfig(root_path=str(ROOT)), lambda: InMemoryFilesystem(windows=True), lambda: journal
        ),
        "mock": MockFSDaemon(MockFSConfig(), lambda: journal),
    }
    chosen = made[request.param]
    chosen.start()
    yield chosen
    chosen.shut_down()
    assert chosen.status is DaemonStatus.COMPLETED


def answered(journal: MemoryJournal[Entry], entry: Entry) -> Entry:
    position = journal.write(entry)
    found = journal.wait_for(
        lambda reply: reply.correlation_id == entry.correlation_id, after=position, timeout=SECONDS
    )
    return found.entry


def test_one_story_on_every_leaf(daemon: LeafDaemon, journal: MemoryJournal[Entry]) -> None:
    data = bytes(range(256)) * 20
    write = FileWrite("1", "src/a.bin", data, CreateMode.CREATE_NEW)
    assert answered(journal, write) == FileWritten("1", "src/a.bin", len(data))
    assert answered(journal, FileRead("2", "/src/a.bin")) == FileContent(
        "2", data, len(data), is_partial=False
    )
    again = answered(journal, FileWrite("3", "src/a.bin", b"", CreateMode.CREATE_NEW))
    assert isinstance(again, FileFault) and again.fault_kind is FaultKind.ALREADY_EXISTS
    assert answered(journal, FileDelete("4", "src", recursive=True)) == FileDeleted("4", "src", 2)
    gone = answered(journal, FileRead("5", "src/a.bin"))
    assert isinstance(gone, FileFault) and gone.fault_kind is FaultKind.NOT_FOUND


def fault(leaf: Leaf, entry: FileRead | FileWrite) -> FaultKind | None:
    (reply,) = leaf.execute(entry)
    return reply.fault_kind if isinstance(reply, FileFault) else None


class TestPosix:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        folder = tmp_path / "root"
        (folder / "real").mkdir(parents=True)
        (folder / "real" / "a.txt").write_text("inside")
        (tmp_path / "outside.txt").write_text("secret")
        for name, target in {
            "to_file": "real/a.txt",
            "to_folder": "real",
            "absolute": str(folder / "real" / "a.txt"),
            "out": "../outside.txt",
            "out_absolute": str(tmp_path / "outside.txt"),
            "loop": "loop",
        }.items():
            (folder / name).symlink_to(target)
        return folder

    def test_links_are_not_followed_by_default(self, root: Path, journal: MemoryJournal[Entry]) -> None:
        leaf = PosixFS.over(PosixFSConfig(root_path=root), journal)
        for number, path in enumerate(("to_file", "to_folder/a.txt", "out", "loop")):
            assert fault(leaf, FileRead(str(number), path)) is FaultKind.ACCESS_DENIED, path
        leaf.close()

    def test_inner_links_are_followed_for_reading_when_that_is_switched_on(
        self, root: Path, journal: MemoryJournal[Entry]
    ) -> None:
        """Reading alone, and never out of the root."""
        leaf = PosixFS.over(PosixFSConfig(root_path=root, follow_symlinks=True), journal)
        for number, path in enumerate(("to_file", "to_folder/a.txt", "absolute")):
            (reply,) = leaf.execute(FileRead(str(number), path))
            assert isinstance(reply, FileContent) and reply.content == b"inside", path
        for number, path in enumerate(("out", "out_absolute", "loop"), start=10):
            assert fault(leaf, FileRead(str(number), path)) is FaultKind.ACCESS_DENIED, path
        write = FileWrite("w", "to_folder/a.txt", b"x", CreateMode.REPLACE_EXISTING)
        assert fault(leaf, write) is FaultKind.ACCESS_DENIED
        assert (root / "real" / "a.txt").read_text() == "inside"
        leaf.close()

    @pytest.mark.parametrize("name", ["aux.c", "10:00:00.json", "a\\b", "end."])
    def test_a_name_of_windows_is_taken_where_a_file_has_it(
        self, root: Path, journal: MemoryJournal[Entry], name: str
    ) -> None:
        leaf = PosixFS.over(PosixFSConfig(root_path=root), journal)
        assert fault(leaf, FileWrite("1", name, b"x", CreateMode.CREATE_NEW)) is FaultKind.INVALID_PATH
        assert fault(leaf, FileRead("2", name)) is FaultKind.INVALID_PATH
        (root / name).write_text("one")
        assert fault(leaf, FileWrite("3", f"/{name}", b"two", CreateMode.REPLACE_EXISTING)) is None
        (reply,) = leaf.execute(FileRead("4", name))
        assert isinstance(reply, FileContent) and reply.content == b"two"
        assert list(leaf.execute(FileDelete("5", name))) == [FileDeleted("5", name, 1)]
        assert not (root / name).exists()
        leaf.close()

    def test_a_replaced_file_keeps_its_mode(self, root: Path, journal: MemoryJournal[Entry]) -> None:
        (root / "real" / "a.txt").chmod(0o640)
        leaf = PosixFS.over(PosixFSConfig(root_path=root), journal)
        assert fault(leaf, FileWrite("w", "real/a.txt", b"new", CreateMode.REPLACE_EXISTING)) is None
        assert (root / "real" / "a.txt").read_bytes() == b"new"
        assert (root / "real" / "a.txt").stat().st_mode & 0o777 == 0o640
        leaf.close()

    def test_its_root_is_absolute(self) -> None:
        with pytest.raises(ValueError, match="absolute"):
            PosixFSConfig(root_path=Path("here"))


class TestWindows:
    def test_long_paths_need_the_setting(self, journal: MemoryJournal[Entry]) -> None:
        path = "/".join(["folder" * 10] * 5)
        for use_long_paths, expected in ((True, FaultKind.NOT_FOUND), (False, FaultKind.PATH_TOO_LONG)):
            config = WindowsFSConfig(root_path=ROOT, use_long_paths=use_long_paths)
            leaf = WindowsFS(config, InMemoryFilesystem(windows=True), journal)
            assert fault(leaf, FileRead("r", path)) is expected

    def test_devices_are_refused(self, journal: MemoryJournal[Entry]) -> None:
        leaf = WindowsFS(WindowsFSConfig(root_path=ROOT), InMemoryFilesystem(windows=True), journal)
        for number, name in enumerate(("CON", "aux.txt", "COM9", "lpt1.log", "a/nul", "what?")):
            assert fault(leaf, FileRead(str(number), name)) is FaultKind.INVALID_PATH, name

    @pytest.mark.parametrize("pattern", ["*.TXT", "READ*", "[R]ead?e.txt", "read\u017fe.txt"])
    def test_patterns_know_no_case(self, journal: MemoryJournal[Entry], pattern: str) -> None:
        files = InMemoryFilesystem(windows=True)
        files.write("docs/ReadSe.txt", "x")
        files.write("docs/other.md", "x")
        leaf = WindowsFS(WindowsFSConfig(root_path=ROOT), files, journal)
        (reply,) = leaf.execute(FileList("l", "docs", pattern))
        assert isinstance(reply, FileListing)
        assert [entry.name for entry in reply.entries] == ["ReadSe.txt"]

    @pytest.mark.parametrize(
        "pattern", ["DOCS/**/*.TXT", "/docs/[D]EEP/read?e.txt", "docs/deep/read\u017fe.txt"]
    )
    def test_globs_over_paths_know_no_case(self, journal: MemoryJournal[Entry], pattern: str) -> None:
        files = InMemoryFilesystem(windows=True)
        files.write("docs/Deep/ReadSe.txt", "x")
        files.write("other/Deep/ReadSe.txt", "x")
        leaf = WindowsFS(WindowsFSConfig(root_path=ROOT), files, journal)
        (reply,) = leaf.execute(FileList("l", "/", pattern))
        assert isinstance(reply, FileListing)
        assert [entry.path for entry in reply.entries] == ["docs/Deep/ReadSe.txt"]

    def test_its_root_has_a_drive(self) -> None:
        with pytest.raises(ValueError, match="absolute"):
            WindowsFSConfig(root_path=PureWindowsPath("Projects"))


def test_what_a_mock_left_can_be_looked_at(journal: MemoryJournal[Entry]) -> None:
    leaf = MockFS(MockFSConfig(), journal)
    assert fault(leaf, FileWrite("w", "a.txt", b"x", CreateMode.CREATE_NEW)) is None
    assert leaf.filesystem.read_bytes("a.txt").content == b"x"


def test_the_branch_has_the_names_of_the_contract() -> None:
    assert all(getattr(branch, name) is not None for name in embedding.__all__)
    assert not hasattr(branch, "Nothing")


@pytest.mark.parametrize("config", [PosixFSConfig, WindowsFSConfig, MockFSConfig])
def test_no_leaf_has_a_setting_for_permissions(config: type[LeafSettings]) -> None:
    """No entry copies a file, and what is replaced keeps its mode anyway: it would say nothing."""
    assert not [name for name in config.__struct_fields__ if "permission" in name]


def test_what_a_leaf_replaces_keeps_its_permissions(tmp_path: Path, journal: MemoryJournal[Entry]) -> None:
    """On a disk, however it is written."""
    script = tmp_path / "run.sh"
    for number, mode in enumerate((CreateMode.REPLACE_EXISTING, CreateMode.APPEND_EXISTING)):
        script.write_text("old\n")
        script.chmod(0o750)
        leaf = PosixFS.over(PosixFSConfig(root_path=tmp_path), journal)
        assert fault(leaf, FileWrite(f"w{number}", "run.sh", b"new\n", mode)) is None
        leaf.close()
        assert script.stat().st_mode & 0o7777 == 0o750
