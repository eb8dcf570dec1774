"""Timeouts, sizes and list lengths for command line, inbox, hooks and agents.

Units as in `studio.limits`.
"""

from __future__ import annotations

from typing import Final

# The page of a plan shows all.
LISTED_PROBLEMS_UP_TO: Final = 10
"""Problems of a plan or step that a list of plans prints."""

# The page of a plan shows all.
LISTED_HUNKS_UP_TO: Final = 100
"""Hunks of one step that a list of plans prints."""

ASKED_LINES_UP_TO: Final = 200
"""Longest command in a question at a terminal, in lines."""

# A file that is equal in two scans is written to the end.
INBOX_LOOK_SECONDS: Final = 1.0
"""Scan interval of the inbox."""

ASKED_FILES_UP_TO: Final = 10
"""Files named in a question at the terminal."""

ASKED_DANGERS_UP_TO: Final = 20
"""Dangers and warnings named in a question at the terminal."""

ASKED_SETTINGS_UP_TO: Final = 20
"""Settings named in the question about trust."""

PRINTED_FILES_UP_TO: Final = 20
"""Files of a rollback that the command line prints one by one."""

PRINTED_GOING_UP_TO: Final = 5
"""Plans with discarded undo that the command line names."""

HOOK_WAIT_SECONDS: Final = 85_000
"""Time a hook waits for a person; clients kill after a day."""

TRIAL_SECONDS: Final = 60.0
"""Timeout of a client for one test of its gate."""

# Many clients abandon a call after 60 s.
AGENT_WAIT_SECONDS: Final = 50
"""Default time that an agent's call waits for a decision."""

AGENT_WAIT_SECONDS_UP_TO: Final = 86_400
"""Longest wait of one call; a plan itself waits without a limit."""

AGENT_PROGRESS_SECONDS: Final = 5.0
"""Interval of progress messages to a waiting agent."""

AGENT_CALLS_AT_ONCE: Final = 8
"""Calls of one agent that run in parallel; further ones queue."""

AGENT_WAITS_AT_ONCE: Final = 128
"""Calls of one agent that wait in parallel; each holds a thread."""

OUTCOME_CHARACTERS: Final = 100_000
"""Characters of one reply about a plan; a model's context is small."""

AGENT_START_SECONDS: Final = 60.0
"""Timeout for an agent's introduction and session start."""

AGENT_STOP_SECONDS: Final = 10.0
"""Time for an agent to end a stopped turn before being killed."""

AGENT_END_SECONDS: Final = 3.0
"""Time for an agent to exit once its conversation ended."""

AGENT_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest message of an agent."""

# A model's context is small.
AGENT_COMMAND_BYTES: Final = 30_000
"""Output of a sandboxed command that is kept for an agent."""

# Changes on disk are reported at once.
WATCH_PULSE_SECONDS: Final = 0.5
"""Poll interval for changes that other processes recorded."""
