-- The bytes that an unfinished item of each job counts with for the share of its
-- caller: those that its outputs are expected to have.

ALTER TABLE job_bytes ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
