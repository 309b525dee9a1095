#pragma once

// The rows of a database of jobs, for a check of them. The tables and columns
// of all engines have the same names, except the counts of a job. So one text
// of SQL reads them all.

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

  // Has the engine read all that it has stored. Calls `add` with one sentence
  // for each damage.
  virtual absl::Status FindDamage(
      const std::function<void(const std::string& fault)>& add) = 0;

  // Calls `take` with each row of a query. Numbers are decimal digits. All
  // queries see the database as it was at the first one.
  virtual absl::Status Read(
      const std::string& sql,
      const std::function<void(const Row& row)>& take) = 0;

  // Call it when Read is not called any more: then the database need not keep
  // the state of the first query.
  virtual void EndReads() {}

  // A query with a row for each job that has counts: job, ok, failed, leased.
  virtual const char* counts() const = 0;

  // Queries for (caller, job, bytes) of each job that a caller sees: the bytes
  // that the store has counted, and those of its rows.
  virtual const char* counted_bytes() const = 0;
  virtual const char* row_bytes() const = 0;

  // A query for the callers with sums that do not fit their jobs; null if the
  // engine keeps no sums.
  virtual const char* wrong_sums() const { return nullptr; }

  // True if an item or a result names the blob now: this call also sees what
  // was changed since the first query.
  virtual absl::Status IsNamed(const BlobName& blob, bool* is_named) = 0;
};

// Opens the database of one server at `path`. FAILED_PRECONDITION,
// DATA_OTHER_VERSION if its schema is not that of this program.
absl::Status OpenSqliteRows(const std::string& path,
                            std::unique_ptr<JobRows>* rows);

// Finds whether an item or an output names the blob $1 of the space $2. Rows
// of a job that no caller sees are about to be removed, and name no blob.
inline constexpr char kFindNameSql[] =
    "SELECT 1 FROM item JOIN job ON job.number = item.job WHERE item.blob = $1 "
    "AND job.space = $2 AND job.caller <> '/gone' UNION ALL SELECT 1 FROM "
    "output JOIN job ON job.number = output.job WHERE output.blob = $1 AND "
    "job.space = $2 AND job.caller <> '/gone' LIMIT 1";

// FAILED_PRECONDITION, DATA_OTHER_VERSION.
absl::Status OtherVersion();

}  // namespace bvhmill::server
