"""What the window remembers of commands and agents: the last ones, and what each program was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from studio.engine.sandbox_limits import RECENT_COMMANDS_UP_TO
from studio.ui.settings import Settings

_COMMANDS: Final = "recent_commands"
_TO_PROGRAMS: Final = "given_to_programs"
_TO_AGENTS: Final = "given_to_agents"


class CommandMemory:
    """Answers of a person that count until they give another; each is shown where the command is begun."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._given = _Given(settings, _TO_PROGRAMS)

    @property
    def recent(self) -> tuple[str, ...]:
        """The commands that were run last, the newest first."""
        found = _read(self._settings, _COMMANDS)
        return tuple(line for line in found if isinstance(line, str)) if isinstance(found, list) else ()

    def network(self, program: str) -> bool | None:
        """Whether a program was given the network the last time, None where it was never begun."""
        return self._given.network(program)

    def login(self, program: str) -> str:
        """The login that a program was given the last time, "" for none."""
        return self._given.login(program)

    def keep(self, line: str, program: str, *, network: bool, login: str) -> None:
        """Remember what is begun now."""
        others = [other for other in self.recent if other != line]
        self._settings.keep_text(_COMMANDS, json.dumps([line, *others][:RECENT_COMMANDS_UP_TO]))
        self._given.keep(program, {"network": network, "login": login})


class AgentMemory:
    """The same of agents, which may work in the sandbox or outside of it."""

    def __init__(self, settings: Settings) -> None:
        self._given = _Given(settings, _TO_AGENTS)

    def is_in_sandbox(self, program: str) -> bool:
        """Whether an agent worked there the last time."""
        return bool(self._given.of(program).get("sandbox"))

    def network(self, program: str) -> bool | None:
        """Whether it was given the network there the last time, None where it was never begun there."""
        return self._given.network(program)

    def login(self, program: str) -> str:
        """The login that it was given there the last time, "" for none."""
        return self._given.login(program)

    def keep_outside(self, program: str) -> None:
        """Remember that it works outside of the sandbox now, and what it had there."""
        self._given.keep(program, {**self._given.of(program), "sandbox": False})

    def keep_inside(self, program: str, *, network: bool, login: str) -> None:
        """Remember that it works there now, and with what."""
        self._given.keep(program, {"sandbox": True, "network": network, "login": login})


class _Given:
    """What is remembered by a program's name, of those that were begun last."""

    def __init__(self, settings: Settings, key: str) -> None:
        self._settings, self._key = settings, key

    def network(self, program: str) -> bool | None:
        found = self.of(program).get("network")
        return None if found is None else bool(found)

    def login(self, program: str) -> str:
        return str(self.of(program).get("login", ""))

    def of(self, program: str) -> Mapping[str, Any]:
        return self._all().get(program, {})

    def keep(self, program: str, given: Mapping[str, Any]) -> None:
        others = {name: each for name, each in self._all().items() if name != program}
        kept = dict(list({program: given, **others}.items())[:RECENT_COMMANDS_UP_TO])
        self._settings.keep_text(self._key, json.dumps(kept))

    def _all(self) -> dict[str, Mapping[str, Any]]:
        found = _read(self._settings, self._key)
        if not isinstance(found, dict):
            return {}
        entries = cast("dict[str, Any]", found).items()
        return {name: cast("dict[str, Any]", given) for name, given in entries if isinstance(given, dict)}


def _read(settings: Settings, key: str) -> object:
    try:
        return cast("object", json.loads(settings.text(key) or "null"))
    except ValueError:
        return None
