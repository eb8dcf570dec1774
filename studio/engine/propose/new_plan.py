"""Creation of a plan from a draft: checks, title, summary, hash, storage."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from studio.engine.draft import OWN_FORMATS, DraftStep, PlanDraft
from studio.engine.plan import (
    OPEN_PLAN_STATES,
    Plan,
    PlanState,
    Problem,
    Severity,
    Step,
    StepState,
    open_plan_state,
)
from studio.engine.project.context import Context
from studio.engine.propose.check_steps import Prepared, StepChecker
from studio.engine.propose.checked_files import Files, PatientFiles
from studio.engine.store.rows import now, path_bytes
from studio.errors import Refused
from studio.journal.file_image import FileImage
from studio.limits import (
    AGENT_CHARACTERS,
    MESSAGE_CHARACTERS,
    PLAN_PROBLEMS_UP_TO,
    SHOWN_NAME_CHARACTERS,
    TITLE_CHARACTERS,
)
from studio.names import project_path, show_name
from studio.program.log_file import LOGGER
from studio.values import Value

SUMMARY_CODES = frozenset({"plan.steps_refused", "plan.rejected_before"})
"""Codes of the problems that `summary_of` makes."""


class Opening(Value):
    """Request to make the new plan the session's open one.

    The session's next call may then change it. `after` is the id of the plan that was open when this one was
    made, None for none.
    """

    after: str | None


class OpenedMeanwhile(Exception):
    """Raised when another call of the session opened a plan first.

    That call is in a process of its own. Nothing was stored.
    """


def propose_alone(
    context: Context,
    draft: PlanDraft,
    prepared: Sequence[Prepared],
    session: str | None = None,
    *,
    opening: Opening | None = None,
    waits: bool = False,
) -> Plan:
    """Store a plan of these steps, or return its open twin.

    The latter is marked `duplicate`. With `opening` it becomes the session's open one; raises
    OpenedMeanwhile. `waits`: its agent does nothing else until it is answered.
    """
    steps = [item.step for item in prepared]
    submission = compute_submission_hash(steps)
    earlier = context.store.plans.by_submission(submission)
    pending = find_open_twin(context, steps)
    if pending is not None:
        return replace(pending, duplicate=True)
    plan = replace(plan_of(draft, prepared, earlier, session), waits=waits)
    twin = _store_plan(context, plan, submission, prepared, opening)
    if twin is not None:
        return replace(context.store.plans.get(twin), duplicate=True)
    if draft.left_out:
        with context.store.database.write() as connection:
            context.store.left_out.set(connection, plan.id, draft.left_out)
    log_refusals(plan)
    return plan


def find_open_twin(context: Context, steps: Sequence[Step]) -> Plan | None:
    """Return the open plan that proposed the same changes.

    The steps of a part of it, which are on disk by now, may be there already.
    """
    earlier = context.store.plans.by_submission(compute_submission_hash(steps))
    twin = next((plan for plan in earlier if plan.state.is_open), None)
    if twin is not None or not any(step.state is StepState.ALREADY_APPLIED for step in steps):
        return twin
    return next((plan for plan in context.store.plans.all(OPEN_PLAN_STATES) if _is_rest(plan, steps)), None)


def _is_rest(plan: Plan, steps: Sequence[Step]) -> bool:
    """Return whether the steps propose a plan in parts again."""
    return (
        bool(plan.parts)
        and len(plan.steps) == len(steps)
        and all(
            (
                (old.target, old.result) == (new.target, new.result)
                and (old.state, new.state) == (StepState.APPLIED, StepState.ALREADY_APPLIED)
            )
            or (old.op, old.path, old.to, old.base, old.result)
            == (new.op, new.path, new.to, new.base, new.result)
            for old, new in zip(plan.steps, steps, strict=True)
        )
    )


def plan_of(
    draft: PlanDraft, prepared: Sequence[Prepared], earlier: Sequence[Plan] = (), session: str | None = None
) -> Plan:
    """Return a new plan of a draft's checked steps.

    `earlier` are the plans that proposed the same.
    """
    steps = tuple(item.step for item in prepared)
    return Plan(
        id=str(uuid.uuid4()),
        version=1,
        title=draft.title[:TITLE_CHARACTERS] or title_of(steps),
        agent=shorten_agent_name(draft),
        state=open_plan_state(step.state for step in steps),
        created=now(),
        steps=steps,
        problems=Problem.shorten(
            (*draft.problems, *draft.remarks, *summary_of(steps, earlier)), PLAN_PROBLEMS_UP_TO
        ),
        format=draft.format,
        session=session,
        message=shorten_message(draft),
    )


def shorten_message(draft: PlanDraft) -> str:
    """Return the draft's message, truncated to the stored length."""
    cut, message = "\n[…]", draft.message
    return message if len(message) <= MESSAGE_CHARACTERS else message[: MESSAGE_CHARACTERS - len(cut)] + cut


def _store_plan(
    context: Context, plan: Plan, submission: str, prepared: Sequence[Prepared], opening: Opening | None
) -> str | None:
    """Store a plan with its bytes, or return its open twin's id.

    A twin is a plan that proposed the same meanwhile.
    """
    store = context.store
    while True:
        named = store.blobs.add(contents_of(prepared), durable=False)
        with store.database.write() as connection:
            twin = store.plans.open_twin(connection, submission)
            # Another process may just have freed contents that only an older plan used.
            if twin is None and store.blobs.missing(named):
                continue
            if twin is None:
                store.plans.add(connection, plan, submission)
                if plan.session is not None:
                    store.sessions.record_activity(connection, plan.session)
                    if opening is not None:
                        if store.sessions.open_plan(connection, plan.session) != opening.after:
                            raise OpenedMeanwhile
                        store.sessions.set_open_plan(connection, plan.session, plan.id)
                for item in prepared:
                    remember(context, connection, plan.agent, item)
            return twin


def numbered(items: Sequence[Prepared]) -> tuple[Prepared, ...]:
    """Return the steps of a new plan, numbered in this order."""
    return tuple(
        replace(item, step=replace(item.step, number=number)) for number, item in enumerate(items, start=1)
    )


def prepare(context: Context, draft: PlanDraft, files: Files | None = None) -> tuple[Prepared, ...]:
    """Check a draft's steps against the project, or against `files`.

    Raises Refused for too many.
    """
    if draft.problems or not draft.steps:
        return ()
    failures = context.store.mismatches
    agent = shorten_agent_name(draft)
    # Read once: a query for each step was 4 % of the check of 1,000.
    missed = failures.paths(agent)
    checker = StepChecker(
        context.root,
        context.config_for(draft.format, agent),
        context.policy(draft.format, agent),
        context.guard,
        applied_before=lambda path: _find_applied_before(context, path),
        failed_before=lambda path: failures.get(agent, path) if path_bytes(path) in missed else None,
        files=PatientFiles(files or context.root, context.root),
        is_own=draft.format in OWN_FORMATS,
        takes_repairs=draft.takes_repairs,
    )
    return checker.prepare(tuple(_to_project_spelling(context.root.path, step) for step in draft.steps))


def _to_project_spelling(root: Path, step: DraftStep) -> DraftStep:
    """Convert the step's paths to the project's spelling.

    One that leads outside is refused later.
    """
    path, to = project_path(step.path, (root,)), None if step.to is None else project_path(step.to, (root,))
    parts = tuple(_to_project_spelling(root, part) for part in step.parts)
    if (path, to, parts) == (step.path, step.to, step.parts):
        return step
    return replace(step, path=path, to=to, parts=parts)


def _find_applied_before(context: Context, path: str) -> tuple[Step, bytes | None] | None:
    step = context.store.plans.last_applied(path)
    # No proposal makes a link or removes one, so such a step has not carried one out.
    if step is None or any(side is not None and side.is_link for side in (step.base, step.result)):
        return None
    sha256 = step.base.sha256 if step.base is not None else None
    try:
        return step, None if sha256 is None else context.store.blobs.get(sha256)
    except Refused:
        return None


def remember(context: Context, connection: sqlite3.Connection, agent: str, item: Prepared) -> None:
    """Record whether a change matched its file.

    A second mismatch in a row is left to a person.
    """
    failures = context.store.mismatches
    if item.mismatch is not None:
        failures.add(connection, agent, item.step.path, item.mismatch)
    elif item.step.state is not StepState.INVALID:
        failures.reset(connection, agent, item.step.path)


def contents_of(prepared: Iterable[Prepared]) -> Iterable[bytes]:
    """Return all bytes that are stored with these steps."""
    return (data for item in prepared for data in (item.base, item.result) if data is not None)


def compute_submission_hash(steps: Sequence[Step]) -> str:
    """Return the steps' submission hash, a random one without steps."""
    return submission_hash(steps) if steps else uuid.uuid4().hex * 2


def shorten_agent_name(draft: PlanDraft) -> str:
    """Return the agent's name, truncated to the stored length."""
    return draft.agent[:AGENT_CHARACTERS]


def title_of(steps: Sequence[Step]) -> str:
    """Return the default title of a plan, by its first valid step."""
    named = [step for step in steps if step.state is not StepState.INVALID] or steps
    if not named:
        return "Unreadable plan"
    more = f" and {len(named) - 1:,} more" if named[1:] else ""
    return f"{named[0].op.value.capitalize()} {named[0].path}"[: TITLE_CHARACTERS - len(more)] + more


def _was_rejected(plan: Plan) -> bool:
    state = plan.dismissal.was if plan.dismissal is not None else plan.state
    return state is PlanState.REJECTED


def summary_of(steps: Sequence[Step], earlier: Sequence[Plan]) -> tuple[Problem, ...]:
    """Return the problems of the plan as a whole.

    How many steps were refused, and whether the same was rejected before.
    """
    problems: list[Problem] = []
    refused = sum(1 for step in steps if step.state is StepState.INVALID)
    if refused and steps:
        problems.append(
            Problem(
                "plan.steps_refused",
                f"{refused} of {len(steps)} {'step' if len(steps) == 1 else 'steps'}"
                f" {'was' if refused == 1 else 'were'} refused.",
                "The other steps are not affected."
                if refused < len(steps)
                else f"Correct {'it' if refused == 1 else 'them'} and submit again.",
                Severity.WARNING if refused < len(steps) else Severity.ERROR,
            )
        )
    rejected = next((plan for plan in earlier if _was_rejected(plan)), None)
    if rejected is not None:
        reason = next(
            (step.decision.text for step in rejected.steps if step.decision and step.decision.text), ""
        )
        problems.append(
            Problem(
                "plan.rejected_before",
                f"The same change was rejected before, as plan {rejected.short_id}"
                + (f": {reason}" if reason else "."),
                "Read the reason before deciding.",
                Severity.WARNING,
            )
        )
    return tuple(problems)


def submission_hash(steps: Sequence[Step]) -> str:
    """Return the SHA-256 over the steps as proposed, in lower-case hex."""
    listed = [
        [
            step.op.value,
            step.path,
            step.to,
            _image_fields(step.base),
            _image_fields(step.result),
            _refusal_reasons(step),
        ]
        for step in steps
    ]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def _image_fields(image: FileImage | None) -> list[object] | None:
    return None if image is None else [image.sha256, image.git_mode]


def _refusal_reasons(step: Step) -> list[str]:
    """Return why an invalid step was refused.

    It has no bytes to compare.
    """
    return [problem.message for problem in step.problems]


# Log of steps that the project's rules refused, one line each.

_RULES = ("name.", "policy.")
"""Code prefixes for names that leave the project, and for policy denials."""
_PLACES = frozenset(
    {
        "file.submodule",
        "file.symlink",
        "path.configuration",
        "path.git",
        "path.link",
        "path.locked",
        "path.not_plain",
        "path.outside",
        "path.root",
    }
)


def log_refusals(plan: Plan) -> None:
    """Log the steps that were refused for their paths.

    A line names the plan, the step, the rule's code, the path with hidden characters escaped, and the reason,
    but no content, because logs hold none. A log that can't be written raises nothing and stops nothing.
    """
    for step in plan.steps:
        refused = next((problem for problem in step.problems if _is_rule(problem)), None)
        if refused is not None:
            path = step.path if step.to is None else f"{step.path} -> {step.to}"
            LOGGER.info(
                "refused plan=%s step=%d rule=%s path=%s reason=%s",
                plan.id,
                step.number,
                refused.code,
                _show_path(path),
                show_name(refused.message),
            )


def _is_rule(problem: Problem) -> bool:
    return problem.code.startswith(_RULES) or problem.code in _PLACES


def _show_path(path: str) -> str:
    shown = show_name(path)
    return shown if len(shown) <= SHOWN_NAME_CHARACTERS else f"{shown[:SHOWN_NAME_CHARACTERS]}…"
