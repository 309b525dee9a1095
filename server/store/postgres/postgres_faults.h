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

// The same with what was said, for the operator: it may name hosts.
absl::Status CannotConnect(const std::exception& fault);

// The status of an exception that libpqxx has thrown: UNAVAILABLE,
// DATABASE_UNAVAILABLE if the connection is lost or the database starts or
// stops; RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT for the rest.
absl::Status StatusOfFault(const std::exception& fault);

// The database has chosen this transaction to fail, since it and others waited
// for each other or added the same row: it may be run again.
bool MayRunAgain(const std::exception& fault);

// Throws what libpqxx throws when a statement fails so, before it has happened
// or after it. For faults of tests.
void ThrowBefore(Fault fault);
void ThrowAfter(Fault fault);

// The first line of what was said.
std::string FirstLine(const std::exception& fault);

}  // namespace bvhmill::server
