-- What several servers need.

-- The identity of the database, which its data folder has, too.
CREATE TABLE identity (id TEXT NOT NULL);
INSERT INTO identity SELECT gen_random_uuid()::text;

-- Leases of several servers. The numbers of the leases of one server begin with
-- the number of the server.

CREATE SEQUENCE server_number AS INTEGER;

CREATE INDEX item_lease ON item (lease) WHERE state = 1;

-- Rows of items and counts change often: they are cleaned often, and have room
-- to change where they are.
ALTER TABLE item SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
                      autovacuum_vacuum_cost_delay = 0);
ALTER TABLE job SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE job_count SET (fillfactor = 50,
                           autovacuum_vacuum_scale_factor = 0.02);
