"""Copies of the demo project that were made before are told of, and removed by a person alone."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from studio.__main__ import main
from studio.doors.cli.commands.demo import prepare_demo
from studio.doors.demo import STORE_NAME, demo_copies, make_demo, store_folder
from studio.errors import Refused
from tests.doors.conftest import CommandLine


@pytest.fixture
def demos() -> list[Path]:
    return [prepare_demo(None) for _ in range(2)]


def stores() -> set[str]:
    return {path.name for path in Path(os.environ["STUDIO_STATE_DIR"]).iterdir() if path.is_dir()} - {"demo"}


def test_a_demo_tells_of_the_copies_before_it(
    demos: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = Mock(return_value=0)
    monkeypatch.setattr("studio.open_window.run", opened)
    monkeypatch.setattr("studio.open_window.check_display", Mock())
    monkeypatch.setattr(sys, "argv", ["studio", "demo"])
    monkeypatch.setattr("studio.doors.cli.console.interrupt_signals.install_interrupt_handler", Mock())
    assert main() == 0 and opened.call_args.kwargs["project"] not in demos
    assert re.match(
        r"studio: 2 copies of the demo project from earlier runs, \d+ MB\. "
        r"Remove with: studio demo --remove-old\n",
        capsys.readouterr().err,
    )
    assert len(demo_copies()) == 3


def test_only_a_person_removes_them_whole_and_nothing_else(
    studio: CommandLine, demos: list[Path], tmp_path: Path
) -> None:
    first, second = demos
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "kept.txt").write_text("mine")
    beside = first.parent
    (beside / "tidewatch-7").mkdir()  # called like a copy, but no store knows it
    (beside / "linked").symlink_to(mine, target_is_directory=True)
    (second / "src" / "out").symlink_to(mine, target_is_directory=True)
    (second / "src" / "added by me.txt").write_text("was mine, too")
    replaced = first.rename(tmp_path / "moved away")
    first.mkdir()
    (first / "other.txt").write_text("somebody else's")
    studio.submit({"op": "create", "path": "new.txt", "content": "new\n"})
    kept = len(stores())

    said = studio("demo", "--remove-old", stdin=b"demo\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    wrong = studio.at_terminal("demo", "--remove-old", typed="demos\n")
    assert (wrong.code, wrong.error["code"]) == (1, "needs_person")
    listed = [line for line in wrong.terminal.splitlines() if line.startswith("  1 MB")]
    assert [line.rpartition("/")[2] for line in listed] == [second.name]
    assert second.is_dir() and len(stores()) == kept

    done = studio.at_terminal("demo", "--remove-old", typed="demo\n")
    assert done.code == 0, done
    assert [each["project"] for each in done.json["removed"]] == [str(second)]
    assert not second.exists() and len(stores()) == kept - 1
    assert (mine / "kept.txt").read_text() == "mine"
    assert (first / "other.txt").exists() and (replaced / "README.md").exists()
    assert sorted(path.name for path in beside.iterdir()) == ["linked", "tidewatch", "tidewatch-7"]
    assert len(studio("plans").json["plans"]) == 1

    nothing = studio("demo", "--remove-old")
    assert (nothing.code, nothing.json) == (0, {"removed": []})


def test_a_copy_is_made_or_removed_not_both(studio: CommandLine, tmp_path: Path) -> None:
    said = studio("demo", "--remove-old", "--dir", tmp_path / "new")
    assert (said.code, said.error["code"]) == (2, "usage")
    assert not (tmp_path / "new").exists()


def test_no_demo_is_made_in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "other"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.setenv("STUDIO_STATE_DIR", str(project / "state"))
    with pytest.raises(Refused, match="is inside the project"):
        prepare_demo(None)
    assert not (project / "state").exists()


def test_what_a_link_leads_to_is_no_copy(demos: list[Path], tmp_path: Path) -> None:
    made = demos[0].parent
    assert demo_copies()
    made.rename(tmp_path / "projects")
    made.symlink_to(tmp_path / "projects")
    for folder in made.iterdir():
        store_folder(folder).mkdir(exist_ok=True)
        (store_folder(folder) / STORE_NAME).touch()  # as if each had been opened there
    assert demo_copies() == ()


def test_a_demo_writes_over_nothing_that_came_behind_its_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine\n")
    target = tmp_path / "new"
    target.mkdir()
    look = Path.iterdir

    def swap(folder: Path) -> Iterator[Path]:
        found = list(look(folder))
        if folder == target and not found:
            (target / "README.md").symlink_to(precious)
        return iter(found)

    monkeypatch.setattr(Path, "iterdir", swap)
    with pytest.raises(Refused):
        make_demo(target)
    assert precious.read_text() == "mine\n"
