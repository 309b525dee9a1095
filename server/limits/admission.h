#pragma once

// Admission limits what is in flight: clips, the bytes of their memory, and
// streams. Each limit exists for all callers, for one caller and for one
// connection. A request that exceeds a limit is refused at once; none waits.
// One caller alone may use nearly all; callers who compete share: see
// WithShares.
//
//   Admission admission(WithShares(limits));
//   Ticket ticket;
//   absl::Status status = admission.TryEnter(caller, peer, bytes, &ticket);
//   if (status.ok()) status = ticket.Grow(more_bytes);
//   ticket.Worked();   // The clip counts no more, its bytes still do.
//   ticket.Release();  // Nothing counts any more; so does the destructor.
//
// All peers of a Unix socket have one name, so limits per connection do not
// hold for them.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "server/auth/caller.h"

namespace bvhmill::server {

// Half of `number`, rounded up.
constexpr int64_t HalfOf(int64_t number) { return number / 2 + number % 2; }

// True for each limit that WithShares has computed as a fair share of the limit
// on all.
struct FairShares {
  bool clips_per_connection = false;
  bool bytes_per_connection = false;
  bool streams_per_connection = false;
  bool clips_per_caller = false;
  bool bytes_per_caller = false;
  bool streams_per_caller = false;
};

// The value "auto": WithResolvedLimits replaces it by a number that depends on
// the memory of the process, before the limit is used.
inline constexpr int64_t kAuto = -1;

// The limits, from the rows of limits.inc. 0 = no limit. Limits per caller hold
// for callers with a token; a quota of the token replaces its limit.
struct AdmissionLimits {
#define BVHMILL_ADMISSION_LIMIT(name, value, ...) int64_t name = value;
#include "server/limits/limits.inc"

  FairShares fair;
};

// Replaces each limit per connection and per caller that is 0 by a share of the
// limit on all, if that is not 0: seven eighths of it. A caller or connection
// that holds more than an equal part is refused when less than an eighth of the
// limit on all would stay free (see MayHold in message_budget.h): the eighth is
// for those that hold less. If max_streams is set, each connection gets such a
// share of it, too.
AdmissionLimits WithShares(AdmissionLimits limits);

// Clips, the bytes of their memory, and streams that are in flight.
struct InFlight {
  int64_t clips = 0;
  int64_t bytes = 0;
  int64_t streams = 0;
};

// The use by one caller or connection, and the number of its tickets.
struct Share {
  InFlight used;
  int64_t tickets = 0;
};

class Admission;

// Counts one clip, one stream or the memory of a call as in flight until the
// ticket is released or destroyed. A new ticket counts nothing. The admission
// must outlive the ticket. One thread at a time uses a ticket.
class Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket();

  // Counts `bytes` more. Fails as TryEnter does; the ticket then stays as it
  // was. A negative number counts fewer bytes and never fails. Does nothing if
  // the ticket counts nothing.
  absl::Status Grow(int64_t bytes);
  // Counts `bytes` that are in use already. Never fails.
  void Count(int64_t bytes);
  // The work is done: stops counting the clip, but not its bytes.
  void Worked();
  // The same, and counts `bytes` from now on.
  void Keep(int64_t bytes);
  // Stops counting anything.
  void Release();

 private:
  friend class Admission;

  // Null = the ticket counts nothing.
  Admission* admission_ = nullptr;
  Share* caller_ = nullptr;
  Share* peer_ = nullptr;
  // The name of the peer stands for one connection, not for many.
  bool peer_is_one_ = false;
  // The caller has a token.
  bool caller_has_name_ = false;
  // Quotas of the caller's token; 0 = none.
  InFlight quota_;
  InFlight held_;
};

// See the top of the file. Thread-safe.
class Admission {
 public:
  explicit Admission(const AdmissionLimits& limits) : limits_(limits) {}

  // Admits one clip of `caller`, over the connection of `peer`, that needs
  // `bytes` of memory at first. Releases `ticket` before. If OK, the clip is in
  // flight until `ticket` is released. RESOURCE_EXHAUSTED: reason SERVER_BUSY,
  // CONNECTION_BUSY or CALLER_BUSY, with a QuotaFailure that names the limit,
  // and a RetryInfo unless the clip alone exceeds the limit.
  absl::Status TryEnter(const Caller& caller, const std::string& peer,
                        int64_t bytes, Ticket* ticket);
  // The same for memory that belongs to no clip. RefuseNewClips does not affect
  // it, nor TryOpen.
  absl::Status TryHold(const Caller& caller, const std::string& peer,
                       int64_t bytes, Ticket* ticket);
  // The same for a stream; its ticket may grow by memory that belongs to the
  // stream.
  absl::Status TryOpen(const Caller& caller, const std::string& peer,
                       Ticket* ticket);

  // Counts `bytes` that a request may need before its caller's ticket counts
  // them: against the limit on all, not against those of its caller. Negative
  // numbers take them back.
  void Expect(int64_t bytes);

  // While `refuse` is set, TryEnter refuses every clip: RESOURCE_EXHAUSTED,
  // reason SERVER_BUSY, limit_name available_memory, with a RetryInfo and no
  // QuotaFailure. Tickets that exist may still grow.
  void RefuseNewClips(bool refuse) { refuses_ = refuse; }

  // Drops the names of callers and connections with nothing in flight. Call it
  // about once a second: a name that comes back soon is then usually kept.
  // Cost: O(names).
  void ForgetIdle();

  // Clips and bytes in flight now.
  int64_t clips() const;
  int64_t bytes() const;
  // The most bytes that were in flight at once since the start.
  int64_t peak_bytes() const;
  // The number of callers and connections whose names are kept.
  size_t known() const;

 private:
  friend class Ticket;
  struct Account;
  struct Bound;

  // All of these with the mutex held.
  std::array<Account, 3> AccountsOf(const Ticket& ticket);
  std::array<InFlight*, 4> UsagesOf(Ticket* ticket);
  static absl::Status Check(const Account& account, const InFlight& more,
                            const Ticket& ticket);
  static absl::Status CheckOne(const char* reason, const Bound& bound,
                               int64_t used, int64_t more, int64_t held);
  // The value of `bound` now, for an account with `used` in flight.
  static int64_t MaxOf(const Bound& bound, int64_t used);
  absl::Status Add(InFlight more, Ticket* ticket);
  void Remove(InFlight less, Ticket* ticket);

  absl::Status Take(const Caller& caller, const std::string& peer,
                    InFlight usage, Ticket* ticket);

  const AdmissionLimits limits_;
  std::atomic<bool> refuses_{false};
  mutable std::mutex mutex_;
  InFlight all_;
  int64_t peak_bytes_ = 0;
  // Callers and connections that have tickets.
  int64_t active_callers_ = 0;
  int64_t active_peers_ = 0;
  // By name of the caller, and by address of the peer. Tickets point at the
  // values, so each ticket needs only one look-up.
  std::unordered_map<std::string, Share> callers_;
  std::unordered_map<std::string, Share> peers_;
};

}  // namespace bvhmill::server
