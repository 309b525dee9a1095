// A program that was built without PostgreSQL.

#include "bvhmill/base/call_error.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::server {

absl::Status OpenPostgresJobStore(const std::string& /*address*/,
                                  std::unique_ptr<JobStore>* /*store*/,
                                  std::string* /*identity*/) {
  return MakeCallError({.code = absl::StatusCode::kUnimplemented,
                        .reason = "NO_POSTGRES",
                        .message = "this bvhmilld was built without "
                                   "PostgreSQL"});
}

std::string WithoutPassword(const std::string& /*address*/) { return ""; }

}  // namespace bvhmill::server
