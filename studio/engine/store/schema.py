"""The tables of a project's store, and how older ones become these; a newer store is only read (design 7)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from studio.engine.limits import PLAN_PROBLEMS_UP_TO, STEP_PROBLEMS_UP_TO
from studio.engine.problem_lists import shortened, shortened_path
from studio.engine.store import rows, values
from studio.engine.store.chain import begin_second_rule

SCHEMA_VERSION = 13

_DRAFTS = """
CREATE TABLE drafts (
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    place INTEGER NOT NULL,
    value BLOB NOT NULL,
    written TEXT NOT NULL,
    PRIMARY KEY (plan_id, number, kind, place)
) WITHOUT ROWID;
"""

_SECOND_TRIES = """
CREATE TABLE IF NOT EXISTS rebases (
    sequence INTEGER PRIMARY KEY,
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    made TEXT NOT NULL,
    base TEXT NOT NULL,
    result TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    hunks TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS rebases_by_step ON rebases (plan_id, number);

CREATE TABLE IF NOT EXISTS recontexts (
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (plan_id, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS mismatches (
    agent TEXT NOT NULL,
    path BLOB NOT NULL,
    sha256 TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (agent, path)
) WITHOUT ROWID;
"""

_DISMISSALS = """
CREATE TABLE IF NOT EXISTS dismissals (
    plan_id TEXT PRIMARY KEY,
    was TEXT NOT NULL,
    who TEXT NOT NULL,
    made TEXT NOT NULL,
    seen TEXT NOT NULL,
    folder BLOB
) WITHOUT ROWID;
"""

_SECOND_RULE = """
ALTER TABLE plans ADD COLUMN discarded_by TEXT;
ALTER TABLE plans ADD COLUMN discarded_seen TEXT;
ALTER TABLE journal ADD COLUMN rule INTEGER NOT NULL DEFAULT 1;
"""

_SESSIONS = """
CREATE TABLE IF NOT EXISTS sessions (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    door TEXT NOT NULL,
    name TEXT NOT NULL,
    since TEXT NOT NULL,
    last TEXT NOT NULL,
    open_plan TEXT
);
CREATE INDEX IF NOT EXISTS sessions_by_name ON sessions (agent, door, name);
"""

_CALLS = """
CREATE TABLE IF NOT EXISTS calls (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    tool TEXT NOT NULL,
    command TEXT NOT NULL,
    cwd BLOB NOT NULL,
    state TEXT NOT NULL,
    since TEXT NOT NULL,
    who TEXT,
    made TEXT,
    seen TEXT,
    words TEXT NOT NULL DEFAULT '',
    folder BLOB
);
"""

_SESSION_EVENTS = """
CREATE TABLE IF NOT EXISTS session_events (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    made TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""

_OBSERVED = """
CREATE TABLE IF NOT EXISTS observed_groups (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS observed (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    op TEXT NOT NULL,
    path BLOB NOT NULL,
    target BLOB,
    before TEXT,
    after TEXT,
    seen TEXT NOT NULL,
    group_number INTEGER,
    hints TEXT NOT NULL,
    state TEXT NOT NULL,
    who TEXT,
    decided TEXT,
    decided_seen TEXT,
    folder BLOB
);
CREATE INDEX IF NOT EXISTS observed_by_state ON observed (state);
"""

_TRIALS = """
CREATE TABLE IF NOT EXISTS trials (
    sequence INTEGER PRIMARY KEY,
    plan_id TEXT NOT NULL,
    made TEXT NOT NULL,
    said TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS trials_by_plan ON trials (plan_id);
CREATE TABLE IF NOT EXISTS left_out (plan_id TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID;
"""

# One wrong diff left a hundred thousand problems, or a name of megabytes, to whoever lists plans.
_SHORTER_LISTS = (
    """UPDATE steps SET problems = shortened_problems(problems, (
        SELECT COUNT(*) FROM steps AS other WHERE other.plan_id = steps.plan_id AND other.problems <> '[]'
    )) WHERE length(problems) > 10000""",
    "UPDATE plans SET problems = shortened_problems(problems, 0) WHERE length(problems) > 10000",
    "UPDATE steps SET path = shortened_path(path) WHERE state = 'invalid' AND length(path) > 4095",
    "UPDATE steps SET target = shortened_path(target) WHERE state = 'invalid' AND length(target) > 4095",
)

MIGRATIONS = {
    1: "ALTER TABLE plans ADD COLUMN discarded TEXT;\n" + _DRAFTS + _SECOND_TRIES,
    2: _SECOND_TRIES + "\nALTER TABLE decisions ADD COLUMN comments TEXT NOT NULL DEFAULT '[]';",
    3: "ALTER TABLE decisions ADD COLUMN seen TEXT;\nALTER TABLE decisions ADD COLUMN folder BLOB;",
    4: _SECOND_RULE,
    5: _DISMISSALS,
    6: "ALTER TABLE plans ADD COLUMN session TEXT;\n" + _SESSIONS,
    7: "ALTER TABLE plans ADD COLUMN message TEXT NOT NULL DEFAULT '';",
    8: "ALTER TABLE plans ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;\n" + _CALLS,
    9: _SESSION_EVENTS,
    10: "ALTER TABLE plans ADD COLUMN restores TEXT;\n" + _OBSERVED,
    11: _TRIALS,
    12: "ALTER TABLE steps ADD COLUMN unit TEXT;",
}
"""What leads from a version to the next; all that are due run in one transaction, after a copy."""


def _shorten_lists(connection: sqlite3.Connection) -> None:
    connection.create_function("shortened_problems", 2, _shortened_problems)
    connection.create_function("shortened_path", 1, _shortened_path)
    for statement in _SHORTER_LISTS:
        connection.execute(statement)


def _shortened_problems(text: str, steps: int) -> str:
    """The problems of one of so many steps with problems, or with 0 those of no single step.

    What is damaged stays as it is: who reads the plan is told.
    """
    share = PLAN_PROBLEMS_UP_TO if steps == 0 else min(STEP_PROBLEMS_UP_TO, PLAN_PROBLEMS_UP_TO // steps)
    try:
        return rows.problems_text(shortened(rows.problems_of(text), max(1, share)))
    except ValueError:
        return text


def _shortened_path(stored: bytes) -> bytes | None:
    try:
        return rows.path_bytes(shortened_path(values.checked_path(stored, "path")))
    except ValueError:
        return stored


def _complete_the_fifth(connection: sqlite3.Connection) -> None:
    """Give a store what came with version 5, where it was made in the half hour in which that version had
    dismissals and not yet a rule for each row of the journal."""
    if all(column[1] != "rule" for column in connection.execute("PRAGMA table_info(journal)")):
        for statement in filter(str.strip, _SECOND_RULE.split(";\n")):
            connection.execute(statement)
        begin_second_rule(connection)
    _shorten_lists(connection)


AFTERWARDS: Mapping[int, Callable[[sqlite3.Connection], None]] = {
    4: begin_second_rule,
    5: _complete_the_fifth,
}
"""What no statement can say of the way from a version to the next; it comes after the statements."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE blobs (
    sha256 BLOB PRIMARY KEY,
    size INTEGER NOT NULL,
    packed BLOB
);
CREATE INDEX blobs_by_size ON blobs (size);

CREATE TABLE plans (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    agent TEXT NOT NULL,
    format TEXT NOT NULL,
    state TEXT NOT NULL,
    created TEXT NOT NULL,
    applied TEXT,
    submission BLOB,
    problems TEXT NOT NULL,
    rolls_back TEXT,
    discarded TEXT,
    discarded_by TEXT,
    discarded_seen TEXT,
    session TEXT,
    message TEXT NOT NULL DEFAULT '',
    waits INTEGER NOT NULL DEFAULT 0,
    restores TEXT
);
CREATE TABLE unfinished (plan_id TEXT PRIMARY KEY REFERENCES plans (id)) WITHOUT ROWID;
CREATE INDEX plans_by_submission ON plans (submission);
CREATE INDEX plans_by_state ON plans (state);

CREATE TABLE steps (
    plan_id TEXT NOT NULL REFERENCES plans (id),
    number INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    op TEXT NOT NULL,
    path BLOB NOT NULL,
    target BLOB,
    state TEXT NOT NULL,
    base TEXT,
    result TEXT,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    hunks TEXT NOT NULL,
    problems TEXT NOT NULL,
    facts TEXT NOT NULL,
    reason TEXT NOT NULL,
    made_folders TEXT NOT NULL,
    undoes TEXT,
    unit TEXT,
    PRIMARY KEY (plan_id, number)
) WITHOUT ROWID;

CREATE TABLE decisions (
    sequence INTEGER PRIMARY KEY,
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    who TEXT NOT NULL,
    made TEXT NOT NULL,
    words TEXT NOT NULL,
    base_sha256 TEXT,
    decided_sha256 TEXT,
    choices TEXT NOT NULL,
    edited INTEGER NOT NULL,
    root_identity TEXT NOT NULL,
    policy_fingerprint TEXT NOT NULL,
    comments TEXT NOT NULL,
    taken_back TEXT,
    seen TEXT,
    folder BLOB
);
CREATE INDEX decisions_by_step ON decisions (plan_id, number);

-- `rule` is the last column: a program of before that still has the store open gives one value too few for
-- it, and SQLite refuses what would be a link by the old rule in a chain of the new one.
CREATE TABLE journal (
    position INTEGER PRIMARY KEY,
    written TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    step_id TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    type TEXT NOT NULL,
    entry TEXT NOT NULL,
    hash BLOB NOT NULL,
    rule INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX journal_by_plan ON journal (plan_id);
"""

CREATE = "".join(
    (
        _TABLES,
        _DRAFTS,
        _SECOND_TRIES,
        _DISMISSALS,
        _SESSIONS,
        _CALLS,
        _SESSION_EVENTS,
        _OBSERVED,
        _TRIALS,
    )
)
