"""A day that an older build recorded is opened, verified, undone and restored by this one.

The record is made by `tests/tools/day.py`; the expectations are what the older build printed.
"""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray

from studio.ui.settings import Settings
from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine
from tests.tools.day import EXPORTS, FIXTURE, LINES, OUTSIDE, TITLES, Digest, digest, lay_out

BYTES_UP_TO = 150_000
OF_FIRST_RULE = 14
"""Rows of the second export that precede the upgrade of the hashes."""

Record = Mapping[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def record(project: Path) -> Record:
    return lay_out(project)


def ids(record: Record) -> dict[str, str]:
    """Return the plans' ids by title."""
    return {plan["title"]: plan["plan"] for plan in record["plans"]}


def without_outside(found: Digest) -> Digest:
    return {path: entry for path, entry in found.items() if path not in OUTSIDE}


def is_recorded(now: object, then: object) -> bool:
    """Return whether all that was printed then is printed now; a later build may add keys."""
    if isinstance(then, dict) and isinstance(now, dict):
        return all(key in now and is_recorded(now[key], then[key]) for key in then)
    if isinstance(then, list) and isinstance(now, list):
        return len(now) == len(then) and all(map(is_recorded, now, then))
    return now == then


def lines(export: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export.read_text(encoding="utf-8").splitlines()]


def test_the_fixture_is_small_and_names_no_folder_of_its_maker() -> None:
    contents = [file.read_bytes() for file in FIXTURE.iterdir()]
    assert sum(map(len, contents)) < BYTES_UP_TO
    for path in (b"/tmp/", b"/home/", b"/root/"):
        assert not any(path in data or path.hex().upper().encode() in data for data in contents)


def test_every_plan_has_its_state(record: Record, studio: CommandLine) -> None:
    plans = [*studio("plans").json["plans"], *studio("plans", "--state", "dismissed").json["plans"]]
    assert {plan["title"]: plan["state"] for plan in plans} == TITLES
    for now, then in zip(plans, record["plans"], strict=True):
        assert is_recorded(now, then), then["title"]
        shown = studio("show", then["plan"], "--diff")
        assert (shown.code, shown.err) == (0, "") and is_recorded(shown.json, then), then["title"]
        assert studio("show", then["plan"], "--reply", json=False).code == 0, then["title"]


def test_what_was_decided_about_parts_is_still_there(record: Record, studio: CommandLine) -> None:
    plans = ids(record)
    (step,) = studio("show", plans["Some hunks"]).json["steps"]
    assert [hunk["chosen"] for hunk in step["hunks"]] == [True, False, True]
    assert [step["state"] for step in studio("show", plans["Some steps"]).json["steps"]] == [
        "applied",
        "rejected",
    ]
    (outdated,) = studio("show", plans["Outdated"]).json["steps"]
    assert outdated["state"] == "stale"
    for title, reason in (("No", "not now"), ("Shorter", "make it shorter"), ("Some steps", "one is enough")):
        assert reason in studio("show", plans[title], "--reply", json=False).text


def test_every_undo_restores_the_files(record: Record, studio: CommandLine, project: Path) -> None:
    """From the newest apply to the oldest; that of a rollback is a redo, which is undone in its turn."""
    assert is_recorded(studio("history").json["entries"], record["history"])
    assert all(entry["kept"] for entry in record["history"])
    steps = {plan["plan"]: plan["steps"] for plan in record["plans"]}
    for entry in record["history"]:
        before = record["before"][entry["plan"]]
        dry = studio("rollback", entry["plan"], "--dry-run")
        assert dry.code == 0, (entry["title"], dry)
        done = studio("rollback", entry["plan"])
        assert (done.code, done.json["state"]) == (0, "completed"), (entry["title"], done)
        now = digest(project)
        assert without_outside(now) == without_outside(before), entry["title"]
        for path in {step.get(name) for step in steps[entry["plan"]] for name in ("path", "to")} - {None}:
            assert now.get(path) == before.get(path), (entry["title"], path)
    assert (project / "lines.txt").read_text() == "".join(LINES)
    assert without_outside(digest(project)) == without_outside(record["snapshots"]["morning"])
    assert studio("journal", "--verify").json["damaged_at"] is None


def test_every_journal_entry_is_verified_and_exported(
    record: Record, studio: CommandLine, tmp_path: Path
) -> None:
    then = record["journal"]
    assert is_recorded(studio("journal", "--verify").json, then)
    export = tmp_path / "now.ndjson"
    assert studio("journal", "--export", export, "--with-contents").code == 0
    now, recorded = lines(export), lines(FIXTURE / EXPORTS[0])
    assert len(recorded) == then["entries"]
    assert is_recorded(now, recorded)


@pytest.mark.parametrize(
    ("name", "entries", "covered_from"),
    [(EXPORTS[0], 39, 1), (EXPORTS[1], OF_FIRST_RULE + 3, OF_FIRST_RULE + 1)],
)
def test_an_export_is_verified_by_the_rule_of_each_row(
    studio: CommandLine, tmp_path: Path, name: str, entries: int, covered_from: int
) -> None:
    found = studio("journal", "--verify", FIXTURE / name)
    assert (found.code, found.json["entries"], found.json["damaged_at"]) == (0, entries, None)
    assert found.json["covered_from"] == covered_from
    rows = (FIXTURE / name).read_text().splitlines(keepends=True)
    for position in (2, entries):
        changed = tmp_path / "changed.ndjson"
        row = rows[position - 1].replace('"correlationId":"', '"correlationId":"x')
        changed.write_text("".join([*rows[: position - 1], row, *rows[position:]]))
        refused = studio("journal", "--verify", changed)
        assert (refused.code, refused.json["damaged_at"]) == (1, position)


@pytest.mark.parametrize("tag", ["morning", "evening"])
def test_every_snapshot_is_listed_and_restored(
    record: Record, studio: CommandLine, project: Path, tag: str
) -> None:
    assert [each["tag"] for each in studio("snapshot", "list").json["snapshots"]] == ["morning", "evening"]
    before = digest(project)
    plan = studio("snapshot", "restore", tag)
    assert (plan.code, plan.json["state"]) == (0, "completed"), plan
    assert digest(project) == record["snapshots"][tag]
    assert studio("rollback", plan.json["plan"]).code == 0
    assert digest(project) == before


def test_settings_have_their_values_of_then(record: Record, studio: CommandLine) -> None:
    now = studio("config").json["settings"]
    for setting in record["settings"]:
        assert any(is_recorded(each, setting) for each in now), setting
    assert {each["level"] for each in record["settings"]} == {"default", "user", "project"}
    verdicts = studio("check", "private/a.txt", "generated/a.txt", "a.txt").json["verdicts"]
    assert [verdict["allowed"] for verdict in verdicts] == [False, False, True]


def test_what_others_changed_and_asked_is_listed(record: Record, studio: CommandLine) -> None:
    observed = studio("observed", "list", "--all").json["observed"]
    assert {each["path"]: (each["op"], each["state"]) for each in observed} == OUTSIDE
    assert is_recorded(observed, record["observed"])
    for each in observed:
        assert studio("observed", "show", each["observed"]).code == 0
    assert is_recorded(studio("sessions").json["sessions"], record["sessions"])
    assert [session["agent"] for session in record["sessions"]] == ["codex", "claude-code"]
    assert is_recorded(studio("calls").json["calls"], record["calls"]) and len(record["calls"]) == 1


@pytest.mark.process
def test_the_window_opens_with_its_settings(record: Record, project: Path) -> None:
    state = Path(os.environ["STUDIO_STATE_DIR"])
    settings = Settings(state / "window.ini")
    assert settings.recent_projects() == (project,) and not settings.is_first_day
    (file,) = state.glob("*/window.ini")
    written = configparser.ConfigParser()
    written.read(file)
    assert written["sizes"]
    for name, value in written["sizes"].items():
        expected = QByteArray.fromBase64(value.strip('"').encode())
        assert expected.size() and Settings(file).geometry(f"sizes/{name}") == expected
    waiting = [plan for plan in record["plans"] if plan["state"] in ("pending", "approved")]
    done = subprocess.run(
        [sys.executable, "-m", "studio", "--smoke", "--project", str(project)],
        capture_output=True,
        text=True,
        check=False,
        timeout=3 * TIMEOUT_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plans"] == len(waiting)


def test_the_work_goes_on(record: Record, studio: CommandLine, project: Path) -> None:
    plans, before = ids(record), digest(project)
    applied = studio("approve", plans["Waits"], "--apply")
    assert (applied.code, applied.json["state"]) == (0, "completed"), applied
    assert (project / "a.txt").read_bytes() == b"uno\nzwei\n" and not (project / "src/new.txt").exists()
    assert studio("rollback", plans["Waits"]).code == 0
    assert digest(project) == before
    assert studio("journal", "--verify").json["damaged_at"] is None
