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
from studio.ui.desk.state import StatusMessage, Tone
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
        self.open_key: DraftKey | None = None
        """Storage key of the open editor's text, None while none is open."""
        self._discarded: dict[DraftKey, bytes] = {}
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
        key = _draft_key(plan, step)
        if key == self.open_key:
            return False
        return bool(self._unsent.value(key)) or self._older_result(plan, step) is not None

    @property
    def steps(self) -> frozenset[tuple[str, int]]:
        """Plan id and number of every step with a draft."""
        with_drafts = {(key.plan_id, key.step) for key in self._unsent.every(EDITED)}
        if not with_drafts:
            return frozenset()
        return frozenset(
            (plan.id, step.number)
            for plan in self._queue.plans
            for step in plan.steps
            if (plan.id, step.number) in with_drafts and self.has(plan, step)
        )

    def shown(self, plan: Plan, step: Step) -> EditDraft | None:
        """Return the summary of a step's draft, None without one."""
        if not self.has(plan, step):
            return None
        draft = self.draft_of(plan, step)
        if draft is None or draft.older is not None:
            return EditDraft(0, "", of_another=True)
        line, excerpt = self._parsed[2]
        edited = self._edited.of(plan, step)
        would_write = sha256(edited) if edited is not None else step.result.sha256 if step.result else None
        # The combined result of a hunk selection is not known here.
        is_comparable = not self._choices.of(plan, step)
        return EditDraft(line, excerpt, of_another=is_comparable and draft.of != would_write)

    def draft_of(self, plan: Plan, step: Step) -> TypedDraft | None:
        """Return the draft an editor opens with, None for the current result."""
        key = _draft_key(plan, step)
        value = self._unsent.value(key)
        if not value:
            older_result = self._older_result(plan, step)
            return None if older_result is None else TypedDraft(older=older_result)
        if self._parsed[0] != value:
            stored: dict[str, Any] = json.loads(value)
            original = self._unsent.text(_draft_key(plan, step, BEGUN_ON))
            draft = TypedDraft(stored["text"], original, stored["of"], stored.get("asked", stored["line"]))
            self._parsed = value, draft, _first_difference(original, draft.text)
        return self._parsed[1]

    def texts_of(self, plan_id: str) -> list[str]:
        """Return all drafts of a plan, from editors and conflict views."""
        edited = ((key, value) for key, value in self._unsent.every(EDITED).items() if key.place == BEGUN)
        texts = [json.loads(value)["text"] for key, value in edited if key.plan_id == plan_id]
        for key, value in self._unsent.every(CHOICES).items():
            if key.plan_id == plan_id:
                texts += [text for _conflict, text in json.loads(value).get("begun", ())]
        return texts

    @property
    def can_restore_discarded(self) -> bool:
        """Whether the last discarded draft can be restored to the current step."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self.has(plan, step):
            return False
        return any((key.plan_id, key.step) == (plan.id, step.number) for key in self._discarded)

    # Storing

    def keep(self, key: DraftKey, opened: OpenedText, text: str) -> None:
        """Store an editor's text, or delete the draft where nothing differs."""
        part = opened.part
        draft = {
            "of": sha256(part.like),
            "line": part.first_line,
            "asked": opened.requested_line,
            "text": text,
        }
        changed = text != part.text
        self._unsent.keep(key, json.dumps(draft) if changed else "")
        original_key = DraftKey(key.plan_id, key.step, EDITED, BEGUN_ON)
        self._unsent.keep(original_key, part.text if changed else "")

    # Commands

    def use(self) -> None:
        """Make the draft the current step's result, rebased on its file.

        This decides nothing.
        """
        plan, step, contents = self._queue.current_plan, self._queue.current_step, self._shown.contents
        if plan is None or step is None or contents is None or self._guards.can(Action.USE_TEXT):
            return
        draft = self.draft_of(plan, step)
        if draft is None:
            return
        self._project.runner.call(
            partial(text_to_use, draft=draft),
            self._project.workspace, plan.id, step, contents, dict(self._choices.current.named),
            then=partial(self._use_text, plan, self._draft_state(plan, step)), failed=self._project.report,
        )  # fmt: skip

    def forget(self) -> None:
        """Discard the current step's draft.

        It can be restored until another one is discarded.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.DISCARD_TEXT):
            return
        draft_keys = [_draft_key(plan, step), _draft_key(plan, step, BEGUN_ON)]
        keys = draft_keys if self._unsent.value(draft_keys[0]) else [_draft_key(plan, step, USED)]
        self._discarded = {key: self._unsent.value(key) for key in keys}
        for key in keys:
            self._unsent.keep(key, "")
        self._report(self.tr("Forgot the text you began for {file}."), step)

    def restore_discarded(self) -> None:
        """Restore the last discarded draft."""
        step = self._queue.current_step
        if step is None or self._guards.can(Action.RESTORE_TEXT):
            return
        discarded, self._discarded = self._discarded, {}
        for key, value in discarded.items():
            self._unsent.keep(key, value)
        self._report(self.tr("The text you began for {file} is kept again."), step)

    def _use_text(self, plan: Plan, state_before: tuple[object, ...], content: bytes) -> None:
        """Use the text, unless the step or its drafts changed meanwhile."""
        step = self._queue.current_step
        current_plan = self._queue.current_plan
        if (
            current_plan is None
            or step is None
            or current_plan.id != plan.id
            or self._draft_state(current_plan, step) != state_before
        ):
            sentence = self.tr("The step changed while you pressed. Your text is kept and was not used.")
            self._project.status_reported.emit(StatusMessage(sentence, Tone.WARNING))
            return
        self._edited.use(current_plan, step, content)
        self._report(self.tr("Your text is the result of {file} now. Look at it and decide."), step)

    def _draft_state(self, plan: Plan, step: Step) -> tuple[object, ...]:
        """Return everything that the result of `use` depends on."""
        draft_keys = (_draft_key(plan, step), _draft_key(plan, step, USED))
        selection_key = DraftKey(plan.id, step.number, CHOICES)
        values = (self._unsent.value(key) for key in (*draft_keys, selection_key))
        return step.number, step.revision, step.state, self.has(plan, step), *values

    def _older_result(self, plan: Plan, step: Step) -> bytes | None:
        """Return a result edited on another version of the step, or None."""
        value = self._unsent.value(_draft_key(plan, step, USED))
        if not value or value.startswith(content_key(step).encode() + b"\n"):
            return None
        return value.partition(b"\n")[2]

    def _report(self, sentence: str, step: Step) -> None:
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        name = show_name(words.split_path(step.target)[1])
        self._project.status_reported.emit(StatusMessage(say(sentence, file=name), Tone.NEWS))
        self.changed.emit()


def _draft_key(plan: Plan, step: Step, place: int = BEGUN) -> DraftKey:
    return DraftKey(plan.id, step.number, EDITED, place)


def _first_difference(before: str, after: str) -> tuple[int, str]:
    """Return the first differing line (from 1) and its start in `after`."""
    old, new = before.split("\n"), after.split("\n")
    same = sum(1 for _ in takewhile(bool, map(eq, old, new)))
    line = new[same] if same < len(new) else ""
    shown = line.strip()[:BEGUN_LINE_CHARACTERS]
    return same + 1, show_name(shown) + ("…" if len(line.strip()) > BEGUN_LINE_CHARACTERS else "")
