"""The robot as a state machine: hypothesis chooses what is done next, and makes a failing run short."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.lab.robot.keys import MEANT_KEYS, OPENERS, PROSE_KEYS
from tests.lab.robot.person import WATCHES, Robot
from tests.lab.robot.proposals import KINDS
from tests.lab.robot.rival import ACTS, TAKING
from tests.lab.robot.stage import Stage

_FEW = st.integers(0, 3)
_TURNS = st.sampled_from((0, 1, 2, 5, 30))
"""How many things the window does: too few, or all that it has to."""
_WORDS = st.lists(st.sampled_from(PROSE_KEYS), max_size=8)
_FIELDS = st.sampled_from(tuple(OPENERS))


class Machine(RuleBasedStateMachine):
    """One person, one project, and another process beside them."""

    stage: ClassVar[Stage]
    watches: ClassVar[frozenset[str]] = WATCHES
    done: ClassVar[Counter[str]] = Counter()
    """How often each thing was done, in all runs; and how often a decision was made."""

    @initialize(plans=st.lists(st.integers(0, KINDS - 1), min_size=2, max_size=4))
    def begin(self, plans: list[int]) -> None:
        self.stage.open(plans)
        self.robot = Robot(self.stage, self.watches)
        self.done["runs"] += 1

    @rule(which=_FEW, step=_FEW)
    def look_at(self, which: int, step: int) -> None:
        self._count("moves")
        self.robot.look_at(which, step)

    @rule(what=_FIELDS)
    def open(self, what: str) -> None:
        self._count("fields wanted")
        self.robot.open(what)

    @precondition(lambda self: self.robot.typing is not None)
    @rule(word=_WORDS, turns=_TURNS)
    def type(self, word: list[str], turns: int) -> None:
        self._count("letters of prose", len(word))
        self.robot.type(word, turns)

    @precondition(lambda self: self.robot.typing is not None and self.robot.typing.place is not None)
    @rule()
    def finish(self) -> None:
        self._count("fields ended")
        self.robot.finish()

    @rule(key=st.sampled_from(MEANT_KEYS), turns=_TURNS)
    def press(self, key: str, turns: int) -> None:
        self._count("keys that were meant")
        self.robot.press(key, turns)

    @rule(key=st.sampled_from(("A", "A", "V", "X")), turns=_TURNS)
    def decide(self, key: str, turns: int) -> None:
        """The keys that a person presses most."""
        self.press(key, turns)

    @rule(act=st.sampled_from(ACTS), which=_FEW, turns=_TURNS)
    def beside(self, act: str, which: int, turns: int) -> None:
        self._count("acts of the other process")
        self.robot.let_act(act, which, turns)

    @rule(what=_FIELDS, before=_WORDS, act=st.sampled_from(TAKING), after=_WORDS, turns=_TURNS)
    def write_beside(self, what: str, before: list[str], act: str, after: list[str], turns: int) -> None:
        """What it is all about: a word is begun, something happens to what it is about, and it is ended."""
        self._count("letters of prose", len(before) + len(after))
        self._count("acts of the other process")
        self.robot.open(what)
        self.robot.type(before, turns)
        self.robot.let_act(act, self.robot.current_number(), turns)
        self.robot.type(after, turns)

    def teardown(self) -> None:
        if not hasattr(self, "robot"):
            return
        try:
            if not self.robot.is_surprised:
                self.robot.end()
                self.done["decisions"] += self.robot.decisions()
        finally:
            self.robot.rival.let_go()
            self.stage.close()

    def _count(self, what: str, times: int = 1) -> None:
        self.done[what] += times
        self.done["steps"] += 1
