#pragma once

// A flag by which one thread asks another to stop. Long work checks it between
// tiles and blocks, never per number.

#include <atomic>

namespace bvhmill {

// Thread-safe. A cancelled token stays cancelled. A derived class may override
// IsCancelled() to look for another reason to stop. The conversion calls it
// from the threads that work on the clip.
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
