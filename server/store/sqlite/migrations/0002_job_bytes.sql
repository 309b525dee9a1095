-- The bytes of the rows of each job, by its caller: 256 for each row, and the
-- texts and messages in it. Jobs that no caller sees are not counted.

CREATE TABLE job_bytes (
  caller TEXT NOT NULL,
  job INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (caller, job)
) STRICT, WITHOUT ROWID;

INSERT INTO job_bytes (caller, job, bytes)
  SELECT caller, number,
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
