"""No two files, and no two folders, need each other: each can be read before what is built on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "studio"
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*\)|[\w., \t]+)|import[ \t]+[\w., \t]+)",
    re.MULTILINE,
)
Imports = Mapping[str, frozenset[str]]
OLDER_NAMES = {
    "studio.engine.actions": "studio.files",
    "studio.engine.branch": "studio.branch",
    "studio.engine.commands": "studio.extras",
    "studio.engine.sandbox": "studio.extras",
    "studio.engine.tools": "studio.extras",
    "studio.engine.workspace": "studio.workspace",
}
"""They hand on names that stand above them now; nothing of ours asks them for those."""


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports() -> Imports:
    """Module to the modules it imports, anywhere in it and for its types too.

    What a module takes from the face of a room it lies in is not counted: the face imports the whole room.
    """
    trees = {name_of(file): imports_of(file.read_text("utf-8")) for file in (ROOT / PACKAGE).rglob("*.py")}
    return {
        name: frozenset(
            found
            for asked in imported_names(tree)
            if (found := nearest(asked, trees))
            and found != name
            and not name.startswith(f"{found}.")
            and not found.startswith(OLDER_NAMES.get(name, "-"))
        )
        for name, tree in trees.items()
    }


def imports_of(source: str) -> ast.Module:
    """The import statements of a source; to parse all of it takes ten times as long."""
    return ast.parse("\n".join(statement.strip() for statement in IMPORT.findall(source)))


def imported_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def nearest(asked: str, known: Mapping[str, object]) -> str:
    """The module that a dotted name is, or lies in; "" for what is not ours."""
    while asked and asked not in known:
        asked = asked.rpartition(".")[0]
    return asked


def at_depth(files: Imports, depth: int) -> Imports:
    """The same between folders of that depth, each with all that lies below it."""
    found: dict[str, set[str]] = {}
    for name, taken in files.items():
        for other in taken:
            one, two = (".".join(each.split(".")[: depth + 1]) for each in (name, other))
            if one != two and not one.startswith(f"{two}.") and not two.startswith(f"{one}."):
                found.setdefault(one, set()).add(two)
    return {name: frozenset(others) for name, others in found.items()}


def circle(graph: Imports) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circle(imports()) == []


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_no_folders_import_each_other_in_a_circle(depth: int) -> None:
    assert circle(at_depth(imports(), depth)) == []


def test_a_circle_is_found() -> None:
    graph = {"a.b.c": frozenset({"a.d.e"}), "a.d.f": frozenset({"a.b.g"})}
    assert circle(graph) == []
    assert circle(at_depth(graph, 1)) != []
    assert any("studio.ui.review.desk" in taken for taken in imports().values())
