"""Whole workflows of an agent: a configuration with wider access, settings read and written, sources found,
and code generated, over a project and over files that belong to none."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from studio.engine.config import load
from studio.engine.filesystem import HostFilesystem
from studio.errors import AccessDenied, FileExists, InvalidPath
from studio.extras.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext
from studio.workspace import Workspace
from tests.engine.conftest import PERSON

CONFIGURATION = """
tool_configuration:
  file_system:
    allowed_directories:
      - "."                           # the project, as by default
      - "../common-files"             # relative to it
      - "{templates}"                 # absolute
      - "${{HOME}}/own-templates"     # by a variable
    blocked_directories: ["./bin", "./obj", "./.git", "./node_modules"]
    allowed_extensions: [".cs", ".json", ".yaml", ".md"]
    blocked_extensions: [".exe", ".dll", ".so"]
    max_file_size: 10485760           # bytes
    require_confirmation_for_delete: true
    enable_audit_logging: true
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with sources, and the three folders outside that its user lets tools read."""
    root = tmp_path / "root"
    files = {
        root / "appsettings.json": '{"level": "info"}\n',
        root / "src/App.cs": "class App {}\n",
        root / "src/deep/er/Part.cs": "class Part {}\n",
        root / "src/readme.md": "# src\n",
        root / "bin/App.cs": "built\n",
        tmp_path / "common-files/shared.json": "{}\n",
        tmp_path / "templates/base.cs": "class Base {}\n",
        Path(os.environ["HOME"]) / "own-templates/mine.cs": "class Mine {}\n",
        tmp_path / "neighbour/file.cs": "class Neighbour {}\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    text = CONFIGURATION.format(templates=tmp_path / "templates")
    (folder / "config.yaml").write_text(text)
    return root


def over_a_project(root: Path, opened: ExitStack) -> FileSystemTool:
    workspace = Workspace.open(root)
    opened.callback(workspace.close)
    session = workspace.proposer.open_session("agent", "api")
    return workspace.tool(opened.enter_context(workspace.overlay(session)), session)


def over_own_files(root: Path, opened: ExitStack) -> FileSystemTool:
    config = load(root, Path(os.environ["STUDIO_CONFIG_DIR"]))
    files = opened.enter_context(HostFilesystem(root))
    return FileSystemTool(ToolContext.over(files, FileSystemSecurityPolicy.of(config)))


@pytest.fixture(params=[over_a_project, over_own_files], ids=["a project", "own files"])
def tool(root: Path, request: pytest.FixtureRequest) -> Iterator[FileSystemTool]:
    make: Callable[[Path, ExitStack], FileSystemTool] = request.param
    with ExitStack() as opened:
        yield make(root, opened)


def test_settings_are_read_and_written_with_a_backup(tool: FileSystemTool, root: Path) -> None:
    """A plan's undo is the backup, and beside files of one's own it is a file."""
    found = tool.call("read_file", {"file_path": "./appsettings.json", "encoding": "utf-8"})
    assert (found["content"], found["lineCount"], found["encoding"]) == ('{"level": "info"}\n', 1, "utf-8")
    for name, content in (("appsettings.Development.json", "{}\n"), ("appsettings.json", "[]\n")):
        call = {"file_path": f"./{name}", "content": content, "create_backup": True}
        done = tool.call("write_file", call)
        assert done["success"] is True and done["path"] == name
        assert tool.read(f"./{name}").content == content
    if tool.context.proposals is not None:
        assert (done["state"], done["backupPath"]) == ("pending", None) and done["plan"]
        assert (root / "appsettings.json").read_text() == '{"level": "info"}\n'
    else:
        assert (root / str(done["backupPath"])).read_text() == '{"level": "info"}\n'
        listed = tool.list(".")
        assert not any("backup" in one.path for one in (*listed.items, *listed.unseen))


def test_sources_are_found_to_a_depth(tool: FileSystemTool, root: Path) -> None:
    """A depth of 0 is every depth, and any depth means something with `recursive` alone."""
    asked = {"directory_path": "./src", "pattern": "*.cs", "recursive": True, "max_depth": 10}
    found = tool.call("list_directory", asked)
    assert isinstance(found["items"], list)
    assert [item["path"] for item in found["items"]] == ["src/App.cs", "src/deep/er/Part.cs"]
    assert (found["totalFiles"], found["truncated"]) == (2, False)

    def files(**how: object) -> list[str]:
        items = tool.call("list_directory", {"directory_path": "src", "pattern": "*.cs", **how})["items"]
        assert isinstance(items, list)
        return [item["name"] for item in items]

    assert files(recursive=True, max_depth=0) == ["App.cs", "Part.cs"]
    assert files(recursive=True, max_depth=2) == ["App.cs"] == files(max_depth=5)
    assert files(recursive=True, max_depth=3) == ["App.cs", "Part.cs"]


def test_code_is_generated_and_never_over_a_file(tool: FileSystemTool, root: Path) -> None:
    assert tool.call("create_directory", {"directory_path": "./Generated/Models"})["success"] is True
    made = {"file_path": "./Generated/Models/User.cs", "content": "class User {}\n", "overwrite": False}
    assert tool.call("write_file", made)["sizeBytes"] == 14
    with pytest.raises(FileExists):
        tool.call("write_file", made)
    if tool.context.proposals is not None:
        assert not (root / "Generated").exists(), "before a person approved nothing is there"
        workspace = Workspace.open(root)
        (plan,) = workspace.proposer.plans()
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
        workspace.close()
    assert (root / "Generated/Models/User.cs").read_text() == "class User {}\n"


def test_each_line_of_the_configuration_holds(tool: FileSystemTool, root: Path, tmp_path: Path) -> None:
    """Beside the project's folder the three others, and nothing else on the machine."""
    assert tool.read("./src/App.cs").path == "src/App.cs" == tool.read(f"{root}/src/App.cs").path
    for path in (
        tmp_path / "common-files/shared.json",
        tmp_path / "templates/base.cs",
        Path(os.environ["HOME"]) / "own-templates/mine.cs",
    ):
        assert tool.read(str(path)).checksum
        with pytest.raises(AccessDenied):
            tool.write(str(path), "x\n")
    for outside in ("../neighbour/file.cs", f"{tmp_path}/neighbour/file.cs", "/etc/hostname", f"{root}-evil"):
        with pytest.raises(InvalidPath):
            tool.read(outside)
    for denied in ("./bin/App.cs", "obj/x.cs", ".git/config", "a.exe", "a.txt", "a.so"):
        with pytest.raises(AccessDenied):
            tool.write(denied, "x\n")
    with pytest.raises(AccessDenied, match="10485760"):
        tool.write("big.md", "x" * (10_485_760 + 1))
