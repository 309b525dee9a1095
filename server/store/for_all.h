#pragma once

// Work that waits for a disk or a network, done at once.

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {

// Calls `work(i)` for each i below `count`, in kThreads threads if there are as
// many, also after an error; returns one of the errors.
template <size_t kThreads, typename Work>
absl::Status ForAll(size_t count, const Work& work) {
  std::array<absl::Status, kThreads> status;
  const auto run = [&](size_t first, size_t step) {
    for (size_t i = first; i < count; i += step) status[first].Update(work(i));
  };
  if (count < kThreads) {
    run(0, 1);
    return status[0];
  }
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < kThreads; ++i)
      threads.emplace_back(run, i, kThreads);
    run(0, kThreads);
  }
  for (const absl::Status& one : status) BVHMILL_RETURN_IF_ERROR(one);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
