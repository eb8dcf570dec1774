"""Reading of queue state from the store; step diffs, conflicts and order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from msgspec import field
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from studio import engine
from studio.engine import CallState, Fact, Plan, PlanState, Severity, Step, StepState
from studio.errors import NotFound
from studio.extras.diff_view.on_screen import head_diff, ranges
from studio.limits import LONG_LINE_CHARACTERS
from studio.text import has_lines
from studio.ui.diff.model.prepared import form_of, line_total, prepare
from studio.ui.look.words import say
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import (
        FileDiff,
        HistoryEntry,
        PathConflict,
        ProjectFile,
        Session,
        StepContents,
        ToolCall,
    )
    from studio.workspace import Workspace

CONFLICT = "conflict"
"""Kind of the fact that names the other plan."""


def with_path_conflicts(workspace: Workspace, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans with a fact on each conflicting open step.

    Paths that the disk takes for one (case, Unicode) conflict too. Runs on the engine thread.
    """
    titles = {plan.id: plan for plan in plans if plan.state.is_open}
    if len(titles) < 2:
        return list(plans)
    return [
        _with_facts(plan, workspace.proposer.path_conflicts(plan.id), titles) if plan.id in titles else plan
        for plan in plans
    ]


def is_conflict(step: Step) -> bool:
    """Return whether another open plan writes this step's path."""
    return any(fact.kind == CONFLICT for fact in step.facts)


def _with_facts(plan: Plan, conflicts: Iterable[PathConflict], plans: dict[str, Plan]) -> Plan:
    others: dict[int, dict[str, PathConflict]] = {}
    for conflict in conflicts:
        if conflict.other_plan in plans:
            others.setdefault(conflict.step, {})[conflict.other_plan] = conflict
    if not others:
        return plan
    steps = tuple(
        replace(step, facts=(*step.facts, *_facts(others[step.number].values(), plans)))
        if step.number in others
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _facts(conflicts: Iterable[PathConflict], plans: dict[str, Plan]) -> tuple[Fact, ...]:
    return tuple(
        Fact(CONFLICT, Severity.WARNING, _sentence(plans[each.other_plan], each)) for each in conflicts
    )


def _sentence(other: Plan, conflict: PathConflict) -> str:
    template = QCoreApplication.translate(
        "Conflicts", "Another plan also writes this file. “{title}” by {agent}, step {n}, {path}."
    )
    step = other.step(conflict.other_step)
    if step is not None and any(fact.kind == "waits_for_plan" for fact in step.facts):
        template = QCoreApplication.translate(
            "Conflicts",
            ("Another plan proposes a newer version of this file. “{title}” by {agent}, step {n}, {path}."),
        )
    agent = other.agent or QCoreApplication.translate("Conflicts", "you")
    path, title = conflict.other_path, other.title
    return say(template, n=conflict.other_step, agent=agent, path=path, title=title)


_ALWAYS_IN_QUEUE = {PlanState.PENDING, PlanState.APPROVED, PlanState.EXECUTING, PlanState.PAUSED}
_LONG_BYTES = 1024 * 1024
_ARCHIVED_STATES = frozenset({PlanState.INVALID, PlanState.CANCELLED})


class Pulse(Value):
    """Cheap signature of what can change: store version, waiters, commands, configuration.

    Who waits for a decision, and whether a sandbox command runs, is not in the store.
    """

    version: int
    waiting: frozenset[str] = frozenset()
    is_command_running: bool = False
    configuration: tuple[object, ...] = ()
    """Signature of the configuration files."""


def read_pulse(workspace: Workspace) -> Pulse:
    """Read the signature to compare with the last state's."""
    return Pulse(
        workspace.data_version(),
        workspace.proposer.waiting(),
        workspace.is_command_running,
        workspace.configuration_signature(),
    )


class QueueState(Value):
    """Queue (oldest plan first), history (newest first) and gate status.

    `sessions` are those of the queue's plans, by id. `shown_plan` is the shown plan where the queue no longer
    holds it.
    """

    plans: tuple[Plan, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    command_line: str = "ask"
    sessions: Mapping[str, Session] = field(default_factory=dict[str, "Session"])
    calls: tuple[ToolCall, ...] = ()
    """Tool calls whose agent waits for an answer, oldest first."""
    pulse: Pulse = Pulse(-1)
    shown_plan: Plan | None = None
    ended: tuple[Plan, ...] = ()
    """Closed plans that the queue does not hold."""
    quiet: frozenset[str] = frozenset()
    """Agents whose waiting triggers no desktop notification."""
    project_file: ProjectFile | None = None
    """The project's own configuration, and what of it awaits trust."""


class DecidedCounts:
    """Cached line counts of approvals that differ from the proposal.

    That is where the reviewer excluded or edited something. Each is computed once, on the engine thread.
    """

    def __init__(self) -> None:
        self._cached: dict[str, tuple[int, int]] = {}

    def count(self, workspace: Workspace, plan: Plan) -> Plan:
        """Return the plan with the line counts of its decisions."""
        for step in _changed_approvals(plan):
            if step.revision not in self._cached:
                counts = workspace.proposer.count_decided_lines(plan.id, step.number)
                self._cached[step.revision] = counts or (step.added, step.removed)
        return self.with_cached(plan)

    def with_cached(self, plan: Plan) -> Plan:
        """Return the plan with those line counts that are cached."""
        counts = {step.number: self._cached.get(step.revision) for step in _changed_approvals(plan)}
        if not any(counts.values()):
            return plan
        return replace(
            plan, steps=tuple(_with_line_counts(step, counts.get(step.number)) for step in plan.steps)
        )


def _changed_approvals(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.state is StepState.APPROVED and step.is_decided_otherwise]


def _with_line_counts(step: Step, counts: tuple[int, int] | None) -> Step:
    return step if counts is None else replace(step, added=counts[0], removed=counts[1])


def is_archived(plan: Plan) -> bool:
    """Return whether a plan is archived: refused or withdrawn."""
    return plan.state in _ARCHIVED_STATES


class CachedPlans(Value):
    """What the window has cached when it reads the queue.

    `decided_here` are ids of plans the user decided in this window, `shown_plan_id` that of the plan shown.
    """

    decided_here: frozenset[str] = frozenset()
    plans: Sequence[Plan] = ()
    shown_plan_id: str = ""
    counts: DecidedCounts = field(default_factory=DecidedCounts)


def read_queue_state(workspace: Workspace, cached: CachedPlans) -> QueueState:
    """Read everything the window shows of the store.

    A plan rejected here stays in the queue, so that one click can undo that, until its agent revises it; any
    rejected review stays.
    Cached plans and steps that did not change are reused, which makes comparing thousands of them cheap for
    the UI thread.
    """
    proposer = workspace.proposer
    pulse = read_pulse(workspace)
    plans = [plan for state in _ALWAYS_IN_QUEUE for plan in proposer.plans(state)]
    plans += proposer.closed_plans()
    closed = [
        plan for state in (PlanState.REJECTED, PlanState.CHANGES_REQUESTED) for plan in proposer.plans(state)
    ]
    own = [plan for plan in closed if plan.id in cached.decided_here or plan.is_review]
    revised = proposer.revised([plan for plan in own if not plan.is_review], plans)
    plans += [plan for plan in own if plan.id not in revised]
    listed = {plan.id for plan in plans}
    ended = tuple(plan for plan in closed if plan.id not in listed)
    plans.sort(key=lambda plan: (plan.created, plan.id))
    before = {plan.id: plan for plan in cached.plans}
    plans = [cached.counts.count(workspace, plan) for plan in with_path_conflicts(workspace, plans)]
    plans = [reuse_unchanged(before.get(plan.id), plan) for plan in plans]
    workspace.listen_at(_written_paths(plans))
    history, review = tuple(proposer.history()), workspace.command_line_review
    removed = _removed_plan(workspace, cached, plans)
    calls = tuple(call for call in proposer.calls() if call.state is CallState.WAITING)
    sessions = _sessions(workspace, plans)
    agents = {each.agent for each in (*plans, *calls)}
    quiet = frozenset(agent for agent in agents if not workspace.config.notifies(agent))
    file = workspace.config.project_file
    return QueueState(tuple(plans), history, review, sessions, calls, pulse, removed, ended, quiet, file)


def _written_paths(plans: Sequence[Plan]) -> frozenset[str]:
    """Return the paths to watch: those that waiting plans write."""
    waiting = (plan for plan in plans if plan.state in _ALWAYS_IN_QUEUE)
    return frozenset(path for plan in waiting for step in plan.steps for path in step.written_paths)


def _sessions(workspace: Workspace, plans: Sequence[Plan]) -> Mapping[str, Session]:
    wanted = {plan.session for plan in plans if plan.session is not None}
    found = workspace.proposer.sessions() if wanted else ()
    return {session.id: session for session in found if session.id in wanted}


def _removed_plan(workspace: Workspace, cached: CachedPlans, plans: Sequence[Plan]) -> Plan | None:
    """Return the shown plan where only the store still has it."""
    if not cached.shown_plan_id or any(plan.id == cached.shown_plan_id for plan in plans):
        return None
    try:
        plan = workspace.proposer.plan(cached.shown_plan_id)
    except NotFound:
        return None
    before = next((each for each in cached.plans if each.id == plan.id), None)
    return reuse_unchanged(before, cached.counts.count(workspace, plan))


def reuse_unchanged(cached: Plan | None, plan: Plan) -> Plan:
    """Return the plan, reusing equal steps of the cached one.

    Returns the cached plan itself where nothing differs.
    """
    if cached is None or len(cached.steps) > len(plan.steps):
        return plan
    steps = tuple(
        old if old == new else new
        for old, new in zip(cached.steps, plan.steps[: len(cached.steps)], strict=True)
    )
    updated = replace(plan, steps=steps + plan.steps[len(cached.steps) :])
    return cached if updated == cached else updated


def refresh_and_read(workspace: Workspace, cached: CachedPlans) -> QueueState:
    """Check the files of open steps, then read everything."""
    workspace.proposer.refresh()
    return read_queue_state(workspace, cached)


Own = tuple[tuple[int, int], ...]
"""Lines of a result that the reviewer wrote: the 0-based first and the count."""


class Compared(NamedTuple):
    """Line diff of a step, and what else comparing it shows.

    `unread` counts changed lines too long to read on screen. `hunks_differ` is true where the hunks are not
    those stored with the step, so that none of them can be named. `own` are the result's lines that the
    reviewer wrote.
    """

    diff: FileDiff | None
    unread: int
    hunks_differ: bool
    own: Own


def compare_step(step: Step, shown: StepContents, proposed: bytes | None) -> Compared:
    """Compare the shown sides, and the result with the proposed one."""

    diff = diff_of(shown.base, shown.result, shown.setting)
    if diff is None:
        return Compared(None, 0, bool(step.hunks), ())
    own = own_lines(proposed, shown.result, shown.setting)
    return Compared(diff, unread_lines(diff), not diff.has_hunks_of(step), own)


def own_lines(proposed: bytes | None, result: bytes | None, setting: str | None) -> Own:
    """Return the result's lines that differ from the proposal."""
    if proposed is None or result is None or proposed == result:
        return ()
    changes = engine.compute(proposed, result, 0, setting).changes
    return tuple((change.new_first, change.new_count) for change in changes if change.new_count)


def unread_lines(diff: FileDiff) -> int:
    """Count changed lines, old and new, too long to read."""

    def too_long(starts: Sequence[int], first: int, end: int) -> int:
        found = 0
        for start, stop in ranges(first, end):
            lengths = map(sub, starts[start + 1 : stop + 1], starts[start:stop])
            found += sum(map(LONG_LINE_CHARACTERS.__lt__, lengths))
        return found

    old, new = diff.base_lines.starts, diff.result_lines.starts
    if too_long(old, 0, len(old) - 1) + too_long(new, 0, len(new) - 1) == 0:
        return 0
    return sum(
        too_long(old, change.old_first, change.old_end) + too_long(new, change.new_first, change.new_end)
        for change in diff.changes
    )


def is_long(base: bytes | None, result: bytes | None) -> bool:
    """Return whether the diff takes too long for a first screen."""
    return base is not None and result is not None and is_large(len(base) + len(result))


def is_large(size: int) -> bool:
    """Return whether this many bytes of both sides take too long."""
    return size > _LONG_BYTES


def head_of(base: bytes, result: bytes, setting: str | None = None) -> FileDiff | None:
    """Return the first part of a step's diff, None without one.

    It is prepared for display.
    """
    if not all(has_lines(form_of(side, setting)) for side in (base, result)):
        return None
    head = head_diff(base, result, setting=setting)
    if head is not None:
        prepare(head, base, result, setting)
        max(map(line_total, (base, result)))
    return head


def diff_of(base: bytes | None, result: bytes | None, setting: str | None = None) -> FileDiff | None:
    """Return the line diff of two sides, None without lines or content.

    `setting` is the project's encoding for the path.
    """
    if base is None and result is None:
        return None
    if not all(has_lines(form_of(side, setting)) for side in (base, result)):
        return None
    diff = engine.compute(base or b"", result or b"", setting=setting)
    prepare(diff, base, result, setting)
    return diff


# Step navigation, in the order in which the queue lists the steps.

StepRef = tuple[str, int]
"""Plan id and step number; 0 is the whole plan, which is above its first step."""

ItemRef = tuple[str, int | None]
"""Plan id and step number, None for the whole plan."""


def ordered_steps(plans: Iterable[Plan], listed: Sequence[StepRef] | None) -> list[StepRef]:
    """Return all steps in listed order.

    In plan order where the queue lists none yet (None).
    """
    existing = {(plan.id, step.number): None for plan in plans for step in plan.steps}
    return list(existing) if listed is None else [place for place in listed if place in existing]


def adjacent_step(order: Sequence[StepRef], here: StepRef, by: int) -> StepRef | None:
    """Return the step after (1) or before (-1) this one, or None."""
    if here in order:
        at = order.index(here)
        ahead = order[at + 1 :] if by > 0 else order[:at][::-1]
    else:
        first = next((at for at, place in enumerate(order) if place[0] == here[0]), 0)
        ahead = order[first:] if by > 0 else order[:first][::-1]
    return ahead[0] if ahead else None


def steps_after(plan: Plan, number: int, order: Iterable[StepRef]) -> Iterator[Step]:
    """Yield a plan's other steps: those below, then those above."""
    listed = [at for plan_id, at in order if plan_id == plan.id]
    numbers = listed if number in listed else [step.number for step in plan.steps]
    here = numbers.index(number)
    after = (plan.step(at) for at in numbers[here + 1 :] + numbers[:here])
    return (step for step in after if step is not None)


def steps_to_decide(plan: Plan, number: int, order: Iterable[StepRef]) -> Iterator[Step]:
    """Yield those other steps that need a decision, stale ones last."""
    order = tuple(order)
    return (
        step
        for state in (StepState.PENDING, StepState.STALE)
        for step in steps_after(plan, number, order)
        if step.state is state
    )
