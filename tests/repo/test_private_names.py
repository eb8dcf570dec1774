"""Tests look at what a person, a door or a caller sees: none reaches for a private name of the program.

What is private may be written anew, and a test that holds on to it fails for no reason anybody has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NOT_OURS = {
    "atexit._run_exitfuncs": "ends a forked child as its interpreter would, but for what takes long",
    "os._exit": "ends a forked child without what the test has to do at its end",
    "sys._current_frames": "shows where a thread waits",
    "threading._DummyThread": "tells Qt's threads from Python's",
    "vars(resource_tracker)['_resource_tracker']._stop": "multiprocessing keeps a process for good",
}
"""Private names of Python itself, each with its reason; no other way is known."""

ALLOWED = {
    "tests/tools/inside.py: workspace._context": "tests look at the store, which no door may hold",
    "tests/bench/perf/diff_view.py: canvas._document": "measures when the colours are there",
    "tests/bench/perf/panels.py: desk.queue._apply_state": "measures the desk without the reading before",
}

_PRIVATE = re.compile(
    r"(?<!\bself)(?<!\bcls)\._[a-zA-Z]|[\"']_[a-zA-Z]"
    r"|^from studio[\w.]* import (?:\([^)]*\b_|[^\n]*\b_)",
    re.MULTILINE,
)
"""What a source that names a private attribute, or hands one to setattr, holds in any case."""
_SETTING = ("setattr", "getattr", "delattr", "hasattr", "once")


def private_names(source: str) -> Iterator[str]:
    """Attributes, imported names, and names handed to setattr and its like, that begin with one underscore;
    those of `self` and `cls`, and methods that the module makes itself, are its own."""
    if not _PRIVATE.search(source):
        return
    tree = ast.parse(source)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "studio":
            yield from (f"{node.module}.{each.name}" for each in node.names if _is_private(each.name))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _SETTING:
            yield from (
                each.value
                for each in node.args
                if isinstance(each, ast.Constant)
                and isinstance(each.value, str)
                and _is_private(each.value.rpartition(".")[2])
                and each.value.replace(".", "").isidentifier()
            )


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_no_test_reaches_for_a_private_name() -> None:
    found = {
        f"{file.relative_to(ROOT).as_posix()}: {name}"
        for file in sorted((ROOT / "tests").rglob("*.py"))
        for name in private_names(file.read_text(encoding="utf-8"))
        if name not in NOT_OURS
    }
    assert found - set(ALLOWED) == set()
    assert set(ALLOWED) - found == set(), "allowed, but not needed any more"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("desk._reviewer.apply", ["desk._reviewer"]),
        ("self._mine = desk.__dict__", []),
        ("from studio.ui.review.reasons import _CHECKS, reasons_of", ["studio.ui.review.reasons._CHECKS"]),
        ("patch.setattr(rows, '_PART', 1)", ["_PART"]),
        ("patch.setattr('studio.engine.disk.batch._AGAIN', 1)", ["studio.engine.disk.batch._AGAIN"]),
        ("patch.setattr(os, 'open', None); print('_')", []),
        ("class Bench:\n    def _end(self): ...\nBench()._end()", []),
    ],
)
def test_private_names_are_found(source: str, names: list[str]) -> None:
    assert list(private_names(source)) == names
