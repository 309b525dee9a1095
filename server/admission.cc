#include "server/admission.h"

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

}  // namespace

// One account that a clip is charged to, with its limits and their names.
struct Admission::Account {
  const char* reason;
  const char* clips_limit;
  const char* bytes_limit;
  int64_t max_clips;
  int64_t max_bytes;
  InFlight* used;
};

std::array<Admission::Account, 3> Admission::AccountsOf(const Ticket& ticket) {
  const auto of_connection = [&](int64_t limit) {
    return ticket.peer_is_one_ ? limit : 0;
  };
  const auto own = [](int64_t quota, int64_t usual) {
    return quota > 0 ? quota : usual;
  };
  return {{{"CALLER_BUSY", "max_inflight_clips_per_caller",
            "max_inflight_bytes_per_caller",
            own(ticket.quota_.clips, limits_.max_inflight_clips_per_caller),
            own(ticket.quota_.bytes, limits_.max_inflight_bytes_per_caller),
            &ticket.caller_->used},
           {"CONNECTION_BUSY", "max_inflight_clips_per_connection",
            "max_inflight_bytes_per_connection",
            of_connection(limits_.max_inflight_clips_per_connection),
            of_connection(limits_.max_inflight_bytes_per_connection),
            &ticket.peer_->used},
           {"SERVER_BUSY", "max_inflight_clips", "max_inflight_bytes",
            limits_.max_inflight_clips, limits_.max_inflight_bytes, &all_}}};
}

// `alone` is what the clip takes by itself: more than the limit never fits.
grpc::Status Admission::Check(const Account& account, const InFlight& more,
                              int64_t alone) {
  const int64_t clips = account.used->clips + more.clips;
  const int64_t bytes = account.used->bytes + more.bytes;
  if (more.clips > 0 && Exceeds(clips, account.max_clips)) {
    return Busy(account.reason, account.clips_limit, account.max_clips, clips,
                /*may_retry=*/true);
  }
  if (Exceeds(bytes, account.max_bytes)) {
    return Busy(account.reason, account.bytes_limit, account.max_bytes, bytes,
                /*may_retry=*/!Exceeds(alone, account.max_bytes));
  }
  return grpc::Status::OK;
}

Ticket::Ticket(Ticket&& other) noexcept { *this = std::move(other); }

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  std::swap(admission_, other.admission_);
  std::swap(caller_, other.caller_);
  std::swap(peer_, other.peer_);
  std::swap(peer_is_one_, other.peer_is_one_);
  std::swap(quota_, other.quota_);
  std::swap(held_, other.held_);
  return *this;
}

Ticket::~Ticket() { Release(); }

grpc::Status Ticket::Grow(int64_t bytes) {
  if (admission_ == nullptr) return grpc::Status::OK;
  const std::lock_guard lock(admission_->mutex_);
  return admission_->Add({0, bytes}, this);
}

void Ticket::Worked() {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  admission_->Remove({held_.clips, 0}, this);
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
  return Take(caller, peer, {1, bytes}, ticket);
}

grpc::Status Admission::TryHold(const Caller& caller, const std::string& peer,
                                int64_t bytes, Ticket* ticket) {
  return Take(caller, peer, {0, bytes}, ticket);
}

grpc::Status Admission::Take(const Caller& caller, const std::string& peer,
                             InFlight usage, Ticket* ticket) {
  ticket->Release();
  const std::lock_guard lock(mutex_);
  ticket->caller_ = &callers_[caller.name];
  ticket->peer_ = &peers_[peer];
  // The peers of a Unix socket all have its name.
  ticket->peer_is_one_ = !peer.starts_with("unix:");
  ticket->quota_ = {caller.max_clips, caller.max_bytes};
  const grpc::Status status = Add(usage, ticket);
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
  }
  return grpc::Status::OK;
}

void Admission::Remove(InFlight less, Ticket* ticket) {
  for (InFlight* usage : UsagesOf(ticket)) {
    usage->clips -= less.clips;
    usage->bytes -= less.bytes;
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

}  // namespace bvhmill::server
