"""Whole states of a project come back by a plan, and go again with it."""

from __future__ import annotations

import json
import os
import random
import stat
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.plan import PersonSource
from studio.engine.snapshot_store import ObjectFolder
from studio.errors import Conflict, NotFound, Refused, SnapshotError, TimedOut
from studio.formats import detect
from studio.workspace import Person, Workspace
from tests.engine.snapshot_store.folders import FolderState, disturb, standing

PERSON = Person(PersonSource.WINDOW, "tester")


@contextmanager
def project() -> Generator[Workspace]:
    with tempfile.TemporaryDirectory() as place:
        Path(place, "studio.yaml").write_bytes(b"schema_version: 1\n")
        opened = Workspace.open(Path(place))
        try:
            yield opened
        finally:
            opened.close()


def states(folder: Path) -> FolderState:
    """What stands in a folder, but for the one bit that a folder takes from the one it is made anew in."""
    return {
        path: (mode & ~stat.S_ISGID if stat.S_ISDIR(mode) else mode, data)
        for path, (mode, data) in standing(folder).items()
    }


@settings(max_examples=15)
@given(seed=st.integers())
def test_a_random_state_comes_back_whatever_happened_since(seed: int) -> None:
    """Byte, mode and link equal; and so is what stood before, once the restore is taken back."""
    chance = random.Random(seed)
    with project() as opened:
        folder = opened.root_path
        disturb(folder, chance, 20)
        kept = states(folder)
        made = opened.snapshots.create("kept")
        disturb(folder, chance, 12)
        before = states(folder)
        preview = opened.snapshots.preview(made.id)
        assert states(folder) == before
        assert {step.path for step in preview.steps} >= {
            path for path in before.keys() | kept.keys() if before.get(path) != kept.get(path)
        }
        if preview.steps:
            plan = opened.reviewer(PERSON).snapshots.restore(made.id, shown=preview.fingerprint)
            assert states(folder) == kept
            opened.reviewer(PERSON).rollback(plan.id)
        assert states(folder) == before


@pytest.mark.parametrize("name", ["folder", ".git ", "git~1"])
def test_a_folder_that_was_a_link_comes_back_with_what_it_held(name: str) -> None:
    """Also one that an agent could not name; git on Windows would take it for its own."""
    with project() as opened:
        place = opened.root_path / name
        place.symlink_to("nowhere")
        made = opened.snapshots.create("a link")
        place.unlink()
        place.mkdir()
        (place / "one.txt").write_text("one")
        before = states(opened.root_path)
        person = opened.reviewer(PERSON)
        plan = person.snapshots.restore(made.id, shown=opened.snapshots.preview(made.id).fingerprint)
        assert place.is_symlink()
        person.rollback(plan.id)
        assert states(opened.root_path) == before


def test_nothing_else_is_restored_than_was_shown() -> None:
    with project() as opened:
        made = opened.snapshots.create("kept")
        (opened.root_path / "one.txt").write_text("one")
        shown = opened.snapshots.preview(made.id).fingerprint
        (opened.root_path / "two.txt").write_text("two")
        before = states(opened.root_path)
        with pytest.raises(Conflict, match="files changed while you looked"):
            opened.reviewer(PERSON).snapshots.restore(made.id, shown=shown)
        assert states(opened.root_path) == before


def test_a_tag_is_the_newest_that_has_it_and_no_other_word_is_guessed() -> None:
    with project() as opened:
        snapshots = opened.snapshots
        first, second, _ = (snapshots.create(tag) for tag in ("same", "same", ""))
        assert snapshots.find("same") == second and snapshots.find(first.id[:8]) == first
        for word in ("sam", "fff", "nothing", ""):
            with pytest.raises(NotFound):
                snapshots.find(word)
        for tag in ("two\nlines", "x" * 201):
            with pytest.raises(Refused):
                snapshots.create(tag)
        opened.reviewer(PERSON).snapshots.delete(["same"])
        assert snapshots.find("same") == first


def test_a_state_from_before_a_plan_made_folders_comes_back() -> None:
    with project() as opened:
        before, made = states(opened.root_path), opened.snapshots.create("first")
        steps = [{"op": "mkdir", "path": "a/b"}, {"op": "create", "path": "a/new.txt", "content": "new\n"}]
        plan = opened.proposer.propose(detect.read(json.dumps({"title": "t", "steps": steps}).encode()))
        person = opened.reviewer(PERSON)
        person.approve(plan.id)
        person.apply(plan.id)
        assert opened.snapshots.preview(made.id).unplanned == ()
        person.snapshots.restore(made.id)
        assert states(opened.root_path) == before


def test_what_is_damaged_is_not_restored_and_is_kept_again() -> None:
    with project() as opened:
        (opened.root_path / "a.txt").write_bytes(b"soon damaged\n")
        opened.snapshots.create("first")
        known = set(Path(os.environ["STUDIO_STATE_DIR"]).glob("*/snapshots.git/objects/??/*"))
        (opened.root_path / "b.txt").write_bytes(b"new\n")
        made = opened.snapshots.create("in part of damaged objects")
        for path in known:
            path.chmod(0o600)
            path.write_bytes(b"no object")
        (opened.root_path / "a.txt").write_bytes(b"newer\n")
        before = states(opened.root_path)
        for damaged in (opened.snapshots.preview, opened.reviewer(PERSON).snapshots.restore):
            with pytest.raises(SnapshotError, match="damaged"):
                damaged(made.id)
        assert states(opened.root_path) == before
        again = opened.snapshots.create("again")
        (opened.root_path / "studio.yaml").unlink()  # its bytes were damaged as well, and are read anew
        opened.reviewer(PERSON).snapshots.restore(again.id)
        assert states(opened.root_path) == before


def test_a_sweep_that_was_ended_is_done_before_the_next_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_: object) -> None:
        raise KeyboardInterrupt

    with project() as opened:
        opened.snapshots.create("first")
        (folder,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/snapshots.git")
        with ObjectFolder(folder) as objects:
            left = objects.write_blob(b"no name leads to it")
            with monkeypatch.context() as patch:
                patch.setattr(Path, "stat", end)
                with pytest.raises(KeyboardInterrupt):
                    objects.sweep()
            opened.snapshots.create("second")
            assert not objects.is_half_swept
            with pytest.raises(SnapshotError):
                objects.blob(left)


def test_nobody_reads_or_sweeps_while_another_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.extras.snapshots.folder.SNAPSHOT_LOCK_SECONDS", 0.05)
    with project() as opened, closing(Workspace.open(opened.root_path)) as other:

        def meanwhile(*_: object) -> None:
            with pytest.raises(TimedOut, match="busy"):
                other.snapshots.create("second")
            with pytest.raises(TimedOut, match="busy"):
                other.observed.look()

        opened.snapshots.create("first", progress=meanwhile)
        assert [each.tag for each in other.snapshots.all()] == ["first"]


def test_what_cannot_be_kept_stays_with_its_folder() -> None:
    with project() as opened:
        file, pipes = opened.root_path / "file", opened.root_path / "sub/pipes"
        file.touch()
        made = opened.snapshots.create("kept")
        file.unlink()
        os.mkfifo(file)
        pipes.mkdir(parents=True)
        os.mkfifo(pipes / "pipe")
        (pipes / "new").write_bytes(b"new\n")
        preview = opened.snapshots.preview(made.id)
        assert [step.path for step in preview.steps] == ["sub/pipes/new"]
        assert list(preview.left_out) == ["file", "sub/pipes/pipe"]
        opened.reviewer(PERSON).snapshots.restore(made.id)
        assert [path.name for path in pipes.iterdir()] == ["pipe"] and file.is_fifo()


def test_whoever_has_the_project_open_sees_it_without_a_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring may be lost; snapshots lie beside the store, whose version tells of them at the next look."""
    monkeypatch.setattr("studio.engine.project.context.notify", lambda _word: None)
    with project() as opened:
        other = Workspace.open(opened.root_path)
        try:
            before = opened.data_version()
            made = other.snapshots.create("kept")
            created = opened.data_version()
            other.reviewer(PERSON).snapshots.delete([made.id])
            assert before != created != opened.data_version()
        finally:
            other.close()
