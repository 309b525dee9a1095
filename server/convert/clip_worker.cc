#include "server/convert/clip_worker.h"

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bvhmill/wire/result.h"
#include "server/codec/response_bytes.h"
#include "server/rpc/catch_as_status.h"

namespace bvhmill::server {
namespace {

// Bytes of text that a worker reads before other clips have a turn.
constexpr size_t kTurnBytes = size_t{4} << 20;

// The frame with the message that ToBytes makes of `parts`.
template <typename... Parts>
ResponseFrame FrameOf(Parts&&... parts) {
  auto body = std::make_shared<FrameBody>();
  ToBytes(std::forward<Parts>(parts)..., &body->bytes);
  ResponseFrame frame;
  frame.bytes = static_cast<int64_t>(body->bytes.Length());
  frame.body = std::move(body);
  return frame;
}

ResponseFrame ChunkFrame(const std::string& key, size_t output, int64_t offset,
                         std::string data) {
  const auto size = static_cast<int64_t>(data.size());
  v1::OutputChunk chunk;
  chunk.set_key(key);
  chunk.set_output(static_cast<int32_t>(output));
  chunk.set_offset(offset);
  ResponseFrame frame = FrameOf(chunk, std::move(data));
  frame.data_bytes = size;
  frame.drawn_bytes = size;
  return frame;
}

// The result of a clip of which nothing was read, so that there is no report.
ResponseFrame RefusalFrame(const StreamClip& clip) {
  v1::ConvertClipsResponse response;
  wire::ToProto(*clip.refused, response.mutable_result());
  response.mutable_result()->set_key(clip.key);
  response.mutable_result()->clear_report();
  response.mutable_result()->clear_info();
  return FrameOf(response);
}

}  // namespace

ClipWork::ClipWork(const StreamClip& clip, const ServerConfig& config,
                   const CancelToken* cancel, ChunkReceiver::Sink sink,
                   MeteredReceiver::Grant grant)
    : options(clip.options),
      receiver(config.service.recommended_chunk_bytes, std::move(sink),
               std::move(grant)),
      conversion(*options, clip.encoding, config.limits.max_clip_bytes,
                 &receiver, cancel) {}

WorkState ClipWork::state() const {
  return {.exists = true, .has_work = conversion.has_work()};
}

bool ClipWorker::Work(const ClipPtr& clip) {
  for (size_t done = 0; done < kTurnBytes;) {
    const bool exists = clip->work != nullptr;
    NextClipStep next = parts_.session.NextStep(
        clip, exists ? clip->work->state() : WorkState());
    const ClipStep step = next.step;
    if (step == ClipStep::kRest) return false;
    const absl::Status status = CatchAsStatus(parts_.log, kStreamPlace, [&] {
      done += Do(clip, &next);
      if (clip->reports_early && step != ClipStep::kFinish) EmitIssues(clip);
      return absl::OkStatus();
    });
    if (!status.ok()) {
      Refuse(clip, step, status);
      return false;
    }
    if (step == ClipStep::kFinish) return false;
  }
  return true;
}

// Returns the bytes of text that were read. If it throws, nothing but the clip
// is half done.
size_t ClipWorker::Do(const ClipPtr& clip, NextClipStep* next) {
  ClipWork* const work = clip->work.get();
  switch (next->step) {
    case ClipStep::kMake:
      Make(clip);
      break;
    case ClipStep::kGive:
      work->conversion.Give(std::move(next->bytes));
      [[fallthrough]];
    case ClipStep::kWork: {
      const size_t bytes = work->conversion.Step();
      work->conversion.Announce();
      return bytes;
    }
    case ClipStep::kFinish:
      Finish(clip);
      break;
    case ClipStep::kRest:
      break;
  }
  return 0;
}

// The work is part of the clip, so it refers to it without owning it.
void ClipWorker::Make(const ClipPtr& clip) {
  const std::weak_ptr<StreamClip> weak = clip;
  ChunkReceiver::Sink sink;
  sink.begin = [this, weak](const ClipInfo& info,
                            std::span<const OutputInfo> outputs) {
    const ClipPtr to = weak.lock();
    Emit(to, FrameOf(to->key, info, outputs), /*is_result=*/false);
  };
  sink.chunk = [this, weak](size_t output, int64_t offset, std::string data) {
    const ClipPtr to = weak.lock();
    Emit(to, ChunkFrame(to->key, output, offset, std::move(data)),
         /*is_result=*/false);
  };
  // Memory of a clip that is gone counts no more.
  auto grant = [this, weak](int64_t bytes) {
    const ClipPtr of = weak.lock();
    return of == nullptr ? absl::OkStatus()
                         : parts_.session.OnMemoryNeeded(of.get(), bytes);
  };
  clip->work = std::make_shared<ClipWork>(*clip, parts_.config, &parts_.cancel,
                                          std::move(sink), std::move(grant));
  clip->queued = StreamClip::Clock::now() - *clip->queued_at;
}

// Sends the issues that the last step found. Refuses the clip if there is no
// memory for them.
void ClipWorker::EmitIssues(const ClipPtr& clip) {
  ClipWork& work = *clip->work;
  const std::vector<Issue> issues = work.conversion.TakeNewIssues();
  if (issues.empty()) return;
  ResponseFrame frame = FrameOf(clip->key, issues);
  if (!work.receiver.Hold(frame.bytes).ok()) return;
  frame.drawn_bytes = frame.bytes;
  Emit(clip, std::move(frame), /*is_result=*/false);
}

void ClipWorker::Finish(const ClipPtr& clip) {
  if (clip->refused) {
    return Emit(clip, RefusalFrame(*clip), /*is_result=*/true);
  }
  ClipWork& work = *clip->work;
  ConvertResult& result = work.conversion.Finish();
  if (result.status.ok()) work.receiver.Flush();
  result.times.queued = clip->queued;
  ResponseFrame frame = FrameOf(clip->key, result);
  // A clip of a stream that was cancelled has no result.
  if (!absl::IsCancelled(result.status)) parts_.observer.AddClip(result);
  Emit(clip, std::move(frame), /*is_result=*/true);
}

// A frame that is lost for want of memory ends the stream: its peer may not
// know of a gap.
void ClipWorker::Emit(const ClipPtr& clip, ResponseFrame frame,
                      bool is_result) {
  const absl::Status status = CatchAsStatus(parts_.log, kStreamPlace, [&] {
    parts_.session.OnFrame(clip, std::move(frame), is_result);
    return absl::OkStatus();
  });
  if (!status.ok()) parts_.session.OnFailure(clip, status);
}

// The clip is refused if the system has no memory for it; there may be some for
// other clips. The stream ends if there is none for the refusal itself.
void ClipWorker::Refuse(const ClipPtr& clip, ClipStep step,
                        const absl::Status& status) {
  if (step == ClipStep::kFinish && clip->refused) {
    return parts_.session.OnFailure(clip, status);
  }
  clip->work.reset();
  parts_.session.OnNoMemory(clip, status);
}

}  // namespace bvhmill::server
