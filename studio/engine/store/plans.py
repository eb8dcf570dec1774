"""Database access for plans, steps, decisions, rebases and excluded paths.

Every change of state is checked against the transition tables of `plan`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from studio.engine.draft import ExcludedPath
from studio.engine.plan import (
    ACTIVE_PLAN_STATES,
    FOREIGN_KEPT,
    PLAN_TRANSITIONS,
    STEP_TRANSITIONS,
    STEP_WITHDRAWN,
    Decision,
    Operation,
    PersonSource,
    Plan,
    PlanState,
    Problem,
    Step,
    StepState,
    open_plan_state,
)
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.engine.store.selection import StoredPlan, full_id, with_steps
from studio.errors import Refused, UsageError
from studio.limits import PLAN_PROBLEMS_UP_TO

_State = TypeVar("_State", PlanState, StepState)

_INSERT_STEP = (
    f"INSERT INTO steps ({', '.join(rows.STEP_COLUMNS)}) VALUES ({', '.join('?' * len(rows.STEP_COLUMNS))})"
)
_INSERT_DECISION = (
    f"INSERT INTO decisions ({', '.join(rows.DECISION_COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(rows.DECISION_COLUMNS))})"
)
_INSERT_REBASE = (
    f"INSERT INTO rebases ({', '.join(rows.REBASE_COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(rows.REBASE_COLUMNS))})"
)

_PROPOSALS = "rolls_back IS NULL AND restores IS NULL AND reviews IS NULL"

PartId = tuple[str, int]
"""A plan's id and the number of a part of it."""


class Plans:
    """Plans of one project, with their steps and decisions.

    Methods that write take the transaction's connection.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader = PlanReader(database)

    @property
    def damages(self) -> tuple[str, ...]:
        """Return a sentence for each plan that lists skipped as unreadable."""
        return tuple(self._reader.damages.values())

    def changing_steps(self, plan_id: str, numbers: Sequence[int]) -> AbstractContextManager[None]:
        """Run a write that changes these steps of one plan alone."""
        return self._reader.changing_steps(plan_id, numbers)

    def add(self, connection: sqlite3.Connection, plan: Plan, submission: str) -> None:
        """Store a new plan with its steps.

        `submission` is the hash of its complete proposal, by which a second submission of it is found.
        """
        connection.execute(
            "INSERT INTO plans "
            "(id, version, title, agent, format, state, created, submission, problems, rolls_back, restores, "
            "session, message, waits, reviews) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                plan.id,
                plan.version,
                plan.title,
                plan.agent,
                plan.format,
                plan.state.value,
                rows.time_text(plan.created),
                bytes.fromhex(submission),
                rows.problems_text(plan.problems),
                plan.rolls_back,
                plan.restores,
                plan.session,
                plan.message,
                int(plan.waits),
                plan.reviews,
            ),
        )
        self.add_steps(connection, plan.id, plan.steps)

    def add_steps(self, connection: sqlite3.Connection, plan_id: str, steps: Sequence[Step]) -> None:
        """Store further steps of a plan."""
        connection.executemany(_INSERT_STEP, [rows.step_row(plan_id, step) for step in steps])
        connection.executemany(
            "INSERT INTO recontexts VALUES (?, ?, ?)",
            [(plan_id, step.number, step.recontext) for step in steps if step.recontext],
        )

    def as_it_is(self, connection: sqlite3.Connection, plan_id: str) -> Plan:
        """Return a plan as this transaction sees it.

        Raises Refused where it is damaged.
        """
        return self._reader.select(connection, "WHERE id = ?", (plan_id,))[0]

    def rebase(self, connection: sqlite3.Connection, plan_id: str, step: Step) -> None:
        """Store a new base and result of a step beside its proposal."""
        connection.execute(_INSERT_REBASE, rows.rebase_row(plan_id, step))

    def get(self, id_or_prefix: str) -> Plan:
        """Return the plan with that id or unique prefix.

        A prefix has at least 4 characters. Raises NotFound or UsageError.
        """
        with self._database.read() as connection:
            plan_id = full_id(connection, id_or_prefix)
            return self._reader.select(connection, "WHERE id = ?", (plan_id,))[0]

    # Reading a complete plan of 2,000 files took 30 ms for each file shown.
    def step(self, id_or_prefix: str, number: int) -> Step:
        """Return one step of a plan without reading the others.

        Raises NotFound or UsageError.
        """
        with self._database.read() as connection:
            plan_id = full_id(connection, id_or_prefix)
            steps = self._reader.select(connection, "WHERE id = ?", (plan_id,), number)[0].steps
        return steps[0] if steps else self.require(self.get(plan_id), number)

    def without_steps(self, plan_id: str) -> Plan:
        """Return a plan's own values without reading its steps."""
        with self._database.read() as connection:
            return self._reader.select(connection, "WHERE id = ?", (plan_id,), 0)[0]

    def full_id(self, id_or_prefix: str) -> str:
        """Return the full id for a prefix.

        Raises as `get`.
        """
        with self._database.read() as connection:
            return full_id(connection, id_or_prefix)

    def newest(self, states: Iterable[PlanState], count: int) -> tuple[Plan, ...]:
        """Return up to `count` newest proposals in these states, oldest first."""
        values = tuple(state.value for state in states)
        marks = ", ".join("?" * len(values))
        where = f"WHERE state IN ({marks}) AND {_PROPOSALS} ORDER BY sequence DESC LIMIT ?"
        with self._database.read() as connection:
            return self._reader.select(connection, where, (*values, count))[::-1]

    def all(self, states: Iterable[PlanState] | None = None, *, is_whole: bool = False) -> tuple[Plan, ...]:
        """Return the plans, or those in the given states, oldest first.

        A damaged plan is skipped and listed in `damages`, so that the others can be used. With `is_whole` it
        raises Refused.
        """
        with self._database.read() as connection:
            if states is None:
                return self._reader.select(connection, "ORDER BY sequence", (), is_whole=is_whole)
            values, verb = [state.value for state in states], "IN"
            others = [state.value for state in PlanState if state.value not in values]
            if len(others) < len(values):  # so that an unknown state is found and reported
                values, verb = others, "NOT IN"
            where = f"WHERE state {verb} ({', '.join('?' * len(values))}) ORDER BY sequence"
            return self._reader.select(connection, where, tuple(values), is_whole=is_whole)

    def count(self, states: Iterable[PlanState]) -> Mapping[PlanState, int]:
        """Return the number of proposals in each of these states."""
        wanted = tuple(state.value for state in states)
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT state, COUNT(*) FROM plans WHERE state IN ({marks}) AND {_PROPOSALS} GROUP BY state"
        with self._database.read() as connection:
            return {PlanState(state): number for state, number in connection.execute(query, wanted)}

    def by_submission(self, submission: str) -> tuple[Plan, ...]:
        """Return plans with an identical proposal, newest first."""
        with self._database.read() as connection:
            return self._reader.select(
                connection,
                "WHERE submission = ? ORDER BY sequence DESC",
                (bytes.fromhex(submission),),
                is_whole=False,
            )

    def find_reviews(self, connection: sqlite3.Connection, subject: str) -> tuple[Plan, ...]:
        """Return a subject's reviews as this transaction sees them.

        Oldest first, without dismissed ones. Raises Refused for a damaged one.
        """
        where = "WHERE reviews = ? AND state != 'dismissed' ORDER BY sequence"
        return self._reader.select(connection, where, (subject,))

    def find_by_session(self, session: str, states: Iterable[PlanState]) -> tuple[Plan, ...]:
        """Return a session's plans in these states, oldest first.

        Raises Refused for a damaged one.
        """
        wanted = tuple(state.value for state in states)
        where = f"WHERE session = ? AND state IN ({', '.join('?' * len(wanted))}) ORDER BY sequence"
        with self._database.read() as connection:
            return self._reader.select(connection, where, (session, *wanted))

    def open_twin(self, connection: sqlite3.Connection, submission: str) -> str | None:
        """Return the id of an open plan with an identical proposal.

        Called in the transaction that would add another one.
        """
        found = connection.execute(
            "SELECT id FROM plans "
            "WHERE submission = ? AND state IN ('pending', 'approved') ORDER BY sequence",
            (bytes.fromhex(submission),),
        ).fetchone()
        return None if found is None else str(found[0])

    def open_paths(self) -> tuple[tuple[str, int, str], ...]:
        """Return all paths that open steps would write.

        Each with its plan id and step number, oldest plan first; for a damaged plan those that can be read.
        """
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT plans.id, number, op, path, target FROM plans JOIN steps ON plan_id = plans.id "
                "WHERE plans.state IN ('pending', 'approved') AND reviews IS NULL "
                "AND steps.state IN ('pending', 'approved', 'stale') ORDER BY sequence, number"
            ).fetchall()
        paths: list[tuple[str, int, str]] = []
        for plan_id, number, op, path, target in found:
            for stored in (target,) if op == Operation.COPY.value else (path, target):
                with suppress(ValueError):
                    if stored is not None:
                        paths.append((plan_id, number, values.checked_path(stored, "path")))
        return tuple(paths)

    def state_of(self, connection: sqlite3.Connection, plan_id: str) -> PlanState:
        """Return a plan's state as this transaction sees it.

        Raises Refused where the store is damaged.
        """
        row = connection.execute("SELECT state FROM plans WHERE id = ?", (plan_id,)).fetchone()
        return self._parse_state(PlanState, row[0])

    def step_states(self, connection: sqlite3.Connection, plan_id: str) -> dict[int, StepState]:
        """Return the states of a plan's steps as this transaction sees them.

        Raises Refused for a damaged store.
        """
        found = connection.execute("SELECT number, state FROM steps WHERE plan_id = ?", (plan_id,)).fetchall()
        states = {stored: self._parse_state(StepState, stored) for stored in {row[1] for row in found}}
        return {row[0]: states[row[1]] for row in found}

    def version_of(self, connection: sqlite3.Connection, plan_id: str) -> int:
        """Return a plan's version as this transaction sees it."""
        return connection.execute("SELECT version FROM plans WHERE id = ?", (plan_id,)).fetchone()[0]

    def set_plan_state(self, connection: sqlite3.Connection, plan_id: str, state: PlanState) -> None:
        """Move a plan to a state.

        Raises Refused for a transition that is not in PLAN_TRANSITIONS.
        """
        current = self.state_of(connection, plan_id)
        if current is state:
            return
        if state not in PLAN_TRANSITIONS[current]:
            raise Refused(
                "plan.state",
                f"The plan is {current.words}; it can't become {state.words}.",
                "Review the plan again.",
            )
        connection.execute("UPDATE plans SET state = ? WHERE id = ?", (state.value, plan_id))

    def add_part(self, connection: sqlite3.Connection, plan_id: str, numbers: Sequence[int]) -> None:
        """Record these steps of a plan as its next applied part."""
        moment = rows.time_text(rows.now())
        (number,) = connection.execute(
            "INSERT INTO parts (plan_id, number, applied, position) SELECT :plan, "
            "1 + (SELECT COUNT(*) FROM parts WHERE plan_id = :plan), :applied, "
            "(SELECT COALESCE(MAX(position), 0) FROM journal) RETURNING number",
            {"plan": plan_id, "applied": moment},
        ).fetchone()
        connection.execute("UPDATE plans SET applied = ? WHERE id = ?", (moment, plan_id))
        connection.executemany(
            "UPDATE steps SET part = ? WHERE plan_id = ? AND number = ?",
            [(number, plan_id, step) for step in numbers],
        )

    def set_step_state(
        self, connection: sqlite3.Connection, plan_id: str, number: int, state: StepState
    ) -> None:
        """Move a step to a state.

        Moving to pending voids its decision, which is suspended while the step is stale.
        """
        self.set_step_states(connection, plan_id, (number,), state)

    def set_step_states(
        self, connection: sqlite3.Connection, plan_id: str, numbers: Iterable[int], state: StepState
    ) -> None:
        """Move steps of one plan to a state, as `set_step_state` does.

        Raises Refused for a transition that is not in STEP_TRANSITIONS.
        """
        wanted = tuple(numbers)
        query = "SELECT number, state FROM steps WHERE plan_id = ?"
        if len(wanted) == 1:
            found = connection.execute(f"{query} AND number = ?", (plan_id, *wanted))
        else:
            found = connection.execute(query, (plan_id,))
        states = dict(found.fetchall())
        moved: list[tuple[str, int]] = []
        for number in wanted:
            current = self._parse_state(StepState, states[number])
            if current is state:
                continue
            if state not in STEP_TRANSITIONS[current]:
                raise Refused(
                    "step.state",
                    f"Step {number} is {current.words}; it can't become {state.words}.",
                    "Review the plan again.",
                )
            moved.append((plan_id, number))
        connection.executemany(
            "UPDATE steps SET state = ? WHERE plan_id = ? AND number = ?",
            [(state.value, *place) for place in moved],
        )
        if state in (StepState.PENDING, StepState.ALREADY_APPLIED, StepState.INVALID):
            moment = rows.time_text(rows.now())
            connection.executemany(
                "UPDATE decisions SET taken_back = ? WHERE plan_id = ? AND number = ? AND taken_back IS NULL",
                [(moment, *place) for place in moved],
            )

    def update_state(self, connection: sqlite3.Connection, plan_id: str) -> PlanState:
        """Set an open plan's state from the states of its steps.

        A closed plan keeps its state. Returns the state.
        """
        current = self.state_of(connection, plan_id)
        if not current.is_open and current is not PlanState.REJECTED:
            return current
        wanted = self.state_by_steps(connection, plan_id)
        if wanted is not current and wanted not in PLAN_TRANSITIONS[current]:
            self.set_plan_state(connection, plan_id, PlanState.PENDING)
        self.set_plan_state(connection, plan_id, wanted)
        return wanted

    def state_by_steps(self, connection: sqlite3.Connection, plan_id: str) -> PlanState:
        """Return a plan's state computed from the states of its steps."""
        query = "SELECT DISTINCT state FROM steps WHERE plan_id = ?"
        found = connection.execute(query, (plan_id,)).fetchall()
        return open_plan_state(self._parse_state(StepState, row[0]) for row in found)

    def withdraw_steps(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """Close the open steps of a withdrawn plan in parts."""
        states = self.step_states(connection, plan_id)
        open_steps = [number for number, state in states.items() if state.is_open]
        approved = [number for number in open_steps if states[number] is StepState.APPROVED]
        self.set_step_states(connection, plan_id, approved, StepState.PENDING)
        self.set_step_states(connection, plan_id, open_steps, StepState.INVALID)
        problem = Problem(STEP_WITHDRAWN, "The agent has withdrawn this step.", "No action is needed.")
        self._set_problems(connection, plan_id, open_steps, (problem,))
        self.update_state(connection, plan_id)

    def _set_problems(
        self,
        connection: sqlite3.Connection,
        plan_id: str,
        numbers: Sequence[int],
        problems: tuple[Problem, ...],
    ) -> None:
        connection.executemany(
            "UPDATE steps SET problems = ? WHERE plan_id = ? AND number = ?",
            [(rows.problems_text(problems), plan_id, number) for number in numbers],
        )

    def _parse_state(self, kind: type[_State], stored: object) -> _State:
        with readable(self._database.file):
            return values.enum_value(kind, {"state": stored}, "state")

    def set_created_folders(
        self, connection: sqlite3.Connection, plan_id: str, number: int, folders: tuple[str, ...]
    ) -> None:
        """Record the folders that a step created; a rollback removes only these."""
        connection.execute(
            "UPDATE steps SET made_folders = ? WHERE plan_id = ? AND number = ?",
            (json.dumps(folders), plan_id, number),
        )

    def mark_unfinished(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """Mark a plan as needing recovery if the process crashes."""
        connection.execute("INSERT OR IGNORE INTO unfinished VALUES (?)", (plan_id,))

    def mark_finished(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """Remove the mark that `mark_unfinished` set."""
        connection.execute("DELETE FROM unfinished WHERE plan_id = ?", (plan_id,))

    def oldest_stored_time(self) -> datetime | None:
        """Return the time of the oldest part or closed plan kept.

        When it was applied, or proposed if it was closed without that.
        """
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT MIN(moment) FROM (SELECT applied AS moment FROM parts WHERE discarded IS NULL "
                "UNION ALL SELECT created FROM plans WHERE discarded IS NULL AND NOT EXISTS "
                "(SELECT 1 FROM parts WHERE plan_id = id AND parts.discarded IS NULL) "
                "AND state NOT IN ('pending', 'approved', 'executing', 'paused'))"
            ).fetchone()
        with readable(self._database.file):
            return values.checked_moment(row[0], "applied") if row[0] is not None else None

    def titles(self) -> dict[str, str]:
        """Return the title of every plan, by id."""
        with self._database.read() as connection:
            found = connection.execute("SELECT id, title FROM plans").fetchall()
        return {str(plan_id): str(title) for plan_id, title in found}

    def applied_order(self) -> dict[str, int]:
        """Return a number for each applied plan, in apply order.

        It is a position of the journal, as the clock may have been set back.
        """
        return {plan_id: position for (plan_id, _), position in sorted(self.part_order().items())}

    def part_order(self) -> dict[tuple[str, int], int]:
        """Return such a number for each part, by plan id and number."""
        with self._database.read() as connection:
            found = connection.execute("SELECT plan_id, number, position FROM parts").fetchall()
        return {(plan_id, number): position for plan_id, number, position in found}

    def mark_discarded(
        self,
        connection: sqlite3.Connection,
        parts: Set[PartId],
        plan_ids: Set[str],
        who: str | None = None,
        seen: PersonSource | None = None,
    ) -> None:
        """Record that the contents of these parts and plans are freed.

        A closed plan whose last part goes is discarded, too. `who` is the person who asked for it, None where
        their time was over.
        """
        freed = (rows.time_text(rows.now()), who, seen.value if seen is not None else None)
        connection.executemany(
            "UPDATE parts SET discarded = ?, discarded_by = ?, discarded_seen = ? "
            "WHERE plan_id = ? AND number = ?",
            [(*freed, *part) for part in parts],
        )
        active = ", ".join(f"'{state.value}'" for state in ACTIVE_PLAN_STATES)
        connection.executemany(
            "UPDATE plans SET discarded = ?, discarded_by = ?, discarded_seen = ? "
            f"WHERE id = ? AND state NOT IN ({active}) "
            "AND NOT EXISTS (SELECT 1 FROM parts WHERE plan_id = id AND parts.discarded IS NULL)",
            [(*freed, plan_id) for plan_id in {*plan_ids, *(plan_id for plan_id, _ in parts)}],
        )

    def unfinished(self) -> tuple[Plan, ...]:
        """Return plans whose apply, or the cleanup after it, was interrupted."""
        with self._database.read() as connection:
            return self._reader.select(
                connection, "WHERE id IN (SELECT plan_id FROM unfinished) ORDER BY sequence", ()
            )

    def has_unfinished(self) -> bool:
        """Return whether `unfinished` would return any plan."""
        with self._database.read() as connection:
            return connection.execute("SELECT 1 FROM unfinished LIMIT 1").fetchone() is not None

    def step_places(
        self, connection: sqlite3.Connection, step_ids: Iterable[str]
    ) -> tuple[tuple[str, int, str | None], ...]:
        """Return plan id, number and undone step of these steps, unordered."""
        return tuple(
            connection.execute(
                "SELECT plan_id, number, undoes FROM steps WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(tuple(step_ids)),),
            ).fetchall()
        )

    def made_folders(self, step_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the folders that steps created, by step id."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT id, made_folders FROM steps "
                "WHERE id IN (SELECT value FROM json_each(?)) AND made_folders <> '[]'",
                (json.dumps(tuple(step_ids)),),
            ).fetchall()
        with readable(self._database.file):
            return {step_id: rows.folders_of(folders) for step_id, folders in found}

    def has_applied_step(self, connection: sqlite3.Connection, plan_id: str) -> bool:
        """Return whether any step of the plan is still applied."""
        query = "SELECT 1 FROM steps WHERE plan_id = ? AND state = 'applied' LIMIT 1"
        return connection.execute(query, (plan_id,)).fetchone() is not None

    def last_applied(self, path: str) -> Step | None:
        """Return the latest applied step with a result at `path`.

        Without the decision on it.
        """
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            row = cursor.execute(
                "SELECT steps.* FROM steps "
                "JOIN parts ON parts.plan_id = steps.plan_id AND parts.number = part "
                "WHERE state = 'applied' AND COALESCE(target, path) = ? ORDER BY applied DESC LIMIT 1",
                (rows.path_bytes(path),),
            ).fetchone()
            if row is None:
                return None
            rebase = cursor.execute(
                "SELECT * FROM rebases WHERE plan_id = ? AND number = ? ORDER BY sequence DESC LIMIT 1",
                (row["plan_id"], row["number"]),
            ).fetchone()
            with readable(self._database.file):
                return rows.step_of(row, None, rebase)

    def decide(self, connection: sqlite3.Connection, plan_id: str, number: int, decision: Decision) -> None:
        """Record a decision; an earlier one is kept as revoked."""
        connection.execute(
            "UPDATE decisions SET taken_back = ? WHERE plan_id = ? AND number = ? AND taken_back IS NULL",
            (rows.time_text(decision.when), plan_id, number),
        )
        connection.execute(_INSERT_DECISION, rows.decision_row(plan_id, number, decision))

    def add_decided_plan(self, connection: sqlite3.Connection, plan: Plan, submission: str) -> None:
        """Add a plan with the decisions on its steps."""
        self.add(connection, plan, submission)
        decided = (
            rows.decision_row(plan.id, step.number, step.decision) for step in plan.steps if step.decision
        )
        connection.executemany(_INSERT_DECISION, decided)

    def named_alone(
        self, connection: sqlite3.Connection, parts: Set[PartId], plan_ids: Set[str] = frozenset()
    ) -> frozenset[str]:
        """Return the SHA-256 of contents that only these parts and plans reference.

        Contents of an unfinished apply are excluded. Raises Refused where a plan is damaged, because its
        references are unknown.
        """
        unfinished = {row[0] for row in connection.execute("SELECT plan_id FROM unfinished").fetchall()}
        where = "WHERE discarded IS NULL OR id IN (SELECT plan_id FROM unfinished)"
        chosen: set[str] = set()
        staying: set[str] = set()
        for plan in self._reader.select(connection, where, ()):
            gone = {part.number for part in plan.parts if part.discarded is not None}
            for step in plan.steps:
                part = plan.part_of(step)
                is_chosen = plan.id in plan_ids or (plan.id, part) in parts
                if is_chosen:
                    chosen |= step.contents
                if plan.id in unfinished or not (is_chosen or part in gone):
                    staying |= step.contents
        return frozenset(chosen - staying)

    def count_decisions(self, connection: sqlite3.Connection, plan_id: str) -> int:
        """Return a number that grows with each decision made or revoked."""
        query = "SELECT COUNT(*) + COUNT(taken_back) FROM decisions WHERE plan_id = ?"
        return connection.execute(query, (plan_id,)).fetchone()[0]

    def deciding_folders(self) -> frozenset[Path]:
        """Return the configuration folders of persons who decided here.

        Only decisions in the window or at a terminal count.
        """
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT folder FROM (SELECT seen, folder FROM decisions UNION SELECT seen, folder FROM "
                "dismissals) WHERE seen IN (:window, :terminal) AND folder IS NOT NULL",
                {"window": PersonSource.WINDOW.value, "terminal": PersonSource.TERMINAL.value},
            ).fetchall()
        with readable(self._database.file):
            return frozenset(rows.folder_of(row[0]) for row in found)

    def read_decisions(self, step_ids: Sequence[str]) -> Mapping[str, Decision]:
        """Return the effective decision on each of these steps, by step id."""
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            found = cursor.execute(
                "SELECT steps.id AS step_id, decisions.* FROM steps JOIN decisions "
                "ON decisions.plan_id = steps.plan_id AND decisions.number = steps.number "
                "WHERE taken_back IS NULL AND steps.id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(step_ids)),),
            ).fetchall()
        with readable(self._database.file):
            return {row["step_id"]: rows.decision_of(row) for row in found}

    def add_plan_problems(
        self, connection: sqlite3.Connection, plan: Plan, problems: tuple[Problem, ...]
    ) -> None:
        """Add problems that belong to no single step to a plan."""
        connection.execute(
            "UPDATE plans SET problems = ? WHERE id = ?",
            (rows.problems_text(Problem.shorten((*plan.problems, *problems), PLAN_PROBLEMS_UP_TO)), plan.id),
        )

    def remove_failures(self, connection: sqlite3.Connection, plan: Plan) -> None:
        """Remove problems of earlier apply attempts from an applied plan."""
        # What somebody wrote into an old file is there until the reviewer removes it.
        lasting = (
            problem for problem in plan.problems if problem.at == "input" or problem.code == FOREIGN_KEPT
        )
        remaining = tuple(lasting)
        connection.execute(
            "UPDATE plans SET problems = ? WHERE id = ?", (rows.problems_text(remaining), plan.id)
        )

    def require(self, plan: Plan, number: int) -> Step:
        """Return the plan's step with that number.

        Raises UsageError.
        """
        step = plan.step(number)
        if step is None:
            raise UsageError(
                "step.not_found",
                f"Plan {plan.short_id} has no step {number}.",
                f"Its steps are numbered from 1 to {len(plan.steps)}.",
            )
        return step


_PLANS_AT_ONCE = 500
_KEPT_STEPS = 4096


class PlanReader:
    """Cache of plans between queries.

    A single decision reads the store four times. A commit by any connection clears the cache, but for one of
    our own that changed a known step. It is not used within a write of our own, which may be rolled back.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.damages: dict[str, str] = {}
        """Sentences about skipped, unreadable plans, by plan id."""
        self._state: tuple[int, int] | None = None
        self._cached: dict[str, Plan] = {}
        self._steps = 0
        self._changed: tuple[tuple[int, int], str, int] | None = None
        """State after a write of ours, with the plan and the step that it changed."""

    def select(
        self,
        connection: sqlite3.Connection,
        where: str,
        values: tuple[object, ...],
        number: int | None = None,
        *,
        is_whole: bool = True,
    ) -> tuple[Plan, ...]:
        """Return the plans that match a WHERE clause.

        With a `number` they have at most that step. A damaged plan is skipped, or with `is_whole` raises
        Refused.
        """
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute(f"SELECT * FROM plans {where}", values).fetchall()
        is_kept = number is None and self._is_current()
        cached = self._cached if is_kept else {}
        plans: list[Plan] = []
        for first in range(0, len(found), _PLANS_AT_ONCE):
            part = found[first : first + _PLANS_AT_ONCE]
            unread = [row for row in part if row["id"] not in cached]
            stored = {each.row["id"]: each for each in with_steps(cursor, unread, number)} if unread else {}
            for row in part:
                try:
                    plans.append(
                        cached.get(row["id"]) or self._build_plan(stored[row["id"]], is_kept=is_kept)
                    )
                except Refused as error:
                    if is_whole:
                        raise
                    self.damages[str(row["id"])] = str(error)
        return tuple(plans)

    @contextmanager
    def changing_steps(self, plan_id: str, numbers: Sequence[int]) -> Generator[None]:
        """Run a write that changes these steps of one plan alone.

        After a single one the next read takes the others from the cache: of 600 they were 5 of the 8 ms of a
        decision.
        """
        connection, version = self._database.connection, self._database.data_version()
        is_current = self._state == (version, connection.total_changes)
        yield
        if is_current and len(numbers) == 1:
            self._changed = (version, connection.total_changes), plan_id, numbers[0]

    def _build_plan(self, stored: StoredPlan, *, is_kept: bool) -> Plan:
        with readable(self._database.file):
            plan = stored.read()
        if is_kept and stored.is_short and self._steps + len(plan.steps) < _KEPT_STEPS:
            self._cached[plan.id] = plan
            self._steps += max(1, len(plan.steps))
        return plan

    def _is_current(self) -> bool:
        """Clear an outdated cache; return whether it may be used."""
        state = self._database.state()
        if state is not None and state != self._state:
            changed, self._changed = self._changed, None
            if changed is None or changed[0] != state:
                self._cached, self._steps = {}, 0
            elif (plan := self._cached.pop(changed[1], None)) is not None:
                self._renew_step(plan, changed[2])
            self._state = state
        return state is not None

    def _renew_step(self, plan: Plan, number: int) -> None:
        """Cache a plan with its own values and one step read again.

        Where they can't be, the caller reads the whole plan, and says why.
        """
        cursor = self._database.connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute("SELECT * FROM plans WHERE id = ?", (plan.id,)).fetchall()
        for stored in with_steps(cursor, found, number):
            with suppress(Refused), readable(self._database.file):
                read = stored.read()
                if stored.is_short and len(read.steps) == 1:
                    steps = (*plan.steps[: number - 1], *read.steps, *plan.steps[number:])
                    self._cached[plan.id] = replace(read, steps=steps)


def store_round(
    plans: Plans,
    connection: sqlite3.Connection,
    plan: Plan,
    submission: str,
    *,
    written: Sequence[Step],
    dropped: Sequence[Step],
) -> None:
    """Store the next version of a plan.

    `written` are new or changed steps; the `dropped` ones, which it no longer proposes, become invalid. A
    plan without a valid step is withdrawn.
    """
    places = [(plan.id, step.number) for step in written]
    for table in ("steps", "rebases", "recontexts"):
        connection.executemany(f"DELETE FROM {table} WHERE plan_id = ? AND number = ?", places)
    now = rows.now()
    plans.add_steps(connection, plan.id, [replace(step, revised=now) for step in written])
    plans.set_step_states(connection, plan.id, [step.number for step in dropped], StepState.INVALID)
    connection.executemany(
        "UPDATE steps SET problems = ? WHERE plan_id = ? AND number = ?",
        [(rows.problems_text(step.problems), plan.id, step.number) for step in dropped],
    )
    connection.execute(
        "UPDATE plans SET version = ?, title = ?, submission = ?, problems = ? WHERE id = ?",
        (plan.version, plan.title, bytes.fromhex(submission), rows.problems_text(plan.problems), plan.id),
    )
    if plan.valid_steps:
        plans.update_state(connection, plan.id)
    else:
        plans.set_plan_state(connection, plan.id, PlanState.CANCELLED)


def store_message(connection: sqlite3.Connection, plan_id: str, message: str) -> None:
    """Replace the author's message of a plan, which no decision depends on."""
    connection.execute("UPDATE plans SET message = ? WHERE id = ?", (message, plan_id))


_OF_REBASE = """
UPDATE rebases SET result = json_set(result, '$[2]', :mode) WHERE result IS NOT NULL AND sequence =
    (SELECT MAX(sequence) FROM rebases WHERE plan_id = :plan AND number = :number)
"""
_OF_STEP = """
UPDATE steps SET result = json_set(result, '$[2]', :mode)
WHERE result IS NOT NULL AND plan_id = :plan AND number = :number
"""


def record_modes(connection: sqlite3.Connection, plan_id: str, modes: Mapping[int, int]) -> None:
    """Record the permission bits of results on disk, by step number."""
    for number, mode in modes.items():
        of_step = {"plan": plan_id, "number": number, "mode": mode}
        if not connection.execute(_OF_REBASE, of_step).rowcount:
            connection.execute(_OF_STEP, of_step)


class ExcludedPaths:
    """Paths that the plans of a project exclude.

    Methods that write take the transaction's connection.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, connection: sqlite3.Connection, plan_id: str, paths: Sequence[ExcludedPath]) -> None:
        """Replace the excluded paths of a plan."""
        text = json.dumps([(each.path, each.why) for each in paths])
        connection.execute("INSERT OR REPLACE INTO left_out VALUES (?, ?)", (plan_id, text))

    def of(self, plan_id: str) -> tuple[ExcludedPath, ...]:
        """Return the excluded paths of a plan.

        Raises Refused for damaged ones.
        """
        with self._database.read() as connection:
            row = connection.execute("SELECT said FROM left_out WHERE plan_id = ?", (plan_id,)).fetchone()
        with readable(self._database.file):
            return () if row is None else tuple(ExcludedPath(path, why) for path, why in json.loads(row[0]))
