"""The keys that the robot presses: those that open a field, those that it means, and those of prose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Opener:
    """A key that opens a field: which one, what is begun in it, and whether that belongs to the plan."""

    key: str
    widget: str = ""
    kind: str = ""
    of_plan: bool = False


OPENERS = {
    "a reason": Opener("R", "reason-editor", "reason"),
    "a wish for changes": Opener("Shift+R", "reason-editor", "reason", of_plan=True),
    "a note": Opener("N", "note-text", "note"),
    "a comment": Opener("C", "comment-editor", "comment"),
    "the editor": Opener("E", "result-text", "edited"),
    "the search": Opener("Ctrl+F"),
    "the next hit": Opener("F3"),
    "the line to go to": Opener("Ctrl+G"),
    "the queue's filter": Opener("Ctrl+Alt+F"),
    "the palette": Opener("Ctrl+Shift+P"),
}

MEANT_KEYS = (
    *"A V D G X Z Y B P 1 2 J K U W Space Down Up Return".split(),
    "Ctrl+Shift+Return", "Ctrl+Shift+Return", "Ctrl+Alt+Z",
)  # fmt: skip

PROSE_KEYS = (
    *"A R Z N Y V D G X L E C U W F B P I J K T O S 1 2 3".split(),
    "Space", "Shift+R", "Shift+J", "Return", "Backspace", "Delete",
)  # fmt: skip

SIGNS = {"Space": " ", "Return": "\n", "Backspace": "", "Delete": ""}
"""What a key puts into a text, where that is not its name."""


NO_PROSE = {
    "edited": ("Backspace", "Delete"),
    **dict.fromkeys(("palette-field", "queue-path", "find-field", "go-field"), ("Return",)),
}
"""By kind of text, or name of a field: keys that take away what nobody typed, or that mean something."""
