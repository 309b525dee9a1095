#pragma once

// The bytes of the rows of jobs, in the SQL of all engines: the slow twin of
// RowBytesOf, and of the counts that the stores keep.

#include "server/store/job_parts.h"

// A query for (caller, job, bytes) of each job that a caller sees. Between
// `from` and `to`, a column is the number of its bytes.
#define BVHMILL_ROW_BYTES(from, to)                                            \
  "SELECT caller, number AS job, 256 + " from "display_name" to " + " from     \
  "annotations" to " + " from "options" to " + " from "request_id" to          \
  " + (SELECT coalesce(sum(256 + " from "key" to " + " from                    \
  "item.display_name" to " + " from "item.options" to                          \
  "), 0) FROM item WHERE item.job = job.number) + (SELECT coalesce(sum(256 "   \
  "+ " from "result.bytes" to                                                  \
  "), 0) FROM result WHERE result.job = job.number) + (SELECT 256 * count(*) " \
  "FROM output WHERE output.job = job.number) AS bytes FROM job WHERE caller " \
  "<> '/gone'"

namespace bvhmill::server {

static_assert(kRowBytes == 256, "as in BVHMILL_ROW_BYTES");

}  // namespace bvhmill::server
