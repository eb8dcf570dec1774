"""`journal`: listed, followed, exported, verified, replayed."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.extras.journal_view import JournalView
from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine, set_review

CREATE = {"op": "create", "path": "src/new.txt", "content": "secret words\n"}
MODIFY = {"op": "modify", "path": "a.txt", "content": "eins\n"}


@pytest.fixture(autouse=True)
def applied(project: Path, studio: CommandLine, allow_review: None) -> str:
    (project / "a.txt").write_bytes(b"one\n")
    plan = studio.submit(MODIFY, CREATE)["plan"]
    assert studio("approve", plan, "--apply").code == 0
    return plan


def test_the_newest_entries_are_listed_in_order(studio: CommandLine, applied: str) -> None:
    entries = studio("journal").json["entries"]
    assert [entry["position"] for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert [entry["entry"]["$type"] for entry in entries[-3:]] == [
        "DirectoryCreated",
        "FileWritten",
        "FileWritten",
    ]
    assert {entry["plan"] for entry in entries} == {applied}
    said = studio("journal", json=False).text
    assert "FileWrite" in said and "src/new.txt" in said and applied[:8] in said


def test_entries_are_listed_by_plan_path_and_request_and_page_by_page(
    studio: CommandLine, applied: str
) -> None:
    other = studio.submit({**CREATE, "path": "src/more.txt"})["plan"]
    assert studio("approve", other, "--apply").code == 0
    every = studio("journal").json

    def positions(*words: str) -> list[int]:
        return [entry["position"] for entry in studio("journal", *words).json["entries"]]

    def of(plan: str) -> list[int]:
        return [entry["position"] for entry in every["entries"] if entry["plan"] == plan]

    assert positions("--plan", applied[:8]) == of(applied) and positions("--plan", other) == of(other)
    under = positions("--path", "src")
    assert positions("--path", "src/") == under and set(of(other)) <= set(under)
    assert positions("--path", "sr") == [] and positions("--path", "SRC") == []
    more = positions("--path", "src/more.txt")
    assert more == of(other), "a request with its reply"
    first = every["entries"][0]
    name = first["entry"]["correlationId"]
    both = positions("--id", name, "--plan", applied)
    assert len(both) == 2 and both[0] == first["position"]
    assert positions("--plan", applied, "--path", "src/more.txt") == []
    assert every["before"] is None
    assert positions("--before", "3") == [1, 2]
    pages, before = list[int](), ()
    while True:
        page = studio("journal", "--limit", "3", *before)
        pages[:0] = [entry["position"] for entry in page.json["entries"]]
        if page.json["before"] is None:
            break
        assert f"--before {page.json['before']}" in page.err
        before = ("--before", str(page.json["before"]))
    assert pages == [entry["position"] for entry in every["entries"]]
    for words in (("--export", "-"), ("--verify",), ("--follow",)):
        assert studio("journal", *words, "--plan", applied).code == 2


def test_an_export_is_a_new_file_outside_the_project(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    target = tmp_path / "journal.ndjson"
    assert studio("journal", "--export", target).json == {
        "exported": 6,
        "file": str(target),
        "contents": False,
    }
    assert "secret" not in target.read_text() and len(target.read_text().splitlines()) == 6
    again = studio("journal", "--export", target)
    assert again.code == 1 and "exists already" in again.error["message"]
    inside = studio("journal", "--export", project / "journal.ndjson")
    assert (inside.code, inside.error["code"]) == (1, "file.in_project")
    assert not (project / "journal.ndjson").exists()


def test_contents_are_exported_only_when_asked_for_and_with_a_warning(studio: CommandLine) -> None:
    said = studio("journal", "--export", "-", "--with-contents", json=False)
    lines = [json.loads(line) for line in said.text.splitlines()]
    assert len(lines) == 6 and sum("contents" in line for line in lines) == 2
    assert "contains your files' contents" in said.err
    assert studio("journal", "--with-contents").code == 2


MOVED_UP = "UPDATE journal SET position = position - 1 WHERE position > 3"
SPOILED: dict[str, tuple[int, tuple[str, ...]]] = {
    "a byte of an entry": (
        2,
        ("UPDATE journal SET entry = replace(entry, 'a.txt', 'b.txt') WHERE position = 2",),
    ),
    "a byte of a hash": (
        5,
        ("UPDATE journal SET hash = zeroblob(32) WHERE position = 5",),
    ),
    "a time": (4, ("UPDATE journal SET written = '2020-01-01T00:00:00.000Z' WHERE position = 4",)),
    "a plan": (3, ("UPDATE journal SET plan_id = upper(plan_id) WHERE position = 3",)),
    "a step": (6, ("UPDATE journal SET step_id = '' WHERE position = 6",)),
    "what an entry is found by": (2, ("UPDATE journal SET correlation_id = 'x-1' WHERE position = 2",)),
    "which rule a hash follows": (1, ("UPDATE journal SET rule = 1",)),
    "bytes that are no text": (5, ("UPDATE journal SET entry = CAST(x'ff00' AS TEXT) WHERE position = 5",)),
    "an entry removed": (3, ("DELETE FROM journal WHERE position = 3",)),
    "an entry removed and the rest moved up": (3, ("DELETE FROM journal WHERE position = 3", MOVED_UP)),
    "the first entry removed": (1, ("DELETE FROM journal WHERE position = 1",)),
    "two entries swapped": (
        2,
        tuple(
            f"UPDATE journal SET position = {to} WHERE position = {at}" for at, to in ((2, 9), (4, 2), (9, 4))
        ),
    ),
    "an entry twice": (
        7,
        (
            "CREATE TEMP TABLE again AS SELECT * FROM journal WHERE position = 6",
            "UPDATE again SET position = 7",
            "INSERT INTO journal SELECT * FROM again",
        ),
    ),
}
"""The first entry that shows what somebody did to the store, and what that was."""


@pytest.mark.parametrize("how", SPOILED)
def test_verify_finds_what_was_changed(studio: CommandLine, how: str) -> None:
    """A flipped byte, a removed and a swapped entry."""
    assert studio("journal", "--verify").json == {"entries": 6, "damaged_at": None, "covered_from": 1}
    (store,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3")
    position, statements = SPOILED[how]
    connection = sqlite3.connect(store)
    connection.executescript(";".join(statements))
    connection.close()
    damaged = studio("journal", "--verify")
    assert damaged.code == 1 and damaged.json["damaged_at"] == position


def test_replay_into_an_empty_folder_gives_the_same_bytes(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "replayed"
    folder.mkdir()
    done = studio("journal", "--replay", folder)
    assert done.code == 0 and done.json["paths"] == ["a.txt", "src", "src/new.txt"]
    for path in ("a.txt", "src/new.txt"):
        assert (folder / path).read_bytes() == (project / path).read_bytes()
    for place in (project, project / "src", tmp_path):
        refused = studio("journal", "--replay", place)
        assert (refused.code, refused.error["code"]) == (1, "journal.replay_here")


def test_only_a_person_replays_over_what_is_there(studio: CommandLine, project: Path, tmp_path: Path) -> None:
    """An empty folder in no project needs nobody; one that holds something needs a person."""
    set_review("ask")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "a.txt").write_text("mine\n")
    refused = studio("journal", "--replay", copy)
    assert (refused.code, refused.error["code"]) == (1, "needs_person")
    assert (copy / "a.txt").read_text() == "mine\n" and len(list(copy.iterdir())) == 1
    done = studio.at_terminal("journal", "--replay", str(copy), typed=f"{project.name}\n")
    assert done.code == 0 and (copy / "src" / "new.txt").exists()
    inside = tmp_path / "other" / "empty"
    inside.mkdir(parents=True)
    (tmp_path / "other" / "studio.yaml").touch()
    refused = studio("journal", "--replay", inside)
    assert (refused.code, refused.error["code"], list(inside.iterdir())) == (1, "file.in_project", [])


def test_an_export_follows_no_link_and_is_its_owners_where_it_holds_contents(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (tmp_path / "way").symlink_to(project)
    (folder / "link").symlink_to(project / "new.ndjson")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".git").write_text("gitdir: nowhere\n")
    state = Path(os.environ["STUDIO_STATE_DIR"])
    for target in ("way/x", "exports/link", "elsewhere/x", state / "x"):
        refused = studio("journal", "--export", tmp_path / target, "--with-contents")
        assert (refused.code, refused.out.count(b"\n")) == (1, 1)
        assert refused.error["code"] in ("file.in_project", "file.no_new_name", "file.in_own_folder")
    assert not (project / "x").exists() and not (project / "new.ndjson").exists()
    for words, mode in (((), 0o644), (("--with-contents",), 0o600)):
        target = folder / f"{mode:o}"
        assert studio("journal", "--export", target, *words).code == 0
        assert target.stat().st_mode & 0o777 == mode
    assert studio("journal", "--export", tmp_path / "no" / "folder").code == 4


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_follow_prints_what_others_write(
    studio: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """With --json an object a line."""
    begun, follow = threading.Event(), JournalView.follow

    def following_from(*given: Any) -> Iterator[Any]:
        begun.set()
        return follow(*given)

    monkeypatch.setattr(JournalView, "follow", following_from)
    following = studio.stream(*words, "journal", "--follow")
    assert begun.wait(TIMEOUT_SECONDS)
    plan = studio.submit({"op": "create", "path": "new.txt", "content": "x\n"})["plan"]
    assert studio("approve", plan, "--apply").code == 0
    line = following.line().decode()
    assert following.end() == (130, "")
    kind = json.loads(line)["entry"]["$type"] if words else line
    assert "FileWrite" in kind


def test_home_chosen_by_a_variable_opens_no_project(
    studio: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.setenv("HOME", str(other))
    said = studio("journal", "--export", other / "x")
    assert (said.code, said.error["code"]) == (1, "file.in_project")
    assert not (other / "x").exists()


def test_nothing_is_written_into_a_folder_of_gits_outside_of_projects(
    studio: CommandLine, tmp_path: Path
) -> None:
    """A bare or a separate one has no `.git` beside it; git reads and runs what it finds there."""
    repository = tmp_path / "bare"
    for name in ("objects", "refs", "hooks"):
        (repository / name).mkdir(parents=True)
    (repository / "HEAD").write_text("ref: refs/heads/main\n")
    export = studio("journal", "--export", repository / "config.worktree")
    replay = studio("journal", "--replay", repository / "hooks")
    for said in (export, replay):
        assert (said.code, said.error["code"]) == (1, "file.in_git_folder")
    assert not list((repository / "hooks").iterdir())
    assert not (repository / "config.worktree").exists()
