"""Tools over a session's files, and over files that belong to no project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.filesystem import HostFilesystem
from studio.extras.tools import FileSystemTool, ToolContext
from studio.workspace import Workspace


@pytest.fixture
def tool(workspace: Workspace) -> Iterator[FileSystemTool]:
    """The tool of an agent at work in the project."""
    session = workspace.proposer.open_session("agent", "api")
    with workspace.overlay(session) as files:
        yield workspace.tool(files, session)


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


@pytest.fixture
def own(own_folder: Path) -> Iterator[FileSystemTool]:
    """A tool that writes at once."""
    with HostFilesystem(own_folder) as files:
        yield FileSystemTool(ToolContext.over(files))
