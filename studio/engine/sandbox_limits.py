"""Limits of commands in the sandbox; `limits` has all others."""

from __future__ import annotations

from typing import Final

SANDBOX_SECONDS: Final = 600.0
"""How long a command may run unless it is said otherwise."""

SANDBOX_WATCHED_SECONDS: Final = 24 * 60 * 60.0
"""How long one may run that a person has begun in the window, where they can stop it."""

SANDBOX_SHOWN_BYTES: Final = 64 * 1024
"""Of what a command prints within 50 ms the window shows so much, the newest."""

SANDBOX_OUTPUT_BYTES: Final = 1024 * 1024
"""Of what a command prints so much is kept, half of it from the beginning and half from the end."""

SANDBOX_PRIVATE_BYTES: Final = 1024 * 1024 * 1024
"""What a command may write to its own home and temporary folders together: they lie in memory."""

SANDBOX_PRIVATE_FILES_UP_TO: Final = 200_000
"""Files and folders in all of these together."""

# A file of a terabyte with nothing in it fills the disk of whoever copies it.
SANDBOX_FILE_BYTES: Final = 4 * 1024 * 1024 * 1024
"""Largest file that a command may write."""

SANDBOX_LOGIN_BYTES: Final = 16 * 1024 * 1024
"""Largest file of a login that a command is given a copy of."""

SANDBOX_MEMORY_SHARE: Final = 0.75
"""Of the machine's memory all processes of a command may take so much together, where that can be limited."""

SANDBOX_PROCESSES_UP_TO: Final = 4096
"""Processes and threads of one command at a time; builds on large machines take hundreds."""

SANDBOX_OPEN_FILES_UP_TO: Final = 16_384
"""Files that one process of a command may hold open."""

SANDBOX_DISK_SPARE_BYTES: Final = 512 * 1024 * 1024
"""A command is ended when it has left less than this of the disk on which its changes lie."""

SANDBOX_DISK_SPARE_FILES: Final = 10_000
"""It is ended, too, when fewer files than this can be made there any more."""

SANDBOX_START_SECONDS: Final = 20.0
"""How long the process around a command may take to make what the command will see."""

SANDBOX_END_SECONDS: Final = 10.0
"""How long the end of all processes of a command may take, once they are being ended."""

SANDBOX_LOOK_SECONDS: Final = 0.05
"""How soon a running command is ended that was cancelled, ran out of time or filled the disk."""

SANDBOX_STOP_SECONDS: Final = 30.0
"""How long an apply waits for the commands that work on the project, and these for an apply."""

TRIALS_UP_TO: Final = 10
"""Outcomes of `try` that are kept with one plan."""

TRIAL_OUTPUT_BYTES: Final = 64 * 1024
"""Of what such a command prints so much is kept."""

TRIAL_TESTS_UP_TO: Final = 5
"""So many of the tests that a plan changes itself are named beside what was tried."""

TRIALS_SHOWN_UP_TO: Final = 3
"""So many of them the window shows with a plan, the newest."""

SHOWN_OUTPUT_LINES_UP_TO: Final = 10_000
"""Of what a command prints the window shows so many lines, the newest."""

RECENT_COMMANDS_UP_TO: Final = 20
"""Commands run last that are remembered, and programs with what they were given."""
