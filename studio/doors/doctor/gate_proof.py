"""A gate tried in every way it may fail: what the client does then is what the gate is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Final

from studio.doors.clients.client import DIES, TriedClient, Value
from studio.doors.clients.hook_program import OWN_SECONDS, hook_program
from studio.doors.connect import Client
from studio.doors.doctor.own_trial import try_own
from studio.doors.doctor.trial import Tried, try_client, version_of
from studio.engine.gate import Gate, GateStanding
from studio.engine.limits import TRIAL_SECONDS
from studio.engine.own_program import own_command
from studio.engine.work_folder import WorkFolder


class Attempt(Enum):
    """What becomes of our part while the client waits for its word."""

    NO_GATE = "there is no gate"
    """The one in which it has to write: else nothing that it leaves unwritten proves anything."""
    ANSWERS_NO = "our part answers no"
    KILLED = "our part is killed"
    MISSING = "our part is missing"
    GARBAGE = "our part talks nonsense"
    LATE = "our part never answers"
    HOOK_MISSING = "the hook program itself is missing"
    HOOK_KILLED = "what it starts as its hook is killed"
    """The program, or the shell around it: nothing of ours is left to say no then."""


Told = Callable[[Attempt, Tried], object]
"""Hears of each try as it ends."""

_STAND_INS: Final[Mapping[Attempt, Sequence[str]]] = {
    Attempt.KILLED: ("sh", "-c", DIES),
    Attempt.MISSING: ("/nowhere/studio",),
    Attempt.GARBAGE: ("sh", "-c", "echo Not JSON, nor anything else."),
    Attempt.LATE: ("sh", "-c", "exec sleep 600"),
}


_NOT_LOADED: Final = "The client was started as it is set up here, and passed our entry over: it asks nobody."
_WROTE_NOTHING: Final = "The client wrote nothing even without a gate, so that nothing is proved."


def prove_gate(
    client: Client,
    tried: TriedClient,
    told: Told = lambda _attempt, _tried: None,
    *,
    is_own: bool = False,
) -> GateStanding:
    """Try the client with our entry in every way, and say the worst; `told` hears of each. `is_own`: with its
    user's settings, in the sandbox; else in an empty home.

    Raises as `try_client` or `try_own`.
    """
    if not tried.is_loaded(client):
        return _proof(client.name, tried, (Gate.NONE, True, _NOT_LOADED))

    # With its user's settings the first entry is tried alone: the others stay in them as they are.
    spots = () if is_own else (entry.spot for entry in client.entries)
    others = [tried.others[spot] for spot in spots if spot in tried.others]

    def tries() -> Iterator[tuple[Attempt, Tried]]:
        for each, attempt in product((tried, *others), Attempt):
            with WorkFolder("doctor") as folder:
                trial = folder / "trial"
                trial.mkdir()
                entry = _entry_of(client, each, attempt, trial)
                late = _late_seconds(client) if attempt is Attempt.LATE else 0
                seconds = TRIAL_SECONDS + late
                if is_own:
                    yield attempt, try_own(client, each, entry, folder, seconds=seconds)
                else:
                    yield attempt, try_client(each, entry, _work(trial), seconds=seconds)

    return replace(judged(client.name, tried, tries(), told), is_own=is_own)


def judged(name: str, tried: TriedClient, tries: Iterable[tuple[Attempt, Tried]], told: Told) -> GateStanding:
    """What a gate of that name is worth by what became of each try, the first of which is without it."""
    written: list[Attempt] = []
    silent: list[Attempt] = []
    for attempt, found in tries:
        told(attempt, found)
        if attempt is Attempt.NO_GATE:
            if found.was_written:
                continue
            return _proof(name, tried, (Gate.OPEN_ON_FAILURE, False, _WROTE_NOTHING))
        if found.was_written:
            written.append(attempt)
        elif not found.told:
            silent.append(attempt)
    return _proof(name, tried, _worth(written, silent))


def _proof(name: str, tried: TriedClient, worth: tuple[Gate, bool, str]) -> GateStanding:
    return GateStanding(name, *worth, version=version_of(tried), when=datetime.now(UTC))


def _worth(written: Sequence[Attempt], silent: Sequence[Attempt]) -> tuple[Gate, bool, str]:
    if Attempt.ANSWERS_NO in written:
        return Gate.NONE, True, "The client wrote although our part answered no."
    if written:
        named = ", ".join(dict.fromkeys(attempt.value for attempt in written))
        return Gate.OPEN_ON_FAILURE, True, f"The client writes where {named}."
    if silent:
        return Gate.OPEN_ON_FAILURE, False, f"The client said nothing of its tool where {silent[0].value}."
    return Gate.CLOSED, True, "The client wrote in none of the ways in which our part may fail."


def _work(folder: Path) -> Path:
    work = folder / "work"
    work.mkdir()
    return work


def _entry_of(client: Client, tried: TriedClient, attempt: Attempt, folder: Path) -> Value | None:
    """Our entry, whose hook program is one of this attempt; everything else is as it is configured."""
    if attempt is Attempt.NO_GATE:
        return None
    program = folder / "hook"
    if attempt is Attempt.HOOK_KILLED:
        program.write_text(f"#!/bin/sh\n{DIES}\n", encoding="utf-8")
    elif attempt is not Attempt.HOOK_MISSING:
        seconds = _late_seconds(client) if attempt is Attempt.LATE else OWN_SECONDS
        command = _STAND_INS.get(attempt) or _answering_no(client.name)
        own = {"STUDIO_STATE_DIR": str(folder / "state"), "STUDIO_CONFIG_DIR": str(folder / "config")}
        program.write_bytes(hook_program(client.name, command, folder, own, seconds=seconds))
    if attempt is not Attempt.HOOK_MISSING:
        program.chmod(0o700)
    entry = tried.entry(program)
    return tried.killed(entry) if attempt is Attempt.HOOK_KILLED else entry


def _late_seconds(client: Client) -> int:
    """When the hook program gives up: as it is set up for a client that has a limit of its own, which the try
    then outlasts."""
    return client.seconds if client.seconds < OWN_SECONDS else 1


def _answering_no(client: str) -> Sequence[str]:
    """Our own command, which waits for nobody: whatever is asked is refused."""
    return (*own_command(), "hook", client, "--timeout", "0")
