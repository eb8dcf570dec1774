"""Why each action is off in one state of the desk."""

from __future__ import annotations

from studio.ui.actions.action import Action
from studio.ui.desk.reasons import why_not
from studio.ui.desk.state import DeskState


class Reasons:
    """Why each action is off in one state; each is worked out once, when it is asked for."""

    def __init__(self, state: DeskState) -> None:
        self.state = state
        self._known: dict[Action, str] = {}

    def of(self, action: Action) -> str:
        """The sentence, "" where the action is possible."""
        if action not in self._known:
            self._known[action] = why_not(self.state, action)
        return self._known[action]
