"""The tables of a project's store, and how older ones become these; a newer store is only read (design 7)."""

from __future__ import annotations

SCHEMA_VERSION = 4

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

MIGRATIONS = {
    1: "ALTER TABLE plans ADD COLUMN discarded TEXT;\n" + _DRAFTS + _SECOND_TRIES,
    2: _SECOND_TRIES + "\nALTER TABLE decisions ADD COLUMN comments TEXT NOT NULL DEFAULT '[]';",
    3: "ALTER TABLE decisions ADD COLUMN seen TEXT;\nALTER TABLE decisions ADD COLUMN folder BLOB;",
}
"""What leads from a version to the next; all that are due run in one transaction, after a copy."""

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
    discarded TEXT
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

CREATE TABLE journal (
    position INTEGER PRIMARY KEY,
    written TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    step_id TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    type TEXT NOT NULL,
    entry TEXT NOT NULL,
    hash BLOB NOT NULL
);
CREATE INDEX journal_by_plan ON journal (plan_id);
"""

CREATE = _TABLES + _DRAFTS + _SECOND_TRIES
