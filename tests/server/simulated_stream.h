#pragma once

// The owner of a stream session without sockets and threads. Tests decide which
// event comes next; every action is held against the invariants of the session.

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/convert/stream_session.h"

namespace bvhmill::testing {

// Small limits of streams, and none of the whole server.
server::ServerConfig SmallStreamConfig();

// The server that simulated streams share.
struct SimulatedServer {
  explicit SimulatedServer(const server::ServerConfig& wanted);

  static server::StreamClip::Clock::time_point Now() { return now; }
  static void Pass(int64_t seconds) { now += std::chrono::seconds(seconds); }
  static inline server::StreamClip::Clock::time_point now{
      std::chrono::hours(1)};

  server::ServerConfig config;
  server::Admission admission;
  server::StreamMemory memory;
  const server::Log log{server::LogFormat::kOff};
};

class SimulatedStream {
 public:
  explicit SimulatedStream(SimulatedServer* server);
  ~SimulatedStream();

  void Start(const absl::Status& entered = absl::OkStatus());

  // Messages of the peer. Keys are numbers in ascending order. Each needs an
  // outstanding read: see CanReceive.
  bool CanReceive() const { return read_ && !is_parsing_; }
  void Open(bool ordered);
  void Begin(const std::string& key, int bytes, bool complete);
  void Chunk(int bytes);
  void End(bool abandon);
  void Garbage();
  void HalfClose();
  bool is_within_clip() const { return !incoming_.empty(); }
  // The next message came as bytes that a worker will parse; it has parsed
  // them, and the message can be received.
  void QueueMessage();
  void ParseMessage() { is_parsing_ = false; }

  void Cancel();
  // Cancels without the event, which comes later.
  void CancelSilently() { session_.cancel().Cancel(); }
  bool is_cancelled() { return session_.cancel().IsCancelled(); }
  void Drain();
  // A second has passed; `allowed` = the caller may still convert.
  void Tick(bool allowed = true);
  bool CanWrite() const { return write_ != nullptr; }
  void WriteDone(bool ok);
  bool CanStartRead() const { return starting_reads_ > 0; }
  void ReadStarted();

  // Workers: how many clips they run, and one step of the clip `index`: to read
  // its chunk, to report that, or to finish it. With `no_memory`, reading and
  // finishing throw instead.
  size_t running() const { return running_.size(); }
  void Step(size_t index, bool no_memory = false);
  void Break(size_t index);

  // Does what is outstanding, but receives nothing.
  void Settle();
  // As a good peer: ends the clip, closes its side, takes all frames. False if
  // the stream is stuck.
  bool Close();

  const std::optional<absl::Status>& finish() const { return finish_; }
  bool call_cancelled() const { return call_cancelled_; }
  // "KEY:CODE " for each result in the order of writing.
  const std::string& results() const { return results_; }
  int frames() const { return frames_; }
  // The bytes and times that the observer of clips got.
  struct Observed {
    int64_t received = 0;
    int64_t sent = 0;
    int refused = 0;
    std::map<server::Stage, std::chrono::nanoseconds> stages;
  };
  const Observed& observed() const;
  // The last write was said to be followed by another one.
  bool more_follows() const { return more_follows_; }
  const server::StreamSession& session() const { return session_; }

 private:
  struct Frame;
  struct FakeWork;
  enum class Part { kRead, kReport, kFinish };
  struct Run {
    server::ClipPtr clip;
    Part next = Part::kRead;
  };
  class Observer;

  void Receive(v1::ConvertClipsRequest request);
  void Do(const server::StreamActions& actions);
  void ReadChunk(const server::ClipPtr& clip);
  void Finish(const server::ClipPtr& clip);
  void LackMemory(const server::ClipPtr& clip);
  void Emit(const server::ClipPtr& clip, int64_t data_bytes, bool is_result);
  void CheckBooks();
  static FakeWork* WorkOf(const server::ClipPtr& clip);

  SimulatedServer& server_;
  std::unique_ptr<Observer> observer_;
  server::StreamSession session_;
  bool read_ = false;
  bool is_parsing_ = false;
  bool is_half_closed_ = false;
  int starting_reads_ = 0;
  const server::ResponseFrame* write_ = nullptr;
  bool more_follows_ = false;
  std::list<Run> running_;
  std::optional<absl::Status> finish_;
  bool call_cancelled_ = false;
  // The key of the clip that comes.
  std::string incoming_;
  bool ordered_ = false;
  int last_written_ = 0;
  // By key: clips that must have a result, and results that were written.
  bool is_draining_ = false;
  // Clips that came while the server drains: the session may refuse them.
  std::set<std::string> late_;
  std::map<std::string, int> begun_;
  std::map<std::string, int> finished_;
  std::set<std::string> abandoned_;
  std::string results_;
  int frames_ = 0;
  std::vector<std::weak_ptr<void>> works_;
};

}  // namespace bvhmill::testing
