"""Message texts about sandboxed commands: command line, outcome, output, test result."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from studio.engine.trial import Trial
from studio.extras.sandbox import EndedBy, Outcome
from studio.names import show_name

_ENDED: Final[Mapping[EndedBy, str]] = {
    EndedBy.ITSELF: "ended",
    EndedBy.TIME: "was ended when its time was over",
    EndedBy.CANCEL: "was stopped by hand",
    EndedBy.DISK: "was stopped before it filled the disk",
    EndedBy.APPLY: "was ended because a plan is to be written to this project",
    EndedBy.KILLED: "was killed from outside",
}


def command_text(argv: Sequence[str]) -> str:
    """Return a command as typed in a shell, safe to show."""
    return show_name(shlex.join(argv))


def ended_words(ended_by: EndedBy, exit_code: int | None, signal: int | None) -> str:
    """Return how a command ended, as words for a message."""
    if signal is not None:
        return f"was ended by signal {signal}"
    return _ENDED[ended_by] if exit_code is None else f"ended with {exit_code}"


def outcome_sentence(outcome: Outcome, shown: str = "") -> str:
    """Return a sentence on how and where a command ended.

    It names the duration and the kind of sandbox; `shown` replaces the command's own words.
    """
    ending = ended_words(outcome.ended_by, outcome.exit, outcome.signal)
    network = "with the network" if outcome.network else "without a network"
    command = shown or command_text(outcome.argv)
    return f"{command} {ending} after {outcome.seconds:.1f} s, in {outcome.way.words}, {network}."


def output_of(outcome: Outcome) -> str:
    """Return a command's output, as far as it was kept."""
    return printed_text(outcome.output, outcome.cut_at, outcome.left_out_bytes)


def printed_text(output: bytes, cut_at: int, left_out_bytes: int) -> str:
    """Decode a command's output, with a note where its middle was dropped."""
    if left_out_bytes:
        between = f"\n[{left_out_bytes:,} bytes left out]\n".encode()
        output = output[:cut_at] + between + output[cut_at:]
    return output.decode("utf-8", "replace")


def trial_sentence(trial: Trial) -> str:
    """Return a sentence on a trial's result.

    "Passed" is used only where a person ran a command of their own list.
    """
    shown_command = command_text(trial.argv)
    if trial.is_remembered and trial.is_good:
        return f"Passed: {shown_command}"
    ending = (
        f"exit {trial.exit}"
        if trial.exit is not None
        else ended_words(EndedBy(trial.ended_by), trial.exit, trial.signal)
    )
    if trial.is_remembered:
        return f"Failed: {shown_command}, {ending}"
    runner = f"run by {show_name(trial.who)}" if trial.who else "run at the command line"
    return f"{shown_command}, {runner}: {ending}"
