"""Commands on plans: submit, show, wait, approve, reject, apply, rollback, history."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from studio import doors, engine, formats
from studio.doors import json_documents
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import DONE, REFUSED, STALE, TIMED_OUT, Answer, exit_code
from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.person import About, require_person
from studio.doors.cli.console.questions import ask_for_discard, ask_for_plan, ask_for_rollback, ask_to_dismiss
from studio.doors.cli.console.terminal import progress
from studio.doors.cli.console.texts import change_diff
from studio.engine import (
    Operation,
    PlanState,
    StepDecision,
    StepState,
)
from studio.errors import Refused, TimedOut, UsageError
from studio.names import show_name

if TYPE_CHECKING:
    from studio.engine import (
        DriftResolution,
        HunkChoice,
        Plan,
        RetentionReport,
        Step,
    )
    from studio.workspace import Reviewer, Workspace

_NOTHING_APPLIED = "No applied plans."


def submitted_code(plan: Plan) -> int:
    """Return the exit code for a plan that was just proposed."""
    states = {step.state for step in plan.steps} - {StepState.INVALID}
    if not states:
        return REFUSED
    return STALE if states == {StepState.STALE} else DONE


def _outcome_code(plan: Plan) -> int:
    return DONE if plan.state in (PlanState.COMPLETED, PlanState.ROLLED_BACK) else REFUSED


def plans(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    workspace.proposer.refresh()
    found = workspace.proposer.plans(arguments.state)
    document = {"plans": [json_documents.listed_json(plan) for plan in found]}
    return Answer(document, "\n".join(texts.plan_line(plan) for plan in found) or "No plans.")


def show(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    workspace.proposer.refresh()
    plan = workspace.proposer.plan(arguments.plan)
    conflicts = workspace.proposer.path_conflicts(plan.id)
    document, lines = json_documents.plan_json(plan, conflicts), texts.plan_text(plan, conflicts)
    if trials := workspace.proposer.trials(plan.id):
        from studio.doors.cli.commands.trial import trial_json, trials_lines  # loads the sandbox

        results = workspace.trials.results(plan.id)
        document["trials"] = [trial_json(trial, results) for trial in trials]
        lines = "\n".join((lines, *trials_lines(trials, results)))
    sections: list[str] = []
    if arguments.reply:
        document["reply"] = reply = workspace.proposer.reply(plan.id)
        sections.append(reply.removesuffix("\n"))
    if arguments.message:
        commit = workspace.proposer.commit_message(plan.id)
        document["commit"] = json_documents.commit_json(commit)
        sections.append(commit.text)
    if arguments.left_out:
        excluded = workspace.proposer.excluded_paths(plan.id)
        document["left_out"] = [{"path": each.path, "why": each.why} for each in excluded]
        sections.append("\n".join(f"{show_name(each.path)}  {each.why}" for each in excluded))
    if sections:
        lines = texts.file_text("\n\n".join(sections))
    if arguments.diff:
        diffs = [_step_diff(workspace, plan, step, for_people=not arguments.json) for step in plan.steps]
        for step, diff in zip(document["steps"], diffs, strict=True):
            step["diff"] = diff
        lines += "\n\n" + "\n".join(texts.diff_text(diff) for diff in diffs if diff)
    return Answer(document, lines)


def _step_diff(workspace: Workspace, plan: Plan, step: Step, *, for_people: bool) -> str:
    if step.state is StepState.INVALID:
        return ""
    contents, copied = workspace.proposer.contents(plan.id, step.number), step.op is Operation.COPY
    paths, sides = (step.path, step.target), (step.base, step.result)
    return change_diff(paths, sides, contents, copied=copied, for_people=for_people)


def wait(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    return wait_for_plan(workspace, arguments.plan, arguments.timeout)


def wait_for_plan(workspace: Workspace, plan_id: str, seconds: float | None) -> Answer:
    """Wait for the plan's decision.

    On timeout the answer has its current state and says so.
    """
    try:
        plan = workspace.proposer.wait(plan_id, timeout=seconds, on_part=_report_part)
    except TimedOut as error:
        plan = workspace.proposer.plan(plan_id)
        return Answer(
            json_documents.plan_json(plan), texts.plan_text(plan), TIMED_OUT, texts.error_text(error)
        )
    return _plan_answer(plan, _outcome_code(plan))


def _report_part(plan: Plan) -> None:
    sys.stderr.write(f"studio: {doors.part_sentence(plan)}\n")
    sys.stderr.flush()


def withdraw(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    plan = workspace.proposer.withdraw(arguments.plan)
    return _plan_answer(plan, DONE)


def dismiss(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    plan = workspace.proposer.plan(arguments.plan)
    plan.check_dismissible()
    plan = ask_to_dismiss(workspace, plan).dismiss(plan.id)
    return _plan_answer(plan, DONE)


def sessions(workspace: Workspace, _arguments: argparse.Namespace) -> Answer:
    found = workspace.proposer.sessions()
    document = {"sessions": [json_documents.session_json(session) for session in found]}
    return Answer(document, "\n".join(map(texts.session_line, found)) or "No sessions.")


def check(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if arguments.format:
        _check_format(workspace, arguments.format)
    verdicts = workspace.proposer.check(arguments.paths, format_name=arguments.format, agent=arguments.agent)
    document = {"verdicts": [json_documents.verdict_json(verdict) for verdict in verdicts]}
    code = DONE if all(verdict.allowed for verdict in verdicts) else REFUSED
    return Answer(document, "\n".join(texts.verdict_line(verdict) for verdict in verdicts), code)


def _check_format(workspace: Workspace, name: str) -> None:
    """Raise UsageError for a format that no plan can have."""
    names = {*formats.detect.FORMATS, *workspace.config.known_sources} - {formats.detect.AUTO}
    if name not in names:
        raise UsageError(
            "format.not_known",
            f"Unknown format {show_name(name)}.",
            f"Use one of: {', '.join(sorted(names))}.",
        )


def approve(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    workspace.proposer.refresh()
    plan = workspace.proposer.plan(arguments.plan)
    if arguments.apply and plan.is_review:
        raise Refused(
            "review.applied", f"“{plan.title}” is a review; there is nothing to write.", "Omit --apply."
        )
    chosen = _choices(plan, arguments.hunks)
    steps = sorted({*(arguments.steps or ()), *chosen}) or None
    targets = _targets(plan, steps)
    writes = [*plan.approved, *targets] if arguments.apply else targets
    verb = "Approve and write" if arguments.apply else "Approve"
    if arguments.apply:
        _warn_before_apply(workspace, workspace.proposer.undo_expiry(plan.id))
    reviewer = ask_for_plan(workspace, plan, writes, verb)
    decisions = None if steps is None else [StepDecision(number, chosen.get(number, {})) for number in steps]
    plan = reviewer.approve(
        plan.id, decisions, note=arguments.note, seen=_revisions(plan), version=plan.version
    )
    if arguments.apply:
        plan = _apply_plan(reviewer, plan, arguments)
    return _plan_answer(plan, DONE)


def _targets(plan: Plan, numbers: Sequence[int] | None) -> list[Step]:
    """Return the steps that a decision is about.

    These are the named ones with their units, or all that are undecided.
    """
    if numbers is None:
        return list(plan.undecided)
    return [step for number in plan.with_units(numbers) if (step := plan.step(number)) is not None]


def _revisions(plan: Plan) -> dict[int, str]:
    """Return the step revisions that the question shows.

    A decision on any other revision is refused.
    """
    return {step.number: step.revision for step in plan.steps}


def _choices(
    plan: Plan, hunks: list[tuple[int, dict[int, HunkChoice]]]
) -> Mapping[int, Mapping[int, HunkChoice]]:
    """Return the choices for each step with named hunks.

    The named hunks are included, the step's other hunks excluded.
    """
    choices: dict[int, dict[int, HunkChoice]] = {}
    for number, named in hunks:
        step = plan.step(number)
        if step is None:
            raise UsageError(
                "step.not_found",
                f"Plan {plan.short_id} has no step {number}.",
                "List the steps with: studio show",
            )
        choices.setdefault(number, {hunk.hunk: False for hunk in step.hunks}).update(named)
    return choices


def reject(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if not arguments.reason.strip():
        raise UsageError("reject.no_reason", "A rejection requires a reason.", "Add --reason TEXT.")
    if arguments.ask_changes and arguments.steps is not None:
        raise UsageError(
            "reject.whole_plan",
            "Changes can only be requested for a whole plan.",
            "Omit --step, or reject the step.",
        )
    workspace.proposer.refresh()
    plan = workspace.proposer.plan(arguments.plan)
    if arguments.ask_changes:
        reviewer = ask_for_plan(workspace, plan, _targets(plan, None), "Request changes to")
        return _plan_answer(
            reviewer.request_changes(plan.id, reason=arguments.reason, version=plan.version), DONE
        )
    reviewer = ask_for_plan(workspace, plan, _targets(plan, arguments.steps), "Reject")
    plan = reviewer.reject(
        plan.id, arguments.steps, reason=arguments.reason, seen=_revisions(plan), version=plan.version
    )
    return _plan_answer(plan, DONE)


def apply(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    plan = workspace.proposer.plan(arguments.plan)
    if plan.stale and not arguments.approved:  # its base may be restored
        workspace.proposer.refresh()
        plan = workspace.proposer.plan(arguments.plan)
    _warn_before_apply(workspace, workspace.proposer.undo_expiry(plan.id))
    reviewer = ask_for_plan(workspace, plan, plan.approved, "Write")
    return _plan_answer(_apply_plan(reviewer, plan, arguments), DONE)


def _apply_plan(reviewer: Reviewer, plan: Plan, arguments: argparse.Namespace) -> Plan:
    with progress("Writing steps", as_json=arguments.json) as report, defer_interrupts() as control:
        return reviewer.apply(
            plan.id,
            approved_only=getattr(arguments, "approved", False),
            seen=plan.approved_revisions,
            progress=report,
            control=control,
        )


def _warn_before_apply(workspace: Workspace, report: RetentionReport | None) -> None:
    """Print, before the question, what the apply would end or discard.

    That is, a running command in the sandbox, and the undo of old plans.
    """
    if workspace.is_command_running:
        sys.stderr.write("studio: The command running in the sandbox will be stopped first.\n")
    if report is not None:
        sys.stderr.write(f"studio: {texts.undo_loss_text(report)}\n")


def rollback(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    plan = workspace.proposer.plan(arguments.plan)
    steps = arguments.steps
    if arguments.part is not None:
        steps = _applied_steps(plan, arguments.part, steps)
    resolutions = _drift_resolutions(plan, arguments.on_drift)
    if arguments.dry_run:
        preview = workspace.proposer.preview_rollback(plan.id, steps, resolutions, whole=True)
        refusal = preview.refusal
        return Answer(
            json_documents.preview_json(preview),
            texts.preview_text(preview),
            exit_code(refusal) if refusal is not None else DONE,
            texts.error_text(refusal) if refusal is not None else "",
        )
    preview = workspace.proposer.preview_rollback(plan.id, steps, resolutions)
    if preview.refusal is not None and not workspace.needs_recovery:
        raise preview.refusal
    _warn_before_apply(workspace, workspace.proposer.undo_expiry(next_is_rollback=True))
    reviewer = ask_for_rollback(workspace, preview)
    with progress("Rolling back", as_json=arguments.json), defer_interrupts():
        rollback_plan = reviewer.rollback(plan.id, steps, ways=resolutions, shown=preview.fingerprints)
    lines = [texts.plan_text(rollback_plan), *texts.outcome_lines(preview)]
    return Answer(json_documents.rollback_json(rollback_plan, preview), "\n".join(lines))


def _applied_steps(plan: Plan, part: int, steps: Sequence[int] | None) -> list[int]:
    """Return the steps of a part that are still applied.

    Raises UsageError for a part without one, or beside named steps.
    """
    if steps is not None:
        raise UsageError("rollback.part", "--part and --step exclude each other.", "Omit one of them.")
    if numbers := [step.number for step in plan.steps_of_part(part) if step.state is StepState.APPLIED]:
        return numbers
    raise UsageError(
        "rollback.no_part",
        f"Plan {plan.short_id} has no applied part {part}.",
        f"List its parts with: studio show {plan.short_id}",
    )


def _drift_resolutions(plan: Plan, word: str | None) -> dict[int, DriftResolution]:
    """Return the named drift resolution for every step."""
    if word is None:
        return {}

    return {step.number: engine.DriftResolution(word.replace("-", "_")) for step in plan.steps}


def history(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if arguments.discard is not None:
        return _discard(workspace, arguments.discard)
    entries = workspace.proposer.history()
    report = workspace.proposer.retention()
    document = {
        "entries": [json_documents.history_json(entry) for entry in entries],
        "retention": json_documents.retention_json(report),
    }
    lines = [texts.history_line(entry) for entry in entries]
    return Answer(document, "\n".join([*lines, texts.retention_line(report)]) if lines else _NOTHING_APPLIED)


def _discard(workspace: Workspace, plan_id: str) -> Answer:
    reviewer = ask_for_discard(workspace, workspace.proposer.undo_loss(plan_id))
    loss = reviewer.discard_undo(plan_id)
    return Answer(json_documents.loss_json(loss), texts.loss_text(loss))


def recover(workspace: Workspace, _arguments: argparse.Namespace) -> Answer:
    if not workspace.needs_recovery:
        return Answer({"plans": []}, "Nothing to recover.")
    files = workspace.interrupted_files()
    if files:
        sys.stderr.write(texts.interrupted_text(files) + "\n")
    about = [About("project", str(workspace.root_path))]
    person = require_person(
        workspace, what="Complete or undo the interrupted apply?", word=workspace.name, about=about
    )
    with defer_interrupts():
        recovered = workspace.reviewer(person).recover()
    document = {
        "plans": [json_documents.plan_json(plan) for plan in recovered],
        "files": [json_documents.interrupted_json(file) for file in files],
    }
    return Answer(document, "\n".join(texts.plan_line(plan) for plan in recovered) or "Recovered.")


def forget(workspace: Workspace, _arguments: argparse.Namespace) -> Answer:
    proposer = workspace.proposer
    count = len(proposer.plans()) + len(proposer.plans(PlanState.DISMISSED))
    plan_count = f"{count} {'plan' if count == 1 else 'plans'}"
    what = f"Delete {plan_count}, the history and all undo data of this project? Project files are kept."
    about = [About("project", str(workspace.root_path))]
    person = require_person(workspace, what=what, word=workspace.name, about=about)
    with defer_interrupts():
        count = workspace.reviewer(person).delete_store()
    return Answer({"forgotten": str(workspace.state_folder), "plans": count}, "The store was deleted.")


def _plan_answer(plan: Plan, code: int) -> Answer:
    return Answer(json_documents.plan_json(plan), texts.plan_text(plan), code)
