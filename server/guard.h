#pragma once

// Where what a peer sends must not end the program.

#include <grpcpp/support/status.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "server/rpc_status.h"

namespace bvhmill::server {

// What `work` returns. If the system has no memory for it: RESOURCE_EXHAUSTED,
// with a RetryInfo; the libraries that the work uses throw then. INTERNAL for
// whatever else they throw, without a word of it. Only for work that leaves
// nothing half done which others use.
template <typename Work>
grpc::Status Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {
    return OutOfMemory();
  } catch (...) {
    return InternalFault();
  }
}

}  // namespace bvhmill::server
