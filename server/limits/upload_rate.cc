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
bool UploadRate::IsEnough() const {
  return bytes_per_second_ == 0 ||
         bytes_ / patience_.count() >= bytes_per_second_;
}

UploadRate::Verdict UploadRate::Check(Clock::time_point now) {
  if (patience_.count() == 0 || !IsWaiting()) return Verdict::kGood;
  const Clock::duration silence = now - since_;
  if (silence > patience_) return Verdict::kIdle;
  if (waited_ + silence <= patience_) return Verdict::kGood;
  if (!IsEnough()) return Verdict::kSlow;
  // The next span begins now, within this wait.
  waited_ = -silence;
  bytes_ = 0;
  return Verdict::kGood;
}

}  // namespace bvhmill::server
