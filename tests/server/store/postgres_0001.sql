-- A database of the first schema, as pg_dump wrote it. See
-- postgres_servers_test.cc.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA bvhmill;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE bvhmill.item (
    job bigint NOT NULL,
    number bigint NOT NULL,
    key bytea NOT NULL,
    blob text NOT NULL,
    encoding integer NOT NULL,
    format integer NOT NULL,
    display_name bytea NOT NULL,
    options bytea NOT NULL,
    state integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    not_before_ms bigint DEFAULT 0 NOT NULL,
    lease bigint DEFAULT 0 NOT NULL,
    lease_until_ms bigint DEFAULT 0 NOT NULL,
    last_error bytea DEFAULT '\x'::bytea NOT NULL
);
CREATE TABLE bvhmill.job (
    number bigint NOT NULL,
    id text NOT NULL,
    caller text NOT NULL COLLATE pg_catalog."C",
    space text NOT NULL,
    display_name bytea NOT NULL,
    annotations bytea NOT NULL,
    options bytea NOT NULL,
    request_id bytea NOT NULL,
    request_digest text NOT NULL,
    state integer NOT NULL,
    total bigint NOT NULL,
    create_ms bigint NOT NULL,
    start_ms bigint DEFAULT 0 NOT NULL,
    end_ms bigint DEFAULT 0 NOT NULL
);
CREATE TABLE bvhmill.job_count (
    job bigint NOT NULL,
    slot integer NOT NULL,
    leased bigint DEFAULT 0 NOT NULL,
    ok bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    set_aside bigint DEFAULT 0 NOT NULL
);
ALTER TABLE bvhmill.job ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME bvhmill.job_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE bvhmill.output (
    job bigint NOT NULL,
    item bigint NOT NULL,
    "position" integer NOT NULL,
    blob text NOT NULL
);
CREATE TABLE bvhmill.result (
    job bigint NOT NULL,
    item bigint NOT NULL,
    blob text NOT NULL,
    code integer NOT NULL,
    bytes bytea NOT NULL
);
CREATE TABLE bvhmill.schema_version (
    steps integer NOT NULL
);
INSERT INTO bvhmill.item VALUES (1, 0, '\x646f6e652e627668', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0, 0, '\x', '\x', 2, 0, 0, 0, 17, 900500, '\x');
INSERT INTO bvhmill.item VALUES (1, 1, '\x6c65617365642e627668', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 0, 0, '\x', '\x', 1, 0, 0, 0, 18, 900500, '\x');
INSERT INTO bvhmill.item VALUES (1, 2, '\x77616974732e627668', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 0, 0, '\x', '\x6f776e', 0, 0, 0, 0, 0, 0, '\x');
INSERT INTO bvhmill.item VALUES (1, 3, '\x6661696c65642e627668', 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 0, 0, '\x', '\x', 0, 1, 0, 0, 0, 0, '\x6e6f206d656d6f7279');
INSERT INTO bvhmill.job OVERRIDING SYSTEM VALUE VALUES (1, 'oldjob', 'caller', '0123456789abcdef', '\x616e206f6c64206a6f62', '\x', '\x6f7074696f6e73', '\x7231', 'd1', 2, 4, 900000, 900001, 0);
INSERT INTO bvhmill.job_count VALUES (1, 3, 2, 0, 0, 0);
INSERT INTO bvhmill.job_count VALUES (1, 4, -1, 1, 0, 0);
INSERT INTO bvhmill.output VALUES (1, 0, 0, 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee');
INSERT INTO bvhmill.result VALUES (1, 0, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0, '\x616e206f6c6420726573756c74');
INSERT INTO bvhmill.schema_version VALUES (1);
SELECT pg_catalog.setval('bvhmill.job_number_seq', 1, true);
ALTER TABLE ONLY bvhmill.item
    ADD CONSTRAINT item_pkey PRIMARY KEY (job, number);
ALTER TABLE ONLY bvhmill.job_count
    ADD CONSTRAINT job_count_pkey PRIMARY KEY (job, slot);
ALTER TABLE ONLY bvhmill.job
    ADD CONSTRAINT job_id_key UNIQUE (id);
ALTER TABLE ONLY bvhmill.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (number);
ALTER TABLE ONLY bvhmill.output
    ADD CONSTRAINT output_pkey PRIMARY KEY (job, item, "position");
ALTER TABLE ONLY bvhmill.result
    ADD CONSTRAINT result_pkey PRIMARY KEY (job, item);
CREATE INDEX item_blob ON bvhmill.item USING btree (blob);
CREATE INDEX item_suspect ON bvhmill.item USING btree (job, number) WHERE ((state = 0) AND (crashes >= 2));
CREATE INDEX item_waiting ON bvhmill.item USING btree (job, number) WHERE ((state = 0) AND (crashes < 2));
CREATE INDEX job_of_caller ON bvhmill.job USING btree (caller, number);
CREATE INDEX job_over ON bvhmill.job USING btree (end_ms) WHERE (state >= 4);
CREATE UNIQUE INDEX job_request ON bvhmill.job USING btree (caller, request_id) WHERE (request_id <> '\x'::bytea);
CREATE INDEX job_unfinished ON bvhmill.job USING btree (caller, number) WHERE (state < 4);
CREATE INDEX output_blob ON bvhmill.output USING btree (blob);
CREATE INDEX result_failed ON bvhmill.result USING btree (job, item) WHERE (code <> 0);
