"""The folders of a large plan, the filter and the kinds of steps, without a window."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from studio.engine.plan import Operation, Plan, Step
from studio.ui.look.words import CommonFolders
from studio.ui.plan.tools import Kind, endings_of, marks_of
from studio.ui.queue.arrangement import is_listed, unknown_mark
from studio.ui.queue.folders import Entry, entries_of, total_of
from tests.ui.panels import conftest as panels

_NAMES = st.text("ab.", min_size=1, max_size=2)
_PATHS = st.lists(_NAMES, min_size=1, max_size=5).map("/".join)


def step(number: int, path: str, added: int = 1, removed: int = 0, op: Operation = Operation.MODIFY) -> Step:
    return panels.step(number, path, op=op, added=added, removed=removed)


def plan_of(*paths: str) -> Plan:
    steps = tuple(step(number, path) for number, path in enumerate(paths, 1))
    return replace(panels.retry_plan(), steps=steps)


@given(st.lists(_PATHS, min_size=1, max_size=30, unique=True), st.data())
def test_every_step_is_once_in_the_tree_below_its_folders(paths: list[str], data: st.DataObject) -> None:
    """Whichever folders are closed: in a row, or in the closed folder that hides it."""
    steps = plan_of(*paths).steps
    every = entries_of(steps, range(len(paths)), (), is_tree=True)
    folders = [entry.key for entry in every if entry.is_folder]
    closed = data.draw(st.sets(st.sampled_from(folders))) if folders else set[str]()
    rows = entries_of(steps, range(len(paths)), closed, is_tree=True)
    above: list[Entry] = []
    shown: list[int] = []
    for row in rows:
        del above[row.depth :]
        assert all(folder.is_open and set(row.steps) <= set(folder.steps) for folder in above)
        if row.is_folder:
            assert all(steps[at].target.startswith(row.key) for at in row.steps)
            assert total_of(steps[at] for at in row.steps).added == len(row.steps)
            assert row.is_open is (row.key not in closed)
            above.append(row)
        if not row.is_folder or not row.is_open:
            shown += row.steps
    assert sorted(shown) == list(range(len(paths)))
    assert len({row.key for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        ("", True),
        ("LOCALE po", True),
        ("locale c", True),
        ("*.po", True),
        ("*.PO", True),
        ("*/de/*", True),
        ("*.c", False),
        ("locale/*.po", False),
        ("is:modify is:only-added", True),
        ("is:only-removed", False),
        ("is:undecided is:unviewed", True),
        ("is:approved", False),
        ("is:", False),
        ("is:odd", False),
        ("fact:bidi", False),
    ],
)
def test_a_filter_lists_by_words_patterns_and_marks(words: str, listed: bool) -> None:
    assert is_listed(step(1, "src/locale/de/LC/app.po"), words, viewed=False) is listed


def test_a_mark_that_is_not_known_is_named() -> None:
    assert unknown_mark("a is:delete is:odd is:worse") == "is:odd"
    assert unknown_mark("a is:delete") == ""


def test_kinds_are_endings_of_two_and_more_and_what_steps_do() -> None:
    steps = [step(1, "a.po"), step(2, "b/b.PO"), step(3, "c.c", removed=1), step(4, "d", op=Operation.DELETE)]
    assert endings_of(steps) == (Kind("*.po", 2, "only-added"),)
    assert all(is_listed(each, "*.po", viewed=False) is (each.number < 3) for each in steps)
    kinds = {kind.words: kind.steps for kind in marks_of(steps, lambda each: each.number == 1)}
    assert kinds == {"is:modify": 3, "is:delete": 1, "is:unviewed": 3}


def test_an_ending_that_would_be_a_pattern_is_no_kind() -> None:
    assert endings_of([step(1, "a.[x]"), step(2, "b.[x]"), step(3, "a.b c"), step(4, "b.b c")]) == ()


def test_of_a_folder_what_files_of_one_name_do_not_share_stays() -> None:
    common = CommonFolders(
        [f"django/conf/locale/{each}/LC/django.po" for each in ("af", "de")] + ["django/apps/registry.py"]
    )
    assert common.shortened("django/conf/locale/af/LC/django.po") == "…/af/…"
    assert common.shortened("django/apps/registry.py") == "…/apps"
    assert common.shortened("other/place.txt") == "other"
    assert CommonFolders(["a/b.c", "a/d.c"]).shortened("a/b.c") == "a"


@given(st.lists(_PATHS, min_size=1, max_size=20, unique=True))
def test_shortened_folders_of_one_name_stay_apart(paths: list[str]) -> None:
    common = CommonFolders(paths)
    shown = {(path.rpartition("/")[2], common.shortened(path)) for path in paths}
    assert len(shown) == len(paths)
