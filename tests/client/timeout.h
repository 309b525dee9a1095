#pragma once

// A bound for what must not hang.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "bvhmill/base/cancel.h"
#include "tests/support/eventually.h"

namespace bvhmill::testing {

// Cancels `token` if it lives for longer than kTimeout.
class Watch {
 public:
  explicit Watch(CancelToken* token)
      : thread_([this, token] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, kTimeout, [this] { return end_; })) {
            token->Cancel();
          }
        }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      end_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace bvhmill::testing
