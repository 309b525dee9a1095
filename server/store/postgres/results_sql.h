#pragma once

// The statements that read a page of results. A test asks PostgreSQL for their
// plans.

namespace bvhmill::server {

// The results of the job $1 after the item $2: $3 of them at most, and as many
// as have $4 bytes together, but one at least. `size` is the sum of the bytes
// up to this row, the row included.
#define BVHMILL_RESULTS(which)                                              \
  "SELECT item, bytes FROM (SELECT item, bytes, row_number() OVER so_far, " \
  "sum(octet_length(bytes)) OVER so_far AS size FROM (SELECT item, bytes "  \
  "FROM result WHERE job = $1 AND item > $2" which                          \
  " ORDER BY item LIMIT $3)"                                                \
  " page WINDOW so_far AS (ORDER BY item)) sized WHERE row_number = 1 OR "  \
  "size <= $4 ORDER BY item"

inline constexpr char kResultsSql[] = BVHMILL_RESULTS("");
inline constexpr char kFailedResultsSql[] = BVHMILL_RESULTS(" AND code <> 0");

#undef BVHMILL_RESULTS

}  // namespace bvhmill::server
