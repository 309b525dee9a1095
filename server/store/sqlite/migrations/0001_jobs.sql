-- Jobs, their items, and the results of these. Times are milliseconds since
-- 1970. Numbers of states are those of server/store/job_store.h.

CREATE TABLE job (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  caller TEXT NOT NULL,
  -- The space of the caller, in which the blobs are.
  space TEXT NOT NULL,
  display_name TEXT NOT NULL,
  request_id TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  state INTEGER NOT NULL,
  -- Items, and how many of them have a result, an error as their result, a
  -- lease, and were given up.
  total INTEGER NOT NULL,
  ok INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  leased INTEGER NOT NULL DEFAULT 0,
  set_aside INTEGER NOT NULL DEFAULT 0,
  create_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL DEFAULT 0,
  end_ms INTEGER NOT NULL DEFAULT 0,
  -- Serialized messages. The last columns, since they may be large: SQLite reads
  -- a row up to the last column that it needs.
  annotations BLOB NOT NULL,
  options BLOB NOT NULL
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
  -- Serialized; empty = the options of the job.
  options BLOB NOT NULL,
  -- 0 = waits, 1 = leased, 2 = done.
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

-- One row at most for each item: its key is that of the item.
CREATE TABLE result (
  job INTEGER NOT NULL,
  item INTEGER NOT NULL,
  -- The digest of the source that it was made from.
  blob TEXT NOT NULL,
  code INTEGER NOT NULL,
  -- A serialized ClipResult.
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
