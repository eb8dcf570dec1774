"""Tests whether an agent's hook blocks writes when denying, killed or late."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from studio.doors.clients.client import DIES, SettingsEntry, TrialClient
from studio.doors.clients.hook_program import OWN_SECONDS, hook_program
from studio.doors.connect import Client
from studio.doors.doctor.trial import Tried, try_in_empty_home, version_of
from studio.doors.doctor.user_settings_trial import try_with_user_settings
from studio.doors.limits import TRIAL_SECONDS
from studio.extras.agents import Gate, GateStatus
from studio.program.own_program import own_command
from studio.program.work_folder import WorkFolder


class Attempt(Enum):
    """Behaviour of our side while the client waits for an answer."""

    NO_GATE = "there is no gate"
    """The control: the client has to write, else nothing is proved."""
    ANSWERS_NO = "our part answers no"
    KILLED = "our part is killed"
    MISSING = "our part is missing"
    GARBAGE = "our part talks nonsense"
    LATE = "our part never answers"
    HOOK_MISSING = "the hook program itself is missing"
    HOOK_KILLED = "what it starts as its hook is killed"
    """The hook program or its shell is killed: nothing can deny."""


OnAttempt = Callable[[Attempt, Tried], object]
"""Callback that receives each attempt as it ends."""

_STAND_INS: Final[Mapping[Attempt, Sequence[str]]] = {
    Attempt.KILLED: ("sh", "-c", DIES),
    Attempt.MISSING: ("/nowhere/studio",),
    Attempt.GARBAGE: ("sh", "-c", "echo Not JSON, nor anything else."),
    Attempt.LATE: ("sh", "-c", "exec sleep 600"),
}


_NOT_LOADED: Final = "The client was started with its own settings and ignored our entry."
_WROTE_NOTHING: Final = "The client wrote nothing even without a gate, so nothing was verified."


def prove_gate(
    client: Client,
    trial_client: TrialClient,
    on_attempt: OnAttempt = lambda _attempt, _tried: None,
    *,
    is_own: bool = False,
) -> GateStatus:
    """Run the client in every attempt and return the worst result.

    `on_attempt` receives each attempt. `is_own`: with the user's settings, in the sandbox; else in an empty
    home. Raises as `try_in_empty_home` or `try_with_user_settings` do.
    """
    if not trial_client.is_loaded(client):
        return _proof(client.name, trial_client, (Gate.NONE, True, _NOT_LOADED))

    # With the user's settings only the first entry is tested: the others stay in them unchanged.
    spots = () if is_own else (entry.spot for entry in client.entries)
    others = [trial_client.others[spot] for spot in spots if spot in trial_client.others]

    def tries() -> Iterator[tuple[Attempt, Tried]]:
        for each, attempt in product((trial_client, *others), Attempt):
            with WorkFolder("doctor") as folder:
                trial = folder / "trial"
                trial.mkdir()
                entry = _entry_of(client, each, attempt, trial)
                late = _late_seconds(client) if attempt is Attempt.LATE else 0
                seconds = TRIAL_SECONDS + late
                if is_own:
                    yield attempt, try_with_user_settings(client, each, entry, folder, seconds=seconds)
                else:
                    yield attempt, try_in_empty_home(each, entry, _work(trial), seconds=seconds)

    return replace(judge_attempts(client.name, trial_client, tries(), on_attempt), is_own=is_own)


def judge_attempts(
    name: str, trial_client: TrialClient, tries: Iterable[tuple[Attempt, Tried]], on_attempt: OnAttempt
) -> GateStatus:
    """Return the gate status from the results of all attempts.

    The first attempt is the control without a gate.
    """
    written: list[Attempt] = []
    silent: list[Attempt] = []
    for attempt, found in tries:
        on_attempt(attempt, found)
        if attempt is Attempt.NO_GATE:
            if found.was_written:
                continue
            return _proof(name, trial_client, (Gate.OPEN_ON_FAILURE, False, _WROTE_NOTHING))
        if found.was_written:
            written.append(attempt)
        elif not found.message:
            silent.append(attempt)
    return _proof(name, trial_client, _gate_result(written, silent))


def _proof(name: str, trial_client: TrialClient, result: tuple[Gate, bool, str]) -> GateStatus:
    return GateStatus(name, *result, version=version_of(trial_client), when=datetime.now(UTC))


def _gate_result(written: Sequence[Attempt], silent: Sequence[Attempt]) -> tuple[Gate, bool, str]:
    if Attempt.ANSWERS_NO in written:
        return Gate.NONE, True, "The client wrote despite our denial."
    if written:
        attempts = ", ".join(dict.fromkeys(attempt.value for attempt in written))
        return Gate.OPEN_ON_FAILURE, True, f"The client writes when {attempts}."
    if silent:
        return Gate.OPEN_ON_FAILURE, False, f"The client reported no tool call when {silent[0].value}."
    return Gate.CLOSED, True, "The client wrote nothing in any failure we tested."


def _work(folder: Path) -> Path:
    work = folder / "work"
    work.mkdir()
    return work


def _entry_of(
    client: Client, trial_client: TrialClient, attempt: Attempt, folder: Path
) -> SettingsEntry | None:
    """Return our entry with the hook program of this attempt.

    Everything else is as configured.
    """
    if attempt is Attempt.NO_GATE:
        return None
    program = folder / "hook"
    if attempt is Attempt.HOOK_KILLED:
        program.write_text(f"#!/bin/sh\n{DIES}\n", encoding="utf-8")
    elif attempt is not Attempt.HOOK_MISSING:
        seconds = _late_seconds(client) if attempt is Attempt.LATE else OWN_SECONDS
        command = _STAND_INS.get(attempt) or _answering_no(client.name)
        environment = {"STUDIO_STATE_DIR": str(folder / "state"), "STUDIO_CONFIG_DIR": str(folder / "config")}
        program.write_bytes(hook_program(client.name, command, folder, environment, seconds=seconds))
    if attempt is not Attempt.HOOK_MISSING:
        program.chmod(0o700)
    entry = trial_client.entry(program)
    return trial_client.killed(entry) if attempt is Attempt.HOOK_KILLED else entry


def _late_seconds(client: Client) -> int:
    """Return after how many seconds the hook program gives up.

    For a client with a limit of its own it is the configured time, which the test then outlasts.
    """
    return client.seconds if client.seconds < OWN_SECONDS else 1


def _answering_no(client: str) -> Sequence[str]:
    """Return our hook command with a zero timeout, denying everything."""
    return (*own_command(), "hook", client, "--timeout", "0")
