#pragma once

// The protocol of one stream ConvertClips as a state machine without sockets
// and threads. Its owner reports events, one at a time, and does the actions
// that the session asks for in return.
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
//   - A clip is run by one worker at a time. While it reads a chunk, one more
//     message is read, which waits until that is done. So a peer is never
//     faster than its worker.
//   - Finish is the last action, and is asked for once, when no write and no
//     start of a read is outstanding. Only cancel_call may follow it.
//   - Each clip that the peer begins gets one result, unless the peer abandons
//     it or the stream fails.
//   - Reading stops while clips wait to be converted or frames to be written,
//     as the limits say.

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
#include "server/convert/stream_clip.h"
#include "server/limits/upload_rate.h"

namespace bvhmill::server {

// Actions for the owner of a session after an event. The owner does them in
// this order, without the mutex: each may cause another event at once.
struct StreamActions {
  // Run these clips, each in a worker, which first asks BeginWork. It reports a
  // result if the clip is refused; else it reads the chunk of the clip, reports
  // OnChunkRead and, if the clip has ended, makes its outputs and its result.
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
  // Free this. That is not done under the mutex, since it may take long.
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

  // Events. Each adds what must be done to `actions`.

  // The first event. The stream fails with `entered` if it is not OK.
  void Start(const absl::Status& entered, std::shared_ptr<const Caller> caller,
             const std::string& peer, StreamActions* actions);
  // The read that was asked for has been started.
  void OnReadStarted(StreamActions* actions);
  // The read gave bytes that a worker will parse. OnRequest follows.
  void OnRequestQueued() { is_queued_ = true; }
  // The read gave a message at `came_at`. If `parsed` is OK it is `request`,
  // and the session takes its content; otherwise the stream fails with
  // `parsed`. `beside`: see ClipQueue::Take.
  void OnRequest(const absl::Status& parsed, v1::ConvertClipsRequest* request,
                 int64_t beside, Clock::time_point came_at,
                 StreamActions* actions);
  // The read gave the end: the peer has closed its side, or is gone.
  void OnHalfClose(StreamActions* actions);
  // The write has ended. `ok` is false if the peer is gone.
  void OnWriteDone(bool ok, StreamActions* actions);
  // The call was cancelled. Cancel the token before this.
  void OnCancel(StreamActions* actions) { Next(actions); }
  // The server drains. Call it again and again until the stream ends. What the
  // peer had sent before is read and answered: all clips up to the end of its
  // side, or to new work, which is a clip that comes long after its read began,
  // or long after the drain. Neither gRPC nor the peer says more about when it
  // was sent. A stream that meets new work, or hears nothing for that time,
  // ends with UNAVAILABLE when its clips are finished.
  void OnDrain(StreamActions* actions);
  // About a second has passed. The stream fails with `allowed` if that is not
  // OK: the caller may not convert any more.
  void OnTick(Clock::time_point now, const absl::Status& allowed,
              StreamActions* actions);

  // Events of the worker that runs `clip`.

  // A worker is about to run the clip. False if it must not touch it: the clip
  // waits until outputs are written, or the stream is over.
  bool BeginWork(const ClipPtr& clip);
  // The worker has read the chunk of the clip. It must not touch the clip after
  // it unless the clip has ended.
  void OnChunkRead(const ClipPtr& clip, StreamActions* actions);
  // The worker made a frame. With `is_result` it is the last one: the worker
  // has freed its work, and must not touch the clip after it.
  void OnFrame(const ClipPtr& clip, ResponseFrame frame, bool is_result,
               StreamActions* actions);
  // The system has no memory for the clip, whose work the worker has freed: the
  // clip is refused with `status`. The worker must not touch the clip after it.
  void OnNoMemory(const ClipPtr& clip, const absl::Status& status,
                  StreamActions* actions);
  // A worker failed in the middle of an event: the stream ends with `status`.
  void OnFailure(const ClipPtr& clip, const absl::Status& status,
                 StreamActions* actions);

  // Drops everything. Call it when the call is over. Only events of workers may
  // follow, and they have no actions.
  void Clear();

  // Cancelled when the stream fails; conversions look at it.
  CancelToken& cancel() { return cancel_; }
  // The stream has failed or was asked to finish.
  bool is_over() const { return failed_ || is_finished_; }
  bool is_finished() const { return is_finished_; }
  bool has_failed() const { return failed_.has_value(); }
  // The peer closed its side, or went away, within a clip.
  bool closed_within_clip() const { return closed_within_clip_; }
  // True if the stream can go on without another message of its peer. It may
  // wait until the peer takes a frame.
  bool IsBusy() const;
  // For tests: what is outstanding.
  bool is_writing() const { return writing_ != nullptr; }
  bool has_waiting() const { return waiting_.has_value(); }

 private:
  void Take(v1::ConvertClipsRequest* request, int64_t beside);
  void Wait(v1::ConvertClipsRequest* request, int64_t beside);
  void TakeWaiting();
  bool IsSlowReader(Clock::time_point now) const;
  absl::Status CheckUpload(Clock::time_point now);
  absl::Status CheckIdle(Clock::time_point now);
  absl::Status CheckPeer(Clock::time_point now, const absl::Status& allowed);
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
  // A message that came while a worker read the chunk before it.
  struct Waiting {
    v1::ConvertClipsRequest request;
    int64_t beside = 0;
    // Its memory.
    int64_t bytes = 0;
    Ticket ticket;
  };
  std::optional<Waiting> waiting_;
  bool is_reading_ = false;
  // A worker is going to parse the message that came.
  bool is_queued_ = false;
  bool reads_done_ = false;
  // When the drain was first reported.
  std::optional<Clock::time_point> drain_at_;
  // The stream drains, and new work came: nothing more is read.
  bool met_new_work_ = false;
  // When the last read was asked for.
  Clock::time_point read_at_;
  // When a tick first found no unfinished clip; reset by each message.
  std::optional<Clock::time_point> idle_since_;
  // When the pending write, or Finish, was asked for.
  Clock::time_point write_at_;
  ClipPtr writing_;
  ResponseFrame written_;
  // Reads that were asked for and are not started yet. Finish comes after them:
  // the call may be gone soon after it.
  int starting_reads_ = 0;
  // Why the stream ends, if it ends with an error.
  std::optional<absl::Status> failed_;
  bool closed_within_clip_ = false;
  bool is_finished_ = false;
};

}  // namespace bvhmill::server
