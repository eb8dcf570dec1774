"""Several operations on one path, and files in place of folders, against `git apply`."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.plan import Plan, StepState
from studio.formats import detect
from studio.workspace import Reviewer, Workspace
from tests.engine.conftest import PERSON

Propose = Callable[..., Plan]
Tree = Mapping[str, bytes]

TEXTS = [
    "".join(f"{word} number {number}\n" for number in range(40)).encode()
    for word in ("alpha", "beta", "gamma", "delta")
]
"""Longer than 400 bytes: shorter files are no rewrites for `git diff -B` (git 2.39.5, diffcore-break.c)."""
EDITED = [text.replace(b" 3\n", b" three\n") for text in TEXTS]
NAMES = ["a", "b", "c", "d/x", "d/y", "d", "a/x", "a/b/y", "e/f"]


def _has_one_kind(tree: Tree) -> bool:
    return not any(other.startswith(f"{path}/") for path in tree for other in tree)


TREES = st.dictionaries(
    st.sampled_from(NAMES), st.sampled_from(TEXTS + EDITED), min_size=1, max_size=5
).filter(_has_one_kind)


def _write(folder: Path, tree: Tree) -> None:
    for path, data in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def _read(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _diff(folder: Path, before: Tree, after: Tree, options: list[str]) -> bytes:
    """The diff between two trees, with git's renames and rewrites."""
    commits = [
        f"commit refs/heads/{name}\ncommitter T <t@example.org> 0 +0000\ndata 0\n".encode()
        + b"".join(b"M 644 inline %s\ndata %d\n%s\n" % (p.encode(), len(d), d) for p, d in tree.items())
        for name, tree in (("before", before), ("after", after))
    ]
    subprocess.run(("git", "init", "-q"), cwd=folder, check=True)
    subprocess.run(("git", "fast-import", "--quiet"), cwd=folder, input=b"".join(commits), check=True)
    made = ("git", "diff-tree", "-p", "--full-index", *options, "before", "after")
    return subprocess.run(made, cwd=folder, capture_output=True, check=True).stdout


def _sections(diff: bytes) -> list[bytes]:
    parts = diff.split(b"diff --git ")
    return [b"diff --git " + part for part in parts[1:]]


def _applied_by_git(folder: Path, before: Tree, diff: bytes) -> dict[str, bytes] | None:
    """The tree as `git apply` leaves it; None where it refuses the diff."""
    folder.mkdir()
    _write(folder, before)
    done = subprocess.run(
        ("git", "apply"),
        cwd=folder,
        input=diff,
        capture_output=True,
        check=False,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )
    return _read(folder) if done.returncode == 0 else None


def _applied_by_us(folder: Path, before: Tree, diff: bytes) -> dict[str, bytes] | None:
    """The tree as an approved plan leaves it, once it was rolled back to what it was; None if refused."""
    folder.mkdir()
    _write(folder, before)
    workspace = Workspace.open(folder)
    try:
        plan = workspace.proposer.propose(detect.read(diff))
        if any(step.state is StepState.INVALID for step in plan.steps) or not plan.steps:
            refused = {step.unit for step in plan.steps if step.state is StepState.INVALID}
            halves = {step.unit for step in plan.steps if step.state is not StepState.INVALID}
            assert not refused & halves - {None}, "half of a unit is left"
            return None
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
        after = _read(folder)
        reviewer.rollback(plan.id)
        assert _read(folder) == before
        return after
    finally:
        workspace.close()


@settings(max_examples=25)
@given(TREES, TREES, st.sampled_from([["-M"], ["-B", "-M"], ["-B", "-M", "-C"], []]))
def test_a_diff_of_git_leaves_the_tree_that_git_leaves(before: Tree, after: Tree, options: list[str]) -> None:
    if before == after:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "git").mkdir()
        diff = _diff(folder / "git", before, after, options)
        expected = _applied_by_git(folder / "theirs", before, diff)
        # git 2.39.5 refuses some of its own diffs of -B -M, whose source of a rename is left out.
        assert expected in (None, after)
        assert _applied_by_us(folder / "ours", before, diff) == expected


@settings(max_examples=25)
@given(
    TREES,
    TREES,
    st.sampled_from([["-M"], ["-B", "-M"], ["-B", "-M", "-C"]]),
    st.randoms(use_true_random=False),
)
def test_sections_in_another_order_are_read_as_git_does_or_refused(
    before: Tree, after: Tree, options: list[str], random: Random
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "git").mkdir()
        sections = _sections(_diff(folder / "git", before, after, options))
        random.shuffle(sections)
        diff = b"".join(sections)
        if not diff:
            return
        expected = _applied_by_git(folder / "theirs", before, diff)
        found = _applied_by_us(folder / "ours", before, diff)
        assert found is None or found == expected


FILES = {"old.py": b"def run():\n    return 1\n", "b.txt": b"two\n", "conf": b"debug = 1\n", "etc/x": b"x\n"}

STUB = b"""\
*** Begin Patch
*** Update File: old.py
*** Move to: new.py
*** Add File: old.py
+from new import run
*** End Patch
"""
CROSSED = b"""\
diff --git a/b.txt b/old.py
similarity index 100%
rename from b.txt
rename to old.py
diff --git a/old.py b/b.txt
similarity index 100%
rename from old.py
rename to b.txt
"""
"""As `git diff -B -M` prints two files that were swapped."""
INTO_FOLDER = b"""\
diff --git a/conf b/conf/base
similarity index 100%
rename from conf
rename to conf/base
diff --git a/conf/dev b/conf/dev
new file mode 100644
--- /dev/null
+++ b/conf/dev
@@ -0,0 +1 @@
+debug = 2
"""
OUT_OF_FOLDER = b"""\
diff --git a/etc b/etc
new file mode 100644
--- /dev/null
+++ b/etc
@@ -0,0 +1 @@
+all
diff --git a/etc/x b/etc/x
deleted file mode 100644
--- a/etc/x
+++ /dev/null
@@ -1 +0,0 @@
-x
"""
EDITED_THEN_RENAMED = b"""\
diff --git a/b.txt b/b.txt
--- a/b.txt
+++ b/b.txt
@@ -1 +1 @@
-two
+2
diff --git a/b.txt b/c.txt
similarity index 100%
rename from b.txt
rename to c.txt
"""


def plan(*steps: dict[str, Any]) -> bytes:
    return json.dumps({"title": "t", "steps": steps}).encode()


def move(path: str, to: str) -> dict[str, str]:
    return {"op": "move", "path": path, "to": to}


SWAP = plan(move("old.py", "tmp"), move("b.txt", "old.py"), move("tmp", "b.txt"))
RENAMED_AND_EDITED = plan(
    move("b.txt", "c.txt"), {"op": "modify", "path": "c.txt", "edits": [{"old": "two", "new": "2"}]}
)
REPLACED_FOLDER = plan({"op": "delete", "path": "etc"}, {"op": "create", "path": "etc", "content": "all\n"})


CHANGES: list[tuple[bytes, dict[str, bytes | None]]] = [
    (STUB, {"new.py": FILES["old.py"], "old.py": b"from new import run\n"}),
    (CROSSED, {"old.py": FILES["b.txt"], "b.txt": FILES["old.py"]}),
    (SWAP, {"old.py": FILES["b.txt"], "b.txt": FILES["old.py"]}),
    (
        plan(move("b.txt", "c.txt"), move("old.py", "b.txt")),
        {"c.txt": FILES["b.txt"], "b.txt": FILES["old.py"], "old.py": None},
    ),
    (RENAMED_AND_EDITED, {"c.txt": b"2\n", "b.txt": None}),
    (INTO_FOLDER, {"conf": None, "conf/base": FILES["conf"], "conf/dev": b"debug = 2\n"}),
    (OUT_OF_FOLDER, {"etc": b"all\n", "etc/x": None}),
    (REPLACED_FOLDER, {"etc": b"all\n", "etc/x": None}),
]
IDS = ["stub", "crossed", "swap", "rotate", "edited", "into-folder", "out-of-folder", "replaced-folder"]


@pytest.fixture
def files(project: Path) -> Path:
    _write(project, FILES)
    return project


@pytest.mark.parametrize(("text", "changes"), CHANGES, ids=IDS)
def test_a_change_of_several_steps_is_written_and_rolled_back_whole(
    files: Path, propose: Propose, reviewer: Reviewer, text: bytes, changes: dict[str, bytes | None]
) -> None:
    """Approved by one step of it, rolled back by another."""
    made = propose(text)
    assert len({step.unit for step in made.steps}) == 1 and made.steps[0].unit is not None
    assert all(step.facts[0].kind == "unit" for step in made.steps)
    reviewer.approve(made.id, [1])
    applied = reviewer.apply(made.id)
    assert {step.state for step in applied.steps} == {StepState.APPLIED}
    expected = {**FILES, **changes}
    assert _read(files) == {name: data for name, data in expected.items() if data is not None}
    reviewer.rollback(made.id, [made.steps[-1].number])
    assert _read(files) == FILES


def test_a_folder_that_renames_leave_empty_goes_as_in_git(
    files: Path, propose: Propose, reviewer: Reviewer
) -> None:
    """Not where something stays in it; a rollback makes it with its own bits."""
    _write(files, {"deep/in/a": b"a\n", "etc/y": b"y\n", "full/z": b"z\n"})
    (files / "full" / "empty").mkdir()
    (files / "deep" / "in").chmod(0o700)
    renames = b"".join(
        b"diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n" % (old, new, old, new)
        for old, new in ((b"deep/in/a", b"a"), (b"etc/x", b"x"), (b"full/z", b"z"))
    )
    made = propose(renames)
    reviewer.approve(made.id)
    reviewer.apply(made.id)
    assert not (files / "deep").exists() and (files / "etc").is_dir() and (files / "full" / "empty").is_dir()
    reviewer.rollback(made.id)
    assert (files / "deep" / "in").stat().st_mode & 0o777 == 0o700
    assert (files / "deep" / "in" / "a").read_bytes() == b"a\n"


ORDERED_REFUSALS = {
    # A rename of a file that is not there was proposed with a delete of the folder, which was empty.
    "nothing moved out of a folder": (
        CROSSED.partition(b"diff --git a/old.py")[0].replace(b"b.txt", b"empty/x").replace(b"old.py", b"y"),
        [["target.missing"]],
    ),
    "other bytes": (
        plan(
            {**move("b.txt", "c.txt"), "base_sha256": "0" * 64},
            {"op": "create", "path": "b.txt", "content": "stub\n"},
        ),
        [["target.other_base"]],
    ),
    # `git apply` keeps the edited file and makes the renamed one of the file before the edit.
    "an edit before a rename": (EDITED_THEN_RENAMED, [["path.unclear_order"]]),
    # "error: path b.txt has been renamed/deleted" (git 2.39.5).
    "an edit behind a rename": (b"".join(_sections(EDITED_THEN_RENAMED)[::-1]), [["target.missing"]]),
    # The file stays where what comes in its place may not be written.
    "a refused step": (
        plan({"op": "delete", "path": "conf"}, {"op": "create", "path": "conf/.env", "content": "a\n"}),
        [["path.needed_by_refused"], ["policy.denied"]],
    ),
    "a denied file copied out": (
        plan({"op": "copy", "path": ".env", "to": "c.txt"}, move("c.txt", "d.txt")),
        [["policy.denied"]],
    ),
}


@pytest.mark.parametrize(("text", "codes"), ORDERED_REFUSALS.values(), ids=ORDERED_REFUSALS)
def test_what_may_not_be_done_in_order_is_refused_whole(
    files: Path, propose: Propose, text: bytes, codes: list[list[str]]
) -> None:
    (files / "empty").mkdir()
    (files / ".env").write_bytes(b"KEY=1\n")
    made = propose(text)
    assert [[problem.code for problem in step.problems] for step in made.steps] == codes
    assert {step.state for step in made.steps} == {StepState.INVALID}
