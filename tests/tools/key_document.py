"""Writes docs/keys.md anew from the one table of actions: python -m tests.tools.key_document"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from studio.ui.actions.action import ActionEntry, Menu, Scope
from studio.ui.actions.table import ACTIONS

FILE = Path(__file__).parents[2] / "docs" / "keys.md"

_HEAD = """\
# Every action and its keys

All menu actions of the window, by menu. *Search* (Ctrl+Shift+P) finds each action by its name or a synonym.
*Help ▸ Keyboard shortcuts* (F1) shows the keys in use and changes them. Keys marked ° work only in the queue,
the diff and the plan, never in a text field; *Single-letter shortcuts* in the same menu turns single letters
off. A disabled action says why, and what would enable it.

This page is generated from the table of the menus (`python -m tests.tools.key_document`).
"""


def text() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(line for menu in Menu for line in _section(menu))])


def _section(menu: Menu) -> Iterator[str]:
    yield f"## {menu.value}\n"
    rows = [f"| {entry.text} | {_keys(entry)} |" for entry in ACTIONS if entry.menu is menu]
    yield "\n".join(["| action | keys |", "|---|---|", *rows, ""])


def _keys(entry: ActionEntry) -> str:
    mark = "°" if entry.scope is Scope.REVIEW else ""
    return ", ".join(f"`{key.replace('|', chr(92) + '|')}`{mark}" for key in entry.keys)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
