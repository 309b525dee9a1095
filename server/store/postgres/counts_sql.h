#pragma once

// A statement that adds rows to the counts of jobs. `rows` is a SELECT of (job,
// slot, leased, ok, failed, set_aside, bytes), in the order of jobs:
// transactions then never wait for each other in a circle.

#define BVHMILL_ADD_COUNTS(rows)                                           \
  "INSERT INTO job_count (job, slot, leased, ok, failed, set_aside, "      \
  "bytes) " rows                                                           \
  " ON CONFLICT (job, slot) DO UPDATE SET leased = job_count.leased + "    \
  "excluded.leased, ok = job_count.ok + excluded.ok, failed = "            \
  "job_count.failed + excluded.failed, set_aside = job_count.set_aside + " \
  "excluded.set_aside, bytes = job_count.bytes + excluded.bytes"
