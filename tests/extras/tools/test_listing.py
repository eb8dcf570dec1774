"""What a listing holds, in which order, and where it ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.engine.filesystem import HostFilesystem
from studio.errors import FileError, UsageError
from studio.extras.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext


def paths(tool: FileSystemTool, folder: str = ".", pattern: str = "*", **how: int | bool) -> list[str]:
    options = {"recursive": bool(how.get("recursive")), "include_hidden": bool(how.get("include_hidden"))}
    found = tool.list(folder, pattern, **options, max_depth=int(how.get("max_depth", 0)))
    return [item.path for item in found.items]


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def limited(folder: Path, at_most: int) -> FileSystemTool:
    policy = FileSystemSecurityPolicy(max_files_per_operation=at_most)
    return FileSystemTool(ToolContext.over(HostFilesystem(folder, read_only=True), policy))


def test_folders_come_first_then_files_each_by_name(own: FileSystemTool, own_folder: Path) -> None:
    make(own_folder, "b.txt", "a.txt", "z/in.txt", "c/in.txt")
    found = own.list(".")
    assert [item.name for item in found.items] == ["c", "z", "a.txt", "b.txt"]
    assert (found.total_files, found.total_directories, found.total_size_bytes) == (2, 2, 10)
    assert [(item.type, item.extension) for item in found.items][1:3] == [
        ("directory", None),
        ("file", ".txt"),
    ]
    assert found.items[2].modified.tzinfo is not None and not found.truncated
    assert paths(own, recursive=True) == ["c", "z", "a.txt", "b.txt", "c/in.txt", "z/in.txt"]
    assert [item.path for item in own.tree(".").items] == ["c", "c/in.txt", "z", "z/in.txt", "a.txt", "b.txt"]


def test_depth_counts_levels_and_0_is_all(own: FileSystemTool, own_folder: Path) -> None:
    """It means nothing without `recursive`."""
    make(own_folder, "1.txt", "a/2.txt", "a/b/3.txt")
    assert paths(own, recursive=True, max_depth=1) == ["a", "1.txt"]
    assert paths(own, recursive=True, max_depth=2) == ["a", "a/b", "1.txt", "a/2.txt"]
    assert len(paths(own, recursive=True)) == len(paths(own, recursive=True, max_depth=9)) == 5
    assert paths(own, max_depth=2) == ["a", "1.txt"]
    with pytest.raises(UsageError):
        own.list(".", max_depth=-1)


def test_a_pattern_is_one_of_names_at_any_depth(own: FileSystemTool, own_folder: Path) -> None:
    make(own_folder, "a.cs", "src/b.cs", "src/deep/c.cs", "src/d.txt", "x.cs/e.txt")
    assert paths(own, pattern="*.cs", recursive=True) == ["x.cs", "a.cs", "src/b.cs", "src/deep/c.cs"]
    assert paths(own, pattern="*.cs") == ["x.cs", "a.cs"]
    assert paths(own, "src", "deep/*.cs", recursive=True) == ["src/deep/c.cs"]
    assert paths(own, pattern="*.{txt,md}", recursive=True) == ["src/d.txt", "x.cs/e.txt"]
    with pytest.raises(ValueError, match="pattern"):
        own.list(".", "{a")


def test_what_is_hidden_is_neither_listed_nor_counted(own: FileSystemTool, own_folder: Path) -> None:
    make(own_folder, "a.txt", ".b.txt", ".github/c.yml")
    assert paths(own, recursive=True) == ["a.txt"]
    found = own.list(".", recursive=True, include_hidden=True)
    assert [(item.path, item.is_hidden) for item in found.items] == [
        *((".github", True), (".b.txt", True), ("a.txt", False))
    ]


def test_a_denied_folder_is_listed_and_not_entered(own: FileSystemTool, own_folder: Path) -> None:
    """And a denied file is told of with the rule, but not listed."""
    make(own_folder, "bin/a.txt", "node_modules/b.txt", "src/bin/c.txt", "src/d.txt", "server.pem")
    found = own.list(".", recursive=True)
    assert [item.path for item in found.items] == ["bin", "node_modules", "src", "src/bin", "src/d.txt"]
    assert [(one.path, "key" in one.reason) for one in found.unseen] == [("server.pem", True)]


def test_the_limit_cuts_only_what_is_more(own_folder: Path) -> None:
    """Not where there are exactly as many; folders don't use up what files of their level may have."""
    make(own_folder, "a/1.txt", "a/2.txt", "b/3.txt", "4.txt")
    exact = limited(own_folder, 6).list(".", recursive=True)
    assert (len(exact.items), exact.truncated) == (6, False)
    cut = limited(own_folder, 5).list(".", recursive=True)
    assert cut.truncated and [item.path for item in cut.items] == ["a", "b", "4.txt", "a/1.txt", "a/2.txt"]
    assert (cut.total_files, cut.total_directories) == (3, 2)
    hidden = own_folder / ".hidden"
    hidden.write_text("x")
    assert not limited(own_folder, 6).list(".", recursive=True).truncated, "what is hidden takes no place"


def test_what_is_no_file_or_folder_is_told_with_the_reason(own: FileSystemTool, own_folder: Path) -> None:
    """A link to a folder is no folder."""
    make(own_folder, "a/b.txt")
    (own_folder / "link").symlink_to("a")
    os.mkfifo(own_folder / "pipe")
    (own_folder / os.fsdecode(b"\xff")).write_text("x")
    found = own.list(".", recursive=True)
    assert [item.path for item in found.items] == ["a", "a/b.txt"]
    reasons = sorted(one.reason for one in found.unseen)
    assert "is a link" in reasons[1] and "is a pipe" in reasons[2] and "not UTF-8" in reasons[0]


def test_a_folder_that_goes_meanwhile_is_left_out(
    own: FileSystemTool, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(own_folder, "a/b.txt", "c/d.txt")
    scan = HostFilesystem.scan

    def losing(files: HostFilesystem, path: str = ".") -> object:
        found = scan(files, path)
        if path == ".":
            (own_folder / "a/b.txt").unlink()
            (own_folder / "a").rmdir()
        return found

    monkeypatch.setattr("studio.engine.filesystem.base.BackedFilesystem.scan", losing)
    assert paths(own, recursive=True) == ["a", "c", "c/d.txt"]
    with pytest.raises(FileError):
        own.list("a")
