"""Continue's command line: our entry in its settings, as proved by running 1.5.47. It has no gate.

- It asks no hook. What `permissions.yaml` excludes is on offer again in its mode auto, which one key or word
  switches on: there is no place to take its own tools out for good.
- A file of settings without a name and a version stops it.
- It offers its model our tools under their own names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from studio.doors.agents.continue_cli import user_settings
from studio.doors.clients.client import SERVER, Entry, Habits, KnownClient, passed_on, server_entry
from studio.engine.documents import JsonExtra, Spot

NO_GATE: Final = (
    "Continue asks no hook, and its mode auto offers every tool of its own again: it may write unasked. "
    "Only studio agent continue holds it."
)


def continue_cli(_hook: Path) -> tuple[Entry, ...]:
    """Our entry; no hook program is asked."""
    server: dict[str, object] = {"name": SERVER, **server_entry()}
    if variables := passed_on():
        server["env"] = variables
    meaning = "It is offered the tools of Exacta Studio; nothing keeps it from its own."
    return (Entry(user_settings().absolute(), Spot(("mcpServers",), None), server, meaning, is_added=True),)


HABITS: Final = Habits(lambda _own, _folder: iter(()))
UNSEEN: Final = ("Whatever its own tools write: none of them asks here, only ours do.",)


CONTINUE: Final = KnownClient(
    name="continue",
    title="Continue",
    program="cn",
    entries=continue_cli,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.NONE,  # 1.5.47 has YAML alone
    no_gate=NO_GATE,
)
