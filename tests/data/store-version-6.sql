-- A store as the code of commit 6a7b61c left it: schema version 6, before there were sessions.
PRAGMA user_version = 6;
BEGIN TRANSACTION;
CREATE TABLE blobs (
    sha256 BLOB PRIMARY KEY,
    size INTEGER NOT NULL,
    packed BLOB
);
INSERT INTO "blobs" VALUES(X'C3F9C8C283A2B1F2F1896F27A01CBE3CDDC0C9D93F752E4639035A0F5B36F6E8',8,X'28B52FFD20084100006F6E650A74776F0A');
INSERT INTO "blobs" VALUES(X'76C42883F55D56AAF8BD8C0F9F8343A27E50ECA45473710C3C13D48345FC63E5',9,X'28B52FFD200949000065696E730A74776F0A');
INSERT INTO "blobs" VALUES(X'CEA7589481795A99CC8B7989CC24706FD26D46CDE9FC381D07DB562DE08B2E18',10,X'28B52FFD200A51000065696E730A7A7765690A');
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
INSERT INTO "decisions" VALUES(1,'0eb153e7-d709-4d08-a40d-bf2b6f823859',1,'approve','tester','2026-11-22T19:11:30.041Z','','c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8','76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5','{}',0,'65024:3360081','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F7465737465722F2E636F6E6669672F6578616374612D73747564696F');
INSERT INTO "decisions" VALUES(2,'021af10e-357e-43ec-8d1f-58dcf865e488',1,'reject','tester','2026-11-22T19:11:32.394Z','not wanted',NULL,NULL,'{}',0,'65024:3360081','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F7465737465722F2E636F6E6669672F6578616374612D73747564696F');
CREATE TABLE dismissals (
    plan_id TEXT PRIMARY KEY,
    was TEXT NOT NULL,
    who TEXT NOT NULL,
    made TEXT NOT NULL,
    seen TEXT NOT NULL,
    folder BLOB
) WITHOUT ROWID;
INSERT INTO "dismissals" VALUES('021af10e-357e-43ec-8d1f-58dcf865e488','rejected','tester','2026-11-22T19:11:33.731Z','configuration',X'2F686F6D652F7465737465722F2E636F6E6669672F6578616374612D73747564696F');
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
INSERT INTO "journal" VALUES(1,'2026-11-22T19:11:30.060Z','0eb153e7-d709-4d08-a40d-bf2b6f823859','e6a38ffd-3599-4a50-9c2f-ca4e885b824a','e6a38ffd-3599-4a50-9c2f-ca4e885b824a-1','FileWrite','{"$type":"FileWrite","base":{"mode":420,"sha256":"c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8","size":8},"content":{"sha256":"76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5","size":9},"correlationId":"e6a38ffd-3599-4a50-9c2f-ca4e885b824a-1","createMode":"ReplaceExisting","executable":null,"path":"a.txt","result":{"mode":420,"sha256":"76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5","size":9},"temporary":".exacta-e6a38ffd-3599-4a50-9c2f-ca4e885b824a-1.tmp"}',X'FE9F0539A5D247B5FCD5B6981E960766E6907FAC9F9A2FEF7CD48B12107E67BB',2);
INSERT INTO "journal" VALUES(2,'2026-11-22T19:11:30.076Z','0eb153e7-d709-4d08-a40d-bf2b6f823859','e6a38ffd-3599-4a50-9c2f-ca4e885b824a','e6a38ffd-3599-4a50-9c2f-ca4e885b824a-1','FileWritten','{"$type":"FileWritten","bytesWritten":9,"correlationId":"e6a38ffd-3599-4a50-9c2f-ca4e885b824a-1","exclusive":true,"path":"a.txt"}',X'F8D8A27DDBE3AF72376CC64CDFE4F2E0D4505E27F569449AA626CD0100C764DF',2);
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
    discarded_seen TEXT
);
INSERT INTO "plans" VALUES(1,'0eb153e7-d709-4d08-a40d-bf2b6f823859',1,'Applied','tester','plan','completed','2026-11-22T19:11:28.805Z','2026-11-22T19:11:30.076Z',X'A44932FA781B10D5FDF48689D48A4B3D434DA1D98C986699E94403D47AD0325D','[]',NULL,NULL,NULL,NULL);
INSERT INTO "plans" VALUES(2,'021af10e-357e-43ec-8d1f-58dcf865e488',1,'Rejected','tester','plan','dismissed','2026-11-22T19:11:31.166Z',NULL,X'F85548FFB1F1B74439416E7EC493B06283FE2C18B3F8ECCB288E8F4C8107F921','[]',NULL,'2026-11-22T19:11:33.731Z',NULL,NULL);
INSERT INTO "plans" VALUES(3,'994bf069-0429-4563-8984-7e8176c6a008',1,'Waiting','tester','plan','pending','2026-11-22T19:11:35.077Z',NULL,X'6B3520A26039B5D1868AD7149465B33D25C567A0C2E01D23A134B7C9BC3A5F9E','[]',NULL,NULL,NULL,NULL);
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
INSERT INTO "steps" VALUES('021af10e-357e-43ec-8d1f-58dcf865e488',1,'a1359e09-440f-46b4-ad99-ab0f12f0941e','create',X'6E6F2E747874',NULL,'rejected',NULL,'["564739ea8fa5926d4fa5c9734fed462061960a22e6b8d5c06e94969d97891bf2", 3, 420]',1,0,'[[1, 0, 0, 1, 1]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('0eb153e7-d709-4d08-a40d-bf2b6f823859',1,'e6a38ffd-3599-4a50-9c2f-ca4e885b824a','modify',X'612E747874',NULL,'applied','["c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8", 8, 420]','["76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5", 9, 420]',1,1,'[[1, 1, 2, 1, 2]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('994bf069-0429-4563-8984-7e8176c6a008',1,'2e43344c-b18c-4865-8f71-9000609c529b','modify',X'612E747874',NULL,'pending','["76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5", 9, 420]','["cea7589481795a99cc8b7989cc24706fd26d46cde9fc381d07db562de08b2e18", 10, 420]',1,1,'[[1, 1, 2, 1, 2]]','[]','[]','','[]',NULL);
CREATE TABLE unfinished (plan_id TEXT PRIMARY KEY REFERENCES plans (id)) WITHOUT ROWID;
CREATE INDEX blobs_by_size ON blobs (size);
CREATE INDEX plans_by_submission ON plans (submission);
CREATE INDEX plans_by_state ON plans (state);
CREATE INDEX decisions_by_step ON decisions (plan_id, number);
CREATE INDEX journal_by_plan ON journal (plan_id);
CREATE INDEX rebases_by_step ON rebases (plan_id, number);
COMMIT;
