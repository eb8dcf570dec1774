"""Undo that goes is named before it goes, and one plan's can be discarded by a person."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_configuration, set_review

LONG_AGO = "2020-01-01T00:00:00.000Z"


def configured(**retention: int) -> None:
    set_configuration(f"review: {{command_line: allow}}\nretention: {json.dumps(retention)}")


def applied(studio: CommandLine, path: str, content: str = "x\n") -> str:
    """A plan of one new file, titled as the file is called."""
    plan = approved(studio, path, content)
    assert studio("apply", plan).code == 0
    return plan


def approved(studio: CommandLine, path: str, content: str = "x\n") -> str:
    text = {"title": f"Make {path}", "steps": [{"op": "create", "path": path, "content": content}]}
    plan = studio("submit", stdin=json.dumps(text).encode()).json["plan"]
    assert studio("approve", plan).code == 0
    return plan


def make_old(*plans: str) -> None:
    (store,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3")
    connection = sqlite3.connect(store)
    moved = [(LONG_AGO, LONG_AGO, plan) for plan in plans]
    connection.executemany("UPDATE plans SET applied = ?, created = ? WHERE id = ?", moved)
    connection.executemany(
        "UPDATE parts SET applied = ? WHERE plan_id = ?", [(LONG_AGO, plan) for plan in plans]
    )
    connection.commit()
    connection.close()


def kept(studio: CommandLine) -> dict[str, bool]:
    return {entry["title"]: entry["kept"] for entry in studio("history").json["entries"]}


def noise(seed: int) -> str:
    return "".join(random.Random(seed).choices("abcdefghij", k=40_000))


def test_what_the_next_apply_pushes_out_is_what_goes(studio: CommandLine) -> None:
    """The one more plan is counted: with two to keep and two kept, the older one goes next."""
    configured(plans=2, days=7)
    first, second = applied(studio, "one"), applied(studio, "two")
    assert studio("history").json["retention"]["next_to_go"] == []
    make_old(first, second)
    assert studio("history").json["retention"]["next_to_go"] == [first]
    said = studio("history", json=False).text
    assert f"The next apply discards the undo data of “Make one” ({first[:8]})." in said
    third = approved(studio, "three")
    done = studio("apply", third)
    assert done.code == 0 and "discards the undo data of “Make one”" in done.err
    assert kept(studio) == {"Make three": True, "Make two": True, "Make one": False}


def test_approving_and_applying_at_once_says_it_too_and_before_the_question(studio: CommandLine) -> None:
    configured(plans=1, days=7)
    make_old(applied(studio, "one"))
    text = {"title": "t", "steps": [{"op": "create", "path": "two", "content": "x\n"}]}
    plan = studio("submit", stdin=json.dumps(text).encode()).json["plan"]
    set_review("ask")
    set_configuration("retention: {plans: 1, days: 7}")
    refused = studio("approve", plan, "--apply")
    assert refused.code == 1 and "“Make one”" in refused.err
    assert "Make one" not in studio("approve", plan).err, "nothing is written by approving alone"
    configured(plans=1, days=7)
    done = studio("approve", plan, "--apply")
    assert done.code == 0 and "“Make one”" in done.err
    assert kept(studio) == {"t": True, "Make one": False}


def test_at_the_cap_the_plan_s_own_bytes_count(studio: CommandLine) -> None:
    configured()
    first = applied(studio, "one", noise(1))
    used = studio("history").json["retention"]["used"]
    configured(bytes=used + 1000)
    assert studio("history").json["retention"]["next_to_go"] == [], "the next one's size is not known"
    done = studio("apply", approved(studio, "two", noise(2)))
    assert f"discards the undo data of “Make one” ({first[:8]})" in done.err
    assert kept(studio) == {"Make two": True, "Make one": False}


def test_a_plan_whose_own_undo_there_is_no_room_for_is_told_of(studio: CommandLine) -> None:
    configured(bytes=1000)
    done = studio("apply", approved(studio, "one", noise(1)))
    assert done.code == 0 and "can't be rolled back: the retention limit leaves no room" in done.err
    assert kept(studio) == {"Make one": False}


def test_a_rollback_that_pushes_something_out_says_so(studio: CommandLine) -> None:
    configured()
    first, second = applied(studio, "one"), applied(studio, "two")
    make_old(first)
    configured(plans=1, days=7)
    done = studio("rollback", second)
    assert done.code == 0 and f"({first[:8]})" in done.err
    assert kept(studio)["Make one"] is False


def test_one_plan_s_undo_is_discarded_by_a_person(studio: CommandLine, project: Path) -> None:
    configured()
    plan, other = applied(studio, "gone.txt", "only here\n"), applied(studio, "kept.txt", "kept\n")
    (state,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3")
    set_review("ask")
    refused = studio("history", "--discard", plan)
    assert (refused.code, refused.error["code"]) == (1, "needs_person")
    assert kept(studio) == {"Make kept.txt": True, "Make gone.txt": True}
    done = studio.at_terminal("history", "--discard", plan, typed=f"{plan[:8]}\n")
    assert done.code == 0
    for told in ("Discard the undo", "Make gone.txt", "no undo  gone.txt", "frees"):
        assert told in done.terminal
    lost = done.json
    assert (lost["files"], lost["contents"]) == (["gone.txt"], 1) and lost["freed"] > 0
    assert kept(studio) == {"Make kept.txt": True, "Make gone.txt": False}
    connection = sqlite3.connect(state)
    assert connection.execute("SELECT COUNT(*) FROM blobs").fetchone() == (1,)
    connection.close()
    assert (project / "gone.txt").read_text() == "only here\n", "files stay as they are"
    again = studio.at_terminal("history", "--discard", plan, typed=f"{plan[:8]}\n")
    assert (again.code, again.error["code"]) == (1, "plan.discarded")
    back = studio("rollback", plan, "--dry-run")
    assert (back.code, back.error["code"]) == (1, "plan.discarded")
    assert studio("rollback", other, "--dry-run").code == 0


def test_history_and_journal_keep_it_and_say_who_discarded_it(studio: CommandLine) -> None:
    configured()
    plan = applied(studio, "gone.txt")
    before = studio("journal").json["entries"]
    assert studio("history", "--discard", plan).code == 0
    (entry,) = studio("history").json["entries"]
    assert entry["discarded"]["who"] and entry["discarded"]["seen"] == "configuration"
    assert "undo data discarded by" in studio("history", json=False).text
    after = studio("journal").json["entries"]
    assert after[:-1] == before, "nothing of the journal goes"
    record = after[-1]["entry"]
    assert (record["$type"], record["planId"], record["files"]) == ("UndoDiscarded", plan, 1)
    assert record["who"] == entry["discarded"]["who"]
    assert "undo" in studio("journal", json=False).text
    assert studio("journal", "--verify").code == 0, "also after contents were discarded"


def test_what_is_lost_stays_lost_for_a_replay_and_an_export(studio: CommandLine, tmp_path: Path) -> None:
    configured()
    plan = applied(studio, "gone.txt", "only here\n")
    assert studio("history", "--discard", plan).code == 0
    export, folder = tmp_path / "export", tmp_path / "empty"
    folder.mkdir()
    assert studio("journal", "--export", export, "--with-contents").code == 0
    assert studio("journal", "--verify", export).code == 0
    for words in ((), ("--from", export)):
        stopped = studio("journal", "--replay", folder, *words)
        assert stopped.code == 3 and "stopped at entry 1:" in stopped.error["message"]
        assert list(folder.iterdir()) == []


def test_bytes_that_something_else_needs_stay(studio: CommandLine) -> None:
    configured()
    plan = applied(studio, "one", "the same\n")
    applied(studio, "two", "the same\n")
    said = studio("history", "--discard", plan, json=False)
    assert "can no longer be rolled back: 1 file; 0 bytes freed." in said.text
    assert kept(studio)["Make two"] is True


@pytest.mark.parametrize("state", ["pending", "rejected"])
def test_only_what_was_applied_has_an_undo(studio: CommandLine, state: str) -> None:
    configured()
    text = {"title": "t", "steps": [{"op": "create", "path": "one", "content": "x\n"}]}
    plan = studio("submit", stdin=json.dumps(text).encode()).json["plan"]
    if state == "rejected":
        assert studio("reject", plan, "--reason", "no").code == 0
    refused = studio("history", "--discard", plan)
    assert (refused.code, refused.error["code"]) == (1, "discard.not_applied")
    assert studio("history", "--discard", "abcdef12").code == 4


def test_a_rolled_back_plan_s_undo_can_be_discarded_and_its_rollback_be_taken_back(
    studio: CommandLine, project: Path
) -> None:
    configured()
    plan = applied(studio, "one", "mine\n")
    back = studio("rollback", plan).json["plan"]
    lost = studio("history", "--discard", plan)
    assert (lost.code, lost.json["files"]) == (0, [])
    assert studio("rollback", back).code == 0
    assert (project / "one").read_text() == "mine\n"
