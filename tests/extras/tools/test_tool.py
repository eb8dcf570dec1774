"""The tool at work: as an agent calls it, and until a person has written what it proposed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from studio.engine.filesystem import InMemoryFilesystem, OverlayFilesystem
from studio.engine.plan import Operation, PlanState, StepState
from studio.errors import (
    AccessDenied,
    FileExists,
    FileMissing,
    FolderNotEmpty,
    InvalidPath,
    NeedsPerson,
    NotFound,
    PathTraversal,
    Refused,
    Undecodable,
    UsageError,
)
from studio.extras.tools import FileSystemTool, ToolContext
from studio.workspace import Reviewer, Workspace


def test_what_an_agent_writes_is_a_plan_and_its_rollback_is_the_backup(
    project: Path, workspace: Workspace, reviewer: Reviewer, tool: FileSystemTool
) -> None:
    """Nothing is written before a person approved; then the plan's undo has what was there."""
    (project / "settings.json").write_text("{}\n")
    written = tool.write("./settings.json", '{"a": 1}\n')
    made = tool.write("gen/models/a.cs", "class A {}\n", overwrite=False)
    assert (written.state, written.backup_path, written.size_bytes) == ("pending", None, 9)
    assert written.plan == made.plan and (project / "settings.json").read_text() == "{}\n"
    assert tool.read("settings.json").content == '{"a": 1}\n', "the session sees its own change"
    assert [item.path for item in tool.list("gen", recursive=True).items] == ["gen/models", "gen/models/a.cs"]

    assert made.plan is not None
    reviewer.approve(made.plan)
    reviewer.apply(made.plan)
    assert (project / "settings.json").read_text() == '{"a": 1}\n'
    assert tool.read("settings.json").content == '{"a": 1}\n'
    reviewer.rollback(made.plan)
    assert (project / "settings.json").read_text() == "{}\n" and not (project / "gen").exists()


def test_a_folder_that_is_moved_is_moved_whole(
    project: Path, workspace: Workspace, reviewer: Reviewer, tool: FileSystemTool
) -> None:
    (project / "old/deep").mkdir(parents=True)
    (project / "old/deep/a.txt").write_text("a\n")
    (project / "old/b.txt").write_text("b\n")
    moved = tool.move("old", "new")
    assert not tool.exists("old") and tool.read("new/deep/a.txt").content == "a\n"
    assert moved.plan is not None
    plan = workspace.proposer.plan(moved.plan)
    assert {step.state for step in plan.steps} == {StepState.PENDING}
    tool.write("new/b.txt", "more\n")
    reviewer.approve(moved.plan)
    reviewer.apply(moved.plan)
    found = {str(path.relative_to(project)) for path in project.rglob("*")}
    assert found == {"new", "new/deep", "new/deep/a.txt", "new/b.txt"}


def test_a_call_of_which_a_part_is_refused_proposes_nothing(
    project: Path, workspace: Workspace, tool: FileSystemTool
) -> None:
    """The file that would be replaced is too large for its undo, so the other one is not deleted."""
    (project / "small.txt").write_text("small\n")
    with (project / "large.txt").open("wb") as large:
        large.truncate(11 * 1024 * 1024)
    with pytest.raises(Refused, match=r"large\.txt"):
        tool.move("small.txt", "large.txt", overwrite=True)
    assert workspace.proposer.plans() == () and tool.exists("small.txt")


def test_nothing_changed_is_no_plan(project: Path, workspace: Workspace, tool: FileSystemTool) -> None:
    (project / "a.txt").write_text("a\n")
    same = tool.write("a.txt", "a\n")
    assert (same.plan, same.state) == (None, "unchanged") and workspace.proposer.plans() == ()


def test_a_change_of_what_waits_to_be_applied_waits_too(
    project: Path, reviewer: Reviewer, tool: FileSystemTool
) -> None:
    (project / "a.txt").write_text("a\n")
    first = tool.write("a.txt", "b\n")
    assert first.plan is not None
    reviewer.approve(first.plan)
    second = tool.write("a.txt", "c\n")
    assert second.plan != first.plan and second.state == "stale"


def test_what_a_person_took_out_of_the_queue_is_not_seen_any_more(
    project: Path, workspace: Workspace, reviewer: Reviewer, tool: FileSystemTool
) -> None:
    made = tool.write("a.txt", "a\n")
    assert made.plan is not None
    reviewer.reject(made.plan, reason="no")
    assert tool.create_directory("b").plan != made.plan
    assert workspace.proposer.plan(made.plan).state is PlanState.REJECTED and not tool.exists("a.txt")


def test_reads_are_in_the_journal(project: Path, workspace: Workspace) -> None:
    """One row for each, without the bytes."""
    (project / "a.txt").write_text("a\n")
    session = workspace.proposer.open_session("agent", "api")
    with workspace.overlay(session) as files:
        tool = workspace.tool(files, session)
        tool.read("a.txt")
        tool.list(".")
    kinds = [type(row.entry).__name__ for row in workspace.journal.newest()]
    assert sorted(kinds) == ["SessionListing", "SessionRead"]


def test_a_file_s_size_lines_and_checksum_are_those_of_the_whole(
    own: FileSystemTool, own_folder: Path
) -> None:
    """However much of it was asked for. A line ends at LF."""
    data = b"one\r\ntwo\rstill two\nthree\nfour"
    (own_folder / "a.txt").write_bytes(data)
    os.utime(own_folder / "a.txt", (1_700_000_000, 1_700_000_000))
    found = own.read("a.txt", skip_lines=1, max_lines=2)
    assert found.content == "two\rstill two\nthree\n" and found.truncated
    assert (found.size_bytes, found.line_count) == (len(data), 4)
    assert found.checksum == hashlib.sha256(data).hexdigest()
    assert found.last_modified == datetime.fromtimestamp(1_700_000_000, UTC)
    assert own.read("a.txt", skip_lines=3).content == "four" and not own.read("a.txt", max_lines=4).truncated
    assert own.read("a.txt", skip_lines=9).content == ""


def test_a_caller_s_limit_lowers_that_of_the_rules_and_never_raises_it(
    own: FileSystemTool, own_folder: Path
) -> None:
    """Also where the number is larger than any machine's word."""
    (own_folder / "a.txt").write_bytes(b"x" * (2 * 1024 * 1024))
    (own_folder / "b.txt").write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    assert own.read("a.txt", max_size_mb=2).size_bytes == 2 * 1024 * 1024
    with pytest.raises(AccessDenied, match="more than the limit of 1048576"):
        own.read("a.txt", max_size_mb=1)
    with pytest.raises(AccessDenied, match="more than the limit of 10485760"):
        own.read("b.txt", max_size_mb=1 << 40)
    for wrong in (0, -1):
        with pytest.raises(UsageError):
            own.read("a.txt", max_size_mb=wrong)


@pytest.mark.parametrize(
    ("data", "encoding", "content"),
    [
        (b"plain\n", "utf-8", "plain\n"),
        ("é\n".encode("utf-8-sig"), "utf-8", "é\n"),
        ("é\n".encode("utf-16"), "utf-16-le", "é\n"),
        (b"\xfe\xff\x00e\x00\n", "utf-16-be", "e\n"),
        ("voilà un café\n".encode("cp1252"), "windows-1252", "voilà un café\n"),
    ],
)
def test_the_encoding_is_found_out_and_kept(
    own: FileSystemTool, own_folder: Path, data: bytes, encoding: str, content: str
) -> None:
    """What is written and put behind it is in the encoding that the file has."""
    (own_folder / "a.txt").write_bytes(data)
    found = own.read("a.txt")
    assert (found.encoding, found.content) == (encoding, content)
    own.append("a.txt", content)
    assert own.read("a.txt").content == content * 2
    own.write("a.txt", content)
    assert (own_folder / "a.txt").read_bytes() == data


def test_an_encoding_that_is_named_holds(own: FileSystemTool, own_folder: Path) -> None:
    """For reading, and to turn a file into another encoding."""
    (own_folder / "a.txt").write_bytes(b"caf\xe9\n")
    assert own.read("a.txt", "cp1252").content == "café\n"
    with pytest.raises(Undecodable, match="Byte 3 is not valid ascii, the encoding named by the call"):
        own.read("a.txt", "ascii")
    with pytest.raises(Refused, match="rot13 is not known"):
        own.read("a.txt", "rot13")
    own.write("a.txt", "naïve\n", encoding="utf-16-le")
    assert (own_folder / "a.txt").read_bytes() == b"\xff\xfe" + "naïve\n".encode("utf-16-le")
    with pytest.raises(Refused, match="utf-16-le; text in windows-1252"):
        own.append("a.txt", "x", encoding="windows-1252")
    with pytest.raises(Refused, match=r"U\+2603 in line 1"):
        own.write("b.txt", "☃", encoding="windows-1252")
    assert not (own_folder / "b.txt").exists()


def test_line_ends_and_mark_of_a_file_stay(own: FileSystemTool, own_folder: Path) -> None:
    (own_folder / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    own.write("a.txt", "three\nfour\n")
    own.append("a.txt", "five\n")
    assert (own_folder / "a.txt").read_bytes() == b"three\r\nfour\r\nfive\r\n"


def test_a_backup_lies_beside_what_is_replaced_at_once(own: FileSystemTool, own_folder: Path) -> None:
    """Each with a name of its own, none where nothing was replaced, or nothing written."""
    first = own.write("a.txt", "1\n")
    second, third = own.write("a.txt", "2\n"), own.write("a.txt", "3\n")
    assert first.backup_path is None
    assert second.backup_path and third.backup_path and second.backup_path != third.backup_path
    assert (own_folder / second.backup_path).read_text() == "1\n"
    assert (own_folder / third.backup_path).read_text() == "2\n"
    before = sorted(own_folder.iterdir())
    with pytest.raises(FileExists):
        own.write("a.txt", "4\n", overwrite=False)
    with pytest.raises(Refused):
        own.write("a.txt", "\0")
    assert own.write("a.txt", "5\n", create_backup=False).backup_path is None
    assert sorted(own_folder.iterdir()) == before
    assert [item.name for item in own.list(".").items] == ["a.txt"], "a backup is in no listing"


def test_a_delete_at_once_is_confirmed(own: FileSystemTool, own_folder: Path) -> None:
    """Naming it, and counting what goes with a folder."""
    own.write("a/b.txt", "b\n")
    own.write("c.txt", "c\n")
    for call in (lambda: own.delete("c.txt"), lambda: own.move("c.txt", "a/b.txt", overwrite=True)):
        with pytest.raises(NeedsPerson, match="confirm=True"):
            call()
    with pytest.raises(FileMissing):
        own.delete("none")
    for confirm in (False, True):
        with pytest.raises(FolderNotEmpty):
            own.delete("a", confirm=confirm)
    own.write("a/deep/d.txt", "d\n")
    with pytest.raises(NeedsPerson, match="Deleting a with 3 files and folders in it"):
        own.delete("a", recursive=True)
    assert own.delete("a", recursive=True, confirm=True).state == "done"
    assert [path.name for path in own_folder.iterdir()] == ["c.txt"]


@pytest.mark.parametrize("path", ["../x", "a/../x", "/etc/passwd", "..", "a/..", "a\0b", "C:/x", ""])
def test_a_path_that_leads_elsewhere_is_refused_everywhere(tool: FileSystemTool, path: str) -> None:
    """By every parameter that is a path; `exists` says no."""
    calls = (
        lambda: tool.read(path),
        lambda: tool.write(path, "x"),
        lambda: tool.list(path),
        lambda: tool.copy(path, "b"),
        lambda: tool.copy("b", path),
        lambda: tool.move("b", path),
        lambda: tool.delete(path),
        lambda: tool.search(path, "x"),
    )
    for call in calls:
        with pytest.raises(InvalidPath):
            call()
    assert tool.exists(path) is False


def test_what_exists_does_not_tell_the_log_does(
    project: Path, tool: FileSystemTool, caplog: pytest.LogCaptureFixture
) -> None:
    (project / "server.pem").write_text("key")
    with caplog.at_level("INFO"):
        assert tool.exists("server.pem") is False and tool.exists("../x") is False
    assert "rule=policy.denied path=server.pem" in caplog.text and "rule=name.climbs path=../x" in caplog.text


def test_an_absolute_path_is_taken_within_the_root(own: FileSystemTool, own_folder: Path) -> None:
    """One beside it, whose name begins alike, is not."""
    own.write(str(own_folder / "a.txt"), "a\n")
    assert own.read("a.txt").path == "a.txt" and own.list(str(own_folder)).total_files == 1
    with pytest.raises(InvalidPath):
        own.read(f"{own_folder}-evil/a.txt")


def test_tools_are_given_a_context_and_missing_files_are_no_error_before_they_are_needed() -> None:
    """Whatever holds them."""
    tool = FileSystemTool(ToolContext())
    with pytest.raises(NotFound, match="no files"):
        tool.read("a.txt")
    memory = InMemoryFilesystem()
    memory.write("a.txt", "a")
    assert FileSystemTool(ToolContext(memory)).read("a.txt").content == "a"
    assert FileSystemTool(ToolContext(memory)).write("b.txt", "b").state == "done"


def test_a_layer_of_one_s_own_keeps_what_is_changed(own_folder: Path) -> None:
    """Without a project there is no plan: the changes are the layer's."""
    memory = InMemoryFilesystem()
    memory.write("a.txt", "a\n")
    layer = OverlayFilesystem(memory)
    tool = FileSystemTool(ToolContext.over(layer))
    done = tool.write("a.txt", "b\n")
    assert (done.state, done.plan, done.backup_path) == ("pending", None, None)
    tool.delete("a.txt")
    assert [step.op for step in layer.changes()] == [Operation.DELETE] and memory.exists("a.txt")


def test_info_tells_what_can_be_known_without_reading(own: FileSystemTool, own_folder: Path) -> None:
    (own_folder / ".profile").write_text("x")
    (own_folder / ".profile").chmod(0o640)
    found = own.info(".profile")
    assert (found.type, found.size_bytes, found.permissions, found.extension) == ("file", 1, "0640", None)
    assert found.is_hidden and own.info(".").type == "directory"


def test_lines_are_found_by_an_expression_in_files_whose_names_match(own: FileSystemTool) -> None:
    for path in ("a.py", "b.txt", "deep/c.py"):
        own.write(path, "first\nthe word\n")
    found = own.search(".", r"w\w+d", "*.py")
    assert [
        (one.path, one.line_number, one.line, one.match_start, one.match_end) for one in found.matches
    ] == [
        ("a.py", 2, "the word", 4, 8),
        ("deep/c.py", 2, "the word", 4, 8),
    ]
    assert not found.truncated and own.search(".", "word", max_matches=2).truncated
    with pytest.raises(PathTraversal):
        own.search("../", "x")


def test_a_call_by_name_takes_and_gives_json(own: FileSystemTool) -> None:
    own.call("write_file", {"file_path": "a.txt", "content": "a\n"})
    found = own.call("read_file", {"file_path": "a.txt"})
    assert found["lineCount"] == 1 and str(found["lastModified"]).endswith("Z")
    assert own.call("file_exists", {"path": "a.txt"}) == {"path": "a.txt", "exists": True}
    wrong = ({"file_path": 1}, {}, {"file_path": "a.txt", "max_lines": True}, {"file_path": "a", "path": "b"})
    for arguments in wrong:
        with pytest.raises(UsageError, match="read_file"):
            own.call("read_file", arguments)
    with pytest.raises(UsageError, match="no operation"):
        own.call("run", {})


def test_whoever_opens_a_project_does_not_load_the_tools() -> None:
    """The window and every command would start 40 ms later for them."""
    code = "import sys, studio.workspace; print([m for m in sys.modules if 'engine.tools' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
