-- Jobs, their items, and the results of these: the twin of the schema of the
-- embedded database (server/store/sqlite/migrations). Times are milliseconds since
-- 1970. Numbers of states are those of server/store/job_store.h.
--
-- Texts that callers choose are bytes of UTF-8: a text of PostgreSQL has no NUL.

CREATE TABLE job (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  caller TEXT COLLATE "C" NOT NULL,
  -- The space of the caller, in which the blobs are.
  space TEXT NOT NULL,
  display_name BYTEA NOT NULL,
  -- Serialized messages.
  annotations BYTEA NOT NULL,
  options BYTEA NOT NULL,
  request_id BYTEA NOT NULL,
  request_digest TEXT NOT NULL,
  state INTEGER NOT NULL,
  total BIGINT NOT NULL,
  create_ms BIGINT NOT NULL,
  start_ms BIGINT NOT NULL DEFAULT 0,
  end_ms BIGINT NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX job_request ON job (caller, request_id)
  WHERE request_id <> '';
CREATE INDEX job_of_caller ON job (caller, number);
CREATE INDEX job_unfinished ON job (caller, number) WHERE state < 4;
CREATE INDEX job_over ON job (end_ms) WHERE state >= 4;

-- How many items of a job have a result, an error as their result, a lease, and
-- were given up: the sums over the slots. Each connection adds to a slot, so
-- that the connections do not wait for each other.
CREATE TABLE job_count (
  job BIGINT NOT NULL,
  slot INTEGER NOT NULL,
  leased BIGINT NOT NULL DEFAULT 0,
  ok BIGINT NOT NULL DEFAULT 0,
  failed BIGINT NOT NULL DEFAULT 0,
  set_aside BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (job, slot)
);

CREATE TABLE item (
  job BIGINT NOT NULL,
  number BIGINT NOT NULL,
  key BYTEA NOT NULL,
  blob TEXT NOT NULL,
  encoding INTEGER NOT NULL,
  format INTEGER NOT NULL,
  display_name BYTEA NOT NULL,
  -- Serialized; empty = the options of the job.
  options BYTEA NOT NULL,
  -- 0 = waits, 1 = leased, 2 = done.
  state INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  not_before_ms BIGINT NOT NULL DEFAULT 0,
  lease BIGINT NOT NULL DEFAULT 0,
  -- By the clock of the database.
  lease_until_ms BIGINT NOT NULL DEFAULT 0,
  last_error BYTEA NOT NULL DEFAULT '',
  PRIMARY KEY (job, number)
);

CREATE INDEX item_waiting ON item (job, number)
  WHERE state = 0 AND crashes < 2;
CREATE INDEX item_suspect ON item (job, number)
  WHERE state = 0 AND crashes >= 2;
CREATE INDEX item_blob ON item (blob);

-- One row at most for each item: its key is that of the item.
CREATE TABLE result (
  job BIGINT NOT NULL,
  item BIGINT NOT NULL,
  -- The digest of the source that it was made from.
  blob TEXT NOT NULL,
  code INTEGER NOT NULL,
  -- A serialized ClipResult.
  bytes BYTEA NOT NULL,
  PRIMARY KEY (job, item)
);

CREATE INDEX result_failed ON result (job, item) WHERE code <> 0;

CREATE TABLE output (
  job BIGINT NOT NULL,
  item BIGINT NOT NULL,
  position INTEGER NOT NULL,
  blob TEXT NOT NULL,
  PRIMARY KEY (job, item, position)
);

CREATE INDEX output_blob ON output (blob);
