"""Sandboxed commands whose file changes become plans, and test runs of plans."""

from studio.extras.commands.messages import ended_words, outcome_sentence, output_of, trial_sentence
from studio.extras.commands.run import CommandRun, RunningCommand, changes_of
from studio.extras.commands.session_sandbox import SessionSandbox
from studio.extras.commands.trials import Trials, WouldBe

__all__ = [
    "CommandRun",
    "RunningCommand",
    "SessionSandbox",
    "Trials",
    "WouldBe",
    "changes_of",
    "ended_words",
    "outcome_sentence",
    "output_of",
    "trial_sentence",
]
