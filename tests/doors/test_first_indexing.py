"""`observed`: a file that others change while the baseline is made is listed, with no state before it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.doors.cli.commands import observed as command
from studio.doors.cli.main import run
from tests.doors.conftest import CommandLine, plan_text, set_configuration

YES = "project\n"
WORDS = "changed while indexing"
FOUND = {
    "created": ("create", None),
    "deep/changed": ("modify", True),
    "deep/gone": ("delete", True),
    "replaced": ("modify", True),
    "went": ("delete", None),
    "went/gone": ("delete", True),
}
NAMES = ("deep/changed", "deep/gone", "deep/same", "replaced", "went/gone")


@pytest.fixture
def found(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """What `observed list` prints first: others write after all files were found, before any is read."""
    for name in NAMES:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(f"{name} as it was\n")
    acts = [lambda: _write_as_others(project)]

    @contextmanager
    def hooked(*_: object, **__: object) -> Generator[Any]:
        yield lambda *_: acts.pop()() if acts else None

    monkeypatch.setattr(command, "progress", hooked)
    monkeypatch.chdir(project)
    assert run(["observed", "list", "--json"]) == 0
    assert not acts
    listed: list[Any] = json.loads(capsys.readouterr().out)["observed"]
    return listed


def _write_as_others(project: Path) -> None:
    (project / "deep/changed").write_text("one line of\ntheirs\n")
    (project / "deep/gone").unlink()
    (project / "other").write_text("replaced as it IS\n")
    (project / "other").rename(project / "replaced")
    (project / "went/gone").unlink()
    (project / "went").rmdir()
    (project / "created").write_text("new\n")


def listed(studio: CommandLine) -> dict[str, dict[str, Any]]:
    return {each["path"]: each for each in studio("observed", "list").json["observed"]}


def test_what_changed_while_indexing_is_listed_and_kept_and_never_reverted(
    studio: CommandLine, project: Path, found: list[Any]
) -> None:
    """A file that is new has a state before: there was none. So has a folder that is gone."""
    assert {each["path"]: (each["op"], each.get("before_unknown")) for each in found} == FOUND
    ids = {each["path"]: each["observed"] for each in found}
    assert {each["before_sha256"] for each in found if each["path"] != "went"} == {None}
    assert studio("observed", "list", json=False).text.count(WORDS) == 4
    shown = studio("observed", "show", ids["replaced"], json=False).text
    assert WORDS in shown and "There is no diff" in shown and "@@" not in shown
    assert studio("observed", "show", ids["replaced"]).json["diff"] == ""

    refused = studio("observed", "revert", ids["replaced"], "--dry-run")
    assert (refused.code, refused.error["code"]) == (1, "observed.before_unknown")
    dry = studio("observed", "revert", "--all", "--dry-run").json
    assert {step["path"] for step in dry["steps"]} == {"created", "went"}
    assert dry["left_out"] == dict.fromkeys(("deep/changed", "deep/gone", "replaced", "went/gone"), WORDS)
    assert studio.at_terminal("observed", "revert", "--all", typed=YES).code == 0
    assert not (project / "created").exists() and (project / "replaced").read_text() == "replaced as it IS\n"
    assert listed(studio).keys() == dry["left_out"].keys()

    (project / "deep/gone").write_text("there again\n")
    assert listed(studio)["deep/gone"]["op"] == "modify", "it is what it is by now"
    for name in ("deep/changed", "went/gone"):
        assert studio.at_terminal("observed", "keep", ids[name], typed=YES).json["state"] == "kept"
    assert listed(studio).keys() == {"deep/gone", "replaced"}
    assert studio.at_terminal("observed", "keep", "--all", typed=YES).code == 0
    assert listed(studio) == {}
    (project / "replaced").write_text("and changed later\n")
    assert (
        "-replaced as it IS"
        in studio("observed", "show", listed(studio)["replaced"]["observed"]).json["diff"]
    )


KILLED = """
import os, signal, sys
from contextlib import contextmanager
from studio.doors.cli.commands import observed
from studio.doors.cli.main import run

@contextmanager
def killed(*_, **__):
    yield lambda done, _total: os.kill(os.getpid(), signal.SIGKILL) if done else None

observed.progress = killed
run(["observed", "list"])
"""


@pytest.mark.usefixtures("allow_review")
def test_what_changed_since_an_indexing_that_was_killed_is_listed(studio: CommandLine, project: Path) -> None:
    """Plans that were applied since are ours; what is ignored since is not read."""
    for name in (*NAMES, "ignored/file", "ours"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(f"{name} as it was\n")
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=project, check=False)
    assert done.returncode == -signal.SIGKILL
    _write_as_others(project)
    (project / "ignored/file").write_text("changed\n")
    for step in (
        {"op": "modify", "path": "ours", "content": "ours\n"},
        {"op": "create", "path": "made", "content": "ours\n"},
    ):
        plan = studio("submit", stdin=plan_text(step)).json["plan"]
        assert studio("approve", plan, "--apply").code == 0
    set_configuration("observe: {ignore: [ignored]}\n")
    assert {path: (each["op"], each.get("before_unknown")) for path, each in listed(studio).items()} == FOUND


@pytest.mark.usefixtures("found", "allow_review")
def test_a_plan_over_such_a_file_leaves_of_it_what_others_wrote(studio: CommandLine) -> None:
    """Deleted or written anew by a plan it is nobody else's; moved, it is listed where it went."""
    studio.at_terminal("observed", "revert", "--all", typed=YES)
    for step in (
        {"op": "modify", "path": "deep/changed", "content": "one line of\nours\n"},
        {"op": "move", "path": "replaced", "to": "deep/moved"},
        {"op": "create", "path": "went/gone", "content": "ours\n"},
    ):
        plan = studio("submit", stdin=plan_text(step)).json["plan"]
        assert studio("approve", plan, "--apply").code == 0
    left = listed(studio)
    assert left.keys() == {"deep/changed", "deep/gone", "deep/moved"}
    assert {(each["op"], each["before_unknown"]) for each in left.values()} == {
        ("modify", True), ("delete", True),
    }  # fmt: skip
    for step in (
        {"op": "modify", "path": "deep/changed", "content": "nothing of theirs\n"},
        {"op": "delete", "path": "deep/moved"},
    ):
        plan = studio("submit", stdin=plan_text(step)).json["plan"]
        assert studio("approve", plan, "--apply").code == 0
    assert listed(studio).keys() == {"deep/gone"}
