"""The file manager: what it makes and appends, its errors, and that a failure leaves nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine import actions
from studio.engine.actions import (
    Action,
    ActionKind,
    AppendError,
    FileAlreadyExistsError,
    FileSystemManager,
    FileSystemManagerError,
    PathTraversalError,
    WriteError,
    carry_out,
)
from studio.engine.filesystem import FileStat, HostFilesystem, InMemoryFilesystem
from studio.engine.plan import Operation, StepState
from studio.engine.policy import Policy, RuleSet
from studio.engine.propose.build_result import build_changed
from studio.errors import ErrorKind, FaultKind, FileError
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.workspace import Workspace

Files = HostFilesystem
Missing = actions.FileNotFoundError


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Files]:
    folder = tmp_path / "embedded"
    folder.mkdir()
    with HostFilesystem(folder) as files:
        yield files


@pytest.fixture
def manager(host: Files) -> FileSystemManager:
    return FileSystemManager(host)


def tree(files: Files) -> dict[str, bytes | None]:
    root = Path(files.root)
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
    }


def test_a_file_is_made_with_the_folders_above_it(host: Files, manager: FileSystemManager) -> None:
    manager.handle_create("docs/adr/0001-ü.md", "# Eins\n")
    assert tree(host) == {"docs": None, "docs/adr": None, "docs/adr/0001-ü.md": b"# Eins\n"}
    assert Path(host.root, "docs/adr/0001-ü.md").stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_text_is_appended_behind_an_empty_line(host: Files, manager: FileSystemManager) -> None:
    """Its bytes are the caller's; a block, which can't say how it ends, is the format's business."""
    manager.handle_create("a.md", "one")
    manager.handle_append("a.md", "two\n")
    manager.handle_append("a.md", "three")
    assert tree(host) == {"a.md": b"one\n\ntwo\n\n\nthree"}


APPENDED = {
    "LF": (b"one\n", b"one\n\n\ntwo\nthree\n"),
    "CRLF": (b"one\r\n", b"one\r\n\r\n\r\ntwo\r\nthree\r\n"),
    "several": (b"one\r\nand\n", b"one\r\nand\n\n\ntwo\nthree\n"),
    "UTF-16": (
        "\ufeffone\r\n".encode("utf-16-le"),
        "\ufeffone\r\n\r\n\r\ntwo\r\nthree\r\n".encode("utf-16-le"),
    ),
    "no text": (b"one\0", b"one\0\n\ntwo\nthree\n"),
}


@pytest.mark.parametrize("name", APPENDED)
def test_appended_text_has_the_form_of_its_file(host: Files, manager: FileSystemManager, name: str) -> None:
    before, after = APPENDED[name]
    Path(host.root, "a.md").write_bytes(before)
    manager.handle_append("a.md", "two\nthree\n")
    assert tree(host) == {"a.md": after}


@pytest.mark.parametrize("name", [name for name in APPENDED if name != "no text"])
def test_a_block_appends_what_the_manager_does(host: Files, manager: FileSystemManager, name: str) -> None:
    before, _after = APPENDED[name]
    Path(host.root, "a.md").write_bytes(before)
    manager.handle_append("a.md", "two\n")
    block = b"===FILE_ACTION===\ntype: append\npath: a.md\n---\ntwo\n===END_FILE_ACTION===\n"
    (step,) = read_submission([SubmittedText(block, shown="a block")], SubmissionOptions("file-action")).steps
    assert tree(host) == {"a.md": build_changed(step, before, None).result}


def test_the_errors_are_one_hierarchy_with_python_s_own() -> None:
    for error in (PathTraversalError, FileAlreadyExistsError, Missing, WriteError, AppendError):
        assert issubclass(error, FileSystemManagerError)
    assert issubclass(PathTraversalError, ValueError)
    assert issubclass(FileAlreadyExistsError, FileExistsError)
    assert issubclass(Missing, FileNotFoundError)
    assert FileSystemManagerError is FileError


TRAVERSAL = {
    "../a.md": "name.climbs",
    "docs/../a.md": "name.climbs",
    "docs/../../a.md": "name.climbs",
    "..": "name.climbs",
    "/etc/a.md": "name.absolute",
    "//host/a.md": "name.unc",
    "C:/a.md": "name.drive",
    "..\\a.md": "name.backslash",
    "docs\\..\\a.md": "name.backslash",
    "a\0.md": "name.control",
    "": "name.empty",
    "docs/": "name.empty_component",
    "docs/.": "name.dot",
    "CON.md": "name.reserved",
    "half \ud800.md": "name.not_utf8",
}


@pytest.mark.parametrize("path", TRAVERSAL)
@pytest.mark.parametrize("call", ["handle_create", "handle_append"])
def test_a_path_that_may_not_be_is_refused_before_the_disk_is_asked(
    host: Files, manager: FileSystemManager, path: str, call: str
) -> None:
    with pytest.raises(PathTraversalError) as refused:
        getattr(manager, call)(path, "x")
    assert (refused.value.code, refused.value.fault) == (TRAVERSAL[path], FaultKind.INVALID_PATH)
    assert tree(host) == {}


@pytest.mark.parametrize("path", ["CON.md", "10:00.md", "docs\\a.md"])
def test_a_file_that_has_a_name_of_windows_is_appended_to(
    host: Files, manager: FileSystemManager, path: str
) -> None:
    Path(host.root, path).write_text("one\n")
    manager.handle_append(f"./{path}", "two\n")
    assert tree(host) == {path: b"one\n\n\ntwo\n"}
    with pytest.raises(FileAlreadyExistsError):
        manager.handle_create(path, "x")


def test_two_dots_in_a_name_are_a_name_and_doubled_slashes_one(
    host: Files, manager: FileSystemManager
) -> None:
    """Segments are looked at, not letters."""
    for path in ("a..b.md", "...c.md", "docs//d.md", "./docs///e/./.f..md"):
        manager.handle_create(path, "x")
    assert {path for path, data in tree(host).items() if data} == {
        "a..b.md", "...c.md", "docs/d.md", "docs/e/.f..md"
    }  # fmt: skip


def test_nothing_is_overwritten(host: Files, manager: FileSystemManager) -> None:
    """Not even by the same bytes."""
    manager.handle_create("a.md", "one")
    for content in ("one", "two"):
        with pytest.raises(FileAlreadyExistsError, match=r"a\.md exists already") as refused:
            manager.handle_create("a.md", content)
        assert refused.value.registry == "FS-006"
    assert tree(host) == {"a.md": b"one"}


def test_what_is_not_there_is_not_made_by_an_append(host: Files, manager: FileSystemManager) -> None:
    with pytest.raises(Missing, match=r"docs/a\.md does not exist") as refused:
        manager.handle_append("docs/a.md", "x")
    assert (refused.value.errno, refused.value.filename) == (errno.ENOENT, "docs/a.md")
    assert tree(host) == {}


@pytest.mark.parametrize("at", [1, 2])
def test_a_file_that_goes_meanwhile_is_not_made_anew(
    host: Files, manager: FileSystemManager, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Deleted between two looks, before or after the append has begun."""
    host.write("a.md", "a\n")
    looks = 0
    stat = host.stat

    def stat_and_lose(path: str) -> FileStat:
        nonlocal looks
        looks += 1
        found = stat(path)
        if looks == at:
            host.delete(path)
        return found

    monkeypatch.setattr(host, "stat", stat_and_lose)
    with pytest.raises((FileNotFoundError, AppendError)):
        manager.handle_append("a.md", "more")
    assert tree(host) == {}


def laid_out(host: Files, outside: Path) -> None:
    root = Path(host.root)
    outside.mkdir()
    (outside / "a.md").write_bytes(b"outside")
    (root / "folder.md").mkdir()
    (root / "file.md").write_bytes(b"file")
    (root / "link.md").symlink_to(outside / "a.md")
    (root / "dangling.md").symlink_to(outside / "none.md")
    (root / "way").symlink_to(outside)
    os.mkfifo(root / "pipe.md")
    (root / ".git").mkdir()
    (root / "bytes.md").write_bytes(b"\xff\xfe")


REFUSED = {
    "file.md/a.md": (FaultKind.NOT_A_DIRECTORY, "fs.not_a_folder"),
    "folder.md": (FaultKind.NOT_A_FILE, "fs.not_a_file"),
    "pipe.md": (FaultKind.NOT_A_FILE, "fs.not_a_file"),
    "link.md": (FaultKind.ACCESS_DENIED, "path.link"),
    "dangling.md": (FaultKind.ACCESS_DENIED, "path.link"),
    "way/a.md": (FaultKind.ACCESS_DENIED, "path.link"),
    ".git/a.md": (FaultKind.ACCESS_DENIED, "policy.denied"),
    "sub/.GIT/hooks/a.md": (FaultKind.ACCESS_DENIED, "policy.denied"),
    "studio.yaml": (FaultKind.ACCESS_DENIED, "policy.denied"),
    "a.js": (FaultKind.ACCESS_DENIED, "policy.denied"),
    "docs/README": (FaultKind.ACCESS_DENIED, "policy.denied"),
    f"new/{'n' * 100}.md": (FaultKind.PATH_TOO_LONG, "fs.too_long"),
    f"{'d/' * 17}a.md": (FaultKind.PATH_TOO_LONG, "fs.too_deep"),
}


@pytest.mark.parametrize("path", REFUSED)
@pytest.mark.parametrize("kind", ActionKind)
def test_everything_else_is_an_error_of_what_was_being_done(
    host: Files, tmp_path: Path, kind: ActionKind, path: str
) -> None:
    """The tree is as it was, no folder more, and the status carries the sentence."""
    laid_out(host, tmp_path / "outside")
    before = tree(host)
    error = carry_out(FileSystemManager(host), Action(kind, path, "x")).error
    assert tree(host) == before
    assert (tmp_path / "outside" / "a.md").read_bytes() == b"outside"
    assert error is not None and (error.fault, error.code) == REFUSED[path]
    assert isinstance(error, WriteError if kind is ActionKind.CREATE else AppendError)
    assert error.message.endswith(".") and error.hint.endswith(".")


def test_text_that_is_none_is_refused(host: Files, manager: FileSystemManager) -> None:
    manager.handle_create("a.md", "one")
    with pytest.raises(WriteError, match="character 5"):
        manager.handle_create("new/b.md", "half \ud800")
    with pytest.raises(AppendError, match="half of a pair"):
        manager.handle_append("a.md", "half \ud800")
    assert tree(host) == {"a.md": b"one"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("call", ["start", "make_folder"])
def test_a_disk_that_fails_leaves_no_folder_behind(
    host: Files, manager: FileSystemManager, monkeypatch: pytest.MonkeyPatch, number: int, call: str
) -> None:
    original = getattr(host.backing, call)

    def fail(path: str, *words: object) -> object:
        if call == "make_folder" and path == "docs":
            return original(path, *words)
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(host.backing, call, fail)
    with pytest.raises(
        WriteError, match=r"docs/(new|new/a\.md) can't be|folder docs/new can't be"
    ) as refused:
        manager.handle_create("docs/new/a.md", "x")
    assert isinstance(refused.value, OSError)
    assert tree(host) == {}
    Path(host.root, "b.md").write_bytes(b"b")
    if call == "start":
        with pytest.raises(AppendError, match=r"b\.md can't be written"):
            manager.handle_append("b.md", "x")
    assert tree(host) == {"b.md": b"b"}


def test_a_read_only_filesystem_is_an_error_of_the_write(host: Files) -> None:
    with HostFilesystem(host.root, read_only=True) as files, pytest.raises(WriteError) as refused:
        FileSystemManager(files).handle_create("a.md", "x")
    assert refused.value.kind is ErrorKind.REFUSED and isinstance(refused.value, PermissionError)


def test_a_status_says_what_was_done(host: Files, manager: FileSystemManager) -> None:
    action = Action(ActionKind.CREATE, "a.md", "one")
    assert carry_out(manager, action).success
    again = carry_out(manager, action)
    assert (again.action, again.success) == (action, False)
    assert str(again.error) == "a.md exists already. Choose another path, or append to it."
    assert carry_out(manager, Action(ActionKind.APPEND, "a.md", "two")).success
    assert tree(host) == {"a.md": b"one\n\ntwo"}


HINTS = {
    "../a.md": "root folder",
    "/a.md": "root folder",
    "": "root folder",
    "a.js": "pass a policy that allows it to FileSystemManager",
    "secrets/a.md": "pass a policy that allows it to FileSystemManager",
    ".hidden/a.md": "pass a policy that allows it to FileSystemManager",
    "studio.yaml": "no rule can allow it",
    "new.md": "Open the filesystem for writing",
}


@pytest.mark.parametrize("path", HINTS)
def test_a_hint_names_what_a_program_can_do(path: str) -> None:
    """No project, user or configuration: a program may have none of them."""
    manager = FileSystemManager(InMemoryFilesystem(read_only=True))
    with pytest.raises(FileSystemManagerError) as refused:
        manager.handle_create(path, "x")
    assert HINTS[path] in refused.value.hint
    assert not {"user", "project's", "studio", "propose"} & set(refused.value.hint.lower().split())


def test_other_rules_are_the_embedder_s() -> None:
    """Locked stays locked, whatever they are."""
    manager = FileSystemManager(InMemoryFilesystem(), Policy(rules=(RuleSet("user", deny=("*.md",)),)))
    manager.handle_create("src/a.js", "x")
    with pytest.raises(WriteError, match=r"a\.md is denied"):
        manager.handle_create("a.md", "x")
    with pytest.raises(WriteError):
        manager.handle_create("sub/studio.yaml", "x")


def test_over_a_session_s_overlay_it_proposes(project: Path, workspace: Workspace) -> None:
    """Nothing is written, and what was is a plan."""
    (project / "log.md").write_bytes(b"one\n")
    session = workspace.proposer.open_session("embedder", "python")
    with workspace.overlay(session, format_name="file-action") as files:
        manager = FileSystemManager(files)
        manager.handle_create("docs/new.md", "new")
        manager.handle_append("log.md", "two")
        with pytest.raises(FileAlreadyExistsError):
            manager.handle_create("log.md", "x")
        plan = workspace.proposer.propose_changes(files, session)
    assert plan is not None
    assert {(step.op, step.path, step.state) for step in plan.steps} == {
        (Operation.CREATE, "docs/new.md", StepState.PENDING),
        (Operation.MODIFY, "log.md", StepState.PENDING),
    }
    assert (project / "log.md").read_bytes() == b"one\n" and not (project / "docs").exists()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
