"""The policy's values become the engine's own rules, and those of a project become its values."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.config import ConfigRefused
from studio.engine.config.schema import ALIASES
from studio.engine.filesystem import HostFilesystem
from studio.errors import AccessDenied
from studio.extras.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext
from studio.workspace import Workspace


def tool_under(folder: Path, policy: FileSystemSecurityPolicy) -> FileSystemTool:
    return FileSystemTool(ToolContext.over(HostFilesystem(folder), policy))


def test_the_defaults() -> None:
    policy = FileSystemSecurityPolicy()
    assert policy.allowed_directories == (".",) and policy.allowed_extensions == ()
    assert policy.blocked_directories == ("bin", "obj", ".git", "node_modules")
    assert policy.blocked_extensions == (".exe", ".dll", ".so", ".dylib")
    assert (policy.max_file_size, policy.max_files_per_operation) == (10_485_760, 1000)
    assert policy.require_confirmation_for_delete and policy.enable_audit_logging


def test_each_value_is_a_key_of_the_configuration() -> None:
    settings = FileSystemSecurityPolicy().settings()
    assert list(settings) == ["tool_configuration"]
    section = settings["tool_configuration"]
    assert isinstance(section, dict)
    assert {f"tool_configuration.file_system.{name}" for name in section["file_system"]} == ALIASES.keys()


@pytest.mark.parametrize(
    ("policy", "denied", "allowed"),
    [
        (FileSystemSecurityPolicy(), "bin/a.txt", "src/a.txt"),
        (FileSystemSecurityPolicy(), "tool.exe", "tool.txt"),
        (FileSystemSecurityPolicy(blocked_directories=("./build",)), "build/a.txt", "rebuild/a.txt"),
        (FileSystemSecurityPolicy(blocked_directories=("temp",)), "a/temp/b.txt", "a/temporary.txt"),
        (FileSystemSecurityPolicy(allowed_extensions=(".md",)), "a.txt", "a.md"),
        (
            FileSystemSecurityPolicy(allowed_extensions=(".md",)),
            "a.txt.backup.20260102-030405",
            "a.md.backup.20260102-030405",
        ),
        (FileSystemSecurityPolicy(blocked_extensions=(".log",)), "A.LOG", "a.txt"),
        (FileSystemSecurityPolicy(allowed_directories=("src",)), "docs/a.txt", "src/a.txt"),
    ],
)
def test_what_it_denies(
    own_folder: Path, policy: FileSystemSecurityPolicy, denied: str, allowed: str
) -> None:
    """With the one matcher that plans are judged by."""
    tool = tool_under(own_folder, policy)
    assert tool.write(allowed, "x").state == "done"
    with pytest.raises(AccessDenied):
        tool.write(denied, "x")
    with pytest.raises(AccessDenied):
        tool.copy(allowed, denied)
    assert not (own_folder / denied).exists() and tool.exists(denied) is False


def test_a_root_beneath_a_folder_of_that_name_works(tmp_path: Path) -> None:
    root = tmp_path / "bin" / "project"
    root.mkdir(parents=True)
    assert tool_under(root, FileSystemSecurityPolicy()).write("a.txt", "x").state == "done"


def test_sizes_and_confirmation(own_folder: Path) -> None:
    policy = FileSystemSecurityPolicy(max_file_size=3, require_confirmation_for_delete=False)
    tool = tool_under(own_folder, policy)
    tool.write("a.txt", "abc")
    with pytest.raises(AccessDenied, match="limit of 3"):
        tool.write("b.txt", "abcd")
    with pytest.raises(AccessDenied, match="limit of 3"):
        tool.append("a.txt", "d")
    assert tool.delete("a.txt").state == "done" and list(own_folder.iterdir()) == []


def test_audit_can_be_switched_off(own_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What is written at once stands in the log, never with its content."""
    with caplog.at_level("INFO"):
        tool_under(own_folder, FileSystemSecurityPolicy(enable_audit_logging=False)).write("a.txt", "quiet")
        assert "a.txt" not in caplog.text
        tool_under(own_folder, FileSystemSecurityPolicy()).write("b.txt", "content")
    assert "operation=write_file path=b.txt" in caplog.text and "content" not in caplog.text


def test_a_value_that_makes_no_sense_is_refused(own_folder: Path) -> None:
    """A variable that is not set, too."""
    for policy in (
        FileSystemSecurityPolicy(max_file_size=-1),
        FileSystemSecurityPolicy(allowed_directories=("${NOWHERE_SET}/x",)),
    ):
        with pytest.raises(ConfigRefused):
            tool_under(own_folder, policy)


EXAMPLE = """
tool_configuration:
  file_system:
    allowed_directories: ["."]
    blocked_directories: ["./bin", "./obj", "./.git", "./node_modules"]
    allowed_extensions: [".cs", ".json", ".yaml", ".md"]
    blocked_extensions: [".exe", ".dll", ".so"]
    max_file_size: 5242880
    require_confirmation_for_delete: true
    enable_audit_logging: true
"""


def test_a_project_s_configuration_is_its_policy(project: Path) -> None:
    """As its file says, and the tool of a session obeys it."""
    (project / "studio.yaml").write_text(EXAMPLE)
    (project / "Program.cs").write_text("class Program {}\n")
    (project / "notes.txt").write_text("x\n")
    with_file = Workspace.open(project)
    session = with_file.proposer.open_session("agent", "api")
    with with_file.overlay(session) as files:
        tool = with_file.tool(files, session)
        policy = tool.context.policy
        assert policy.allowed_extensions == (".cs", ".json", ".yaml", ".md")
        assert policy.blocked_directories[-4:] == ("./bin/", "./obj/", "./.git/", "./node_modules/")
        assert (policy.max_file_size, policy.max_files_per_operation) == (5_242_880, 1000)
        assert tool.write("appsettings.Development.json", "{}\n").state == "pending"
        for denied in ("notes.txt", "bin/a.cs", "run.exe"):
            with pytest.raises(AccessDenied):
                tool.write(denied, "x\n")
        assert [item.path for item in tool.list(".").items] == ["Program.cs", "appsettings.Development.json"]
    with_file.close()
