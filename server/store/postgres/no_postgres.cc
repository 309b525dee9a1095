// A program that was built without PostgreSQL.

#include "bvhmill/base/status.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {

bool HasPostgres() { return false; }

absl::Status OpenPostgresJobStore(const std::string& /*address*/,
                                  std::unique_ptr<JobStore>* /*store*/,
                                  std::string* /*identity*/,
                                  bool* /*has_jobs*/) {
  return NoPostgres();
}

absl::Status OpenPostgresRows(const std::string& /*address*/,
                              std::unique_ptr<JobRows>* /*rows*/,
                              std::string* /*identity*/) {
  return NoPostgres();
}

absl::Status OpenPostgresNameLock(const std::string& /*address*/,
                                  std::unique_ptr<NameLock>* /*lock*/) {
  return NoPostgres();
}

std::string WithoutPassword(const std::string& /*address*/) { return ""; }

}  // namespace bvhmill::server
