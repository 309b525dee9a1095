#pragma once

// Jobs in a database of PostgreSQL that several servers share.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/store/job_rows.h"
#include "server/store/job_store.h"
#include "server/store/name_lock.h"

namespace bvhmill::server {

// False if this program was built without PostgreSQL: then the functions below
// fail with UNIMPLEMENTED, NO_POSTGRES.
bool HasPostgres();
// UNIMPLEMENTED, NO_POSTGRES.
absl::Status NoPostgres();

// Connects to the database at `address`, a URI or a list of settings of libpq,
// and brings its schema up to date. Several servers may do so at once.
// UNAVAILABLE, DATABASE_UNAVAILABLE if it does not answer; FAILED_PRECONDITION,
// DATA_TOO_NEW if a newer server has changed it. The message is for the
// operator: it may name hosts. Sets `identity` to a text that only this
// database and its copies have. `has_jobs`, unless it is null, becomes true if
// there are jobs.
absl::Status OpenPostgresJobStore(const std::string& address,
                                  std::unique_ptr<JobStore>* store,
                                  std::string* identity,
                                  bool* has_jobs = nullptr);

// Opens the rows of the database at `address`, and sets `identity` as above.
// Reads only: no transaction of a server waits for it. DATABASE_UNAVAILABLE as
// above; NOT_FOUND, DATA_MISSING if no server has used the database;
// FAILED_PRECONDITION, DATA_OTHER_VERSION if its schema is not that of this
// program.
absl::Status OpenPostgresRows(const std::string& address,
                              std::unique_ptr<JobRows>* rows,
                              std::string* identity);

// Opens a lock for all servers that use the database at `address`, on a
// connection of its own. UNAVAILABLE and UNIMPLEMENTED as above, also from the
// functions of the lock.
absl::Status OpenPostgresNameLock(const std::string& address,
                                  std::unique_ptr<NameLock>* lock);

// `address` without a password, for logs.
std::string WithoutPassword(const std::string& address);

}  // namespace bvhmill::server
