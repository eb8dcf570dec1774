"""`studio doctor --bundle FILE`: what helps to find a fault, and nothing that is nobody's business."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from studio.engine.plan import Plan
from studio.extras import diagnostics
from studio.workspace import Reviewer, Workspace
from tests.doors.conftest import CommandLine

CONTENT = "nobody else reads this line"
TOKEN = "ghp_" + "a1B2" * 9  # made up, and never one


@pytest.fixture
def applied(studio: CommandLine, workspace: Workspace, reviewer: Reviewer) -> Plan:
    told = studio.submit({"op": "create", "path": "kept.txt", "content": f"{CONTENT}\n"})
    reviewer.approve(told["plan"])
    return reviewer.apply(told["plan"])


def log_file() -> Path:
    return Path(os.environ["STUDIO_STATE_DIR"], "studio.log")


def test_the_bundle_has_what_helps_and_no_contents(
    studio: CommandLine, applied: Plan, tmp_path: Path
) -> None:
    assert studio("submit", "no-such-file").code != 0
    file = tmp_path / "fault.txt"
    said = studio("doctor", "--bundle", file)
    assert (said.code, said.json["bundle"]) == (0, str(file))
    text = file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "log and names are the user's"
    for words in (
        "Exacta Studio 0",
        "Python 3",
        "PySide6-Essentials ",
        "== Checks ==",
        "opens with 1",
    ):
        assert words in text
    assert "review.command_line = 'ask'  (default)" in text
    assert "FileWrite" in text and '"path": "kept.txt"' in text, "what was asked of which path"
    assert CONTENT not in text


def test_home_and_what_looks_like_a_secret_stay_here(studio: CommandLine, project: Path) -> None:
    home = Path.home()
    log_file().parent.mkdir(exist_ok=True)
    log_file().write_text(
        f"INFO opened {home}/work and {home}-other\n"
        f"ERROR could not fetch with {TOKEN}\n"
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n\nq83vEjRWeJCrze8SNFZ4kKvN\n"
        "-----END RSA PRIVATE KEY-----\n"
        "INFO and it went on\n"
    )
    text = studio("doctor", "--bundle", "-", json=False).text
    assert "INFO opened ~/work" in text and f"{home}-other" in text
    assert TOKEN not in text and "(Left out: a GitHub token.)" in text
    assert "MIIE" not in text and "q83v" not in text and "(Left out: a private key.)" in text
    assert "INFO and it went on" in text


def test_a_project_that_cant_be_opened_is_what_it_is_for(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    (project / "studio.yaml").write_text("schema_version: [\n")
    file = tmp_path / "fault.txt"
    assert studio("doctor", "--bundle", file).code == 0
    text = file.read_text()
    assert "studio.yaml" in text.partition("== Settings ==")[2].partition("== Journal ==")[0]
    assert "== Log ==" in text


def test_what_it_stands_on_may_be_broken_too(studio: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "no-folder").write_text("")
    state = {"STUDIO_STATE_DIR": str(tmp_path / "no-folder")}
    said = studio("doctor", "--bundle", "-", json=False, environment=state)
    assert said.code == 0 and "== Versions ==" in said.text and "no-folder" in said.text


def test_nothing_is_written_over_nor_into_the_project(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there.txt"
    there.write_text("mine\n")
    assert studio("doctor", "--bundle", there).error["code"] == "file.exists"
    assert studio("doctor", "--bundle", project / "fault.txt").error["code"] == "file.in_project"
    assert studio("doctor", "codex", "--bundle", tmp_path / "new.txt").error["code"] == "usage"
    assert there.read_text() == "mine\n" and not (project / "fault.txt").exists()
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.parametrize("way", ["relative", "link"])
def test_a_project_without_a_mark_is_one_however_it_is_named(
    studio: CommandLine, project: Path, tmp_path: Path, way: str
) -> None:
    (project / "studio.yaml").unlink()
    (tmp_path / "link").symlink_to(project)
    named, file = ("project", "project/fault.txt") if way == "relative" else ("link", project / "fault.txt")
    said = studio("--project", named, "doctor", "--bundle", file, cwd=tmp_path)
    assert said.error["code"] == "file.in_project" and not (project / "fault.txt").exists()


def test_a_log_that_cant_be_read_is_said(studio: CommandLine) -> None:
    log_file().mkdir(parents=True)
    text = studio("doctor", "--bundle", "-", json=False).text
    assert "studio.log" in text.partition("== Log ==")[2]


def test_what_was_searched_for_is_told_by_its_length(studio: CommandLine, project: Path) -> None:
    """It may be a line of a file, and one that looks like a key hides nothing that comes after it."""
    (project / "one.txt").write_text("one\n")
    for sought in (f"token={TOKEN}", CONTENT, "-----BEGIN RSA PRIVATE KEY"):
        assert studio("fs", "search", "--", sought, ".").code == 0
    text = studio("doctor", "--bundle", "-", json=False).text
    entries = text.partition("== Journal, newest first ==")[2].partition("== Log ==")[0]
    assert TOKEN not in text and CONTENT not in text
    assert entries.count("SessionListing") == 3 and f"({len(CONTENT)} characters)" in entries


@pytest.mark.parametrize(
    "line",
    [
        f"got token={TOKEN} and went on",
        'asked for "password = \\"Tr0ub4dor&3xK\\""',
        "pattern=token=9f8a7c6b5d4e3f2a1b0c count=3",
        "fetching http://me:Tr0ub@tides.example/x",
        "Authorization: Bearer Tr0ub4dorabcdefgh",
        "password=Tr0ub",
        "GET /x?api_key=Tr0ub HTTP/1.1",
    ],
)
def test_a_secret_anywhere_in_a_line_takes_the_line_away(line: str) -> None:
    text = diagnostics.text_of([diagnostics.Section("Log", (line, "and on"))])
    assert "(Left out: " in text and "went on" not in text and "Tr0ub" not in text and "9f8a" not in text
    assert text.endswith("and on\n")


def test_a_key_takes_its_own_lines_away_and_no_more() -> None:
    lines = (
        "-----BEGIN RSA PRIVATE KEY",
        "12 entries were listed",
        "-----BEGIN PRIVATE KEY-----",
        "MIIE",
        "the tail",
    )
    text = diagnostics.text_of([diagnostics.Section("Log", lines)])
    assert "12 entries were listed" in text and "MIIE" not in text
    assert text.endswith("the tail\n")


def test_the_home_folder_is_short_behind_a_link_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "jürgen"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    text = diagnostics.text_of([diagnostics.Section("Log", (f"{home}/a and {tmp_path}/link/b",))])
    assert "~/a and ~/b" in text


def test_signs_that_a_terminal_obeys_are_shown_as_such() -> None:
    text = diagnostics.text_of([diagnostics.Section("Log", ("a \x1b[2J b\u202e",))])
    assert "\x1b" not in text and "\\x1b[2J" in text and "\u202e" not in text
