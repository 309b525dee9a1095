#pragma once

// Jobs in a database of PostgreSQL that several servers share.
//
//   std::unique_ptr<JobStore> jobs;
//   std::string identity;
//   BVHMILL_RETURN_IF_ERROR(OpenPostgresJobStore(address, &jobs, &identity));
//
// `address` is a URI or a list of settings of libpq.

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

// Connects to the database at `address`, and makes its tables if it has none.
// Several servers may do so at once. Sets `identity` to a text that is unique
// to this database and its copies, and `has_jobs`, unless it is null, to true
// if there are jobs. UNAVAILABLE, DATABASE_UNAVAILABLE if the database does not
// answer; FAILED_PRECONDITION: DATA_TOO_OLD, DATA_TOO_NEW.
// The message is for the operator: it may name hosts.
absl::Status OpenPostgresJobStore(const std::string& address,
                                  std::unique_ptr<JobStore>* store,
                                  std::string* identity,
                                  bool* has_jobs = nullptr);

// Opens the rows of the database at `address`, and sets `identity` as above.
// Only reads: no transaction of a server waits for it. DATABASE_UNAVAILABLE as
// above; NOT_FOUND, DATA_MISSING if no server has used the database;
// FAILED_PRECONDITION: DATA_TOO_OLD, DATA_TOO_NEW.
absl::Status OpenPostgresRows(const std::string& address,
                              std::unique_ptr<JobRows>* rows,
                              std::string* identity);

// Opens a lock for all servers that use the database at `address`, on its own
// connection. UNAVAILABLE and UNIMPLEMENTED as above, also from the
// functions of the lock.
absl::Status OpenPostgresNameLock(const std::string& address,
                                  std::unique_ptr<NameLock>* lock);

// `address` without a password, for logs.
std::string WithoutPassword(const std::string& address);

}  // namespace bvhmill::server
