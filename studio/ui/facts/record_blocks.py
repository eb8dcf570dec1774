"""What the facts pane says of what is kept beside a plan: what was tried with it, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from studio.engine.limits import SHOWN_LEFT_OUT_UP_TO
from studio.engine.names import show_name
from studio.engine.sandbox_limits import TRIAL_TESTS_UP_TO, TRIALS_SHOWN_UP_TO
from studio.ui.facts.sheet import Passage, WarningText
from studio.ui.language import translator
from studio.ui.look.words import ago, say

if TYPE_CHECKING:
    from datetime import datetime

    from studio.engine.draft import LeftOutPath
    from studio.engine.proposer import Trial

_tr = translator("RecordBlocks")


def trial_blocks(
    trials: Sequence[Trial], is_current: Callable[[Trial], bool], now: datetime
) -> tuple[WarningText, ...]:
    """A block for each of the newest trials. One that is stale says so, and is neither good nor bad."""
    if not trials:
        return ()
    from studio.engine.commands import trial_sentence  # loads the sandbox

    return tuple(
        WarningText(
            _tone(trial, is_current=is_current(trial)),
            trial_sentence(trial),
            "\n".join(_lines(trial, now, is_current=is_current(trial))),
        )
        for trial in trials[:TRIALS_SHOWN_UP_TO]
    )


def left_out_passages(left_out: Sequence[LeftOutPath]) -> tuple[Passage, ...]:
    """The first of what is no part of the plan, because git ignores it or a rule denies it."""
    if not left_out:
        return ()
    lines = [f"{show_name(each.path)}: {each.why}" for each in left_out[:SHOWN_LEFT_OUT_UP_TO]]
    if len(left_out) > SHOWN_LEFT_OUT_UP_TO:
        lines.append(_tr("All of it: studio show PLAN --left-out"))
    return (Passage(_tr("Left out of the plan"), "\n".join(lines)),)


def _tone(trial: Trial, *, is_current: bool) -> str:
    if not is_current:
        return "info"
    if not trial.is_good:
        return "warning"
    return "good" if trial.is_remembered else "info"


def _lines(trial: Trial, now: datetime, *, is_current: bool) -> list[str]:
    lines = [] if is_current else [_tr("Stale: what would be written is another by now.")]
    took = say(_tr("{seconds} s, {ago}"), seconds=f"{trial.seconds:.1f}", ago=ago(trial.made, now))
    lines.append(took)
    if trial.tests:
        named = ", ".join(map(show_name, trial.tests[:TRIAL_TESTS_UP_TO]))
        others = len(trial.tests) - TRIAL_TESTS_UP_TO
        text = (
            _tr("The plan itself changes tests: {files} and {n} more")
            if others > 0
            else _tr("The plan itself changes tests: {files}")
        )
        lines.append(say(text, files=named, n=others))
    return lines
