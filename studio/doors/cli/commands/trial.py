"""`studio try PLAN -- COMMAND`: test a plan's result in the sandbox."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from studio.doors import json_documents
from studio.doors.cli.commands.sandboxed import command_json, command_of, running, wait_for
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import DONE, REFUSED, TIMED_OUT, Answer
from studio.extras.commands import trial_sentence
from studio.extras.sandbox import EndedBy
from studio.journal.file_image import time_text
from studio.limits import TRIAL_OUTPUT_BYTES, TRIAL_TESTS_UP_TO
from studio.names import show_name

if TYPE_CHECKING:
    from studio.engine import Plan, Trial, TrialResults
    from studio.extras.sandbox import Outcome
    from studio.workspace import Workspace


def try_plan(workspace: Workspace, arguments: Namespace) -> Answer:
    """Run a command over a plan's result and record the outcome.

    Raises UsageError without a command; Refused, Conflict for a plan that can't be tried; SandboxRefused.
    """
    trials = workspace.trials
    command = command_of(workspace, arguments, output_bytes=TRIAL_OUTPUT_BYTES)
    would_be = trials.would_be(arguments.plan, arguments.steps)
    with running(workspace, command, arguments.container, would_be.overrides) as run:
        outcome = wait_for(
            run, lambda: "The changes of the command are discarded at its end, or proposed with --propose."
        )
        proposed = run.propose(would_be.overlaid_results) if arguments.propose else None
    trial = trials.record(would_be, outcome, who=arguments.agent)
    return Answer(
        {
            "plan": trial.plan,
            "command": command_json(outcome),
            "results": dict(trial.results),
            "tests": list(trial.tests),
            "proposed": None if proposed is None else json_documents.plan_json(proposed),
        },
        "\n".join(_lines(trial, proposed)),
        _code(outcome),
        " ".join(outcome.not_enforced),
    )


def _lines(trial: Trial, proposed: Plan | None) -> list[str]:
    lines = [trial_text(trial, is_current=True)]
    if proposed is not None:
        lines += ["Its changes are a separate plan:", texts.plan_text(proposed)]
    return lines


def _code(outcome: Outcome) -> int:
    if outcome.ended_by is EndedBy.TIME:
        return TIMED_OUT
    return DONE if outcome.exit == 0 else REFUSED


def trial_json(trial: Trial, results: TrialResults) -> dict[str, Any]:
    """Return a trial; `results` are what the plan would leave now."""
    return {
        "argv": list(trial.argv),
        "who": trial.who,
        "remembered": trial.is_remembered,
        "exit": trial.exit,
        "signal": trial.signal,
        "ended_by": trial.ended_by,
        "seconds": trial.seconds,
        "way": trial.way,
        "network": trial.network,
        "when": time_text(trial.made),
        "current": trial.results == results,
        "results": dict(trial.results),
        "tests": list(trial.tests),
        "output": trial.output,
    }


def trials_lines(trials: Sequence[Trial], results: TrialResults) -> Iterator[str]:
    """Yield a line or two for each trial of a plan."""
    for trial in trials:
        for line in trial_text(trial, is_current=trial.results == results).splitlines():
            yield f"  {line}"


def trial_text(trial: Trial, *, is_current: bool) -> str:
    """Describe a trial."""
    lines = [f"tried: {trial_sentence(trial)} ({trial.seconds:.1f} s)"]
    if not is_current:
        lines.append("  stale: the plan's results changed since")
    if trial.tests:
        named = ", ".join(map(show_name, trial.tests[:TRIAL_TESTS_UP_TO]))
        more = (
            f" and {len(trial.tests) - TRIAL_TESTS_UP_TO} more"
            if len(trial.tests) > TRIAL_TESTS_UP_TO
            else ""
        )
        lines.append(f"  warning: the plan itself changes tests: {named}{more}")
    return "\n".join(lines)
