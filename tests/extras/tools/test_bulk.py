"""Many operations as one call: all of their changes or none."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from studio.engine.filesystem import HostFilesystem
from studio.engine.filesystem.base import BackedFilesystem
from studio.errors import ApplyStopped, FileExists, FileMissing, NeedsPerson, Refused, UsageError
from studio.extras.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext
from studio.workspace import Workspace


def write(path: str, content: str = "x\n") -> dict[str, object]:
    return {"operation": "write_file", "file_path": path, "content": content}


def delete(path: str) -> dict[str, object]:
    return {"operation": "delete_file", "path": path, "recursive": True}


def held(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_in_a_session_it_is_one_round_of_the_plan(
    project: Path, workspace: Workspace, tool: FileSystemTool
) -> None:
    (project / "a.txt").write_text("a\n")
    found = tool.bulk([write("b.txt"), delete("a.txt"), {"operation": "file_exists", "path": "a.txt"}])
    (plan,) = workspace.proposer.plans()
    assert (plan.version, plan.id, found.state) == (1, found.plan, "pending")
    assert [(step.op.value, step.path) for step in plan.steps] == [("delete", "a.txt"), ("create", "b.txt")]
    results = [item.result for item in found.items]
    assert results[0] and results[0]["plan"] == plan.id and results[2] == {"path": "a.txt", "exists": False}


@pytest.mark.parametrize("wrong", [delete("none"), {**write("a.txt"), "overwrite": False}, write("../x")])
def test_in_a_session_nothing_is_proposed_where_one_is_refused(
    project: Path, workspace: Workspace, tool: FileSystemTool, wrong: dict[str, object]
) -> None:
    (project / "a.txt").write_text("a\n")
    with pytest.raises((FileMissing, FileExists, ValueError)):
        tool.bulk([write("b.txt"), delete("a.txt") if wrong != {} else {}, write("a.txt"), wrong])
    assert workspace.proposer.plans() == () and not tool.exists("b.txt") and tool.exists("a.txt")


def test_files_of_one_s_own_are_changed_all_or_none(own: FileSystemTool, own_folder: Path) -> None:
    own.write("a.txt", "a\n")
    own.write("d/e.txt", "e\n")
    before = held(own_folder)
    with pytest.raises(FileMissing):
        own.bulk([write("new/b.txt"), write("a.txt", "A\n"), delete("d"), delete("none")], confirm=True)
    assert held(own_folder) == before and not (own_folder / "new").exists()
    with pytest.raises(NeedsPerson):
        own.bulk([write("b.txt"), delete("a.txt")])
    assert held(own_folder) == before
    done = own.bulk([write("new/b.txt"), write("a.txt", "A\n"), delete("d")], confirm=True)
    replaced = done.items[1].result
    assert replaced is not None and isinstance(replaced["backupPath"], str)
    assert (own_folder / replaced["backupPath"]).read_text() == "a\n"
    assert (own_folder / "a.txt").read_text() == "A\n" and not (own_folder / "d").exists()
    assert (own_folder / "new/b.txt").exists() and done.state == "done"


def test_a_disk_that_fails_half_way_leaves_all_as_it_was(
    own: FileSystemTool, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.bulk([write("a.txt", "a\n"), write("d/e.txt", "e\n"), write("m.txt", "m\n"), write("z.txt", "z\n")])
    before = held(own_folder)
    remove = BackedFilesystem.delete

    def failing(files: BackedFilesystem, path: str, recursive: bool = False) -> None:
        if path == "z.txt" and not files.backing.is_layer:
            raise OSError(5, "Input/output error", path)
        remove(files, path, recursive)

    monkeypatch.setattr(BackedFilesystem, "delete", failing)
    calls = [
        write("a.txt", "A\n"),
        write("new/deep/b.txt"),
        {"operation": "move_file", "source_path": "m.txt", "destination_path": "n.txt"},
        {"operation": "copy_file", "source_path": "a.txt", "destination_path": "c.txt"},
        {"operation": "create_directory", "directory_path": "f/g"},
        delete("d"),
        delete("z.txt"),
    ]
    with pytest.raises(OSError, match="Input/output"):
        own.bulk(calls, confirm=True)
    assert held(own_folder) == before
    assert {path.name for path in own_folder.iterdir()} == {"a.txt", "d", "m.txt", "z.txt"}


def test_reads_are_told_one_by_one(own: FileSystemTool) -> None:
    own.write("a.txt", "a\n")
    found = own.bulk([{"operation": "read_file", "file_path": name} for name in ("none", "a.txt")])
    assert [item.success for item in found.items] == [False, True]
    error = found.items[0].error
    assert error is not None and (error.code, error.path) == ("fs.missing", "none")


def test_there_are_at_most_so_many(own_folder: Path) -> None:
    """Changes beyond that are refused, reads end there."""
    policy = FileSystemSecurityPolicy(max_files_per_operation=3)
    own = FileSystemTool(ToolContext.over(HostFilesystem(own_folder), policy))
    with pytest.raises(Refused, match="4 files; one call changes 3"):
        own.bulk([write(f"{number}.txt") for number in range(4)])
    assert held(own_folder) == {}
    found = own.bulk([{"operation": "file_exists", "path": "a"}] * 4)
    assert len(found.items) == 3 and found.truncated
    for number in range(4):
        own.write(f"d/{number}.txt", "x")
    with pytest.raises(Refused, match="5 files"):
        own.bulk([delete("d")], confirm=True)
    assert len(held(own_folder)) == 4


def test_progress_is_told_and_it_can_be_cancelled(own: FileSystemTool, own_folder: Path) -> None:
    """Nothing is changed by a call that was cancelled."""
    told: list[tuple[int, int]] = []
    cancel = threading.Event()

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if done == 2:
            cancel.set()

    with pytest.raises(ApplyStopped, match="cancelled"):
        own.bulk([write(f"{number}.txt") for number in range(5)], progress=progress, cancel=cancel)
    assert told == [(1, 5), (2, 5)] and held(own_folder) == {}


@pytest.mark.parametrize(
    "call", [{}, {"operation": "bulk_operations", "operations": []}, {"operation": "rm"}]
)
def test_what_is_no_operation_is_refused_before_anything(
    own: FileSystemTool, own_folder: Path, call: dict[str, object]
) -> None:
    with pytest.raises(UsageError):
        own.bulk([write("a.txt"), call])
    assert held(own_folder) == {}
