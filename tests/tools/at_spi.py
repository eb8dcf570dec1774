"""Reads and presses what a program shows to assistive technology, from outside of it.

Run by a Python that has PyGObject and libatspi, on the program's session bus; commands are lines of JSON on
standard input: `null` reads the tree, `[number, action]` carries out an action of an object read last.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

import_module("gi").require_version("Atspi", "2.0")
# By name: they are no packages of this project's environment.
Atspi: Any = import_module("gi.repository.Atspi")
GLib: Any = import_module("gi.repository.GLib")

_STATES = ("focused", "focusable", "showing", "checkable", "checked", "selected", "enabled", "editable")


def main() -> None:
    found: list[Any] = []
    for line in sys.stdin:
        wanted = json.loads(line)
        if wanted is not None:
            print("answer", json.dumps(_act(found[wanted[0]], wanted[1])), flush=True)
            continue
        found = []
        try:
            answer = [_node(each, found, 0) for each in _children(Atspi.get_desktop(0))]
        except GLib.Error:  # an object that went away meanwhile
            answer = None
        print("answer", json.dumps(answer), flush=True)


def _children(node: Any) -> list[Any]:
    node.clear_cache()
    children = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    return [child for child in children if child is not None]


def _node(node: Any, found: list[Any], depth: int) -> dict[str, Any]:
    number = len(found)
    found.append(node)
    states, interfaces = node.get_state_set(), node.get_interfaces()
    return {
        "number": number,
        "role": node.get_role_name(),
        "name": node.get_name() or "",
        "description": node.get_description() or "",
        "states": [name for name in _STATES if states.contains(getattr(Atspi.StateType, name.upper()))],
        "text": Atspi.Text.get_text(node, 0, -1) if "Text" in interfaces else None,
        "line": _line(node) if "Text" in interfaces and node.get_name() == "Diff" else None,
        "children": [_node(child, found, depth + 1) for child in _children(node)],
    }


def _line(node: Any) -> str:
    """The line at the caret, as a screen reader asks for it."""
    offset = Atspi.Text.get_caret_offset(node)
    return Atspi.Text.get_string_at_offset(node, offset, Atspi.TextGranularity.LINE).content


def _act(node: Any, action: str) -> bool:
    names = [Atspi.Action.get_action_name(node, index) for index in range(Atspi.Action.get_n_actions(node))]
    return Atspi.Action.do_action(node, names.index(action))


if __name__ == "__main__":
    main()
