#include "server/convert/stream_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

// While the server drains: the longest time in which gRPC delivers a message
// that it has, and all messages that a peer sent before the drain.
constexpr std::chrono::milliseconds kSilence(500);
constexpr std::chrono::milliseconds kLongestSending(5'000);

}  // namespace

StreamSession::StreamSession(const SessionParts& parts)
    : parts_(parts),
      clips_(parts),
      upload_rate_(Seconds(parts.config.service.idle_seconds),
                   parts.config.service.min_upload_bytes_per_second) {}

void StreamSession::Start(const absl::Status& entered,
                          std::shared_ptr<const Caller> caller,
                          const std::string& peer, StreamActions* actions) {
  const absl::Status status =
      entered.ok()
          ? CatchAsStatus(parts_.log, kStreamPlace,
                          [&] { return clips_.Enter(std::move(caller), peer); })
          : entered;
  if (!status.ok()) Fail(status);
  Next(actions);
}

void StreamSession::Fail(const absl::Status& status) {
  if (!failed_) failed_ = status;
}

void StreamSession::OnDrain(StreamActions* actions) {
  if (!drain_at_) drain_at_ = parts_.now();
  Next(actions);
}

bool StreamSession::IsNewWork(const v1::ConvertClipsRequest& request,
                              Clock::time_point came_at) const {
  if (!drain_at_ || !request.has_begin()) return false;
  const std::chrono::milliseconds half(500 * parts_.config.drain_seconds);
  return came_at - read_at_ > kSilence ||
         came_at - *drain_at_ > std::min(half, kLongestSending);
}

// While the server drains: no message from before the drain comes any more, and
// no end from a peer that waited for its results.
bool StreamSession::HearsNothing() const {
  return met_new_work_ ||
         (is_reading_ &&
          parts_.now() - std::max(read_at_, write_at_) > kSilence);
}

// The peer does not accept the frame, or the status, that was written last.
bool StreamSession::IsSlowReader(Clock::time_point now) const {
  const std::chrono::seconds timeout = Seconds(limits().idle_seconds);
  const bool must_take = is_finished_ || is_writing();
  return timeout.count() > 0 && must_take && now - write_at_ > timeout;
}

// The error of a peer that began a clip and sends too little of it.
absl::Status StreamSession::CheckUpload(Clock::time_point now,
                                        int64_t received) {
  if (!clips_.is_within_clip() || is_queued_) return absl::OkStatus();
  switch (upload_rate_.Check(now, received)) {
    case UploadRate::Verdict::kIdle:
      return StreamIdle(limits().idle_seconds);
    case UploadRate::Verdict::kSlow:
      return StreamSlow(limits().min_upload_bytes_per_second);
    case UploadRate::Verdict::kGood:
      break;
  }
  return absl::OkStatus();
}

// The error of a peer that begins no clip for too long.
absl::Status StreamSession::CheckIdle(Clock::time_point now) {
  const int64_t limit = limits().idle_between_seconds;
  if (limit == 0 || !clips_.empty() || !is_reading_ || is_queued_) {
    idle_since_.reset();
    return absl::OkStatus();
  }
  if (!idle_since_) idle_since_ = now;
  return now - *idle_since_ > Seconds(limit) ? StreamIdleBetween(limit)
                                             : absl::OkStatus();
}

// The reason why the stream must fail; OK if there is none.
absl::Status StreamSession::CheckPeer(Clock::time_point now,
                                      const absl::Status& allowed,
                                      int64_t received) {
  if (IsSlowReader(now)) return StreamIdle(limits().idle_seconds);
  if (failed_) return absl::OkStatus();
  absl::Status status = allowed;
  if (status.ok()) status = CheckIdle(now);
  return status.ok() ? CheckUpload(now, received) : status;
}

void StreamSession::OnTick(Clock::time_point now, const absl::Status& allowed,
                           int64_t received, StreamActions* actions) {
  const bool is_stuck = IsSlowReader(now);
  if (!is_finished_) {
    const absl::Status status = CatchAsStatus(parts_.log, kStreamPlace, [&] {
      return CheckPeer(now, allowed, received);
    });
    if (!status.ok()) {
      Fail(status);
      cancel_.Cancel();
    }
    // Other streams may have freed memory that this one waits for.
    Next(actions);
  }
  actions->cancel_call = is_stuck;
}

void StreamSession::OnHalfClose(StreamActions* actions) {
  is_reading_ = false;
  reads_done_ = true;
  if (clips_.is_within_clip() && !cancel_.IsCancelled() && !failed_) {
    Fail(CatchAsStatus(parts_.log, kStreamPlace, [] {
      return StreamOutOfOrder("the stream was closed within a clip");
    }));
    closed_within_clip_ = true;
  }
  if (failed_) cancel_.Cancel();
  Next(actions);
}

void StreamSession::OnRequest(const absl::Status& parsed,
                              v1::ConvertClipsRequest* request, int64_t beside,
                              Clock::time_point came_at,
                              StreamActions* actions) {
  is_reading_ = false;
  is_queued_ = false;
  if (IsNewWork(*request, came_at)) {
    met_new_work_ = true;
  } else if (!is_over()) {
    idle_since_.reset();
    upload_rate_.OnBytes(came_at,
                         static_cast<int64_t>(request->chunk().size()));
    if (!parsed.ok()) {
      Fail(parsed);
    } else if (clips_.has_chunk()) {
      Wait(request, beside);
    } else {
      Take(request, beside);
    }
  }
  if (failed_) cancel_.Cancel();
  Next(actions);
}

void StreamSession::Take(v1::ConvertClipsRequest* request, int64_t beside) {
  const bool goes_on = clips_.is_within_clip();
  const absl::Status status = CatchAsStatus(
      parts_.log, kStreamPlace, [&] { return clips_.Take(request, beside); });
  if (!status.ok()) Fail(status);
  if (!goes_on) upload_rate_.Reset();
}

void StreamSession::Wait(v1::ConvertClipsRequest* request, int64_t beside) {
  const auto bytes = static_cast<int64_t>(request->SpaceUsedLong());
  waiting_.emplace(Waiting{std::move(*request), beside, bytes, {}});
  const bool is_held = CatchAndLog(parts_.log, kStreamPlace, [&] {
    clips_.HoldWaiting(bytes, &waiting_->ticket);
  });
  if (!is_held) Fail(OutOfMemory());
}

// Takes the message that waited for its worker, if the worker is done.
void StreamSession::TakeWaiting() {
  if (!waiting_ || clips_.has_chunk()) return;
  Waiting message = *std::exchange(waiting_, std::nullopt);
  clips_.DropWaiting(message.bytes);
  message.ticket.Release();
  Take(&message.request, message.beside);
  if (failed_) cancel_.Cancel();
}

void StreamSession::OnReadStarted(StreamActions* actions) {
  // Only Finish may have waited for it.
  if (--starting_reads_ == 0 && MustEnd()) Next(actions);
}

void StreamSession::OnWriteDone(bool ok, StreamActions* actions) {
  const ClipPtr clip = std::exchange(writing_, nullptr);
  if (!ok) cancel_.Cancel();
  clips_.Written(clip, std::exchange(written_, {}));
  Next(actions);
}

bool StreamSession::MustEnd() const {
  return failed_ || (clips_.empty() && !is_queued_ &&
                     (reads_done_ || (drain_at_ && HearsNothing())));
}

bool StreamSession::MayRead() const {
  return !reads_done_ && !met_new_work_ && !waiting_ && clips_.WindowIsOpen();
}

void StreamSession::PickWrite(StreamActions* actions) {
  writing_ = clips_.PickWrite(&written_, &actions->more_follows);
  if (writing_ == nullptr) return;
  write_at_ = parts_.now();
  actions->write = &written_;
}

void StreamSession::End(StreamActions* actions) {
  if (failed_) clips_.AbandonAll();
  if (is_writing() || starting_reads_ > 0) return;
  actions->finish = failed_       ? *failed_
                    : reads_done_ ? absl::OkStatus()
                                  : Stopping();
  is_finished_ = true;
  write_at_ = parts_.now();
}

void StreamSession::Next(StreamActions* actions) {
  actions->dropped = clips_.TakeDropped();
  if (is_finished_) return;
  if (cancel_.IsCancelled()) Fail(absl::CancelledError(""));
  // Reserved here because what follows must not throw.
  const bool has_memory = CatchAndLog(
      parts_.log, kStreamPlace, [&] { actions->run.reserve(clips_.size()); });
  if (!has_memory) Fail(OutOfMemory());
  if (MustEnd()) return End(actions);
  if (!is_writing()) PickWrite(actions);
  clips_.TakeRunnable(&actions->run);
  if (!is_reading_ && MayRead()) {
    is_reading_ = true;
    read_at_ = parts_.now();
    upload_rate_.Wait(read_at_);
    actions->read = true;
    ++starting_reads_;
  }
}

bool StreamSession::BeginWork(const ClipPtr& clip) {
  const bool is_gone =
      is_finished_ || clip->is_abandoned || cancel_.IsCancelled();
  clip->is_running = !is_gone && (clip->refused || !clips_.MustPause(*clip));
  return clip->is_running;
}

void StreamSession::OnChunkRead(const ClipPtr& clip, StreamActions* actions) {
  if (is_finished_ || clip->is_abandoned) return;
  clips_.UsedChunk(clip.get());
  clip->is_running = clip->has_ended;
  TakeWaiting();
  Next(actions);
}

void StreamSession::OnFrame(const ClipPtr& clip, ResponseFrame frame,
                            bool is_result, StreamActions* actions) {
  if (clip->is_abandoned || is_finished_) return;
  clips_.AddFrame(clip.get(), std::move(frame));
  if (is_result) {
    clip->made_at = parts_.now();
    clip->has_result = true;
    clip->is_running = false;
  }
  Next(actions);
}

void StreamSession::OnNoMemory(const ClipPtr& clip, const absl::Status& status,
                               StreamActions* actions) {
  if (is_finished_ || clip->is_abandoned) return;
  clip->is_running = false;
  clips_.Refuse(clip.get(), status);
  TakeWaiting();
  Next(actions);
}

void StreamSession::OnFailure(const ClipPtr& clip, const absl::Status& status,
                              StreamActions* actions) {
  if (is_finished_ || clip->is_abandoned) return;
  Fail(status);
  cancel_.Cancel();
  Next(actions);
}

void StreamSession::Clear() {
  cancel_.Cancel();
  waiting_.reset();
  clips_.Clear();
}

}  // namespace bvhmill::server
