"""Diffs as libraries for Python write them: `python libraries.py LIBRARY [WAY] [NAME…]`, in the changed tree.

It runs where those libraries are, and imports nothing of this project.
"""

from __future__ import annotations

import difflib
import importlib
import sys
from pathlib import Path

OLD = Path("../before")


def by_pygit2(way: str) -> None:
    import pygit2

    repository = pygit2.Repository(".")
    flags = pygit2.enums.DiffOption.SHOW_BINARY if way == "binary" else pygit2.enums.DiffOption.NORMAL
    diff = repository.index.diff_to_tree(repository.head.peel().tree, flags)
    # The tree is the old side of the index.
    diff = repository.diff("HEAD", cached=True, flags=flags)
    if way == "binary":
        diff.find_similar()
    if diff.patch:
        sys.stdout.buffer.write(b"".join(patch.data for patch in diff if patch is not None))


def by_dulwich(way: str) -> None:
    porcelain = importlib.import_module("dulwich.porcelain")
    if way == "staged":
        porcelain.diff(".", staged=True, outstream=sys.stdout.buffer)
        return
    repository = porcelain.Repo(".")
    before = repository[repository.head()].tree
    after = repository.open_index().commit(repository.object_store)
    porcelain.diff_tree(".", before, after, outstream=sys.stdout.buffer)


def by_difflib(way: str, *names: str) -> None:
    for name in names:
        old, new = (_text(folder / name) for folder in (OLD, Path()))
        if old == new:
            continue
        sides = ((OLD, "a/"), (Path(), "b/"))
        old_mark, new_mark = (
            f"{mark}{name}" if (folder / name).is_file() else "/dev/null" for folder, mark in sides
        )
        make = difflib.context_diff if way == "context" else difflib.unified_diff
        _write(
            "".join(make(old.splitlines(keepends=True), new.splitlines(keepends=True), old_mark, new_mark))
        )


def by_unidiff() -> None:
    from unidiff import PatchSet

    _write(str(PatchSet(sys.stdin.buffer.read().decode("latin-1"))), "latin-1")


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape") if file.is_file() else ""


def _write(text: str, encoding: str = "utf-8") -> None:
    sys.stdout.buffer.write(text.encode(encoding, "surrogateescape"))


if __name__ == "__main__":
    globals()[f"by_{sys.argv[1]}"](*sys.argv[2:])
