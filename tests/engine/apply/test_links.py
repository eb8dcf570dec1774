"""Links and whole modes through the one gateway, in a plan of the app's own: put in place, and taken back."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine import disk
from studio.engine.apply import ending, gateway
from studio.engine.apply.gateway import ApplyRefused, Drifted
from studio.engine.branch.posix import PosixFS
from studio.engine.branch.replay import replay
from studio.engine.disk import TargetChanged
from studio.engine.history.drift_choices import DriftResolution
from studio.engine.plan import Operation, Plan, PlanState, StepState
from studio.engine.root import ProjectRoot
from studio.errors import Conflict
from studio.journal.file_image import FileImage
from studio.system import syscalls
from studio.workspace import Reviewer, Workspace
from tests.faults.bench import LINKED, Tree, lay_tree, tree
from tests.faults.test_recovery import Killed, once, temporaries
from tests.tools.inside import context_of
from tests.tools.restoring import plan_to
from tests.tools.rights import AS_ROOT

SECRET = b"outside\n"


def link(target: str) -> tuple[str, int, bytes]:
    """A link in a tree; its bits are those that Linux tells of every link."""
    return "link", 0o777, os.fsencode(target)


def file(data: bytes, mode: int = 0o644) -> tuple[str, int, bytes]:
    return "file", mode, data


FOLDER = ("folder", 0o755, b"")

CHANGES: dict[str, tuple[Tree, Tree]] = {
    "a new link": ({}, {"a": link("own.txt")}),
    "a link that goes": ({"a": link("own.txt")}, {}),
    "a link that becomes a file": ({"a": link("own.txt")}, {"a": file(b"text\n", 0o600)}),
    "a link that becomes a file of the same bytes": ({"a": link("own.txt")}, {"a": file(b"own.txt")}),
    "a file that becomes a link": ({"a": file(b"text\n", 0o640)}, {"a": link("own.txt")}),
    "a file that becomes a link of the same bytes": ({"a": file(b"own.txt")}, {"a": link("own.txt")}),
    "an empty file that becomes a link": ({"a": file(b"")}, {"a": link("own.txt")}),
    "a link to something else": ({"a": link("own.txt")}, {"a": link("sub")}),
    "a link to nothing": ({"a": link("own.txt")}, {"a": link("gone/nowhere")}),
    "a link to a folder": ({"a": file(b"text\n")}, {"a": link("sub"), "sub/b": link("../sub")}),
    "a link to outside": ({"a": link("../outside/secret.txt")}, {"a": file(b"text\n")}),
    "a link to a folder outside": ({"a": link("../outside")}, {"sub/b": link("../../outside")}),
    "an absolute link": ({"a": link("/etc/passwd")}, {"a": link("/")}),
    "a link to itself": ({"a": link("a")}, {"a": link("../project/a")}),
    "a link whose text is no UTF-8": ({}, {"a": ("link", 0o777, b"\xff\xfe/\n\x01")}),
    "a link with a long text": ({"a": link("/".join("x" * 450))}, {"a": link("/".join(["y" * 100] * 9))}),
    "links in a new folder": ({}, {"new": FOLDER, "new/deep": FOLDER, "new/deep/a": link("..")}),
    "a folder of links that goes": ({"old": FOLDER, "old/a": link("b"), "old/b": link("/")}, {}),
    "a folder that becomes a file": (
        {"a": FOLDER, "a/b": file(b"b\n"), "a/c": link("b")},
        {"a": file(b"text\n")},
    ),
    "a folder of folders that becomes a link": (
        {"a": FOLDER, "a/b": FOLDER, "a/b/c": file(b"c\n"), "a/d": FOLDER},
        {"a": link("sub")},
    ),
    "an empty folder that becomes a link to itself": ({"a": FOLDER}, {"a": link("a")}),
    "a file that becomes a folder": ({"a": file(b"text\n", 0o600)}, {"a": FOLDER, "a/b": link("b")}),
    "a link that becomes the folder it led to": (
        {"a": link("sub")},
        {"a": ("folder", 0o750, b""), "a/in.txt": file(b"mine\n"), "a/b": FOLDER, "a/b/c": file(b"c\n")},
    ),
    "folders and files that change places": (
        {"a": FOLDER, "a/b": FOLDER, "a/b/c": file(b"c\n"), "d": file(b"d\n")},
        {"a": FOLDER, "a/b": file(b"c\n"), "d": FOLDER, "d/b": FOLDER, "d/b/c": file(b"d\n")},
    ),
    "a closed folder that is made": (
        {"a": file(b"a\n")},
        {"a": ("folder", 0o555, b""), "a/b": ("folder", 0o500, b""), "a/b/c": link("c")},
    ),
    "a folder that is closed over what changes in it": (
        {"a": FOLDER, "a/b": file(b"b\n"), "a/c": file(b"c\n"), "a/d": link("b")},
        {"a": ("folder", 0o555, b""), "a/b": file(b"new\n", 0o400), "a/d": file(b"d\n"), "a/e": FOLDER},
    ),
    "folders that give on their group, and one that does not": (
        {"a": ("folder", 0o2775, b""), "a/old": ("folder", 0o755, b""), "a/old/b": file(b"b\n")},
        {"a": ("folder", 0o2775, b""), "a/new": ("folder", 0o755, b""), "a/new/b": file(b"b\n")},
    ),
    "many links": (
        {f"{number:02}": link(f"old{number}") for number in range(20)},
        {
            f"{number:02}": link(f"new{number}") if number % 3 else file(b"%d" % number)
            for number in range(20)
        },
    ),
}
"""By name what is there besides the ground, before and after."""


@pytest.fixture
def ground(project: Path) -> Path:
    """A project with a file and a folder, and a folder beside it that no link may lead a write into."""
    (project / "own.txt").write_bytes(b"own\n")
    (project / "sub").mkdir()
    (project / "sub/in.txt").write_bytes(b"in\n")
    (project.parent / "outside").mkdir()
    (project.parent / "outside/secret.txt").write_bytes(SECRET)
    return project


@pytest.fixture
def restore(workspace: Workspace, reviewer: Reviewer) -> Callable[[Tree], Plan]:
    """Bring the project to a tree by a plan of the app's own, carried out by the gateway."""

    def call(wanted: Tree) -> Plan:
        return reviewer.apply(plan_to(workspace, wanted))

    return call


def refuse(*_: object) -> None:
    raise syscalls.Unsupported


@pytest.mark.parametrize("way", ["with exchange", "without exchange"])
@pytest.mark.parametrize(
    "change", [pytest.param(name, marks=AS_ROOT if "closed" in name else ()) for name in CHANGES]
)
def test_every_change_of_links_goes_in_and_back(
    *,
    change: str,
    way: str,
    ground: Path,
    restore: Callable[[Tree], Plan],
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kind, target, bytes and bits, in the project and outside of it: there, back, and there again."""
    bare = tree(ground)
    outside = tree(ground.parent / "outside")
    before, after = ({**bare, **side} for side in CHANGES[change])
    if way == "without exchange":
        for name in ("exchange", "rename_new", "flush_file_system"):
            monkeypatch.setattr(syscalls, name, refuse)
    restore(before)
    assert tree(ground) == before
    plan = restore(after)
    assert plan.state is PlanState.COMPLETED and tree(ground) == after
    back = reviewer.rollback(plan.id)
    assert tree(ground) == before
    reviewer.rollback(back.id)
    assert tree(ground) == after
    assert tree(ground.parent / "outside") == outside


@pytest.mark.parametrize("before", [0o640, 0o644, 0o4755])
@pytest.mark.parametrize("after", [0o600, 0o400, 0o2750, 0o1666, 0o6711])
def test_every_bit_of_a_file_comes_and_goes_back(
    before: int, after: int, project: Path, restore: Callable[[Tree], Plan], reviewer: Reviewer
) -> None:
    """Not the executable bit alone, and whatever the umask is."""
    restore({"a": file(b"text\n", before), "b": file(b"old\n", before)})
    plan = restore({"a": file(b"text\n", after), "b": file(b"new\n", after)})
    assert [step.op for step in plan.steps] == [Operation.MODE, Operation.MODIFY]
    assert tree(project) == {"a": file(b"text\n", after), "b": file(b"new\n", after)}
    reviewer.rollback(plan.id)
    assert tree(project) == {"a": file(b"text\n", before), "b": file(b"old\n", before)}


@pytest.mark.parametrize("after", [0o700, 0o2775, 0o1777, 0o500, pytest.param(0, marks=AS_ROOT)])
def test_every_bit_of_a_folder_comes_and_goes_back(
    after: int, project: Path, restore: Callable[[Tree], Plan], reviewer: Reviewer
) -> None:
    """Of one that stays, and of one that is made: no umask takes anything from it."""
    umask = os.umask(0o077)
    try:
        restore({"there": ("folder", 0o751, b"")})
        before = tree(project)
        plan = restore({"made": ("folder", after, b""), "there": ("folder", after, b"")})
        assert [step.op for step in plan.steps] == [Operation.MKDIR, Operation.MODE]
        changed = tree(project)
        assert changed == {"made": ("folder", after, b""), "there": ("folder", after, b"")}
        back = reviewer.rollback(plan.id)
        assert tree(project) == before
        reviewer.rollback(back.id)
        assert tree(project) == changed
        (project / "there").chmod(0o755)
        with pytest.raises(Conflict, match="there changed after"):
            reviewer.rollback(plan.id)
    finally:
        os.umask(umask)


def test_a_folder_that_its_owner_may_not_look_into_is_not_made_over_changes(
    ground: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """Nobody could tell what was done in it."""
    before = tree(ground)
    wanted = {**before, "sub": ("folder", 0o300, b""), "sub/in.txt": file(b"new\n")}
    with pytest.raises(ApplyRefused, match=r"sub can't lose its permissions: sub/in\.txt in it changes"):
        reviewer.apply(plan_to(workspace, wanted))
    assert tree(ground) == before


def test_bits_that_a_folder_got_meanwhile_stop_the_plan(
    ground: Path, workspace: Workspace, reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(ground)
    plan_id = plan_to(workspace, {**before, "a": link("sub"), "sub": ("folder", 0o700, b"")})
    once(monkeypatch, PosixFS, "commit", lambda *_: (ground / "sub").chmod(0o711))
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    assert tree(ground) == {**before, "sub": ("folder", 0o711, b"")}
    assert workspace.proposer.plan(plan_id).state is PlanState.FAILED


@pytest.mark.parametrize("moment", [(PosixFS, "commit"), (ending, "record_done")])
def test_all_of_it_goes_back_after_a_crash(
    moment: tuple[object, str],
    project: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With every result beside its target, and with every result in place but one that somebody removed."""
    before, after = LINKED
    lay_tree(project, before)
    plan_id = plan_to(workspace, after)
    with monkeypatch.context() as patch:
        once(patch, *moment, kill)
        with pytest.raises(Killed):
            reviewer.apply(plan_id)
    (project / "coming").unlink(missing_ok=True)
    (plan,) = reviewer.recover()
    assert plan.state is PlanState.PAUSED and tree(project) == before
    assert reviewer.apply(plan_id).state is PlanState.COMPLETED and tree(project) == after


def kill(*_: object) -> None:
    raise Killed


def test_a_crash_takes_no_bit_from_a_folder_that_was_just_made(project: Path, workspace: Workspace) -> None:
    """Also not one that the call which makes a folder never gives."""
    (project / "made").mkdir(mode=0o755)
    (project / "made").chmod(0o755)
    placement = disk.DiskChange("made", None, FileImage(None, 0, 0o4775))
    umask = os.umask(0o022)
    try:
        disk.Batch(context_of(workspace).root, [placement], {}.__getitem__).complete()
    finally:
        os.umask(umask)
    assert tree(project) == {"made": ("folder", 0o4775, b"")}


def test_a_file_is_never_the_beginning_of_a_link(project: Path, workspace: Workspace) -> None:
    """A link is made whole or not at all: what says a part of its text is somebody's."""
    placement = disk.DiskChange("a", None, disk.link_image(b"text"), ".exacta-1.tmp")
    (project / ".exacta-1.tmp").write_bytes(b"te")
    aborted = disk.Batch(context_of(workspace).root, [placement], lambda _: b"text").abort()
    assert aborted.foreign_paths == (".exacta-1.tmp",) and (project / ".exacta-1.tmp").read_bytes() == b"te"


def test_a_file_that_says_what_the_link_said_stays_where_it_was_displaced(
    project: Path, workspace: Workspace
) -> None:
    """Somebody laid it in our own file's place, and no link of ours is lost with it."""
    (project / "a").symlink_to("text")
    placement = disk.DiskChange("a", disk.link_image(b"text"), disk.link_image(b"new"), ".exacta-1.tmp")
    batch = disk.Batch(context_of(workspace).root, [placement], lambda _: b"new")
    batch.prepare()
    batch.commit()
    (project / ".exacta-1.tmp").unlink()
    (project / ".exacta-1.tmp").write_bytes(b"text")
    assert batch.finish() == (".exacta-1.tmp",)
    assert tree(project) == {
        "a": link("new"),
        ".exacta-1.tmp": file(b"text", tree(project)[".exacta-1.tmp"][1]),
    }


@pytest.mark.parametrize("owner", [pytest.param((4321, 1234), marks=AS_ROOT)])
def test_an_owner_is_carried_over(
    owner: tuple[int, int], ground: Path, restore: Callable[[Tree], Plan]
) -> None:
    """Of a link, of one that becomes a file and of a file that becomes one; nothing beyond is given away."""
    bare = tree(ground)
    first = {"a": link("own.txt"), "b": link("own.txt"), "c": file(b"c\n")}
    restore({**bare, **first})
    for name in first:
        os.chown(ground / name, *owner, follow_symlinks=False)
    restore({**bare, "a": link("sub"), "b": file(b"b\n"), "c": link("own.txt")})
    for name in first:
        status = (ground / name).lstat()
        assert (status.st_uid, status.st_gid) == owner
    assert (ground / "own.txt").stat().st_uid == os.geteuid()


@pytest.mark.parametrize("moment", ["after the validation", "after the staging"])
@pytest.mark.parametrize(
    ("change", "theirs"),
    [
        (change, theirs)
        for change in ("link to link", "link to file", "a link that goes")
        for theirs in ("another link", "a file", "nothing")
        # That is what the plan wanted, and is put back as all of it.
        if (change, theirs) != ("a link that goes", "nothing")
    ],
)
@pytest.mark.parametrize("way", ["with exchange", "without exchange"])
def test_a_link_changed_in_the_moment_it_is_written_stays(
    *,
    change: str,
    theirs: str,
    moment: str,
    way: str,
    ground: Path,
    workspace: Workspace,
    reviewer: Reviewer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What came out of the exchange is compared by its target; the rest of the plan goes back."""
    (ground / "a").symlink_to("own.txt")
    bare = tree(ground)
    wanted = {name: entry for name, entry in bare.items() if name != "a"}
    if change != "a link that goes":
        wanted["a"] = link("sub") if change == "link to link" else file(b"text\n")
    wanted["first"] = link("own.txt")
    plan_id = plan_to(workspace, wanted)

    def change_it(*_: object) -> None:
        (ground / "a").unlink()
        if theirs == "another link":
            (ground / "a").symlink_to("theirs")
        elif theirs == "a file":
            (ground / "a").write_bytes(b"own.txt")

    if way == "without exchange":
        for name in ("exchange", "rename_new"):
            monkeypatch.setattr(syscalls, name, refuse)
    owner, name = {"after the validation": (gateway, "begin"), "after the staging": (PosixFS, "commit")}[
        moment
    ]
    once(monkeypatch, owner, name, change_it)
    with pytest.raises(TargetChanged):
        reviewer.apply(plan_id)
    left = {name: entry for name, entry in bare.items() if name != "a"}
    if theirs != "nothing":
        left["a"] = link("theirs") if theirs == "another link" else file(b"own.txt", tree(ground)["a"][1])
    assert tree(ground) == left and temporaries(ground) == []


def test_a_link_that_changed_is_drift_before_and_after(
    ground: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """Another target, and a link in the place of a file, even one that says what the file held."""
    bare = tree(ground)
    (ground / "own.txt").write_bytes(b"sub")
    plan_id = plan_to(workspace, {**bare, "a": link("sub"), "own.txt": file(b"new\n")})
    (ground / "own.txt").unlink()
    (ground / "own.txt").symlink_to("sub")
    with pytest.raises(Drifted):
        reviewer.apply(plan_id)
    (ground / "own.txt").unlink()
    (ground / "own.txt").write_bytes(b"own\n")
    done = reviewer.apply(plan_to(workspace, {**bare, "a": link("sub"), "b": link("sub")}))
    (ground / "a").unlink()
    (ground / "a").symlink_to("own.txt")
    with pytest.raises(Conflict, match="a changed after"):
        reviewer.rollback(done.id)
    reviewer.rollback(done.id, ways={1: DriftResolution.KEEP})
    assert tree(ground) == {**bare, "a": link("own.txt")}


def test_the_store_knows_a_link_by_its_target(ground: Path, restore: Callable[[Tree], Plan]) -> None:
    """Journal, plan and history need no new field: its bytes are the target's text, its mode its kind."""
    plan = restore({**tree(ground), "a": link("own.txt")})
    image = plan.steps[0].result
    assert image is not None and image == disk.link_image(b"own.txt")
    assert image.is_link and image.mode == stat.S_IFLNK and image.size == 7 and image.git_mode == "120000"
    assert plan.steps[0].state is StepState.APPLIED


def test_a_link_without_a_text_or_with_a_nul_is_not_made(ground: Path, workspace: Workspace) -> None:
    root = context_of(workspace).root
    for target in (b"", b"own\0.txt"):
        placement = disk.DiskChange("a", None, disk.link_image(target), ".exacta-none-1.tmp")
        with pytest.raises(Exception, match="Nothing was written"):
            disk.place_one(root, placement, target)
    assert "a" not in tree(ground)


@pytest.mark.parametrize(
    ("way", "left"),
    [
        (DriftResolution.KEEP, {"a": link("theirs"), "b": file(b"theirs\n")}),
        (DriftResolution.RESTORE, {"a": file(b"text\n", 0o640), "b": link("own.txt")}),
        (
            DriftResolution.SAVE_BESIDE,
            {
                "a": link("theirs"),
                "a.before": file(b"text\n", 0o640),
                "b": file(b"theirs\n"),
                "b.before": link("own.txt"),
            },
        ),
    ],
)
def test_ways_out_lead_from_a_link_that_changed(
    *, way: DriftResolution, left: Tree, ground: Path, restore: Callable[[Tree], Plan], reviewer: Reviewer
) -> None:
    """Each resolution can itself be taken back."""
    bare = tree(ground)
    restore({**bare, "a": file(b"text\n", 0o640), "b": link("own.txt")})
    plan = restore({**bare, "a": link("own.txt"), "b": file(b"text\n"), "c": FOLDER})
    for name in ("a", "b"):
        (ground / name).unlink()
    (ground / "a").symlink_to("theirs")
    (ground / "b").write_bytes(b"theirs\n")
    (ground / "b").chmod(0o644)
    drifted = tree(ground)
    with pytest.raises(Conflict, match="a link has no lines to merge"):
        reviewer.rollback(plan.id, ways={1: DriftResolution.MERGE, 2: DriftResolution.KEEP})
    back = reviewer.rollback(plan.id, ways={1: way, 2: way})
    assert tree(ground) == {**bare, **left}
    reviewer.rollback(back.id)
    assert tree(ground) == drifted


def test_a_merge_gives_every_bit_back(
    project: Path, restore: Callable[[Tree], Plan], reviewer: Reviewer
) -> None:
    restore({"a": file(b"1\n2\n3\n4\n5\n", 0o4755)})
    plan = restore({"a": file(b"one\n2\n3\n4\n5\n", 0o755)})
    (project / "a").write_bytes(b"one\n2\n3\n4\nfive\n")
    reviewer.rollback(plan.id, ways={1: DriftResolution.MERGE})
    assert tree(project) == {"a": file(b"1\n2\n3\n4\nfive\n", 0o4755)}


def test_a_replay_makes_the_same_links_and_bits(
    ground: Path, restore: Callable[[Tree], Plan], workspace: Workspace, reviewer: Reviewer, tmp_path: Path
) -> None:
    """Beneath an empty folder, what was there before the journal is laid out from what it recorded."""
    bare = tree(ground)
    first = {"a": link("own.txt"), "b": file(b"b\n", 0o600), "there": ("folder", 0o700, b"")}
    restore({**bare, **first})
    (ground / "there").chmod(0o711)
    done = restore({**bare, "a": file(b"a\n", 0o2640), "b": link("a"), "there": ("folder", 0o750, b"")})
    reviewer.rollback(done.id, [2])
    (tmp_path / "again").mkdir()
    store = context_of(workspace).store
    with ProjectRoot(tmp_path / "again") as root:
        replay(store.journal.tail(timeout=0), root, store.blobs.get)
    written = {name: entry for name, entry in tree(ground).items() if name in first}
    assert tree(tmp_path / "again") == written


def test_no_proposal_is_taken_for_a_link_that_was_made(
    ground: Path, restore: Callable[[Tree], Plan], propose: Callable[..., Plan]
) -> None:
    """A file that says what the link said is not what that step left, and a link is refused as before."""
    bare = tree(ground)
    restore({**bare, "a": file(b"text\n")})
    restore({**bare, "a": link("link")})
    edit = {"op": "modify", "path": "a", "edits": [{"old": "text\n", "new": "link"}]}
    for asked in (edit, {"op": "create", "path": "a", "content": "link"}, {"op": "delete", "path": "a"}):
        (step,) = propose(json.dumps({"title": "t", "steps": [asked]})).steps
        assert step.state is StepState.INVALID
    (ground / "a").unlink()
    (ground / "a").write_bytes(b"link")
    (step,) = propose(json.dumps({"title": "t", "steps": [edit]})).steps
    assert step.state is StepState.INVALID
