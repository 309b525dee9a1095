#pragma once

// A flag by which one thread cancels work of other threads. Long work checks it
// once for each block of data, never for each number.

#include <atomic>

namespace bvhmill {

// Thread-safe. A cancelled token stays cancelled. A derived class may override
// IsCancelled() to check another condition as well. All threads that work on
// the clip call it, so an override must be thread-safe and fast.
class CancelToken {
 public:
  CancelToken() = default;
  virtual ~CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  virtual bool IsCancelled() const {
    return cancelled_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> cancelled_{false};
};

// True if `token` is not null and is cancelled.
inline bool IsCancelled(const CancelToken* token) {
  return token != nullptr && token->IsCancelled();
}

}  // namespace bvhmill
