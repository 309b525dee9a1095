#pragma once

// How much may be in flight: clips, and bytes of their memory, of all callers,
// of one caller, of one connection. Refuses at once; nothing waits here.

#include <grpcpp/support/status.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/caller.h"

namespace bvhmill::server {

// 0 = no limit of that kind. A caller's own quotas count instead of those per
// caller.
struct AdmissionLimits {
  int64_t max_inflight_clips = 1024;
  int64_t max_inflight_bytes = int64_t{4} << 30;
  int64_t max_inflight_clips_per_connection = 512;
  int64_t max_inflight_bytes_per_connection = 0;
  int64_t max_inflight_clips_per_caller = 0;
  int64_t max_inflight_bytes_per_caller = 0;
};

class Admission;

// One clip that is in flight, or memory of a call, until the ticket goes. Not
// thread-safe itself; the admission must outlive it.
class Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket();

  // `bytes` more of the same clip, as they arrive; refused as by TryEnter, and
  // the ticket is then as it was.
  grpc::Status Grow(int64_t bytes);
  // The work is done, and its outcome goes out: only the bytes count still.
  void Worked();
  // The clip is not in flight any more.
  void Release();

 private:
  friend class Admission;

  Admission* admission_ = nullptr;
  std::shared_ptr<const Caller> caller_;
  std::string peer_;
  int64_t clips_ = 0;
  int64_t bytes_ = 0;
};

class Admission {
 public:
  explicit Admission(const AdmissionLimits& limits) : limits_(limits) {}

  // One clip of `bytes` bytes, of `caller`, over the connection of `peer`. OK:
  // it is in flight as long as `ticket` lives. RESOURCE_EXHAUSTED: reason
  // SERVER_BUSY, CONNECTION_BUSY or CALLER_BUSY, with a QuotaFailure that names
  // the limit, and a RetryInfo unless the clip alone is too large. Thread-safe.
  grpc::Status TryEnter(const std::shared_ptr<const Caller>& caller,
                        const std::string& peer, int64_t bytes, Ticket* ticket);
  // The same for memory that belongs to no clip.
  grpc::Status TryHold(const std::shared_ptr<const Caller>& caller,
                       const std::string& peer, int64_t bytes, Ticket* ticket);

  // In flight now.
  int64_t clips() const;
  int64_t bytes() const;

 private:
  friend class Ticket;
  struct Usage {
    int64_t clips = 0;
    int64_t bytes = 0;
  };

  struct Account;

  std::array<Account, 3> AccountsOf(const Ticket& ticket) const;
  static grpc::Status Check(const Account& account, const Usage& used,
                            const Usage& more, int64_t alone);
  grpc::Status Take(const std::shared_ptr<const Caller>& caller,
                    const std::string& peer, Usage usage, Ticket* ticket);
  grpc::Status Add(const Ticket& ticket, Usage more);
  void Remove(const Ticket& ticket, Usage less);
  // Drops the entries of the ticket that hold nothing.
  void Forget(const Ticket& ticket);

  const AdmissionLimits limits_;
  mutable std::mutex mutex_;
  Usage all_;
  // By name and address; without entries for those that have nothing in flight.
  std::unordered_map<std::string, Usage> callers_;
  std::unordered_map<std::string, Usage> peers_;
};

}  // namespace bvhmill::server
