#include "tests/server/simulated_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace bvhmill::testing {

using server::ClipPtr;
using server::StreamActions;

namespace {

// Bytes of input that give one frame, and its bytes of output.
constexpr int64_t kInputOfFrame = 40;
constexpr int64_t kDataBytes = 64;
constexpr int64_t kHeadBytes = 8;

}  // namespace

// The content of a frame; the session only passes it on.
struct SimulatedStream::Frame {
  std::string key;
  bool is_result = false;
  absl::StatusCode code = absl::StatusCode::kOk;
};

// A conversion that makes a frame of every kInputOfFrame bytes.
struct SimulatedStream::FakeWork {
  int64_t pending = 0;
  bool was_refused = false;
};

class SimulatedStream::Observer final : public server::ClipObserver {
 public:
  void AddBytes(int64_t received, int64_t sent) override {
    seen.received += received;
    seen.sent += sent;
  }
  void AddClip(const ConvertResult&) override {}
  void AddRefusedClip(const std::string&, const absl::Status&) override {
    ++seen.refused;
  }
  void AddStage(server::Stage stage, std::chrono::nanoseconds time) override {
    seen.stages[stage] += time;
  }

  Observed seen;
};

server::ServerConfig SmallStreamConfig() {
  server::ServerConfig config;
  config.limits.max_clip_bytes = 1000;
  config.service.max_unfinished_clips_per_stream = 3;
  config.service.max_unfinished_bytes_per_stream = 300;
  config.service.max_unsent_bytes_per_stream = 200;
  config.service.max_total_stream_bytes = 2000;
  config.service.idle_seconds = 60;
  config.service.idle_between_seconds = 300;
  config.service.min_upload_bytes_per_second = 0;
  config.admission.max_inflight_bytes = 0;
  config.admission.max_inflight_clips = 0;
  return config;
}

SimulatedServer::SimulatedServer(const server::ServerConfig& wanted)
    : config(wanted),
      admission(config.admission),
      memory(config.service.max_total_stream_bytes) {}

SimulatedStream::SimulatedStream(SimulatedServer* server)
    : server_(*server),
      observer_(std::make_unique<Observer>()),
      session_({server->config, server->admission, server->memory, *observer_,
                server->log, &SimulatedServer::Now}) {}

// The call ends, workers notice, and nothing is held any more.
SimulatedStream::~SimulatedStream() {
  if (!finish_) {
    Cancel();
    Settle();
    EXPECT_TRUE(finish_);
  }
  session_.Clear();
  EXPECT_TRUE(is_cancelled());
  while (running() > 0) Step(0);
  for (const auto& work : works_) EXPECT_TRUE(work.expired());
  CheckBooks();
}

const SimulatedStream::Observed& SimulatedStream::observed() const {
  return observer_->seen;
}

void SimulatedStream::CheckBooks() {
  EXPECT_EQ(server_.admission.bytes(), 0);
  EXPECT_EQ(server_.admission.clips(), 0);
  EXPECT_EQ(server_.memory.bytes(), 0);
  for (const auto& [key, count] : begun_) {
    EXPECT_LE(finished_[key], count) << key;
    if (!finish_ || session_.has_failed() || late_.contains(key)) continue;
    EXPECT_EQ(finished_[key], count) << key;
  }
}

void SimulatedStream::Do(const StreamActions& actions) {
  const bool is_nothing =
      actions.run.empty() && actions.write == nullptr && !actions.read;
  if (finish_) {
    EXPECT_TRUE(is_nothing && !actions.finish) << "an action after finish";
  }
  for (const ClipPtr& clip : actions.run) {
    for (const Run& run : running_) EXPECT_NE(run.clip, clip) << "run twice";
    running_.push_back({clip});
  }
  if (actions.write != nullptr) {
    EXPECT_EQ(write_, nullptr) << "two writes";
    write_ = actions.write;
    more_follows_ = actions.more_follows;
  }
  if (actions.read) {
    EXPECT_FALSE(read_) << "two reads";
    EXPECT_FALSE(is_half_closed_) << "a read after the end";
    read_ = true;
    ++starting_reads_;
  }
  if (actions.finish) {
    EXPECT_EQ(write_, nullptr) << "finish during a write";
    EXPECT_EQ(starting_reads_, 0) << "finish before a read was started";
    finish_ = actions.finish;
  }
  EXPECT_TRUE(!session_.has_failed() || is_cancelled() || finish_);
  call_cancelled_ = call_cancelled_ || actions.cancel_call;
}

void SimulatedStream::Start(const absl::Status& entered) {
  StreamActions actions;
  session_.Start(entered, server::AnonymousCaller(), "ipv4:1.2.3.4:5",
                 &actions);
  Do(actions);
}

void SimulatedStream::Receive(v1::ConvertClipsRequest request) {
  ASSERT_TRUE(CanReceive());
  read_ = false;
  StreamActions actions;
  const bool was_over = session_.is_over();
  const bool begins = request.has_begin() && !is_within_clip();
  const bool completes = request.begin().complete();
  const std::string key = request.begin().key();
  const bool ends = request.has_end() && is_within_clip();
  const bool abandons = ends && request.end().abandon();
  session_.OnRequest(absl::OkStatus(), &request, 0, SimulatedServer::Now(),
                     &actions);
  if (!was_over) {
    if (begins) ++begun_[key];
    if (begins && is_draining_) late_.insert(key);
    if (abandons) {
      --begun_[incoming_];
      abandoned_.insert(incoming_);
    }
    if (begins && !completes) incoming_ = key;
    if (ends) incoming_.clear();
  }
  Do(actions);
}

void SimulatedStream::Open(bool ordered) {
  v1::ConvertClipsRequest request;
  request.mutable_open()->set_ordered(ordered);
  ordered_ = ordered;
  Receive(std::move(request));
}

void SimulatedStream::Begin(const std::string& key, int bytes, bool complete) {
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_key(key);
  request.mutable_begin()->mutable_source()->set_data(std::string(bytes, 'x'));
  request.mutable_begin()->set_complete(complete);
  Receive(std::move(request));
}

void SimulatedStream::Chunk(int bytes) {
  v1::ConvertClipsRequest request;
  request.set_chunk(std::string(bytes, 'x'));
  Receive(std::move(request));
}

void SimulatedStream::End(bool abandon) {
  v1::ConvertClipsRequest request;
  request.mutable_end()->set_abandon(abandon);
  Receive(std::move(request));
}

void SimulatedStream::Garbage() { Receive({}); }

void SimulatedStream::QueueMessage() {
  ASSERT_TRUE(CanReceive());
  is_parsing_ = true;
  session_.OnRequestQueued();
}

void SimulatedStream::HalfClose() {
  ASSERT_TRUE(CanReceive());
  read_ = false;
  is_half_closed_ = true;
  StreamActions actions;
  session_.OnHalfClose(&actions);
  Do(actions);
}

void SimulatedStream::Cancel() {
  session_.cancel().Cancel();
  StreamActions actions;
  session_.OnCancel(&actions);
  Do(actions);
}

void SimulatedStream::Drain() {
  is_draining_ = true;
  StreamActions actions;
  session_.OnDrain(&actions);
  Do(actions);
}

void SimulatedStream::Tick(bool allowed) {
  StreamActions actions;
  session_.OnTick(
      SimulatedServer::Now(),
      allowed ? absl::OkStatus() : absl::PermissionDeniedError("revoked"),
      /*received=*/0, &actions);
  Do(actions);
}

void SimulatedStream::WriteDone(bool ok) {
  ASSERT_NE(write_, nullptr);
  const auto body = write_->body;
  const auto* const frame = reinterpret_cast<const Frame*>(body.get());
  write_ = nullptr;
  ++frames_;
  const int clip = std::stoi(frame->key);
  EXPECT_TRUE(!ordered_ || clip >= last_written_) << "out of order";
  last_written_ = clip;
  // A frame of a clip that is abandoned may be on its way.
  EXPECT_TRUE(abandoned_.contains(frame->key) ||
              finished_[frame->key] < begun_[frame->key])
      << "a frame after the result";
  if (frame->is_result) {
    ++finished_[frame->key];
    results_ += frame->key + ":" + absl::StatusCodeToString(frame->code) + " ";
  }
  StreamActions actions;
  session_.OnWriteDone(ok, &actions);
  Do(actions);
}

void SimulatedStream::ReadStarted() {
  --starting_reads_;
  StreamActions actions;
  session_.OnReadStarted(&actions);
  Do(actions);
}

SimulatedStream::FakeWork* SimulatedStream::WorkOf(const ClipPtr& clip) {
  return reinterpret_cast<FakeWork*>(clip->work.get());
}

void SimulatedStream::Step(size_t index, bool no_memory) {
  const auto run = std::next(running_.begin(), static_cast<int64_t>(index));
  const ClipPtr clip = run->clip;
  if (run->next == Part::kReport) {
    run->next = Part::kFinish;
    if (!clip->has_ended) running_.erase(run);
    StreamActions actions;
    session_.OnChunkRead(clip, &actions);
    return Do(actions);
  }
  if (run->next == Part::kRead && !session_.BeginWork(clip)) {
    running_.erase(run);
    return;
  }
  if (no_memory) {
    running_.erase(run);
    return LackMemory(clip);
  }
  if (clip->refused || run->next == Part::kFinish) {
    running_.erase(run);
    return Finish(clip);
  }
  run->next = Part::kReport;
  ReadChunk(clip);
}

void SimulatedStream::LackMemory(const ClipPtr& clip) {
  StreamActions actions;
  if (clip->refused) {
    session_.OnFailure(clip, absl::ResourceExhaustedError("memory"), &actions);
  } else {
    clip->work.reset();
    session_.OnNoMemory(clip, absl::ResourceExhaustedError("memory"), &actions);
  }
  Do(actions);
}

void SimulatedStream::Break(size_t index) {
  const auto run = std::next(running_.begin(), static_cast<int64_t>(index));
  const ClipPtr clip = run->clip;
  running_.erase(run);
  StreamActions actions;
  session_.OnFailure(clip, absl::InternalError("broken"), &actions);
  Do(actions);
}

void SimulatedStream::ReadChunk(const ClipPtr& clip) {
  if (clip->work == nullptr) {
    const auto made = std::make_shared<FakeWork>();
    works_.push_back(made);
    clip->work = {made, reinterpret_cast<server::ClipWork*>(made.get())};
  }
  FakeWork* const work = WorkOf(clip);
  work->pending += static_cast<int64_t>(std::exchange(clip->chunk, {}).size());
  for (; work->pending >= kInputOfFrame && !work->was_refused;
       work->pending -= kInputOfFrame) {
    Emit(clip, kDataBytes, /*is_result=*/false);
  }
}

void SimulatedStream::Finish(const ClipPtr& clip) {
  EXPECT_TRUE(clip->chunk.empty()) << "not all was read";
  Emit(clip, 0, /*is_result=*/true);
}

void SimulatedStream::Emit(const ClipPtr& clip, int64_t data_bytes,
                           bool is_result) {
  FakeWork* const work = WorkOf(clip);
  if (data_bytes > 0 && !clip->ticket.Grow(data_bytes).ok()) {
    work->was_refused = true;
    return;
  }
  auto frame = std::make_shared<Frame>();
  frame->key = clip->key;
  frame->is_result = is_result;
  if (clip->refused) frame->code = clip->refused->status.code();
  if (work != nullptr && work->was_refused) {
    frame->code = absl::StatusCode::kResourceExhausted;
  }
  if (is_result) clip->work.reset();
  server::ResponseFrame out;
  out.body = {frame, reinterpret_cast<const server::FrameBody*>(frame.get())};
  out.bytes = data_bytes + kHeadBytes;
  out.data_bytes = data_bytes;
  out.drawn_bytes = data_bytes;
  StreamActions actions;
  session_.OnFrame(clip, std::move(out), is_result, &actions);
  Do(actions);
}

void SimulatedStream::Settle() {
  while (CanStartRead() || running() > 0 || CanWrite()) {
    if (CanStartRead()) {
      ReadStarted();
    } else if (running() > 0) {
      Step(0);
    } else {
      WriteDone(true);
    }
  }
}

bool SimulatedStream::Close() {
  while (true) {
    Settle();
    if (finish_) return true;
    if (!CanReceive()) return false;
    is_within_clip() ? End(/*abandon=*/false) : HalfClose();
  }
}

}  // namespace bvhmill::testing
