"""`studio run -- COMMAND`: sandboxed command whose file changes become a plan."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from studio.doors import json_documents
from studio.doors.cli.commands.plans import submitted_code
from studio.doors.cli.commands.sandboxed import allowed_logins, command_json, command_of, running, wait_for
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import DONE, Answer
from studio.extras.commands import outcome_sentence

if TYPE_CHECKING:
    from studio.engine import Plan
    from studio.extras.commands import CommandRun
    from studio.extras.sandbox import Outcome
    from studio.workspace import Workspace


def run(workspace: Workspace, arguments: Namespace) -> Answer:
    """Run a command over the project, and propose what it changed.

    Raises UsageError without a command, NeedsPerson for a login that no one allowed, SandboxRefused where
    nothing can be run here.
    """
    command = command_of(workspace, arguments)
    logins = allowed_logins(workspace, arguments.login)
    command = replace(command, logins=logins.paths, login_contents=logins.contents)
    with running(workspace, command, arguments.container) as run:
        outcome = wait_for(run, lambda: _report_changes(run))
        plan = run.propose()
    return _answer(workspace, plan, outcome)


def _report_changes(run: CommandRun) -> str:
    plan = run.propose_so_far()
    if plan is None:
        return "No changes so far."
    steps = texts.steps_text(len(plan.valid_steps))
    return f"Plan {plan.short_id} (version {plan.version}) has the changes so far: {steps}."


def _answer(workspace: Workspace, plan: Plan | None, outcome: Outcome) -> Answer:
    remark = " ".join((outcome_sentence(outcome), *outcome.not_enforced))
    if plan is None:
        document: dict[str, Any] = {"plan": None, "command": command_json(outcome)}
        return Answer(document, "The command made no changes that can be proposed.", DONE, remark)
    conflicts = workspace.proposer.path_conflicts(plan.id)
    document = {**json_documents.plan_json(plan, conflicts), "command": command_json(outcome)}
    return Answer(document, texts.plan_text(plan, conflicts), submitted_code(plan), remark)
