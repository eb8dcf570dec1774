"""What the window remembers of commands: the last ones, and what each program was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, cast

from studio.engine.sandbox_limits import RECENT_COMMANDS_UP_TO
from studio.ui.settings import Settings

_COMMANDS: Final = "recent_commands"
_GIVEN: Final = "given_to_programs"


class CommandMemory:
    """Answers of a person that count until they give another; each is shown where the command is begun."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def recent(self) -> tuple[str, ...]:
        """The commands that were run last, the newest first."""
        found = self._read(_COMMANDS)
        return tuple(line for line in found if isinstance(line, str)) if isinstance(found, list) else ()

    def network(self, program: str) -> bool | None:
        """Whether a program was given the network the last time, None where it was never begun."""
        given = self._given().get(program)
        return bool(given.get("network")) if given is not None else None

    def login(self, program: str) -> str:
        """The login that a program was given the last time, "" for none."""
        return str(self._given().get(program, {}).get("login", ""))

    def keep(self, line: str, program: str, *, network: bool, login: str) -> None:
        """Remember what is begun now."""
        others = [other for other in self.recent if other != line]
        self._settings.keep_text(_COMMANDS, json.dumps([line, *others][:RECENT_COMMANDS_UP_TO]))
        given = {program: {"network": network, "login": login}, **self._given_but(program)}
        kept = dict(list(given.items())[:RECENT_COMMANDS_UP_TO])
        self._settings.keep_text(_GIVEN, json.dumps(kept))

    def _given_but(self, program: str) -> dict[str, Mapping[str, Any]]:
        return {name: given for name, given in self._given().items() if name != program}

    def _given(self) -> dict[str, dict[str, Any]]:
        found = self._read(_GIVEN)
        if not isinstance(found, dict):
            return {}
        entries = cast("dict[str, Any]", found).items()
        return {name: cast("dict[str, Any]", given) for name, given in entries if isinstance(given, dict)}

    def _read(self, key: str) -> object:
        try:
            return cast("object", json.loads(self._settings.text(key) or "null"))
        except ValueError:
            return None
