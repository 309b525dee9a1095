#pragma once

#include <cstdint>

namespace bvhmill::testing {

// From now on, every write, fsync, cut and removal that SQLite does to its own
// files passes a fault point; or no longer. No database may be open meanwhile,
// and no other thread may use SQLite.
void NumberFilesOfSqlite(bool are_numbered);

// Temporary files that SQLite has made since they are numbered.
int64_t TemporaryFilesOfSqlite();

}  // namespace bvhmill::testing
