#pragma once

// Jobs in a database of PostgreSQL that several servers share.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/store/job_store.h"
#include "server/store/name_lock.h"

namespace bvhmill::server {

// Connects to the database at `address`, a URI or a list of settings of libpq,
// and brings its schema up to date. Several servers may do so at once.
// UNAVAILABLE, DATABASE_UNAVAILABLE if it does not answer; FAILED_PRECONDITION,
// DATA_TOO_NEW if a newer server has changed it. The message is for the
// operator: it may name hosts. UNIMPLEMENTED if this program was built without
// PostgreSQL. `identity` is that of the database, also of its copies.
absl::Status OpenPostgresJobStore(const std::string& address,
                                  std::unique_ptr<JobStore>* store,
                                  std::string* identity);

// A lock for all servers that use the database at `address`, on a connection of
// its own. UNAVAILABLE and UNIMPLEMENTED as above, also from its functions.
absl::Status OpenPostgresNameLock(const std::string& address,
                                  std::unique_ptr<NameLock>* lock);

// `address` without a password, for logs.
std::string WithoutPassword(const std::string& address);

}  // namespace bvhmill::server
