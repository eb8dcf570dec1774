"""Confirmation questions for plan decisions, apply, rollback, dismissal and undo discard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studio.doors.cli.console.person import About, require_person
from studio.doors.limits import ASKED_DANGERS_UP_TO, ASKED_FILES_UP_TO
from studio.engine import Operation, PlanState, Severity

if TYPE_CHECKING:
    from studio.engine import Plan, RollbackFile, RollbackPreview, Step, UndoLoss
    from studio.workspace import Reviewer, Workspace

_VERBS = {
    Operation.CREATE: "creates",
    Operation.MODIFY: "changes",
    Operation.APPEND: "appends to",
    Operation.DELETE: "deletes",
    Operation.MOVE: "moves",
    Operation.COPY: "copies",
    Operation.MKDIR: "makes",
    Operation.MODE: "sets mode of",
}


def ask_for_plan(workspace: Workspace, plan: Plan, steps: Sequence[Step], verb: str) -> Reviewer:
    """Return the reviewer once a person typed the plan's id.

    The question shows what `verb` does to these steps of it.
    """
    count = f"{len(steps)} of {len(plan.steps)} steps" if len(steps) != len(plan.steps) else "every step"
    what = f"{verb} {count} of plan {plan.short_id}?"
    about = (*_about_plan(workspace, plan), *_files(plan, steps))
    return workspace.reviewer(require_person(workspace, what=what, word=plan.short_id, about=about))


def ask_for_rollback(workspace: Workspace, preview: RollbackPreview) -> Reviewer:
    """Return the reviewer for a rollback, as `ask_for_plan`.

    The question shows the effect on each file, files that changed since last.
    """
    plan, where = preview.plan, f"studio rollback {preview.plan.short_id} --dry-run"
    unchanged = [_about_file(file) for file in preview.files if not file.drifted]
    changed = [_about_file(file) for file in preview.files if file.drifted]
    files = (*_first(unchanged, ASKED_FILES_UP_TO, where), *_first(changed, ASKED_DANGERS_UP_TO, where))
    about = (*_about_plan(workspace, plan), *files)
    what = f"Roll back plan {plan.short_id}?"
    return workspace.reviewer(require_person(workspace, what=what, word=plan.short_id, about=about))


def ask_to_dismiss(workspace: Workspace, plan: Plan) -> Reviewer:
    """Return the reviewer for a dismissal, as `ask_for_plan`.

    The question says that the contents are deleted for good.
    """
    state = "refused" if plan.state is PlanState.INVALID else plan.state.words
    what = f"Remove plan {plan.short_id} ({state}) from the queue for good, with contents that only it uses?"
    about = tuple(_about_plan(workspace, plan))
    return workspace.reviewer(require_person(workspace, what=what, word=plan.short_id, about=about))


def _about_file(file: RollbackFile) -> About:
    return About("file", f"{file.path} {file.sentence}")


def ask_for_discard(workspace: Workspace, loss: UndoLoss) -> Reviewer:
    """Return the reviewer for discarding undo, as `ask_for_plan`.

    The question shows what can't be rolled back afterwards.
    """
    plan = loss.plan
    paths = [About("no undo", path) for path in loss.paths]
    freed = About("frees", f"{loss.freed:,} bytes of undo data")
    about = (
        *_about_plan(workspace, plan),
        freed,
        *_first(paths, ASKED_FILES_UP_TO, f"studio show {plan.short_id}"),
    )
    what = f"Discard the undo data of plan {plan.short_id} for good? No file is changed."
    return workspace.reviewer(require_person(workspace, what=what, word=plan.short_id, about=about))


def _about_plan(workspace: Workspace, plan: Plan) -> Iterator[About]:
    yield About("title", f"“{plan.title}”")
    # Nothing proves the name: any program may submit under it.
    yield About("agent", f"{plan.agent} (name not verified)" if plan.agent else "not named")
    yield About("project", str(workspace.root_path))


def about_steps(steps: Sequence[Step], where: str) -> Iterator[About]:
    """Yield what steps do to which file, deletions last.

    Their number is limited; `where` is the command that lists all.
    """
    deleted = [step for step in steps if step.op is Operation.DELETE]
    others = [About(_VERBS[step.op], _paths(step)) for step in steps if step.op is not Operation.DELETE]
    yield from _first(others, ASKED_FILES_UP_TO, where)
    yield from _first([About(_VERBS[step.op], _paths(step)) for step in deleted], ASKED_DANGERS_UP_TO, where)


def _files(plan: Plan, steps: Sequence[Step]) -> Iterator[About]:
    """Yield the steps, then dangers, nearest to the prompt.

    The number of lines is limited.
    """
    where = f"studio show {plan.short_id}"
    yield from about_steps(steps, where)
    dangers = [
        About("danger", f"{step.target}: {fact.message}")
        for step in steps
        for fact in step.facts
        if fact.severity is Severity.DANGER
    ]
    yield from _first(dangers, ASKED_DANGERS_UP_TO, where)


def _first(lines: list[About], count: int, where: str) -> Iterator[About]:
    """Yield the first `count` lines, and how many more there are.

    `where` is the command that lists them all.
    """
    yield from lines[:count]
    if len(lines) > count:
        yield About("and more", f"{len(lines) - count} not listed; see: {where}")


def _paths(step: Step) -> str:
    return step.path if step.to is None else f"{step.path} -> {step.to}"
