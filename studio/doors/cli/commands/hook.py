"""`studio hook NAME`: answer an agent's hook before each tool use.

No failure allows the tool.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.interrupt_signals import was_interrupted
from studio.doors.cli.console.output import INTERRUPTED
from studio.doors.cli.console.standard_input import read_standard_input
from studio.doors.gate import Patience
from studio.doors.hook import answer, watch_parent
from studio.doors.hooks.answers import answer_text
from studio.doors.hooks.known_tools import HOOK_TOOLS
from studio.errors import StudioError
from studio.formats.limits import SUBMISSION_BYTES
from studio.program.log_file import LOGGER, log_file
from studio.system.os_errors import reason

BLOCKED = 2
"""The exit code that blocks the tool, for every client."""


def hook(arguments: Namespace) -> Answer:
    """Answer a tool use with JSON, or a blocking exit code."""
    try:
        data = read_standard_input(SUBMISSION_BYTES + 1)
    except OSError as error:
        return _blocked(f"The hook input can't be read: {reason(error)}.")
    try:
        caller = os.getppid() if arguments.caller is None else arguments.caller
        patience = Patience(arguments.timeout, watch_parent(caller))
        document = answer(HOOK_TOOLS[arguments.client], data, os.environ, patience)
    except StudioError as error:
        return _blocked(f"{error.message} {error.hint}")
    except Exception:  # on any error the tool must not run
        if was_interrupted():
            return Answer({}, "", INTERRUPTED, is_printed=True)
        LOGGER.exception("a hook failed")
        return _blocked(f"Something went wrong inside Exacta Studio. The details are in {log_file()}.")
    return Answer(document, answer_text(document))


def _blocked(why: str) -> Answer:
    sys.stderr.write(f"Exacta Studio stopped this: {why}\n".encode("utf-8", "backslashreplace").decode())
    return Answer({}, "", BLOCKED, is_printed=True)
