#pragma once

// Claims of the store in PostgreSQL.

#include <benchmark/benchmark.h>

#include <cstddef>

namespace bvhmill::bench {

// Four workers claim sixteen items at a time and complete them, all of one job,
// on a PostgreSQL of this machine that syncs what it commits. A result has
// about `result_bytes` and an output, or neither if it is 0. Counters:
// claims_per_s, items that were claimed and completed per second, and
// bytes_per_item of the database. An error if an item was claimed twice or has
// no result.
void ClaimFromPostgres(size_t result_bytes, benchmark::State* state);

}  // namespace bvhmill::bench
