"""Commands of a project in its sandbox: what they do as plans, and what they say of plans."""

from studio.engine.commands.run import CommandRun
from studio.engine.commands.trials import Trials, WouldBe
from studio.engine.commands.words import ended_words, outcome_sentence, trial_sentence

__all__ = [
    "CommandRun",
    "Trials",
    "WouldBe",
    "ended_words",
    "outcome_sentence",
    "trial_sentence",
]
