"""`studio try PLAN -- COMMAND`: a command runs over the project as a plan would leave it (contract 9)."""

from __future__ import annotations

from argparse import Namespace

from studio.doors import printed
from studio.doors.cli import texts
from studio.doors.cli.answer import DONE, REFUSED, TIMED_OUT, Answer
from studio.doors.cli.sandboxed import command_json, command_of, running, wait_for
from studio.doors.cli.trial_texts import trial_text
from studio.engine.limits import TRIAL_OUTPUT_BYTES
from studio.engine.plan import Plan
from studio.engine.proposer import Trial
from studio.engine.sandbox import EndedBy, Outcome
from studio.engine.workspace import Workspace


def try_plan(workspace: Workspace, arguments: Namespace) -> Answer:
    """Run a command over the project with a plan's steps in it, and leave on the plan what came of it.

    Raises UsageError without a command; Refused, Conflict for a plan that can't be tried; SandboxRefused.
    """
    trials = workspace.trials
    command = command_of(workspace, arguments, output_bytes=TRIAL_OUTPUT_BYTES)
    would_be = trials.would_be(arguments.plan, arguments.steps)
    with running(workspace, command, would_be.laid) as run:
        outcome = wait_for(run, lambda: "what the command writes is thrown away, or proposed when it ended.")
        proposed = run.propose(would_be.laid_results) if arguments.propose else None
    trial = trials.record(would_be, outcome, who=arguments.agent)
    return Answer(
        {
            "plan": trial.plan,
            "command": command_json(outcome),
            "results": dict(trial.results),
            "tests": list(trial.tests),
            "proposed": None if proposed is None else printed.plan_json(proposed),
        },
        "\n".join(_lines(trial, proposed)),
        _code(outcome),
        " ".join(outcome.not_enforced),
    )


def _lines(trial: Trial, proposed: Plan | None) -> list[str]:
    lines = [trial_text(trial, is_current=True)]
    if proposed is not None:
        lines += ["What it wrote is a plan of its own:", texts.plan_text(proposed)]
    return lines


def _code(outcome: Outcome) -> int:
    if outcome.ended_by is EndedBy.TIME:
        return TIMED_OUT
    return DONE if outcome.exit == 0 else REFUSED
