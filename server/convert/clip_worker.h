#pragma once

// Does the steps of a clip of a stream, as its session asks for them, in a
// thread of the workers.

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "server/app/config.h"
#include "server/convert/chunk_receiver.h"
#include "server/convert/incremental_conversion.h"
#include "server/convert/stream_clip.h"
#include "server/convert/stream_session.h"
#include "server/observe/clip_observer.h"
#include "server/observe/log.h"

namespace bvhmill::server {

// The bytes of a serialized ConvertClipsResponse.
struct FrameBody {
  grpc::ByteBuffer bytes;
};

// The conversion of a clip, and the receiver that cuts its outputs into chunks.
struct ClipWork {
  ClipWork(const StreamClip& clip, const ServerConfig& config,
           const CancelToken* cancel, ChunkReceiver::Sink sink,
           MeteredReceiver::Grant grant);

  WorkState state() const;

  // The conversion refers to them. A refused clip has dropped them.
  const OptionsPtr options;
  ChunkReceiver receiver;
  IncrementalConversion conversion;
};

// How a worker reports to the session of its clip. Each function is the event
// of StreamSession with the same name; it takes the mutex of the stream and
// does the actions that follow. Thread-safe.
class SessionPort {
 public:
  SessionPort() = default;
  virtual ~SessionPort() = default;
  SessionPort(const SessionPort&) = delete;
  SessionPort& operator=(const SessionPort&) = delete;

  virtual NextClipStep NextStep(const ClipPtr& clip,
                                const WorkState& state) = 0;
  virtual absl::Status OnMemoryNeeded(StreamClip* clip, int64_t bytes) = 0;
  virtual void OnFrame(const ClipPtr& clip, ResponseFrame frame,
                       bool is_result) = 0;
  virtual void OnNoMemory(const ClipPtr& clip, const absl::Status& status) = 0;
  virtual void OnFailure(const ClipPtr& clip, const absl::Status& status) = 0;
};

// One for each stream, which owns it. Clips of the stream may be worked on by
// several threads at once, each clip by one.
class ClipWorker {
 public:
  // All of it outlives the worker.
  struct Parts {
    const ServerConfig& config;
    const Log& log;
    ClipObserver& observer;
    const CancelToken& cancel;
    SessionPort& session;
  };

  explicit ClipWorker(const Parts& parts) : parts_(parts) {}

  // Works on `clip` until its session has no step for it, or it has had its
  // turn of about 4 MiB of text. True in the latter case: the caller must queue
  // the clip again.
  bool Work(const ClipPtr& clip);

 private:
  size_t Do(const ClipPtr& clip, NextClipStep* next);
  void Make(const ClipPtr& clip);
  void EmitIssues(const ClipPtr& clip);
  void Finish(const ClipPtr& clip);
  void Emit(const ClipPtr& clip, ResponseFrame frame, bool is_result);
  void Refuse(const ClipPtr& clip, ClipStep step, const absl::Status& status);

  const Parts parts_;
};

}  // namespace bvhmill::server
