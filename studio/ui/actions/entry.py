"""What one row of the table of actions says (look.md 8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from studio.ui.actions.action import Action


class Scope(Enum):
    """Where an action's keys work."""

    WINDOW = "everywhere"
    REVIEW = "queue, diff and plan, never in a text field"


class Needs(Enum):
    """What has to be there before an action can do anything."""

    NOTHING = "nothing"
    PROJECT = "an open project"
    DIFF = "a step on the page"
    LINES = "lines on the page"


class Menu(Enum):
    FILE = "File"
    EDIT = "Edit"
    VIEW = "View"
    REVIEW = "Review"
    AGENTS = "Agents"
    HELP = "Help"


@dataclass(frozen=True, slots=True)
class ActionEntry:
    """One row of the table.

    `keys` are portable key sequences, the first one is shown. `decides`: the action records a
    decision, so a repeated key never triggers it. `asks`: it opens a field, so that what is typed after it is
    text. `section` starts a new group in its menu. `synonyms` are other
    words by which the palette finds it.
    """

    id: Action
    text: str
    menu: Menu
    keys: tuple[str, ...] = ()
    icon: str = ""
    scope: Scope = Scope.WINDOW
    decides: bool = False
    asks: bool = False
    toggle: bool = False
    section: bool = False
    needs: Needs = Needs.PROJECT
    synonyms: str = ""
