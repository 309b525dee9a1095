#pragma once

// Catches exceptions where calls and threads of the server begin, and turns
// them into statuses and log lines. So no exception ends the program.
//
//   const absl::Status status =
//       CatchAsStatus(log, "a call", [&] { return DoWork(); });

#include <exception>
#include <new>
#include <stdexcept>

#include "absl/status/status.h"
#include "server/observe/log.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {

// InternalFault(), or its code alone if there is no memory for the rest.
inline absl::Status InternalFaultStatus() {
  try {
    return InternalFault();
  } catch (...) {
    return {absl::StatusCode::kInternal, {}};
  }
}

// Returns what `work` returns. If `work` throws, the log names `where`, and the
// result is
//   - OutOfMemory() for std::bad_alloc and std::length_error, which libraries
//     throw when the system has no memory,
//   - InternalFault() for every other exception.
// Requires that an exception in `work` leaves no shared state half changed.
template <typename Work>
absl::Status CatchAsStatus(const Log& log, const char* where,
                           const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    log.Exception(where);
    return OutOfMemory();
  } catch (const std::length_error&) {
    log.Exception(where);
    return OutOfMemory();
  } catch (...) {
    log.Exception(where);
    return InternalFaultStatus();
  }
}

// Calls `work`. If it throws, the log names `where`, and the result is false.
// The caller must be able to continue.
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
