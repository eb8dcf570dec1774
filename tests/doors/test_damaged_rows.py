"""A store whose rows hold what can't be: each command says which, and what is whole still works."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.doors.cli.main import run
from tests.conftest import private_environment
from tests.doors.conftest import plan_text, set_review

DAMAGES = {
    "text in an integer column": "UPDATE steps SET added = 'many' WHERE plan_id = :plan",
    "bytes in a text column": "UPDATE plans SET title = x'ff00' WHERE id = :plan",
    "an unknown plan state": "UPDATE plans SET state = 'wild' WHERE id = :plan",
    "an unknown step state": "UPDATE steps SET state = 'wild' WHERE plan_id = :plan",
    "an unknown operation": "UPDATE steps SET op = 'explode' WHERE plan_id = :plan",
    "an unknown verdict": "UPDATE decisions SET verdict = 'maybe' WHERE plan_id = :plan",
    "an unknown way of being seen": "UPDATE decisions SET seen = 'dream' WHERE plan_id = :plan",
    "hunks that are no JSON": "UPDATE steps SET hunks = '[[1, 2' WHERE plan_id = :plan",
    "hunks of text": "UPDATE steps SET hunks = '[[\"a\", 1, 1, 1, 1]]' WHERE plan_id = :plan",
    "hunks of too few numbers": "UPDATE steps SET hunks = '[[1, 1]]' WHERE plan_id = :plan",
    "a hunk at a huge line": "UPDATE steps SET hunks = '[[1, 9e99, 1, 1, 1]]' WHERE plan_id = :plan",
    "hunks in bytes": "UPDATE steps SET hunks = x'5b5d' WHERE plan_id = :plan",
    "facts that are no list": "UPDATE steps SET facts = '{\"a\": 1}' WHERE plan_id = :plan",
    "facts of another shape": "UPDATE steps SET facts = '[{\"kind\": 1}]' WHERE plan_id = :plan",
    "facts nested for ever": "UPDATE steps SET facts = :deep WHERE plan_id = :plan",
    "problems that are no JSON": "UPDATE steps SET problems = 'none' WHERE plan_id = :plan",
    "plan problems of numbers": "UPDATE plans SET problems = '[1, 2]' WHERE id = :plan",
    "a base that is no JSON": "UPDATE steps SET base = 'x' WHERE plan_id = :plan",
    "a base with a wrong hash": "UPDATE steps SET base = '[\"beef\", 1, 420]' WHERE plan_id = :plan",
    "a base of a negative size": "UPDATE steps SET base = replace(base, ', ', ', -') WHERE plan_id = :plan",
    "a base of a huge size": "UPDATE steps SET base = replace(base, ', ', ', 99999999999999999999') "
    "WHERE plan_id = :plan",
    "no base where there must be one": "UPDATE steps SET base = NULL, op = 'delete' WHERE plan_id = :plan",
    "a path in text": "UPDATE steps SET path = 'a.txt' WHERE plan_id = :plan",
    "a path that is not UTF-8": "UPDATE steps SET path = x'ff2f' WHERE plan_id = :plan",
    "a target without a move": "UPDATE steps SET target = x'61' WHERE plan_id = :plan",
    "a step number that is text": "UPDATE steps SET number = 'first' WHERE plan_id = :plan AND number = 1",
    "step numbers with a gap": "UPDATE steps SET number = 7 WHERE plan_id = :plan AND number = 1",
    "a negative step number": "UPDATE steps SET number = -1 WHERE plan_id = :plan AND number = 1",
    "a time that is none": "UPDATE plans SET created = 'yesterday' WHERE id = :plan",
    "a time without a zone": "UPDATE plans SET created = '2026-01-01T00:00:00' WHERE id = :plan",
    "a time at the end of time": "UPDATE plans SET created = '9999-12-31T23:59:59-12:00' WHERE id = :plan",
    "an applied time that is empty": "UPDATE plans SET applied = '' WHERE id = :plan",
    "a decision's time that is none": "UPDATE decisions SET made = 'soon' WHERE plan_id = :plan",
    "choices that are no object": "UPDATE decisions SET choices = '[]' WHERE plan_id = :plan",
    "choices of text": 'UPDATE decisions SET choices = \'{"one": "x"}\' WHERE plan_id = :plan',
    "comments that are no JSON": "UPDATE decisions SET comments = '[[' WHERE plan_id = :plan",
    "made folders of numbers": "UPDATE steps SET made_folders = '[1]' WHERE plan_id = :plan",
    "a version that is text": "UPDATE plans SET version = 'two' WHERE id = :plan",
}
"""Damages of one plan: the others must go on as if nothing were."""

WHOLE = {
    "text that is not UTF-8": "UPDATE plans SET title = CAST(x'ff41' AS TEXT)",
    "a decision's folder that is a number": "UPDATE decisions SET folder = 7",
    "steps that are gone": "DELETE FROM steps",
    "decisions that are gone": "DELETE FROM decisions",
    "contents that are gone": "DELETE FROM blobs",
    "contents under another hash": "UPDATE blobs SET packed = (SELECT packed FROM blobs LIMIT 1)",
    "contents that are no contents": "UPDATE blobs SET packed = 'text'",
    "contents of a negative size": "UPDATE blobs SET size = -1",
    "contents of a size in text": "UPDATE blobs SET size = 'large'",
    "contents of a huge size": "UPDATE blobs SET size = 9223372036854775807",
    "hashes in text": "UPDATE blobs SET sha256 = hex(sha256)",
    "a journal that is no JSON": "UPDATE journal SET entry = '{'",
    "a journal of lists": "UPDATE journal SET entry = '[]'",
    "a journal of wrong kinds": 'UPDATE journal SET entry = replace(entry, \'"path":"\', \'"path":1,"x":"\')',
    "a journal with hashes in text": "UPDATE journal SET hash = 'abc'",
    "a journal of bytes": "UPDATE journal SET entry = CAST(entry AS BLOB)",
    "a journal without attempts": "UPDATE journal SET correlation_id = 'x'",
    "a journal at its last position": "UPDATE journal SET position = 9223372036854775807 "
    "WHERE position = (SELECT max(position) FROM journal)",
    "an unfinished plan that is not there": "PRAGMA foreign_keys = OFF; "
    "INSERT INTO unfinished VALUES ('gone')",
    "unfinished plans that are done": "INSERT INTO unfinished SELECT id FROM plans",
    "plans that are executing": "UPDATE plans SET state = 'executing'; "
    "INSERT INTO unfinished SELECT id FROM plans",
    "rollbacks in a circle": "UPDATE plans SET rolls_back = id; UPDATE steps SET undoes = id",
    "an undone step that is not there": "UPDATE steps SET undoes = 'nobody'",
    "drafts of an unknown kind": "INSERT INTO drafts VALUES ('p', 'n', 'dream', 'x', 'y', 'z')",
    "times of mismatches in text": "INSERT INTO mismatches VALUES ('tester', x'612e747874', 'x', 'often')",
    "a project's identity of bytes": "UPDATE meta SET value = x'ff' WHERE key IN ('identity', 'lasting')",
    "a table that is gone": "DROP TABLE decisions",
    "the journal is gone": "DROP TABLE journal",
    "a column that is gone": "ALTER TABLE steps DROP COLUMN reason",
    "a negative schema version": "PRAGMA user_version = -3",
    "an older schema version than it has": "PRAGMA user_version = 12",
}
"""Damages of more than one plan: told in a sentence."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A project with a plan of every kind; `plans` by what it is."""

    folder: Path
    plans: dict[str, str]

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def database(self) -> Path:
        (file,) = (self.folder / "state").rglob("store.sqlite3")
        return file


def say(*words: str, stdin: bytes = b"", project: Path) -> tuple[int, str]:
    """One command: its exit code, and all it printed."""
    streams = sys.stdin, sys.stdout, sys.stderr
    written = io.BytesIO()
    printed = io.TextIOWrapper(written, "utf-8", write_through=True)
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin)), printed, printed
    try:
        code = run([*words, "--json", "--project", str(project)])
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    return code, written.getvalue().decode()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    folder = tmp_path_factory.mktemp("stored")
    with private_environment(folder):
        os.environ["STUDIO_STATE_DIR"] = str(folder / "state")
        set_review("allow")
        project = folder / "project"
        (project / ".git").mkdir(parents=True)
        plans: dict[str, str] = {}
        for name in ("pending", "approved", "completed", "rolled_back", "other"):
            (project / f"{name}.txt").write_text("one\ntwo\nthree\n")
            step = {"op": "modify", "path": f"{name}.txt", "content": "one\n2\nthree\n"}
            new = {"op": "create", "path": f"new/{name}.md", "content": name}
            _, out = say("submit", stdin=plan_text(step, new, title=name), project=project)
            plans[name] = json.loads(out)["plan"]
        for name in ("approved", "completed", "rolled_back"):
            assert say("approve", plans[name], project=project)[0] == 0
        for name in ("completed", "rolled_back"):
            assert say("apply", plans[name], project=project)[0] == 0
        assert say("rollback", plans["rolled_back"], project=project)[0] == 0
        yield Stored(folder, plans)


@pytest.fixture
def stored(made: Stored, private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stored]:
    """The project back as it was made: its path is part of the store."""
    kept = made.folder / "kept"
    if not kept.exists():
        kept.mkdir()
        for name in ("state", "project"):
            shutil.copytree(made.folder / name, kept / name)
    set_review("allow")
    monkeypatch.setenv("STUDIO_STATE_DIR", str(made.folder / "state"))
    yield made
    for name in ("state", "project"):
        # Not the project's folder itself: by its inode the store knows it.
        for entry in (made.folder / name).iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        shutil.copytree(kept / name, made.folder / name, dirs_exist_ok=True)


def damage(stored: Stored, text: str, plan: str = "") -> None:
    connection = sqlite3.connect(stored.database(), isolation_level=None)
    try:
        for statement in text.split("; "):
            connection.execute(statement, {"plan": plan, "deep": "[" * 100_000})
    finally:
        connection.close()


READING = ("plans", "history", "journal", "journal --verify", "show --diff --reply", "apply")
DECIDING = ("submit", "approve", "reject", "rollback", "recover", "withdraw")


def run_all(stored: Stored, plan: str, commands: Sequence[str]) -> dict[str, tuple[int, str]]:
    """What every command says, by its name; none may break."""
    answers: dict[str, tuple[int, str]] = {}
    more = plan_text({"op": "create", "path": "more.txt", "content": "more"}, title="more")
    for command in commands:
        words = command.split()
        if words[0] in ("show", "approve", "apply", "reject", "rollback", "withdraw"):
            words.append(plan)
        words += ["--reason", "no"] if command == "reject" else []
        code, printed = say(*words, stdin=more, project=stored.project)
        assert code in (0, 1, 3, 4), (words, code, printed)
        assert "Traceback" not in printed and "Report this" not in printed
        answers[words[0]] = (code, printed)
    return answers


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_plan_is_named_and_the_others_go_on(stored: Stored, name: str) -> None:
    kind = "completed" if "decision" in DAMAGES[name] or "applied" in name else "pending"
    plan = stored.plans[kind]
    damage(stored, DAMAGES[name], plan)
    answers = run_all(stored, plan, ("plans", "show --diff", "approve"))
    code, printed = answers["show"]
    assert code == 1 and "store.damaged" in printed and "backup" in printed
    assert str(stored.database()) in printed and f"in plan {plan[:8]}" in printed
    other = stored.plans["other"]
    code, printed = say("show", other, project=stored.project)
    assert code == 0, printed
    code, printed = answers["plans"]
    assert code == 0 and other in printed, "the others are listed"
    assert f"in plan {plan[:8]}" in printed, "and this one is named"
    assert len(list(stored.database().parent.glob("*.damaged-*"))) == 0, "nothing was set aside"


def test_beside_a_damaged_plan_another_is_applied_and_taken_back(stored: Stored) -> None:
    damage(stored, DAMAGES["facts that are no list"], stored.plans["completed"])
    answers = run_all(stored, stored.plans["other"], ("approve", "apply", "rollback", "history", "submit"))
    assert {code for code, _ in answers.values()} == {0}
    assert f"in plan {stored.plans['completed'][:8]}" in answers["history"][1]


@pytest.mark.parametrize("name", WHOLE)
def test_a_damaged_store_is_told_in_a_sentence(stored: Stored, name: str) -> None:
    damage(stored, WHOLE[name])
    rows = counted(stored.database())
    run_all(stored, stored.plans["approved"], READING)
    run_all(stored, stored.plans["completed"], DECIDING)
    assert len(list(stored.database().parent.glob("*.damaged-*"))) == 0, "nothing was set aside"
    for table, count in counted(stored.database()).items():
        assert count >= rows[table], f"rows of {table} are lost"


def counted(file: Path) -> dict[str, int]:
    """Rows by table, of those that only grow."""
    connection = sqlite3.connect(file)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        grow = [name for name in names if name in ("plans", "steps", "decisions", "journal", "blobs", "meta")]
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in grow}
    finally:
        connection.close()
