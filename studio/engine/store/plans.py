"""Plans, steps and decisions in the store; every change of state passes the table of `plan`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from studio.engine.errors import InternalError, NotFound, Refused, UsageError
from studio.engine.plan import (
    OPEN_PLAN_STATES,
    PLAN_TRANSITIONS,
    STEP_TRANSITIONS,
    Decision,
    Plan,
    PlanState,
    Problem,
    Step,
    StepState,
    settled,
)
from studio.engine.store import rows
from studio.engine.store.database import Database, damaged

_SHORTEST_PREFIX = 4
_INSERT_STEP = (
    f"INSERT INTO steps ({', '.join(rows.STEP_COLUMNS)}) VALUES ({', '.join('?' * len(rows.STEP_COLUMNS))})"
)
_INSERT_DECISION = (
    f"INSERT INTO decisions ({', '.join(rows.DECISION_COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(rows.DECISION_COLUMNS))})"
)


class Plans:
    """The proposal half of the store. Methods that write take the transaction's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, connection: sqlite3.Connection, plan: Plan, submission: str) -> None:
        connection.execute(
            "INSERT INTO plans "
            "(id, version, title, agent, format, state, created, submission, problems, rolls_back) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            ),
        )
        connection.executemany(_INSERT_STEP, [rows.step_row(plan.id, step) for step in plan.steps])

    def get(self, id_or_prefix: str) -> Plan:
        """The plan with that id or unique prefix of at least 4 characters. Raises NotFound or UsageError."""
        wanted = id_or_prefix.strip().lower()
        if len(wanted) < _SHORTEST_PREFIX:
            raise UsageError(
                "plan.prefix",
                f"“{wanted}” is too short to name a plan.",
                f"Give at least {_SHORTEST_PREFIX} characters of its id.",
            )
        with self._database.read() as connection:
            found = self._select(connection, "WHERE id >= ? AND id < ? LIMIT 2", (wanted, wanted + "g"))
        if not found:
            raise NotFound(
                "plan.not_found",
                f"There is no plan {wanted} in this project.",
                "List them with: studio plans",
            )
        plan, *others = found
        if others and plan.id != wanted:
            raise UsageError("plan.ambiguous", f"“{wanted}” names several plans.", "Give more of its id.")
        return plan

    def all(self, states: Iterable[PlanState] | None = None) -> tuple[Plan, ...]:
        """Plans, oldest first; all, or those in the given states."""
        with self._database.read() as connection:
            if states is None:
                return self._select(connection, "ORDER BY sequence", ())
            wanted = tuple(state.value for state in states)
            marks = ", ".join("?" * len(wanted))
            return self._select(connection, f"WHERE state IN ({marks}) ORDER BY sequence", wanted)

    def by_submission(self, submission: str) -> tuple[Plan, ...]:
        """Plans that proposed the very same, newest first (contract 3)."""
        with self._database.read() as connection:
            return self._select(
                connection, "WHERE submission = ? ORDER BY sequence DESC", (bytes.fromhex(submission),)
            )

    def open_twin(self, connection: sqlite3.Connection, submission: str) -> str | None:
        """The id of an open plan that proposed the very same; asked in the transaction that would add one."""
        found = connection.execute(
            "SELECT id FROM plans "
            "WHERE submission = ? AND state IN ('pending', 'approved') ORDER BY sequence",
            (bytes.fromhex(submission),),
        ).fetchone()
        return None if found is None else str(found[0])

    def set_plan_state(self, connection: sqlite3.Connection, plan_id: str, state: PlanState) -> None:
        """Move a plan to a state. Raises Refused when the table has no such way, or no longer has it."""
        row = connection.execute("SELECT state FROM plans WHERE id = ?", (plan_id,)).fetchone()
        current = PlanState(row[0])
        if current is state:
            return
        if state not in PLAN_TRANSITIONS[current]:
            raise Refused(
                "plan.state",
                f"The plan is {current.words}; it can't become {state.words}.",
                "Look at the plan again.",
            )
        connection.execute("UPDATE plans SET state = ? WHERE id = ?", (state.value, plan_id))
        if state is PlanState.COMPLETED and current is PlanState.EXECUTING:
            connection.execute(
                "UPDATE plans SET applied = ? WHERE id = ?", (rows.time_text(rows.now()), plan_id)
            )

    def set_step_state(
        self, connection: sqlite3.Connection, plan_id: str, number: int, state: StepState
    ) -> None:
        """Move a step to a state; its decision is void where the table leads back to pending or to stale."""
        row = connection.execute(
            "SELECT state FROM steps WHERE plan_id = ? AND number = ?", (plan_id, number)
        ).fetchone()
        current = StepState(row[0])
        if current is state:
            return
        if state not in STEP_TRANSITIONS[current]:
            raise Refused(
                "step.state",
                f"Step {number} is {current.words}; it can't become {state.words}.",
                "Look at the plan again.",
            )
        connection.execute(
            "UPDATE steps SET state = ? WHERE plan_id = ? AND number = ?", (state.value, plan_id, number)
        )
        if state in (StepState.PENDING, StepState.STALE):
            connection.execute(
                "UPDATE decisions SET taken_back = ? WHERE plan_id = ? AND number = ? AND taken_back IS NULL",
                (rows.time_text(rows.now()), plan_id, number),
            )

    def settle(self, connection: sqlite3.Connection, plan_id: str) -> PlanState:
        """Give an open plan the state that follows from its steps; a closed one keeps its own."""
        current = PlanState(
            connection.execute("SELECT state FROM plans WHERE id = ?", (plan_id,)).fetchone()[0]
        )
        if current not in OPEN_PLAN_STATES and current is not PlanState.REJECTED:
            return current
        found = connection.execute("SELECT state FROM steps WHERE plan_id = ?", (plan_id,)).fetchall()
        wanted = settled(StepState(row[0]) for row in found)
        if wanted is not current and wanted not in PLAN_TRANSITIONS[current]:
            self.set_plan_state(connection, plan_id, PlanState.PENDING)
        self.set_plan_state(connection, plan_id, wanted)
        return wanted

    def set_made_folders(
        self, connection: sqlite3.Connection, plan_id: str, number: int, folders: tuple[str, ...]
    ) -> None:
        connection.execute(
            "UPDATE steps SET made_folders = ? WHERE plan_id = ? AND number = ?",
            (json.dumps(folders), plan_id, number),
        )

    def mark_unfinished(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """From now on a crash leaves something to finish, undo or sweep."""
        connection.execute("INSERT OR IGNORE INTO unfinished VALUES (?)", (plan_id,))

    def mark_finished(self, connection: sqlite3.Connection, plan_id: str) -> None:
        connection.execute("DELETE FROM unfinished WHERE plan_id = ?", (plan_id,))

    def unfinished(self) -> tuple[Plan, ...]:
        """Plans whose apply, or the sweeping after it, did not come to its end."""
        with self._database.read() as connection:
            return self._select(
                connection, "WHERE id IN (SELECT plan_id FROM unfinished) ORDER BY sequence", ()
            )

    def step_place(
        self, connection: sqlite3.Connection, step_id: str
    ) -> tuple[str, int, StepState, str | None]:
        """Plan id, number, state and undone step of the step with that id."""
        row = connection.execute(
            "SELECT plan_id, number, state, undoes FROM steps WHERE id = ?", (step_id,)
        ).fetchone()
        return row[0], row[1], StepState(row[2]), row[3]

    def made_folders(self, step_id: str) -> tuple[str, ...]:
        """The folders that the step with that id made."""
        with self._database.read() as connection:
            row = connection.execute("SELECT made_folders FROM steps WHERE id = ?", (step_id,)).fetchone()
        return tuple(json.loads(row[0]))

    def step_states(self, connection: sqlite3.Connection, plan_id: str) -> tuple[StepState, ...]:
        found = connection.execute("SELECT state FROM steps WHERE plan_id = ? ORDER BY number", (plan_id,))
        return tuple(StepState(row[0]) for row in found.fetchall())

    def last_applied(self, path: str) -> Step | None:
        """The latest applied step that left its result at `path`."""
        with self._database.read() as connection:
            cursor = connection.cursor()
            cursor.row_factory = sqlite3.Row
            row = cursor.execute(
                "SELECT steps.* FROM steps JOIN plans ON plans.id = plan_id WHERE steps.state = 'applied' "
                "AND COALESCE(target, path) = ? ORDER BY plans.applied DESC LIMIT 1",
                (rows.path_bytes(path),),
            ).fetchone()
            if row is None:
                return None
            decision = cursor.execute(
                "SELECT * FROM decisions WHERE plan_id = ? AND number = ? AND taken_back IS NULL",
                (row["plan_id"], row["number"]),
            ).fetchone()
            return rows.step_of(row, rows.decision_of(decision) if decision is not None else None)

    def decide(self, connection: sqlite3.Connection, plan_id: str, number: int, decision: Decision) -> None:
        connection.execute(
            "UPDATE decisions SET taken_back = ? WHERE plan_id = ? AND number = ? AND taken_back IS NULL",
            (rows.time_text(decision.when), plan_id, number),
        )
        connection.execute(_INSERT_DECISION, rows.decision_row(plan_id, number, decision))

    def decisions_made(self, connection: sqlite3.Connection, plan_id: str) -> int:
        """How many decisions on a plan were ever made or taken back; grows with each."""
        query = "SELECT COUNT(*) + COUNT(taken_back) FROM decisions WHERE plan_id = ?"
        return connection.execute(query, (plan_id,)).fetchone()[0]

    def add_problems(self, connection: sqlite3.Connection, plan: Plan, problems: tuple[Problem, ...]) -> None:
        """Problems of no single step, shown with the plan from now on."""
        connection.execute(
            "UPDATE plans SET problems = ? WHERE id = ?",
            (rows.problems_text((*plan.problems, *problems)), plan.id),
        )

    def remove_failures(self, connection: sqlite3.Connection, plan: Plan) -> None:
        """What stopped an earlier attempt is of no interest once the plan is applied."""
        kept = tuple(problem for problem in plan.problems if problem.at == "input")
        connection.execute("UPDATE plans SET problems = ? WHERE id = ?", (rows.problems_text(kept), plan.id))

    def rolled_back_by(self) -> Mapping[str, str]:
        """For each plan that a completed rollback names: the id of that rollback."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT rolls_back, id FROM plans "
                "WHERE rolls_back IS NOT NULL AND state = 'completed' ORDER BY sequence"
            )
            return {str(plan): str(by) for plan, by in found.fetchall()}

    def _select(
        self, connection: sqlite3.Connection, where: str, values: tuple[object, ...]
    ) -> tuple[Plan, ...]:
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute(f"SELECT * FROM plans {where}", values).fetchall()
        try:
            return tuple(rows.plan_of(row, self._steps(cursor, row["id"])) for row in found)
        except (ValueError, KeyError, TypeError) as error:
            raise damaged(self._database.file, error) from error

    def _steps(self, cursor: sqlite3.Cursor, plan_id: str) -> tuple[Step, ...]:
        decisions = {
            row["number"]: rows.decision_of(row)
            for row in cursor.execute(
                "SELECT * FROM decisions WHERE plan_id = ? AND taken_back IS NULL", (plan_id,)
            ).fetchall()
        }
        found = cursor.execute("SELECT * FROM steps WHERE plan_id = ? ORDER BY number", (plan_id,)).fetchall()
        return tuple(rows.step_of(row, decisions.get(row["number"])) for row in found)

    def require(self, plan: Plan, number: int) -> Step:
        """The plan's step with that number. Raises UsageError."""
        step = plan.step(number)
        if step is None:
            raise UsageError(
                "step.not_found",
                f"Plan {plan.short_id} has no step {number}.",
                f"Its steps are numbered from 1 to {len(plan.steps)}.",
            )
        if step.number != number:
            raise InternalError("step.order", f"Plan {plan.short_id} is stored in disorder.", "Report this.")
        return step
