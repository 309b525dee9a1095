#pragma once

// The bytes that a store counts for the rows of the jobs of a caller.

#include <gtest/gtest.h>

#include <string>

#include "bvhmill/base/status.h"
#include "server/store/job_parts.h"
#include "server/store/job_store.h"

namespace bvhmill::testing {

// The value of the error that an empty job of the caller would get, without
// that job.
inline int64_t RowBytesOfCaller(server::JobStore* store,
                                const std::string& caller) {
  server::NewJob job;
  job.caller = caller;
  job.max_row_bytes = 1;
  const CallError error = CallErrorOf(store->CheckRoom(job));
  EXPECT_EQ(error.limit_name, "max_job_bytes_per_caller");
  for (const auto& [key, value] : error.args) {
    if (key == "value") return std::stoll(value) - server::RowBytesOf(job);
  }
  ADD_FAILURE() << "the error has no value";
  return -1;
}

}  // namespace bvhmill::testing
