"""One step for each path."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Operation, Problem
from studio.formats.folding import fold

EDIT = DraftStep(Operation.MODIFY, "a", edits=(TextEdit("x", "y"),), line=1)
CREATE = DraftStep(Operation.CREATE, "a", content=b"1", line=1)
APPEND = DraftStep(Operation.APPEND, "a", content=b"2", line=2)
LIKE_FILE = replace(APPEND, ends_like_file=True)
CONTENT = DraftStep(Operation.MODIFY, "a", content=b"new", line=3)
MODE = DraftStep(Operation.MODE, "a", executable=True, line=4)
DELETE = DraftStep(Operation.DELETE, "a", line=5)
MOVE = DraftStep(Operation.MOVE, "a", to="b", line=6)
COPY = DraftStep(Operation.COPY, "a", to="c", line=7)


def test_steps_of_different_paths_stay_as_they_are() -> None:
    steps = (EDIT, replace(DELETE, path="z"), COPY)
    assert fold(steps) == steps


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((CREATE, APPEND), replace(CREATE, content=b"12")),
        ((APPEND, APPEND), replace(APPEND, content=b"22")),
        ((LIKE_FILE, LIKE_FILE), replace(LIKE_FILE, content=b"22")),
        ((CREATE, LIKE_FILE), replace(CREATE, content=b"12")),
        ((replace(CREATE, content=b"1\n"), LIKE_FILE), replace(CREATE, content=b"1\n2\n")),
        ((CREATE, APPEND, MODE), replace(CREATE, content=b"12", executable=True)),
        ((DELETE, CREATE), replace(CONTENT, content=b"1", rewrites=True, line=DELETE.line)),
        ((EDIT, EDIT), replace(EDIT, edits=EDIT.edits * 2)),
        ((CONTENT, MODE), replace(CONTENT, executable=True)),
    ],
)
def test_what_has_an_order_is_one_step(steps: tuple[DraftStep, ...], expected: DraftStep) -> None:
    assert fold(steps) == (expected,)


@pytest.mark.parametrize(
    "steps",
    [
        (CREATE, CREATE),
        (CONTENT, CONTENT),
        (CONTENT, EDIT),
        (EDIT, CONTENT),
        (DELETE, DraftStep(Operation.MKDIR, "a")),
        (MOVE, replace(EDIT, problems=(Problem("x.y", "Bad.", "Mend it."),))),
        (MODE, replace(MODE, executable=False)),
        (replace(EDIT, executable=False), MODE),
        (replace(COPY, to="a", path="q"), EDIT),
        (replace(EDIT, base_sha256="0" * 64), replace(EDIT, base_sha256="1" * 64)),
        (EDIT, replace(EDIT, problems=(Problem("x.y", "Bad.", "Mend it."),))),
    ],
)
def test_what_has_none_is_one_invalid_step(steps: tuple[DraftStep, ...]) -> None:
    (step,) = fold(steps)
    assert step.problems[0].code == "path.twice"
    assert (step.content, step.edits, step.patch, step.executable) == (None, (), None, None)
    assert all(problem in step.problems for member in steps for problem in member.problems)


@pytest.mark.parametrize(
    "steps",
    [
        (DELETE, replace(CREATE, content=None)),
        (EDIT, DELETE),
        (MOVE, EDIT),
        (MOVE, CREATE),
        (MOVE, replace(EDIT, path="b")),
        (MOVE, replace(MOVE, path="b", to="a")),
    ],
)
def test_what_needs_its_files_is_one_step_with_its_parts(steps: tuple[DraftStep, ...]) -> None:
    (step,) = fold(steps)
    assert step.parts == steps
    assert (step.path, step.problems, step.content, step.patch) == (steps[0].path, (), None, None)


def test_a_chain_of_moves_is_one_step_and_others_stay() -> None:
    chain = (
        MOVE,
        replace(DELETE, path="z"),
        replace(MOVE, path="d", to="e"),
        replace(MOVE, path="b", to="d"),
    )
    first, other = fold(chain)
    assert first.parts == (chain[0], chain[2], chain[3])
    assert other == chain[1]


def test_reading_a_copied_path_is_no_second_writing() -> None:
    assert len(fold((COPY, EDIT))) == 2


def draft_step(**fields: Any) -> DraftStep:
    """A step; the signature of the class asks for names imported for types alone (msgspec 0.23)."""
    return DraftStep(**fields)


STEPS = st.builds(
    draft_step,
    op=st.sampled_from(list(Operation)),
    path=st.sampled_from(["", "a", "b", "c", "d"]),
    to=st.none() | st.sampled_from(["a", "b", "e"]),
    content=st.none() | st.just(b"x"),
    executable=st.none() | st.booleans(),
)


@given(st.lists(STEPS, max_size=8))
def test_afterwards_no_path_is_written_twice(steps: list[DraftStep]) -> None:
    written: set[str] = set()
    for step in fold(steps):
        own = {
            path
            for each in step.parts or (step,)
            for path in (None if each.op is Operation.COPY else each.path, each.to)
            if path and each.path
        }
        assert not own & written
        written |= own


@given(st.lists(STEPS, max_size=8))
def test_folding_again_changes_nothing(steps: list[DraftStep]) -> None:
    once = fold(steps)
    assert fold(once) == once


def test_a_flood_of_steps_on_one_path_takes_little_time() -> None:
    (step,) = fold([EDIT] * 50_000)
    assert step.problems[0].code == "path.twice"
