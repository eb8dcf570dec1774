"""Continue CLI definition: its MCP server entry; it has no hooks.

- It has no hooks. Tools that `permissions.yaml` excludes are offered again in
  its auto mode, which one key or argument switches on: its own tools can't be
  removed for good.
- A settings file without a name and a version stops it.
- It offers its model our tools under their own names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from studio.documents import JsonExtra, Spot
from studio.doors.agents.continue_cli import user_settings
from studio.doors.clients.client import SERVER, Entry, Habits, KnownClient, inherited_variables, server_entry

NO_GATE: Final = (
    "Continue asks no hook, and its mode auto offers every tool of its own again: it may write unasked. "
    "Only studio agent continue holds it."
)


def continue_cli(_hook: Path) -> tuple[Entry, ...]:
    """Return our entry; it has no hook program."""
    server: dict[str, object] = {"name": SERVER, **server_entry()}
    if variables := inherited_variables():
        server["env"] = variables
    meaning = "It is offered the tools of Exacta Studio; nothing keeps it from its own."
    return (Entry(user_settings().absolute(), Spot(("mcpServers",), None), server, meaning, needs_file=True),)


HABITS: Final = Habits(lambda _own, _folder: iter(()))
UNSEEN: Final = ("Whatever its own tools write: none of them asks here, only ours do.",)


CONTINUE: Final = KnownClient(
    name="continue",
    title="Continue",
    program="cn",
    entries=continue_cli,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.NONE,  # 1.5.47 has only YAML
    no_gate=NO_GATE,
)
