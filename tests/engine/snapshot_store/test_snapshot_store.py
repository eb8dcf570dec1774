"""Whole states of a folder: everything is kept, and what changed is found."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.root import ProjectRoot, hash_cache
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import Capture, Manifest, ObjectFolder, StoredTree
from studio.engine.snapshot_store.git_names import git_path, path_of
from studio.engine.snapshot_store.manifest import manifest_of
from studio.engine.snapshot_store.walk import Choice
from studio.errors import NotFound, SnapshotError
from studio.names import is_git_alias
from tests.engine.snapshot_store.folders import FolderState, disturb, standing


@pytest.fixture
def objects(tmp_path: Path) -> Iterator[ObjectFolder]:
    with ObjectFolder(tmp_path / "snapshots.git") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def captured(
    folder: Path, objects: ObjectFolder, known: HashCache | None = None, choice: Choice | None = None
) -> StoredTree:
    with ProjectRoot(folder) as root:
        capture = Capture(root, objects, HashCache() if known is None else known, choice=choice)
        capture.scan()
        return StoredTree(objects, capture.store().tree)


def stored(tree: StoredTree) -> FolderState:
    return {
        entry.path: (entry.mode, b"" if entry.is_folder else tree.content(entry)) for entry in tree.entries()
    }


@settings(max_examples=15)
@given(seed=st.integers())
def test_all_of_a_random_folder_is_kept_and_what_changes_is_found(seed: int) -> None:
    """The second look knows what the first one saw, and finds the same as one that knows nothing."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place, ObjectFolder(Path(place, "snapshots.git")) as objects:
        folder = Path(place, "project")
        folder.mkdir()
        known = HashCache()
        disturb(folder, chance, 25)
        before = standing(folder)
        first = captured(folder, objects, known)
        assert stored(first) == before
        disturb(folder, chance, 10)
        after = standing(folder)
        second = captured(folder, objects, known)
        assert stored(second) == after
        assert stored(captured(folder, objects)) == after
        changes = list(first.differences(second))
        assert {change.path for change in changes} == {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        for change in changes:
            for entry, there in ((change.before, before), (change.after, after)):
                assert (entry and entry.mode) == there.get(change.path, (None,))[0]
                assert entry == (first if there is before else second).entry(change.path)
        assert stored(first) == before


class Chosen:
    """Leaves out folders of these names, and of no folder says so before it was asked for."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self.asked: list[tuple[str, ...]] = []

    def ask_for(self, folders: Collection[str]) -> None:
        self.asked.append(tuple(folders))

    def is_left_out(self, path: str) -> bool:
        if not path.endswith("/"):
            return False
        assert any(path[:-1] in folders for folders in self.asked)
        return path[:-1].rpartition("/")[2] in self._names


@settings(max_examples=15)
@given(seed=st.integers())
def test_what_is_left_out_is_found_whatever_it_was_before(seed: int) -> None:
    """The walk goes by what was left out the last time, and ends with what is left out now."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place, ObjectFolder(Path(place, "snapshots.git")) as objects:
        folder = Path(place, "project")
        folder.mkdir()
        known = HashCache()
        for _ in range(4):
            disturb(folder, chance, 15)
            folders = sorted({path.name for path in folder.rglob("*") if path.is_dir()})
            names = chance.sample(folders, len(folders) // 2)
            knowing, anew = Chosen(names), Chosen(names)
            one = captured(folder, objects, known, knowing)
            other = captured(folder, objects, HashCache(), anew)
            assert stored(one) == stored(other)
            assert one.manifest.left_out == other.manifest.left_out
            deepest = max((path.count("/") for path in stored(one)), default=0)
            assert len(knowing.asked) <= len(anew.asked) + 1 <= deepest + 4


def test_nothing_is_read_again_that_did_not_change(
    folder: Path, objects: ObjectFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by a look at everything nor by one at the paths that changed, which finds the same."""
    monkeypatch.setattr(hash_cache, "YOUNG_NS", -(1 << 62))  # as if all had been written long ago
    disturb(folder, random.Random(7), 60)
    known = HashCache()
    captured(folder, objects, known)
    with ProjectRoot(folder) as root:
        capture = Capture(root, objects, known)
        capture.scan()
        assert capture.bytes_to_read == 0
        (folder / "new").mkdir()
        (folder / "new/one").write_bytes(b"12345")
        (folder / "new/two").write_bytes(b"1234567")
        changed = next(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        changed.write_bytes(b"")
        gone = next(path for path in folder.rglob("*") if path.is_symlink())
        gone.unlink()
        hints = ["new/one", *(path.relative_to(folder).as_posix() for path in (changed, gone))]
        capture.scan_paths(hints)
        assert capture.bytes_to_read == len(b"123451234567")
        hinted = capture.store()
        capture.scan()
        assert capture.bytes_to_read == 0
        assert capture.store() == hinted
    assert stored(StoredTree(objects, hinted.tree)) == standing(folder)


def test_files_are_known_in_the_order_in_which_they_are_found(
    folder: Path, objects: ObjectFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then a folder in which nothing changed is compared in one go; whatever came and went before."""
    monkeypatch.setattr(hash_cache, "YOUNG_NS", -(1 << 62))
    known, chance = HashCache(), random.Random(11)
    for _ in range(3):
        for number in chance.sample(range(200), 60):
            file = folder / f"{number}.txt"
            if file.exists():
                file.unlink()
            else:
                file.write_bytes(b"x" * number)
        for _ in range(2):
            captured(folder, objects, known)
        assert list(known.folder("").records) == [file.name for file in folder.iterdir()]


def test_a_hint_is_not_taken_for_the_whole(folder: Path, objects: ObjectFolder) -> None:
    """Where nothing is known, and after a look that was cancelled, all is looked at."""

    class Cancelled(Exception):
        pass

    def cancel(_done: int, _total: int) -> None:
        raise Cancelled

    disturb(folder, random.Random(3), 40)
    known = HashCache()
    with ProjectRoot(folder) as root:
        for _ in range(2):
            capture = Capture(root, objects, known)
            capture.scan_paths(["a"])
            with pytest.raises(Cancelled):
                capture.store(cancel)
        capture = Capture(root, objects, known)
        capture.scan_paths(["a"])
        assert stored(StoredTree(objects, capture.store().tree)) == standing(folder)


def test_a_repository_within_is_kept_without_its_git_data(folder: Path, objects: ObjectFolder) -> None:
    """With or without commits, and whether `.git` is a folder or a file that leads to one."""
    for name in ("", "one/", "two/"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "a").write_bytes(b"a")
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_bytes(b"ref: refs/heads/main")
    (folder / "one/.git").mkdir()
    (folder / "one/.git/HEAD").write_bytes(b"ref: refs/heads/main")
    (folder / "two/.git").write_bytes(b"gitdir: ../elsewhere")
    tree = captured(folder, objects)
    assert {entry.path for entry in tree.entries()} == {"a", "one", "one/a", "two", "two/a"}
    assert set(tree.manifest.left_out) == {"one/.git", "two/.git"}


def test_what_is_no_file_is_left_out_and_said(folder: Path, objects: ObjectFolder) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "a").write_bytes(b"a")
    tree = captured(folder, objects)
    assert stored(tree).keys() == {"a"} and set(tree.manifest.left_out) == {"pipe"}
    (folder / "pipe").unlink()
    assert captured(folder, objects).manifest.left_out == {}


def test_what_the_user_configures_for_git_is_not_read(
    folder: Path, tmp_path: Path, private_folders: Path
) -> None:
    """A pipe in its place would be waited for without end; filters and line ends would change bytes."""
    (private_folders / "config/git").mkdir()
    os.mkfifo(private_folders / "config/git/config")
    os.mkfifo(private_folders / "home/.gitconfig")
    (folder / ".gitattributes").write_bytes(b"* text=auto eol=crlf filter=run\n")
    (folder / "a").write_bytes(b"one\ntwo\r\n")
    with ObjectFolder(tmp_path / "objects") as objects:
        assert stored(captured(folder, objects)) == standing(folder)


def test_names_lead_to_states_and_what_no_name_leads_to_goes(folder: Path, objects: ObjectFolder) -> None:
    (folder / "shared").write_bytes(b"shared" * 999)
    (folder / "a").write_bytes(b"first")
    when = datetime(2026, 11, 23, tzinfo=UTC)
    before = captured(folder, objects)
    commits = []
    for number, tree in enumerate((before, before)):
        commits.append(objects.write_commit(tree.object_id, when, f"number {number}"))
        objects.publish(f"name-{number}", commits[-1])
    (folder / "a").write_bytes(b"second" * 500)
    after = captured(folder, objects)
    objects.publish("name-0", objects.write_commit(after.object_id, when, "other"))
    assert objects.names() == ("name-0", "name-1") and commits[0] != commits[1]
    assert objects.commit(objects.read_ref("name-1")) == (before.object_id, "number 1\n")
    assert objects.sweep() > 0, "the first commit of name-0"
    used = objects.used_bytes()
    objects.unpublish("name-0")
    freed = objects.sweep()
    assert 0 < freed == used - objects.used_bytes()
    assert stored(before)["a"][1] == b"first"
    with pytest.raises(SnapshotError, match="damaged"):
        stored(after)
    with pytest.raises(NotFound):
        objects.read_ref("name-0")
    with pytest.raises(NotFound):
        objects.read_ref("../../HEAD")


def test_a_tree_without_a_name_is_kept_for_who_needs_it(folder: Path, objects: ObjectFolder) -> None:
    (folder / "a").write_bytes(b"seen last")
    seen = captured(folder, objects)
    objects.sweep([seen.object_id.hex()])
    assert stored(seen)["a"][1] == b"seen last"
    assert not objects.is_half_swept
    objects.sweep()
    with pytest.raises(SnapshotError):
        stored(seen)


def test_a_sweep_that_was_ended_is_known_as_such(
    folder: Path, objects: ObjectFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a").write_bytes(b"a")
    captured(folder, objects)

    def end(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", end)
        with pytest.raises(KeyboardInterrupt):
            objects.sweep()
    assert objects.is_half_swept
    objects.sweep()
    assert not objects.is_half_swept


def test_another_process_or_a_later_one_reads_it(folder: Path, tmp_path: Path) -> None:
    (folder / "a").write_bytes(b"a")
    with ObjectFolder(tmp_path / "objects") as objects:
        tree = captured(folder, objects)
        objects.publish("name", objects.write_commit(tree.object_id, datetime.now(UTC), "x"))
    with ObjectFolder(tmp_path / "objects") as objects:
        again = StoredTree(objects, objects.commit(objects.read_ref("name"))[0])
        assert stored(again) == standing(folder)


def test_objects_that_are_gone_are_written_again(folder: Path, tmp_path: Path) -> None:
    """What is known of the files is no reason to leave out what is not kept any more."""
    (folder / "a").write_bytes(b"a")
    known = HashCache()
    with ObjectFolder(tmp_path / "one") as objects:
        captured(folder, objects, known)
    with ObjectFolder(tmp_path / "two") as objects:
        assert stored(captured(folder, objects, known)) == standing(folder)


@given(
    st.binary(min_size=1, max_size=9)
    | st.sampled_from([b".git", b".GIT", b"git~1", b"%", b"%2e", b"\xc3\xbc"])
)
def test_every_name_comes_back(name: bytes) -> None:
    text = os.fsdecode(name.replace(b"/", b"|").replace(b"\0", b"|"))
    kept = git_path(text)
    assert path_of(kept) == text
    assert kept.encode() and not is_git_alias(kept)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"files": -1},
        {"modes": {"a": "x"}},
        {"modes": []},
        {"empty_folders": 3},
        {"more": 1},
        {"left_out": None},
    ],
)
def test_a_strange_manifest_is_refused(change: dict[str, object]) -> None:
    good = Manifest(1, 2, modes={"\udcff": 0o600}, empty_folders=(".GIT",), left_out={"x": "why"})
    assert manifest_of(good.to_bytes()) == good
    with pytest.raises(SnapshotError):
        manifest_of(json.dumps(json.loads(good.to_bytes()) | change).encode())
    for cut in (b"", b"[]", b"{", good.to_bytes()[:-3]):
        with pytest.raises(SnapshotError):
            manifest_of(cut)


@pytest.mark.parametrize("hints", [None, ["file", "folder/file"]])
def test_a_file_that_became_a_pipe_is_known_no_more(
    hints: list[str] | None, folder: Path, objects: ObjectFolder
) -> None:
    """By a look at everything, and by one at the paths that changed."""
    known = HashCache()
    (folder / "folder").mkdir()
    for name in ("file", "folder/file", "folder/other"):
        (folder / name).write_bytes(b"1\n")
    captured(folder, objects, known)
    for name in ("file", "folder/file"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
    with ProjectRoot(folder) as root:
        capture = Capture(root, objects, known)
        if hints is None:
            capture.scan()
        else:
            capture.scan_paths(hints)
        kept = capture.store()
    assert stored(StoredTree(objects, kept.tree)).keys() == {"folder", "folder/other"}
    assert kept.manifest.left_out.keys() == {"file", "folder/file"}


@pytest.mark.parametrize("length", [256 * 1024 - 1, 256 * 1024, 3_000_000])
def test_a_large_object_is_the_one_that_git_would_write(tmp_path: Path, length: int) -> None:
    data = b"some text\n" * (length // 10) + b"x" * (length % 10)
    (tmp_path / "file").write_bytes(data)
    with ObjectFolder(tmp_path / "objects") as objects:
        written = objects.write_blob(data)
        assert objects.write_blob(data) == written
        assert objects.blob(written) == data
    git = ("git", "--git-dir", str(tmp_path / "objects"))
    hashed = subprocess.run([*git, "hash-object", str(tmp_path / "file")], capture_output=True, check=True)
    assert hashed.stdout.decode().strip() == written.hex()
    kept = subprocess.run([*git, "cat-file", "blob", written.hex()], capture_output=True, check=True)
    assert kept.stdout == data
    subprocess.run([*git, "fsck", "--full"], capture_output=True, check=True)


def _cut(packed: bytes) -> bytes:
    return packed[:-1000]


def _another(_packed: bytes) -> bytes:
    return zlib.compress(b"blob 300000\0" + b"another text" * 25_000)


def _longer(packed: bytes) -> bytes:
    return zlib.compress(zlib.decompress(packed) + b"more")


def _no_packing(_packed: bytes) -> bytes:
    return b"no packing " * 10_000


@pytest.mark.parametrize("damage", [_cut, _another, _longer, _no_packing])
def test_a_large_object_that_is_damaged_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """It is read without libgit2, which would hold up every thread."""
    data = random.Random(1).randbytes(300_000)
    with ObjectFolder(tmp_path / "objects") as objects:
        written = objects.write_blob(data)
        file = tmp_path / "objects/objects" / written.hex()[:2] / written.hex()[2:]
        file.chmod(0o644)
        packed = file.read_bytes()
        file.write_bytes(damage(packed))
        with pytest.raises(SnapshotError, match="damaged"):
            objects.blob(written)
        file.write_bytes(packed)
        assert objects.blob(written) == data
        with pytest.raises(SnapshotError, match="damaged"):
            list(objects.tree(written))


def test_what_a_killed_process_left_half_written_is_swept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a").write_bytes(b"a")
    with ObjectFolder(tmp_path / "objects") as objects:
        kept = captured(folder, objects)
        used = objects.used_bytes()
        with monkeypatch.context() as patch:
            # No cleaning up after a kill.
            patch.setattr(Path, "replace", lambda *_: sys.exit(9))
            with pytest.raises(SystemExit):
                objects.write_blob(random.Random(1).randbytes(300_000))
        assert objects.used_bytes() > used + 300_000, "what it takes is counted"
        assert objects.sweep([kept.object_id.hex()]) > 300_000
        assert objects.used_bytes() == used
        assert stored(kept) == standing(folder)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_tree_that_is_gone_leaves_nothing_in_whatever_order_it_is_hinted_at(
    folder: Path, objects: ObjectFolder, is_reversed: bool
) -> None:
    (folder / "a/b/c/d").mkdir(parents=True)
    known = HashCache()
    captured(folder, objects, known)
    for path in ("a/b/c/d", "a/b/c", "a/b"):
        (folder / path).rmdir()
    with ProjectRoot(folder) as root:
        capture = Capture(root, objects, known)
        hints = ["a/b", "a/b/c", "a/b/c/d", "a/b/c/d/gone"]
        capture.scan_paths(hints[::-1] if is_reversed else hints)
        assert set(stored(StoredTree(objects, capture.store().tree))) == {"a"}
