#pragma once

// The rows of a database of jobs, read by a check. All engines use the same
// names of tables and columns, except for the counts of a job. So one text of
// SQL reads the rows of each engine.
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

  // A query with a row for each job that has counts: job, ok, failed, leased.
  virtual const char* counts() const = 0;

  // Queries for (caller, job, bytes) of each job that a caller sees: the
  // counted bytes, and the bytes of the rows.
  virtual const char* counted_bytes() const = 0;
  virtual const char* row_bytes() const = 0;

  // A query for the callers whose sums do not match their jobs; null if the
  // engine keeps no sums.
  virtual const char* wrong_sums() const { return nullptr; }

  // Sets `is_named` to true if an item or a result names the blob now. Also
  // sees changes since the first query.
  virtual absl::Status IsNamed(const BlobName& blob, bool* is_named) = 0;
};

// Opens the database of one server at `path`. FAILED_PRECONDITION,
// DATA_OTHER_VERSION if its schema is not that of this program.
absl::Status OpenSqliteRows(const std::string& path,
                            std::unique_ptr<JobRows>* rows);

// Finds whether an item or an output names the blob $1 of the space $2. A
// hidden job, whose rows are about to be removed, names no blob.
inline constexpr char kFindNameSql[] =
    "SELECT 1 FROM item JOIN job ON job.number = item.job WHERE item.blob = $1 "
    "AND job.space = $2 AND job.caller <> '/gone' UNION ALL SELECT 1 FROM "
    "output JOIN job ON job.number = output.job WHERE output.blob = $1 AND "
    "job.space = $2 AND job.caller <> '/gone' LIMIT 1";

// FAILED_PRECONDITION, DATA_OTHER_VERSION. Defined in check_data.cc.
absl::Status OtherVersion();

}  // namespace bvhmill::server
