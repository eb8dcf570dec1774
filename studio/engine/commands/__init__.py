"""Sandboxed commands of a project: their changes as plans, and trials."""

from studio.engine.commands.run import CommandRun, RunningCommand, changes_of
from studio.engine.commands.trials import Trials, WouldBe
from studio.engine.commands.words import ended_words, outcome_sentence, output_of, trial_sentence

__all__ = [
    "CommandRun",
    "RunningCommand",
    "Trials",
    "WouldBe",
    "changes_of",
    "ended_words",
    "outcome_sentence",
    "output_of",
    "trial_sentence",
]
