#include "server/convert_stream.h"

#include <algorithm>
#include <chrono>
#include <deque>
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
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"
#include "server/call_record.h"
#include "server/rpc_status.h"
#include "server/source.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;
using Response = v1::ConvertClipsResponse;

// A clip of the stream, from its begin to the writing of its result. Guarded by
// the mutex of the stream, but for what a worker is given.
struct Item {
  std::string key;
  ConvertOptions options;
  std::string text;
  Encoding encoding = Encoding::kIdentity;
  // Why the clip will not be converted; its bytes are dropped as they come.
  std::optional<ConvertResult> refused;
  Clock::time_point queued_at;
  // What waits to be written.
  std::deque<Response> outgoing;
  bool has_result = false;
};

using ItemPtr = std::shared_ptr<Item>;

// One stream. Reads go on while the window is open, one write is in flight at
// most, and each item keeps what waits to be written. Lives until gRPC and the
// last worker have let go of it.
class ConvertStream final
    : public grpc::ServerBidiReactor<v1::ConvertClipsRequest, Response>,
      public std::enable_shared_from_this<ConvertStream> {
 public:
  ConvertStream(ServiceContext* context, grpc::CallbackServerContext* call)
      : context_(*context), record_(context, Method::kConvertClips, call) {}

  void Start();
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { cancel_.Cancel(); }
  void OnDone() override;

  // From a worker: one more frame of `item`; the result is the last one.
  void Push(const ItemPtr& item, Response response, bool is_result);
  const CancelToken& cancel() const { return cancel_; }
  CallRecord& record() { return record_; }
  const ServerConfig& config() const { return context_.config(); }

 private:
  // What to do once the mutex is released: gRPC may call back at once.
  struct Actions {
    bool read = false;
    Response* write = nullptr;
    std::optional<grpc::Status> finish;
  };

  void OnDrain();
  grpc::Status HandleFrame();
  grpc::Status HandleOpen(const v1::StreamOpen& open);
  grpc::Status HandleBegin(v1::ClipBegin* begin);
  grpc::Status HandleChunk(const std::string& chunk);
  grpc::Status HandleEnd(const v1::ClipEnd& end);
  void Append(std::string_view bytes);
  void RefuseItem(const grpc::Status& status);
  void Submit(const ItemPtr& item);
  void Remove(const ItemPtr& item);
  bool WindowIsOpen() const;
  Response* PickWrite();
  Actions NextActions();
  void Do(Actions actions);

  ServiceContext& context_;
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
  ItemPtr incoming_;
  // Begun and not finished, in that order.
  std::list<ItemPtr> items_;
  std::unordered_set<std::string> keys_;
  int64_t unfinished_bytes_ = 0;
  bool reading_ = false;
  bool reads_done_ = false;
  bool draining_ = false;
  ItemPtr writing_;
  Response written_;
  // Set once the stream must end with an error.
  std::optional<grpc::Status> failed_;
  bool finished_ = false;
};

// Turns the outputs of one clip into frames of the stream.
class StreamReceiver final : public OutputReceiver {
 public:
  StreamReceiver(ConvertStream* stream, ItemPtr item)
      : stream_(*stream), item_(std::move(item)) {}

  absl::Status Begin(const ClipInfo& info,
                     std::span<const OutputInfo> outputs) override {
    Response response;
    v1::ClipStarted* begin = response.mutable_begin();
    begin->set_key(item_->key);
    *begin->mutable_info() = wire::ToProto(info);
    for (const OutputInfo& output : outputs) {
      *begin->add_outputs() = wire::ToProto(output);
    }
    stream_.Push(item_, std::move(response), /*is_result=*/false);
    pending_.resize(outputs.size());
    sent_.resize(outputs.size());
    return absl::OkStatus();
  }

  absl::Status Data(size_t output, std::string_view bytes) override {
    const auto chunk =
        static_cast<size_t>(stream_.config().service.chunk_bytes);
    std::string& pending = pending_[output];
    while (!bytes.empty()) {
      const size_t take = std::min(bytes.size(), chunk - pending.size());
      pending.append(bytes.substr(0, take));
      bytes.remove_prefix(take);
      if (pending.size() == chunk) Flush(output);
    }
    return absl::OkStatus();
  }

  void FlushAll() {
    for (size_t i = 0; i < pending_.size(); ++i) {
      if (!pending_[i].empty()) Flush(i);
    }
  }

 private:
  void Flush(size_t output) {
    Response response;
    v1::OutputChunk* chunk = response.mutable_output_chunk();
    chunk->set_key(item_->key);
    chunk->set_output(static_cast<int32_t>(output));
    chunk->set_offset(sent_[output]);
    sent_[output] += static_cast<int64_t>(pending_[output].size());
    stream_.record().AddBytes(0, static_cast<int64_t>(pending_[output].size()));
    chunk->set_data(std::move(pending_[output]));
    pending_[output].clear();
    stream_.Push(item_, std::move(response), /*is_result=*/false);
  }

  ConvertStream& stream_;
  ItemPtr item_;
  std::vector<std::string> pending_;
  std::vector<int64_t> sent_;
};

Response ResultResponse(const Item& item, const ConvertResult& result) {
  Response response;
  *response.mutable_result() = wire::ToProto(result);
  response.mutable_result()->set_key(item.key);
  return response;
}

void ConvertItem(ConvertStream* stream, const ItemPtr& item) {
  const auto queued = Clock::now() - item->queued_at;
  StreamReceiver receiver(stream, item);
  ConvertResult result;
  std::string decoded;
  const bool is_packed = item->encoding != Encoding::kIdentity;
  if (is_packed) {
    const grpc::Status status = DecodeSource(stream->config(), item->encoding,
                                             item->text, nullptr, &decoded);
    result.status =
        MakeStatus(static_cast<absl::StatusCode>(status.error_code()),
                   status.error_message());
    result.fault = wire::ParseFault(status.error_details());
  }
  if (result.status.ok()) {
    result = Convert(is_packed ? decoded : item->text, item->options, &receiver,
                     &stream->cancel());
  }
  if (result.status.ok()) receiver.FlushAll();
  result.times.queued = queued;
  stream->record().AddClip(result);
  stream->Push(item, ResultResponse(*item, result), /*is_result=*/true);
}

grpc::Status GrammarFault(const char* why) {
  return ToGrpc(MakeStatus(absl::StatusCode::kInvalidArgument, why),
                Fault{"STREAM_OUT_OF_ORDER", {}});
}

void ConvertStream::Start() {
  self_ = shared_from_this();
  counted_ = context_.BeginCall(
      [weak = weak_from_this()] {
        if (const auto stream = weak.lock()) stream->OnDrain();
      },
      &call_id_);
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

void ConvertStream::OnDone() {
  record_.Done(cancel_.IsCancelled() && !failed_);
  if (counted_) context_.EndCall(call_id_);
  cancel_.Cancel();
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

void ConvertStream::OnReadDone(bool ok) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    reading_ = false;
    if (!ok) {
      reads_done_ = true;
      if (incoming_ != nullptr && !cancel_.IsCancelled() && !failed_) {
        failed_ = GrammarFault("the stream was closed within a clip");
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
      if (!first) return GrammarFault("open is not the first frame");
      return HandleOpen(request_.open());
    case v1::ConvertClipsRequest::kBegin:
      return HandleBegin(request_.mutable_begin());
    case v1::ConvertClipsRequest::kChunk:
      return HandleChunk(request_.chunk());
    case v1::ConvertClipsRequest::kEnd:
      return HandleEnd(request_.end());
    case v1::ConvertClipsRequest::FRAME_NOT_SET:
      break;
  }
  return GrammarFault("a frame is empty");
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
  if (incoming_ != nullptr) return GrammarFault("begin within a clip");
  incoming_ = std::make_shared<Item>();
  items_.push_back(incoming_);
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
  }
  if (!incoming_->refused) {
    (void)ReadEncoding(begin->source().encoding(), &incoming_->encoding);
    incoming_->text.swap(*begin->mutable_source()->mutable_data());
    unfinished_bytes_ += static_cast<int64_t>(incoming_->text.size());
    record_.AddBytes(static_cast<int64_t>(incoming_->text.size()), 0);
  }
  if (begin->complete()) Submit(std::exchange(incoming_, nullptr));
  return grpc::Status::OK;
}

grpc::Status ConvertStream::HandleChunk(const std::string& chunk) {
  if (incoming_ == nullptr) return GrammarFault("chunk outside a clip");
  if (!incoming_->refused) Append(chunk);
  return grpc::Status::OK;
}

grpc::Status ConvertStream::HandleEnd(const v1::ClipEnd& end) {
  if (incoming_ == nullptr) return GrammarFault("end outside a clip");
  const ItemPtr item = std::exchange(incoming_, nullptr);
  if (end.abandon()) {
    Remove(item);
  } else {
    Submit(item);
  }
  return grpc::Status::OK;
}

void ConvertStream::Append(std::string_view bytes) {
  const auto size = static_cast<int64_t>(incoming_->text.size() + bytes.size());
  const int64_t limit = config().limits.max_clip_bytes;
  if (Exceeds(size, limit)) {
    RefuseItem(LimitExceeded("max_clip_bytes", limit, size));
    return;
  }
  record_.AddBytes(static_cast<int64_t>(bytes.size()), 0);
  incoming_->text.append(bytes);
  unfinished_bytes_ += static_cast<int64_t>(bytes.size());
}

// The incoming clip will get `status`; its bytes are dropped.
void ConvertStream::RefuseItem(const grpc::Status& status) {
  ConvertResult result;
  result.status = MakeStatus(static_cast<absl::StatusCode>(status.error_code()),
                             status.error_message());
  result.fault = wire::ParseFault(status.error_details());
  record_.AddRefusedClip(result.fault.reason);
  incoming_->refused = std::move(result);
  unfinished_bytes_ -= static_cast<int64_t>(incoming_->text.size());
  incoming_->text = {};
}

void ConvertStream::Submit(const ItemPtr& item) {
  if (item->refused) {
    Response response = ResultResponse(*item, *item->refused);
    // Nothing was read, so there is nothing to report.
    response.mutable_result()->clear_report();
    response.mutable_result()->clear_info();
    item->outgoing.push_back(std::move(response));
    item->has_result = true;
    return;
  }
  item->queued_at = Clock::now();
  context_.workers().Enqueue(
      [self = shared_from_this(), item] { ConvertItem(self.get(), item); });
}

void ConvertStream::Push(const ItemPtr& item, Response response,
                         bool is_result) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    item->outgoing.push_back(std::move(response));
    if (is_result) item->has_result = true;
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::OnWriteDone(bool ok) {
  Actions actions;
  {
    const std::lock_guard lock(mutex_);
    const ItemPtr item = std::exchange(writing_, nullptr);
    if (!ok) cancel_.Cancel();
    if (item->has_result && item->outgoing.empty()) Remove(item);
    actions = NextActions();
  }
  Do(std::move(actions));
}

void ConvertStream::Remove(const ItemPtr& item) {
  unfinished_bytes_ -= static_cast<int64_t>(item->text.size());
  // An item that was refused for its key does not own it.
  const bool owns_key =
      !item->refused || !absl::IsAlreadyExists(item->refused->status);
  if (owns_key) keys_.erase(item->key);
  items_.remove(item);
}

// Reading stops while too much is unfinished, but never the only clip there is:
// it may be larger than the window.
bool ConvertStream::WindowIsOpen() const {
  const ServiceLimits& limits = config().service;
  const auto clips = static_cast<int64_t>(items_.size());
  if (incoming_ != nullptr && clips == 1) return true;
  return !Exceeds(clips + (incoming_ == nullptr ? 1 : 0),
                  limits.max_unfinished_clips_per_stream) &&
         !Exceeds(unfinished_bytes_, limits.max_unfinished_bytes_per_stream);
}

// The next frame to write, moved to `written_`; null if there is none.
Response* ConvertStream::PickWrite() {
  if (writing_ != nullptr) return nullptr;
  for (const ItemPtr& item : items_) {
    if (!item->outgoing.empty()) {
      writing_ = item;
      written_ = std::move(item->outgoing.front());
      item->outgoing.pop_front();
      return &written_;
    }
    if (ordered_) break;
  }
  return nullptr;
}

ConvertStream::Actions ConvertStream::NextActions() {
  Actions actions;
  if (finished_) return actions;
  const bool stopping = draining_ && items_.empty();
  if (failed_ || stopping || (reads_done_ && items_.empty())) {
    // A write in flight must be over before the end.
    if (writing_ != nullptr) return actions;
    finished_ = true;
    actions.finish = failed_       ? *failed_
                     : reads_done_ ? grpc::Status::OK
                                   : Stopping();
    return actions;
  }
  actions.write = PickWrite();
  if (!reading_ && !reads_done_ && WindowIsOpen()) {
    reading_ = true;
    actions.read = true;
  }
  return actions;
}

void ConvertStream::Do(Actions actions) {
  // Keeps the stream while gRPC may be done with it.
  const std::shared_ptr<ConvertStream> self = shared_from_this();
  if (actions.write != nullptr) StartWrite(actions.write);
  if (actions.read) StartRead(&request_);
  if (actions.finish) {
    record_.Finishing(*actions.finish);
    Finish(*actions.finish);
  }
}

}  // namespace

grpc::ServerBidiReactor<v1::ConvertClipsRequest, v1::ConvertClipsResponse>*
StartConvertStream(ServiceContext* context, grpc::CallbackServerContext* call) {
  const auto stream = std::make_shared<ConvertStream>(context, call);
  stream->Start();
  return stream.get();
}

}  // namespace bvhmill::server
