"""Which keys stand on buttons: the usual ones, unless a person chose others or switched letters off."""

from __future__ import annotations

from collections.abc import Mapping

_ARROWS = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}
_hints: dict[str, str] = {}


def set_key_hints(hints: Mapping[str, str]) -> None:
    """Show other keys from now on: usual key to the one that does the same now, "" for none."""
    _hints.clear()
    _hints.update(hints)


def key_hint(usual: str) -> str:
    """What to show where the usual key would stand, "" for nothing."""
    written = usual
    for arrow, name in _ARROWS.items():
        written = written.replace(arrow, name)
    return _hints.get(written, usual)
