"""Plans, steps and decisions in the store; every change of state passes the table of `plan`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from studio.engine.draft import LeftOutPath
from studio.engine.errors import Refused, UsageError
from studio.engine.limits import PLAN_PROBLEMS_UP_TO
from studio.engine.plan import (
    OPEN_PLAN_STATES,
    PLAN_TRANSITIONS,
    STEP_TRANSITIONS,
    Decision,
    Operation,
    PersonSource,
    Plan,
    PlanState,
    Problem,
    Step,
    StepState,
    settled,
)
from studio.engine.problem_lists import shortened
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.engine.store.selection import StoredPlan, full_id, with_steps

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


class Plans:
    """The proposal half of the store. Methods that write take the transaction's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reader = PlanReader(database)

    @property
    def damages(self) -> tuple[str, ...]:
        """A sentence for each plan that lists left out because a row of it can't be read."""
        return tuple(self._reader.damages.values())

    def add(self, connection: sqlite3.Connection, plan: Plan, submission: str) -> None:
        """Store a new plan with its steps; `submission` is the hash of all it proposes (contract 3)."""
        connection.execute(
            "INSERT INTO plans "
            "(id, version, title, agent, format, state, created, submission, problems, rolls_back, restores, "
            "session, message, waits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        """A plan as this transaction sees it. Raises Refused where it is damaged."""
        return self._reader.select(connection, "WHERE id = ?", (plan_id,))[0]

    def rebase(self, connection: sqlite3.Connection, plan_id: str, step: Step) -> None:
        """Lay another base and result, with its hunks and facts, beside a step; the proposal stays."""
        connection.execute(_INSERT_REBASE, rows.rebase_row(plan_id, step))

    def get(self, id_or_prefix: str) -> Plan:
        """The plan with that id or unique prefix of at least 4 characters. Raises NotFound or UsageError."""
        with self._database.read() as connection:
            plan_id = full_id(connection, id_or_prefix)
            return self._reader.select(connection, "WHERE id = ?", (plan_id,))[0]

    # To read the whole of a plan of 2,000 files took 30 ms, for each file that was shown.
    def step(self, id_or_prefix: str, number: int) -> Step:
        """One step of the plan that `get` gives, without reading the others. Raises NotFound, UsageError."""
        with self._database.read() as connection:
            plan_id = full_id(connection, id_or_prefix)
            steps = self._reader.select(connection, "WHERE id = ?", (plan_id,), number)[0].steps
        return steps[0] if steps else self.require(self.get(plan_id), number)

    def full_id(self, id_or_prefix: str) -> str:
        """The id of the plan that `get` gives, without the plan. Raises as `get`."""
        with self._database.read() as connection:
            return full_id(connection, id_or_prefix)

    def newest(self, states: Iterable[PlanState], count: int) -> tuple[Plan, ...]:
        """At most so many proposals in these states, the newest, oldest first."""
        wanted = tuple(state.value for state in states)
        marks = ", ".join("?" * len(wanted))
        proposals = "rolls_back IS NULL AND restores IS NULL"
        where = f"WHERE state IN ({marks}) AND {proposals} ORDER BY sequence DESC LIMIT ?"
        with self._database.read() as connection:
            return self._reader.select(connection, where, (*wanted, count))[::-1]

    def all(self, states: Iterable[PlanState] | None = None, *, is_whole: bool = False) -> tuple[Plan, ...]:
        """Plans, oldest first; all, or those in the given states.

        One that is damaged keeps nobody from the others: it is left out, and `damages` names it. Who must
        know all of them says `is_whole`; then it raises Refused.
        """
        with self._database.read() as connection:
            if states is None:
                return self._reader.select(connection, "ORDER BY sequence", (), is_whole=is_whole)
            wanted, verb = [state.value for state in states], "IN"
            others = [state.value for state in PlanState if state.value not in wanted]
            if len(others) < len(wanted):  # so that a state nobody knows is met, and named
                wanted, verb = others, "NOT IN"
            where = f"WHERE state {verb} ({', '.join('?' * len(wanted))}) ORDER BY sequence"
            return self._reader.select(connection, where, tuple(wanted), is_whole=is_whole)

    def count(self, states: Iterable[PlanState]) -> Mapping[PlanState, int]:
        """How many proposals are in each of these states, without reading any of them."""
        wanted = tuple(state.value for state in states)
        marks = ", ".join("?" * len(wanted))
        proposals = "rolls_back IS NULL AND restores IS NULL"
        query = f"SELECT state, COUNT(*) FROM plans WHERE state IN ({marks}) AND {proposals} GROUP BY state"
        with self._database.read() as connection:
            return {PlanState(state): number for state, number in connection.execute(query, wanted)}

    def by_submission(self, submission: str) -> tuple[Plan, ...]:
        """Plans that proposed the very same, newest first (contract 3)."""
        with self._database.read() as connection:
            return self._reader.select(
                connection,
                "WHERE submission = ? ORDER BY sequence DESC",
                (bytes.fromhex(submission),),
                is_whole=False,
            )

    def of_session(self, session: str, states: Iterable[PlanState]) -> tuple[Plan, ...]:
        """What a session proposed that is in these states, oldest first. Raises Refused for a damaged one."""
        wanted = tuple(state.value for state in states)
        where = f"WHERE session = ? AND state IN ({', '.join('?' * len(wanted))}) ORDER BY sequence"
        with self._database.read() as connection:
            return self._reader.select(connection, where, (session, *wanted))

    def open_twin(self, connection: sqlite3.Connection, submission: str) -> str | None:
        """The id of an open plan that proposed the very same; asked in the transaction that would add one."""
        found = connection.execute(
            "SELECT id FROM plans "
            "WHERE submission = ? AND state IN ('pending', 'approved') ORDER BY sequence",
            (bytes.fromhex(submission),),
        ).fetchone()
        return None if found is None else str(found[0])

    def open_paths(self) -> tuple[tuple[str, int, str], ...]:
        """Plan id, step number and path of everything that open steps would write, oldest plan first; of a
        damaged plan only what can be read."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT plans.id, number, op, path, target FROM plans JOIN steps ON plan_id = plans.id "
                "WHERE plans.state IN ('pending', 'approved') "
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
        """The state of a plan as this transaction sees it. Raises Refused where the store is damaged."""
        row = connection.execute("SELECT state FROM plans WHERE id = ?", (plan_id,)).fetchone()
        return self._word(PlanState, row[0])

    def step_states(self, connection: sqlite3.Connection, plan_id: str) -> dict[int, StepState]:
        """The states of a plan's steps as this transaction sees them. Raises Refused for a damaged store."""
        found = connection.execute("SELECT number, state FROM steps WHERE plan_id = ?", (plan_id,)).fetchall()
        known = {stored: self._word(StepState, stored) for stored in {row[1] for row in found}}
        return {row[0]: known[row[1]] for row in found}

    def version_of(self, connection: sqlite3.Connection, plan_id: str) -> int:
        """The version of a plan as this transaction sees it."""
        return connection.execute("SELECT version FROM plans WHERE id = ?", (plan_id,)).fetchone()[0]

    def set_plan_state(self, connection: sqlite3.Connection, plan_id: str, state: PlanState) -> None:
        """Move a plan to a state. Raises Refused when the table has no such way, or no longer has it."""
        current = self.state_of(connection, plan_id)
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
        """Move a step to a state; its decision is void where the table leads back to pending, and rests while
        the step is stale."""
        self.set_step_states(connection, plan_id, (number,), state)

    def set_step_states(
        self, connection: sqlite3.Connection, plan_id: str, numbers: Iterable[int], state: StepState
    ) -> None:
        """Move steps of one plan to a state, as `set_step_state` does. Raises Refused for a move that is
        not in the table of states (contract 4)."""
        wanted = tuple(numbers)
        query = "SELECT number, state FROM steps WHERE plan_id = ?"
        if len(wanted) == 1:
            found = connection.execute(f"{query} AND number = ?", (plan_id, *wanted))
        else:
            found = connection.execute(query, (plan_id,))
        states = dict(found.fetchall())
        moved: list[tuple[str, int]] = []
        for number in wanted:
            current = self._word(StepState, states[number])
            if current is state:
                continue
            if state not in STEP_TRANSITIONS[current]:
                raise Refused(
                    "step.state",
                    f"Step {number} is {current.words}; it can't become {state.words}.",
                    "Look at the plan again.",
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

    def settle(self, connection: sqlite3.Connection, plan_id: str) -> PlanState:
        """Give an open plan the state that follows from its steps; a closed one keeps its own."""
        current = self.state_of(connection, plan_id)
        if current not in OPEN_PLAN_STATES and current is not PlanState.REJECTED:
            return current
        query = "SELECT DISTINCT state FROM steps WHERE plan_id = ?"
        found = connection.execute(query, (plan_id,)).fetchall()
        wanted = settled(self._word(StepState, row[0]) for row in found)
        if wanted is not current and wanted not in PLAN_TRANSITIONS[current]:
            self.set_plan_state(connection, plan_id, PlanState.PENDING)
        self.set_plan_state(connection, plan_id, wanted)
        return wanted

    def _word(self, kind: type[_State], stored: object) -> _State:
        with readable(self._database.file):
            return values.word(kind, {"state": stored}, "state")

    def set_made_folders(
        self, connection: sqlite3.Connection, plan_id: str, number: int, folders: tuple[str, ...]
    ) -> None:
        """Record which folders a step made, so that taking it back removes these and no others (Q71)."""
        connection.execute(
            "UPDATE steps SET made_folders = ? WHERE plan_id = ? AND number = ?",
            (json.dumps(folders), plan_id, number),
        )

    def mark_unfinished(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """From now on a crash leaves something to finish, undo or sweep."""
        connection.execute("INSERT OR IGNORE INTO unfinished VALUES (?)", (plan_id,))

    def mark_finished(self, connection: sqlite3.Connection, plan_id: str) -> None:
        """A crash from now on leaves nothing of this plan."""
        connection.execute("DELETE FROM unfinished WHERE plan_id = ?", (plan_id,))

    def oldest_kept(self) -> datetime | None:
        """When the oldest plan whose bytes are kept was applied, or proposed if it is closed without that."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT MIN(COALESCE(applied, created)) FROM plans WHERE discarded IS NULL "
                "AND (applied IS NOT NULL OR state NOT IN ('pending', 'approved', 'executing', 'paused'))"
            ).fetchone()
        with readable(self._database.file):
            return values.checked_moment(row[0], "applied") if row[0] is not None else None

    def titles(self) -> dict[str, str]:
        """The title of every plan, by id."""
        with self._database.read() as connection:
            found = connection.execute("SELECT id, title FROM plans").fetchall()
        return {str(plan_id): str(title) for plan_id, title in found}

    def applied_order(self) -> dict[str, int]:
        """A number for every applied plan, greater for what was applied later: the journal's own order, as
        the clock may have been set back in between."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT id, (SELECT MAX(position) FROM journal WHERE plan_id = plans.id) "
                "FROM plans WHERE applied IS NOT NULL"
            ).fetchall()
        return {plan_id: position or 0 for plan_id, position in found}

    def mark_discarded(
        self,
        connection: sqlite3.Connection,
        plan_ids: Iterable[str],
        who: str | None = None,
        seen: PersonSource | None = None,
    ) -> None:
        """The bytes that these plans name are freed: by a person, or because their time was over."""
        freed = (rows.time_text(rows.now()), who, seen.value if seen is not None else None)
        connection.executemany(
            "UPDATE plans SET discarded = ?, discarded_by = ?, discarded_seen = ? WHERE id = ?",
            [(*freed, plan_id) for plan_id in plan_ids],
        )

    def unfinished(self) -> tuple[Plan, ...]:
        """Plans whose apply, or the sweeping after it, did not come to its end."""
        with self._database.read() as connection:
            return self._reader.select(
                connection, "WHERE id IN (SELECT plan_id FROM unfinished) ORDER BY sequence", ()
            )

    def has_unfinished(self) -> bool:
        """Whether there is any of these, without reading it."""
        with self._database.read() as connection:
            return connection.execute("SELECT 1 FROM unfinished LIMIT 1").fetchone() is not None

    def step_places(
        self, connection: sqlite3.Connection, step_ids: Iterable[str]
    ) -> tuple[tuple[str, int, str | None], ...]:
        """Plan id, number and undone step of the steps with these ids, in no order."""
        return tuple(
            connection.execute(
                "SELECT plan_id, number, undoes FROM steps WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(tuple(step_ids)),),
            ).fetchall()
        )

    def made_folders(self, step_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The folders that steps made, by the ids of those that made any."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT id, made_folders FROM steps "
                "WHERE id IN (SELECT value FROM json_each(?)) AND made_folders <> '[]'",
                (json.dumps(tuple(step_ids)),),
            ).fetchall()
        with readable(self._database.file):
            return {step_id: rows.folders_of(folders) for step_id, folders in found}

    def has_applied_step(self, connection: sqlite3.Connection, plan_id: str) -> bool:
        """Whether anything that the plan wrote still stands."""
        query = "SELECT 1 FROM steps WHERE plan_id = ? AND state = 'applied' LIMIT 1"
        return connection.execute(query, (plan_id,)).fetchone() is not None

    def last_applied(self, path: str) -> Step | None:
        """The latest applied step that left its result at `path`, without the decision on it."""
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
            rebase = cursor.execute(
                "SELECT * FROM rebases WHERE plan_id = ? AND number = ? ORDER BY sequence DESC LIMIT 1",
                (row["plan_id"], row["number"]),
            ).fetchone()
            with readable(self._database.file):
                return rows.step_of(row, None, rebase)

    def decide(self, connection: sqlite3.Connection, plan_id: str, number: int, decision: Decision) -> None:
        """Record a decision; one that was made before is kept as taken back (contract 5)."""
        connection.execute(
            "UPDATE decisions SET taken_back = ? WHERE plan_id = ? AND number = ? AND taken_back IS NULL",
            (rows.time_text(decision.when), plan_id, number),
        )
        connection.execute(_INSERT_DECISION, rows.decision_row(plan_id, number, decision))

    def add_decided(self, connection: sqlite3.Connection, plan: Plan, submission: str) -> None:
        """Add a plan with the decisions that its steps carry."""
        self.add(connection, plan, submission)
        decided = (
            rows.decision_row(plan.id, step.number, step.decision) for step in plan.steps if step.decision
        )
        connection.executemany(_INSERT_DECISION, decided)

    def named_alone(self, connection: sqlite3.Connection, plan_ids: Iterable[str]) -> frozenset[str]:
        """SHA-256 of all bytes that these plans name, and no other plan whose bytes are kept, nor an
        unfinished apply. Raises Refused where a plan is damaged: what it names is not known."""
        ids = (json.dumps(tuple(plan_ids)),)
        chosen = "id IN (SELECT value FROM json_each(?))"
        kept = f"discarded IS NULL AND NOT {chosen} OR id IN (SELECT plan_id FROM unfinished)"
        going, staying = (self._reader.select(connection, f"WHERE {where}", ids) for where in (chosen, kept))
        named = frozenset[str]().union(*(plan.contents for plan in going))
        return named.difference(*(plan.contents for plan in staying))

    def decisions_made(self, connection: sqlite3.Connection, plan_id: str) -> int:
        """How many decisions on a plan were ever made or taken back; grows with each."""
        query = "SELECT COUNT(*) + COUNT(taken_back) FROM decisions WHERE plan_id = ?"
        return connection.execute(query, (plan_id,)).fetchone()[0]

    def deciding_folders(self) -> frozenset[Path]:
        """The configuration folders in which a person decided at the window or at a terminal (contract 8)."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT folder FROM (SELECT seen, folder FROM decisions UNION SELECT seen, folder FROM "
                "dismissals) WHERE seen IN (:window, :terminal) AND folder IS NOT NULL",
                {"window": PersonSource.WINDOW.value, "terminal": PersonSource.TERMINAL.value},
            ).fetchall()
        with readable(self._database.file):
            return frozenset(rows.folder_of(row[0]) for row in found)

    def decisions_on(self, step_ids: Sequence[str]) -> Mapping[str, Decision]:
        """The decision that stands on each of these steps, by the step's id."""
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

    def add_problems(self, connection: sqlite3.Connection, plan: Plan, problems: tuple[Problem, ...]) -> None:
        """Problems of no single step, shown with the plan from now on."""
        connection.execute(
            "UPDATE plans SET problems = ? WHERE id = ?",
            (rows.problems_text(shortened((*plan.problems, *problems), PLAN_PROBLEMS_UP_TO)), plan.id),
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

    def require(self, plan: Plan, number: int) -> Step:
        """The plan's step with that number. Raises UsageError."""
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
    """What one look at the store found the looks after it need not read: a single decision takes four.

    Another connection's commit ends that, and so does a write of our own; within one nothing is known, as
    what it changed may be taken back.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.damages: dict[str, str] = {}
        """A sentence for each plan (by its id) that was left out because a row of it can't be read."""
        self._state: tuple[int, int] | None = None
        self._known: dict[str, Plan] = {}
        self._steps = 0

    def select(
        self,
        connection: sqlite3.Connection,
        where: str,
        values: tuple[object, ...],
        number: int | None = None,
        *,
        is_whole: bool = True,
    ) -> tuple[Plan, ...]:
        """With a `number` the plans have that one step only, or none. One that is damaged is left out unless
        `is_whole`; then it raises Refused."""
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute(f"SELECT * FROM plans {where}", values).fetchall()
        is_kept = number is None and self._is_current()
        known = self._known if is_kept else {}
        plans: list[Plan] = []
        for first in range(0, len(found), _PLANS_AT_ONCE):
            part = found[first : first + _PLANS_AT_ONCE]
            unread = [row for row in part if row["id"] not in known]
            stored = {each.row["id"]: each for each in with_steps(cursor, unread, number)} if unread else {}
            for row in part:
                try:
                    plans.append(known.get(row["id"]) or self._read(stored[row["id"]], is_kept=is_kept))
                except Refused as error:
                    if is_whole:
                        raise
                    self.damages[str(row["id"])] = str(error)
        return tuple(plans)

    def _read(self, stored: StoredPlan, *, is_kept: bool) -> Plan:
        with readable(self._database.file):
            plan = stored.read()
        if is_kept and stored.is_short and self._steps + len(plan.steps) < _KEPT_STEPS:
            self._known[plan.id] = plan
            self._steps += max(1, len(plan.steps))
        return plan

    def _is_current(self) -> bool:
        """Whether what is known is all as this transaction sees it, or was forgotten."""
        state = self._database.state()
        if state is not None and state != self._state:
            self._state, self._known, self._steps = state, {}, 0
        return state is not None


def store_round(
    plans: Plans,
    connection: sqlite3.Connection,
    plan: Plan,
    submission: str,
    *,
    written: Sequence[Step],
    dropped: Sequence[Step],
) -> None:
    """Give a plan its next version: steps that are new or other than before are `written`, those it no longer
    proposes are invalid from now on. Without a valid step it is withdrawn."""
    places = [(plan.id, step.number) for step in written]
    for table in ("steps", "rebases", "recontexts"):
        connection.executemany(f"DELETE FROM {table} WHERE plan_id = ? AND number = ?", places)
    plans.add_steps(connection, plan.id, written)
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
        plans.settle(connection, plan.id)
    else:
        plans.set_plan_state(connection, plan.id, PlanState.CANCELLED)


def store_message(connection: sqlite3.Connection, plan_id: str, message: str) -> None:
    """Keep other words of a plan's author about the whole; nobody decides by them."""
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
    """Record the permission bits, by step number, that the results of a plan's steps have on disk."""
    for number, mode in modes.items():
        of_step = {"plan": plan_id, "number": number, "mode": mode}
        if not connection.execute(_OF_REBASE, of_step).rowcount:
            connection.execute(_OF_STEP, of_step)


class LeftOutPaths:
    """The paths of one project's plans. Methods that write take the transaction's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, connection: sqlite3.Connection, plan_id: str, paths: Sequence[LeftOutPath]) -> None:
        """Those of a plan, in the place of any before."""
        said = json.dumps([(each.path, each.why) for each in paths])
        connection.execute("INSERT OR REPLACE INTO left_out VALUES (?, ?)", (plan_id, said))

    def of(self, plan_id: str) -> tuple[LeftOutPath, ...]:
        """Those of one plan. Raises Refused for damaged ones."""
        with self._database.read() as connection:
            row = connection.execute("SELECT said FROM left_out WHERE plan_id = ?", (plan_id,)).fetchone()
        with readable(self._database.file):
            return () if row is None else tuple(LeftOutPath(path, why) for path, why in json.loads(row[0]))
