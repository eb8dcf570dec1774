"""Effective result of the current step: what approving it would write.

Facts stored with a step describe the proposal; the reviewer may have excluded hunks or edited it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import Step, sha256
from studio.engine.risks import OF_THE_BYTES
from studio.engine.text import Forms, TextForm, describe

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.ui.desk.choices import Choice, Choices
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


@dataclass(frozen=True, slots=True)
class Outcome:
    """Step with its effective result, text forms and line counts.

    A count is None for a side that is no text or does not exist.
    """

    step: Step
    forms: Forms
    lines: tuple[int | None, int | None] = (None, None)

    def of(self, step: Step) -> Step:
        """Return the current step with this result, its counts and facts."""
        facts = (*without_byte_facts(step).facts, *(f for f in self.step.facts if f.kind in OF_THE_BYTES))
        return replace(
            step, result=self.step.result, added=self.step.added, removed=self.step.removed, facts=facts
        )


class Outcomes(QObject):
    """Computation of the effective result, one run at a time.

    It runs again whenever something else would be written.
    """

    changed = Signal()

    def __init__(self, project: Project, queue: Queue, shown: ShownStep, choices: Choices) -> None:
        super().__init__(project)
        self._project, self._queue, self._shown, self._choices = project, queue, shown, choices
        self._contents_key = ""
        self._key = ""
        self._outcome: Outcome | None = None
        self._is_computing = False
        shown.changed.connect(self._update_contents_key)
        choices.changed.connect(self._compute)

    def step(self) -> Step | None:
        """Return the current step with its effective result, as far as computed."""
        step, latest = self._queue.current_step, self.latest
        if step is None:
            return None
        if latest is not None:
            return latest.of(step)
        return without_byte_facts(step) if self.is_other else step

    @property
    def is_other(self) -> bool:
        """Whether a selection or edit replaces the proposal."""
        step = self._queue.current_step
        if step is None:
            return False
        is_edited = step.decision is not None and step.decision.edited
        return self._choices.are_edited or is_edited or bool(self._choices.current.named)

    @property
    def current(self) -> Outcome | None:
        """The outcome of exactly what is shown; None until computed."""
        return self._outcome if self._key == self._choices.key else None

    @property
    def latest(self) -> Outcome | None:
        """The current outcome, or during a selection the last one.

        An earlier selection's outcome avoids flicker.
        """
        step, outcome = self._queue.current_step, self._outcome
        if step is None or outcome is None or outcome.step.id != step.id or outcome.step.base != step.base:
            return None
        if self._choices.current.named or (not self.is_other and outcome.step.result == step.result):
            return outcome
        return self.current

    def _update_contents_key(self) -> None:
        self._contents_key = self._key_of_contents()
        self._compute()

    def _key_of_contents(self) -> str:
        """Return the key that the shown contents must have.

        Those held may still be of what was shown before.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        return self._shown.key_of(plan, step) if plan is not None and step is not None else ""

    def _compute(self) -> None:
        step, shown, choices = self._queue.current_step, self._shown, self._choices
        contents, key = shown.contents, choices.key
        if self._is_computing or step is None or contents is None or shown.is_head or key == self._key:
            return
        if self._contents_key != self._key_of_contents():
            return
        result = contents.result
        if step.decision is not None and step.decided_sha256 is not None and contents.decided is not None:
            result = contents.decided
        self._is_computing = True
        self._project.runner.compute(
            compute_outcome, step, contents.base, result, choices.current.named, contents.setting,
            then=partial(self._set_outcome, key), failed=partial(self._report_failure, key),
        )  # fmt: skip

    def _set_outcome(self, key: str, outcome: Outcome) -> None:
        self._is_computing = False
        self._key, self._outcome = key, outcome
        self.changed.emit()
        self._compute()

    def _report_failure(self, key: str, error: StudioError) -> None:
        self._is_computing = False
        # Retried only when something else would be written.
        self._key, self._outcome = key, None
        self.changed.emit()
        self._project.runner.unexpected_error.emit(error)


def compute_outcome(
    step: Step, base: bytes | None, shown: bytes | None, chosen: Choice, setting: str | None
) -> Outcome:
    """Return the outcome for a shown result and a hunk selection.

    `chosen` selects from the hunks of `shown`. Takes time for large files: not for the UI thread.
    """
    from studio.engine.reviewer import with_result
    from studio.ui.diff.model.prepared import form_of, line_total

    proposed = step.result.sha256 if step.result is not None else None
    content = shown
    if chosen and shown is not None and sha256(shown) == proposed:
        from studio.engine.diff import choose

        content = choose(base or b"", shown, chosen, setting)
    # The shown sides have cached forms; the result of a selection does not.
    result_form = (
        form_of(shown, setting) if content is shown or content is None else describe(content, setting)
    )
    forms = Forms(form_of(base, setting), result_form)
    if content is not None and proposed is not None and sha256(content) != proposed:
        step = with_result(step, base, content, setting, forms=forms)
    sides = ((base, forms.base), (content, forms.result))
    lines = (
        line_total(data, form) if data is not None and isinstance(form, TextForm) else None
        for data, form in sides
    )
    before, after = lines
    return Outcome(step, forms, (before, after))


def without_byte_facts(step: Step) -> Step:
    """Return the step without facts about its bytes, not yet computed."""
    return replace(step, facts=tuple(fact for fact in step.facts if fact.kind not in OF_THE_BYTES))
