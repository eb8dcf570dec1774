"""`recover`: what a killed apply leaves, and a project folder that is not the one it was."""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace
from tests.doors.conftest import CommandLine, set_review
from tests.faults.injection import run, stop_here

CREATE = {"op": "create", "path": "new.txt", "content": "new\n"}
MODIFY = {"op": "modify", "path": "a.txt", "content": "eins\n"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="strace kills at system calls of Linux")


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "a.txt").write_bytes(b"one\n")


@pytest.fixture
def interrupted(studio: CommandLine, project: Path) -> str:
    """The id of a plan whose apply was killed between its two files; the command line asks a person again."""
    plan = studio.submit(MODIFY, CREATE)["plan"]
    set_review("allow")
    assert studio("approve", plan).code == 0

    def apply() -> int:
        stop_here()
        Workspace.open(project).reviewer(Person(PersonSource.WINDOW, "ada")).apply(plan)
        return 0

    injected = ("-f", "-e", "trace=renameat2", "-e", "inject=renameat2:signal=KILL:when=2")
    assert run(apply, *injected) == -signal.SIGKILL
    set_review("ask")
    assert studio("show", plan).json["state"] == "executing"
    return plan


def test_only_a_person_recovers(studio: CommandLine, project: Path, interrupted: str) -> None:
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    said = studio("recover", stdin=b"project\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    wrong = studio.at_terminal("recover", typed=f"{interrupted[:8]}\n")
    assert (wrong.code, wrong.error["code"]) == (1, "needs_person")
    assert {path.name: path.read_bytes() for path in project.iterdir()} == before

    done = studio.at_terminal("recover", typed="project\n")
    assert done.code == 0, done
    assert [plan["plan"] for plan in done.json["plans"]] == [interrupted]
    assert "a.txt: new content\n  new.txt: old content\n" in done.err
    assert {file["path"]: file["found"] for file in done.json["files"]} == {
        "a.txt": "after",
        "new.txt": "before",
    }
    assert {file["plan"] for file in done.json["files"]} == {interrupted}
    shown = studio("show", interrupted).json
    assert shown["state"] == "paused"
    assert shown["problems"][0]["message"]
    assert (project / "a.txt").read_bytes() == b"one\n"
    assert sorted(path.name for path in project.iterdir()) == ["a.txt", "studio.yaml"]
    assert studio("recover").code == 0

    set_review("allow")
    assert studio("apply", interrupted).json["state"] == "completed"
    assert (project / "a.txt").read_bytes() == b"eins\n"


def test_what_somebody_else_wrote_meanwhile_is_named_and_stays(
    studio: CommandLine, project: Path, interrupted: str
) -> None:
    """A target that holds neither is left as it is, and the person reads which one that is."""
    (project / "a.txt").write_bytes(b"theirs\n")
    done = studio.at_terminal("recover", typed="project\n")
    assert done.code == 0, done
    assert "a.txt: another program's content" in done.err
    assert (project / "a.txt").read_bytes() == b"theirs\n" and not (project / "new.txt").exists()
    shown = studio("show", interrupted).json
    assert shown["state"] == "failed"
    assert any("a.txt contains neither" in problem["message"] for problem in shown["problems"])


def test_whoever_writes_next_settles_it_first(studio: CommandLine, project: Path, interrupted: str) -> None:
    """The next holder of the writer lock, whatever it came for; the journal has the order."""
    other = studio.submit({"op": "create", "path": "other.txt", "content": "other\n"})["plan"]
    assert (project / "a.txt").read_bytes() == b"eins\n", "to propose takes no writer lock"
    set_review("allow")
    assert studio("approve", other, "--apply").json["state"] == "completed"
    assert (project / "a.txt").read_bytes() == b"one\n" and not (project / "new.txt").exists()
    assert studio("show", interrupted).json["state"] == "paused"
    entries = studio("journal").json["entries"]
    assert [entry["plan"] for entry in entries] == [interrupted] * 4 + [other] * 2
    assert {entry["entry"]["$type"] for entry in entries[2:4]} == {"FileFault"}


def test_a_plan_that_is_being_written_is_not_withdrawn(studio: CommandLine, interrupted: str) -> None:
    said = studio("withdraw", interrupted)
    assert (said.code, said.error["code"]) == (1, "plan.state")
    assert studio("show", interrupted).json["state"] == "executing"


def test_another_folder_in_the_place_of_the_project(studio: CommandLine, project: Path) -> None:
    plan = studio.submit(CREATE)["plan"]
    project.rename(project.with_name("moved"))
    shutil.copytree(project.with_name("moved"), project)
    listed = studio("plans")
    assert listed.code == 0
    assert "is not the folder" in listed.err
    for words in (("submit",), ("approve", plan), ("reject", plan, "--reason", "no")):
        set_review("allow")
        said = studio(*words, stdin=b"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+eins\n")
        assert (said.code, said.error["code"]) == (3, "root.replaced")
    set_review("ask")
    assert studio("recover").code == 1
    assert studio.at_terminal("recover", typed="project\n").code == 0
    assert studio("plans").err == ""
    set_review("allow")
    assert studio("approve", plan, "--apply").code == 0
