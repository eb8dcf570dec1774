"""The backend in memory, also with the rules of Windows, which can so be tested anywhere."""

from __future__ import annotations

import pytest

from studio.engine.filesystem import InMemoryFilesystem, PathLimits
from studio.errors import InvalidPath


def test_case_matters() -> None:
    files = InMemoryFilesystem()
    files.write("a", "small")
    files.write("A", "large")
    assert [(match.path, files.read(match.path).content) for match in files.glob("**")] == [
        ("A", "large"),
        ("a", "small"),
    ]


def test_case_is_ignored_and_kept_on_windows() -> None:
    files = InMemoryFilesystem(windows=True)
    files.write("Src/Read Me.TXT", "one\n")
    files.write("SRC/read me.txt", "two\n", mode="append")
    assert files.read("src/READ ME.txt").content == "one\ntwo"
    assert [entry.name for entry in files.list("sRC")] == ["Read Me.TXT"]
    assert [match.path for match in files.glob("src/*.txt")] == ["Src/Read Me.TXT"]
    assert files.stat("SRC").is_directory
    with pytest.raises(FileExistsError):
        files.write("src/read me.TXT", "x", "create")
    with pytest.raises(FileExistsError):
        files.mkdir("src", exist_ok=False)
    files.delete("SRC", recursive=True)
    assert files.list() == ()


def test_another_spelling_is_a_move_on_windows() -> None:
    files = InMemoryFilesystem(windows=True)
    files.write("dir/name.txt", "x")
    files.move("dir/name.txt", "dir/Name.TXT")
    files.move("dir", "Dir")
    assert [match.path for match in files.glob("**")] == ["Dir/Name.TXT"]
    with pytest.raises(FileExistsError):
        files.copy("Dir/Name.TXT", "dir/NAME.txt", overwrite=True)
    with pytest.raises(ValueError, match="which is inside it"):
        files.move("Dir", "dir/inner")
    assert files.read("dir/name.txt").content == "x"


def test_spellings_that_unicode_takes_for_one_on_windows() -> None:
    files = InMemoryFilesystem(windows=True)
    files.write("caf\u00e9", "x")
    assert files.read("cafe\u0301").content == "x"


@pytest.mark.parametrize(
    "path", ["a.", "a ", "dir./a", "a?", "a*", "a|b", "<a>", 'a"b', "lpt1.txt", "x" * 256]
)
def test_what_windows_can_not_name(path: str) -> None:
    windows = InMemoryFilesystem(windows=True, limits=PathLimits(segment=300))
    for call in (lambda: windows.write(path, "x"), lambda: windows.exists(path), lambda: windows.mkdir(path)):
        with pytest.raises((InvalidPath, OSError)) as refused:
            call()
        assert refused.value.args
    assert windows.list() == ()


def test_states_tell_contents_apart() -> None:
    files = InMemoryFilesystem()
    files.write("a", "x")
    first = files.backing.node("a")
    files.write("a", "y")
    second = files.backing.node("a")
    files.write("a", "x")
    third = files.backing.node("a")
    assert first and second and third
    assert len({first.signature, second.signature, third.signature}) == 3


def test_copies_share_their_bytes() -> None:
    """Structural sharing."""
    import tracemalloc

    files = InMemoryFilesystem()
    files.write_bytes("a", bytes(4_000_000))
    tracemalloc.start()
    for number in range(20):
        files.copy("a", f"copy{number}")
        files.write_bytes(f"copy{number}", b"end", mode="append")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert files.read_bytes("copy19", 3_999_999).content == b"\0end"
