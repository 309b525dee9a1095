#pragma once

// Work that waits for a disk or a network, done at once.

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"
#include "server/store/fault_points.h"

namespace bvhmill::server {

// Calls `work(i)` for each i below `count`, in kThreads threads if there are as
// many, also after an error; returns one of the errors. The calling thread does
// what is left if others cannot be started.
template <size_t kThreads, typename Work>
absl::Status ForAll(size_t count, const Work& work) {
  std::array<absl::Status, kThreads> status;
  std::atomic<size_t> next = 0;
  const auto run = [&](size_t thread) {
    for (size_t i = next++; i < count; i = next++) {
      status[thread].Update(work(i));
    }
  };
  const auto run_caught = [&](size_t thread) {
    try {
      run(thread);
    } catch (const std::exception&) {
      status[thread] = absl::InternalError("");
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (size_t i = 1; count >= kThreads && i < kThreads; ++i) {
        if (FaultPoints::Reach(Effect::kStartThread) != Fault::kNone) break;
        threads.emplace_back(run_caught, i);
      }
    } catch (const std::exception&) {
      // Fewer threads do the work.
    }
    run(0);
  }
  for (const absl::Status& one : status) BVHMILL_RETURN_IF_ERROR(one);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
