"""The robot before the window: it looks, opens fields, types prose, and presses keys that it means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from studio.engine.plan import PersonSource, Plan, Verdict
from tests.lab.robot.keys import NO_PROSE, OPENERS, SIGNS
from tests.lab.robot.looking import PlanStep
from tests.lab.robot.model import Model, Place
from tests.lab.robot.rival import Rival
from tests.lab.robot.stage import Stage

LONGER_THAN_KEYS_ARE_DEAD = 1.1
LONGEST_PAUSE = 0.9
BETWEEN_LETTERS = 0.15
"""Seconds of the window's clock."""

WATCHES = frozenset({"ran", "went"})
"""What may be watched beside what is made: actions that prose runs, and that the window goes elsewhere."""


class Surprise(AssertionError):
    """Something happened that no key was pressed for."""


@dataclass
class Typing:
    """What the person believes to type into; `place` is None for what is not kept, or no field at all."""

    where: str
    widget: str
    place: Place | None
    began_at: tuple[str, int | None]


class Robot:
    """Knows what it pressed and what it saw, and compares that with what has become of it."""

    def __init__(self, stage: Stage, watches: frozenset[str]) -> None:
        self.stage = stage
        self._watches = watches
        self.rival = Rival(stage)
        self.typing: Typing | None = None
        self.told: list[str] = []
        self.is_surprised = False
        self._pressed_at = stage.clock()
        self.model = Model(stage.looker.look())

    # Comparing

    def check(self, *, prose: str = "") -> None:
        """Raise Surprise when something is there that nobody made; `prose` is what was typed just now."""
        faults = self.model.faults(self.stage.looker.look())
        faults += self.stage.take_complaints()
        ran, self.stage.ran[:] = list(self.stage.ran), []
        if prose and "ran" in self._watches:
            faults += [f"{prose!r}, typed as prose, ran {action}" for action in ran]
        if self.typing is not None and "went" in self._watches:
            faults += self._gone_under_the_hands(self.typing)
        if faults:
            self.is_surprised = True
            raise Surprise("\n".join([*self.told, *(f"SURPRISE: {fault}" for fault in faults)]))

    def _gone_under_the_hands(self, typing: Typing) -> list[str]:
        """Whether the page, or the field that was opened, is another one than it was."""
        gone: list[str] = []
        place, field = self.stage.person.place, _text_field()
        if typing.began_at[0] and place[0] and place != typing.began_at:
            gone.append(f"the window went to {self._name(*place)} under the hands")
        if typing.widget and (field is None or field.objectName() != typing.widget):
            gone.append(f"{typing.where} was closed under the hands")
        return gone

    def tell(self, line: str) -> None:
        self.told.append(line)

    # Looking and moving

    def look(self) -> None:
        """Leave what is typed in, wait until nothing is dead, and see that nothing happened by itself."""
        stage = self.stage
        stage.rest()
        self.check()
        self.typing = None
        for _ in range(5):
            if _text_field() is None:
                break
            stage.person.press("Escape")
            stage.rest()
        stage.pass_time(LONGER_THAN_KEYS_ARE_DEAD)
        stage.rest()
        self.check()
        # An unsent text that a locked store did not take is tried again later.
        if stage.runner.is_idle and stage.desk.project.unsent.is_stored():
            self.model.forget_what_may()

    def look_at(self, which: int, number: int) -> None:
        """Press a row of the queue: of a plan, or of one of its steps."""
        stage, queue = self.stage, self.stage.person.panes.queue
        self.look()
        plans = stage.desk.queue.plans
        if not plans:
            return
        plan = plans[which % len(plans)]
        step = number % (len(plan.steps) + 1) or None
        index = queue.model.index_of(plan.id, step)
        if not index.isValid() or not queue.view.visualRect(index).isValid():
            return
        self.tell(f"looks at {self._name(plan.id, step)}")
        stage.person.click_row(queue.view, index)
        stage.pass_time(LONGER_THAN_KEYS_ARE_DEAD)
        stage.rest()
        self.check()

    # Prose

    def open(self, what: str) -> None:
        """Press the key that opens a field where the person is, whether or not it does so."""
        self.look()
        stage, opener = self.stage, OPENERS[what]
        plan, step = stage.person.place
        stage.ran.clear()
        self._press(opener.key)
        stage.rest()
        is_off = not stage.ran
        stage.ran.clear()
        field = _text_field()
        place: Place | None = None
        if field is not None and field.objectName() == opener.widget:
            place = (plan, 0 if opener.of_plan else step or 0, opener.kind)
            if isinstance(field, QPlainTextEdit) and opener.kind == "edited":
                self.model.began_editing((plan, step or 0), field.toPlainText())
        opened = "which opens" if field is not None else "which is off" if is_off else "which opens nothing"
        self.tell(f"presses {opener.key} for {what} on {self._name(plan, step)}, {opened}")
        widget = field.objectName() if field is not None else ""
        if field is not None or is_off:
            self.typing = Typing(what, widget, place, stage.person.place)
        self.check()

    def type(self, keys: Iterable[str], turns: int) -> None:
        """Type a word of prose, and let the window do so many things between its letters."""
        typing, word = self.typing, list(keys)
        if typing is None or not word:
            return
        self.tell(f"types {' '.join(word)}" + (f", {turns} turns after each" if turns else ""))
        for key in word:
            if key in NO_PROSE.get(typing.place[2] if typing.place is not None else typing.widget, ()):
                continue
            if typing.place is not None:
                self.model.typed(typing.place, SIGNS.get(key, key[-1] if "+" in key else key.lower()))
            self.stage.pass_time(BETWEEN_LETTERS)
            if self.stage.clock() - self._pressed_at > LONGEST_PAUSE and _text_field() is None:
                self.tell("the rest is not typed: after such a pause keys are meant again")
                self.typing = None
                return
            self._press(key)
            self.stage.go_on(turns)
            self.check(prose=key)

    def _press(self, key: str) -> None:
        self._pressed_at = self.stage.clock()
        self.stage.person.press(key)

    def finish(self) -> None:
        """Ctrl+Enter, meant for the field that was opened."""
        typing = self.typing
        if typing is None or typing.place is None:
            return
        self.tell(f"presses Ctrl+Return to end {typing.where}")
        plan_id, number, kind = typing.place
        field = _text_field()
        plan = self._plan(plan_id)
        if field is not None and field.objectName() == typing.widget and plan is not None:
            if kind == "reason" and number:
                self._mean([(plan_id, number)], Verdict.REJECT)
            elif kind == "reason":
                self._mean([(plan_id, step.number) for step in plan.steps], Verdict.REQUEST_CHANGES)
        self.typing = None
        self.stage.person.press("Ctrl+Return")
        self.stage.go_on(1)
        self.check()

    # Keys that are meant

    def press(self, key: str, turns: int) -> None:
        """Look, then press a key for what is on screen."""
        self.look()
        stage = self.stage
        plan_id, number = stage.person.place
        self.tell(f"presses {key} on {self._name(plan_id, number)}")
        plan = self._plan(plan_id)
        if plan is not None:
            self._allow(key, plan, number)
        preview = stage.desk.rollback.preview
        if key == "Ctrl+Shift+Return" and preview is not None:
            # Apply's key carries out the rollback that is on show.
            self.model.may.write |= {file.path for file in preview.files}
            self.model.took_back([(preview.plan.id, step.number) for step in preview.plan.steps])
        if key == "Ctrl+Alt+Z":
            self._allow_undo()
        elif key == "Y":
            self.model.may.copy = True  # where nothing waits, about what was applied last
        stage.person.press(key)
        stage.go_on(turns)
        self.check()

    def _allow(self, key: str, plan: Plan, number: int | None) -> None:
        """What a key may change where it is pressed."""
        may = self.model.may
        here = (plan.id, number or 0)
        # On the page of a whole plan these keys are about its ticked steps.
        ticked = [(plan.id, each) for each in self.stage.desk.ticked.numbers] if number is None else []
        if key == "A" and number is not None:
            self._mean([here], Verdict.APPROVE)
        elif key in ("V", "D", "Space"):
            may.view |= {here, *ticked}
        elif key == "X":
            self.model.chose(here)
            self._mean(ticked, Verdict.REJECT)
        elif key == "Z":
            steps = [number] if number is not None else [step.number for step in plan.steps]
            self.model.took_back([(plan.id, step) for step in steps])
        elif key == "Ctrl+Shift+Return":
            may.write |= {step.target for step in plan.approved}

    def _allow_undo(self) -> None:
        """It takes back what was written last, or decided last."""
        desk, may = self.stage.desk, self.model.may
        if desk.undo.undoable is not None:
            may.write |= {step.target for step in desk.undo.undoable.plan.steps}
        self.model.took_back([(plan.id, step.number) for plan in desk.queue.plans for step in plan.steps])

    def _mean(self, steps: list[PlanStep], verdict: Verdict) -> None:
        shown = {
            (plan.id, step.number): step.result.sha256 if step.result is not None else None
            for plan in self.stage.desk.queue.plans
            for step in plan.steps
        }
        self.model.meant(steps, verdict, shown)

    # The other process

    def let_act(self, act: str, which: int, turns: int) -> None:
        """Let the other process act; the window learns of it in the turns that follow."""
        stage = self.stage
        self.check()
        if stage.is_threaded:
            stage.rest()
            self.check()
        told = self.rival.act(act, which)
        self.model.adopt(stage.looker.look())
        if not told:
            return
        self.tell(f"OTHER PROCESS {told}" + (f", {turns} turns" if turns else ""))
        stage.notify()
        stage.go_on(turns)
        self.check()

    def end(self) -> None:
        """Undo what the other process did to the place, and look a last time."""
        self.rival.let_go()
        if self.rival.come_back():
            self.model.adopt(self.stage.looker.look())
        self.stage.notify()
        self.look()

    def current_number(self) -> int:
        """The number of the current plan, for the other process."""
        plans = list(self.model.known.plans)
        here = self.stage.person.place[0]
        return plans.index(here) if here in plans else 0

    def decisions(self) -> int:
        """How many decisions of this person stand."""
        return sum(made.by is PersonSource.WINDOW for made in self.model.known.decisions.values())

    def _plan(self, plan_id: str) -> Plan | None:
        return next((plan for plan in self.stage.desk.queue.plans if plan.id == plan_id), None)

    def _name(self, plan_id: str, number: int | None) -> str:
        plan = self._plan(plan_id)
        title = plan.title if plan is not None else "nothing"
        return f"step {number} of {title}" if number else title


def _text_field() -> QWidget | None:
    """The text field that has the keyboard."""
    focused = QApplication.focusWidget()
    if isinstance(focused, (QLineEdit, QPlainTextEdit, QTextEdit)) and not focused.isReadOnly():
        return focused
    return None
