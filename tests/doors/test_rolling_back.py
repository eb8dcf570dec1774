"""`rollback`: copies, what a dry run says of each way, and files that can't be looked at."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine, Said, set_review
from tests.tools.rights import as_anybody

LINES = "".join(f"line {number}\n" for number in range(1, 10))
COPY_DIFF = b"""\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+changed
 line 3
diff --git a/a.txt b/b.txt
similarity index 90%
copy from a.txt
copy to b.txt
--- a/a.txt
+++ b/b.txt
@@ -7,3 +7,3 @@
 line 7
 line 8
-line 9
+another
"""
"""As `git diff -C` prints it: the source of a copy is changed by the same plan."""

pytestmark = pytest.mark.usefixtures("allow_review")


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "a.txt").write_text(LINES)


def applied(studio: CommandLine, said: dict[str, object]) -> str:
    plan = str(said["plan"])
    assert studio("approve", plan, "--apply").code == 0
    return plan


@pytest.fixture
def changed(studio: CommandLine, project: Path) -> str:
    """A plan that changed the second line of a.txt, whose last line somebody has changed since."""
    edit = {"op": "modify", "path": "a.txt", "edits": [{"old": "line 2\n", "new": "the plan's\n"}]}
    plan = applied(studio, studio.submit(edit, {"op": "create", "path": "b.txt", "content": "b\n"}))
    (project / "a.txt").write_text((project / "a.txt").read_text().replace("line 9", "mine"))
    return plan


def texts(project: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in project.glob("*.txt")}


@pytest.mark.parametrize("words", [(), ("--step", "2")])
def test_a_copy_goes_back_though_its_source_changed(
    studio: CommandLine, project: Path, words: tuple[str, ...]
) -> None:
    """What it was made from is no part of what is taken back; and forth again."""
    plan = applied(studio, studio("submit", stdin=COPY_DIFF).json)
    written = texts(project)
    assert written["b.txt"] == LINES.replace("line 9", "another")
    if words == ("--step", "2"):
        (project / "a.txt").write_text("somebody's own\n")
    before = texts(project)
    dry = studio("rollback", plan, *words, "--dry-run")
    assert (dry.code, {step["standing"] for step in dry.json["steps"]}) == (0, {"as_written"})
    said = studio("rollback", plan, *words)
    assert (said.code, said.json["taken_back"]) == (0, dry.json["steps"])
    now = texts(project)
    assert "b.txt" not in now and (now["a.txt"] == LINES) == (not words)
    assert studio("rollback", said.json["plan"]).code == 0
    assert texts(project) == before


def test_a_copy_that_is_there_already_is_applied_whatever_its_source_holds_now(
    studio: CommandLine, project: Path
) -> None:
    """Somebody else applied the same diff; its copy is no more stale than its change."""
    plan = studio("submit", stdin=COPY_DIFF).json["plan"]
    (project / "a.txt").write_text(LINES.replace("line 2", "changed"))
    (project / "b.txt").write_text(LINES.replace("line 9", "another"))
    shown = studio("show", plan).json
    assert [step["state"] for step in shown["steps"]] == ["already_applied", "already_applied"]
    assert shown["state"] == "completed"


@pytest.mark.parametrize(
    ("way", "code", "a_txt", "saved"),
    [
        ("keep", 0, LINES.replace("line 2", "the plan's").replace("line 9", "mine"), None),
        ("restore", 0, LINES, None),
        ("save-beside", 0, LINES.replace("line 2", "the plan's").replace("line 9", "mine"), LINES),
        ("merge", 0, LINES.replace("line 9", "mine"), None),
    ],
)
def test_a_dry_run_says_what_each_way_does(
    studio: CommandLine, project: Path, changed: str, *, way: str, code: int, a_txt: str, saved: str | None
) -> None:
    """File by file the same as the run, and its exit code."""
    before = texts(project)
    dry = studio("rollback", changed, "--on-drift", way, "--dry-run")
    assert texts(project) == before and (dry.code, dry.json["dry_run"]) == (code, True)
    said = studio("rollback", changed, "--on-drift", way)
    assert (said.code, said.json["rolls_back"]) == (code, changed)
    assert said.json["taken_back"] == dry.json["steps"]
    done = [{name: step[name] for name in file["does"]} for file, step in going(dry, said)]
    assert done == [file["does"] for file, _ in going(dry, said)]
    now = texts(project)
    assert (now["a.txt"], now.get("a.before.txt"), "b.txt" in now) == (a_txt, saved, False)
    assert dry.json["steps"][0].get("saved_as") == ("a.before.txt" if saved else None)


def going(dry: Said, said: Said) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What a dry run would do beside the steps of the plan that did it, the last one first."""
    files = [file for file in reversed(dry.json["steps"]) if file["does"] is not None]
    return list(zip(files, said.json["steps"], strict=True))


@pytest.mark.parametrize(
    ("words", "today", "code", "error"),
    [
        ((), "mine\n", 3, "rollback.drifted"),
        (("--on-drift", "merge"), LINES.replace("line 2", "mine"), 3, "rollback.no_way"),
        (("--on-drift", "keep", "--step", "1"), "mine\n", 1, "rollback.nothing"),
        (("--step", "1", "--on-drift", "restore"), "x" * (10485760 + 1), 1, "file.too_large"),
    ],
)
def test_a_dry_run_exits_as_the_rollback_would(
    studio: CommandLine,
    project: Path,
    changed: str,
    *,
    words: tuple[str, ...],
    today: str,
    code: int,
    error: str,
) -> None:
    """With the same code, sentence and hint, and nothing is touched by either."""
    file = project / "a.txt"
    file.write_text(today)
    dry, said = (studio("rollback", changed, *words, *last) for last in (("--dry-run",), ()))
    assert (dry.code, said.code) == (code, code)
    assert dry.error == said.error and dry.error["code"] == error
    assert (project / "b.txt").exists() and file.read_text() == today


def test_what_stands_in_the_way_of_writing_is_said_by_the_dry_run(studio: CommandLine, project: Path) -> None:
    """Not only what looking finds: what is to come back would be git's configuration by now."""
    (project / "sub").mkdir()
    (project / "sub/config").write_text("mine\n")
    plan = applied(studio, studio.submit({"op": "delete", "path": "sub/config"}))
    for name in ("objects", "refs"):
        (project / "sub" / name).mkdir()
    (project / "sub/HEAD").write_text("ref: refs/heads/main\n")
    dry, said = (studio("rollback", plan, *last) for last in (("--dry-run",), ()))
    assert (dry.code, said.code) == (1, 1)
    assert dry.error == said.error and "sub/config" in dry.error["message"]


def test_a_person_is_told_what_stays_and_what_is_made(
    studio: CommandLine, project: Path, changed: str
) -> None:
    """The question names the new file; if its name is taken meanwhile, nothing is done."""
    set_review("ask")
    words = ("rollback", changed, "--on-drift", "save-beside")
    taken = studio.at_terminal(
        *words, typed=f"{changed[:8]}\n", meanwhile=lambda: (project / "a.before.txt").write_text("mine\n")
    )
    assert "a.txt stays, its old bytes are saved as a.before.txt" in " ".join(taken.terminal.split())
    assert (taken.code, taken.error["code"]) == (3, "rollback.changed_under_you")
    assert texts(project)["a.before.txt"] == "mine\n" and "b.txt" in texts(project)
    done = studio.at_terminal(*words, typed=f"{changed[:8]}\n")
    assert done.code == 0
    assert done.json["taken_back"][0]["saved_as"] == "a.before-2.txt"
    assert texts(project)["a.before-2.txt"] == LINES
    fact = done.json["steps"][-1]["facts"][0]
    assert (done.json["steps"][-1]["path"], fact["kind"]) == ("a.before-2.txt", "saved_beside")


def test_the_lines_for_people_name_it_too(studio: CommandLine, changed: str) -> None:
    for last in (("--dry-run",), ()):
        said = studio("rollback", changed, "--on-drift", "save-beside", *last, json=False)
        assert said.code == 0
        assert "a.txt stays, its old bytes are saved as a.before.txt" in said.text


def test_a_step_that_is_not_applied_is_not_left_out_in_silence(studio: CommandLine, project: Path) -> None:
    """Of a plan that was applied in part its applied steps go back, and no other."""
    steps = [{"op": "create", "path": name, "content": "x\n"} for name in ("1.txt", "2.txt")]
    plan = studio.submit(*steps)["plan"]
    assert studio("reject", plan, "--step", "2", "--reason", "no").code == 0
    assert studio("approve", plan, "--apply").code == 0
    said = studio("rollback", plan, "--step", "1", "--step", "2")
    assert (said.code, said.error["code"]) == (1, "rollback.not_applied")
    assert "step 2" in said.error["message"] and (project / "1.txt").exists()
    assert studio("rollback", plan).code == 0
    assert not (project / "1.txt").exists()


def test_a_folder_stays_while_something_is_in_it(studio: CommandLine, project: Path) -> None:
    """Its step stays applied until it goes; what is there again already is no drift either."""
    steps = ({"op": "mkdir", "path": "d"}, {"op": "create", "path": "d/a.txt", "content": "a\n"})
    plan = applied(studio, studio.submit(*steps))
    alone = studio("rollback", plan, "--step", "1")
    assert (alone.code, alone.error["code"]) == (1, "rollback.nothing")
    assert "d/a.txt is in it" in alone.error["message"]
    (project / "d" / "mine.txt").write_text("mine\n")
    dry = studio("rollback", plan, "--dry-run").json["steps"]
    assert [(file["standing"], file["message"]) for file in dry][:1] == [
        ("in_use", "stays: d/mine.txt is in it")
    ]
    back = studio("rollback", plan)
    assert back.code == 0 and sorted(path.name for path in project.glob("d/*")) == ["mine.txt"]
    assert [step["state"] for step in studio("show", plan).json["steps"]] == ["applied", "rolled_back"]
    shutil.rmtree(project / "d")
    gone = studio("rollback", plan)
    assert (gone.code, gone.error["message"]) == (1, "Nothing was rolled back: the folder d is gone already.")


def test_a_file_that_cannot_be_looked_at_has_not_changed(
    studio: CommandLine, project: Path, changed: str
) -> None:
    """Said as what it is, in the dry run, the run and the apply; once it passes, all goes on."""
    pending = studio.submit({"op": "append", "path": "b.txt", "content": "more\n"})["plan"]
    assert studio("approve", pending).code == 0
    for name in ("a.txt", "b.txt"):
        (project / name).chmod(0)
    with as_anybody():
        dry = studio("rollback", changed, "--dry-run")
        said = studio("rollback", changed, "--on-drift", "restore")
        refused = studio("apply", pending)
    assert [(file["standing"], file["drifted"]) for file in dry.json["steps"]] == [("unseen", False)] * 2
    assert dry.json["steps"][0]["problem"]["code"] == "disk.denied"
    assert (said.code, said.error) == (1, dry.error)
    message = "Nothing was rolled back: a.txt can't be accessed: access to it is denied."
    assert (dry.code, dry.error["message"], dry.error["path"]) == (1, message, "a.txt")
    assert refused.code == 1 and "b.txt can't be accessed: access to it is denied" in refused.error["message"]
    for name in ("a.txt", "b.txt"):
        (project / name).chmod(0o644)
    assert studio("show", pending).json["state"] == "approved"
    assert studio("rollback", changed, "--on-drift", "merge").code == 0
