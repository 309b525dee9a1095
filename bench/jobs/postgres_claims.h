#pragma once

// Claims of the store in PostgreSQL.

#include <benchmark/benchmark.h>

namespace bvhmill::bench {

// Four workers claim sixteen items at a time and complete them, all of one job,
// on a PostgreSQL of this machine that syncs what it commits. Counters:
// claims_per_s, items that were claimed and completed per second, and
// bytes_per_item of the database. An error if an item was claimed twice or has
// no result.
void ClaimFromPostgres(benchmark::State& state);

}  // namespace bvhmill::bench
