"""A store from before hashes covered time, plan and step goes on, and says which rows do."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from studio.engine.store import Store
from tests.doors.conftest import CommandLine
from tests.tools.older_builds import ENTRIES_OF_FIRST_RULE, EXPORT_OF_FIRST_RULE, lay_out_both_rules

UPGRADE = ENTRIES_OF_FIRST_RULE + 1
"""The position of the row from which on the new rule holds."""


@pytest.fixture
def store(project: Path, allow_review: None) -> Path:
    """The store that the code before left, for a project that lies as it left it."""
    return lay_out_both_rules(project)


@pytest.fixture
def applied(store: Path, studio: CommandLine) -> CommandLine:
    """The command line after the plan that was waiting has been applied by the code of today."""
    waiting = next(plan for plan in studio("plans").json["plans"] if plan["state"] == "pending")
    assert studio("approve", waiting["plan"], "--apply").code == 0
    return studio


def test_the_chain_goes_on_by_the_new_rule_from_one_row_on(applied: CommandLine) -> None:
    entries = applied("journal").json["entries"]
    assert [entry["position"] for entry in entries] == list(range(1, UPGRADE + 3))
    upgrade = entries[UPGRADE - 1]["entry"]
    assert upgrade["$type"] == "JournalUpgraded" and upgrade["fromPosition"] == UPGRADE
    assert applied("journal", "--verify").json == {
        "entries": UPGRADE + 2,
        "damaged_at": None,
        "covered_from": UPGRADE,
    }
    said = applied("journal", "--verify", json=False).text
    assert f"From entry {UPGRADE} on" in said and "earlier ones cover only the entries" in said
    listed = applied("journal", json=False).text
    assert "hashes also cover time, plan and step from here on" in listed


def test_what_was_applied_before_can_still_be_taken_back(applied: CommandLine, project: Path) -> None:
    history = applied("history").json["entries"]
    assert [(entry["state"], entry["kept"]) for entry in history] == [
        ("completed", True),
        ("completed", True),
        ("rolled_back", True),
        ("completed", True),
    ]
    assert applied("rollback", history[0]["plan"]).code == 0
    assert (project / "a.txt").read_bytes() == b"eins\ntwo\n"
    assert applied("journal", "--verify").code == 0


DAMAGE = {
    "UPDATE journal SET written = '2001-01-01T00:00:00.000Z' WHERE position = 3": None,
    "UPDATE journal SET plan_id = '' WHERE position = 3": None,
    "UPDATE journal SET entry = replace(entry, 'a.txt', 'b.txt') WHERE position = 2": 2,
    f"UPDATE journal SET rule = 2 WHERE position = {UPGRADE - 1}": UPGRADE - 1,
    f"UPDATE journal SET written = '' WHERE position = {UPGRADE}": UPGRADE,
    f"UPDATE journal SET entry = replace(entry, ':{UPGRADE},', ':2,') WHERE position = {UPGRADE}": UPGRADE,
    f"DELETE FROM journal WHERE position = {UPGRADE}": UPGRADE,
    f"UPDATE journal SET step_id = '' WHERE position = {UPGRADE + 1}": UPGRADE + 1,
}
"""What somebody changes, and the first entry that shows it; None: nothing does, by the old rule."""


def test_each_row_is_verified_by_its_own_rule(applied: CommandLine, store: Path, tmp_path: Path) -> None:
    for number, (statement, at) in enumerate(DAMAGE.items()):
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(store.parent, copy)
        connection = sqlite3.connect(copy / store.name)
        assert connection.execute(statement).rowcount == 1
        connection.commit()
        connection.close()
        opened = Store(copy)
        assert opened.journal.verify().damaged_at == at
        opened.close()


def test_an_export_of_both_halves_is_verified_and_replayed(
    applied: CommandLine, project: Path, tmp_path: Path
) -> None:
    export = tmp_path / "both.ndjson"
    assert applied("journal", "--export", export, "--with-contents").code == 0
    assert {json.loads(line)["schemaVersion"] for line in export.read_text().splitlines()} == {"2"}
    found = applied("journal", "--verify", export)
    assert found.code == 0 and found.json["covered_from"] == UPGRADE
    assert found.json["entries"] == UPGRADE + 2
    folder = tmp_path / "empty"
    folder.mkdir()
    assert applied("journal", "--replay", folder, "--from", export).code == 0
    for path in ("a.txt", "log.txt", "src/new.txt"):
        assert (folder / path).read_bytes() == (project / path).read_bytes()


def test_an_export_of_the_first_version_is_verified_by_its_rule(studio: CommandLine, tmp_path: Path) -> None:
    """No store knows it: another project's."""
    found = studio("journal", "--verify", EXPORT_OF_FIRST_RULE)
    assert (found.code, found.json["entries"], found.json["covered_from"]) == (0, ENTRIES_OF_FIRST_RULE, None)
    said = studio("journal", "--verify", EXPORT_OF_FIRST_RULE, json=False).text
    assert "not their time, plan and step" in said
    text = EXPORT_OF_FIRST_RULE.read_text()
    for old, new, at in (("2026-", "2025-", None), ('"path":"a.txt"', '"path":"b.txt"', 2)):
        changed = tmp_path / "changed"
        changed.write_text(text.replace(old, new))
        assert studio("journal", "--verify", changed).json["damaged_at"] == at


def test_an_export_of_the_first_version_is_replayed_over_the_files_it_began_with(
    studio: CommandLine, allow_review: None, tmp_path: Path
) -> None:
    folder = tmp_path / "start"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"one\ntwo\n")
    (folder / "log.txt").write_bytes(b"log\n")
    assert studio("journal", "--replay", folder, "--from", EXPORT_OF_FIRST_RULE).code == 0
    assert (folder / "a.txt").read_bytes() == b"eins\ntwo\n"
    assert (folder / "log.txt").read_bytes() == b"log\n"
    assert (folder / "src" / "new.txt").read_bytes() == b"new\n"


def test_a_store_that_no_release_wrote_is_archived_and_named(
    project: Path, studio: CommandLine, allow_review: None
) -> None:
    """Versions up to 11: nothing of it is changed or deleted, and the project goes on with a new store."""
    store = lay_out_both_rules(project, version=11)
    before = store.read_bytes()
    said = studio("plans")
    (archived,) = store.parent.glob("store.sqlite3.old-*Z")
    assert (said.code, said.json, archived.read_bytes()) == (0, {"plans": []}, before)
    assert archived.name in said.err and "before the first release" in said.err
    plan = studio.submit({"op": "create", "path": "b.txt", "content": "b\n"})["plan"]
    assert studio("approve", plan, "--apply").code == 0
    again = studio("plans")
    assert (again.err, len(again.json["plans"])) == ("", 1)


def test_a_program_of_before_that_still_runs_can_add_no_row(store: Path, studio: CommandLine) -> None:
    """It would be hashed by the old rule; it gives as many values as the table had columns then."""
    assert studio("plans").code == 0
    connection = sqlite3.connect(store)
    with pytest.raises(sqlite3.OperationalError, match="9 columns but 8 values"):
        connection.execute("INSERT INTO journal VALUES (16, '', '', '', '', '', '', x'00')")
    connection.close()
