-- The bytes of the rows of each job: 256 for each row, and the texts and
-- messages in it. While a job is not over, job_count has those that were added
-- since it was made; when it ends, they are added to the others. So the bytes
-- of all jobs of a caller are read from an index.

ALTER TABLE job ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_count ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;

UPDATE job SET bytes =
  256 + length(display_name) + length(annotations) + length(options) +
  length(request_id) +
  (SELECT coalesce(sum(256 + length(key) + length(item.display_name) +
                       length(item.options)), 0)
   FROM item WHERE item.job = job.number) +
  (SELECT coalesce(sum(256 + length(result.bytes)), 0)
   FROM result WHERE result.job = job.number) +
  (SELECT 256 * count(*) FROM output WHERE output.job = job.number)
  WHERE caller <> '/gone';

DROP INDEX job_of_caller;
CREATE INDEX job_of_caller ON job (caller, number) INCLUDE (bytes);
