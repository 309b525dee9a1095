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
};

std::array<Admission::Account, 3> Admission::AccountsOf(
    const Ticket& ticket) const {
  const Caller& caller = *ticket.caller_;
  // The peers of a Unix socket all have its name.
  const bool is_known = !ticket.peer_.starts_with("unix:");
  const auto of_connection = [&](int64_t limit) {
    return is_known ? limit : 0;
  };
  const auto own = [](int64_t quota, int64_t usual) {
    return quota > 0 ? quota : usual;
  };
  return {{{"CALLER_BUSY", "max_inflight_clips_per_caller",
            "max_inflight_bytes_per_caller",
            own(caller.max_clips, limits_.max_inflight_clips_per_caller),
            own(caller.max_bytes, limits_.max_inflight_bytes_per_caller)},
           {"CONNECTION_BUSY", "max_inflight_clips_per_connection",
            "max_inflight_bytes_per_connection",
            of_connection(limits_.max_inflight_clips_per_connection),
            of_connection(limits_.max_inflight_bytes_per_connection)},
           {"SERVER_BUSY", "max_inflight_clips", "max_inflight_bytes",
            limits_.max_inflight_clips, limits_.max_inflight_bytes}}};
}

// `alone` is what the clip takes by itself: more than the limit never fits.
grpc::Status Admission::Check(const Account& account, const Usage& used,
                              const Usage& more, int64_t alone) {
  const int64_t clips = used.clips + more.clips;
  const int64_t bytes = used.bytes + more.bytes;
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
  std::swap(clips_, other.clips_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Ticket::~Ticket() { Release(); }

grpc::Status Ticket::Grow(int64_t bytes) {
  if (admission_ == nullptr) return grpc::Status::OK;
  const grpc::Status status = admission_->Add(*this, {0, bytes});
  if (status.ok()) bytes_ += bytes;
  return status;
}

void Ticket::Worked() {
  if (admission_ == nullptr) return;
  admission_->Remove(*this, {std::exchange(clips_, 0), 0});
}

void Ticket::Release() {
  if (admission_ == nullptr) return;
  const Admission::Usage held = {std::exchange(clips_, 0),
                                 std::exchange(bytes_, 0)};
  std::exchange(admission_, nullptr)->Remove(*this, held);
}

grpc::Status Admission::TryEnter(const std::shared_ptr<const Caller>& caller,
                                 const std::string& peer, int64_t bytes,
                                 Ticket* ticket) {
  return Take(caller, peer, {1, bytes}, ticket);
}

grpc::Status Admission::TryHold(const std::shared_ptr<const Caller>& caller,
                                const std::string& peer, int64_t bytes,
                                Ticket* ticket) {
  return Take(caller, peer, {0, bytes}, ticket);
}

grpc::Status Admission::Take(const std::shared_ptr<const Caller>& caller,
                             const std::string& peer, Usage usage,
                             Ticket* ticket) {
  ticket->Release();
  ticket->caller_ = caller;
  ticket->peer_ = peer;
  const grpc::Status status = Add(*ticket, usage);
  if (!status.ok()) return status;
  ticket->admission_ = this;
  ticket->clips_ = usage.clips;
  ticket->bytes_ = usage.bytes;
  return status;
}

grpc::Status Admission::Add(const Ticket& ticket, Usage more) {
  const std::lock_guard lock(mutex_);
  Usage& of_caller = callers_[ticket.caller_->name];
  Usage& of_peer = peers_[ticket.peer_];
  const auto accounts = AccountsOf(ticket);
  Usage* const used[] = {&of_caller, &of_peer, &all_};
  for (size_t i = 0; i < accounts.size(); ++i) {
    const grpc::Status status =
        Check(accounts[i], *used[i], more, ticket.bytes_ + more.bytes);
    if (status.ok()) continue;
    Forget(ticket);
    return status;
  }
  for (Usage* usage : used) {
    usage->clips += more.clips;
    usage->bytes += more.bytes;
  }
  return grpc::Status::OK;
}

void Admission::Remove(const Ticket& ticket, Usage less) {
  const std::lock_guard lock(mutex_);
  for (Usage* usage :
       {&callers_[ticket.caller_->name], &peers_[ticket.peer_], &all_}) {
    usage->clips -= less.clips;
    usage->bytes -= less.bytes;
  }
  Forget(ticket);
}

void Admission::Forget(const Ticket& ticket) {
  const auto is_empty = [](const Usage& usage) {
    return usage.clips == 0 && usage.bytes == 0;
  };
  const auto caller = callers_.find(ticket.caller_->name);
  if (is_empty(caller->second)) callers_.erase(caller);
  const auto peer = peers_.find(ticket.peer_);
  if (is_empty(peer->second)) peers_.erase(peer);
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
