#pragma once

// The rows of a database of jobs, read by a check. All engines have the same
// tables, so one text of SQL reads the rows of each.
//
//   std::unique_ptr<JobRows> rows;
//   BVHMILL_RETURN_IF_ERROR(OpenSqliteRows(path, &rows));
//   BVHMILL_RETURN_IF_ERROR(
//       rows->Read("SELECT id FROM job", [](const JobRows::Row& row) { ... }));

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// One thread at a time. Changes nothing in the database. Statuses: those of
// JobStore.
class JobRows {
 public:
  using Row = std::vector<std::string>;

  JobRows() = default;
  virtual ~JobRows() = default;
  JobRows(const JobRows&) = delete;
  JobRows& operator=(const JobRows&) = delete;

  // Reads all data of the engine. Calls `add` with one sentence for each
  // damage.
  virtual absl::Status FindDamage(
      const std::function<void(const std::string& fault)>& add) = 0;

  // Calls `take` with each row of a query. Numbers are decimal digits. All
  // queries see the database as it was at the first one.
  virtual absl::Status Read(
      const std::string& sql,
      const std::function<void(const Row& row)>& take) = 0;

  // Ends the snapshot of the first query. Call it after the last Read.
  virtual void EndReads() {}

  // Sets `is_named` to true if an item or a result names the blob now. Also
  // sees changes since the first query.
  virtual absl::Status IsNamed(const BlobName& blob, bool* is_named) = 0;
};

// Opens the database of one server at `path`. FAILED_PRECONDITION,
// DATA_TOO_OLD, DATA_TOO_NEW: see CheckSchemaVersion.
absl::Status OpenSqliteRows(const std::string& path,
                            std::unique_ptr<JobRows>* rows);

// Finds whether an item names the blob $1 of the space $2.
inline constexpr char kIsNamedSql[] =
    "SELECT 1 WHERE " BVHMILL_IS_NAMED("$1::text", "$2::text");

}  // namespace bvhmill::server
