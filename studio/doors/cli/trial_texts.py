"""What is printed of commands that were tried with a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studio.engine.commands import trial_sentence
from studio.engine.limits import TRIAL_TESTS_UP_TO
from studio.engine.names import show_name
from studio.engine.plan import time_text
from studio.engine.proposer import Trial
from studio.engine.trial import Results


def trial_json(trial: Trial, results: Results) -> dict[str, Any]:
    """A trial; `results` are what the plan would leave now."""
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


def trials_lines(trials: Sequence[Trial], results: Results) -> Iterator[str]:
    """A line or two for each trial of a plan."""
    for trial in trials:
        for line in trial_text(trial, is_current=trial.results == results).splitlines():
            yield f"  {line}"


def trial_text(trial: Trial, *, is_current: bool) -> str:
    """What may be said of a trial."""
    lines = [f"tried: {trial_sentence(trial)} ({trial.seconds:.1f} s)"]
    if not is_current:
        lines.append("  stale: what the plan would leave is another by now")
    if trial.tests:
        named = ", ".join(map(show_name, trial.tests[:TRIAL_TESTS_UP_TO]))
        more = (
            f" and {len(trial.tests) - TRIAL_TESTS_UP_TO} more"
            if len(trial.tests) > TRIAL_TESTS_UP_TO
            else ""
        )
        lines.append(f"  look out: the plan itself changes tests: {named}{more}")
    return "\n".join(lines)
