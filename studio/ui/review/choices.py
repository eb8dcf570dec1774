"""Reviewer's selection of hunks and lines, and computation of the resulting content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import HunkChoice, Plan, Step, StepState
from studio.journal.file_image import sha256
from studio.text import Forms, TextForm, describe
from studio.ui.actions.action import Action
from studio.ui.diff.model.prepared import form_of, line_total
from studio.ui.review.unsent import (
    CHOICES,
    DraftKey,
    format_choices,
    parse_choices,
)
from studio.ui.review.viewed import content_key
from studio.values import Value

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.shown_step import EditedResults, ShownStep


class Choices(QObject):
    """The reviewer's hunk selection, stored as a draft.

    An edited result replaces it.
    """

    changed = Signal()
    """The result of the current step changed."""

    def __init__(
        self, project: Project, queue: Queue, guards: Guards, shown: ShownStep, edited: EditedResults
    ) -> None:
        super().__init__(project)
        self._queue, self._guards, self._shown, self._edited = queue, guards, shown, edited
        self._unsent = project.unsent
        self._cached_for: object = None
        self._cached = HunkChoices(), False
        edited.changed.connect(self.changed)
        self.changed.connect(guards.allowed_changed)

    @property
    def are_edited(self) -> bool:
        """Whether an edited result replaces the selection."""
        return self._edited.current is not None

    @property
    def current(self) -> HunkChoices:
        """The current step's selection by hunk number.

        Once the step is decided, that of its decision.
        """
        return self._read()[0]

    @property
    def replace_proposal(self) -> bool:
        """Whether a selection or edit replaces the current step's proposal."""
        return self._read()[1]

    def _read(self) -> tuple[HunkChoices, bool]:
        plan, step = self._queue.current_plan, self._queue.current_step
        # Not the plan: equal ones that were read anew would be compared step by step.
        key = plan and plan.id, step, self._unsent.revision
        # Read many times for every key press, and a decision may name a million hunks.
        if self._cached_for != key:
            choices = HunkChoices() if plan is None or step is None else self._select(plan, step)
            is_edited = step is not None and step.decision is not None and step.decision.edited
            self._cached_for = key
            self._cached = choices, is_edited or self.are_edited or bool(choices.named)
        return self._cached

    def _select(self, plan: Plan, step: Step) -> HunkChoices:
        if self.are_edited:
            return HunkChoices()
        if step.decision is not None and step.state is not StepState.PENDING:
            return HunkChoices(len(step.hunks), {} if step.decision.edited else step.decision.choices)
        return HunkChoices(len(step.hunks), self.of(plan, step))

    def of(self, plan: Plan, step: Step) -> Choice:
        """Return the draft selection of a step, partial hunks only."""
        value = self._unsent.value(DraftKey(plan.id, step.number, CHOICES))
        return parse_choices(value, content_key(step))

    def toggle_hunk(self, number: int) -> None:
        """Exclude a hunk of the current step, or include it again."""
        self.choose(number, self.current.get(number, True) is False)

    def toggle_lines(self, number: int, lines: frozenset[int]) -> None:
        """Exclude changed lines (from 1) of a hunk, or include them again.

        They are included if any of them is excluded.
        """
        if self._shown.diff is None:
            return
        all_lines = frozenset(range(1, self._shown.diff.hunks[number - 1].changed_lines + 1))
        before = self.current.get(number, True)
        included = before if not isinstance(before, bool) else all_lines if before else frozenset[int]()
        after = included - lines if lines <= included else included | lines
        self.choose(number, True if after == all_lines else after or False)

    def choose_only(self, number: int, lines: frozenset[int] | None) -> None:
        """Include only this hunk, or only its changed lines `lines` (from 1).

        Where that is the selection already, include everything again.
        """
        plan, step, diff = self._queue.current_plan, self._queue.current_step, self._shown.diff
        if plan is None or step is None or diff is None or self._guards.can(Action.ONLY_THIS):
            return
        all_lines = frozenset(range(1, diff.hunks[number - 1].changed_lines + 1))
        included = True if lines is None or lines == all_lines else lines
        only: dict[int, HunkChoice] = {
            **dict.fromkeys(range(1, len(step.hunks) + 1), False),
            number: included,
        }
        is_selected = HunkChoices(len(step.hunks), only) == self.current
        chosen: Choice = {} if is_selected else only
        self._unsent.store(self._queue.draft_key(CHOICES), format_choices(content_key(step), chosen))
        self.changed.emit()

    def choose(self, number: int, choice: HunkChoice) -> None:
        """Set what a hunk contributes: all, nothing, or changed lines (from 1)."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.TOGGLE_HUNK):
            return
        chosen = {**self.of(plan, step), number: choice}
        self._unsent.store(self._queue.draft_key(CHOICES), format_choices(content_key(step), chosen))
        self.changed.emit()

    @property
    def key(self) -> str:
        """Key of what would be written: revision, selection and edited result."""
        step = self._queue.current_step
        if step is None:
            return ""
        edited = self._edited.current
        parts = [] if edited is None else [sha256(edited)]
        parts += [
            f"{number}={choice if isinstance(choice, bool) else sorted(choice)}"
            for number, choice in sorted(self.current.named.items())
        ]
        return "/".join((step.revision, *parts))


# Sparse selection of hunks; a step may have a million.

Choice = Mapping[int, HunkChoice]


class HunkChoices(Choice):
    """Mapping of hunk number (from 1) to its selection.

    `named` holds those that are not included whole.
    """

    __slots__ = ("_hunks", "named")

    def __init__(self, hunks: int = 0, chosen: Choice = MappingProxyType({})) -> None:
        self._hunks = hunks
        self.named: Choice = {
            number: choice for number, choice in chosen.items() if choice is not True and 0 < number <= hunks
        }

    @property
    def is_nothing(self) -> bool:
        """Whether there are hunks and all are excluded."""
        return 0 < self._hunks == len(self.named) and not any(self.named.values())

    def __getitem__(self, number: int) -> HunkChoice:
        if not 0 < number <= self._hunks:
            raise KeyError(number)
        return self.named.get(number, True)

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self._hunks + 1))

    def __len__(self) -> int:
        return self._hunks


class Outcome(Value):
    """Step with its effective result, text forms and line counts.

    A count is None for a side that is no text or does not exist.
    """

    step: Step
    forms: Forms
    lines: tuple[int | None, int | None] = (None, None)

    def of(self, step: Step) -> Step:
        """Return the current step with this result, its counts and facts."""
        facts = (*without_byte_facts(step).facts, *(f for f in self.step.facts if f.is_about_bytes))
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
        return without_byte_facts(step) if self._choices.replace_proposal else step

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
        choices = self._choices
        if choices.current.named or (not choices.replace_proposal and outcome.step.result == step.result):
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
    proposed = step.result.sha256 if step.result is not None else None
    content = shown
    if chosen and shown is not None and sha256(shown) == proposed:
        content = engine.choose(base or b"", shown, chosen, setting)
    # The shown sides have cached forms; the result of a selection does not.
    result_form = (
        form_of(shown, setting) if content is shown or content is None else describe(content, setting)
    )
    forms = Forms(form_of(base, setting), result_form)
    if content is not None and proposed is not None and sha256(content) != proposed:
        step = engine.with_result(step, base, content, setting, forms=forms)
    sides = ((base, forms.base), (content, forms.result))
    lines = (
        line_total(data, form) if data is not None and isinstance(form, TextForm) else None
        for data, form in sides
    )
    before, after = lines
    return Outcome(step, forms, (before, after))


def without_byte_facts(step: Step) -> Step:
    """Return the step without facts about its bytes, not yet computed."""
    return replace(step, facts=tuple(fact for fact in step.facts if not fact.is_about_bytes))
