#include "server/store/name_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/file_ops.h"

namespace bvhmill::server {
namespace {

constexpr std::chrono::seconds kPatience(2);
constexpr std::chrono::milliseconds kPause(2);

// Holds a lock of some kind for its life.
template <typename Lock>
class HeldLock final : public NameLock::Held {
 public:
  explicit HeldLock(Lock lock) : lock_(std::move(lock)) {}

 private:
  const Lock lock_;
};

template <typename Lock>
std::unique_ptr<NameLock::Held> HeldOf(Lock lock) {
  return std::make_unique<HeldLock<Lock>>(std::move(lock));
}

// Calls `try_lock` until it returns true or kPatience is over; returns whether
// it did.
bool TryForAWhile(const std::function<bool()>& try_lock) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!try_lock()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

class LocalLock final : public NameLock {
 public:
  absl::Status Hold(std::unique_ptr<Held>* held) override {
    *held = HeldOf(std::shared_lock(mutex_));
    return absl::OkStatus();
  }
  absl::Status HoldAlone(std::unique_ptr<Held>* held) override {
    *held = nullptr;
    std::unique_lock lock(mutex_, std::defer_lock);
    if (TryForAWhile([&] { return lock.try_lock(); })) {
      *held = HeldOf(std::move(lock));
    }
    return absl::OkStatus();
  }

 private:
  std::shared_mutex mutex_;
};

// The kernel ends the lock of a server that is killed.
class FileLock final : public NameLock {
 public:
  explicit FileLock(std::string path) : path_(std::move(path)) {}

  absl::Status Hold(std::unique_ptr<Held>* held) override {
    OwnedFile file;
    BVHMILL_RETURN_IF_ERROR(OpenFile(path_, O_RDWR | O_CREAT, &file));
    while (flock(file.get(), LOCK_SH) != 0) {
      if (errno != EINTR) return FileFault("lock", path_, errno);
    }
    *held = HeldOf(std::move(file));
    return absl::OkStatus();
  }

  absl::Status HoldAlone(std::unique_ptr<Held>* held) override {
    *held = nullptr;
    OwnedFile file;
    BVHMILL_RETURN_IF_ERROR(OpenFile(path_, O_RDWR | O_CREAT, &file));
    int error = 0;
    const bool is_locked = TryForAWhile([&] {
      error = flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
      return error != EWOULDBLOCK && error != EINTR;
    });
    if (!is_locked) return absl::OkStatus();
    if (error != 0) return FileFault("lock", path_, error);
    *held = HeldOf(std::move(file));
    return absl::OkStatus();
  }

 private:
  const std::string path_;
};

}  // namespace

std::unique_ptr<NameLock> LocalNameLock() {
  return std::make_unique<LocalLock>();
}

std::unique_ptr<NameLock> FileNameLock(const std::string& path) {
  return std::make_unique<FileLock>(path);
}

}  // namespace bvhmill::server
