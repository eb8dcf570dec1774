"""A state folder that is deleted or moved while an apply runs: told, and nothing is silently lost."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import pytest

from studio.errors import Refused
from studio.workspace import Reviewer, Workspace
from tests.doors.conftest import CommandLine, set_review
from tests.faults.bench import Bench, propose_and_approve, tree

TARGETS = 3


def approved(workspace: Workspace) -> str:
    steps = [{"op": "modify", "path": f"{number}.txt", "content": "new"} for number in range(TARGETS)]
    for step in steps:
        (workspace.root_path / step["path"]).write_text("old")
    return propose_and_approve(workspace, *steps)


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
@pytest.mark.parametrize("after", range(TARGETS))
def test_an_apply_whose_store_vanishes_puts_everything_back(
    bench: Bench, workspace: Workspace, reviewer: Reviewer, how: str, after: int
) -> None:
    plan_id = approved(workspace)
    before = tree(bench.project)

    def vanish(done: int, _total: int) -> None:
        if done == after and not (bench.state / "aside").exists():
            workspace.state_folder.rename(bench.state / "aside")
            if how == "deleted":
                shutil.rmtree(bench.state / "aside")
                (bench.state / "aside").mkdir()
            elif how == "replaced":
                shutil.copytree(bench.state / "aside", workspace.state_folder)

    with pytest.raises(Refused, match="every file was restored") as caught:
        reviewer.apply(plan_id, progress=vanish)
    assert (
        str(workspace.state_folder) in caught.value.message and "open the project again" in caught.value.hint
    )
    assert tree(bench.project) == before


def test_a_store_that_vanishes_at_the_very_end_is_told_of(
    workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the files are written, and cannot be taken back."""
    plan_id = approved(workspace)
    monkeypatch.setattr(
        "studio.engine.apply.retention.discard_due", lambda _context: shutil.rmtree(workspace.state_folder)
    )
    with pytest.raises(Refused, match="was written completely, but its record was lost"):
        reviewer.apply(plan_id)


def test_the_command_line_tells_of_it_and_writes_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "studio.doors.cli.console.interrupts.signal", Mock()
    )  # the main thread alone may set one
    file = bench.project / "a.txt"
    file.write_text("old")
    set_review("allow")
    studio = CommandLine(bench.project, here=True)
    plan = studio.submit({"op": "modify", "path": "a.txt", "content": "new"})["plan"]
    assert studio("approve", plan).code == 0
    (folder,) = (path.parent for path in bench.state.rglob("store.sqlite3"))
    with file.open("rb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        applying = studio.begin("apply", plan)
        with (folder / "writer.lock").open("ab") as writer:
            while _is_free(writer.fileno()) and applying.is_running:
                Event().wait(0.01)
        shutil.rmtree(folder)
    said = applying.end()
    assert (said.code, said.error["code"]) == (1, "store.gone"), said
    assert "was deleted, moved or replaced" in said.error["message"]
    assert file.read_text() == "old" and {path.name for path in bench.project.iterdir()} == {"a.txt"}


def _is_free(handle: int) -> bool:
    """Whether no apply holds the writer lock."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(handle, fcntl.LOCK_UN)
    return True


def test_a_decision_that_went_into_a_vanished_store_is_refused(
    bench: Bench, workspace: Workspace, reviewer: Reviewer
) -> None:
    plan_id = approved(workspace)
    Path(workspace.state_folder).rename(bench.state / "aside")
    with pytest.raises(Refused, match="was deleted, moved or replaced") as caught:
        reviewer.take_back(plan_id)
    assert caught.value.code == "store.gone"
