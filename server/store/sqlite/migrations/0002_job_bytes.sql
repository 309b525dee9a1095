-- The bytes of the rows of each job that a caller sees: 256 for each row, and
-- the texts and messages in it.

CREATE TABLE job_bytes (
  job INTEGER PRIMARY KEY,
  caller TEXT NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

-- The jobs of each caller that has some, and the sums of their bytes.
CREATE TABLE caller_jobs (
  caller TEXT PRIMARY KEY,
  jobs INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER job_added AFTER INSERT ON job_bytes BEGIN
  INSERT INTO caller_jobs VALUES (new.caller, 1, new.bytes)
    ON CONFLICT (caller) DO UPDATE
    SET jobs = jobs + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER job_grown AFTER UPDATE OF bytes ON job_bytes BEGIN
  UPDATE caller_jobs SET bytes = bytes + new.bytes - old.bytes
    WHERE caller = new.caller;
END;

CREATE TRIGGER job_dropped AFTER DELETE ON job_bytes BEGIN
  UPDATE caller_jobs SET jobs = jobs - 1, bytes = bytes - old.bytes
    WHERE caller = old.caller;
  DELETE FROM caller_jobs WHERE caller = old.caller AND jobs = 0;
END;

INSERT INTO job_bytes (job, caller, bytes)
  SELECT number, caller,
    256 + length(CAST(display_name AS BLOB)) + length(annotations) +
    length(options) + length(CAST(request_id AS BLOB)) +
    (SELECT coalesce(sum(256 + length(CAST(key AS BLOB)) +
                         length(CAST(item.display_name AS BLOB)) +
                         length(item.options)), 0)
     FROM item WHERE item.job = job.number) +
    (SELECT coalesce(sum(256 + length(bytes)), 0)
     FROM result WHERE result.job = job.number) +
    (SELECT 256 * count(*) FROM output WHERE output.job = job.number)
  FROM job WHERE caller <> '/gone';
