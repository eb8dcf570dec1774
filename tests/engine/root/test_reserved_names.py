"""Which names that Windows reserves a project has already."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studio.engine.root import ProjectRoot, ReservedNames
from studio.errors import InvalidPath

NAMES = [
    "aux.c",
    "nul",
    "2026-01-01T10:00:00.json",
    "Foo::Bar.3pm",
    "C:x",
    "dev-disk-by\\x2duuid.mount",
    "\\\\x",
    "end.",
    "end ",
    "...",
    "con/a.txt",
    "a:b/aux/nul.txt",
]


def write(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("one\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_reserved_name_is_found_only_where_it_is(tmp_path: Path, name: str) -> None:
    root = ProjectRoot(tmp_path)
    with pytest.raises(InvalidPath):
        ReservedNames(root).check(name)
    write(tmp_path, name)
    assert ReservedNames(root).check(name)
    root.close()


def test_other_names_are_none_of_these(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    root = ProjectRoot(tmp_path)
    reserved = ReservedNames(root)
    assert not reserved.check("a.txt") and not reserved.has("a.txt") and not reserved.has("missing.txt")
    for path in ("../a.txt", "a\nb", "./a.txt", "a//b", "/aux", ""):
        with pytest.raises(InvalidPath):
            reserved.check(path)
    root.close()


def test_a_backslash_is_no_slash_and_case_counts(tmp_path: Path) -> None:
    write(tmp_path, "src/a.py")
    write(tmp_path, "Aux.c")
    root = ProjectRoot(tmp_path)
    reserved = ReservedNames(root)
    assert not reserved.has("src\\a.py") and not reserved.has("aux.c") and reserved.has("Aux.c")
    root.close()


def test_links_and_pipes_are_not_what_is_meant(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    (tmp_path / "nul").symlink_to("a.txt")
    (tmp_path / "con").symlink_to(".")
    os.mkfifo(tmp_path / "prn")
    root = ProjectRoot(tmp_path)
    reserved = ReservedNames(root)
    assert not any(reserved.has(path) for path in ("nul", "prn", "con", "con/a.txt"))
    root.close()


def test_a_volume_that_folds_case_has_the_rules_of_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "deep/aux.c")
    root = ProjectRoot(tmp_path)
    monkeypatch.setattr(ProjectRoot, "folds_case_in", lambda _root, folder: folder == "deep")
    assert not ReservedNames(root).has("deep/aux.c")
    root.close()


def test_a_layer_that_deleted_the_file_has_it_no_more(tmp_path: Path) -> None:
    write(tmp_path, "aux.c")
    root = ProjectRoot(tmp_path)
    assert ReservedNames(root, root.state).has("aux.c")
    assert not ReservedNames(root, lambda _path: None).has("aux.c")
    root.close()
