#include "server/convert/stream_reactor.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bvhmill/base/limits.h"
#include "server/codec/read_message.h"
#include "server/convert/clip_work.h"
#include "server/convert/stream_session.h"
#include "server/rpc/call_record.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/statuses.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {
namespace {

using Clock = StreamSession::Clock;

// A parsed message keeps the memory of its lists when it is cleared. That
// memory is freed after a message with more bytes than this outside of its
// text.
constexpr int64_t kUsualMessageBytes = 1 << 10;

// Turns the callbacks of gRPC and the work on clips into events of a session,
// and the actions of the session into calls of gRPC and tasks of the workers.
// Several workers may run clips of the stream at once, one worker a clip.
class ConvertStream final : public RawReactor,
                            public std::enable_shared_from_this<ConvertStream> {
 public:
  ConvertStream(const CallParts& parts, StreamMemory* memory,
                grpc::CallbackServerContext* call)
      : parts_(parts),
        call_(*call),
        live_(call),
        record_(parts.record, Method::kConvertClips, call),
        session_({parts.config, parts.admission, *memory, record_,
                  parts.record.log}) {}

  void Start();
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  class Watch;

  // Reports an event to the session under the mutex: `event(actions)`. Then
  // does the actions.
  template <typename Event>
  void Report(const Event& event);
  void Do(StreamActions actions);

  absl::Status Enter();
  bool QueueMessage(Clock::time_point came_at);
  // Refuses the message that came: the stream ends with `status`.
  void FailRead(const absl::Status& status, Clock::time_point came_at);
  void TakeMessage(Clock::time_point came_at);
  void OnDrain();
  void OnTick(Clock::time_point now);

  // The work on a clip, in a worker.
  bool Queue(const ClipPtr& clip);
  void Run(const ClipPtr& clip);
  void ReadChunk(const ClipPtr& clip);
  void MakeWork(const ClipPtr& clip);
  void EmitIssues(const ClipPtr& clip);
  void FinishClip(const ClipPtr& clip);
  void Emit(const ClipPtr& clip, ResponseFrame frame, bool is_result);
  void OnFailure(const ClipPtr& clip, const absl::Status& status);

  const CallParts parts_;
  const grpc::CallbackServerContext& call_;
  LiveCall live_;
  CallRecord record_;
  std::optional<CallRegistry::CallId> call_id_;
  // Set until gRPC is done with the call.
  std::shared_ptr<ConvertStream> self_;
  // The message that is read, as bytes and then parsed. Only the thread that
  // handles the outstanding read uses them.
  grpc::ByteBuffer received_;
  v1::ConvertClipsRequest request_;
  // The memory of a message that waits for a worker.
  Ticket message_ticket_;
  std::mutex mutex_;
  StreamSession session_;
};

// Reports to the stream as long as it exists.
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

template <typename Event>
void ConvertStream::Report(const Event& event) {
  StreamActions actions;
  {
    const std::lock_guard lock(mutex_);
    event(&actions);
  }
  Do(std::move(actions));
}

void ConvertStream::Do(StreamActions actions) {
  // Keeps the stream if gRPC is done with it meanwhile.
  const std::shared_ptr<ConvertStream> self = shared_from_this();
  std::erase_if(actions.run, [this](const auto& clip) { return Queue(clip); });
  if (actions.write != nullptr) {
    grpc::WriteOptions how;
    if (actions.more_follows) how.set_buffer_hint();
    StartWrite(&actions.write->body->bytes, how);
  }
  if (actions.read) StartRead(&received_);
  if (actions.finish) {
    record_.Finishing(*actions.finish);
    Finish(ToGrpc(*actions.finish));
  }
  if (actions.cancel_call) live_.Cancel();
  if (actions.read) {
    Report([this](StreamActions* more) { session_.OnReadStarted(more); });
  }
  // The clips that could not be queued: no memory.
  for (const ClipPtr& clip : actions.run) OnFailure(clip, OutOfMemory());
}

void ConvertStream::Start() {
  self_ = shared_from_this();
  StreamActions actions;
  {
    // Other events wait until the caller is known.
    const std::lock_guard lock(mutex_);
    const absl::Status entered = CatchAsStatus(parts_.record.log, kStreamPlace,
                                               [this] { return Enter(); });
    session_.Start(entered, record_.caller(), record_.peer(), &actions);
  }
  // A client may wait for the headers before it sends anything.
  if (!actions.finish) StartSendInitialMetadata();
  Do(std::move(actions));
}

absl::Status ConvertStream::Enter() {
  const absl::Status begun =
      parts_.calls.Begin({.watch = std::make_shared<Watch>(weak_from_this()),
                          .peer = record_.peer()},
                         &call_id_);
  return begun.ok() ? record_.Enter(Scope::kConvert) : begun;
}

void ConvertStream::OnCancel() {
  session_.cancel().Cancel();
  Report([this](StreamActions* actions) { session_.OnCancel(actions); });
}

void ConvertStream::OnDone() {
  const bool is_gone = session_.closed_within_clip() && call_.IsCancelled();
  const bool is_cancelled =
      session_.cancel().IsCancelled() && !session_.has_failed();
  record_.Done(is_gone || is_cancelled);
  live_.Done();
  if (call_id_) parts_.calls.End(*call_id_);
  {
    const std::lock_guard lock(mutex_);
    session_.Clear();
  }
  // Workers may still hold the stream; the last one deletes it.
  const std::shared_ptr<ConvertStream> self = std::move(self_);
}

void ConvertStream::OnDrain() {
  Report([this](StreamActions* actions) { session_.OnDrain(actions); });
}

void ConvertStream::OnTick(Clock::time_point now) {
  Report([&](StreamActions* actions) {
    absl::Status allowed;
    // The call may be gone once the session has finished.
    if (!session_.is_finished()) {
      allowed = CatchAsStatus(parts_.record.log, kStreamPlace,
                              [&] { return record_.Recheck(Scope::kConvert); });
    }
    session_.OnTick(now, allowed,
                    parts_.connections.ReceivedBytes(record_.peer()), actions);
  });
}

void ConvertStream::OnReadDone(bool ok) {
  if (!ok) {
    return Report(
        [this](StreamActions* actions) { session_.OnHalfClose(actions); });
  }
  const auto now = Clock::now();
  const int64_t limit = parts_.config.service.max_request_message_bytes;
  const auto bytes = static_cast<int64_t>(received_.Length());
  if (Exceeds(bytes, limit)) {
    return FailRead(LimitExceeded("max_request_message_bytes", limit, bytes),
                    now);
  }
  if (!IsExpensive(kStreamTexts, &received_)) return TakeMessage(now);
  if (!QueueMessage(now)) FailRead(OutOfMemory(), now);
}

void ConvertStream::FailRead(const absl::Status& status,
                             Clock::time_point came_at) {
  received_.Clear();
  Report([&](StreamActions* actions) {
    session_.OnRequest(status, &request_, /*beside=*/0, came_at, actions);
  });
}

// Has a worker parse the message that came. False if the system has no memory
// for the task. The result of TryHold does not matter: a caller that exceeds
// its memory still gets its turn, for one message per stream. Parsing the
// message in this thread would delay other calls.
bool ConvertStream::QueueMessage(Clock::time_point came_at) {
  CatchAndLog(parts_.record.log, kStreamPlace, [this] {
    static_cast<void>(parts_.admission.TryHold(
        *record_.caller(), record_.peer(),
        static_cast<int64_t>(received_.Length()), &message_ticket_));
  });
  {
    const std::lock_guard lock(mutex_);
    session_.OnRequestQueued();
  }
  bool is_queued = false;
  CatchAndLog(parts_.record.log, kStreamPlace, [&] {
    is_queued = parts_.queue.Enqueue(
        record_.turn(),
        [self = shared_from_this(), came_at] { self->TakeMessage(came_at); });
  });
  return is_queued;
}

void ConvertStream::TakeMessage(Clock::time_point came_at) {
  int64_t beside = 0;
  absl::Status parsed = absl::CancelledError("");
  if (!session_.cancel().IsCancelled()) {
    parsed = CatchAsStatus(parts_.record.log, kStreamPlace, [&] {
      return ReadMessage(parts_.config, kStreamTexts, &received_, &request_,
                         &beside);
    });
  }
  message_ticket_.Release();
  Report([&](StreamActions* actions) {
    session_.OnRequest(parsed, &request_, beside, came_at, actions);
    // Before the next read begins, which may never end.
    request_.Clear();
    if (beside > kUsualMessageBytes) request_ = {};
  });
}

void ConvertStream::OnWriteDone(bool ok) {
  Report([&](StreamActions* actions) { session_.OnWriteDone(ok, actions); });
}

// A worker will run `clip`. False if there is no memory for that.
bool ConvertStream::Queue(const ClipPtr& clip) {
  bool is_queued = false;
  CatchAndLog(parts_.record.log, kStreamPlace, [&] {
    is_queued = parts_.queue.Enqueue(
        record_.turn(), [self = shared_from_this(), clip] { self->Run(clip); });
  });
  return is_queued;
}

// Runs `clip` in a worker: reads its chunk and, after the last one, makes its
// outputs and its result. If the system has no memory, the clip is refused, as
// there may be enough for other clips. If there is none for the refusal itself,
// the stream ends.
void ConvertStream::Run(const ClipPtr& clip) {
  {
    const std::lock_guard lock(mutex_);
    if (!session_.BeginWork(clip)) return;
  }
  bool is_ours = true;
  const absl::Status status =
      CatchAsStatus(parts_.record.log, kStreamPlace, [&] {
        if (clip->refused) {
          Emit(clip, RefusalFrame(*clip), /*is_result=*/true);
          return absl::OkStatus();
        }
        const bool has_ended = clip->has_ended;
        ReadChunk(clip);
        is_ours = has_ended;
        Report([&](StreamActions* actions) {
          session_.OnChunkRead(clip, actions);
        });
        if (has_ended) FinishClip(clip);
        return absl::OkStatus();
      });
  if (status.ok()) return;
  const bool is_told = CatchAndLog(parts_.record.log, kStreamPlace, [&] {
    if (!is_ours || clip->refused) return OnFailure(clip, status);
    clip->work.reset();
    Report([&](StreamActions* actions) {
      session_.OnNoMemory(clip, status, actions);
    });
  });
  // Without memory for that, the next tick ends the stream.
  if (!is_told) session_.cancel().Cancel();
}

void ConvertStream::ReadChunk(const ClipPtr& clip) {
  if (clip->work == nullptr) MakeWork(clip);
  clip->work->conversion.Add(std::exchange(clip->chunk, {}));
  if (clip->reports_early) EmitIssues(clip);
}

// The clip owns the work, so the functions of the work hold weak pointers.
void ConvertStream::MakeWork(const ClipPtr& clip) {
  const std::weak_ptr<StreamClip> weak = clip;
  ChunkReceiver::Sink sink;
  sink.begin = [this, weak](const ClipInfo& info,
                            std::span<const OutputInfo> outputs) {
    const ClipPtr to = weak.lock();
    Emit(to, BeginFrame(to->key, info, outputs), /*is_result=*/false);
  };
  sink.chunk = [this, weak](size_t output, int64_t offset, std::string data) {
    const ClipPtr to = weak.lock();
    Emit(to, ChunkFrame(to->key, output, offset, std::move(data)),
         /*is_result=*/false);
  };
  // The memory of a clip that is gone is not counted.
  auto grant = [this, weak](int64_t bytes) {
    const ClipPtr of = weak.lock();
    if (of == nullptr) return absl::OkStatus();
    const std::lock_guard lock(mutex_);
    return of->ticket.Grow(bytes);
  };
  clip->work =
      std::make_shared<ClipWork>(*clip, parts_.config, &session_.cancel(),
                                 std::move(sink), std::move(grant));
  clip->queued = Clock::now() - *clip->queued_at;
}

// Sends the issues of the chunk. Without memory for them, the receiver notes
// the refusal of the clip.
void ConvertStream::EmitIssues(const ClipPtr& clip) {
  ClipWork& work = *clip->work;
  const std::vector<Issue> issues = work.conversion.TakeNewIssues();
  if (issues.empty()) return;
  ResponseFrame frame = IssuesFrame(clip->key, issues);
  if (!work.receiver.Hold(frame.drawn_bytes).ok()) return;
  Emit(clip, std::move(frame), /*is_result=*/false);
}

void ConvertStream::FinishClip(const ClipPtr& clip) {
  ClipWork& work = *clip->work;
  ConvertResult& result = work.conversion.Finish();
  if (result.status.ok()) work.receiver.Flush();
  result.times.queued = clip->queued;
  ResponseFrame frame = ResultFrame(clip->key, result);
  // A clip of a stream that was cancelled has no result.
  if (!absl::IsCancelled(result.status)) {
    record_.AddClip(result);
    record_.LogClip(clip->key, result);
  }
  clip->work.reset();
  Emit(clip, std::move(frame), /*is_result=*/true);
}

// Reports a frame of `clip`. A frame that is lost because memory is short ends
// the stream: its peer could not notice the gap.
void ConvertStream::Emit(const ClipPtr& clip, ResponseFrame frame,
                         bool is_result) {
  const absl::Status status =
      CatchAsStatus(parts_.record.log, kStreamPlace, [&] {
        Report([&](StreamActions* actions) {
          session_.OnFrame(clip, std::move(frame), is_result, actions);
        });
        return absl::OkStatus();
      });
  if (!status.ok()) OnFailure(clip, status);
}

void ConvertStream::OnFailure(const ClipPtr& clip, const absl::Status& status) {
  Report([&](StreamActions* actions) {
    session_.OnFailure(clip, status, actions);
  });
}

}  // namespace

RawReactor* StartConvertStream(const CallParts& parts, StreamMemory* memory,
                               grpc::CallbackServerContext* call) {
  std::shared_ptr<ConvertStream> stream;
  const absl::Status status =
      CatchAsStatus(parts.record.log, kStreamPlace, [&] {
        stream = std::make_shared<ConvertStream>(parts, memory, call);
        return absl::OkStatus();
      });
  if (stream == nullptr) return new RefusedCall(ToGrpc(status));
  stream->Start();
  return stream.get();
}

}  // namespace bvhmill::server
