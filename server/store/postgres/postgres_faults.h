#pragma once

// Errors of PostgreSQL as statuses.

#include <exception>
#include <string>

#include "absl/status/status.h"
#include "server/store/fault_points.h"

namespace bvhmill::server {

// UNAVAILABLE, DATABASE_UNAVAILABLE. The message names no host, since peers see
// it.
absl::Status DatabaseUnavailable();

// The same with the text of `fault`, for the operator: it may name hosts.
absl::Status CannotConnect(const std::exception& fault);

// The status of an exception that libpqxx has thrown. UNAVAILABLE,
// DATABASE_UNAVAILABLE: the connection is lost; the database starts, stops or
// has too many connections; or a lock was waited for too long.
// RESOURCE_EXHAUSTED, DISK_FULL. INTERNAL, STORE_FAULT for all others.
absl::Status StatusOfFault(const std::exception& fault);

// True if the database has made this transaction fail since it and others
// waited for each other or added the same row. It may be run again.
bool MayRunAgain(const std::exception& fault);

// For faults of tests: throws the exception of libpqxx for a statement that
// fails as `fault` says, before it has happened or after it. Does nothing for
// other faults.
void ThrowBefore(Fault fault);
void ThrowAfter(Fault fault);

// The first line of the text of `fault`.
std::string FirstLine(const std::exception& fault);

}  // namespace bvhmill::server
