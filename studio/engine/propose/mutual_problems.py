"""Problems between steps of one plan: missing places and refused unit members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from studio.engine.plan import Fact, Operation, Problem, Severity, Step, StepState
from studio.engine.propose import step_problems
from studio.engine.propose.checked_files import Files
from studio.engine.root import EntryKind

UNIT_FACT: Final = Fact(
    "unit",
    Severity.WARNING,
    "The step is part of a larger change. Its steps are approved, written and rolled back together.",
)
"""Fact on every step that belongs to a unit."""


def mutual_problems(steps: Sequence[Step], files: Files, new_folders: Set[str]) -> Mapping[int, Problem]:
    """Return the problems between steps or with parent folders, by step number.

    `new_folders` are files that the plan makes folders of. A step of a unit is refused with any other of it.
    """
    problems = dict(_find_blocked_steps(steps, files, new_folders))
    state = StepState.INVALID
    refused = [replace(step, state=state) if step.number in problems else step for step in steps]
    units = {step.unit: step.target for step in reversed(refused) if step.unit and step.state is state}
    for step in refused:
        target = units.get(step.unit or "")
        if target is not None and step.state is not state:
            problems[step.number] = step_problems.needed_by_refused(step.target, target)
    return problems


def _find_blocked_steps(
    steps: Sequence[Step], files: Files, new_folders: Set[str]
) -> Iterator[tuple[int, Problem]]:
    """Yield problems of steps beneath a file or a removed path."""
    valid = [step for step in steps if step.state is not StepState.INVALID]
    written = {step.target for step in valid if step.result is not None and not step.result.is_folder}
    removed = {step.path for step in valid if step.op in (Operation.DELETE, Operation.MOVE)}
    folders = set(new_folders)
    for step in steps:
        parts = step.target.split("/")[:-1]
        above = {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
        if step.result is not None and above & written:
            yield step.number, step_problems.beneath_file(step.target, min(above & written))
        elif step.result is not None and above & removed:
            yield step.number, step_problems.beneath_removed(step.target, min(above & removed))
        elif step.state is StepState.PENDING and (step.base is None or step.op.has_target):
            problem = _check_parents_on_disk(step.target, files, folders)
            if problem is not None:
                yield step.number, problem


def _check_parents_on_disk(path: str, files: Files, folders: set[str]) -> Problem | None:
    """Return the problem if a parent of the path is a file.

    `folders` are those known to be folders, and are added to.
    """
    folder = path.rpartition("/")[0]
    while folder and folder not in folders:
        state = files.state(folder)
        if state is not None and state.kind is not EntryKind.FOLDER:
            return step_problems.beneath_file(path, folder)
        if state is not None:
            folders.add(folder)
        folder = folder.rpartition("/")[0]
    return None
