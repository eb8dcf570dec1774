"""Every cell of the table of truth through Python, each by itself."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.filesystem import HostFilesystem
from studio.errors import StudioError
from studio.extras.tools import OPERATIONS, FileSystemTool, ToolContext
from studio.workspace import Workspace
from tests.extras.tools.truth import PATHS, Cell, call_of, cells, codes, lay_out, word_for

SESSION, OWN, READ_ONLY = "a session's files", "files of one's own", "files that are only read"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Iterator[int]]]:
    """One project for all sessions: none of them changes it."""
    folder = tmp_path_factory.mktemp("truth") / "project"
    folder.mkdir()
    lay_out(folder)
    workspace = Workspace.open(folder)
    yield workspace, itertools.count()
    workspace.close()


def answer(tool: FileSystemTool, cell: Cell) -> str:
    """The word for what a call comes to, or the code of its error."""
    name, arguments = call_of(cell)
    if cell.section == OWN and cell.operation in ("delete", "move-to"):
        arguments["confirm"] = True
    try:
        return word_for(cell.operation, tool.call(name, arguments))
    except StudioError as error:
        return error.code


def of_section(*names: str) -> list[Cell]:
    return [cell for cell in cells() if cell.section in names]


@pytest.mark.parametrize("cell", of_section(SESSION), ids=str)
def test_in_a_session(cell: Cell, opened: tuple[Workspace, Iterator[int]]) -> None:
    workspace, numbers = opened
    session = workspace.proposer.open_session(f"agent-{next(numbers)}", "api")
    before = snapshot(workspace.root_path)
    with workspace.overlay(session) as files:
        answered = answer(workspace.tool(files, session), cell)
    assert answered == codes().get(cell.expected, cell.expected)
    assert snapshot(workspace.root_path) == before, "nothing is written before a person approved"
    workspace.proposer.close_session(session)


@pytest.mark.parametrize("cell", of_section(OWN, READ_ONLY), ids=str)
def test_in_files_of_one_s_own(cell: Cell, tmp_path: Path) -> None:
    lay_out(tmp_path)
    before = snapshot(tmp_path)
    with HostFilesystem(tmp_path, read_only=cell.section == READ_ONLY) as files:
        answered = answer(FileSystemTool(ToolContext.over(files)), cell)
    assert answered == codes().get(cell.expected, cell.expected)
    is_changed = snapshot(tmp_path) != before
    wanted = cell.expected == "done" and (cell.operation, cell.condition) != ("mkdir", "folder")
    assert is_changed == wanted, "what is refused changes nothing, and leaves no backup"


def snapshot(folder: Path) -> dict[str, tuple[int, ...]]:
    return {
        str(path): (state.st_ino, state.st_size, state.st_mtime_ns)
        for path in folder.rglob("*")
        for state in [os.lstat(path)]
        if not path.is_dir()
    } | {str(path): () for path in folder.rglob("*") if path.is_dir() and not path.is_symlink()}


def test_no_cell_is_missing() -> None:
    """Each operation is asked about each thing that may lie there."""
    for section in (SESSION, OWN):
        found = of_section(section)
        assert {cell.condition for cell in found} == set(PATHS)
        assert len(found) == len(PATHS) * len({cell.operation for cell in found})
        assert {call_of(cell)[0] for cell in found} | {"bulk_operations"} == {
            *(operation.name for operation in OPERATIONS)
        }
