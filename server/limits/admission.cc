#include "server/limits/admission.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

absl::Status Busy(const char* reason, const char* name, int64_t limit,
                  int64_t value, bool may_retry) {
  CallError error{.code = absl::StatusCode::kResourceExhausted,
                  .reason = reason,
                  .limit_name = name,
                  .limit = limit,
                  .args = {{"value", std::to_string(value)}},
                  .message = std::to_string(value) + " in flight exceed " +
                             name + " = " + std::to_string(limit)};
  if (may_retry) error.args.emplace_back("retry_after_ms", "1000");
  return MakeCallError(std::move(error));
}

// Sets a limit that is 0 to seven eighths of the limit on all, and `is_fair` to
// true.
void ShareIfNone(int64_t limit_on_all, int64_t* limit, bool* is_fair) {
  if (*limit > 0 || limit_on_all <= 0) return;
  *limit = limit_on_all - limit_on_all / 8;
  *is_fair = true;
}

absl::Status ShortOfMemory() {
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "SERVER_BUSY",
       .args = {{"limit_name", "available_memory"}, {"retry_after_ms", "1000"}},
       .message = "the server is short of memory"});
}

}  // namespace

AdmissionLimits WithShares(AdmissionLimits limits) {
  const int64_t clips = limits.max_inflight_clips;
  const int64_t bytes = limits.max_inflight_bytes;
  FairShares& fair = limits.fair;
  ShareIfNone(clips, &limits.max_inflight_clips_per_connection,
              &fair.clips_per_connection);
  ShareIfNone(bytes, &limits.max_inflight_bytes_per_connection,
              &fair.bytes_per_connection);
  ShareIfNone(clips, &limits.max_inflight_clips_per_caller,
              &fair.clips_per_caller);
  ShareIfNone(bytes, &limits.max_inflight_bytes_per_caller,
              &fair.bytes_per_caller);
  ShareIfNone(limits.max_streams, &limits.max_streams_per_caller,
              &fair.streams_per_caller);
  fair.streams_per_connection = limits.max_streams > 0;
  return limits;
}

// The name of a limit and its value; 0 = no limit.
struct Admission::Bound {
  const char* name;
  int64_t most;
  // For a share, the limit on all, what all have in flight, and the number of
  // those who share it; else 0.
  int64_t most_of_all = 0;
  int64_t used_by_all = 0;
  int64_t holders = 0;
};

// One account that a ticket is charged to, and its limits.
struct Admission::Account {
  const char* reason;
  Bound clips;
  Bound bytes;
  Bound streams;
  InFlight* used;
};

std::array<Admission::Account, 3> Admission::AccountsOf(const Ticket& ticket) {
  const AdmissionLimits& most = limits_;
  const Bound clips = {"max_inflight_clips", most.max_inflight_clips};
  const Bound bytes = {"max_inflight_bytes", most.max_inflight_bytes};
  const Bound streams = {"max_streams", most.max_streams};
  const auto share = [](const char* name, int64_t limit, bool is_fair,
                        const Bound& all, int64_t used, int64_t holders) {
    return is_fair ? Bound{name, limit, all.most, used, holders}
                   : Bound{name, limit};
  };
  const int64_t callers =
      active_callers_ + (ticket.caller_->tickets == 0 ? 1 : 0);
  const int64_t peers = active_peers_ + (ticket.peer_->tickets == 0 ? 1 : 0);
  const auto of_caller = [&](int64_t quota, Bound usual) {
    if (quota > 0) return Bound{usual.name, quota};
    return ticket.caller_has_name_ ? usual : Bound{usual.name, 0};
  };
  const auto of_connection = [&](Bound usual) {
    return ticket.peer_is_one_ ? usual : Bound{usual.name, 0};
  };
  return {
      {{"CALLER_BUSY",
        of_caller(ticket.quota_.clips, share("max_inflight_clips_per_caller",
                                             most.max_inflight_clips_per_caller,
                                             most.fair.clips_per_caller, clips,
                                             all_.clips, callers)),
        of_caller(ticket.quota_.bytes, share("max_inflight_bytes_per_caller",
                                             most.max_inflight_bytes_per_caller,
                                             most.fair.bytes_per_caller, bytes,
                                             all_.bytes, callers)),
        of_caller(0,
                  share("max_streams_per_caller", most.max_streams_per_caller,
                        most.fair.streams_per_caller, streams, all_.streams,
                        callers)),
        &ticket.caller_->used},
       {"CONNECTION_BUSY",
        of_connection(share("max_inflight_clips_per_connection",
                            most.max_inflight_clips_per_connection,
                            most.fair.clips_per_connection, clips, all_.clips,
                            peers)),
        of_connection(share("max_inflight_bytes_per_connection",
                            most.max_inflight_bytes_per_connection,
                            most.fair.bytes_per_connection, bytes, all_.bytes,
                            peers)),
        // gRPC limits the calls of a connection, and so its streams.
        of_connection(share("max_streams", 0, most.fair.streams_per_connection,
                            streams, all_.streams, peers)),
        &ticket.peer_->used},
       {"SERVER_BUSY", clips, bytes, streams, &all_}}};
}

// The same rule as MayHold, as the most that an account may have.
int64_t Admission::MaxOf(const Bound& bound, int64_t used) {
  const int64_t all = bound.most_of_all;
  if (all == 0) return bound.most;
  const int64_t others = bound.used_by_all - used;
  const int64_t equal_part = bound.holders > 1 ? all / bound.holders : 0;
  return std::max<int64_t>({equal_part, all - all / 8 - others, 1});
}

// `held` is what the ticket counts. A ticket that alone exceeds the limit never
// fits, so the error proposes no retry.
absl::Status Admission::CheckOne(const char* reason, const Bound& bound,
                                 int64_t used, int64_t more, int64_t held) {
  if (more <= 0) return absl::OkStatus();
  const int64_t most = MaxOf(bound, used);
  if (!Exceeds(used + more, most)) return absl::OkStatus();
  return Busy(reason, bound.name, most, used + more,
              /*may_retry=*/!Exceeds(held + more, bound.most));
}

absl::Status Admission::Check(const Account& account, const InFlight& more,
                              const Ticket& ticket) {
  const InFlight& used = *account.used;
  const InFlight& held = ticket.held_;
  absl::Status status = CheckOne(account.reason, account.clips, used.clips,
                                 more.clips, held.clips);
  if (!status.ok()) return status;
  status = CheckOne(account.reason, account.streams, used.streams, more.streams,
                    held.streams);
  if (!status.ok()) return status;
  return CheckOne(account.reason, account.bytes, used.bytes, more.bytes,
                  held.bytes);
}

Ticket::Ticket(Ticket&& other) noexcept { *this = std::move(other); }

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  std::swap(admission_, other.admission_);
  std::swap(caller_, other.caller_);
  std::swap(peer_, other.peer_);
  std::swap(peer_is_one_, other.peer_is_one_);
  std::swap(caller_has_name_, other.caller_has_name_);
  std::swap(quota_, other.quota_);
  std::swap(held_, other.held_);
  return *this;
}

Ticket::~Ticket() { Release(); }

absl::Status Ticket::Grow(int64_t bytes) {
  if (admission_ == nullptr) return absl::OkStatus();
  const std::lock_guard lock(admission_->mutex_);
  return admission_->Add({.bytes = bytes}, this);
}

void Ticket::Count(int64_t bytes) {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove({.bytes = -bytes}, this);
  admission_->peak_bytes_ =
      std::max(admission_->peak_bytes_, admission_->all_.bytes);
}

void Ticket::Worked() {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove({.clips = held_.clips}, this);
}

void Ticket::Keep(int64_t bytes) {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove({.clips = held_.clips, .bytes = held_.bytes - bytes},
                     this);
}

void Ticket::Release() {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove(held_, this);
  if (--caller_->tickets == 0) --admission_->active_callers_;
  if (--peer_->tickets == 0) --admission_->active_peers_;
  admission_ = nullptr;
}

absl::Status Admission::TryEnter(const Caller& caller, const std::string& peer,
                                 int64_t bytes, Ticket* ticket) {
  return Take(caller, peer, {.clips = 1, .bytes = bytes}, ticket);
}

absl::Status Admission::TryHold(const Caller& caller, const std::string& peer,
                                int64_t bytes, Ticket* ticket) {
  return Take(caller, peer, {.bytes = bytes}, ticket);
}

absl::Status Admission::TryOpen(const Caller& caller, const std::string& peer,
                                Ticket* ticket) {
  return Take(caller, peer, {.streams = 1}, ticket);
}

absl::Status Admission::Take(const Caller& caller, const std::string& peer,
                             InFlight usage, Ticket* ticket) {
  ticket->Release();
  const std::lock_guard lock(mutex_);
  ticket->caller_ = &callers_[caller.name];
  ticket->peer_ = &peers_[peer];
  // The peers of a Unix socket all have its name.
  ticket->peer_is_one_ = !peer.starts_with("unix:");
  ticket->caller_has_name_ = !caller.name.empty();
  ticket->quota_ = {.clips = caller.max_clips, .bytes = caller.max_bytes};
  const absl::Status status =
      refuses_ && usage.clips > 0 ? ShortOfMemory() : Add(usage, ticket);
  if (!status.ok()) return status;
  ticket->admission_ = this;
  if (ticket->caller_->tickets++ == 0) ++active_callers_;
  if (ticket->peer_->tickets++ == 0) ++active_peers_;
  return status;
}

absl::Status Admission::Add(InFlight more, Ticket* ticket) {
  const auto accounts = AccountsOf(*ticket);
  for (const Account& account : accounts) {
    const absl::Status status = Check(account, more, *ticket);
    if (!status.ok()) return status;
  }
  for (InFlight* usage : UsagesOf(ticket)) {
    usage->clips += more.clips;
    usage->bytes += more.bytes;
    usage->streams += more.streams;
  }
  peak_bytes_ = std::max(peak_bytes_, all_.bytes);
  return absl::OkStatus();
}

void Admission::Remove(InFlight less, Ticket* ticket) {
  for (InFlight* usage : UsagesOf(ticket)) {
    usage->clips -= less.clips;
    usage->bytes -= less.bytes;
    usage->streams -= less.streams;
  }
}

std::array<InFlight*, 4> Admission::UsagesOf(Ticket* ticket) {
  return {&ticket->caller_->used, &ticket->peer_->used, &all_, &ticket->held_};
}

void Admission::Expect(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  all_.bytes += bytes;
  peak_bytes_ = std::max(peak_bytes_, all_.bytes);
}

void Admission::ForgetIdle() {
  const auto is_idle = [](const auto& entry) {
    return entry.second.tickets == 0;
  };
  const std::lock_guard lock(mutex_);
  std::erase_if(callers_, is_idle);
  std::erase_if(peers_, is_idle);
}

size_t Admission::known() const {
  const std::lock_guard lock(mutex_);
  return callers_.size() + peers_.size();
}

int64_t Admission::clips() const {
  const std::lock_guard lock(mutex_);
  return all_.clips;
}

int64_t Admission::bytes() const {
  const std::lock_guard lock(mutex_);
  return all_.bytes;
}

int64_t Admission::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

}  // namespace bvhmill::server
