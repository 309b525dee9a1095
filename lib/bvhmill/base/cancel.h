#pragma once

// A flag by which one thread asks another to stop. Long work checks it between
// tiles and blocks, never per number.

#include <atomic>

namespace bvhmill {

// Thread-safe. A cancelled token stays cancelled.
class CancelToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool IsCancelled() const {
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
