"""`snapshot`: states kept, listed, compared, brought back and deleted."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine
from tests.engine.snapshot_store.folders import FolderState, standing

YES = "project\n"
"""What a person types at the question: the name of the project's folder."""


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "a.txt").write_bytes(b"one\r\ntwo\n")
    (project / "sub/empty").mkdir(parents=True)
    (project / "sub/run").write_bytes(b"#!/bin/sh\n")
    (project / "sub/run").chmod(0o750)
    (project / "link").symlink_to("sub/run")


@pytest.fixture
def restored(studio: CommandLine) -> Callable[[str], dict[str, Any]]:
    """Restores a snapshot as a person at a terminal, and gives the printed plan."""

    def restore(which: str) -> dict[str, Any]:
        said = studio.at_terminal("snapshot", "restore", which, typed=YES)
        assert said.code == 0, said
        return said.json

    return restore


def disturbed(project: Path) -> FolderState:
    """Change a bit of everything; gives what stands there then."""
    (project / "a.txt").write_bytes(b"else\n")
    (project / "sub/run").chmod(0o600)
    (project / "sub/empty").rmdir()
    (project / "link").unlink()
    (project / "link").symlink_to("a.txt")
    (project / "new").mkdir()
    (project / "new/file").write_bytes(b"new\n")
    return standing(project)


def objects() -> list[Path]:
    """The kept objects of the one project."""
    return list(Path(os.environ["STUDIO_STATE_DIR"]).glob("*/snapshots.git/objects/??/*"))


def test_a_state_is_kept_compared_brought_back_taken_back_and_deleted(
    studio: CommandLine, project: Path, tmp_path: Path, restored: Callable[[str], dict[str, Any]]
) -> None:
    """The shapes of --json; the dry run tells what then happens, and `rollback` takes all of it back."""
    before = standing(project)
    made = studio("snapshot", "create", "first").json
    assert {name: made[name] for name in ("tag", "files", "left_out")} == {
        "tag": "first", "files": 4, "left_out": {},
    }  # fmt: skip
    assert made["bytes"] == sum(len(data) for _, data in before.values())
    listed = studio("snapshot", "list").json
    assert listed["snapshots"] == [{name: made[name] for name in made if name != "left_out"}]
    assert 0 < listed["used"] < listed["cap"] == 1 << 30
    assert studio("snapshot", "diff", "first").json == {"changes": []}
    after = disturbed(project)
    second = studio("snapshot", "create").json["snapshot"]
    changes = studio("snapshot", "diff", "first").json["changes"]
    assert changes == studio("snapshot", "diff", "first", second[:8]).json["changes"]
    assert changes == [
        {"path": "a.txt", "op": "modify"},
        {"path": "link", "op": "modify"},
        {"path": "new", "op": "create"},
        {"path": "new/file", "op": "create"},
        {"path": "sub/empty", "op": "delete"},
        {"path": "sub/run", "op": "mode"},
    ]
    dry = studio("snapshot", "restore", "first", "--dry-run").json
    assert standing(project) == after and dry["dry_run"] is True
    assert dry["unplanned"] == ["a.txt", "link", "new/file"]
    plan = restored("first")
    assert standing(project) == before
    told = ("op", "path", "base_sha256", "result_sha256")
    done, shown = (
        [[step.get(name) for name in told] for step in steps] for steps in (plan["steps"], dry["steps"])
    )
    assert done == shown
    assert studio.at_terminal("rollback", plan["plan"], typed=f"{plan['plan'][:8]}\n").code == 0
    assert standing(project) == after
    gone = studio.at_terminal("snapshot", "delete", "first", second, typed=YES).json
    assert gone["deleted"] == [made["snapshot"], second] and gone["freed"] > 0
    missing = studio("snapshot", "diff", "first")
    assert (missing.code, missing.error["code"]) == (4, "snapshot.missing")
    assert studio("snapshot", "list").json["snapshots"] == [] and objects() == []
    copy = tmp_path / "journal.jsonl"
    assert studio("journal", "--export", copy, "--with-contents").code == 0
    assert studio("journal", "--verify", copy).code == 0
    (tmp_path / "replay").mkdir()
    assert studio("journal", "--replay", tmp_path / "replay", "--from", copy).code == 0
    assert (tmp_path / "replay/link").readlink() == Path("a.txt")


def test_nothing_is_restored_or_deleted_without_a_person(studio: CommandLine, project: Path) -> None:
    studio("snapshot", "create", "kept")
    after = disturbed(project)
    for words in (("restore", "kept"), ("delete", "kept")):
        piped = studio("snapshot", *words, stdin=YES.encode())
        assert (piped.code, piped.error["code"]) == (1, "needs_person")
        other = studio.at_terminal("snapshot", *words, typed="yes\n")
        assert (other.code, other.error["code"]) == (1, "needs_person")
    assert standing(project) == after
    assert [each["tag"] for each in studio("snapshot", "list").json["snapshots"]] == ["kept"]


def test_what_changes_before_the_answer_stops_it(studio: CommandLine, project: Path) -> None:
    """A person says yes to what was shown and to nothing else."""
    studio("snapshot", "create", "kept")
    disturbed(project)
    said = studio.at_terminal(
        "snapshot", "restore", "kept", typed=YES, meanwhile=lambda: (project / "a.txt").write_bytes(b"later")
    )
    assert "a.txt" in said.terminal
    assert (said.code, said.error["code"]) == (3, "restore.changed")
    assert (project / "a.txt").read_bytes() == b"later" and (project / "new/file").exists()


def test_git_is_neither_asked_nor_touched(
    studio: CommandLine, project: Path, restored: Callable[[str], dict[str, Any]]
) -> None:
    """Ignored files, empty folders, a repository without commits, the user's own, and filters."""
    for folder in (project, project / "nested"):
        folder.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True, capture_output=True)
    for name, value in (("core.autocrlf", "true"), ("filter.loud.clean", "tr a-z A-Z")):
        subprocess.run(["git", "config", name, value], cwd=project, check=True)
    (project / ".gitattributes").write_bytes(b"* text eol=crlf filter=loud\n")
    (project / ".gitignore").write_bytes(b"ignored/\n")
    (project / "ignored/deep").mkdir(parents=True)
    (project / "ignored/deep/file").write_bytes(b"mine\n")
    (project / "nested/file").write_bytes(b"nested\n")
    subprocess.run(["git", "add", "a.txt"], cwd=project, check=True, capture_output=True)
    before, git = standing(project), git_data(project)
    made = studio("snapshot", "create", "kept").json
    assert made["left_out"].keys() == {"nested/.git"}
    shutil.rmtree(project / "ignored")
    (project / "nested/file").unlink()
    disturbed(project)
    dry = studio("snapshot", "restore", "kept", "--dry-run").json
    assert dry["left_out"].keys() == {"nested/.git"}
    restored("kept")
    assert standing(project) == before and git_data(project) == git


def git_data(project: Path) -> str:
    """What stands in all git folders, the index too, with its times."""
    told = hashlib.sha256()
    for folder in sorted(project.rglob(".git")):
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            told.update(f"{path} {status.st_mode} {status.st_mtime_ns}\0".encode())
            told.update(path.read_bytes() if path.is_file() else b"")
    return told.hexdigest()


@pytest.mark.process
def test_a_kill_while_it_is_made_leaves_nothing_that_stays(studio: CommandLine, project: Path) -> None:
    (project / "many").mkdir()
    for number in range(1500):
        (project / f"many/{number}").write_bytes(b"%d\n" % number)
    running = studio.start("snapshot", "create", "killed")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not objects() and time.monotonic() < deadline:
        os.sched_yield()
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert running.returncode == -signal.SIGKILL and objects()
    assert studio("snapshot", "list").json["snapshots"] == []
    made = studio("snapshot", "create", "whole").json
    assert made["files"] == 1504 and studio("snapshot", "diff", "whole").json == {"changes": []}
    (project / "a.txt").write_bytes(b"while it was killed nobody knew this\n")
    studio("snapshot", "create", "other")
    assert studio.at_terminal("snapshot", "delete", "whole", "other", typed=YES).code == 0
    assert objects() == [], "the rest of the killed one is swept too"


@pytest.mark.process
def test_two_processes_make_one_each_at_once(studio: CommandLine, project: Path) -> None:
    before = standing(project)
    running = [studio.start("snapshot", "create", tag) for tag in ("one", "two")]
    for each in running:
        each.communicate()
    assert [each.returncode for each in running] == [0, 0]
    assert {each["tag"] for each in studio("snapshot", "list").json["snapshots"]} == {"one", "two"}
    assert studio("snapshot", "diff", "one", "two").json == {"changes": []}
    assert standing(project) == before


ODD = (os.fsdecode(b"\xff\xfe"), "line\nbreak", "%41", "\u202e", " ", "-n")


def test_a_restore_is_told_like_every_plan_whatever_names_are_in_it(
    studio: CommandLine, project: Path, tmp_path: Path, restored: Callable[[str], dict[str, Any]]
) -> None:
    """`history`, `plans`, `show --diff`, `journal`: with links, modes, and names of odd letters."""
    for name in ODD:
        (project / name).write_bytes(b"kept\n")
    (project / "odd-link").symlink_to(os.fsdecode(b"to/\xff"))
    before = standing(project)
    assert studio("snapshot", "create", "odd\N{RIGHT-TO-LEFT OVERRIDE}").code == 0
    for name in ODD:
        (project / name).unlink()
    (project / "odd-link").unlink()
    after = disturbed(project)
    plan = restored("odd\N{RIGHT-TO-LEFT OVERRIDE}")
    assert standing(project) == before
    entry = studio("history").json["entries"][0]
    assert (entry["plan"], entry["state"]) == (plan["plan"], "completed")
    assert studio("plans", "--state", "completed").json["plans"][0]["plan"] == plan["plan"]
    shown = studio("show", plan["plan"], "--diff")
    assert shown.code == 0 and len(shown.json["steps"]) == len(plan["steps"])
    told = studio("show", plan["plan"], "--diff", json=False)
    assert told.code == 0 and "\N{RIGHT-TO-LEFT OVERRIDE}" not in told.text
    assert studio("journal", "--verify").code == 0
    copy = tmp_path / "journal.jsonl"
    assert studio("journal", "--export", copy).code == 0
    assert studio("journal", "--verify", copy).code == 0
    assert studio.at_terminal("rollback", plan["plan"], typed=f"{plan['plan'][:8]}\n").code == 0
    assert standing(project) == after
