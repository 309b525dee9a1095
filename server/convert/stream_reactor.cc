#include "server/convert/stream_reactor.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "server/codec/read_message.h"
#include "server/convert/clip_queue.h"
#include "server/convert/stream_clip.h"
#include "server/limits/upload_rate.h"
#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/live_call.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

using Clock = StreamClip::Clock;

// Bytes of text that a worker reads before it lets others have a turn.
constexpr size_t kTurnBytes = size_t{4} << 20;
// Outputs that a step makes: as a rule, and where streams hold too much.
constexpr int64_t kStepBytes = int64_t{4} << 20;
constexpr int64_t kCrowdedStepBytes = int64_t{128} << 10;
// A message with more bytes beside its text is not kept to be used again: its
// lists keep their memory, twenty times as much.
constexpr int64_t kUsualFrameBytes = 1 << 10;

// One stream. Frames are read while the window is open; each clip is converted
// by one worker at a time while it arrives, and paused while what it has made
// is not taken; one write is in flight at most. Lives until gRPC and the last
// worker have let go of it. One state machine under one mutex: it stands in one
// file, so that every transition can be checked against the others.
class ConvertStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public std::enable_shared_from_this<ConvertStream> {
 public:
  ConvertStream(const CallParts& parts, StreamMemory* memory,
                grpc::CallbackServerContext* call)
      : parts_(parts),
        memory_(*memory),
        call_(*call),
        live_(call),
        record_(parts.record, Method::kConvertClips, call),
        clips_(parts, memory, &record_),
        upload_rate_(Seconds(config().service.idle_seconds),
                     config().service.min_upload_bytes_per_second) {}

  void Start();
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  class Watch;
  // What to do once the mutex is released: gRPC may call back at once.
  struct Actions {
    // Must be begun before the stream may end: see busy_.
    bool read = false;
    const grpc::ByteBuffer* write = nullptr;
    // More follows at once.
    bool more_follows = false;
    std::optional<absl::Status> finish;
    std::vector<ClipPtr> run;
    bool cancel_call = false;
  };
  // What a worker does next with a clip.
  enum class Next { kMake, kStep, kGive, kFlush, kEnd, kFinish, kRest };

  template <typename Step>
  absl::Status Guard(const Step& step) {
    return CatchAsStatus(parts_.record.log, "a stream", step);
  }
  absl::Status Enter();
  bool QueueMessage(Clock::time_point came_at);
  void TakeMessage(Clock::time_point came_at);
  void TakeRead(const absl::Status& read, int64_t beside,
                Clock::time_point came_at);
  void OnDrain();
  void OnTick(Clock::time_point now);
  bool IsBusy() const;
  bool IsSlowReader(Clock::time_point now) const;
  absl::Status CheckWriter(Clock::time_point now);
  absl::Status CheckIdle(Clock::time_point now);
  absl::Status CheckPeer(Clock::time_point now);
  bool MustEnd() const;
  bool MayRead() const;
  void PickWrite(Actions* actions);
  Actions NextActions();
  void Do(Actions actions);
  void EndBusy();

  // In workers.
  void Run(const ClipPtr& clip);
  bool Queue(const ClipPtr& clip);
  void Fail(const ClipPtr& clip, absl::Status status);
  void Refuse(const ClipPtr& clip, const absl::Status& status);
  void Work(const ClipPtr& clip);
  size_t WorkOnce(const ClipPtr& clip, Next next, std::string* bytes);
  void MakeConversion(const ClipPtr& clip);
  Next TakeNext(const ClipPtr& clip, std::string* bytes);
  Next TakeMore(StreamClip* clip, std::string* bytes);
  void FinishClip(const ClipPtr& clip);
  void Push(const ClipPtr& clip, ResponseFrame frame, bool is_result);
  void AddFrame(const ClipPtr& clip, ResponseFrame frame, bool is_result);

  const ServerConfig& config() const { return parts_.config; }

  const CallParts parts_;
  StreamMemory& memory_;
  const grpc::CallbackServerContext& call_;
  LiveCall live_;
  CallRecord record_;
  CancelToken cancel_;
  bool counted_ = false;
  CallRegistry::CallId call_id_;
  std::shared_ptr<ConvertStream> self_;
  // What is being read, and then read as a message.
  grpc::ByteBuffer received_;
  v1::ConvertClipsRequest request_;

  std::mutex mutex_;
  ClipQueue clips_;
  bool reading_ = false;
  // A worker is going to read the message that came; its memory meanwhile.
  bool is_queued_ = false;
  Ticket message_ticket_;
  bool reads_done_ = false;
  bool draining_ = false;
  UploadRate upload_rate_;
  // When a tick first saw the stream without unfinished clips; reset by each
  // message.
  std::optional<Clock::time_point> idle_since_;
  // When the pending write, or the end, was given to gRPC.
  Clock::time_point write_at_;
  ClipPtr writing_;
  ResponseFrame written_;
  // Reads that are about to be started, without the mutex. Finish must come
  // after them: gRPC forgets the call soon after it.
  int busy_ = 0;
  // Set once the stream must end with an error.
  std::optional<absl::Status> failed_;
  // By the peer, or because it is gone: which of these, only the end says.
  bool closed_within_clip_ = false;
  bool finished_ = false;
};

// Tells the stream, if it is still there.
class ConvertStream::Watch final : public CallWatch {
 public:
  explicit Watch(std::weak_ptr<ConvertStream> stream)
      : stream_(std::move(stream)) {}

  void OnDrain() override {
    if (const auto stream = stream_.lock()) stream->OnDrain();
  }
  void OnTick(Clock::time_point now) override {
    if (const auto stream = stream_.lock()) stream->OnTick(now);
  }

 private:
  const std::weak_ptr<ConvertStream> stream_;
};

void ConvertStream::Start() {
  self_ = shared_from_this();
  Actions actions;
  {
    // Events wait until it is known who calls.
    const std::lock_guard lock(mutex_);
    absl::Status refused = Guard([this] { return Enter(); });
    if (!refused.ok()) failed_ = std::move(refused);
    actions = NextActions();
  }
  // Headers first: a client may wait for them before it sends anything.
  if (!actions.finish) StartSendInitialMetadata();
  Do(std::move(actions));
}

absl::Status ConvertStream::Enter() {
  counted_ = parts_.calls.Begin(std::make_shared<Watch>(weak_from_this()),
                                record_.peer(), &call_id_);
  if (!counted_) return Stopping();
  const absl::Status status = record_.Enter(Scope::kConvert);
  return status.ok() ? clips_.Enter() : status;
}

void ConvertStream::OnCancel() {
  cancel_.Cancel();
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::OnDone() {
  const bool is_gone = closed_within_clip_ && call_.IsCancelled();
  record_.Done(is_gone || (cancel_.IsCancelled() && !failed_));
  live_.Done();
  if (counted_) parts_.calls.End(call_id_, call_.IsCancelled());
  cancel_.Cancel();
  {
    const std::lock_guard lock(mutex_);
    clips_.Clear();
  }
  // Workers may still hold the stream; the last one deletes it.
  const std::shared_ptr<ConvertStream> self = std::move(self_);
}

void ConvertStream::OnDrain() {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    actions = NextActions();
  }
  Do(std::move(actions));
}

// Nothing more is to be expected of the peer but that it takes what is sent.
bool ConvertStream::IsBusy() const {
  const bool has_whole_clips = !clips_.empty() && !clips_.is_within_clip();
  return !reading_ || is_queued_ || writing_ != nullptr || has_whole_clips;
}

// The peer does not take what was written last: a frame, or the end.
bool ConvertStream::IsSlowReader(Clock::time_point now) const {
  const std::chrono::seconds patience = Seconds(config().service.idle_seconds);
  const bool is_writing = finished_ || writing_ != nullptr;
  return patience.count() > 0 && is_writing && now - write_at_ > patience;
}

// Whoever begins a clip must go on with it.
absl::Status ConvertStream::CheckWriter(Clock::time_point now) {
  if (!clips_.is_within_clip() || is_queued_) return absl::OkStatus();
  const ServiceLimits& limits = config().service;
  switch (upload_rate_.Judge(now)) {
    case UploadRate::Verdict::kIdle:
      return StreamIdle(limits.idle_seconds);
    case UploadRate::Verdict::kSlow:
      return StreamSlow(limits.min_upload_bytes_per_second);
    case UploadRate::Verdict::kGood:
      break;
  }
  return absl::OkStatus();
}

// Judges a stream without unfinished clips, which waits for the peer to begin
// one.
absl::Status ConvertStream::CheckIdle(Clock::time_point now) {
  const int64_t limit = config().service.idle_between_seconds;
  if (limit == 0 || !clips_.empty() || !reading_ || is_queued_) {
    idle_since_.reset();
    return absl::OkStatus();
  }
  if (!idle_since_) idle_since_ = now;
  return now - *idle_since_ > Seconds(limit) ? StreamIdleBetween(limit)
                                             : absl::OkStatus();
}

// Why the stream cannot go on; OK if it can.
absl::Status ConvertStream::CheckPeer(Clock::time_point now) {
  if (IsSlowReader(now)) return StreamIdle(config().service.idle_seconds);
  if (failed_) return absl::OkStatus();
  absl::Status status = record_.Recheck(Scope::kConvert);
  if (status.ok()) status = CheckIdle(now);
  return status.ok() ? CheckWriter(now) : status;
}

void ConvertStream::OnTick(Clock::time_point now) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    // A write that is not taken cannot be taken back otherwise.
    const bool is_stuck = IsSlowReader(now);
    if (!finished_) {
      if (IsBusy()) CallRegistry::MarkActive(call_id_);
      const absl::Status status = Guard([&] { return CheckPeer(now); });
      if (!status.ok()) {
        if (!failed_) failed_ = status;
        cancel_.Cancel();
      }
      // Other streams may have made room for this one.
      actions = NextActions();
    }
    actions.cancel_call = is_stuck;
  }
  Do(std::move(actions));
}

void ConvertStream::OnReadDone(bool ok) {
  if (ok) {
    const auto now = Clock::now();
    const bool is_left = IsDear(kStreamTexts, &received_) && QueueMessage(now);
    return is_left ? void() : TakeMessage(now);
  }
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    reads_done_ = true;
    if (clips_.is_within_clip() && !cancel_.IsCancelled() && !failed_) {
      failed_ = StreamOutOfOrder("the stream was closed within a clip");
      closed_within_clip_ = true;
    }
    if (failed_) cancel_.Cancel();
    actions = NextActions();
  }
  Do(std::move(actions));
}

// A worker will take the message that came. False if there is no memory for
// that, or the message must not wait.
bool ConvertStream::QueueMessage(Clock::time_point came_at) {
  const absl::Status held = Guard([this] {
    return parts_.admission.TryHold(*record_.caller(), record_.peer(),
                                    static_cast<int64_t>(received_.Length()),
                                    &message_ticket_);
  });
  if (!held.ok()) return false;
  {
    const std::lock_guard lock(mutex_);
    is_queued_ = true;
  }
  bool is_queued = false;
  CatchAndLog(parts_.record.log, "a stream", [&] {
    is_queued = parts_.queue.Enqueue(
        record_.turn(),
        [self = shared_from_this(), came_at] { self->TakeMessage(came_at); });
  });
  return is_queued;
}

// Reads the message that came at `came_at`, and begins the next read.
void ConvertStream::TakeMessage(Clock::time_point came_at) {
  int64_t beside = 0;
  absl::Status read = absl::CancelledError("");
  if (!cancel_.IsCancelled()) {
    read = Guard([&] {
      return ReadMessage(config(), kStreamTexts, &received_, &request_,
                         &beside);
    });
  }
  message_ticket_.Release();
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    is_queued_ = false;
    if (!failed_ && !finished_) TakeRead(read, beside, came_at);
    // Not until the next one comes, which may be never; and a message that is
    // cleared keeps its lists.
    request_.Clear();
    if (beside > kUsualFrameBytes) request_ = {};
    if (failed_) cancel_.Cancel();
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::TakeRead(const absl::Status& read, int64_t beside,
                             Clock::time_point came_at) {
  CallRegistry::MarkActive(call_id_);
  idle_since_.reset();
  upload_rate_.OnBytes(came_at, static_cast<int64_t>(request_.chunk().size()));
  const bool goes_on = clips_.is_within_clip();
  const absl::Status status =
      read.ok() ? Guard([&] { return clips_.Take(&request_, beside); }) : read;
  if (!status.ok()) failed_ = status;
  if (!goes_on) upload_rate_.Reset();
}

bool ConvertStream::MustEnd() const {
  return failed_ ||
         (clips_.empty() && !is_queued_ && (draining_ || reads_done_));
}

// A stream that drains takes the rest of a clip, but no more clips.
bool ConvertStream::MayRead() const {
  return !reads_done_ && (!draining_ || clips_.is_within_clip()) &&
         clips_.WindowIsOpen();
}

void ConvertStream::PickWrite(Actions* actions) {
  writing_ = clips_.PickWrite(&written_, &actions->more_follows);
  if (writing_ == nullptr) return;
  write_at_ = Clock::now();
  actions->write = written_.message.get();
}

ConvertStream::Actions ConvertStream::NextActions() {
  Actions actions;
  if (finished_) return actions;
  if (cancel_.IsCancelled() && !failed_) failed_ = absl::CancelledError("");
  // Now, since what follows must not throw.
  const bool has_memory = CatchAndLog(parts_.record.log, "a stream", [&] {
    actions.run.reserve(clips_.size());
  });
  if (!has_memory && !failed_) failed_ = OutOfMemory();
  if (MustEnd()) {
    if (failed_) clips_.AbandonAll();
    // A write in flight must be over before the end.
    if (writing_ != nullptr || busy_ > 0) return actions;
    // Only that it has failed is asked from now on.
    actions.finish = failed_       ? std::move(*failed_)
                     : reads_done_ ? absl::OkStatus()
                                   : Stopping();
    finished_ = true;
    write_at_ = Clock::now();
    return actions;
  }
  if (writing_ == nullptr) PickWrite(&actions);
  if (!reading_ && MayRead()) {
    reading_ = true;
    upload_rate_.Wait(Clock::now());
    actions.read = true;
    ++busy_;
  }
  clips_.TakeRunnable(&actions.run);
  return actions;
}

void ConvertStream::Do(Actions actions) {
  // Keeps the stream while gRPC may be done with it.
  const std::shared_ptr<ConvertStream> self = shared_from_this();
  std::erase_if(actions.run, [this](const auto& clip) { return Queue(clip); });
  if (actions.write != nullptr) {
    // A frame that waits for others is followed by them, or by the result if
    // the clip is refused meanwhile.
    grpc::WriteOptions how;
    if (actions.more_follows) how.set_buffer_hint();
    StartWrite(actions.write, how);
  }
  if (actions.read) StartRead(&received_);
  if (actions.finish) {
    record_.Finishing(*actions.finish);
    Finish(ToGrpc(*actions.finish));
  }
  if (actions.cancel_call) live_.Cancel();
  if (actions.read) EndBusy();
  // What is left.
  for (const ClipPtr& clip : actions.run) Fail(clip, OutOfMemory());
}

// What was asked for is with gRPC; the end may have waited for it.
void ConvertStream::EndBusy() {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    if (--busy_ > 0 || !MustEnd()) return;
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::OnWriteDone(bool ok) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    const ClipPtr clip = std::exchange(writing_, nullptr);
    if (!ok) cancel_.Cancel();
    clips_.Written(clip, std::exchange(written_, {}));
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::MakeConversion(const ClipPtr& clip) {
  FrameReceiver::Peer peer;
  peer.emit = [this, weak = std::weak_ptr(clip)](ResponseFrame frame) {
    Push(weak.lock(), std::move(frame), /*is_result=*/false);
  };
  peer.hold = [this, weak = std::weak_ptr(clip)](int64_t bytes) {
    const std::lock_guard lock(mutex_);
    return weak.lock()->ticket.Grow(bytes);
  };
  clip->conversion = std::make_unique<StreamConversion>(
      *clip, config(), &cancel_, std::move(peer));
  clip->queued = Clock::now() - *clip->queued_at;
}

// A worker will run `clip`. False if there is no memory for that.
bool ConvertStream::Queue(const ClipPtr& clip) {
  bool is_queued = false;
  CatchAndLog(parts_.record.log, "a stream", [&] {
    is_queued = parts_.queue.Enqueue(
        record_.turn(), [self = shared_from_this(), clip] { self->Run(clip); });
  });
  return is_queued;
}

void ConvertStream::Run(const ClipPtr& clip) {
  absl::Status status = Guard([&] {
    Work(clip);
    return absl::OkStatus();
  });
  // Where there is not even memory for that, the next tick ends the stream.
  if (status.ok()) return;
  CatchAndLog(parts_.record.log, "a stream",
              [&] { Fail(clip, std::move(status)); });
}

// What the clips of the stream share may be half done: it ends.
void ConvertStream::Fail(const ClipPtr& clip, absl::Status status) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    if (finished_ || clip->is_abandoned) return;
    if (!failed_) failed_ = std::move(status);
    cancel_.Cancel();
    actions = NextActions();
  }
  Do(std::move(actions));
}

// The system has no memory for `clip`, but may have for others. What the clip
// had is freed first.
void ConvertStream::Refuse(const ClipPtr& clip, const absl::Status& status) {
  clip->conversion.reset();
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    if (finished_ || clip->is_abandoned) return;
    clips_.UsedBytes(clip.get());
    // Its peer may have been told otherwise meanwhile.
    if (!clip->refused) clips_.Refuse(clip.get(), status);
    clip->is_running = false;
    actions = NextActions();
  }
  Do(std::move(actions));
}

// Works on `clip` until there is nothing to do, or others should have a turn.
void ConvertStream::Work(const ClipPtr& clip) {
  std::string bytes;
  for (size_t done = 0; done < kTurnBytes;) {
    const Next next = TakeNext(clip, &bytes);
    if (next == Next::kRest) return;
    absl::Status status = Guard([&] {
      done += WorkOnce(clip, next, &bytes);
      return absl::OkStatus();
    });
    if (!status.ok()) {
      // There is not even memory to say so.
      const bool is_hopeless = next == Next::kFinish && clip->refused;
      return is_hopeless ? Fail(clip, std::move(status)) : Refuse(clip, status);
    }
    if (next == Next::kFinish) return;
  }
  if (!Queue(clip)) Fail(clip, OutOfMemory());
}

// Returns the bytes of text that it took, or is worth. Of what throws here,
// nothing but the clip is half done.
size_t ConvertStream::WorkOnce(const ClipPtr& clip, Next next,
                               std::string* bytes) {
  if (clip->conversion != nullptr) {
    clip->conversion->SetStepBytes(memory_.IsCrowded() ? kCrowdedStepBytes
                                                       : kStepBytes);
  }
  switch (next) {
    case Next::kMake:
      MakeConversion(clip);
      break;
    case Next::kGive:
      clip->conversion->Give(std::move(*bytes));
      [[fallthrough]];
    case Next::kStep:
      return clip->conversion->Step();
    case Next::kFlush:
      clip->conversion->Flush();
      break;
    case Next::kEnd:
      clip->conversion->End();
      break;
    case Next::kFinish:
      FinishClip(clip);
      break;
    case Next::kRest:
      break;
  }
  return 0;
}

ConvertStream::Next ConvertStream::TakeNext(const ClipPtr& clip,
                                            std::string* bytes) {
  // It may be large: freed without the mutex.
  std::unique_ptr<StreamConversion> dropped;
  Actions actions;
  Next next = Next::kRest;
  {
    const std::lock_guard lock(mutex_);
    const bool is_over = cancel_.IsCancelled() || clip->is_abandoned;
    if (!is_over && clip->refused) {
      clips_.UsedBytes(clip.get());
      dropped = std::move(clip->conversion);
      actions = NextActions();
      next = clip->has_ended ? Next::kFinish : Next::kRest;
    } else if (is_over || clips_.MustPause(*clip)) {
      next = Next::kRest;
    } else if (clip->conversion == nullptr) {
      next = Next::kMake;
    } else if (clip->conversion->has_work()) {
      next = Next::kStep;
    } else {
      next = TakeMore(clip.get(), bytes);
      actions = NextActions();
    }
    clip->is_running = next != Next::kRest;
  }
  Do(std::move(actions));
  return next;
}

// The conversion has used up what it was given.
ConvertStream::Next ConvertStream::TakeMore(StreamClip* clip,
                                            std::string* bytes) {
  clips_.UsedBytes(clip);
  if (!clip->incoming.empty()) {
    *bytes = clips_.TakeBytes(clip);
    return Next::kGive;
  }
  if (clip->has_ended) {
    return clip->conversion->has_ended() ? Next::kFinish : Next::kEnd;
  }
  return clips_.MustFlush(*clip) ? Next::kFlush : Next::kRest;
}

void ConvertStream::FinishClip(const ClipPtr& clip) {
  if (clip->refused) {
    return Push(clip, ResultFrame(*clip, *clip->refused), /*is_result=*/true);
  }
  ConvertResult& result = clip->conversion->Finish();
  result.times.queued = clip->queued;
  ResponseFrame frame = ResultFrame(*clip, result);
  record_.AddClip(result);
  Push(clip, std::move(frame), /*is_result=*/true);
}

// One more frame of `clip`; the result is the last one. The clip may not know
// that there was no memory: the stream ends.
void ConvertStream::Push(const ClipPtr& clip, ResponseFrame frame,
                         bool is_result) {
  absl::Status status = Guard([&] {
    AddFrame(clip, std::move(frame), is_result);
    return absl::OkStatus();
  });
  if (!status.ok()) Fail(clip, std::move(status));
}

void ConvertStream::AddFrame(const ClipPtr& clip, ResponseFrame frame,
                             bool is_result) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    if (clip->is_abandoned || finished_) return;
    // A step goes on for a moment; frames before have been dropped.
    if (clip->refused && !is_result) return;
    clips_.AddFrame(clip.get(), std::move(frame));
    if (is_result) {
      clip->made_at = Clock::now();
      clip->has_result = true;
      clip->is_running = false;
      clip->conversion.reset();
    }
    actions = NextActions();
  }
  Do(std::move(actions));
}

// A stream that there was no memory for, or nobody waits for. Deletes itself.
class RefusedStream final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit RefusedStream(const absl::Status& status) { Finish(ToGrpc(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartConvertStream(
    const CallParts& parts, StreamMemory* memory,
    grpc::CallbackServerContext* call) {
  std::shared_ptr<ConvertStream> stream;
  const absl::Status status = CatchAsStatus(parts.record.log, "a stream", [&] {
    if (WasCut(parts.connections, *call)) return absl::CancelledError("");
    stream = std::make_shared<ConvertStream>(parts, memory, call);
    return absl::OkStatus();
  });
  if (stream == nullptr) return new RefusedStream(status);
  stream->Start();
  return stream.get();
}

}  // namespace bvhmill::server
