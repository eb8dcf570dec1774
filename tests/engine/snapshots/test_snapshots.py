"""Whole states of a project come back by a plan, and go again with it (R121, C20, promise 7)."""

from __future__ import annotations

import random
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.engine.workspace import Person, PersonSource, Workspace
from tests.engine.snapshot_store.folders import StepDiskStatus, disturb, standing

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


def states(folder: Path) -> StepDiskStatus:
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
