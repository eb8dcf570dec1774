"""What a dry run says is what the run does: every kind of step, drift and way."""

from __future__ import annotations

import errno
import json
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.engine.history import DiskStatus, DriftResolution, RollbackPreview
from studio.engine.plan import Plan, PlanState, Step
from studio.errors import Conflict, DiskFailed, ErrorKind, StudioError
from studio.workspace import Reviewer, Workspace
from tests.tools.inside import context_of

LINES = "".join(f"line {number}\n" for number in range(1, 10))
STEPS = [
    {"op": "create", "path": "made/new.txt", "content": LINES},
    {"op": "modify", "path": "changed.txt", "edits": [{"old": "line 2\n", "new": "the plan's\n"}]},
    {"op": "append", "path": "longer.txt", "content": "line 10\n"},
    {"op": "delete", "path": "gone.txt"},
    {"op": "move", "path": "here.txt", "to": "moved/there.txt", "edits": [{"old": "line 2\n", "new": "2\n"}]},
    {"op": "copy", "path": "changed.txt", "to": "copy.txt"},
    {"op": "mode", "path": "run.sh", "executable": True},
    {"op": "modify", "path": "image.bin", "content_base64": "AHR3bw=="},
    {"op": "mkdir", "path": "folder"},
    {"op": "create", "path": "folder/in.txt", "content": "in\n"},
    {"op": "delete", "path": "old"},
]
KINDS = (*range(1, len(STEPS) + 2), None)
"""Each step alone, and the plan as a whole; the delete of a folder becomes two steps."""


def targets(plan: Plan) -> list[str]:
    return [step.target for step in plan.steps]


def edit_everything(project: Path, paths: list[str]) -> None:
    """At the end, where a merge can leave it; what is deleted comes again, folders get a new file."""
    for path in (project / name for name in paths):
        if path.is_dir():
            (path / "mine.txt").write_text("mine\n")
        else:
            path.parent.mkdir(exist_ok=True)
            with path.open("ab") as file:
                file.write(b"mine\n")


def edit_the_same_lines(project: Path, paths: list[str]) -> None:
    for path in (project / name for name in paths):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"the plan's", b"mine").replace(b"2\n", b"3\n"))


def delete_everything(project: Path, paths: list[str]) -> None:
    for path in (project / name for name in paths):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def replace_by_folders(project: Path, paths: list[str]) -> None:
    delete_everything(project, paths)
    for name in paths:
        (project / name).mkdir(parents=True, exist_ok=True)


def replace_by_links(project: Path, paths: list[str]) -> None:
    delete_everything(project, paths)
    for path in (project / name for name in paths if not name.startswith(("folder/", "old/"))):
        path.parent.mkdir(exist_ok=True)
        path.symlink_to("studio.yaml")


def replace_folders_above_by_links(project: Path, _paths: list[str]) -> None:
    for name in ("made", "moved", "folder"):
        (project / name).rename(project / f"{name}-elsewhere")
        (project / name).symlink_to(f"{name}-elsewhere")


def change_modes(project: Path, paths: list[str]) -> None:
    for path in (project / name for name in paths):
        if path.is_file():
            path.chmod(path.stat().st_mode ^ 0o100)


def change_what_was_copied(project: Path, _paths: list[str]) -> None:
    (project / "changed.txt").write_text("other\n")


def put_something_where_the_old_file_was(project: Path, _paths: list[str]) -> None:
    (project / "here.txt").write_text("mine\n")


def take_it_back_by_hand(project: Path, _paths: list[str]) -> None:
    (project / "changed.txt").write_text(LINES)
    (project / "longer.txt").write_text(LINES)
    (project / "gone.txt").write_text(LINES)
    shutil.rmtree(project / "folder")
    (project / "old").mkdir()


def nothing(_project: Path, _paths: list[str]) -> None: ...


DRIFTS = [
    nothing,
    edit_everything,
    edit_the_same_lines,
    delete_everything,
    replace_by_folders,
    replace_by_links,
    replace_folders_above_by_links,
    change_modes,
    change_what_was_copied,
    put_something_where_the_old_file_was,
    take_it_back_by_hand,
]

Entry = tuple[str, bytes | str | None]


def tree(project: Path) -> dict[str, Entry]:
    """Every entry with its permission bits and its bytes, or where a link leads."""
    found: dict[str, Entry] = {}
    for path in sorted(project.rglob("*")):
        mode = stat.filemode(path.lstat().st_mode)
        is_plain = path.is_file() and not path.is_symlink()
        content = path.read_bytes() if is_plain else str(path.readlink()) if path.is_symlink() else None
        found[path.relative_to(project).as_posix()] = (mode, content)
    return found


def deeds(steps: tuple[Step, ...]) -> list[tuple[object, ...]]:
    return [
        (step.op, step.path, step.to, step.base, step.result, step.added, step.removed, step.hunks)
        for step in steps
    ]


@pytest.fixture
def applied(project: Path, propose: Callable[..., Plan], reviewer: Reviewer) -> Plan:
    (project / "old").mkdir()
    for name in ("changed.txt", "longer.txt", "gone.txt", "here.txt", "run.sh", "old/in.txt"):
        (project / name).write_text(LINES)
    (project / "image.bin").write_bytes(b"\0one")
    plan = propose(json.dumps({"title": "t", "steps": STEPS}))
    reviewer.approve(plan.id)
    return reviewer.apply(plan.id)


def check_run(
    workspace: Workspace,
    reviewer: Reviewer,
    rehearsed: RollbackPreview,
    number: int | None,
    way: DriftResolution | None,
) -> None:
    """The run does what the rehearsal said, or is refused in its words; and what was done can be undone."""
    root, plan = workspace.root_path, rehearsed.plan
    numbers = None if number is None else [number]
    ways = {} if way is None else {step.number: way for step in plan.steps}
    before = tree(root)
    try:
        done = reviewer.rollback(plan.id, numbers, ways=ways, shown=rehearsed.fingerprints)
    except StudioError as error:
        assert rehearsed.refusal is not None, (number, way, error)
        assert (error.code, error.kind, error.message) == (
            rehearsed.refusal.code,
            rehearsed.refusal.kind,
            rehearsed.refusal.message,
        )
        assert tree(root) == before
        return
    assert rehearsed.refusal is None, (number, way, rehearsed.refusal)
    going = tuple(file.does for file in reversed(rehearsed.files) if file.does is not None)
    assert deeds(done.steps) == deeds(going)
    after = tree(root)
    for file in rehearsed.files:
        if file.does is not None:
            assert after.get(file.does.target, ("", None))[1] == file.after
    untouched = set(before) - {path for step in done.steps for path in step.written_paths}
    stays = {path for path in untouched if before[path][1] is not None}
    assert {path: before[path] for path in stays} == {path: after.get(path) for path in stays}
    back = workspace.proposer.preview_rollback(done.id, whole=True)
    assert back.refusal is None
    reviewer.rollback(done.id, shown=back.fingerprints)
    assert _without_folders_on_the_way(tree(root)) == _without_folders_on_the_way(before), (number, way)
    assert workspace.proposer.plan(plan.id).state is PlanState.COMPLETED


def _without_folders_on_the_way(entries: dict[str, Entry]) -> dict[str, Entry]:
    """Such a folder goes with the last file in it, also where somebody else took that file away."""
    return {path: entry for path, entry in entries.items() if path not in ("made", "moved")}


@pytest.mark.parametrize("drift", DRIFTS)
def test_a_rehearsal_and_the_run_agree(
    project: Path,
    applied: Plan,
    workspace: Workspace,
    reviewer: Reviewer,
    drift: Callable[[Path, list[str]], None],
) -> None:
    """Step by step and as a whole, without a way and with each; a rehearsal writes nothing."""
    drift(project, targets(applied))
    check_every_way(workspace, reviewer, applied)


def check_every_way(workspace: Workspace, reviewer: Reviewer, applied: Plan) -> None:
    """The step that is as it was written runs alone only where all are: each drift leaves most of them so."""
    root = workspace.root_path
    has_disk_changed = bool(workspace.proposer.preview_rollback(applied.id).drifted)
    for number in KINDS:
        for way in (None, *DriftResolution):
            before = tree(root)
            numbers = None if number is None else [number]
            ways = None if way is None else {step.number: way for step in applied.steps}
            rehearsed = workspace.proposer.preview_rollback(applied.id, numbers, ways, whole=True)
            assert tree(root) == before
            is_as_written = not rehearsed.drifted and rehearsed.refusal is None
            if not (is_as_written and has_disk_changed and number is not None):
                check_run(workspace, reviewer, rehearsed, number, way)
            if not rehearsed.drifted:  # no way counts
                break


@pytest.mark.parametrize("side", ["base", "decided"])
def test_they_agree_where_stored_bytes_are_gone(
    applied: Plan, workspace: Workspace, reviewer: Reviewer, side: str
) -> None:
    """The old bytes, or those that a rollback would have to keep so that it can be undone."""
    images = (getattr(step, side) for step in applied.steps)
    store = context_of(workspace).store
    names = [image.sha256 for image in images if image and image.sha256]
    with store.database.write() as connection:
        store.blobs.delete(connection, names)
    store.blobs.sweep(names)
    found = workspace.proposer.preview_rollback(applied.id)
    assert found.refusal is not None and found.refusal.code == "rollback.not_stored"
    assert {file.disk_status for file in found.files} >= {DiskStatus.LOST, DiskStatus.AS_WRITTEN}
    check_every_way(workspace, reviewer, applied)


@pytest.mark.parametrize("call", ["digest", "read"])
def test_they_agree_where_the_disk_fails(
    project: Path,
    applied: Plan,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    call: str,
) -> None:
    """An error of the disk is no drift: it has its own sentence, no way leads around it, and it may pass."""
    (project / "changed.txt").write_text("mine\n")
    root = type(context_of(workspace).root)
    original = getattr(root, call)

    def fail(self: Any, path: str, *rest: Any) -> Any:
        if path == "changed.txt":
            raise OSError(errno.EIO, "Input/output error")
        return original(self, path, *rest)

    monkeypatch.setattr(root, call, fail)
    check_every_way(workspace, reviewer, applied)
    restoring = workspace.proposer.preview_rollback(applied.id, [2], {2: DriftResolution.RESTORE}, whole=True)
    refusal, (file,) = restoring.refusal, restoring.files
    assert isinstance(refusal, DiskFailed)
    assert "changed.txt can't be " in refusal.message and "Input/output error" in refusal.message
    assert file.problem is not None and file.does is None and "drift" not in refusal.message
    assert file.disk_status is (DiskStatus.UNSEEN if call == "digest" else DiskStatus.CHANGED)
    if call == "digest":
        assert workspace.proposer.preview_rollback(applied.id).drifted == ()
        monkeypatch.undo()
        assert workspace.proposer.preview_rollback(applied.id, [2]).drifted != ()


def test_a_file_too_large_to_be_kept_is_not_replaced(
    project: Path, applied: Plan, workspace: Workspace, reviewer: Reviewer
) -> None:
    """It has changed, and today's bytes could not be brought back: that is said as what it is."""
    limit = context_of(workspace).config().limits.file_bytes
    (project / "changed.txt").write_bytes(b"x" * (limit + 1))
    for way in (DriftResolution.RESTORE, DriftResolution.MERGE):
        found = workspace.proposer.preview_rollback(applied.id, [2], {2: way}, whole=True)
        assert found.refusal is not None
        assert (found.refusal.code, found.refusal.kind) == ("file.too_large", ErrorKind.REFUSED)
        check_run(workspace, reviewer, found, 2, way)
    reviewer.rollback(applied.id, [2], ways={2: DriftResolution.SAVE_BESIDE})
    assert (project / "changed.before.txt").read_text() == LINES


def test_a_name_beside_is_free_and_short_enough(
    project: Path, propose: Callable[..., Plan], workspace: Workspace, reviewer: Reviewer
) -> None:
    """The paths of the plan itself are no place for it, whatever becomes of them; nor is a name too long."""
    long = "é" * 125 + ".md"
    for name in ("a.txt", "a.before.txt", long):
        (project / name).write_text(LINES)
    appends = ({"op": "append", "path": name, "content": "x\n"} for name in ("a.txt", long))
    plan = propose(json.dumps({"title": "t", "steps": [{"op": "delete", "path": "a.before.txt"}, *appends]}))
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    for name in ("a.txt", long):
        (project / name).write_text("mine\n")
    ways = {step.number: DriftResolution.SAVE_BESIDE for step in plan.steps}
    found = workspace.proposer.preview_rollback(plan.id, None, ways, whole=True)
    assert found.refusal is None
    saved = [file.saved_as for file in found.files]
    assert saved[:2] == [None, "a.before-2.txt"]
    assert saved[2] is not None and saved[2].endswith("é.before.md") and len(saved[2].encode()) <= 255
    check_run(workspace, reviewer, found, None, DriftResolution.SAVE_BESIDE)


def test_what_was_shown_is_what_is_done(
    project: Path, applied: Plan, workspace: Workspace, reviewer: Reviewer
) -> None:
    """A file that changed once more, or a name that was taken meanwhile, and nothing is done."""
    (project / "changed.txt").write_text("mine\n")
    for way, meanwhile in (
        (DriftResolution.RESTORE, "changed.txt"),
        (DriftResolution.SAVE_BESIDE, "changed.before.txt"),
    ):
        shown = workspace.proposer.preview_rollback(applied.id, [2], {2: way}).fingerprints
        (project / meanwhile).write_text("mine, later\n")
        before = tree(project)
        with pytest.raises(Conflict, match=r"changed\.txt changed after it was shown"):
            reviewer.rollback(applied.id, [2], ways={2: way}, shown=shown)
        assert tree(project) == before
        shown = workspace.proposer.preview_rollback(applied.id, [2], {2: way}).fingerprints
        back = reviewer.rollback(applied.id, [2], ways={2: way}, shown=shown)
        reviewer.rollback(back.id)
