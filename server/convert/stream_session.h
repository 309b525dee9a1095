#pragma once

// The protocol of one stream ConvertClips as a state machine without sockets
// and threads. Its owner, the reactor, reports events, one at a time, and does
// the actions that the session returns.
//
//   StreamActions actions;
//   session.OnRequest(parsed, &request, beside, came_at, &actions);
//   // The owner now does what `actions` says: actions.run, actions.write, ...
//
// Step 2 of the path of a chunk (see stream_reactor.h): OnRequest takes the
// message and stores the chunk in the ClipQueue, OnChunkRead notes that a
// worker has read it, OnFrame gets each part of the answer, and OnWriteDone
// removes the part that the peer has.
//
//   events                          actions
//   a message came                  read the next message
//   the peer closed its side        write a frame
//   a write is done                 run a clip in a worker
//   a worker has read a chunk       finish the stream with a status
//   a worker has made a frame       cancel the call
//   a worker has no memory
//   the call was cancelled
//   the server drains
//   a second has passed
//
// The session keeps these invariants, in every order of events:
//   - At most one read and one write are outstanding.
//   - One worker at a time runs a clip. While it reads a chunk, the session
//     reads one more message, which waits for that worker. So a peer is never
//     faster than its worker.
//   - Finish is the last action. It comes once, when no write and no start of a
//     read is outstanding. Only cancel_call may follow it.
//   - Each clip that the peer begins gets one result, unless the peer abandons
//     it or the stream fails.
//   - Reading stops while too many clips wait for workers, or too many frames
//     for the peer; the limits say how many.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/auth/caller.h"
#include "server/convert/clip_queue.h"
#include "server/limits/upload_rate.h"

namespace bvhmill::server {

// The log names this as the place where an exception was caught.
inline constexpr char kStreamPlace[] = "a stream";

// The actions of the owner of a session after an event. The owner does them in
// this order, without the mutex: each may cause another event at once.
struct StreamActions {
  // Run these clips, each in a worker. The worker first asks BeginWork. If the
  // clip is refused, it reports the result. Otherwise it reads the chunk of the
  // clip and reports OnChunkRead; if the clip has ended, it also makes the
  // outputs and the result.
  std::vector<ClipPtr> run;
  // Write this frame. It stays valid until OnWriteDone. Null = no write.
  const ResponseFrame* write = nullptr;
  // Another frame follows at once, so the write may wait for it.
  bool more_follows = false;
  // Start a read, then report OnReadStarted.
  bool read = false;
  // Finish the stream with this status.
  std::optional<absl::Status> finish;
  // Cancel the call: the peer accepts nothing, so no write can end.
  bool cancel_call = false;
  // Free this, without the mutex: it may take long.
  std::shared_ptr<ClipWork> dropped;
};

// Not thread-safe: its owner guards it with a mutex. The cancel token may be
// used without the mutex.
class StreamSession {
 public:
  using Clock = StreamClip::Clock;

  explicit StreamSession(const SessionParts& parts);
  StreamSession(const StreamSession&) = delete;
  StreamSession& operator=(const StreamSession&) = delete;

  // Events of gRPC, of the server and of time. Each adds actions to `actions`.

  // The first event. The stream fails with `entered` if it is not OK.
  void Start(const absl::Status& entered, std::shared_ptr<const Caller> caller,
             const std::string& peer, StreamActions* actions);
  // The owner has started the read of `actions`.
  void OnReadStarted(StreamActions* actions);
  // The read is done; a worker will parse its bytes. OnRequest follows.
  void OnRequestQueued() { is_queued_ = true; }
  // The read is done: a message came at `came_at`. If `parsed` is OK, the
  // session takes the content of `request`; otherwise the stream fails with
  // `parsed`. `beside`: see ClipQueue::Take.
  void OnRequest(const absl::Status& parsed, v1::ConvertClipsRequest* request,
                 int64_t beside, Clock::time_point came_at,
                 StreamActions* actions);
  // The read found the end: the peer has closed its side, or is gone.
  void OnHalfClose(StreamActions* actions);
  // The write has ended. `ok` is false if the peer is gone.
  void OnWriteDone(bool ok, StreamActions* actions);
  // The call was cancelled. Cancel the token before this.
  void OnCancel(StreamActions* actions) { Next(actions); }
  // The server drains. Call it several times a second until the stream ends.
  // The session reads and answers what the peer sent before the drain: all
  // clips until the peer closes its side, or until new work comes. New work is
  // a clip that comes more than 0.5 s after its read began, or more than 5 s
  // after the drain (half of drain_seconds if that is less): nothing else tells
  // when it was sent. A stream ends with UNAVAILABLE, once its clips are
  // finished, if it meets new work, or if no message comes for 0.5 s.
  void OnDrain(StreamActions* actions);
  // About a second has passed. The stream fails with `allowed` if that is not
  // OK: the caller may not convert any more. `received`: the bytes that have
  // come over the connection; 0 = not known.
  void OnTick(Clock::time_point now, const absl::Status& allowed,
              int64_t received, StreamActions* actions);

  // Events of the worker that runs `clip`.

  // A worker is about to run the clip. Returns false if the worker must not
  // touch it: the clip waits until outputs are written, or the stream is over.
  bool BeginWork(const ClipPtr& clip);
  // The worker has read the chunk of the clip. After this it must not touch the
  // clip unless the clip has ended.
  void OnChunkRead(const ClipPtr& clip, StreamActions* actions);
  // The worker made a frame. `is_result`: it is the last one; the worker has
  // freed its work, and must not touch the clip after this.
  void OnFrame(const ClipPtr& clip, ResponseFrame frame, bool is_result,
               StreamActions* actions);
  // The system has no memory for the clip. The worker has freed its work, and
  // must not touch the clip after this. The clip is refused with `status`.
  void OnNoMemory(const ClipPtr& clip, const absl::Status& status,
                  StreamActions* actions);
  // A worker failed in the middle of an event: the stream ends with `status`.
  void OnFailure(const ClipPtr& clip, const absl::Status& status,
                 StreamActions* actions);

  // Drops everything. Call it when the call is over. Only events of workers may
  // follow; they return no actions.
  void Clear();

  // Cancelled when the stream fails. Conversions check it.
  CancelToken& cancel() { return cancel_; }
  // True if the stream has failed, or Finish was among the actions.
  bool is_over() const { return failed_ || is_finished_; }
  bool is_finished() const { return is_finished_; }
  bool has_failed() const { return failed_.has_value(); }
  // The peer closed its side, or went away, within a clip.
  bool closed_within_clip() const { return closed_within_clip_; }
  // For tests: what is outstanding.
  bool is_writing() const { return writing_ != nullptr; }
  bool has_waiting() const { return waiting_.has_value(); }

 private:
  void Take(v1::ConvertClipsRequest* request, int64_t beside);
  void Wait(v1::ConvertClipsRequest* request, int64_t beside);
  void TakeWaiting();
  bool IsSlowReader(Clock::time_point now) const;
  absl::Status CheckUpload(Clock::time_point now, int64_t received);
  absl::Status CheckIdle(Clock::time_point now);
  absl::Status CheckPeer(Clock::time_point now, const absl::Status& allowed,
                         int64_t received);
  void Fail(const absl::Status& status);
  bool IsNewWork(const v1::ConvertClipsRequest& request,
                 Clock::time_point came_at) const;
  bool HearsNothing() const;
  bool MustEnd() const;
  bool MayRead() const;
  // Adds the actions that follow from the state after an event.
  void Next(StreamActions* actions);
  void End(StreamActions* actions);
  void PickWrite(StreamActions* actions);

  const ServiceLimits& limits() const { return parts_.config.service; }

  const SessionParts parts_;
  CancelToken cancel_;
  ClipQueue clips_;
  UploadRate upload_rate_;
  // A message that came while a worker was reading the chunk before it.
  struct Waiting {
    v1::ConvertClipsRequest request;
    int64_t beside = 0;
    // Its memory.
    int64_t bytes = 0;
    Ticket ticket;
  };
  std::optional<Waiting> waiting_;
  bool is_reading_ = false;
  // The message that came waits for a worker to parse it.
  bool is_queued_ = false;
  bool reads_done_ = false;
  // When the drain was first reported.
  std::optional<Clock::time_point> drain_at_;
  // New work came during the drain: nothing more is read.
  bool met_new_work_ = false;
  // The time of the last read action.
  Clock::time_point read_at_;
  // When a tick first found no unfinished clip; reset by each message.
  std::optional<Clock::time_point> idle_since_;
  // The time of the pending write action, or of Finish.
  Clock::time_point write_at_;
  ClipPtr writing_;
  ResponseFrame written_;
  // Reads among the actions that are not started yet. Finish must wait for
  // them: gRPC may free the call soon after it.
  int starting_reads_ = 0;
  // Why the stream ends, if it ends with an error.
  std::optional<absl::Status> failed_;
  bool closed_within_clip_ = false;
  bool is_finished_ = false;
};

}  // namespace bvhmill::server
