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
    "Continue has no hooks, and its mode auto enables all of its own tools: it may write without asking. "
    "Use studio agent continue."
)


def continue_cli(_hook: Path) -> tuple[Entry, ...]:
    """Return our entry; it has no hook program."""
    server: dict[str, object] = {"name": SERVER, **server_entry()}
    if variables := inherited_variables():
        server["env"] = variables
    meaning = "Adds the tools of Exacta Studio; its own tools stay enabled."
    return (Entry(user_settings().absolute(), Spot(("mcpServers",), None), server, meaning, needs_file=True),)


HABITS: Final = Habits(lambda _own, _folder: iter(()))
UNSEEN: Final = ("Changes by its own tools: only the tools of Exacta Studio ask here.",)


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
