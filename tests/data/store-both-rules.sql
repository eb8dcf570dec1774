PRAGMA user_version = 12;
BEGIN TRANSACTION;
CREATE TABLE blobs (
    sha256 BLOB PRIMARY KEY,
    size INTEGER NOT NULL,
    packed BLOB
);
INSERT INTO "blobs" VALUES(X'C3F9C8C283A2B1F2F1896F27A01CBE3CDDC0C9D93F752E4639035A0F5B36F6E8',8,X'28B52FFD20084100006F6E650A74776F0A');
INSERT INTO "blobs" VALUES(X'76C42883F55D56AAF8BD8C0F9F8343A27E50ECA45473710C3C13D48345FC63E5',9,X'28B52FFD200949000065696E730A74776F0A');
INSERT INTO "blobs" VALUES(X'7AA7A5359173D05B63CFD682E3C38487F3CB4F7F1D60659FE59FAB1505977D4C',4,X'28B52FFD20042100006E65770A');
INSERT INTO "blobs" VALUES(X'9B75290F6A6359A2A3471022CBBA4B724E45105B313AE8F6C103A2F79E82A857',4,X'28B52FFD20042100006C6F670A');
INSERT INTO "blobs" VALUES(X'29A893F5B746957D04D5E07D56E9DB4D3C83309026C5D444A6124D480967A617',9,X'28B52FFD20094900006C6F670A6D6F72650A');
INSERT INTO "blobs" VALUES(X'2396099C6C084FA4B9BEAC9F0D52CF3BE9CF8D47040EF127883D532B5790CD74',5,X'28B52FFD20052900006D6F72650A');
INSERT INTO "blobs" VALUES(X'CEA7589481795A99CC8B7989CC24706FD26D46CDE9FC381D07DB562DE08B2E18',10,X'28B52FFD200A51000065696E730A7A7765690A');
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
INSERT INTO "decisions" VALUES(1,'56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b',1,'approve','ada','2026-11-22T12:13:39.931Z','','c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8','76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5','{}',0,'1:1','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F6164612F636F6E666967');
INSERT INTO "decisions" VALUES(2,'56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b',2,'approve','ada','2026-11-22T12:13:39.931Z','',NULL,'7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c','{}',0,'1:1','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F6164612F636F6E666967');
INSERT INTO "decisions" VALUES(3,'bf76ee5f-3079-481a-bc4a-0edcd0b0b71e',1,'approve','ada','2026-11-22T12:13:43.236Z','','9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857','29a893f5b746957d04d5e07d56e9db4d3c83309026c5d444a6124d480967a617','{}',0,'1:1','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F6164612F636F6E666967');
INSERT INTO "decisions" VALUES(4,'bf76ee5f-3079-481a-bc4a-0edcd0b0b71e',2,'approve','ada','2026-11-22T12:13:43.236Z','','7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c',NULL,'{}',0,'1:1','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F6164612F636F6E666967');
INSERT INTO "decisions" VALUES(5,'b776f270-18cb-4a88-9aa6-17784da800f4',1,'approve','ada','2026-11-22T12:13:43.976Z','',NULL,'7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c','{}',0,'1:1','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F6164612F636F6E666967');
INSERT INTO "decisions" VALUES(6,'b776f270-18cb-4a88-9aa6-17784da800f4',2,'approve','ada','2026-11-22T12:13:43.976Z','','29a893f5b746957d04d5e07d56e9db4d3c83309026c5d444a6124d480967a617','9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857','{}',0,'1:1','fe6a8209708512d12fc8c9dacc6bce1cf334b8f911620490b620bf3ebb208ad1','[]',NULL,'configuration',X'2F686F6D652F6164612F636F6E666967');
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
    hash BLOB NOT NULL
, rule INTEGER NOT NULL DEFAULT 1);
INSERT INTO "journal" VALUES(1,'2026-11-22T12:13:39.948Z','56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b','eda28dc4-6422-405c-9f4b-af448bbeb789','eda28dc4-6422-405c-9f4b-af448bbeb789-made1-1','DirectoryCreate','{"$type":"DirectoryCreate","correlationId":"eda28dc4-6422-405c-9f4b-af448bbeb789-made1-1","mode":493,"path":"src"}',X'4862FF1E08B15A677931D30AE3C76139C53A429EF5F8E315A595502C5C71D9D6',1);
INSERT INTO "journal" VALUES(2,'2026-11-22T12:13:39.948Z','56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b','330598d6-a99b-4df1-9c9a-b8a356926df3','330598d6-a99b-4df1-9c9a-b8a356926df3-1','FileWrite','{"$type":"FileWrite","base":{"mode":420,"sha256":"c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8","size":8},"content":{"sha256":"76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5","size":9},"correlationId":"330598d6-a99b-4df1-9c9a-b8a356926df3-1","createMode":"ReplaceExisting","executable":null,"path":"a.txt","result":{"mode":420,"sha256":"76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5","size":9},"temporary":".exacta-330598d6-a99b-4df1-9c9a-b8a356926df3-1.tmp"}',X'29A4C519B69E5DE87C7FCDE4C1DD4E4A8BA339F7B4880A2D4FB782766A90B40C',1);
INSERT INTO "journal" VALUES(3,'2026-11-22T12:13:39.948Z','56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b','eda28dc4-6422-405c-9f4b-af448bbeb789','eda28dc4-6422-405c-9f4b-af448bbeb789-1','FileWrite','{"$type":"FileWrite","base":null,"content":{"sha256":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","size":4},"correlationId":"eda28dc4-6422-405c-9f4b-af448bbeb789-1","createMode":"CreateNew","executable":null,"path":"src/new.txt","result":{"mode":420,"sha256":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","size":4},"temporary":"src/.exacta-eda28dc4-6422-405c-9f4b-af448bbeb789-1.tmp"}',X'C917689CA47C9EDCA174BBA7A575364097D13BC764B6E41AE038172E2853C8E1',1);
INSERT INTO "journal" VALUES(4,'2026-11-22T12:13:39.962Z','56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b','eda28dc4-6422-405c-9f4b-af448bbeb789','eda28dc4-6422-405c-9f4b-af448bbeb789-made1-1','DirectoryCreated','{"$type":"DirectoryCreated","correlationId":"eda28dc4-6422-405c-9f4b-af448bbeb789-made1-1","path":"src"}',X'6308934B71201ED047C399E99EC5334A06D456BA458AFB09CE8F7140AF3B60DA',1);
INSERT INTO "journal" VALUES(5,'2026-11-22T12:13:39.962Z','56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b','330598d6-a99b-4df1-9c9a-b8a356926df3','330598d6-a99b-4df1-9c9a-b8a356926df3-1','FileWritten','{"$type":"FileWritten","bytesWritten":9,"correlationId":"330598d6-a99b-4df1-9c9a-b8a356926df3-1","exclusive":true,"path":"a.txt"}',X'EE95CD346A79B8FB3C3DF496E50250871B0D0E07405EF2A25741B4304692B79D',1);
INSERT INTO "journal" VALUES(6,'2026-11-22T12:13:39.962Z','56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b','eda28dc4-6422-405c-9f4b-af448bbeb789','eda28dc4-6422-405c-9f4b-af448bbeb789-1','FileWritten','{"$type":"FileWritten","bytesWritten":4,"correlationId":"eda28dc4-6422-405c-9f4b-af448bbeb789-1","exclusive":true,"path":"src/new.txt"}',X'03C3709EEABE110356D9EFCC192D54D5354DD0BE0085912741C51AF73CB4A0DA',1);
INSERT INTO "journal" VALUES(7,'2026-11-22T12:13:43.252Z','bf76ee5f-3079-481a-bc4a-0edcd0b0b71e','7df85356-2102-4cff-aca3-e23fa520c5f6','7df85356-2102-4cff-aca3-e23fa520c5f6-1','FileWrite','{"$type":"FileWrite","base":{"mode":420,"sha256":"9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857","size":4},"content":{"sha256":"2396099c6c084fa4b9beac9f0d52cf3be9cf8d47040ef127883d532b5790cd74","size":5},"correlationId":"7df85356-2102-4cff-aca3-e23fa520c5f6-1","createMode":"AppendExisting","executable":null,"path":"log.txt","result":{"mode":420,"sha256":"29a893f5b746957d04d5e07d56e9db4d3c83309026c5d444a6124d480967a617","size":9},"temporary":".exacta-7df85356-2102-4cff-aca3-e23fa520c5f6-1.tmp"}',X'C5F5E4290147A366E974FDADC9338A4D4B64DAF81EF65DF119C8BE1368B712FD',1);
INSERT INTO "journal" VALUES(8,'2026-11-22T12:13:43.252Z','bf76ee5f-3079-481a-bc4a-0edcd0b0b71e','859812bd-b7c9-4afc-bd0f-294e1193a10a','859812bd-b7c9-4afc-bd0f-294e1193a10a-1','FileDelete','{"$type":"FileDelete","base":{"mode":420,"sha256":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","size":4},"correlationId":"859812bd-b7c9-4afc-bd0f-294e1193a10a-1","ifEmpty":false,"path":"src/new.txt","recursive":false,"temporary":"src/.exacta-859812bd-b7c9-4afc-bd0f-294e1193a10a-1.tmp"}',X'91448FC729A1233F929DA9DDDBC7A63D4BC62334C97466971F922B9DFB07768A',1);
INSERT INTO "journal" VALUES(9,'2026-11-22T12:13:43.256Z','bf76ee5f-3079-481a-bc4a-0edcd0b0b71e','7df85356-2102-4cff-aca3-e23fa520c5f6','7df85356-2102-4cff-aca3-e23fa520c5f6-1','FileWritten','{"$type":"FileWritten","bytesWritten":5,"correlationId":"7df85356-2102-4cff-aca3-e23fa520c5f6-1","exclusive":true,"path":"log.txt"}',X'03ACF54EA8B7FC7F703BC9599BEA8F5CB6133C02B35D7300159BCB8229CDC85F',1);
INSERT INTO "journal" VALUES(10,'2026-11-22T12:13:43.256Z','bf76ee5f-3079-481a-bc4a-0edcd0b0b71e','859812bd-b7c9-4afc-bd0f-294e1193a10a','859812bd-b7c9-4afc-bd0f-294e1193a10a-1','FileDeleted','{"$type":"FileDeleted","correlationId":"859812bd-b7c9-4afc-bd0f-294e1193a10a-1","deletedCount":1,"path":"src/new.txt"}',X'7F845550555532D66DDED42CA0C1B4669AC70F124B1A9B35C6E0EE66D6558EB3',1);
INSERT INTO "journal" VALUES(11,'2026-11-22T12:13:43.980Z','b776f270-18cb-4a88-9aa6-17784da800f4','26c2ff28-275c-4c6f-8a83-203164587cc3','26c2ff28-275c-4c6f-8a83-203164587cc3-1','FileWrite','{"$type":"FileWrite","base":null,"content":{"sha256":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","size":4},"correlationId":"26c2ff28-275c-4c6f-8a83-203164587cc3-1","createMode":"CreateNew","executable":null,"path":"src/new.txt","result":{"mode":420,"sha256":"7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c","size":4},"temporary":"src/.exacta-26c2ff28-275c-4c6f-8a83-203164587cc3-1.tmp"}',X'EC0D10723E9A5CD922D7AE9D75B549BBAECB1979941EA09E5174D719FAE58417',1);
INSERT INTO "journal" VALUES(12,'2026-11-22T12:13:43.980Z','b776f270-18cb-4a88-9aa6-17784da800f4','d2982571-f75c-4fbc-b816-80cb89fefdcf','d2982571-f75c-4fbc-b816-80cb89fefdcf-1','FileWrite','{"$type":"FileWrite","base":{"mode":420,"sha256":"29a893f5b746957d04d5e07d56e9db4d3c83309026c5d444a6124d480967a617","size":9},"content":{"sha256":"9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857","size":4},"correlationId":"d2982571-f75c-4fbc-b816-80cb89fefdcf-1","createMode":"ReplaceExisting","executable":null,"path":"log.txt","result":{"mode":420,"sha256":"9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857","size":4},"temporary":".exacta-d2982571-f75c-4fbc-b816-80cb89fefdcf-1.tmp"}',X'F83DDEF98ADF24CEA46832EB009A080928A6ED6F252495F5E04690949A4480B7',1);
INSERT INTO "journal" VALUES(13,'2026-11-22T12:13:43.982Z','b776f270-18cb-4a88-9aa6-17784da800f4','26c2ff28-275c-4c6f-8a83-203164587cc3','26c2ff28-275c-4c6f-8a83-203164587cc3-1','FileWritten','{"$type":"FileWritten","bytesWritten":4,"correlationId":"26c2ff28-275c-4c6f-8a83-203164587cc3-1","exclusive":true,"path":"src/new.txt"}',X'9C0C4F306A872B3EB81B65080A6D09E57A4CB111A0DCBFCEEDEF9E0E3A36CC50',1);
INSERT INTO "journal" VALUES(14,'2026-11-22T12:13:43.982Z','b776f270-18cb-4a88-9aa6-17784da800f4','d2982571-f75c-4fbc-b816-80cb89fefdcf','d2982571-f75c-4fbc-b816-80cb89fefdcf-1','FileWritten','{"$type":"FileWritten","bytesWritten":4,"correlationId":"d2982571-f75c-4fbc-b816-80cb89fefdcf-1","exclusive":true,"path":"log.txt"}',X'0DDF3D8727A6BFEB1A29C9877CA3A8A1F26F769A27243E5DE281FCBE2937F6BC',1);
INSERT INTO "journal" VALUES(15,'2026-11-28T10:13:24.450Z','','','fb4864bd8bce420897775df11a35c589','JournalUpgraded','{"$type":"JournalUpgraded","correlationId":"fb4864bd8bce420897775df11a35c589","fromPosition":15,"schemaVersion":"2"}',X'50392B0DAD681961BF66D54D479E95356075C80F96B8E89FD4AB310840EDD0CD',2);
CREATE TABLE left_out (plan_id TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE mismatches (
    agent TEXT NOT NULL,
    path BLOB NOT NULL,
    sha256 TEXT NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (agent, path)
) WITHOUT ROWID;
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
CREATE TABLE observed_groups (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL
);
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
, discarded_by TEXT, discarded_seen TEXT, session TEXT, message TEXT NOT NULL DEFAULT '', waits INTEGER NOT NULL DEFAULT 0, restores TEXT);
INSERT INTO "plans" VALUES(1,'56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b',1,'First words','tester','plan','completed','2026-11-22T12:13:37.388Z','2026-11-22T12:13:39.963Z',X'9D74F149E5C4062092126D12AA2862C424F67840D641FD7076FAFF52C482D16E','[]',NULL,NULL,NULL,NULL,NULL,'',0,NULL);
INSERT INTO "plans" VALUES(2,'bf76ee5f-3079-481a-bc4a-0edcd0b0b71e',1,'More words','tester','plan','rolled_back','2026-11-22T12:13:41.417Z','2026-11-22T12:13:43.256Z',X'191FF1F45CE9648768A58F05C092731EA75B2F6B4E6D54D7B8C7209976274DF7','[]',NULL,NULL,NULL,NULL,NULL,'',0,NULL);
INSERT INTO "plans" VALUES(3,'b776f270-18cb-4a88-9aa6-17784da800f4',1,'Roll back “More words”','ada','rollback','completed','2026-11-22T12:13:43.976Z','2026-11-22T12:13:43.982Z',X'A39FBC881903BC1D4EBEC76E86DF04D4BBD67B2AF4121221C124B1A75424E6F3','[]','bf76ee5f-3079-481a-bc4a-0edcd0b0b71e',NULL,NULL,NULL,NULL,'',0,NULL);
INSERT INTO "plans" VALUES(4,'98d6fa46-8b8f-4c09-a040-6e8491606521',1,'Still waiting','tester','plan','pending','2026-11-22T12:13:44.502Z',NULL,X'6B3520A26039B5D1868AD7149465B33D25C567A0C2E01D23A134B7C9BC3A5F9E','[]',NULL,NULL,NULL,NULL,NULL,'',0,NULL);
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
CREATE TABLE session_events (
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    made TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,
    PRIMARY KEY (session, number)
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
INSERT INTO "steps" VALUES('56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b',1,'330598d6-a99b-4df1-9c9a-b8a356926df3','modify',X'612E747874',NULL,'applied','["c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8", 8, 420]','["76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5", 9, 420]',1,1,'[[1, 1, 2, 1, 2]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('56cc6cba-ce1e-4fdf-a8b0-83b14a8fa43b',2,'eda28dc4-6422-405c-9f4b-af448bbeb789','create',X'7372632F6E65772E747874',NULL,'applied',NULL,'["7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c", 4, 420]',1,0,'[[1, 0, 0, 1, 1]]','[]','[]','','["src"]',NULL);
INSERT INTO "steps" VALUES('98d6fa46-8b8f-4c09-a040-6e8491606521',1,'3d0d317a-5eb7-46ed-b84d-256307ac02ef','modify',X'612E747874',NULL,'pending','["76c42883f55d56aaf8bd8c0f9f8343a27e50eca45473710c3c13d48345fc63e5", 9, 420]','["cea7589481795a99cc8b7989cc24706fd26d46cde9fc381d07db562de08b2e18", 10, 420]',1,1,'[[1, 1, 2, 1, 2]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('b776f270-18cb-4a88-9aa6-17784da800f4',1,'26c2ff28-275c-4c6f-8a83-203164587cc3','create',X'7372632F6E65772E747874',NULL,'applied',NULL,'["7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c", 4, 420]',1,0,'[[1, 0, 0, 1, 1]]','[]','[]','','[]','859812bd-b7c9-4afc-bd0f-294e1193a10a');
INSERT INTO "steps" VALUES('b776f270-18cb-4a88-9aa6-17784da800f4',2,'d2982571-f75c-4fbc-b816-80cb89fefdcf','modify',X'6C6F672E747874',NULL,'applied','["29a893f5b746957d04d5e07d56e9db4d3c83309026c5d444a6124d480967a617", 9, 420]','["9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857", 4, 420]',0,1,'[[1, 1, 2, 1, 1]]','[]','[]','','[]','7df85356-2102-4cff-aca3-e23fa520c5f6');
INSERT INTO "steps" VALUES('bf76ee5f-3079-481a-bc4a-0edcd0b0b71e',1,'7df85356-2102-4cff-aca3-e23fa520c5f6','append',X'6C6F672E747874',NULL,'rolled_back','["9b75290f6a6359a2a3471022cbba4b724e45105b313ae8f6c103a2f79e82a857", 4, 420]','["29a893f5b746957d04d5e07d56e9db4d3c83309026c5d444a6124d480967a617", 9, 420]',1,0,'[[1, 1, 1, 1, 2]]','[]','[]','','[]',NULL);
INSERT INTO "steps" VALUES('bf76ee5f-3079-481a-bc4a-0edcd0b0b71e',2,'859812bd-b7c9-4afc-bd0f-294e1193a10a','delete',X'7372632F6E65772E747874',NULL,'rolled_back','["7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c", 4, 420]',NULL,0,1,'[[1, 1, 1, 0, 0]]','[]','[{"kind": "delete", "severity": "warning", "message": "Deletes the file with 1 line.", "side": null, "line": null, "column": null}]','','[]',NULL);
CREATE TABLE trials (
    sequence INTEGER PRIMARY KEY,
    plan_id TEXT NOT NULL,
    made TEXT NOT NULL,
    said TEXT NOT NULL
);
CREATE TABLE unfinished (plan_id TEXT PRIMARY KEY REFERENCES plans (id)) WITHOUT ROWID;
CREATE INDEX blobs_by_size ON blobs (size);
CREATE INDEX plans_by_submission ON plans (submission);
CREATE INDEX plans_by_state ON plans (state);
CREATE INDEX decisions_by_step ON decisions (plan_id, number);
CREATE INDEX journal_by_plan ON journal (plan_id);
CREATE INDEX rebases_by_step ON rebases (plan_id, number);
CREATE INDEX sessions_by_name ON sessions (agent, door, name);
CREATE INDEX observed_by_state ON observed (state);
CREATE INDEX trials_by_plan ON trials (plan_id);
COMMIT;
