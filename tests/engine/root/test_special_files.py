"""What is no regular file, what can't be seen, names that are no text."""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from studio.engine.disk import Batch, DiskChange, Obstacles, TargetChanged
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.root import EntryKind, ProjectRoot, TreeEntry, Unseen
from studio.engine.root.entry_kind import kind_of
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import NotAFile, Refused
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import no_handle_left
from tests.tools.rights import IS_ROOT

LIMIT = 1 << 20
NOBODY = 65534


@pytest.fixture
def root(way: str, project: Path) -> Iterator[ProjectRoot]:
    with ProjectRoot(project) as opened:
        yield opened


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # a socket's address must be short


def make_device(path: Path) -> None:
    """The one character device that anybody may make: it stands for nothing."""
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(0, 0))


SPECIAL: dict[str, tuple[Callable[[Path], None], EntryKind, str]] = {
    "pipe": (make_pipe, EntryKind.PIPE, "is a pipe."),
    "socket": (make_socket, EntryKind.SOCKET, "is a socket."),
    "device": (make_device, EntryKind.DEVICE, "is a device."),
    "folder": (Path.mkdir, EntryKind.FOLDER, "is a folder, not a file."),
    "link": (
        lambda path: path.symlink_to("nothing"),
        EntryKind.LINK,
        "through a link, which leads to nothing.",
    ),
}
each_special = pytest.mark.parametrize("name", SPECIAL)


def test_a_junction_is_a_link() -> None:
    """By the rule alone: Windows tells of a junction as a folder with a tag."""
    folder = SimpleNamespace(st_mode=stat.S_IFDIR | 0o755, st_reparse_tag=0xA0000003)
    assert kind_of(cast(os.stat_result, folder)) is EntryKind.LINK
    folder.st_reparse_tag = 0x9000001A  # a folder that a cloud drive keeps elsewhere
    assert kind_of(cast(os.stat_result, folder)) is EntryKind.FOLDER


@each_special
def test_what_is_no_file_is_known_before_it_is_read(root: ProjectRoot, name: str) -> None:
    """Each has its own sentence; nothing waits for a pipe that nobody writes."""
    make, kind, words = SPECIAL[name]
    make(root.path / name)
    with no_handle_left():
        for read in (root.read, root.read_bytes):
            with pytest.raises(Refused) as refused:
                read(name, LIMIT)
            assert words in refused.value.message and refused.value.hint
        state, found = root.state(name), root.digest(name)
    assert state is not None and state.kind is kind
    assert found is not None and (found[0], found[1].kind) == ("", kind)
    (entry,) = root.list_folder("")
    assert (entry.is_folder, entry.is_link) == (name == "folder", name == "link")


@each_special
def test_what_is_no_file_is_not_replaced_or_deleted(root: ProjectRoot, name: str) -> None:
    SPECIAL[name][0](root.path / name)
    before = (root.path / name).lstat()
    for after in (None, FileImage("0" * 64, 0, 0o644)):
        temporary = ".exacta-00000000-0000-0000-0000-000000000000-1.tmp"
        batch = Batch(
            root, [DiskChange(name, FileImage("1" * 64, 0, 0o600), after, temporary)], lambda _: b""
        )
        with pytest.raises((TargetChanged, Refused, OSError)):
            batch.prepare()
            batch.commit()
        batch.abort()
    now = (root.path / name).lstat()
    assert (now.st_ino, now.st_mode) == (before.st_ino, before.st_mode)


@each_special
def test_a_plan_for_what_is_no_file_is_refused_with_its_sentence(
    name: str, project: Path, workspace: Workspace, propose: Callable[..., Plan]
) -> None:
    make, _, words = SPECIAL[name]
    make(project / name)
    for step in (
        {"op": "modify", "path": name, "content": "x"},
        {"op": "create", "path": name, "content": "x"},
        {"op": "copy", "path": name, "to": "copy"},
        {"op": "mode", "path": name, "executable": True},
    ):
        plan = propose(json.dumps({"title": "t", "steps": [step]}))
        assert plan.state is PlanState.INVALID
        assert words in plan.steps[0].problems[0].message


def test_a_sparse_giant_is_known_by_its_size(root: ProjectRoot) -> None:
    """A tebibyte of nothing costs nothing to make, and would take everything to read."""
    with (root.path / "sparse").open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(Refused) as refused:
        root.read("sparse", LIMIT)
    assert refused.value.code == "file.too_large"
    assert f"{1 << 40:,}" in refused.value.message


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 3 << 20])
def test_a_file_is_read_whole_up_to_the_limit(root: ProjectRoot, size: int) -> None:
    (root.path / "file").write_bytes(b"x" * size)
    if size <= 100:
        assert root.read("file", 100)[0] == b"x" * size
    else:
        with pytest.raises(Refused):
            root.read("file", 100)
    assert root.read_bytes("file", 4 << 20) == b"x" * size


@pytest.mark.parametrize("said", [0, 4, 10, 1000])
def test_a_file_whose_size_is_not_what_was_said(
    root: ProjectRoot, said: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It grows or shrinks while it is read, or its system gives no size: what is read is what there is."""
    (root.path / "file").write_bytes(b"0123456789")
    fstat = os.fstat

    def other(handle: int) -> os.stat_result:
        status = fstat(handle)
        return os.stat_result((*status[:6], said, *status[7:])) if stat.S_ISREG(status.st_mode) else status

    monkeypatch.setattr(os, "fstat", other)
    assert root.read_bytes("file", 1000) == b"0123456789"
    with pytest.raises(Refused):
        root.read_bytes("file", 9)


def test_a_hard_link_to_outside_keeps_the_outside(
    project: Path, reviewer: Reviewer, propose: Callable[..., Plan]
) -> None:
    """Told as a fact; what is written is a new file, and the other name keeps the old bytes."""
    outside = project.with_name("outside.txt")
    outside.write_text("old\n")
    os.link(outside, project / "twin.txt")
    plan = propose(
        json.dumps({"title": "t", "steps": [{"op": "append", "path": "twin.txt", "content": "new\n"}]})
    )
    assert "hard_link" in [fact.kind for fact in plan.steps[0].facts]
    reviewer.approve(plan.id)
    assert reviewer.apply(plan.id).state is PlanState.COMPLETED
    assert outside.read_text() == "old\n" and (project / "twin.txt").read_text() == "old\nnew\n"


LEVELS = 1200


@pytest.fixture
def deep(root: ProjectRoot) -> Iterator[ProjectRoot]:
    """A tree far deeper than the longest path the system takes; no library would remove it."""
    handle = os.open(root.path, os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir("deep", dir_fd=handle)
        below = os.open("deep", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(os.open("bottom.txt", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
    yield root
    top, following = root.path / "deep", root.path / "next"
    for _ in range(LEVELS - 1):
        (top / "deep").rename(following)
        top.rmdir()
        following.rename(top)
    (top / "bottom.txt").unlink()


def test_a_deep_tree_is_seen_whole(deep: ProjectRoot) -> None:
    """os.walk would stop without a word where its paths grow too long."""
    with no_handle_left():
        found = list(deep.walk())
    assert [entry for entry in found if isinstance(entry, Unseen)] == []
    assert len(found) == LEVELS + 1
    bottom = found[-1].path
    assert bottom.endswith("/bottom.txt") and len(bottom) > 5000
    assert deep.read_bytes(bottom, 10) == b"" and deep.digest(bottom) is not None


def test_a_huge_folder_is_listed(root: ProjectRoot) -> None:
    count = 5_000
    with root.folder("") as handle:
        for number in range(count):
            os.close(os.open(f"{number:05}", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    assert [entry.path for entry in root.list_folder("")] == [f"{number:05}" for number in range(count)]


def as_nobody(call: Callable[[], object]) -> object:
    """What a call gives in a process without privileges, as JSON would: tests may run as root."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            if IS_ROOT:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os.write(writing, json.dumps(call()).encode())
            code = 0
        except BaseException as error:
            os.write(writing, json.dumps(f"{type(error).__name__}: {error}").encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return json.loads(answer)


@pytest.fixture
def closed(root: ProjectRoot) -> ProjectRoot:
    """A folder that nobody may look into, and one that may only be passed."""
    root.path.chmod(0o755)
    for name, mode in (("closed", 0o000), ("passed", 0o311)):
        (root.path / name).mkdir()
        (root.path / name / "in.txt").write_text("x")
        (root.path / name).chmod(mode)
    (root.path / "seen.txt").write_text("x")
    (root.path / "secret.txt").write_text("x")
    (root.path / "secret.txt").chmod(0o000)
    return root


def test_a_folder_that_may_not_be_looked_into_is_reported(closed: ProjectRoot) -> None:
    """What a walk can't see is never left out in silence."""

    def walked() -> list[str]:
        return [entry.reason if isinstance(entry, Unseen) else entry.path for entry in closed.walk()]

    reason = "{} can't be listed: access to it is denied."
    assert as_nobody(walked) == [
        "closed",
        "passed",
        "secret.txt",
        "seen.txt",
        reason.format("passed"),
        reason.format("closed"),
    ]


def test_a_folder_that_may_only_be_passed_is_passed(closed: ProjectRoot) -> None:
    assert as_nobody(lambda: closed.read_bytes("passed/in.txt", 10).decode()) == "x"
    assert as_nobody(lambda: closed.digest("passed/in.txt") is not None) is True


def test_what_may_not_be_read_is_not_absent(closed: ProjectRoot) -> None:
    for path in ("closed/in.txt", "secret.txt"):
        for call in (lambda path=path: closed.read_bytes(path, 10), lambda path=path: closed.digest(path)):
            assert str(as_nobody(call)).startswith("PermissionError")


def test_a_folder_delete_over_what_nobody_saw_is_refused(
    project: Path, workspace: Workspace, propose: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "gone/inner").mkdir(parents=True)
    (project / "gone/file.txt").write_text("x")

    def walk(_: ProjectRoot, path: str = "") -> Iterator[TreeEntry | Unseen]:
        yield TreeEntry("gone/inner", is_folder=True, size=0, is_link=False)
        yield Unseen("gone/inner", "gone/inner can't be listed: access to it is denied.")

    monkeypatch.setattr(ProjectRoot, "walk", walk)
    plan = propose(json.dumps({"title": "t", "steps": [{"op": "delete", "path": "gone"}]}))
    assert plan.state is PlanState.INVALID
    (problem,) = plan.steps[0].problems
    assert problem.code == "target.unseen" and "access to it is denied" in problem.message


BAD_NAMES = (b"\xff.txt", b"caf\xe9", b"\xed\xa0\x80", b"a\nb", b"\x1b[31m", b"-rf", "\u202etxt.exe".encode())


def test_names_that_are_no_text_are_listed_and_shown_escaped(root: ProjectRoot) -> None:
    with root.folder("") as handle:
        for name in BAD_NAMES:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    entries = root.list_folder("")
    assert sorted(os.fsencode(entry.path) for entry in entries) == sorted(BAD_NAMES)
    for entry in entries:
        assert show_name(entry.path).isprintable()
        assert root.read_bytes(entry.path, 10) == b""
        assert root.digest(entry.path) is not None and root.state(entry.path) is not None


def test_a_folder_delete_over_names_that_are_no_text_does_not_crash(
    project: Path, workspace: Workspace, reviewer: Reviewer, propose: Callable[..., Plan]
) -> None:
    """They can't be proposed, so the folder stays, and the reviewer is told why."""
    (project / "gone").mkdir()
    (project / "gone/fine.txt").write_text("x")
    for name in BAD_NAMES[:3]:
        Path(os.fsdecode(os.fsencode(project / "gone") + b"/" + name)).write_text("kept")
    plan = propose(json.dumps({"title": "t", "steps": [{"op": "delete", "path": "gone"}]}))
    invalid = [step for step in plan.steps if step.state is StepState.INVALID]
    assert len(plan.steps) == 5 and len(invalid) == 3
    assert {step.problems[0].code for step in invalid} == {"name.not_utf8"}
    assert all(step.problems[0].message.isprintable() for step in invalid)
    assert [again.path for again in workspace.proposer.plan(plan.id).steps] == [
        step.path for step in plan.steps
    ]
    reviewer.approve(plan.id)
    with pytest.raises(Refused) as refused:
        reviewer.apply(plan.id)
    assert refused.value.code == "target.folder_not_empty"
    assert len(list((project / "gone").iterdir())) == 4


def test_a_pipe_in_place_of_a_file_does_not_hold_an_apply(
    project: Path, reviewer: Reviewer, propose: Callable[..., Plan]
) -> None:
    (project / "file.txt").write_text("old")
    plan = propose(
        json.dumps({"title": "t", "steps": [{"op": "modify", "path": "file.txt", "content": "new"}]})
    )
    reviewer.approve(plan.id)
    (project / "file.txt").unlink()
    make_pipe(project / "file.txt")
    with pytest.raises(Exception, match="changed after it was reviewed"):
        reviewer.apply(plan.id)


def test_a_pipe_is_no_file_for_its_class(root: ProjectRoot) -> None:
    make_pipe(root.path / "pipe")
    with pytest.raises(NotAFile) as refused:
        root.read("pipe", 1)
    assert isinstance(refused.value, IsADirectoryError) and refused.value.registry == "FS-009"


def test_a_link_to_another_disk_is_no_mount_point(project: Path) -> None:
    """What stands at a target is looked at itself, wherever it leads."""
    (project / "link").symlink_to(os.devnull)
    with ProjectRoot(project) as root, Obstacles(root) as obstacles:
        assert obstacles.of("link") is None


def test_a_file_that_becomes_a_pipe_while_it_is_opened_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file that is not the project's: known once more by its handle."""
    file = tmp_path / "trust.json"
    file.write_text("{}")
    open_file = os.open

    def late(path: Path, flags: int) -> int:
        path.unlink()
        os.mkfifo(path)
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(NotAFile):
        read_foreign_file(file, LIMIT, whole=False)
