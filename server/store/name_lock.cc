#include "server/store/name_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/file_ops.h"

namespace bvhmill::server {
namespace {

constexpr std::chrono::seconds kTimeout(2);
constexpr std::chrono::milliseconds kPause(2);

// For the threads of one process. While a thread waits to hold the lock alone,
// no other thread can share it, so that the first one does not starve.
class LocalLock final : public NameLock {
 public:
  absl::Status Hold(std::unique_ptr<Held>* held) override {
    auto out = std::make_unique<HeldLocal>();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_alone_ && waiting_ == 0; });
    ++holders_;
    out->lock = this;
    lock.unlock();
    // This may release what `held` was.
    *held = std::move(out);
    return absl::OkStatus();
  }

  absl::Status HoldAlone(std::unique_ptr<Held>* held) override {
    *held = nullptr;
    auto out = std::make_unique<HeldLocal>();
    std::unique_lock lock(mutex_);
    ++waiting_;
    const bool is_free = changed_.wait_for(
        lock, kTimeout, [this] { return !is_alone_ && holders_ == 0; });
    --waiting_;
    if (is_free) {
      is_alone_ = true;
      out->lock = this;
      *held = std::move(out);
    } else {
      changed_.notify_all();
    }
    return absl::OkStatus();
  }

 private:
  struct HeldLocal final : public Held {
    ~HeldLocal() override {
      if (lock != nullptr) lock->Release();
    }
    // Null: not held.
    LocalLock* lock = nullptr;
  };

  void Release() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_alone_, false)) --holders_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Threads that hold the lock with others, and threads that wait to hold it
  // alone.
  int64_t holders_ = 0;
  int64_t waiting_ = 0;
  bool is_alone_ = false;
};

// For the servers that share a file. The kernel releases the lock of a killed
// server.
class FileLock final : public NameLock {
 public:
  explicit FileLock(std::string path) : path_(std::move(path)) {}

  // Waits while another server waits to hold the lock alone, so that the latter
  // does not starve.
  absl::Status Hold(std::unique_ptr<Held>* held) override {
    OwnedFile turn;
    OwnedFile file;
    BVHMILL_RETURN_IF_ERROR(LockShared(path_ + "-turn", &turn));
    BVHMILL_RETURN_IF_ERROR(LockShared(path_, &file));
    *held = std::make_unique<HeldFile>(std::move(file));
    return absl::OkStatus();
  }

  absl::Status HoldAlone(std::unique_ptr<Held>* held) override {
    *held = nullptr;
    OwnedFile turn;
    OwnedFile file;
    const auto end = Clock::now() + kTimeout;
    BVHMILL_RETURN_IF_ERROR(LockAlone(path_ + "-turn", end, &turn));
    BVHMILL_RETURN_IF_ERROR(LockAlone(path_, end, &file));
    if (!turn.valid() || !file.valid()) return absl::OkStatus();
    *held = std::make_unique<HeldFile>(std::move(file));
    return absl::OkStatus();
  }

 private:
  using Clock = std::chrono::steady_clock;

  static absl::Status LockShared(const std::string& path, OwnedFile* file) {
    BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_RDWR | O_CREAT, file));
    while (flock(file->get(), LOCK_SH) != 0) {
      if (errno != EINTR) return FileFault("lock", path, errno);
    }
    return absl::OkStatus();
  }

  // Leaves `file` closed if others hold the lock until `end`.
  static absl::Status LockAlone(const std::string& path, Clock::time_point end,
                                OwnedFile* file) {
    BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_RDWR | O_CREAT, file));
    while (flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
      const bool is_held = errno == EWOULDBLOCK || errno == EINTR;
      if (!is_held) return FileFault("lock", path, errno);
      if (Clock::now() >= end) {
        file->Close();
        return absl::OkStatus();
      }
      std::this_thread::sleep_for(kPause);
    }
    return absl::OkStatus();
  }

  class HeldFile final : public Held {
   public:
    explicit HeldFile(OwnedFile file) : file_(std::move(file)) {}

   private:
    const OwnedFile file_;
  };

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
