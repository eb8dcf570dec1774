"""Any tree of files, links and bits becomes any other by one plan of the app's own, and comes back."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, assume, given, settings, strategies as st

from studio.workspace import Reviewer, Workspace
from tests.faults.bench import Tree, lay_tree, tree
from tests.tools.restoring import plan_to
from tests.tools.rights import IS_ROOT

NAMES = st.sampled_from(["a", "b", "link", "x", "x/a", "x/b", "x/y", "x/y/a", "x/y/z", "x/y/z/a"])
# What lies in a closed folder is changed by root alone.
FOLDER_BITS = st.sampled_from([0o755, 0o700, 0o1777, 0o2775, *([0o555, 0o2555] if IS_ROOT else [])])
CONTENTS = st.one_of(
    st.tuples(
        st.just("file"),
        st.sampled_from([0o644, 0o600, 0o755, 0o4711, 0o2640, 0o1604]),
        st.sampled_from([b"", b"a", b"text\n", b"x/a", b"a\0b"]),
    ),
    st.sampled_from(["a", "x/a", "..", "/", "gone", "x", "link", "text\n"]).map(
        lambda target: ("link", 0o777, os.fsencode(target))
    ),
)


def whole(entries: dict[str, tuple[str, int, bytes]], bits: list[int]) -> Tree:
    """The tree of these entries, with the folders that they lie in: the same name is a file in one tree, a
    link or a folder in another."""
    above = {"/".join(name.split("/")[:count]) for name in entries for count in range(1, name.count("/") + 1)}
    folders = {name: ("folder", bits[name.count("/")], b"") for name in above}
    return dict(sorted({**entries, **folders}.items()))


TREES = st.builds(whole, st.dictionaries(NAMES, CONTENTS), st.lists(FOLDER_BITS, min_size=3, max_size=3))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(before=TREES, after=TREES)
def test_any_tree_becomes_any_other_and_comes_back(
    before: Tree, after: Tree, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """Kinds, bytes, targets and bits of everything."""
    assume(before != after)
    lay_tree(project, before)
    plan = reviewer.apply(plan_to(workspace, after))
    assert tree(project) == after
    back = reviewer.rollback(plan.id)
    assert tree(project) == before
    reviewer.rollback(back.id)
    assert tree(project) == after
