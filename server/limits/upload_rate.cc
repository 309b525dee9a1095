#include "server/limits/upload_rate.h"

namespace bvhmill::server {

void UploadRate::Reset() {
  waited_ = Clock::duration{0};
  bytes_ = 0;
}

void UploadRate::Wait(Clock::time_point now) { since_ = now; }

void UploadRate::OnBytes(Clock::time_point now, int64_t bytes) {
  if (IsWaiting()) waited_ += now - since_;
  since_ = {};
  bytes_ += bytes;
}

// Compares a quotient, which does not overflow.
bool UploadRate::IsEnough(int64_t received) const {
  const int64_t bytes = bytes_ + received - received_at_span_;
  return bytes_per_second_ == 0 ||
         bytes / timeout_.count() >= bytes_per_second_;
}

// The bytes before the first look at a wait may belong to earlier messages.
void UploadRate::Look(Clock::time_point now, int64_t received) {
  if (looked_since_ != since_) {
    looked_since_ = since_;
    received_at_wait_ = received_at_span_ = received;
  }
  const bool has_come = received > received_;
  received_ = received;
  if (bytes_per_second_ > 0 || !has_come) return;
  // Any bytes begin the wait again.
  since_ = looked_since_ = now;
}

UploadRate::Verdict UploadRate::Check(Clock::time_point now, int64_t received) {
  if (timeout_.count() == 0 || !IsWaiting()) return Verdict::kGood;
  Look(now, received);
  const Clock::duration silence = now - since_;
  Clock::duration bought{0};
  if (bytes_per_second_ > 0) {
    bought = std::chrono::milliseconds(1000) *
             ((received - received_at_wait_) / bytes_per_second_);
  }
  if (silence - bought > timeout_) return Verdict::kIdle;
  if (waited_ + silence <= timeout_) return Verdict::kGood;
  if (!IsEnough(received)) return Verdict::kSlow;
  // The next span begins now, within this wait.
  waited_ = -silence;
  bytes_ = 0;
  received_at_span_ = received;
  return Verdict::kGood;
}

}  // namespace bvhmill::server
