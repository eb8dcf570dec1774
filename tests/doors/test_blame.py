"""`studio blame FILE`: which plan, agent and person brought each line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine
from tests.engine.git_data.repositories import commit, git, init

pytestmark = pytest.mark.usefixtures("allow_review")


def test_each_run_of_lines_is_told_and_printed(studio: CommandLine, project: Path) -> None:
    init(project)
    made = commit(project, {"src/a.txt": "one\ntwo\n"})
    step = {"op": "modify", "path": "src/a.txt", "edits": [{"old": "two\n", "new": "2\nthr\u202eee\n"}]}
    text = json.dumps({"title": "Count on", "agent": "codex", "steps": [step]}).encode()
    plan = str(studio("submit", stdin=text).json["plan"])
    assert studio("approve", plan, "--apply").code == 0
    with (project / "src/a.txt").open("a") as file:
        file.write("four\n")

    told = studio("blame", "src/a.txt")
    assert (told.code, told.json["path"], len(told.json["sha256"])) == (0, "src/a.txt", 64)
    of_git, of_plan, of_nobody = told.json["lines"]
    assert of_git.pop("when")
    assert of_git == {"first": 1, "last": 1, "from": "git", "commit": made, "who": "Somebody"}
    assert of_plan.pop("when") and of_plan.pop("who")
    assert of_plan == {
        "first": 2, "last": 3, "from": "plan", "plan": plan, "step": 1, "title": "Count on",
        "agent": "codex", "seen": "configuration",
    }  # fmt: skip
    assert of_nobody == {"first": 4, "last": 4, "from": "unknown"}

    lines = studio("blame", str(project / "src/a.txt"), json=False).text.splitlines()
    assert [line.split()[0] for line in lines] == [made[:8], plan[:8], plan[:8], "-" * 8]
    assert lines[2].endswith("3  thr\\u202eee") and " codex " in lines[2]
    assert "unknown" in lines[3]


@pytest.mark.parametrize("path", ["../outside.txt", "link.txt", "missing.txt", "folder", "data.bin"])
def test_what_is_no_text_of_the_project_is_refused(studio: CommandLine, project: Path, path: str) -> None:
    (project.parent / "outside.txt").write_text("secret\n")
    (project / "link.txt").symlink_to("../outside.txt")
    (project / "folder").mkdir()
    (project / "data.bin").write_bytes(b"\0")
    answer = studio("blame", path)
    assert answer.code == (4 if path == "missing.txt" else 1)
    assert answer.json["error"]["hint"] and "secret" not in answer.text


def test_a_clone_without_old_objects_names_no_wrong_author(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    server = init(tmp_path / "server")
    git(server, "config", "uploadpack.allowFilter", "true")
    for text in ("one\n", "one\ntwo\n"):
        newest = commit(server, {"a.txt": text})
    for kind in ("--filter=blob:none", "--depth=1"):
        git(tmp_path, "clone", "-q", kind, server.as_uri(), str(tmp_path / kind))
        (tmp_path / kind / ".git").rename(project / ".git")
        (project / "a.txt").write_text("one\ntwo\n")
        answer = studio("blame", "a.txt")
        [lines] = answer.json["lines"]
        first = studio("blame", "a.txt", json=False).text.split()[0]
        if kind == "--depth=1":
            assert (lines["commit"], lines["boundary"], first) == (newest, True, f"^{newest[:7]}")
        else:
            assert (lines, first) == ({"first": 1, "last": 2, "from": "unknown"}, "-" * 8)
            assert "partial clone" in answer.err
        (project / ".git").rename(tmp_path / kind / "done")
