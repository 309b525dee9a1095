#pragma once

// Runs work that waits for a disk or a network on several threads:
//
//   return ForAll<8>(files.size(), [&](size_t i) { return Sync(files[i]); });

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

// Calls `work(i)` for each i below `count`, also after an error, and returns
// one of the errors. Uses kThreads threads, the calling one included, if
// `count` is kThreads or more; else the calling thread alone. If a thread
// cannot start, the others do its work. An exception in another thread becomes
// INTERNAL; one in the calling thread propagates after the others have ended.
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
