"""`studio hook NAME`: what a client runs before each use of a tool; it is never let through by a failure."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from studio.doors.cli.answer import Answer
from studio.doors.cli.heard_interrupts import was_interrupted
from studio.doors.cli.output import INTERRUPTED
from studio.doors.cli.standard_input import read_standard_input
from studio.doors.hooks import CLIENTS, Patience, answer, answer_text, watch_caller
from studio.engine.errors import StudioError
from studio.engine.limits import SUBMISSION_BYTES
from studio.engine.workspace import LOGGER, log_file, reason

BLOCKED = 2
"""The exit code that stops the tool, at every client."""


def hook(arguments: Namespace) -> Answer:
    """One answer as a line of JSON, or a sentence and the code that stops the tool."""
    try:
        data = read_standard_input(SUBMISSION_BYTES + 1)
    except OSError as error:
        return _blocked(f"What the client tells its hook can't be read: {reason(error)}.")
    try:
        caller = os.getppid() if arguments.caller is None else arguments.caller
        patience = Patience(arguments.timeout, watch_caller(caller))
        said = answer(CLIENTS[arguments.client], data, os.environ, patience)
    except StudioError as error:
        return _blocked(f"{error.message} {error.hint}")
    except Exception:  # whatever it is: a tool must not run because of it
        if was_interrupted():
            return Answer({}, "", INTERRUPTED, is_printed=True)
        LOGGER.exception("a hook failed")
        return _blocked(f"Something went wrong inside Exacta Studio. The details are in {log_file()}.")
    return Answer(said, answer_text(said))


def _blocked(why: str) -> Answer:
    sys.stderr.write(f"Exacta Studio stopped this: {why}\n".encode("utf-8", "backslashreplace").decode())
    return Answer({}, "", BLOCKED, is_printed=True)
