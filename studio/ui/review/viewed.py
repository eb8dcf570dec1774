"""Viewed marks, and files that an agent revised after that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine import Plan, PlanState, Step, StepState
from studio.journal.file_image import FileImage
from studio.ui.review.unsent import VIEWED, DraftKey

if TYPE_CHECKING:
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue

ViewedMark = tuple[str, int, str]
"""Plan id, step number, and key of the contents that were viewed."""

_MARK, _SEEN, _BEFORE = 0, 1, 2
"""Places of viewed marks, of the result that was seen last, and of the one before it."""
_NO_FILE = "-"
_ENDED = frozenset({PlanState.CHANGES_REQUESTED, PlanState.REJECTED, PlanState.CANCELLED})
"""States of plans whose agent may propose the same files again."""


def content_key(step: Step) -> str:
    """Return the key of a step's contents: hashes, and a changed mode."""
    base = step.base.sha256 if step.base is not None else None
    return f"{base or ''}>{_identity(step, step.result)}"


def _identity(step: Step, image: FileImage | None) -> str:
    """Return a result's hash, and its mode where unusual.

    Usual is that of the base, or that of a plain file; without it, marks of older builds still match.
    """
    if image is None:
        return ""
    usual = step.base.git_mode if step.base is not None else "100644"
    return (image.sha256 or "") + (f":{image.git_mode}" if image.git_mode != usual else "")


def viewed_mark(plan: Plan, step: Step) -> ViewedMark:
    """Return the mark of a step's present contents."""
    return plan.id, step.number, content_key(step)


def _proposed(step: Step) -> str:
    """Return the identity of the result as its agent proposed it.

    A rebase by the reviewer is no revision.
    """
    image = step.result if step.rebased_from is None else step.rebased_from.after
    return _identity(step, image) or _NO_FILE


class Viewed(QObject):
    """Viewed marks and seen results of the project, stored like drafts.

    A step counts as seen once it was painted. Where its agent proposes another result after that, in the same
    plan or after it was closed without being applied, the step is revised until the reviewer accepts it.
    """

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._unsent = project.unsent
        self.marks: frozenset[ViewedMark] = frozenset()
        self.revised: frozenset[tuple[str, int]] = frozenset()
        """Plan id and number of the undecided steps that were revised."""
        self._seen: dict[tuple[str, int], str] = {}
        """Result of each step that was seen last."""
        self._seen_earlier: dict[tuple[str, str], tuple[datetime, str]] = {}
        """Time of the plan and result seen last in ended plans, by agent and path."""
        # Connected before the queue, so that its listeners find the marks.
        self._unsent.loaded.connect(self._read)

    def follow(self, queue: Queue) -> None:
        """Find revised steps with each state of the queue."""
        self._queue = queue
        queue.plans_changed.connect(self._find_revised)

    def has(self, plan: Plan, step: Step) -> bool:
        """Return whether these contents of the step were viewed."""
        return viewed_mark(plan, step) in self.marks

    def set_viewed(self, plan: Plan, step: Step, viewed: bool) -> bool:
        """Set or clear a mark; return whether it changed."""
        return self.set_all_viewed(plan, (step,), viewed=viewed)

    def set_all_viewed(self, plan: Plan, steps: Iterable[Step], *, viewed: bool) -> bool:
        """Set or clear several marks; return whether any changed.

        A mark accepts what its agent revised.
        """
        changed_steps = [
            step for step in steps if viewed != self.has(plan, step) or (viewed and self._differs(plan, step))
        ]
        values = {
            DraftKey(plan.id, step.number, VIEWED, _MARK): content_key(step).encode() if viewed else b""
            for step in changed_steps
        }
        for step in changed_steps if viewed else ():
            values |= self._accepted(plan, step)
        self._unsent.store_all(values)
        if changed_steps:
            self._read()
        return bool(changed_steps)

    # Results seen, and revised since

    def is_seen(self, plan: Plan, step: Step) -> bool:
        """Return whether this result was on screen, and accepted if revised."""
        return self._seen.get((plan.id, step.number)) == _proposed(step)

    def is_revised(self, plan: Plan, step: Step) -> bool:
        """Return whether its agent revised an undecided step since."""
        if step.state not in (StepState.PENDING, StepState.STALE) or not plan.state.is_open:
            return False
        return plan.is_proposal and self._differs(plan, step)

    def revised_at(self, plan: Plan, step: Step) -> datetime | None:
        """Return when a revised step was proposed.

        None where an older build stored the revision.
        """
        is_new = (plan.id, step.number) not in self._seen
        return step.revised or (plan.created if is_new else None)

    def result_before(self, plan: Plan, step: Step) -> str | None:
        """Return the hash of the other result that was seen last.

        "" is no file, None where no other one was seen.
        """
        found = self._last_seen(plan, step)
        if found in (None, _proposed(step)):
            found = self._unsent.text(DraftKey(plan.id, step.number, VIEWED, _BEFORE))
        return None if found in ("", _proposed(step)) else found.partition(":")[0].replace(_NO_FILE, "")

    def note_painted(self) -> None:
        """Record that the current step is on screen, unless it was revised."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or (plan.id, step.number) in self._seen or self._differs(plan, step):
            return
        seen = self._seen[plan.id, step.number] = _proposed(step)
        self._unsent.store_later(DraftKey(plan.id, step.number, VIEWED, _SEEN), seen.encode())

    def accept(self, plan: Plan, step: Step) -> None:
        """Record that the reviewer knows of the revision of a step."""
        if self._differs(plan, step):
            self._unsent.store_all(self._accepted(plan, step))
            self._read()
            self._queue.plans_changed.emit()

    def _accepted(self, plan: Plan, step: Step) -> Mapping[DraftKey, bytes]:
        if not self._differs(plan, step):
            return {}
        return {
            DraftKey(plan.id, step.number, VIEWED, _BEFORE): (self._last_seen(plan, step) or "").encode(),
            DraftKey(plan.id, step.number, VIEWED, _SEEN): _proposed(step).encode(),
        }

    def _differs(self, plan: Plan, step: Step) -> bool:
        return self._last_seen(plan, step) not in (None, _proposed(step))

    def _last_seen(self, plan: Plan, step: Step) -> str | None:
        seen = self._seen.get((plan.id, step.number))
        if seen is not None:
            return seen
        created, earlier = self._seen_earlier.get((plan.agent, step.target), (None, None))
        return earlier if plan.is_proposal and created is not None and created <= plan.created else None

    def _find_revised(self) -> None:
        """Find the revised steps of open plans."""
        queue = self._queue
        plans = {plan.id: plan for plan in (*queue.ended, *queue.plans)}
        self._seen_earlier = self._find_seen_earlier(plans)
        seen_plans = {plan_id for plan_id, _ in self._seen}
        agents = {agent for agent, _ in self._seen_earlier}
        revised: set[tuple[str, int]] = set()
        for plan in queue.plans:
            if plan.id in seen_plans or plan.agent in agents:
                revised |= {(plan.id, step.number) for step in plan.undecided if self.is_revised(plan, step)}
        self.revised = frozenset(revised)

    def _find_seen_earlier(self, plans: Mapping[str, Plan]) -> dict[tuple[str, str], tuple[datetime, str]]:
        found: dict[tuple[str, str], tuple[datetime, str]] = {}
        for (plan_id, number), seen in self._seen.items():
            plan = plans.get(plan_id)
            step = plan.step(number) if plan is not None else None
            if plan is None or step is None or not plan.agent:
                continue
            if plan.state in _ENDED or step.state is StepState.REJECTED:
                key = plan.agent, step.target
                found[key] = max(found.get(key, (plan.created, seen)), (plan.created, seen))
        return found

    def _read(self) -> None:
        drafts = self._unsent.every(VIEWED).items()
        self.marks = frozenset(
            (key.plan_id, key.step, value.decode()) for key, value in drafts if key.slot == _MARK
        )
        # Builds of November 2026 stored a hash and a time behind it.
        self._seen = {
            (key.plan_id, key.step): value.decode().partition(" ")[0]
            for key, value in drafts
            if key.slot == _SEEN
        }
