#pragma once

// Keeps blobs from being removed while jobs begin to name them.
//
// Between the moment when a blob is known to exist and the moment when a job
// that names it is stored, nothing tells that it is needed. So a thread that
// stores names holds this lock, any number of them at once, and a thread that
// removes blobs holds it alone.

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

// Thread-safe. Locks end before the lock is destroyed.
class NameLock {
 public:
  // Held until it is destroyed, by the thread that took it.
  class Held {
   public:
    Held() = default;
    virtual ~Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
  };

  NameLock() = default;
  virtual ~NameLock() = default;
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

  // Waits while another thread or server holds the lock alone.
  virtual absl::Status Hold(std::unique_ptr<Held>* held) = 0;
  // Waits for some seconds; null if others hold the lock then.
  virtual absl::Status HoldAlone(std::unique_ptr<Held>* held) = 0;
};

// For the threads of one server.
std::unique_ptr<NameLock> LocalNameLock();

// For servers that share the file at `path`, which is made.
std::unique_ptr<NameLock> FileNameLock(const std::string& path);

}  // namespace bvhmill::server
