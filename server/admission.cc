#include "server/admission.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "server/rpc_status.h"

namespace bvhmill::server {
namespace {

grpc::Status Busy(const char* reason, const char* name, int64_t limit,
                  int64_t value, bool may_retry) {
  const std::string text = std::to_string(value) +
                           " in flight would be more than " + name + " = " +
                           std::to_string(limit);
  Fault fault{reason,
              {{"limit_name", name},
               {"limit", std::to_string(limit)},
               {"value", std::to_string(value)}}};
  if (may_retry) fault.metadata.emplace_back("retry_after_ms", "1000");
  return ToGrpc(MakeStatus(absl::StatusCode::kResourceExhausted, text), fault);
}

int64_t HalfIfNone(int64_t limit, int64_t limit_on_all) {
  // A limit of 1 on all leaves no half.
  return limit > 0 ? limit : limit_on_all / 2 + limit_on_all % 2;
}

grpc::Status ShortOfMemory() {
  return ToGrpc(
      MakeStatus(absl::StatusCode::kResourceExhausted,
                 "the server is short of memory"),
      {"SERVER_BUSY",
       {{"limit_name", "available_memory"}, {"retry_after_ms", "1000"}}});
}

}  // namespace

AdmissionLimits WithShares(AdmissionLimits limits) {
  const int64_t clips = limits.max_inflight_clips;
  const int64_t bytes = limits.max_inflight_bytes;
  for (int64_t* share : {&limits.max_inflight_clips_per_connection,
                         &limits.max_inflight_clips_per_caller}) {
    *share = HalfIfNone(*share, clips);
  }
  for (int64_t* share : {&limits.max_inflight_bytes_per_connection,
                         &limits.max_inflight_bytes_per_caller}) {
    *share = HalfIfNone(*share, bytes);
  }
  limits.max_streams_per_caller =
      HalfIfNone(limits.max_streams_per_caller, limits.max_streams);
  return limits;
}

// The name of a limit and its value; 0 = no limit.
struct Admission::Bound {
  const char* name;
  int64_t most;
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
  const auto of_connection = [&](int64_t limit) {
    return ticket.peer_is_one_ ? limit : 0;
  };
  const auto of_caller = [&](int64_t quota, int64_t usual) {
    if (quota > 0) return quota;
    return ticket.caller_has_name_ ? usual : 0;
  };
  const AdmissionLimits& most = limits_;
  return {
      {{"CALLER_BUSY",
        {"max_inflight_clips_per_caller",
         of_caller(ticket.quota_.clips, most.max_inflight_clips_per_caller)},
        {"max_inflight_bytes_per_caller",
         of_caller(ticket.quota_.bytes, most.max_inflight_bytes_per_caller)},
        {"max_streams_per_caller", of_caller(0, most.max_streams_per_caller)},
        &ticket.caller_->used},
       // gRPC limits the calls of a connection, and so its streams.
       {"CONNECTION_BUSY",
        {"max_inflight_clips_per_connection",
         of_connection(most.max_inflight_clips_per_connection)},
        {"max_inflight_bytes_per_connection",
         of_connection(most.max_inflight_bytes_per_connection)},
        {nullptr, 0},
        &ticket.peer_->used},
       {"SERVER_BUSY",
        {"max_inflight_clips", most.max_inflight_clips},
        {"max_inflight_bytes", most.max_inflight_bytes},
        {"max_streams", most.max_streams},
        &all_}}};
}

// `alone` is what the ticket alone takes: more than the limit never fits.
grpc::Status Admission::CheckOne(const char* reason, const Bound& bound,
                                 int64_t used, int64_t more, int64_t alone) {
  if (more <= 0 || !Exceeds(used + more, bound.most)) return grpc::Status::OK;
  return Busy(reason, bound.name, bound.most, used + more,
              /*may_retry=*/!Exceeds(alone, bound.most));
}

grpc::Status Admission::Check(const Account& account, const InFlight& more,
                              int64_t alone) {
  const InFlight& used = *account.used;
  grpc::Status status = CheckOne(account.reason, account.clips, used.clips,
                                 more.clips, more.clips);
  if (!status.ok()) return status;
  status = CheckOne(account.reason, account.streams, used.streams, more.streams,
                    more.streams);
  if (!status.ok()) return status;
  return CheckOne(account.reason, account.bytes, used.bytes, more.bytes, alone);
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

grpc::Status Ticket::Grow(int64_t bytes) {
  if (admission_ == nullptr) return grpc::Status::OK;
  const std::lock_guard lock(admission_->mutex_);
  return admission_->Add({.bytes = bytes}, this);
}

void Ticket::Worked() {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove({.clips = held_.clips}, this);
}

void Ticket::Release() {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove(held_, this);
  --caller_->tickets;
  --peer_->tickets;
  admission_ = nullptr;
}

grpc::Status Admission::TryEnter(const Caller& caller, const std::string& peer,
                                 int64_t bytes, Ticket* ticket) {
  return Take(caller, peer, {.clips = 1, .bytes = bytes}, ticket);
}

grpc::Status Admission::TryHold(const Caller& caller, const std::string& peer,
                                int64_t bytes, Ticket* ticket) {
  return Take(caller, peer, {.bytes = bytes}, ticket);
}

grpc::Status Admission::TryOpen(const Caller& caller, const std::string& peer,
                                Ticket* ticket) {
  return Take(caller, peer, {.streams = 1}, ticket);
}

grpc::Status Admission::Take(const Caller& caller, const std::string& peer,
                             InFlight usage, Ticket* ticket) {
  ticket->Release();
  const std::lock_guard lock(mutex_);
  ticket->caller_ = &callers_[caller.name];
  ticket->peer_ = &peers_[peer];
  // The peers of a Unix socket all have its name.
  ticket->peer_is_one_ = !peer.starts_with("unix:");
  ticket->caller_has_name_ = !caller.name.empty();
  ticket->quota_ = {.clips = caller.max_clips, .bytes = caller.max_bytes};
  const grpc::Status status =
      refuses_ && usage.clips > 0 ? ShortOfMemory() : Add(usage, ticket);
  if (!status.ok()) return status;
  ticket->admission_ = this;
  ++ticket->caller_->tickets;
  ++ticket->peer_->tickets;
  return status;
}

grpc::Status Admission::Add(InFlight more, Ticket* ticket) {
  const auto accounts = AccountsOf(*ticket);
  for (const Account& account : accounts) {
    const grpc::Status status =
        Check(account, more, ticket->held_.bytes + more.bytes);
    if (!status.ok()) return status;
  }
  for (InFlight* usage : UsagesOf(ticket)) {
    usage->clips += more.clips;
    usage->bytes += more.bytes;
    usage->streams += more.streams;
  }
  peak_bytes_ = std::max(peak_bytes_, all_.bytes);
  return grpc::Status::OK;
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
