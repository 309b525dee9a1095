-- A database of the first schema. See upgrade_test.cc.
BEGIN;
CREATE TABLE job (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  caller TEXT NOT NULL,
  space TEXT NOT NULL,
  display_name TEXT NOT NULL,
  annotations BLOB NOT NULL,
  options BLOB NOT NULL,
  request_id TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  state INTEGER NOT NULL,
  total INTEGER NOT NULL,
  ok INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  leased INTEGER NOT NULL DEFAULT 0,
  set_aside INTEGER NOT NULL DEFAULT 0,
  create_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL DEFAULT 0,
  end_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX job_request ON job (caller, request_id)
  WHERE request_id <> '';
CREATE INDEX job_of_caller ON job (caller, number);
CREATE INDEX job_unfinished ON job (caller, number) WHERE state < 4;
CREATE INDEX job_over ON job (end_ms) WHERE state >= 4;
CREATE TABLE item (
  job INTEGER NOT NULL REFERENCES job (number),
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  blob TEXT NOT NULL,
  encoding INTEGER NOT NULL,
  format INTEGER NOT NULL,
  display_name TEXT NOT NULL,
  options BLOB NOT NULL,
  state INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  not_before_ms INTEGER NOT NULL DEFAULT 0,
  lease INTEGER NOT NULL DEFAULT 0,
  lease_until_ms INTEGER NOT NULL DEFAULT 0,
  last_error TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_waiting ON item (job, number) WHERE state = 0;
CREATE INDEX item_suspect ON item (job, number)
  WHERE state = 0 AND crashes >= 2;
CREATE INDEX item_leased ON item (lease_until_ms) WHERE state = 1;
CREATE INDEX item_blob ON item (blob);
CREATE TABLE result (
  job INTEGER NOT NULL,
  item INTEGER NOT NULL,
  blob TEXT NOT NULL,
  code INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (job, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX result_failed ON result (job, item) WHERE code <> 0;
CREATE TABLE output (
  job INTEGER NOT NULL,
  item INTEGER NOT NULL,
  position INTEGER NOT NULL,
  blob TEXT NOT NULL,
  PRIMARY KEY (job, item, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX output_blob ON output (blob);
INSERT INTO job (number, id, caller, space, display_name, annotations, options, request_id, request_digest, state, total, ok, failed, leased, set_aside, create_ms, start_ms, end_ms) VALUES (1, 'oldjob', 'caller', '0123456789abcdef', 'an old job', X'', X'6f7074696f6e73', 'r1', 'd1', 2, 4, 1, 0, 1, 0, 900000, 900001, 0);
INSERT INTO item VALUES (1, 0, 'done.bvh', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0, 0, '', X'', 2, 0, 0, 0, 17, 900500, '');
INSERT INTO item VALUES (1, 1, 'leased.bvh', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 0, 0, '', X'', 1, 0, 0, 0, 18, 900500, '');
INSERT INTO item VALUES (1, 2, 'waits.bvh', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 0, 0, '', X'6f776e', 0, 0, 0, 0, 0, 0, '');
INSERT INTO item VALUES (1, 3, 'failed.bvh', 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 0, 0, '', X'', 0, 1, 0, 0, 0, 0, 'no memory');
INSERT INTO result VALUES (1, 0, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0, X'616e206f6c6420726573756c74');
INSERT INTO output VALUES (1, 0, 0, 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');
PRAGMA user_version = 1;
COMMIT;
