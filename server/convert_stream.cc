#include "server/convert_stream.h"

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "bvhmill/base/status.h"
#include "bvhmill/wire/status.h"
#include "server/call_record.h"
#include "server/rpc_status.h"
#include "server/source.h"
#include "server/stream_clip.h"

namespace bvhmill::server {
namespace {

using Response = v1::ConvertClipsResponse;
using ClipPtr = std::shared_ptr<StreamClip>;
using Clock = StreamClip::Clock;

// Bytes of text that a worker reads before it lets others have a turn.
constexpr size_t kTurnBytes = size_t{4} << 20;

// One stream. Frames are read while the window is open; each clip is converted
// by one worker at a time while it arrives, and paused while what it has made
// is not taken; one write is in flight at most. Lives until gRPC and the last
// worker have let go of it.
class ConvertStream final
    : public grpc::ServerBidiReactor<v1::ConvertClipsRequest, Response>,
      public std::enable_shared_from_this<ConvertStream> {
 public:
  ConvertStream(ServiceContext* context, grpc::CallbackServerContext* call)
      : context_(*context),
        call_(*call),
        record_(context, Method::kConvertClips, call) {}

  void Start();
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  // What to do once the mutex is released: gRPC may call back at once.
  struct Actions {
    bool read = false;
    Response* write = nullptr;
    // More follows at once.
    bool more_follows = false;
    std::optional<grpc::Status> finish;
    std::vector<ClipPtr> run;
    bool cancel_call = false;
  };
  // What a worker does next with a clip.
  enum class Next { kStep, kGive, kFlush, kFinish, kRest };

  void OnDrain();
  void OnTick(Clock::time_point now);
  grpc::Status HandleFrame();
  grpc::Status HandleOpen(const v1::StreamOpen& open);
  grpc::Status HandleBegin(v1::ClipBegin* begin);
  grpc::Status HandleChunk(std::string chunk);
  grpc::Status HandleEnd(const v1::ClipEnd& end);
  void Append(std::string bytes);
  void RefuseItem(const grpc::Status& status);
  void End(const ClipPtr& clip);
  void Remove(const ClipPtr& clip);
  void AddIncoming(int64_t bytes);
  void AddOutgoing(const ClipPtr& clip, int64_t bytes);
  bool WindowIsOpen() const;
  bool MustPause(const StreamClip& clip) const;
  bool CanRun(const StreamClip& clip) const;
  Response* PickWrite(bool* more_follows);
  Actions NextActions();
  void Do(Actions actions);

  // In workers.
  void Run(const ClipPtr& clip);
  void MakeConversion(const ClipPtr& clip);
  Next TakeNext(const ClipPtr& clip, std::string* bytes);
  void FinishClip(const ClipPtr& clip);
  void Push(const ClipPtr& clip, Response response, bool is_result);

  const ServerConfig& config() const { return context_.config(); }

  ServiceContext& context_;
  const grpc::CallbackServerContext& call_;
  CallRecord record_;
  CancelToken cancel_;
  bool counted_ = false;
  ServiceContext::CallId call_id_;
  std::shared_ptr<ConvertStream> self_;
  v1::ConvertClipsRequest request_;

  std::mutex mutex_;
  bool saw_frame_ = false;
  v1::ConvertOptions default_options_;
  bool ordered_ = false;
  // The clip whose chunks are arriving.
  ClipPtr incoming_;
  // Begun and not finished, in that order.
  std::list<ClipPtr> clips_;
  std::unordered_set<std::string> keys_;
  // Bytes that came and no worker has taken; that wait to be written.
  int64_t incoming_bytes_ = 0;
  int64_t outgoing_bytes_ = 0;
  bool reading_ = false;
  bool reads_done_ = false;
  bool draining_ = false;
  // Since when the peer owes something.
  Clock::time_point read_at_;
  Clock::time_point write_at_;
  ClipPtr writing_;
  int64_t writing_bytes_ = 0;
  Response written_;
  // Set once the stream must end with an error.
  std::optional<grpc::Status> failed_;
  bool finished_ = false;
};

void ConvertStream::Start() {
  self_ = shared_from_this();
  ServiceContext::CallEvents events;
  const auto weak = weak_from_this();
  events.on_drain = [weak] {
    if (const auto stream = weak.lock()) stream->OnDrain();
  };
  events.on_tick = [weak](Clock::time_point now) {
    if (const auto stream = weak.lock()) stream->OnTick(now);
  };
  counted_ = context_.BeginCall(std::move(events), &call_id_);
  const grpc::Status refused =
      counted_ ? record_.Enter(Scope::kConvert) : Stopping();
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    if (!refused.ok()) failed_ = refused;
    actions = NextActions();
  }
  // Headers first: a client may wait for them before it sends anything.
  if (!actions.finish) StartSendInitialMetadata();
  Do(std::move(actions));
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
  record_.Done(cancel_.IsCancelled() && !failed_);
  if (counted_) context_.EndCall(call_id_);
  cancel_.Cancel();
  {
    const std::lock_guard lock(mutex_);
    AddIncoming(-incoming_bytes_);
    context_.AddStreamBytes(-outgoing_bytes_);
    outgoing_bytes_ = 0;
    for (const ClipPtr& clip : clips_) clip->ticket.Release();
    clips_.clear();
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

// Whoever begins a clip must go on with it, and take what is made of it.
void ConvertStream::OnTick(Clock::time_point now) {
  const std::chrono::seconds patience(config().service.idle_seconds);
  if (patience.count() == 0) return;
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    const bool is_slow_writer =
        reading_ && incoming_ != nullptr && now - read_at_ > patience;
    const bool is_slow_reader =
        writing_ != nullptr && now - write_at_ > patience;
    if (failed_ || finished_ || (!is_slow_writer && !is_slow_reader)) return;
    failed_ = StreamIdle();
    cancel_.Cancel();
    actions = NextActions();
    // A write that is not taken cannot be taken back otherwise.
    actions.cancel_call = is_slow_reader;
  }
  Do(std::move(actions));
}

void ConvertStream::OnReadDone(bool ok) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    if (!ok) {
      reads_done_ = true;
      if (incoming_ != nullptr && !cancel_.IsCancelled() && !failed_) {
        failed_ = StreamOutOfOrder("the stream was closed within a clip");
      }
    } else if (!failed_) {
      const grpc::Status status = HandleFrame();
      if (!status.ok()) failed_ = status;
    }
    if (failed_) cancel_.Cancel();
    actions = NextActions();
  }
  Do(std::move(actions));
}

grpc::Status ConvertStream::HandleFrame() {
  const auto bytes = static_cast<int64_t>(request_.ByteSizeLong());
  const int64_t limit = config().service.max_request_message_bytes;
  if (Exceeds(bytes, limit)) {
    return LimitExceeded("max_request_message_bytes", limit, bytes);
  }
  const bool first = !std::exchange(saw_frame_, true);
  switch (request_.frame_case()) {
    case v1::ConvertClipsRequest::kOpen:
      if (!first) return StreamOutOfOrder("open is not the first frame");
      return HandleOpen(request_.open());
    case v1::ConvertClipsRequest::kBegin:
      return HandleBegin(request_.mutable_begin());
    case v1::ConvertClipsRequest::kChunk:
      return HandleChunk(std::move(*request_.mutable_chunk()));
    case v1::ConvertClipsRequest::kEnd:
      return HandleEnd(request_.end());
    case v1::ConvertClipsRequest::FRAME_NOT_SET:
      break;
  }
  return StreamOutOfOrder("a frame is empty");
}

grpc::Status ConvertStream::HandleOpen(const v1::StreamOpen& open) {
  ConvertOptions checked;
  if (auto status = ReadOptionsFor(config(), open.options(), &checked);
      !status.ok()) {
    return status;
  }
  default_options_ = open.options();
  ordered_ = open.ordered();
  return grpc::Status::OK;
}

grpc::Status ConvertStream::HandleBegin(v1::ClipBegin* begin) {
  if (incoming_ != nullptr) return StreamOutOfOrder("begin within a clip");
  incoming_ = std::make_shared<StreamClip>();
  clips_.push_back(incoming_);
  incoming_->key = begin->key();
  if (!keys_.insert(begin->key()).second) {
    RefuseItem(ToGrpc(MakeStatus(absl::StatusCode::kAlreadyExists,
                                 "the key belongs to an unfinished clip")));
  } else if (auto source = CheckSource(config(), begin->source());
             !source.ok()) {
    RefuseItem(source);
  } else if (auto options = ReadOptionsFor(
                 config(),
                 begin->has_options() ? begin->options() : default_options_,
                 &incoming_->options);
             !options.ok()) {
    RefuseItem(options);
  } else if (auto admitted = context_.admission().TryEnter(
                 record_.caller(), record_.peer(), 0, &incoming_->ticket);
             !admitted.ok()) {
    RefuseItem(admitted);
  }
  static_cast<void>(
      ReadEncoding(begin->source().encoding(), &incoming_->encoding));
  Append(std::move(*begin->mutable_source()->mutable_data()));
  if (begin->complete()) End(std::exchange(incoming_, nullptr));
  return grpc::Status::OK;
}

grpc::Status ConvertStream::HandleChunk(std::string chunk) {
  if (incoming_ == nullptr) return StreamOutOfOrder("chunk outside a clip");
  Append(std::move(chunk));
  return grpc::Status::OK;
}

grpc::Status ConvertStream::HandleEnd(const v1::ClipEnd& end) {
  if (incoming_ == nullptr) return StreamOutOfOrder("end outside a clip");
  const ClipPtr clip = std::exchange(incoming_, nullptr);
  if (end.abandon()) {
    clip->is_abandoned = true;
    Remove(clip);
  } else {
    End(clip);
  }
  return grpc::Status::OK;
}

void ConvertStream::Append(std::string bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  record_.AddBytes(size, 0);
  if (incoming_->refused || bytes.empty()) return;
  incoming_->bytes += size;
  const int64_t limit = config().limits.max_clip_bytes;
  if (Exceeds(incoming_->bytes, limit)) {
    RefuseItem(LimitExceeded("max_clip_bytes", limit, incoming_->bytes));
    return;
  }
  // What is not kept is bounded by the stream.
  if (NeedsAllRows(incoming_->options)) {
    if (const auto room = incoming_->ticket.Grow(size); !room.ok()) {
      RefuseItem(room);
      return;
    }
  }
  if (!incoming_->queued_at) incoming_->queued_at = Clock::now();
  AddIncoming(size);
  incoming_->incoming.push_back(std::move(bytes));
}

// The incoming clip will get `status`; its bytes are dropped.
void ConvertStream::RefuseItem(const grpc::Status& status) {
  ConvertResult result;
  result.status = MakeStatus(static_cast<absl::StatusCode>(status.error_code()),
                             status.error_message());
  result.fault = wire::ParseFault(status.error_details());
  record_.AddRefusedClip(result.fault.reason);
  incoming_->refused = std::move(result);
  for (const std::string& bytes : incoming_->incoming) {
    AddIncoming(-static_cast<int64_t>(bytes.size()));
  }
  incoming_->incoming.clear();
}

// All of `clip` has come.
void ConvertStream::End(const ClipPtr& clip) {
  clip->has_ended = true;
  if (!clip->queued_at) clip->queued_at = Clock::now();
}

void ConvertStream::Remove(const ClipPtr& clip) {
  for (const std::string& bytes : clip->incoming) {
    AddIncoming(-static_cast<int64_t>(bytes.size()));
  }
  clip->incoming.clear();
  AddOutgoing(clip, -clip->outgoing_bytes);
  clip->outgoing.clear();
  // One that was refused for its key does not own it.
  const bool owns_key =
      !clip->refused || !absl::IsAlreadyExists(clip->refused->status);
  if (owns_key) keys_.erase(clip->key);
  clip->ticket.Release();
  clips_.remove(clip);
}

void ConvertStream::AddIncoming(int64_t bytes) {
  incoming_bytes_ += bytes;
  context_.AddStreamBytes(bytes);
}

void ConvertStream::AddOutgoing(const ClipPtr& clip, int64_t bytes) {
  clip->outgoing_bytes += bytes;
  outgoing_bytes_ += bytes;
  context_.AddStreamBytes(bytes);
}

// Reading stops while too much waits, here or in all streams together; one that
// holds nothing may always go on.
bool ConvertStream::WindowIsOpen() const {
  const ServiceLimits& limits = config().service;
  const auto clips = static_cast<int64_t>(clips_.size());
  if (incoming_ == nullptr &&
      Exceeds(clips + 1, limits.max_unfinished_clips_per_stream)) {
    return false;
  }
  if (incoming_bytes_ == 0) return true;
  return !Exceeds(incoming_bytes_, limits.max_unfinished_bytes_per_stream) &&
         !Exceeds(context_.stream_bytes(), limits.max_stream_bytes);
}

// Too much of what was made waits to be written. The clip whose frames go first
// waits only for its own, or it would wait for ones that wait for it.
bool ConvertStream::MustPause(const StreamClip& clip) const {
  const int64_t limit = config().service.max_unsent_bytes_per_stream;
  const bool is_first = !clips_.empty() && clips_.front().get() == &clip;
  return Exceeds(is_first ? clip.outgoing_bytes : outgoing_bytes_, limit);
}

// There is work for a worker on it.
bool ConvertStream::CanRun(const StreamClip& clip) const {
  if (clip.is_running || clip.has_result || MustPause(clip)) return false;
  if (clip.refused) return clip.has_ended;
  const bool has_bytes = !clip.incoming.empty() ||
                         (clip.conversion && clip.conversion->has_bytes());
  return has_bytes || clip.has_ended;
}

// The next frame to write, moved to `written_`; null if there is none.
Response* ConvertStream::PickWrite(bool* more_follows) {
  if (writing_ != nullptr) return nullptr;
  for (const ClipPtr& clip : clips_) {
    if (!clip->outgoing.empty()) {
      writing_ = clip;
      written_ = std::move(clip->outgoing.front());
      clip->outgoing.pop_front();
      writing_bytes_ =
          static_cast<int64_t>(written_.output_chunk().data().size());
      *more_follows = !clip->outgoing.empty();
      write_at_ = Clock::now();
      return &written_;
    }
    if (ordered_) break;
  }
  return nullptr;
}

ConvertStream::Actions ConvertStream::NextActions() {
  Actions actions;
  if (finished_) return actions;
  if (cancel_.IsCancelled() && !failed_) failed_ = grpc::Status::CANCELLED;
  const bool stopping = draining_ && clips_.empty();
  if (failed_ || stopping || (reads_done_ && clips_.empty())) {
    // A write in flight must be over before the end.
    if (writing_ != nullptr) return actions;
    finished_ = true;
    actions.finish = failed_       ? *failed_
                     : reads_done_ ? grpc::Status::OK
                                   : Stopping();
    return actions;
  }
  actions.write = PickWrite(&actions.more_follows);
  if (!reading_ && !reads_done_ && WindowIsOpen()) {
    reading_ = true;
    read_at_ = Clock::now();
    actions.read = true;
  }
  for (const ClipPtr& clip : clips_) {
    if (!CanRun(*clip)) continue;
    clip->is_running = true;
    actions.run.push_back(clip);
  }
  return actions;
}

void ConvertStream::Do(Actions actions) {
  // Keeps the stream while gRPC may be done with it.
  const std::shared_ptr<ConvertStream> self = shared_from_this();
  for (const ClipPtr& clip : actions.run) {
    context_.workers().Enqueue([self, clip] { self->Run(clip); });
  }
  if (actions.write != nullptr) {
    // A frame that waits for others never is the last one.
    grpc::WriteOptions how;
    if (actions.more_follows) how.set_buffer_hint();
    StartWrite(actions.write, how);
  }
  if (actions.read) StartRead(&request_);
  if (actions.finish) {
    record_.Finishing(*actions.finish);
    Finish(*actions.finish);
  }
  if (actions.cancel_call) call_.TryCancel();
}

void ConvertStream::OnWriteDone(bool ok) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    const ClipPtr clip = std::exchange(writing_, nullptr);
    if (!ok) cancel_.Cancel();
    if (!clip->is_abandoned) AddOutgoing(clip, -writing_bytes_);
    if (clip->has_result && clip->outgoing.empty()) Remove(clip);
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::MakeConversion(const ClipPtr& clip) {
  if (clip->conversion != nullptr) return;
  clip->conversion = std::make_unique<StreamConversion>(
      *clip, config(), &cancel_,
      [this, weak = std::weak_ptr(clip)](Response response) {
        Push(weak.lock(), std::move(response), /*is_result=*/false);
      });
  clip->queued = Clock::now() - *clip->queued_at;
}

// Works on `clip` until there is nothing to do, or others should have a turn.
void ConvertStream::Run(const ClipPtr& clip) {
  MakeConversion(clip);
  std::string bytes;
  for (size_t done = 0; done < kTurnBytes;) {
    switch (TakeNext(clip, &bytes)) {
      case Next::kGive:
        clip->conversion->Give(std::move(bytes));
        [[fallthrough]];
      case Next::kStep:
        done += clip->conversion->Step();
        break;
      case Next::kFlush:
        clip->conversion->Flush();
        break;
      case Next::kFinish:
        return FinishClip(clip);
      case Next::kRest:
        return;
    }
  }
  context_.workers().Enqueue(
      [self = shared_from_this(), clip] { self->Run(clip); });
}

ConvertStream::Next ConvertStream::TakeNext(const ClipPtr& clip,
                                            std::string* bytes) {
  Actions actions;
  Next next = Next::kRest;
  {
    const std::lock_guard lock(mutex_);
    const bool is_over = cancel_.IsCancelled() || clip->is_abandoned;
    if (!is_over && clip->refused) {
      next = clip->has_ended ? Next::kFinish : Next::kRest;
    } else if (is_over || MustPause(*clip)) {
      next = Next::kRest;
    } else if (clip->conversion->has_bytes()) {
      next = Next::kStep;
    } else if (!clip->incoming.empty()) {
      *bytes = std::move(clip->incoming.front());
      clip->incoming.pop_front();
      AddIncoming(-static_cast<int64_t>(bytes->size()));
      next = Next::kGive;
      actions = NextActions();
    } else if (clip->has_ended) {
      next = Next::kFinish;
    } else if (clip->outgoing.empty() && clip->conversion->has_pending()) {
      // The rest of the clip may be long in coming.
      next = Next::kFlush;
    }
    clip->is_running = next != Next::kRest;
  }
  Do(std::move(actions));
  return next;
}

void ConvertStream::FinishClip(const ClipPtr& clip) {
  if (clip->refused) {
    Response response = ResultResponse(*clip, *clip->refused);
    // Nothing was read, so there is nothing to report.
    response.mutable_result()->clear_report();
    response.mutable_result()->clear_info();
    return Push(clip, std::move(response), /*is_result=*/true);
  }
  ConvertResult& result = clip->conversion->Finish();
  result.times.queued = clip->queued;
  record_.AddClip(result);
  Push(clip, ResultResponse(*clip, result), /*is_result=*/true);
}

// One more frame of `clip`; the result is the last one.
void ConvertStream::Push(const ClipPtr& clip, Response response,
                         bool is_result) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    if (clip->is_abandoned || finished_) return;
    const auto size =
        static_cast<int64_t>(response.output_chunk().data().size());
    AddOutgoing(clip, size);
    record_.AddBytes(0, size);
    clip->outgoing.push_back(std::move(response));
    if (is_result) {
      clip->has_result = true;
      clip->is_running = false;
      clip->conversion.reset();
    }
    actions = NextActions();
  }
  Do(std::move(actions));
}

}  // namespace

grpc::ServerBidiReactor<v1::ConvertClipsRequest, v1::ConvertClipsResponse>*
StartConvertStream(ServiceContext* context, grpc::CallbackServerContext* call) {
  const auto stream = std::make_shared<ConvertStream>(context, call);
  stream->Start();
  return stream.get();
}

}  // namespace bvhmill::server
