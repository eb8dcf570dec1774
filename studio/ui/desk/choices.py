"""Selection of the hunks and lines to include of the current step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.plan import HunkChoice, Plan, Step, StepState, sha256
from studio.ui.actions.action import Action
from studio.ui.desk.unsent import CHOICES, DraftKey, format_choices, parse_choices
from studio.ui.desk.viewed import content_key

if TYPE_CHECKING:
    from studio.ui.desk.edited import EditedResults
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


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
        self._cache: tuple[object, HunkChoices] | None = None
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
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self.are_edited:
            return HunkChoices()
        if step.decision is not None and step.state is not StepState.PENDING:
            if step.decision.edited:
                return HunkChoices()
            decision = step.decision
            return self._cached((step, decision), lambda: HunkChoices(len(step.hunks), decision.choices))
        value = self._unsent.value(DraftKey(plan.id, step.number, CHOICES))
        return self._cached((step, value), lambda: HunkChoices(len(step.hunks), self.of(plan, step)))

    def _cached(self, key: object, make: Callable[[], HunkChoices]) -> HunkChoices:
        # Read many times for every key press, and a decision may name a million hunks.
        if self._cache is None or self._cache[0] != key:
            self._cache = key, make()
        return self._cache[1]

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
        self._unsent.keep(self._queue.draft_key(CHOICES), format_choices(content_key(step), chosen))
        self.changed.emit()

    def choose(self, number: int, choice: HunkChoice) -> None:
        """Set what a hunk contributes: all, nothing, or changed lines (from 1)."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.TOGGLE_HUNK):
            return
        chosen = {**self.of(plan, step), number: choice}
        self._unsent.keep(self._queue.draft_key(CHOICES), format_choices(content_key(step), chosen))
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
