#pragma once

// The mark of a database that is in use: an empty file jobs.db-open in the same
// folder. It exists from the start of a server to its orderly end. Meanwhile
// jobs.db-wal has jobs that jobs.db lacks. So if the mark is there and the log
// is not, jobs are lost.

#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

// DATA_INCOMPLETE if the database at `path` has a mark, and it or its log is
// missing or empty; or if it may not begin anew, and is missing or empty. Call
// it before SQLite opens the file: SQLite would begin anew, and remove a log
// that is left.
absl::Status CheckJobsThere(const std::string& path, bool may_begin);
// DATA_INCOMPLETE: the database has no tables, which servers make at first.
absl::Status JobsLost();

// Makes the mark. The caller syncs the folder.
absl::Status SetOpenMark(const std::string& path);
// Removes the mark; that is on the disk when this returns OK.
absl::Status RemoveOpenMark(const std::string& path);
bool HasOpenMark(const std::string& path);

}  // namespace bvhmill::server
