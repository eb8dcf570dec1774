"""The demo project holds what it promises, and its plans fit it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.doors import demo
from studio.engine.diff import apply_strict, parse_unified
from studio.errors import Refused

GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": "/"}
OLD_FILES = ("legacy/hafenbuch.txt", "legacy/stations-export.tsv")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return demo.make_demo(tmp_path / "tidewatch")


def git_apply(project: Path, patch: bytes, *options: str) -> None:
    done = subprocess.run(
        ["git", "apply", *options, "-"],
        cwd=project,
        env={**os.environ, **GIT},
        input=patch,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def run_own_tests(project: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-m", "unittest"],
        cwd=project,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def hashes(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


def json_steps() -> list[dict[str, Any]]:
    texts = [each.text for each in demo.demo_submissions() if each.format == "plan"]
    return [step for text in texts for step in json.loads(text)["steps"]]


def diff_paths(text: bytes) -> set[str]:
    headers = [line for line in text.decode().splitlines() if line.startswith("diff --git ")]
    return {name[2:] for line in headers for name in line.split()[2:]}


def apply_json_step(project: Path, step: dict[str, Any]) -> None:
    path, to = step["path"], step.get("to", step["path"])
    match step["op"]:
        case "create":
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(step["content"], "utf-8")
        case "mode":
            (project / path).chmod(0o755)
        case "modify" | "move":
            (project / path).rename(project / to)
            for edit in step.get("edits", ()):
                before = (project / to).read_text("utf-8")
                assert before.count(edit["old"]) == 1
                (project / to).write_text(before.replace(edit["old"], edit["new"]), "utf-8")
            if "patch" in step:
                git_apply(project, f"--- a/{to}\n+++ b/{to}\n{step['patch']}".encode())
        case other:
            raise AssertionError(other)


def test_project_holds_every_kind_of_file(project: Path) -> None:
    old_text, old_table = [(project / name).read_bytes() for name in OLD_FILES]
    with pytest.raises(UnicodeDecodeError):
        old_text.decode("utf-8")
    assert "für" in old_text.decode("windows-1252")
    assert old_text.count(b"\n") == old_text.count(b"\r\n") > 5
    assert old_table.startswith(b"\xff\xfe")
    assert "Cuxhaven" in old_table.decode("utf-16")
    assert (project / "assets/lighthouse.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert (project / demo.READINGS_FILE).read_bytes().count(b"\n") == demo.READING_COUNT + 1
    executable = {
        file.relative_to(project).as_posix()
        for file in project.rglob("*")
        if file.is_file() and file.stat().st_mode & 0o111
    }
    assert executable == set(demo.EXECUTABLE)
    endings = {file.suffix for file in project.rglob("*")}
    assert {".py", ".js", ".html", ".css", ".sh", ".md", ".yaml", ".toml", ".sql"} <= endings


def test_copies_are_alike_and_their_tests_pass(project: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    again.mkdir()
    assert demo.make_demo(again) == again.resolve()
    assert hashes(again) == hashes(project)
    assert "OK" in run_own_tests(project)


def test_a_read_only_installation_makes_copies_that_can_be_written_to(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(demo.resource("demo", "project"), installed)
    for path in (installed, *installed.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    monkeypatch.setattr(demo, "resource", lambda *_: installed)
    copy = demo.make_demo(tmp_path / "copy")
    for path in (installed, *installed.rglob("*")):
        path.chmod(0o755)
    assert hashes(copy) == hashes(project)
    assert all(path.stat().st_mode & 0o200 for path in (copy, *copy.rglob("*")))


def test_other_folders_are_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("keep")
    with pytest.raises(Refused, match="not empty") as full:
        demo.make_demo(tmp_path)
    assert full.value.code == "demo.folder_not_empty"
    with pytest.raises(Refused, match="is a file") as file:
        demo.make_demo(tmp_path / "mine")
    assert file.value.code == "demo.not_a_folder"
    with pytest.raises(Refused, match="could not be copied") as beneath:
        demo.make_demo(tmp_path / "mine" / "demo")
    assert beneath.value.code == "demo.cannot_write"
    assert hashes(tmp_path) == {"mine": hashlib.sha256(b"keep").hexdigest()}


def test_every_demo_gets_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "state"))
    folders = [demo.default_demo_folder() for _ in range(3)]
    assert [folder.name for folder in folders] == ["tidewatch", "tidewatch-2", "tidewatch-3"]
    assert {folder.parent for folder in folders} == {tmp_path / "state" / "demo"}
    assert demo.make_demo(folders[1]) == folders[1].resolve()


def test_a_file_in_the_way_of_the_demo_folder_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "demo").write_text("")
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path))
    with pytest.raises(Refused) as refused:
        demo.default_demo_folder()
    assert refused.value.code == "demo.cannot_write"


def test_plans_cover_what_a_reviewer_should_try() -> None:
    submissions = demo.demo_submissions()
    assert 6 <= len(submissions) <= 7
    assert all(each.title and each.agent and each.file_name for each in submissions)
    assert {each.format for each in submissions} == {"plan", "unified"}
    first = json.loads(submissions[0].text)
    assert (first["title"], first["agent"]) == (submissions[0].title, submissions[0].agent)
    assert first["steps"][0]["op"] == "modify"
    assert 3 <= first["steps"][0]["patch"].count("\n@@") + 1 <= 6
    assert {"create", "modify", "move", "mode"} <= {step["op"] for step in json_steps()}
    assert any(step["path"].startswith(".github/") for step in json_steps())
    diffs = b"".join(each.text for each in submissions if each.format == "unified")
    for needle in (
        b"new file mode",
        b"deleted file mode",
        b"rename to",
        b"new mode 100755",
        b"GIT binary patch",
    ):
        assert needle in diffs
    assert "\u202e" in diffs.decode()
    assert all(name.encode() in diffs for name in OLD_FILES)
    assert b"@@ -14230," in diffs


def test_no_two_plans_touch_one_path() -> None:
    touched: list[str] = []
    for each in demo.demo_submissions():
        if each.format == "plan":
            steps = json.loads(each.text)["steps"]
            touched += [path for step in steps for path in (step["path"], step.get("to")) if path]
        else:
            touched += diff_paths(each.text)
    assert len(touched) == len(set(touched))


@pytest.mark.parametrize("name", [each.file_name for each in demo.demo_submissions()])
def test_git_accepts_each_diff_alone(project: Path, name: str) -> None:
    text = next(each.text for each in demo.demo_submissions() if each.file_name == name)
    if name.endswith(".json"):
        for step in json.loads(text)["steps"]:
            apply_json_step(project, step)
    else:
        # git does not know how to patch UTF-16, and the other old file is meant as UTF-8 text.
        git_apply(project, text, "--exclude=legacy/*")


def test_all_plans_together_leave_a_program_that_works(project: Path) -> None:
    before = run_own_tests(project)
    original = (project / "assets/lighthouse.png").read_bytes()
    for each in demo.demo_submissions():
        if each.format == "unified":
            git_apply(project, each.text, "--exclude=legacy/*")
    for step in json_steps():
        apply_json_step(project, step)
    after = run_own_tests(project)
    assert not (project / "src/tidewatch/export_csv.py").exists()
    assert (project / "web/style.css").is_file()
    picture = (project / "assets/lighthouse.png").read_bytes()
    assert picture != original and picture.startswith(b"\x89PNG\r\n\x1a\n")
    for script in ("backup.sh", "deploy.sh", "nightly.sh"):
        assert (project / "scripts" / script).stat().st_mode & 0o111
    assert count_of_tests(after) > count_of_tests(before)


def test_the_old_files_are_changed_in_their_own_encoding(project: Path) -> None:
    """git cannot do this: the diff is UTF-8 with LF, the files are UTF-16 and Windows-1252 with CRLF."""
    texts = [each.text for each in demo.demo_submissions() if OLD_FILES[0].encode() in each.text]
    patches = {patch.old_path: patch for patch in parse_unified(texts[0])}
    for name, encoding in zip(OLD_FILES, ("windows-1252", "utf-16"), strict=True):
        base = (project / name).read_bytes()
        before, after = (
            data.decode(encoding).split("\r\n") for data in (base, apply_strict(base, patches[name]))
        )
        assert len(before) == len(after)
        assert 2 <= sum(old != new for old, new in zip(before, after, strict=True)) <= 3
        assert not any("\n" in line or "\r" in line for line in after)


def count_of_tests(output: str) -> int:
    return int(output.rpartition("Ran ")[2].split()[0])


def test_a_colleague_changes_exactly_the_stale_file(project: Path) -> None:
    before = hashes(project)
    demo.after_submission(project)
    after = hashes(project)
    assert {name for name in after if after[name] != before[name]} == {demo.STALE_FILE}
    assert any(step["path"] == demo.STALE_FILE for step in json_steps())
    assert "OK" in run_own_tests(project)
