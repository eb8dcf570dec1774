"""The overlay: a layer over a base, what it comes to as steps, and a base that changes underneath."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.draft import DraftStep
from studio.engine.filesystem import HostFilesystem, InMemoryFilesystem, OverlayFilesystem
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.plan import Operation
from studio.errors import Conflict, StudioError
from studio.journal.file_image import sha256
from tests.engine.filesystem.backends import Tree, put

TREE: Tree = {
    "README": b"read me\n",
    "src/a.py": b"a = 1\n",
    "src/b.py": b"b = 1\r\nb = 2\r\n",
    "src/deep/c.py": b"c\n",
    "data/x.bin": b"\0\1\2",
    "data/y.bin": b"\0\3",
}


def over(tree: Tree) -> tuple[InMemoryFilesystem, OverlayFilesystem]:
    base = InMemoryFilesystem()
    put(base, tree)
    return base, OverlayFilesystem(base)


def told(steps: tuple[DraftStep, ...]) -> list[str]:
    return [f"{step.op.value} {step.path}" + (f" > {step.to}" if step.to else "") for step in steps]


def test_no_changes() -> None:
    """The overlay is a backend of its own."""
    _, files = over(TREE)
    assert files.changes() == ()
    files.read("README")
    files.grep("a")
    files.mkdir("src")
    assert files.changes() == () == files.base_changes()


def test_steps_of_every_kind() -> None:
    base, files = over(TREE)
    files.write("README", "changed\n")
    files.write("new/deep/file", "new\n")
    files.delete("src/b.py")
    files.move("data/x.bin", "moved.bin")
    files.copy("data/y.bin", "copied.bin")
    files.mkdir("empty/inner")
    steps = files.changes()
    assert told(steps) == [
        "modify README",
        "copy data/y.bin > copied.bin",
        "mkdir empty/inner",
        "move data/x.bin > moved.bin",
        "create new/deep/file",
        "delete src/b.py",
    ]
    by_target = {step.to or step.path: step for step in steps}
    for target, content in (
        ("README", b"read me\n"),
        ("copied.bin", b"\0\3"),
        ("moved.bin", b"\0\1\2"),
        ("src/b.py", b"b = 1\r\nb = 2\r\n"),
    ):
        assert by_target[target].base_sha256 == sha256(content)
    assert by_target["moved.bin"].exact is None
    assert by_target["new/deep/file"].exact == b"new\n"
    assert files.changes() == steps
    assert [entry.path for entry in base.list()] == ["README", "data", "src"]


def test_an_agent_reads_its_own_writes() -> None:
    _, files = over(TREE)
    files.write("src/a.py", "a = 2\n")
    assert files.read("src/a.py").content == "a = 2"
    assert [(m.path, m.line_content) for m in files.grep("a = ")] == [("src/a.py", "a = 2")]
    files.move("src", "lib")
    assert [match.path for match in files.glob("lib/**")] == ["lib/a.py", "lib/b.py", "lib/deep/c.py"]
    assert files.read("lib/a.py").content == "a = 2"
    assert not files.exists("src/a.py") and not files.exists("src")


def test_what_is_taken_back_is_no_step() -> None:
    _, files = over(TREE)
    files.write("README", "changed\n")
    files.write("README", "read me\n")
    files.write("new", "x")
    files.delete("new")
    files.move("src/a.py", "src/z.py")
    files.move("src/z.py", "src/a.py")
    files.move("data", "other")
    files.move("other", "data")
    files.delete("src/b.py")
    files.write_bytes("src/b.py", b"b = 1\r\nb = 2\r\n")
    files.mkdir("empty")
    files.delete("empty")
    assert files.changes() == ()


def test_a_move_stays_a_move_through_edits_and_further_moves() -> None:
    _, files = over(TREE)
    files.write("src/a.py", "a = 1\nmore\n")
    files.move("src/a.py", "src/one.py")
    files.move("src/one.py", "two.py")
    files.write("two.py", "a = 1\nmore still\n")
    files.move("data/x.bin", "x")
    files.move("x", "y")
    (text, binary) = files.changes()
    assert (text.op, text.path, text.to) == (Operation.MOVE, "src/a.py", "two.py")
    assert text.exact == b"a = 1\nmore still\n"
    assert (binary.op, binary.path, binary.to, binary.exact) == (Operation.MOVE, "data/x.bin", "y", None)


def test_a_folder_that_is_moved_is_moves_of_its_files() -> None:
    _, files = over(TREE)
    files.write("src/a.py", "a = 2\n")
    files.write("src/new.py", "n\n")
    files.delete("src/deep/c.py")
    files.move("src", "lib")
    assert told(files.changes()) == [
        "move src/a.py > lib/a.py",
        "move src/b.py > lib/b.py",
        "mkdir lib/deep",
        "create lib/new.py",
        "delete src",
    ]


def test_a_folder_that_is_deleted_is_one_step() -> None:
    _, files = over(TREE)
    files.delete("src", recursive=True)
    assert told(files.changes()) == ["delete src"]


def test_a_folder_made_anew_over_a_deleted_one() -> None:
    _, files = over(TREE)
    files.delete("src", recursive=True)
    files.write("src/a.py", "other\n")
    files.write("src/new.py", "n\n")
    assert told(files.changes()) == [
        "modify src/a.py",
        "delete src/b.py",
        "delete src/deep",
        "create src/new.py",
    ]


def test_a_folder_moved_over_the_place_of_another() -> None:
    _, files = over(TREE)
    files.delete("data", recursive=True)
    files.move("src", "data")
    assert told(files.changes()) == [
        "move src/a.py > data/a.py",
        "move src/b.py > data/b.py",
        "move src/deep/c.py > data/deep/c.py",
        "delete data/x.bin",
        "delete data/y.bin",
        "delete src",
    ]


def test_two_files_that_change_places() -> None:
    """Each path is written by one step, and every base is the old tree."""
    _, files = over({"a": b"one\n", "b": b"two\n"})
    files.move("a", "t")
    files.move("b", "a")
    files.move("t", "b")
    steps = files.changes()
    assert told(steps) == ["modify a", "modify b"]
    assert [step.base_sha256 for step in steps] == [sha256(b"one\n"), sha256(b"two\n")]


def test_a_place_that_is_used_again() -> None:
    _, files = over(TREE)
    files.move("data/x.bin", "x.bin")
    files.write("data/x.bin", "text now")
    assert told(files.changes()) == ["modify data/x.bin", "copy data/x.bin > x.bin"]


def test_a_move_over_a_file() -> None:
    _, files = over(TREE)
    files.move("src/a.py", "README", overwrite=True)
    steps = files.changes()
    assert told(steps) == ["modify README", "delete src/a.py"]


def test_a_file_and_a_folder_that_change_places_are_steps_of_both() -> None:
    """Who checks the steps makes of them what turns the one into the other."""
    _, files = over(TREE)
    files.delete("README")
    files.write("README/inner", "x")
    files.delete("src", recursive=True)
    files.write("src", "y")
    steps = files.changes()
    assert not any(step.problems for step in steps)
    assert told(steps)[:2] == ["delete README", "create README/inner"]
    assert {step.path: step.op for step in steps if step.path.startswith("src")} == {
        "src": Operation.CREATE,
        "src/a.py": Operation.DELETE,
        "src/b.py": Operation.DELETE,
        "src/deep": Operation.DELETE,
    }


def test_new_executables_and_bits_of_copies(tmp_path: Path) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    for name, mode in (("run", 0o755), ("plain", 0o644)):
        (folder / name).write_bytes(f"{name}\n".encode())
        (folder / name).chmod(mode)
    with HostFilesystem(folder, read_only=True) as base:
        files = OverlayFilesystem(base)
        files.copy("run", "again")
        files.write("again", "other\n")
        files.move("run", "plain", overwrite=True)
        steps = {step.path: step for step in files.changes()}
    assert (steps["again"].op, steps["again"].executable) == (Operation.CREATE, True)
    assert (steps["plain"].op, steps["plain"].executable) == (Operation.MODIFY, True)
    assert (folder / "plain").read_bytes() == b"plain\n"


@pytest.mark.parametrize(
    ("base", "result"),
    [
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\r\nb\r\n", b"a\nc\r\nd"),
        (b"\xef\xbb\xbfa\n", b"a\n"),
        (b"a\n", b"\xef\xbb\xbfa\n"),
        ("ä\n".encode("latin-1"), "ö\n".encode("latin-1")),
        (b"a", b"a\n"),
        (b"", b"a\n"),
        (b"a\n", b""),
        (b"a\n", b"\xff\xfea\0"),
        (b"\x89PNG\r\n\x1a\n\0", b"\x89PNG\r\n\x1a\n\1"),
    ],
)
def test_the_steps_give_the_exact_bytes(base: bytes, result: bytes) -> None:
    """No line end, mark or encoding is bent on the way to the plan, and binary files go too."""
    _, files = over({"f": base})
    files.write_bytes("f", result)
    (step,) = files.changes()
    assert (step.op, step.exact, step.problems) == (Operation.MODIFY, result, ())


# The base changes underneath.


def test_what_was_not_changed_is_read_as_it_is_now() -> None:
    base, files = over(TREE)
    assert files.read("README").content == "read me"
    base.write("README", "newer\n")
    base.write("src/fresh.py", "x")
    files.write("src/a.py", "a = 2\n")
    assert files.read("README").content == "newer"
    assert [entry.name for entry in files.list("src")] == ["a.py", "b.py", "deep", "fresh.py"]
    assert files.base_changes() == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda files: files.write("README", "mine\n"),
        lambda files: files.write("README", "mine\n", "append"),
        lambda files: files.delete("README"),
        lambda files: files.move("README", "other"),
        lambda files: files.copy("README", "other"),
    ],
)
def test_a_change_of_a_file_that_is_not_the_one_read(change: Callable[[BackedFilesystem], object]) -> None:
    base, files = over(TREE)
    files.read("README")
    base.write("README", "theirs\n")
    with pytest.raises(Conflict, match="README has changed") as refused:
        change(files)
    assert isinstance(refused.value, OSError) and refused.value.hint
    assert files.changes() == ()
    files.read("README")
    change(files)
    assert {step.base_sha256 for step in files.changes()} == {sha256(b"theirs\n")}
    assert base.read("README").content == "theirs"


def test_a_base_that_changes_after_the_change_is_told() -> None:
    base, files = over(TREE)
    files.write("README", "mine\n")
    files.write("new", "mine\n")
    files.delete("src/a.py")
    files.delete("data", recursive=True)
    files.move("src/b.py", "b.py")
    base.write("README", "theirs\n")
    base.write("new", "theirs\n")
    base.delete("src/a.py")
    base.delete("data", recursive=True)
    base.write("data", "a file")
    told_of = {change.path: change.reason for change in files.base_changes()}
    assert set(told_of) == {"README", "new", "src/a.py", "data"}
    assert all(reason.startswith(path) and reason.endswith(".") for path, reason in told_of.items())
    steps = {step.path: step for step in files.changes()}
    assert steps["README"].base_sha256 == sha256(b"read me\n")
    assert steps["new"].op is Operation.CREATE
    assert files.read("README").content == "mine"


def test_a_base_that_was_only_touched_is_not_told() -> None:
    base, files = over(TREE)
    files.write("README", "mine\n")
    base.write("README", "theirs\n")
    base.write("README", "read me\n")
    assert files.base_changes() == ()


def test_folders_that_vanish_from_the_base() -> None:
    base, files = over(TREE)
    files.write("src/a.py", "mine\n")
    base.delete("src", recursive=True)
    assert [match.path for match in files.glob("src/**")] == ["src/a.py"]
    assert files.read("src/a.py").content == "mine"
    with pytest.raises(FileNotFoundError):
        files.read("src/b.py")
    files.move("data", "moved")
    base.delete("data", recursive=True)
    base.write("data", "x")
    assert not files.exists("moved/x.bin")
    assert isinstance(files.changes(), tuple)


def test_forgetting_the_changes() -> None:
    base, files = over(TREE)
    files.write("README", "mine\n")
    files.delete("src", recursive=True)
    base.write("README", "theirs\n")
    files.forget_changes()
    assert files.changes() == () == files.base_changes()
    assert files.read("README").content == "theirs"
    assert files.exists("src/a.py")


def test_names_that_windows_takes_for_one() -> None:
    """The spelling in the base stays, whatever spelling is used."""
    base = InMemoryFilesystem(windows=True)
    put(base, {"Src/A.py": b"a\n", "b": b"b\n"})
    files = OverlayFilesystem(base)
    assert files.read("src/a.PY").content == "a"
    files.write("SRC/a.py", "new\n")
    files.write("B", "new\n")
    assert [entry.name for entry in files.list("src")] in (["A.py"], ["a.py"])
    files.delete("src/A.PY")
    assert files.list("Src") == ()
    assert [step.op.value for step in files.changes()] == ["modify", "delete"]


# What the steps say is what the overlay holds.

NAMES = st.sampled_from(["a", "b", "c", "d"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TEXTS = st.sampled_from([b"one\n", b"two\r\n", b"three", b"", b"\xc3\xa4\n", b"one\nfour\n"])
Call = Callable[[BackedFilesystem], object]
CALLS: st.SearchStrategy[Call] = st.one_of(
    st.builds(lambda p, d: lambda f: f.write_bytes(p, d), PATHS, TEXTS),
    st.builds(lambda p, d: lambda f: f.write_bytes(p, d, "append"), PATHS, TEXTS),
    st.builds(lambda p: lambda f: f.delete(p, True), PATHS),
    st.builds(lambda p: lambda f: f.mkdir(p), PATHS),
    st.builds(lambda p, q, o: lambda f: f.move(p, q, o), PATHS, PATHS, st.booleans()),
    st.builds(lambda p, q, o: lambda f: f.copy(p, q, o), PATHS, PATHS, st.booleans()),
)


def contents(files: BackedFilesystem) -> dict[str, bytes]:
    return {match.path: files.read_bytes(match.path).content for match in files.glob("**")}


def carried_out(before: dict[str, bytes], steps: tuple[DraftStep, ...]) -> dict[str, bytes]:
    """The tree after the steps, each of which speaks of the tree before all of them."""
    after = dict(before)
    for step in steps:
        if step.op in (Operation.DELETE, Operation.MOVE):
            for path in [path for path in after if f"{path}/".startswith(f"{step.path}/")]:
                del after[path]
    for step in steps:
        if step.op in (Operation.DELETE, Operation.MKDIR):
            continue
        base = before.get(step.path, b"")
        if step.op is not Operation.CREATE:
            assert step.base_sha256 in (None, sha256(base))
            assert step.path in before
        result = base
        if step.exact is not None:
            result = step.exact
        after[step.to or step.path] = result
    return after


@given(
    st.dictionaries(st.lists(NAMES, min_size=2, max_size=3).map("/".join), TEXTS, max_size=5),
    st.lists(CALLS, max_size=12),
)
def test_the_steps_lead_from_the_base_to_the_overlay(tree: dict[str, bytes], calls: list[Call]) -> None:
    base = InMemoryFilesystem()
    for path, data in tree.items():
        try:
            base.write_bytes(path, data)
        except StudioError:
            continue
    before = contents(base)
    files = OverlayFilesystem(base)
    for call in calls:
        try:
            call(files)
        except StudioError:
            continue
        steps = files.changes()
        written = [
            path
            for step in steps
            for path in ([step.path, step.to] if step.op is Operation.MOVE else [step.to or step.path])
        ]
        assert len(written) == len(set(written))
        if not any(step.problems for step in steps):
            assert carried_out(before, steps) == contents(files)
    assert contents(base) == before
    assert files.base_changes() == ()
