"""Which project a command works on that was started in a folder below it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from studio.doors.cli.main import run
from tests.doors.conftest import CommandLine, plan_text
from tests.doors.hooks.conftest import Hook, hooks_here, use_of

__all__ = ["hooks_here"]

OTHER_USER = 4321
NEW = plan_text({"op": "create", "path": "new.txt", "content": "x\n"})
DENIED = plan_text({"op": "create", "path": "closed/new.txt", "content": "x\n"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder in which commands are started; nothing says that it is a project."""
    folder = tmp_path / "above" / "project"
    folder.mkdir(parents=True)
    return folder


def make_foreign(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it another user's: really where a test may, else by being another user ourselves."""
    if os.geteuid() == 0:
        os.chown(path, OTHER_USER, OTHER_USER)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: OTHER_USER)


@pytest.mark.parametrize("kind", ["empty", "broken", "whole"])
def test_a_plan_is_written_below_a_git_folder_only_where_git_takes_it(
    studio: CommandLine, project: Path, allow_review: None, kind: str
) -> None:
    (project.parent / ".git").mkdir()
    if kind != "empty":
        (project.parent / ".git/HEAD").write_text("ref: refs/heads/x\n" if kind == "whole" else "junk\n")
    plan = studio("submit", stdin=NEW).json["plan"]
    assert studio("approve", plan, "--apply").code == 0
    written = project.parent if kind == "whole" else project
    assert list(project.parent.rglob("new.txt")) == [written / "new.txt"]


def test_a_git_file_that_leads_nowhere_stops_commands_and_hooks(studio: CommandLine, project: Path) -> None:
    (project.parent / "studio.git").mkdir()
    (project / ".git").write_text("gitdir: ../studio.git\n")
    (project.parent / ".git").mkdir()
    (project.parent / ".git/HEAD").write_text("ref: refs/heads/x\n")
    deep = project / "deep"
    deep.mkdir()
    for words in (("submit",), ("plans",), ("config", "show")):
        refused = studio(*words, stdin=NEW, cwd=deep)
        assert (refused.code, refused.error["code"]) == (1, "root.git_file")
        assert str(project / ".git") in refused.error["message"]
        assert "name the project folder" in refused.error["hint"]
    assert studio("submit", "--project", project, stdin=NEW).code == 0
    use = use_of("Write", {"file_path": str(deep / "new.txt"), "content": "x\n"}, deep)
    said = Hook("claude-code", json.dumps(use).encode()).said()
    assert "points to no git repository" in said.out + said.err
    assert not list(project.parent.rglob("new.txt"))


def test_a_sign_of_another_user_chooses_nothing_and_still_denies(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its rules hold where its folder is the project, and what they would allow waits for trust."""
    shared = project.parent
    rules = "limits: {steps: 5000}\nfile_rules: {deny: [closed/], allow: [bin/]}\n"
    (shared / "studio.yaml").write_text(rules)
    shared.chmod(0o1777)
    make_foreign(shared / "studio.yaml", monkeypatch)
    (project / "plan.json").write_bytes(DENIED)

    def said(*words: str) -> dict[str, Any]:
        run(["--json", *words])
        return json.loads(capsys.readouterr().out)

    monkeypatch.chdir(project)
    assert said("config", "show")["project"] == {"path": str(project), "reason": "the current folder"}
    assert said("submit", "plan.json")["state"] == "pending"
    for words in (("--project", str(shared)), ()):
        monkeypatch.chdir(project if words else shared)
        plan = said("submit", str(project / "plan.json"), *words)
        assert (plan["state"], plan["steps"][0]["problems"][0]["code"]) == ("invalid", "policy.denied")
        assert not said("check", "bin/tool", *words)["verdicts"][0]["allowed"]


def test_a_submission_names_its_project(studio: CommandLine, project: Path) -> None:
    (project / "studio.yaml").touch()
    deep = project / "deep"
    deep.mkdir()
    found = {"path": str(project), "reason": "the nearest folder with studio.yaml"}
    wrong = plan_text({"op": "delete", "path": "missing.txt"})
    for text, state in ((NEW, "pending"), (wrong, "invalid")):
        document = studio("submit", stdin=text, cwd=deep).json
        assert (document["state"], document["project"]) == (state, found)
        assert "other_projects" not in document
        shown = studio("submit", stdin=text, cwd=deep, json=False).text
        assert shown.endswith(f"\n  project: {project}\n")
    waited = studio("submit", "--wait", "0", stdin=NEW, cwd=deep)
    assert (waited.code, waited.json["project"]) == (5, found)
    named = {"path": str(deep), "reason": "the given folder"}
    assert studio("submit", "--project", deep, stdin=NEW).json["project"] == named
    copy = project.parent / "copy"
    copy.mkdir()
    (copy / "studio.yaml").touch()
    alike = studio("submit", "--tree", copy, cwd=deep).json
    assert (alike["plan"], alike["project"]) == (None, found)


@pytest.mark.parametrize("former", ["above", "below"])
def test_open_plans_of_a_folder_that_was_the_project_are_reported(
    studio: CommandLine, project: Path, former: str
) -> None:
    """As after an upgrade, or once a repository came: nobody would find them again."""
    before, now = (project.parent, project) if former == "above" else (project, project.parent)
    plan = studio("submit", "--project", before, stdin=NEW).json["plan"]
    (now / "studio.yaml").touch()
    said = studio("submit", stdin=NEW)
    assert said.json["project"]["path"] == str(now)
    assert said.json["other_projects"] == [{"path": str(before), "open_plans": 1}]
    assert (
        f"The project {before} also has 1 open plan. List them with: studio plans --project {before}\n"
        in said.err
    )
    (listed,) = studio("plans", "--project", before).json["plans"]
    assert listed["plan"] == plan
    assert studio("withdraw", plan, "--project", before).code == 0
    said = studio("submit", stdin=NEW)
    assert "other_projects" not in said.json and "open plan" not in said.err
