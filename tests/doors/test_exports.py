"""Exports read back, verified and replayed: the same tree, or one sentence."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_review
from tests.tools.exports import contents_of, create, export_of, made

HISTORY: list[list[dict[str, object]]] = [
    [
        {"op": "modify", "path": "a.txt", "content": "eins\n"},
        {"op": "create", "path": "src/new.txt", "content": "secret words\n"},
        {"op": "append", "path": "log.txt", "content": "more\n"},
    ],
    [
        {"op": "append", "path": "log.txt", "content": "and more\n"},
        {"op": "move", "path": "src/new.txt", "to": "moved.txt"},
        {"op": "mode", "path": "a.txt", "executable": True},
    ],
    [{"op": "delete", "path": "moved.txt"}, {"op": "mkdir", "path": "empty"}],
]


@pytest.fixture
def past(project: Path, studio: CommandLine, allow_review: None, tmp_path: Path) -> CommandLine:
    """A project with three plans applied and one of them rolled back."""
    (project / "a.txt").write_bytes(b"one\n")
    (project / "log.txt").write_bytes(b"log\n")
    plan = ""
    for steps in HISTORY:
        plan = studio.submit(*steps)["plan"]
        assert studio("approve", plan, "--apply").code == 0
    assert studio("rollback", plan, "--step", "1").code == 0
    return studio


def tree(folder: Path, paths: list[str]) -> dict[str, tuple[bytes, int] | None]:
    def held(file: Path) -> tuple[bytes, int] | None:
        return (file.read_bytes(), file.stat().st_mode & 0o777) if file.is_file() else None

    return {path: held(folder / path) for path in paths}


def empty(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_an_export_is_replayed_to_the_same_tree_with_and_without_the_store(
    past: CommandLine, project: Path, tmp_path: Path
) -> None:
    """From the store; from an export with contents, and without, whose contents the store has; from an
    export alone once the store is gone."""
    full, bare = tmp_path / "full", tmp_path / "bare"
    assert past("journal", "--export", full, "--with-contents").code == 0
    assert past("journal", "--export", bare).code == 0
    ways = {"store": (), "full": ("--from", full), "bare": ("--from", bare)}
    done = {name: past("journal", "--replay", empty(tmp_path, f"by-{name}"), *ways[name]) for name in ways}
    assert past("forget").code == 0
    for name, export in (("full", full), ("bare", bare)):
        assert past("journal", "--verify", export).code == 0
        done[f"{name} alone"] = past(
            "journal", "--replay", empty(tmp_path, f"by-{name} alone"), "--from", export
        )
    stopped = done.pop("bare alone")
    assert stopped.code == 3 and "stopped at entry 2: " in stopped.error["message"]
    assert "lacks the content" in stopped.error["message"]
    assert {said.code for said in done.values()} == {0}
    paths = done["store"].json["paths"]
    assert {"a.txt", "log.txt", "moved.txt", "empty", "src/new.txt"} <= set(paths)
    for name, said in done.items():
        assert said.json == done["store"].json
        assert tree(tmp_path / f"by-{name}", paths) == tree(project, paths)
        assert (tmp_path / f"by-{name}" / "empty").is_dir()


def test_the_bytes_before_a_change_are_exported_once(past: CommandLine) -> None:
    """Those of the file before, where no line carried them yet."""
    said = past("journal", "--export", "-", "--with-contents", json=False)
    carried: set[str] = set()
    named_again = 0
    for line in map(json.loads, said.text.splitlines()):
        base = (line["entry"].get("base") or {}).get("sha256")
        assert ("baseContents" in line) is (base is not None and base not in carried)
        named_again += base in carried
        carried |= {sha256_of(line[key]) for key in ("contents", "baseContents") if key in line}
    assert named_again >= 3


def sha256_of(exported: str) -> str:
    return hashlib.sha256(base64.b64decode(exported)).hexdigest()


def test_nothing_is_written_of_an_export_that_is_damaged_at_its_end(
    past: CommandLine, tmp_path: Path
) -> None:
    export, folder = tmp_path / "export", empty(tmp_path, "folder")
    assert past("journal", "--export", export, "--with-contents").code == 0
    export.write_bytes(export.read_bytes()[:-30])
    found = past("journal", "--verify", export)
    last = len(export.read_bytes().splitlines())
    assert (found.code, found.json["damaged_at"], found.json["why"]) == (1, last, "it is cut off")
    said = past("journal", "--verify", export, json=False).text
    assert f"line {last} was altered: it is cut off." in said
    refused = past("journal", "--replay", folder, "--from", export)
    assert (refused.code, refused.error["code"]) == (1, "journal.export_damaged")
    assert f"Line {last} of" in refused.error["message"] and list(folder.iterdir()) == []


def test_only_a_person_replays_an_export_over_what_is_there(
    past: CommandLine, project: Path, tmp_path: Path
) -> None:
    """The question says from which export."""
    export, copy = tmp_path / "export", empty(tmp_path, "copy")
    assert past("journal", "--export", export).code == 0
    (copy / "a.txt").write_bytes(b"one\n")
    set_review("ask")
    refused = past("journal", "--replay", copy, "--from", export)
    assert (refused.code, refused.error["code"]) == (1, "needs_person")
    assert (copy / "a.txt").read_bytes() == b"one\n"
    done = past.at_terminal(
        "journal", "--replay", str(copy), "--from", str(export), typed=f"{project.name}\n"
    )
    assert done.code == 0 and "journal in" in done.terminal and "over files in" in done.terminal
    assert (copy / "a.txt").read_bytes() == b"eins\n"
    inside = past("journal", "--replay", project, "--from", export)
    assert (inside.code, inside.error["code"]) == (1, "journal.replay_here")


def test_no_export_writes_where_no_plan_may(studio: CommandLine, tmp_path: Path) -> None:
    """Each way is tried in tests/extras/test_journal_view.py."""
    folder, export = empty(tmp_path, "folder"), tmp_path / "export"
    asked = create(".git/hooks/post-commit")
    export.write_bytes(export_of([asked, made(".git/hooks/post-commit")], contents_of(b"x\n")))
    assert studio("journal", "--verify", export).code == 0, "the chain holds"
    stopped = studio("journal", "--replay", folder, "--from", export)
    assert stopped.code == 3 and "stopped at entry 1: " in stopped.error["message"]
    assert list(folder.iterdir()) == []


def fifo(place: Path) -> None:
    os.mkfifo(place)


def link_to_fifo(place: Path) -> None:
    os.mkfifo(place.with_name("pipe"))
    place.symlink_to("pipe")


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def loop(place: Path) -> None:
    place.symlink_to(place.name)


def huge(place: Path) -> None:
    with place.open("wb") as stream:
        stream.truncate(1 << 40)


def one_line(place: Path) -> None:
    with place.open("wb") as stream:
        stream.truncate(1 << 28)


PLACES: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "a pipe": (fifo, 1, "is a pipe"),
    "a link to a pipe": (link_to_fifo, 1, "is a pipe"),
    "a device without an end": (endless, 1, "is a device"),
    "a link to itself": (loop, 1, "can't be read"),
    "a folder": (Path.mkdir, 1, "is a folder"),
    "nothing": (lambda _: None, 4, "does not exist"),
    "a file of a tebibyte": (huge, 1, "the limit is 4,294,967,296"),
}


@pytest.mark.parametrize("what", PLACES)
def test_what_is_no_file_of_a_bearable_size_is_said_before_it_is_read(
    studio: CommandLine, tmp_path: Path, what: str
) -> None:
    make, code, words = PLACES[what]
    make(tmp_path / "export")
    folder = empty(tmp_path, "folder")
    for command in (("--verify", tmp_path / "export"), ("--replay", folder, "--from", tmp_path / "export")):
        said = studio("journal", *command)
        assert said.code == code and words in said.error["message"]
    assert list(folder.iterdir()) == []


def test_a_link_to_an_export_and_a_line_without_an_end(past: CommandLine, tmp_path: Path) -> None:
    assert past("journal", "--export", tmp_path / "export").code == 0
    (tmp_path / "link").symlink_to("export")
    assert past("journal", "--verify", tmp_path / "link").code == 0
    one_line(tmp_path / "zeros")
    found = past("journal", "--verify", tmp_path / "zeros")
    assert found.code == 1 and found.json["why"] == "it is longer than 67108864 bytes"


def test_an_empty_journal_and_its_export_hold_nothing_to_verify(studio: CommandLine, tmp_path: Path) -> None:
    nothing = {"entries": 0, "damaged_at": None, "covered_from": None}
    assert studio("journal", "--verify").json == nothing
    assert "has no entries" in studio("journal", "--verify", json=False).text
    export, folder = tmp_path / "export", empty(tmp_path, "folder")
    assert studio("journal", "--export", export).json["exported"] == 0
    found = studio("journal", "--verify", export)
    assert (found.code, found.json) == (0, {**nothing, "file": str(export)})
    assert studio("journal", "--replay", folder, "--from", export).json["requests"] == 0


def test_from_goes_with_replay_alone(studio: CommandLine, tmp_path: Path) -> None:
    for words in (("--from", "x"), ("--verify", "--from", "x"), ("--verify", "x", "--replay", tmp_path)):
        assert studio("journal", *words).code == 2
    assert studio("journal", "--verify", "").code == 1, "an empty name is no way to say the store"


FAILING = ("show nope --json", "plans --nosuch --json", "--version", "submit --help")
"""Errors and help, which the interpreter or argparse might print otherwise."""


@pytest.mark.process
def test_a_stream_ends_quietly_with_its_reader_and_says_what_a_full_disk_took(past: CommandLine) -> None:
    """`--export - | head -1`, and `> /dev/full`: no inner error, and no success."""
    closing = ("sh", "-c", '"$@" | head -c 1 >/dev/null', "sh")
    assert past("journal", "--export", "-", json=False, prefix=closing).err == ""
    full = ("sh", "-c", 'exec "$@" > /dev/full', "sh")
    for words in ("journal --export -", "journal", "history", *FAILING):
        said = past(*words.split(), json=False, prefix=full)
        assert (said.code, said.err.count("\n")) == (1, 1), words
        assert said.err.startswith("studio: Standard output can't be written: "), words
