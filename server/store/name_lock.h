#pragma once

// The lock of names keeps blobs from being removed while jobs begin to name
// them.
//
//   std::unique_ptr<NameLock::Held> held;
//   BVHMILL_RETURN_IF_ERROR(lock->Hold(&held));
//   ... find the blob, and store the job that names it
//
// From the lookup of a blob until a job that names it is stored, no row shows
// that the blob is needed. So a thread that stores names holds this lock, which
// any number of threads share. A thread that removes blobs holds it alone.

#include <memory>
#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

// Thread-safe. Each Held must be destroyed before its NameLock.
class NameLock {
 public:
  // The lock is held until this object is destroyed, by the thread that took
  // it.
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

  // Waits while another thread or server holds the lock alone. A lock in a
  // database waits for ten seconds at most, then UNAVAILABLE.
  virtual absl::Status Hold(std::unique_ptr<Held>* held) = 0;
  // Waits for some seconds while others hold the lock; sets `held` to null if
  // they still do.
  virtual absl::Status HoldAlone(std::unique_ptr<Held>* held) = 0;
};

// For the threads of one server.
std::unique_ptr<NameLock> LocalNameLock();

// For servers that share the file at `path`. Hold makes the file if it is
// missing. Errors: those of file_ops.h.
std::unique_ptr<NameLock> FileNameLock(const std::string& path);

}  // namespace bvhmill::server
