#pragma once

// Turns exceptions into statuses and lines of the log, where calls and threads
// begin: none may end the program.

#include <grpcpp/support/status.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "server/observe/log.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {

// OutOfMemory(), or less of it if there is no memory for a copy.
inline grpc::Status OutOfMemoryStatus() {
  try {
    return OutOfMemory();
  } catch (...) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, {}};
  }
}

// The same for InternalFault().
inline grpc::Status InternalFaultStatus() {
  try {
    return InternalFault();
  } catch (...) {
    return {grpc::StatusCode::INTERNAL, {}};
  }
}

// What `work` returns. If the system has no memory for it: RESOURCE_EXHAUSTED,
// with a RetryInfo; the libraries that the work uses throw then. INTERNAL for
// all else that they throw, which only the log says: `where` names the work
// there. Only for work that leaves nothing half done which others use.
template <typename Work>
grpc::Status CatchAsStatus(const Log& log, const char* where,
                           const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    log.Exception(where);
    return OutOfMemoryStatus();
  } catch (const std::length_error&) {
    log.Exception(where);
    return OutOfMemoryStatus();
  } catch (...) {
    log.Exception(where);
    return InternalFaultStatus();
  }
}

// Does `work`, or as much of it as there is memory for: for work that may be
// missing. False if it was not done; the log says what was thrown in `where`.
template <typename Work>
bool CatchAndLog(const Log& log, const char* where, const Work& work) {
  try {
    work();
    return true;
  } catch (...) {
    log.Exception(where);
    return false;
  }
}

}  // namespace bvhmill::server
