// The schema of PostgresJobStore.

#include <string>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/postgres/advisory_locks.h"
#include "server/store/postgres/postgres_job_store.h"

namespace bvhmill::server {
namespace {

constexpr char kLock[] =
    "SELECT pg_advisory_xact_lock(" BVHMILL_SCHEMA_LOCK ")";

absl::Status RunSteps(std::span<const std::string_view> steps, Work* work) {
  // One server at a time; the others find that nothing is left to do.
  work->Execute(kLock);
  work->Execute("CREATE SCHEMA IF NOT EXISTS bvhmill");
  work->Execute(
      "CREATE TABLE IF NOT EXISTS bvhmill.schema_version (steps INTEGER NOT "
      "NULL)");
  const pqxx::result found =
      work->Run("SELECT coalesce(max(steps), 0) FROM bvhmill.schema_version");
  const auto done = found[0][0].as<size_t>();
  if (done > steps.size()) {
    return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                          .reason = "DATA_TOO_NEW",
                          .message = "a newer bvhmilld has made the data"});
  }
  for (const std::string_view step : steps.subspan(done)) {
    work->Execute(std::string(step));
  }
  if (done == steps.size()) return absl::OkStatus();
  work->Execute("DELETE FROM bvhmill.schema_version");
  work->Execute("INSERT INTO bvhmill.schema_version VALUES (" +
                std::to_string(steps.size()) + ")");
  return absl::OkStatus();
}

}  // namespace

// All steps in one transaction: a server that is killed leaves none half done.
absl::Status MigratePostgres(std::span<const std::string_view> steps,
                             PostgresConnections* connections) {
  return connections->Run(Commit::kDurable,
                          [&](Work* work) { return RunSteps(steps, work); });
}

}  // namespace bvhmill::server
