-- A store as the code of commit 2142dc6 left it: schema version 8, before agents' calls were kept.
PRAGMA user_version = 8;
BEGIN TRANSACTION;
CREATE TABLE blobs (
    sha256 BLOB PRIMARY KEY,
    size INTEGER NOT NULL,
    packed BLOB
);
INSERT INTO "blobs" VALUES(X'C3F9C8C283A2B1F2F1896F27A01CBE3CDDC0C9D93F752E4639035A0F5B36F6E8',8,X'28B52FFD20084100006F6E650A74776F0A');
INSERT INTO "blobs" VALUES(X'76C42883F55D56AAF8BD8C0F9F8343A27E50ECA45473710C3C13D48345FC63E5',9,X'28B52FFD200949000065696E730A74776F0A');
INSERT INTO "blobs" VALUES(X'7AA7A5359173D05B63CFD682E3C38487F3CB4F7F1D60659FE59FAB1505977D4C',4,X'28B52FFD20042100006E65770A');
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
INSERT INTO "decisions" VALUES(1,'95f87f17-056f-44aa-98f9-bb706ecd4b92',1,'approve','ada','2026-11-23T07:34:57.324Z','','c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8','76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5','{}',0,'65024:2147142','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',NULL);
CREATE TABLE dismissals (
    plan_id TEXT PRIMARY KEY,
    was TEXT NOT NULL,
    who TEXT NOT NULL,
    made TEXT NOT NULL,
    seen TEXT NOT NULL,
    folder BLOB
) WITHOUT ROWID;
CREATE TABLE drafts (
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    place INTEGER NOT NULL,
    value BLOB NOT NULL,
    written TEXT NOT NULL,
    PRIMARY KEY (plan_id, number, kind, place)
) WITHOUT ROWID;
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
INSERT INTO "journal" VALUES(1,'2026-11-23T07:34:57.336Z','95f87f17-056f-44aa-98f9-bb706ecd4b92','41bbf63e-c7fa-41c0-a1e4-e347c0b1732a','41bbf63e-c7fa-41c0-a1e4-e347c0b1732a-1','FileWrite','{"$type":"FileWrite","base":{"mode":420,"sha256":"c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8","size":8},"content":{"sha256":"76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5","size":9},"correlationId":"41bbf63e-c7fa-41c0-a1e4-e347c0b1732a-1","createMode":"ReplaceExisting","executable":null,"path":"a.txt","result":{"mode":420,"sha256":"76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5","size":9},"temporary":".exacta-41bbf63e-c7fa-41c0-a1e4-e347c0b1732a-1.tmp"}',X'EA403E77E69E8792DDECFBDB57AAE0B82E785BD9972EAEA34C2CBDF05107F5BB',2);
INSERT INTO "journal" VALUES(2,'2026-11-23T07:34:57.351Z','95f87f17-056f-44aa-98f9-bb706ecd4b92','41bbf63e-c7fa-41c0-a1e4-e347c0b1732a','41bbf63e-c7fa-41c0-a1e4-e347c0b1732a-1','FileWritten','{"$type":"FileWritten","bytesWritten":9,"correlationId":"41bbf63e-c7fa-41c0-a1e4-e347c0b1732a-1","exclusive":true,"path":"a.txt"}',X'B0FAF263B47CD908B521FFD1F939896F23555F860570077100D56EA52A9FF8AC',2);
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE mismatches (
    agent TEXT NOT NULL,
    path BLOB NOT NULL,
    sha256 TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (agent, path)
) WITHOUT ROWID;
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
    message TEXT NOT NULL DEFAULT ''
);
INSERT INTO "plans" VALUES(1,'95f87f17-056f-44aa-98f9-bb706ecd4b92',1,'First','claude-code','plan','completed','2026-11-23T07:34:56.754Z','2026-11-23T07:34:57.351Z',X'A44932FA781B10D5FDF48689D48A4B3D434DA1D98C986699E94403D47AD0325D','[]',NULL,NULL,NULL,NULL,NULL,'');
INSERT INTO "plans" VALUES(2,'9f4daccf-6ffb-4428-9106-00ad8f909001',2,'2 steps','codex','plan','pending','2026-11-23T07:34:58.144Z',NULL,X'B158AC71E5CC6187C0CEE99D5C3F8156E20128ABD3463FC34179EDC112F0D618','[]',NULL,NULL,NULL,NULL,'a3dc5d07-23bf-4e09-853f-f865b34d83d6','');
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
CREATE TABLE recontexts (
    plan_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (plan_id, number)
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
INSERT INTO "sessions" VALUES(1,'a3dc5d07-23bf-4e09-853f-f865b34d83d6','codex','fs','s1','2026-11-23T07:34:58.050Z','2026-11-23T07:34:58.859Z','9f4daccf-6ffb-4428-9106-00ad8f909001');
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
INSERT INTO "steps" VALUES('95f87f17-056f-44aa-98f9-bb706ecd4b92',1,'41bbf63e-c7fa-41c0-a1e4-e347c0b1732a','modify',X'612E747874',NULL,'applied','["c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8", 8, 420]','["76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5", 9, 420]',1,1,'[[1, 1, 2, 1, 2]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('9f4daccf-6ffb-4428-9106-00ad8f909001',1,'c910e566-0ccc-4449-b6d6-175b640e067c','create',X'622E747874',NULL,'pending',NULL,'["7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c", 4, 420]',1,0,'[[1, 0, 0, 1, 1]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('9f4daccf-6ffb-4428-9106-00ad8f909001',2,'6dd70171-eab5-4e1c-812f-174c588255f2','mkdir',X'64',NULL,'pending',NULL,'[null, 0, 493]',0,0,'[]','[]','[]','','[]',NULL);
CREATE TABLE unfinished (plan_id TEXT PRIMARY KEY REFERENCES plans (id)) WITHOUT ROWID;
CREATE INDEX blobs_by_size ON blobs (size);
CREATE INDEX plans_by_submission ON plans (submission);
CREATE INDEX plans_by_state ON plans (state);
CREATE INDEX decisions_by_step ON decisions (plan_id, number);
CREATE INDEX journal_by_plan ON journal (plan_id);
CREATE INDEX rebases_by_step ON rebases (plan_id, number);
CREATE INDEX sessions_by_name ON sessions (agent, door, name);
COMMIT;
