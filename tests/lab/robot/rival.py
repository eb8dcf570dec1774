"""The other process: agents and another person, who work on the same project while somebody types."""

from __future__ import annotations

from tests.lab.robot.proposals import NAMES, propose
from tests.lab.robot.stage import Stage

ACTS = (
    "withdraws", "replaces", "rejects", "approves", "applies", "dismisses", "submits", "changes a file",
    "moves the folder away", "moves the folder back", "locks the store", "lets go of the store",
)  # fmt: skip

TAKING = ("withdraws", "replaces", "rejects", "approves", "applies", "submits", "moves the folder away")
"""What it may do to the plan that somebody types about."""


class Rival:
    """Acts by numbers; what can't be done then is not done, as a command that fails."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._serial = 10
        self.holds_store = False
        self.is_away = False

    def act(self, act: str, which: int) -> str:
        """Do it to the plan (or file) of that number; what was done, "" where it was not possible."""
        stage = self._stage
        if act == "lets go of the store":
            return act if self.let_go() else ""
        if self.holds_store:
            return ""
        if act == "moves the folder back":
            return act if self.come_back() else ""
        if self.is_away:
            return ""
        if act == "moves the folder away":
            stage.root.rename(stage.away)
            self.is_away = True
            return act
        if act == "locks the store":
            stage.other.hold(stage.looker.store)
            self._hold(True)
            return act
        if act == "submits":
            return f"submits {self._submit(which)}"
        if act == "changes a file":
            file = stage.root / NAMES[which % len(NAMES)]
            if file.exists():
                file.write_bytes(file.read_bytes() + b"more\n")
            return f"changes {file.name}"
        return self._decide(act, which)

    def come_back(self) -> bool:
        if self.is_away:
            self._stage.away.rename(self._stage.root)
        was_away, self.is_away = self.is_away, False
        return was_away

    def let_go(self) -> bool:
        if self.holds_store:
            self._stage.other.let_go()
            self._hold(False)
            return True
        return False

    def _hold(self, held: bool) -> None:
        self.holds_store = held
        self._stage.runner.engine_waits = held

    def _decide(self, act: str, which: int) -> str:
        titles = self._stage.looker.look().titles
        plan = list(titles)[which % len(titles)]
        run, root = self._stage.other.run, self._stage.root
        words = {
            "withdraws": ["withdraw", plan],
            "replaces": ["withdraw", plan],
            "rejects": ["reject", plan, "--reason", "somebody else says no"],
            "approves": ["approve", plan],
            "applies": ["approve", plan, "--apply"],
            "dismisses": ["dismiss", plan],
        }[act]
        if run(root, *words).code:
            return f"fails: {act} {titles[plan]}"
        by = f" by {self._submit(which)}" if act == "replaces" else ""
        return f"{act} {titles[plan]}{by}"

    def _submit(self, kind: int) -> str:
        self._serial += 1
        propose(self._stage.other, self._stage.root, kind, self._serial)
        return f"Plan {self._serial}"
