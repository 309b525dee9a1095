#pragma once

// Where what a peer sends must not end the program.

#include <grpcpp/support/status.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "server/rpc_status.h"

namespace bvhmill::server {

// What is said where there may be no memory to say more.
inline grpc::Status OutOfMemoryOrLess() {
  try {
    return OutOfMemory();
  } catch (...) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, {}};
  }
}

// What `work` returns. If the system has no memory for it: RESOURCE_EXHAUSTED,
// with a RetryInfo; the libraries that the work uses throw then. INTERNAL for
// whatever else they throw, without a word of it. Only for work that leaves
// nothing half done which others use.
template <typename Work>
grpc::Status Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return OutOfMemoryOrLess();
  } catch (const std::length_error&) {
    return OutOfMemoryOrLess();
  } catch (...) {
    return InternalFault();
  }
}

// Does `work`, or as much of it as there is memory for: for what may be
// missing.
template <typename Work>
void Attempt(const Work& work) {
  try {
    work();
  } catch (...) {
    return;
  }
}

}  // namespace bvhmill::server
