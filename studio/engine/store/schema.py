"""Tables of a project's store, and migrations from older versions."""

from __future__ import annotations

SCHEMA_VERSION = 16
"""Version of the schema.

Numbers are never reused, and stores of 1 to 11 exist.
"""

OLDEST_VERSION = 12
"""Oldest version that is migrated.

No release created older ones: such a store is archived (`Database.archived`).
"""

_PARTS = """
CREATE TABLE parts (
    plan_id TEXT NOT NULL REFERENCES plans (id),
    number INTEGER NOT NULL,
    applied TEXT NOT NULL,
    position INTEGER NOT NULL,
    discarded TEXT,
    discarded_by TEXT,
    discarded_seen TEXT,
    PRIMARY KEY (plan_id, number)
) WITHOUT ROWID;
"""

MIGRATIONS = {
    12: "ALTER TABLE steps ADD COLUMN unit TEXT;",
    # What was applied before is one part.
    13: f"""
ALTER TABLE steps ADD COLUMN part INTEGER;
UPDATE steps SET part = 1 WHERE state IN ('applied', 'rolled_back');
{_PARTS}
INSERT INTO parts SELECT id, 1, applied,
    COALESCE((SELECT MAX(position) FROM journal WHERE plan_id = plans.id), 0),
    discarded, discarded_by, discarded_seen
FROM plans WHERE applied IS NOT NULL;
""",
    14: "ALTER TABLE plans ADD COLUMN reviews TEXT;",
    15: "ALTER TABLE steps ADD COLUMN revised TEXT;",
}
"""Statements that migrate from a version to the next.

All that are needed run in one transaction, after a copy.
"""

CREATE = f"""
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
    restores TEXT,
    reviews TEXT
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
    part INTEGER,
    revised TEXT,
    PRIMARY KEY (plan_id, number)
) WITHOUT ROWID;
{_PARTS}
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

CREATE TABLE drafts (
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    place INTEGER NOT NULL,
    value BLOB NOT NULL,
    written TEXT NOT NULL,
    PRIMARY KEY (plan_id, number, kind, place)
) WITHOUT ROWID;

CREATE TABLE rebases (
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
CREATE INDEX rebases_by_step ON rebases (plan_id, number);

CREATE TABLE recontexts (
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (plan_id, number)
) WITHOUT ROWID;

CREATE TABLE mismatches (
    agent TEXT NOT NULL,
    path BLOB NOT NULL,
    sha256 TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (agent, path)
) WITHOUT ROWID;

CREATE TABLE dismissals (
    plan_id TEXT PRIMARY KEY,
    was TEXT NOT NULL,
    who TEXT NOT NULL,
    made TEXT NOT NULL,
    seen TEXT NOT NULL,
    folder BLOB
) WITHOUT ROWID;

CREATE TABLE sessions (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    door TEXT NOT NULL,
    name TEXT NOT NULL,
    since TEXT NOT NULL,
    last TEXT NOT NULL,
    open_plan TEXT
);
CREATE INDEX sessions_by_name ON sessions (agent, door, name);

CREATE TABLE calls (
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

CREATE TABLE session_events (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    made TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;

CREATE TABLE observed_groups (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL
);

CREATE TABLE observed (
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
CREATE INDEX observed_by_state ON observed (state);

CREATE TABLE trials (
    sequence INTEGER PRIMARY KEY,
    plan_id TEXT NOT NULL,
    made TEXT NOT NULL,
    said TEXT NOT NULL
);
CREATE INDEX trials_by_plan ON trials (plan_id);

CREATE TABLE left_out (plan_id TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID;
"""
