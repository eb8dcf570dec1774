"""Suggested commit message and paths after an apply; the user commits."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.history.inverse import is_folder_step
from studio.engine.plan import Plan, Step, StepState
from studio.engine.project.context import Context
from studio.engine.project.rollback_titles import first_of, stored_plans, turn_of
from studio.errors import Refused
from studio.journal.file_image import time_text
from studio.names import show_name
from studio.values import Value

_NOBODY, _NO_SESSION = "unknown", "N/A"
_SESSION_CHARACTERS = 8


class CommitMessage(Value):
    """A commit message without final newline, and the paths to commit.

    Unprintable characters of paths and names are escaped in the text. Folders are in no commit.
    """

    text: str
    paths: tuple[str, ...]


def commit_message(context: Context, plan: Plan) -> CommitMessage:
    """Return the commit message for what a plan left on disk.

    Its form is `[AI:agent][type][session] path @ time`, followed, for several files, by a line for each. A
    rollback names the agent whose change it reverted. Of a review it is about what was approved. Raises
    Refused for a plan that left nothing.
    """
    if plan.is_review and plan.approved:
        return _message(f"{plan.approved[0].op.value.capitalize()} {_about(plan.approved)}", plan.approved)
    applied = [step for step in plan.steps if step.state is StepState.APPLIED]
    if not applied or plan.applied is None:
        raise Refused(
            "plan.state",
            f"“{show_name(plan.title)}” has nothing to commit.",
            "Choose a plan that is applied and not rolled back.",
        )
    find_plan = stored_plans(context)
    files = [step for step in applied if not is_folder_step(step)]
    named_steps = files or applied
    first = first_of(plan, find_plan)
    kinds = ["rollback"] if turn_of(plan, find_plan).is_redo else [step.op.value for step in named_steps]
    subject = (
        f"[AI:{_word(first.agent) or _NOBODY}][{'+'.join(dict.fromkeys(kinds))}]"
        f"[{_session(context, first)}] {_about(named_steps)} @ {time_text(plan.applied)}"
    )
    return _message(subject, named_steps)


def _message(subject: str, steps: Sequence[Step]) -> CommitMessage:
    each = ["", *(f"{step.op.value} {_path(step)}" for step in steps)] if steps[1:] else []
    files = (step for step in steps if not is_folder_step(step))
    paths = dict.fromkeys(path for step in files for path in step.written_paths)
    return CommitMessage("\n".join([subject, *each]), tuple(paths))


def _about(steps: Sequence[Step]) -> str:
    return _path(steps[0]) + (f" and {len(steps) - 1} more" if steps[1:] else "")


def _session(context: Context, plan: Plan) -> str:
    session = context.store.sessions.get(plan.session) if plan.session is not None else None
    if session is None:
        return _NO_SESSION
    return _word(session.name) or session.id[:_SESSION_CHARACTERS]


def _path(step: Step) -> str:
    return show_name(step.path) + (f" -> {show_name(step.to)}" if step.to is not None else "")


def _word(name: str) -> str:
    """Replace what would end the brackets, or the line."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)
