#pragma once

// Numbered fault points in the stores. Each effect of a store on a file, a
// database or S3 passes one: a write, an fsync, a rename, a removal, a
// statement of SQL, a request. So does every read of a file. A test arms a
// plan; then the effect with the number of the plan fails, or the process ends
// as by kill -9:
//
//   FaultPoints::Arm({.at = 3, .fault = Fault::kNoSpace});
//   ... the third effect from here on fails
//   const int64_t effects = FaultPoints::Disarm();
//
// Effects are numbered from 1 in their order. Outside of tests no plan is
// armed, and a point costs one relaxed load.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace bvhmill::server {

enum class Effect : uint8_t {
  // A file is opened, and made if it is missing.
  kOpen,
  // A file that must exist is opened, or bytes of a file are read.
  kRead,
  kWrite,
  kSync,
  kRename,
  kRemove,
  kMakeFolder,
  kSql,
  kStartThread,
  // A request to an S3-compatible store.
  kRequest,
};

enum class Fault : uint8_t {
  kNone,
  // The process ends at once, before the effect.
  kKill,
  // The process ends after the first half of a write; as kKill at others.
  kKillWithinWrite,
  // The effect fails: the disk is full (ENOSPC, SQLITE_FULL).
  kNoSpace,
  // The effect fails: EIO, SQLITE_IOERR.
  kIoError,
  // A write stores its first half and then fails with EIO; as kIoError at
  // others.
  kShortWrite,
  // A statement of PostgreSQL or its commit happens, and then the connection is
  // lost; as kIoError at others.
  kLostAnswer,
  // The effect does not happen: std::bad_alloc is thrown.
  kNoMemory,
};

struct FaultPlan {
  // The number of the effect that fails; 0 = none, effects are only counted.
  int64_t at = 0;
  Fault fault = Fault::kNone;
  // All later effects fail in the same way.
  bool lasts = false;
  // Only effects of this kind are numbered; empty = all.
  std::optional<Effect> only = std::nullopt;
  // Called before the effect `at`, which happens normally with kNone.
  std::function<void()> meanwhile = nullptr;
};

class FaultPoints {
 public:
  // Returns how the effect that is about to happen must fail. Does not return
  // if the plan kills the process. Thread-safe.
  static Fault Reach(Effect effect) {
    if (!armed_.load(std::memory_order_relaxed)) return Fault::kNone;
    return ReachArmed(effect);
  }

  // Counts effects from now on, and makes them fail by `plan`. For tests. No
  // other thread may use a store during this call.
  static void Arm(const FaultPlan& plan);
  // Ends the plan. Returns the number of effects since Arm.
  static int64_t Disarm();
  // Effects since Arm.
  static int64_t reached() { return reached_.load(); }

 private:
  static Fault ReachArmed(Effect effect);

  static std::atomic<bool> armed_;
  static std::atomic<int64_t> reached_;
};

}  // namespace bvhmill::server
