"""Steps that need each other: one path with several operations, and files in place of folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

pytestmark = pytest.mark.usefixtures("allow_review")

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


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    for name, data in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_bytes(data)


def tree(project: Path) -> dict[str, bytes]:
    found = (path for path in project.rglob("*") if path.is_file() and path.name != "studio.yaml")
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in found}


def submitted(studio: CommandLine, text: bytes, code: int = 0) -> dict[str, Any]:
    said = studio("submit", stdin=text)
    assert said.code == code, said.text
    return said.json


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


@pytest.mark.parametrize(("text", "changes"), CHANGES, ids=IDS)
def test_a_change_of_several_steps_is_written_and_rolled_back_whole(
    studio: CommandLine, project: Path, text: bytes, changes: dict[str, bytes | None]
) -> None:
    """Approved by one step of it, rolled back by another."""
    steps = submitted(studio, text)["steps"]
    assert len({step["unit"] for step in steps}) == 1
    assert all(step["facts"][0]["kind"] == "unit" for step in steps)
    last = steps[-1]["step"]
    identity = studio("plans").json["plans"][0]["plan"]
    approved = studio("approve", identity, "--step", "1", "--apply").json
    assert [step["state"] for step in approved["steps"]] == ["applied"] * len(steps)
    expected = {**FILES, **changes}
    assert tree(project) == {name: data for name, data in expected.items() if data is not None}
    assert studio("rollback", identity, "--step", str(last)).code == 0
    assert tree(project) == FILES


def test_one_rejected_step_rejects_its_unit(studio: CommandLine, project: Path) -> None:
    other = b"*** Begin Patch\n*** Add File: z.txt\n+z\n*** End Patch\n"
    identity = submitted(studio, STUB.replace(b"*** Begin Patch\n", other[:-14], 1))["plan"]
    rejected = studio("reject", identity, "--step", "3", "--reason", "no stub").json
    assert [step["state"] for step in rejected["steps"]] == ["pending", "rejected", "rejected"]
    assert studio("approve", identity, "--apply").json["state"] == "completed"
    assert tree(project) == {**FILES, "z.txt": b"z\n"}


def test_a_part_of_a_unit_is_not_approved_by_hunk(studio: CommandLine, project: Path) -> None:
    lines = [f"line {number}\n" for number in range(1, 41)]
    (project / "old.py").write_text("".join(lines))
    lines[4] = lines[34] = "other\n"
    (project / "b.txt").write_text("".join(lines))
    before, identity = tree(project), submitted(studio, SWAP)["plan"]
    refused = studio("approve", identity, "--hunks", "1:1", "--apply")
    assert (refused.code, refused.json["error"]["code"]) == (1, "step.unit_in_part")
    assert tree(project) == before


def test_a_unit_with_a_stale_step_is_neither_approved_nor_written(studio: CommandLine, project: Path) -> None:
    identity = submitted(studio, STUB)["plan"]
    assert studio("approve", identity, "--step", "1").json["state"] == "approved"
    (project / "new.py").write_bytes(b"mine\n")
    assert studio("apply", identity).code == 3
    assert studio("approve", identity).code == 3
    rejected = studio("reject", identity, "--reason", "moved on").json
    assert [step["state"] for step in rejected["steps"]] == ["rejected", "rejected"]
    assert tree(project) == {**FILES, "new.py": b"mine\n"}


def test_a_file_of_a_unit_does_not_stay_alone_in_a_rollback(studio: CommandLine, project: Path) -> None:
    identity = submitted(studio, STUB)["plan"]
    assert studio("approve", identity, "--apply").code == 0
    (project / "old.py").write_bytes(b"mine\n")
    before = tree(project)
    refused = studio("rollback", identity, "--on-drift", "keep")
    assert (refused.code, refused.json["error"]["code"]) == (1, "rollback.divided_unit")
    assert tree(project) == before


def test_a_folder_that_renames_leave_empty_goes_as_in_git(studio: CommandLine, project: Path) -> None:
    """Not where something stays in it; a rollback makes it with its own bits."""
    (project / "deep" / "in").mkdir(parents=True)
    (project / "deep" / "in" / "a").write_bytes(b"a\n")
    (project / "deep" / "in").chmod(0o700)
    (project / "etc" / "y").write_bytes(b"y\n")
    renames = b"".join(
        b"diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n" % (old, new, old, new)
        for old, new in ((b"deep/in/a", b"a"), (b"etc/x", b"x"))
    )
    identity = submitted(studio, renames)["plan"]
    assert studio("approve", identity, "--apply").code == 0
    assert not (project / "deep").exists() and (project / "etc").is_dir()
    assert studio("rollback", identity).code == 0
    assert (project / "deep" / "in").stat().st_mode & 0o777 == 0o700
    assert (project / "deep" / "in" / "a").read_bytes() == b"a\n"


def test_no_folder_goes_where_nothing_was_moved_out_of_it(studio: CommandLine, project: Path) -> None:
    """A rename of a file that is not there was proposed with a delete of the folder, which was empty."""
    (project / "empty").mkdir()
    rename = INTO_FOLDER.partition(b"diff --git a/conf/dev")[0].replace(b"conf", b"empty/x")
    (step,) = submitted(studio, rename, 1)["steps"]
    assert (step["op"], step["problems"][0]["code"]) == ("move", "target.missing")


def test_an_ordered_change_of_other_bytes_is_refused(studio: CommandLine, project: Path) -> None:
    old = {**move("b.txt", "c.txt"), "base_sha256": "0" * 64}
    create = {"op": "create", "path": "b.txt", "content": "stub\n"}
    (step,) = submitted(studio, plan(old, create), 1)["steps"]
    assert [problem["code"] for problem in step["problems"]] == ["target.other_base"]
    assert tree(project) == FILES


def test_an_edit_before_a_rename_of_a_diff_is_refused(studio: CommandLine, project: Path) -> None:
    """`git apply` keeps the edited file and makes the renamed one of the file before the edit."""
    (step,) = submitted(studio, EDITED_THEN_RENAMED, 1)["steps"]
    assert [problem["code"] for problem in step["problems"]] == ["path.unclear_order"]
    assert tree(project) == FILES


def test_a_unit_with_a_refused_step_is_refused(studio: CommandLine, project: Path) -> None:
    """The file stays where what comes in its place may not be written."""
    create = {"op": "create", "path": "conf/.env", "content": "a\n"}
    steps = submitted(studio, plan({"op": "delete", "path": "conf"}, create), 1)["steps"]
    assert [step["state"] for step in steps] == ["invalid", "invalid"]
    assert steps[0]["problems"][0]["code"] == "path.needed_by_refused"
    assert tree(project) == FILES


def test_a_denied_file_is_not_copied_out_in_an_ordered_change(studio: CommandLine, project: Path) -> None:
    (project / ".env").write_bytes(b"KEY=1\n")
    copy = {"op": "copy", "path": ".env", "to": "c.txt"}
    steps = submitted(studio, plan(copy, move("c.txt", "d.txt")), 1)["steps"]
    assert all(step["state"] == "invalid" for step in steps)
