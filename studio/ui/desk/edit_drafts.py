"""Drafts of edited results that are not in use.

A draft is never written: approving waits until it is used or discarded, because only what was on screen may
be written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from studio.engine.limits import BEGUN_LINE_CHARACTERS
from studio.engine.names import show_name
from studio.engine.plan import OPEN_PLAN_STATES, OPEN_STEP_STATES, Plan, Step, sha256
from studio.ui.actions.action import Action
from studio.ui.desk.guards import OWN_CHANGE_SECONDS
from studio.ui.desk.status_message import StatusMessage, Tone
from studio.ui.desk.typed_text import OpenedText, TypedDraft, text_to_use
from studio.ui.desk.unsent import BEGUN, BEGUN_ON, CHOICES, EDITED, USED, DraftKey
from studio.ui.desk.viewed import content_key
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.choices import Choices
    from studio.ui.desk.edited import EditedResults
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


@dataclass(frozen=True, slots=True)
class EditDraft:
    """Summary of a draft: where it first differs from its original.

    `line` counts from 1 and is 0 where unknown. `of_another` is true where the step changed since.
    """

    line: int
    excerpt: str
    of_another: bool


class EditDrafts(QObject):
    """All unused edit drafts of the project.

    An edited result of another version of its step counts as one.
    """

    changed = Signal()
    """A draft was stored or removed."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        shown: ShownStep,
        edited: EditedResults,
        choices: Choices,
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._shown, self._edited, self._choices = shown, edited, choices
        self._unsent = project.unsent
        self.open_place: DraftKey | None = None
        """Storage key of the open editor's text, None while none is open."""
        self._forgotten: dict[DraftKey, bytes] = {}
        self._parsed: tuple[bytes, TypedDraft, tuple[int, str]] = b"", TypedDraft(), (0, "")
        self._unsent.loaded.connect(self.changed)
        self.changed.connect(guards.allowed_changed)
        edited.changed.connect(self.changed)

    # Reading

    def has(self, plan: Plan, step: Step) -> bool:
        """Return whether the step has a draft.

        One that is in the open editor does not count.
        """
        if plan.state not in OPEN_PLAN_STATES or step.state not in OPEN_STEP_STATES:
            return False
        # Called for every step of a plan, and mostly there is no draft at all.
        if not self._unsent.has(EDITED):
            return False
        place = _begun_place(plan, step)
        if place == self.open_place:
            return False
        return bool(self._unsent.value(place)) or self._older(plan, step) is not None

    @property
    def steps(self) -> frozenset[tuple[str, int]]:
        """Plan id and number of every step with a draft."""
        begun = {(place.plan_id, place.step) for place in self._unsent.every(EDITED)}
        if not begun:
            return frozenset()
        return frozenset(
            (plan.id, step.number)
            for plan in self._queue.plans
            for step in plan.steps
            if (plan.id, step.number) in begun and self.has(plan, step)
        )

    def shown(self, plan: Plan, step: Step) -> EditDraft | None:
        """Return the summary of a step's draft, None without one."""
        if not self.has(plan, step):
            return None
        begun = self.begun(plan, step)
        if begun is None or begun.older is not None:
            return EditDraft(0, "", of_another=True)
        line, excerpt = self._parsed[2]
        used = self._edited.of(plan, step)
        would_write = sha256(used) if used is not None else step.result.sha256 if step.result else None
        # The combined result of a hunk selection is not known here.
        is_known = not self._choices.of(plan, step)
        return EditDraft(line, excerpt, of_another=is_known and begun.of != would_write)

    def begun(self, plan: Plan, step: Step) -> TypedDraft | None:
        """Return the draft an editor opens with, None for the current result."""
        place = _begun_place(plan, step)
        value = self._unsent.value(place)
        if not value:
            older = self._older(plan, step)
            return None if older is None else TypedDraft(older=older)
        if self._parsed[0] != value:
            kept: dict[str, Any] = json.loads(value)
            on = self._unsent.text(_begun_place(plan, step, BEGUN_ON))
            begun = TypedDraft(kept["text"], on, kept["of"], kept.get("asked", kept["line"]))
            self._parsed = value, begun, _first_difference(on, begun.text)
        return self._parsed[1]

    def texts_of(self, plan_id: str) -> list[str]:
        """Return all drafts of a plan, from editors and conflict views."""
        edited = (
            (place, value) for place, value in self._unsent.every(EDITED).items() if place.place == BEGUN
        )
        found = [json.loads(value)["text"] for place, value in edited if place.plan_id == plan_id]
        for place, value in self._unsent.every(CHOICES).items():
            if place.plan_id == plan_id:
                found += [text for _conflict, text in json.loads(value).get("begun", ())]
        return found

    @property
    def can_put_back(self) -> bool:
        """Whether the last discarded draft can be restored to the current step."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self.has(plan, step):
            return False
        return any((place.plan_id, place.step) == (plan.id, step.number) for place in self._forgotten)

    # Storing

    def keep(self, place: DraftKey, opened: OpenedText, text: str) -> None:
        """Store an editor's text, or delete the draft where nothing differs."""
        part = opened.part
        begun = {"of": sha256(part.like), "line": part.first_line, "asked": opened.asked, "text": text}
        changed = text != part.text
        self._unsent.keep(place, json.dumps(begun) if changed else "")
        on = DraftKey(place.plan_id, place.step, EDITED, BEGUN_ON)
        self._unsent.keep(on, part.text if changed else "")

    # Commands

    def use(self) -> None:
        """Make the draft the current step's result, rebased on its file.

        This decides nothing.
        """
        plan, step, contents = self._queue.current_plan, self._queue.current_step, self._shown.contents
        if plan is None or step is None or contents is None or self._guards.can(Action.USE_TEXT):
            return
        begun = self.begun(plan, step)
        if begun is None:
            return
        self._project.runner.call(
            partial(text_to_use, begun=begun),
            self._project.workspace, plan.id, step, contents, dict(self._choices.current.named),
            then=partial(self._used, plan, self._pressed(plan, step)), failed=self._project.report,
        )  # fmt: skip

    def forget(self) -> None:
        """Discard the current step's draft.

        It can be restored until another one is discarded.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.FORGET_TEXT):
            return
        begun = [_begun_place(plan, step), _begun_place(plan, step, BEGUN_ON)]
        places = begun if self._unsent.value(begun[0]) else [_begun_place(plan, step, USED)]
        self._forgotten = {place: self._unsent.value(place) for place in places}
        for place in places:
            self._unsent.keep(place, "")
        self._tell(self.tr("Forgot the text you began for {file}."), step)

    def put_back(self) -> None:
        """Restore the last discarded draft."""
        step = self._queue.current_step
        if step is None or self._guards.can(Action.PUT_BACK_TEXT):
            return
        forgotten, self._forgotten = self._forgotten, {}
        for place, value in forgotten.items():
            self._unsent.keep(place, value)
        self._tell(self.tr("The text you began for {file} is kept again."), step)

    def _used(self, plan: Plan, pressed: tuple[object, ...], content: bytes) -> None:
        """Use the text, unless the step or its drafts changed meanwhile."""
        step = self._queue.current_step
        now = self._queue.current_plan
        if now is None or step is None or now.id != plan.id or self._pressed(now, step) != pressed:
            sentence = self.tr("The step changed while you pressed. Your text is kept and was not used.")
            self._project.happened.emit(StatusMessage(sentence, Tone.WARNING))
            return
        self._edited.use(now, step, content)
        self._tell(self.tr("Your text is the result of {file} now. Look at it and decide."), step)

    def _pressed(self, plan: Plan, step: Step) -> tuple[object, ...]:
        """Return everything that the result of `use` depends on."""
        unsent = (_begun_place(plan, step), _begun_place(plan, step, USED))
        chosen = DraftKey(plan.id, step.number, CHOICES)
        values = (self._unsent.value(place) for place in (*unsent, chosen))
        return step.number, step.revision, step.state, self.has(plan, step), *values

    def _older(self, plan: Plan, step: Step) -> bytes | None:
        """Return a result edited on another version of the step, or None."""
        value = self._unsent.value(_begun_place(plan, step, USED))
        if not value or value.startswith(content_key(step).encode() + b"\n"):
            return None
        return value.partition(b"\n")[2]

    def _tell(self, sentence: str, step: Step) -> None:
        self._guards.input_guard.begin(OWN_CHANGE_SECONDS)
        name = show_name(words.split_path(step.target)[1])
        self._project.happened.emit(StatusMessage(say(sentence, file=name), Tone.NEWS))
        self.changed.emit()


def _begun_place(plan: Plan, step: Step, place: int = BEGUN) -> DraftKey:
    return DraftKey(plan.id, step.number, EDITED, place)


def _first_difference(before: str, after: str) -> tuple[int, str]:
    """Return the first differing line (from 1) and its start in `after`."""
    old, new = before.split("\n"), after.split("\n")
    same = sum(1 for _ in takewhile(bool, map(eq, old, new)))
    line = new[same] if same < len(new) else ""
    shown = line.strip()[:BEGUN_LINE_CHARACTERS]
    return same + 1, show_name(shown) + ("…" if len(line.strip()) > BEGUN_LINE_CHARACTERS else "")
