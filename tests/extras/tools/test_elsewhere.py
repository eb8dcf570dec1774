"""Folders outside of the project that the configuration allows, through the tool an agent holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from studio.engine.branch import SessionListing, SessionRead
from studio.engine.config import ConfigRefused
from studio.engine.filesystem import HostFilesystem
from studio.errors import (
    AccessDenied,
    FileExists,
    FileMissing,
    InvalidPath,
    LeadsOutside,
    StudioError,
)
from studio.extras.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext
from studio.workspace import Reviewer, Workspace


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "base.cs").write_text("class Base {}\n")
    return folder


def allow(*entries: object, **more: object) -> None:
    """The user's own configuration."""
    keys = {"allowed_directories": [".", *entries], **more}
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(json.dumps({"tool_configuration": {"file_system": keys}}))


@contextmanager
def tool_of(project: Path) -> Iterator[FileSystemTool]:
    """The tool of an agent in a project that is opened as it is now."""
    workspace = Workspace.open(project)
    session = workspace.proposer.open_session("agent", "api")
    with workspace.overlay(session) as files:
        yield workspace.tool(files, session)
    workspace.close()


def writable(folder: Path) -> dict[str, object]:
    return {"path": str(folder), "write": True}


def test_a_folder_is_named_in_settings_alone_relative_absolute_or_by_a_variable(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an operation by its absolute path, or with `..` at its start alone."""
    for name in ("relative", "absolute", "variable"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"{name}\n")
    monkeypatch.setenv("TEMPLATES", str(tmp_path / "variable"))
    allow("../relative", str(tmp_path / "absolute"), "${TEMPLATES}")
    with tool_of(project) as tool:
        for name in ("relative", "absolute", "variable"):
            assert tool.read(f"{tmp_path}/{name}/a.txt").content == f"{name}\n"
        for path in ("../relative/a.txt", "./../relative//a.txt", "../relative/./a.txt"):
            found = tool.read(path)
            assert (found.content, found.path) == ("relative\n", f"{tmp_path}/relative/a.txt")
        assert tool.list("../relative").path == f"{tmp_path}/relative"
        for path in (
            *("${TEMPLATES}/a.txt", f"{tmp_path}/relative/../other/a.txt", "../relative/../absolute/a.txt"),
            *("../other/a.txt", "..", "../..", "../" * 40 + "etc/passwd", f"../{project.name}/studio.yaml"),
            *("a/../../relative/a.txt", "../relative/../project/studio.yaml"),
        ):
            with pytest.raises(StudioError):
                tool.read(path)
    monkeypatch.delenv("TEMPLATES")
    with pytest.raises(ConfigRefused, match="TEMPLATES is not set"):
        Workspace.open(project)


def test_without_the_setting_nothing_outside_is_reached(project: Path, shared: Path) -> None:
    with tool_of(project) as tool:
        with pytest.raises(InvalidPath, match="outside the root folder and the allowed folders"):
            tool.read(f"{shared}/base.cs")
        assert tool.exists(f"{shared}/base.cs") is False
    (project / "studio.yaml").write_text(
        json.dumps({"tool_configuration": {"file_system": {"allowed_directories": [".", "../shared"]}}})
    )
    with tool_of(project) as tool, pytest.raises(InvalidPath):
        tool.read(f"{shared}/base.cs")  # a project's file widens nothing before it is trusted


def test_every_reading_operation_works_there_and_its_paths_lead_there_again(
    project: Path, shared: Path
) -> None:
    (shared / "deep").mkdir()
    (shared / "deep/more.cs").write_text("class More {}\n")
    (project / "base.cs").write_text("of the project\n")
    allow(str(shared))
    with tool_of(project) as tool:
        assert tool.read(f"{shared}/base.cs").path == f"{shared}/base.cs"
        listed = tool.list(f"{shared}/", recursive=True)
        names = [f"{shared}/deep", f"{shared}/base.cs", f"{shared}/deep/more.cs"]
        assert (listed.path, [item.path for item in listed.items]) == (str(shared), names)
        assert tool.tree(str(shared)).total_files == 2
        assert tool.info(f"{shared}/deep").path == f"{shared}/deep"
        assert tool.exists(f"{shared}/base.cs") and not tool.exists(f"{shared}/none")
        found = tool.search(str(shared), "class (More|Base)")
        assert [match.path for match in found.matches] == [f"{shared}/base.cs", f"{shared}/deep/more.cs"]
        assert tool.call("read_file", {"file_path": listed.items[2].path})["content"] == "class More {}\n"
        assert tool.read("base.cs").content == "of the project\n"
        with pytest.raises(FileMissing, match=f"In {shared}: none.cs") as missing:
            tool.read(f"{shared}/none.cs")
        assert missing.value.path == f"{shared}/none.cs"


def test_a_copy_from_there_is_a_step_of_a_plan(project: Path, shared: Path, reviewer: Reviewer) -> None:
    """What a project gets from outside is reviewed like all else."""
    allow(str(shared))
    with tool_of(project) as tool:
        done = tool.copy(f"{shared}/base.cs", "src/base.cs")
        assert done.state == "pending" and not (project / "src").exists() and done.plan is not None
        with pytest.raises(FileExists):
            tool.copy(f"{shared}/base.cs", "src/base.cs")
        bulk = tool.bulk(
            [{"operation": "copy_file", "source_path": f"{shared}/base.cs", "destination_path": "b.cs"}]
        )
        assert bulk.plan == done.plan
    reviewer.approve(done.plan)
    reviewer.apply(done.plan)
    assert (project / "src/base.cs").read_text() == (project / "b.cs").read_text() == "class Base {}\n"


def test_nothing_is_written_there_whatever_a_file_says(project: Path, shared: Path) -> None:
    """`write: true` let tools write there once; a change has a step, a journal entry and an undo now."""
    allow(writable(shared))
    with tool_of(project) as tool:
        assert tool.read(f"{shared}/base.cs").content
        writes = {"operation": "write_file", "file_path": f"{shared}/b.txt", "content": "b"}
        for change in (
            lambda: tool.write(f"{shared}/base.cs", "x"),
            lambda: tool.append("../shared/base.cs", "x"),
            lambda: tool.write(f"{shared}/new.cs", "x"),
            lambda: tool.create_directory(f"{shared}/new"),
            lambda: tool.copy("a.txt", f"{shared}/a.txt"),
            lambda: tool.copy(f"{shared}/base.cs", f"{shared}/b.cs"),
            lambda: tool.move(f"{shared}/base.cs", f"{shared}/b.cs"),
            lambda: tool.move("a.txt", f"{shared}/a.txt"),
            lambda: tool.delete(f"{shared}/base.cs", confirm=True),
            lambda: tool.bulk([{"operation": "delete_file", "path": "a.txt"}, writes]),
        ):
            tool.write("a.txt", "a\n")
            with pytest.raises(AccessDenied, match="outside the project") as refused:
                change()
            assert f"in the project {shared}" in refused.value.hint
            assert tool.exists("a.txt")
    assert [path.name for path in shared.iterdir()] == ["base.cs"]
    assert (shared / "base.cs").read_text() == "class Base {}\n"


def test_no_link_leads_out_of_it_and_no_rule_is_left_behind(
    project: Path, shared: Path, tmp_path: Path
) -> None:
    """None leads in or over it."""
    (tmp_path / "secret.txt").write_text("secret\n")
    (shared / "out").symlink_to(tmp_path)
    (shared / "file").symlink_to(tmp_path / "secret.txt")
    (shared / "server.pem").write_text("key\n")
    for folder in (".git", ".git/hooks", "private", "bin"):
        (shared / folder).mkdir()
    for path in (".git/hooks/x", "private/a.cs", "bin/a.cs", "big.cs", "notes.txt", "studio.yaml"):
        (shared / path).write_text("x\n" * (8 if path == "big.cs" else 1))
    allow(
        str(shared),
        allowed_extensions=[".cs", ".pem", ".yaml"],
        blocked_directories=["./bin", str(shared / "private")],
        max_file_size=15,
    )
    with tool_of(project) as tool:
        for path in ("out/secret.txt", "file"):
            with pytest.raises((LeadsOutside, AccessDenied)):
                tool.read(f"{shared}/{path}")
            assert not tool.exists(f"{shared}/{path}")
        for path in ("server.pem", "private/a.cs", "bin/a.cs", "big.cs", "notes.txt", ".git/hooks/x"):
            with pytest.raises(AccessDenied):
                tool.read(f"{shared}/{path}")
        assert tool.read(f"{shared}/base.cs").content
    assert (tmp_path / "secret.txt").read_text() == "secret\n"


def test_what_is_read_there_stands_in_the_project_s_journal(project: Path, shared: Path) -> None:
    """With its absolute path, which no file of a project has."""
    allow(str(shared))
    with tool_of(project) as tool:
        tool.read(f"{shared}/base.cs")
        tool.list(str(shared))
        tool.search(str(shared), "class")
    workspace = Workspace.open(project)
    entries = [row.entry for row in workspace.journal.newest()]
    assert [entry.path for entry in entries if isinstance(entry, SessionRead)] == [f"{shared}/base.cs"]
    listed = [entry for entry in entries if isinstance(entry, SessionListing)]
    assert {(entry.path, entry.pattern) for entry in listed} == {(str(shared), ""), (str(shared), "class")}
    workspace.close()


def test_it_is_never_a_way_into_a_project_or_our_own_folders(project: Path, tmp_path: Path) -> None:
    """However it is named: from above, or by a link."""
    (project / "a.txt").write_text("mine\n")
    (tmp_path / "link").symlink_to(project)
    own = Path(os.environ["STUDIO_CONFIG_DIR"])
    state = Path(os.environ["STUDIO_STATE_DIR"])
    own.mkdir(parents=True, exist_ok=True)
    allow(*map(str, (tmp_path, tmp_path / "link", own, state.parent)))
    with tool_of(project) as tool:
        assert tool.write(f"{project}/a.txt", "new\n").state == "pending", "innermost, it is the project's"
        for path in (f"{tmp_path}/link/a.txt", f"{own}/config.yaml", f"{state}/x"):
            with pytest.raises(AccessDenied):
                tool.read(path)
            assert not tool.exists(path)
    assert (project / "a.txt").read_text() == "mine\n"


def test_folders_that_are_gone_or_too_wide_are_said(project: Path, tmp_path: Path) -> None:
    """They are in nobody's way before they are named."""
    allow(str(tmp_path / "gone"), "/etc", os.environ["HOME"])
    Path(os.environ["HOME"]).mkdir(exist_ok=True)
    with tool_of(project) as tool:
        assert tool.write("a.txt", "a\n").state == "pending"
        with pytest.raises(FileMissing, match="gone does not exist"):
            tool.read(f"{tmp_path}/gone/a.txt")
        for folder in ("/etc", os.environ["HOME"]):
            with pytest.raises(AccessDenied, match="can't be used by tools"):
                tool.read(f"{folder}/hosts")
            assert tool.exists(f"{folder}/hosts") is False


def test_files_of_one_s_own_reach_what_their_policy_allows_to_read(own_folder: Path, shared: Path) -> None:
    """An embedding caller's policy is a setting as well, and makes nothing writable."""
    policy = FileSystemSecurityPolicy(allowed_directories=(".", str(shared)))
    with HostFilesystem(own_folder) as files:
        tool = FileSystemTool(ToolContext.over(files, policy))
        assert tool.read(f"{shared}/base.cs").content == "class Base {}\n"
        assert tool.copy(f"{shared}/base.cs", "base.cs").state == "done"
        with pytest.raises(AccessDenied):
            tool.write(f"{shared}/x.cs", "x")
    assert (own_folder / "base.cs").exists() and not (shared / "x.cs").exists()
