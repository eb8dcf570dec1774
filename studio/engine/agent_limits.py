"""What agents may ask for and are told at their doors, in numbers; `limits` has all others."""

from __future__ import annotations

from typing import Final

CALL_CHARACTERS: Final = 100_000
"""Longest command, or arguments of a tool, that an agent may ask a person for."""

HOOK_WAIT_SECONDS: Final = 85_000
"""How long a hook waits for a person: less than a day, at which its client would kill it."""

TRIAL_SECONDS: Final = 60.0
"""How long a client may take for one try of its gate."""

CALLS_KEPT_UP_TO: Final = 1_000
"""Of calls that ended so many are kept, the newest."""

AGENT_WAIT_SECONDS: Final = 50
"""How long an agent's call waits for a decision unless it says so: many clients give a call up after 60."""

AGENT_WAIT_SECONDS_UP_TO: Final = 86_400
"""Longest that one call may wait; a plan waits as long as it has to."""

AGENT_PROGRESS_SECONDS: Final = 5.0
"""How often an agent that waits hears that nothing was decided yet."""

AGENT_CALLS_AT_ONCE: Final = 8
"""Calls of one agent that are carried out side by side; more come after them."""

AGENT_WAITS_AT_ONCE: Final = 128
"""Calls of one agent that wait for decisions side by side; each holds a thread."""

OUTCOME_CHARACTERS: Final = 100_000
"""Characters of what an agent is told at once about a plan: a model's room is small."""

AGENT_START_SECONDS: Final = 60.0
"""How long an agent may take to say who it is, and to begin a session."""

AGENT_STOP_SECONDS: Final = 10.0
"""How long an agent may take to end a turn that was stopped; then it is ended itself."""

AGENT_END_SECONDS: Final = 3.0
"""How long an agent may take to end once nobody talks with it any more."""

AGENT_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longest message of an agent."""

SESSION_EVENTS_UP_TO: Final = 20_000
"""Of what was said and done in a session so much is kept, the newest."""

EVENT_CHARACTERS: Final = 100_000
"""Longest text of one event of a session; the rest is cut."""

EVENT_ITEMS_UP_TO: Final = 200
"""Most items of a list in an event, such as the paths that a tool is used on; the rest is cut."""

EVENTS_AT_ONCE: Final = 500
"""Events of a session that are read in one go."""

AGENT_COMMAND_BYTES: Final = 30_000
"""Of what a command of an agent prints in the sandbox so much is kept and told: a model's room is small."""
