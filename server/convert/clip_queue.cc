#include "server/convert/clip_queue.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/wire/unknown_fields.h"
#include "server/convert/source.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

// Adds the names of unknown fields outside the options. Returns true if there
// are any: the clip then has its own copy of the options.
bool AddUnknownFields(const v1::ClipBegin& begin, OptionsPtr* options) {
  std::vector<std::string> fields;
  wire::AddOwnUnknownFields(begin, "begin", &fields);
  wire::AddUnknownFields(begin.source(), "begin.source", &fields);
  if (fields.empty()) return false;
  auto more = std::make_shared<ConvertOptions>(**options);
  more->unknown_fields.insert(more->unknown_fields.end(), fields.begin(),
                              fields.end());
  *options = std::move(more);
  return true;
}

// A message with at most this many bytes outside of its text is not counted: it
// exists only for a moment.
constexpr int64_t kSmallMessageBytes = 4096;

}  // namespace

absl::Status ClipQueue::Enter(std::shared_ptr<const Caller> caller,
                              std::string peer) {
  caller_ = std::move(caller);
  peer_ = std::move(peer);
  return parts_.admission.TryOpen(*caller_, peer_, &ticket_);
}

// Counts the memory of `message`, except its text, while `ticket` lives.
absl::Status ClipQueue::HoldMessage(const v1::ConvertClipsRequest& message,
                                    int64_t beside, Ticket* ticket) {
  if (beside <= kSmallMessageBytes) return absl::OkStatus();
  const size_t text =
      message.chunk().size() + message.begin().source().data().size();
  return parts_.admission.TryHold(
      *caller_, peer_, static_cast<int64_t>(message.SpaceUsedLong() - text),
      ticket);
}

// A message that no ticket admits waits, too: its Take refuses the clip.
void ClipQueue::HoldWaiting(int64_t bytes, Ticket* ticket) {
  AddIncoming(bytes);
  static_cast<void>(parts_.admission.TryHold(*caller_, peer_, bytes, ticket));
}

absl::Status ClipQueue::Take(v1::ConvertClipsRequest* message, int64_t beside) {
  const auto bytes = static_cast<int64_t>(message->ByteSizeLong());
  const int64_t limit = config().service.max_request_message_bytes;
  if (Exceeds(bytes, limit)) {
    return LimitExceeded("max_request_message_bytes", limit, bytes);
  }
  const bool first = !std::exchange(saw_message_, true);
  if (first && !message->has_open()) {
    if (auto status = Open({}); !status.ok()) return status;
  }
  Ticket ticket;
  const absl::Status held = HoldMessage(*message, beside, &ticket);
  switch (message->frame_case()) {
    case v1::ConvertClipsRequest::kOpen:
      if (!first) return StreamOutOfOrder("open is not the first message");
      return held.ok() ? Open(message->open()) : held;
    case v1::ConvertClipsRequest::kBegin:
      return Begin(message->mutable_begin(), held);
    case v1::ConvertClipsRequest::kChunk:
      if (incoming_ == nullptr) return StreamOutOfOrder("chunk outside a clip");
      Append(std::move(*message->mutable_chunk()));
      return absl::OkStatus();
    case v1::ConvertClipsRequest::kEnd:
      return End(message->end());
    case v1::ConvertClipsRequest::FRAME_NOT_SET:
      break;
  }
  return StreamOutOfOrder("a message is empty");
}

absl::Status ClipQueue::Open(const v1::StreamOpen& open) {
  ordered_ = open.ordered();
  reports_early_ = open.report_issues_early();
  OptionsPtr& options = default_options_.front();
  const auto status =
      ReadOptions(open.options(), SourceFormats().front().format, &options);
  return status.ok() ? ticket_.Grow(OptionsBytes(*options)) : status;
}

// The options of clips of `format` that have none of their own. The stream
// keeps a copy for each format that came.
absl::Status ClipQueue::ReadDefaultOptions(SourceFormat format,
                                           OptionsPtr* options) {
  const auto same = std::find_if(
      default_options_.begin(), default_options_.end(),
      [&](const OptionsPtr& known) { return known->source_format == format; });
  if (same == default_options_.end()) {
    const OptionsPtr& first = default_options_.front();
    if (auto status = ticket_.Grow(OptionsBytes(*first)); !status.ok()) {
      return status;
    }
    auto copy = std::make_shared<ConvertOptions>(*first);
    copy->source_format = format;
    *options = default_options_.emplace_back(std::move(copy));
  } else {
    *options = *same;
  }
  return absl::OkStatus();
}

absl::Status ClipQueue::ReadOptions(const v1::ConvertOptions& message,
                                    SourceFormat format, OptionsPtr* options) {
  auto read = std::make_shared<ConvertOptions>();
  read->source_format = format;
  auto status = ReadClipOptions(config().limits, message, read.get());
  if (status.ok()) *options = std::move(read);
  return status;
}

// `held`: OK if the memory of the message was admitted.
absl::Status ClipQueue::Begin(v1::ClipBegin* begin, const absl::Status& held) {
  if (incoming_ != nullptr) return StreamOutOfOrder("begin within a clip");
  incoming_ = std::make_shared<StreamClip>();
  incoming_->begun_at = parts_.now();
  clips_.push_back(incoming_);
  incoming_->options = default_options_.front();
  incoming_->reports_early = reports_early_;
  // Each frame of the clip contains the key.
  const bool is_long = begin->key().size() > kMaxClipKeyBytes;
  incoming_->key = is_long ? Excerpt(begin->key()) : begin->key();
  const absl::Status status = held.ok() ? Admit(*begin) : held;
  if (!status.ok()) Refuse(incoming_.get(), status);
  Append(std::move(*begin->mutable_source()->mutable_data()));
  if (begin->complete()) Complete(std::exchange(incoming_, nullptr).get());
  return absl::OkStatus();
}

// OK if the new clip may be converted. Sets its encoding, options and ticket.
absl::Status ClipQueue::Admit(const v1::ClipBegin& begin) {
  StreamClip& clip = *incoming_;
  if (const absl::Status status =
          CheckBytes("begin.key", begin.key().size(), kMaxClipKeyBytes);
      !status.ok()) {
    return status;
  }
  clip.owns_key = keys_.insert(begin.key()).second;
  if (!clip.owns_key) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      "an unfinished clip of the stream has this key");
  }
  if (!begin.source().blob().empty()) {
    return InvalidField("begin.source.blob",
                        "is for ValidateClip and ConvertClip");
  }
  BVHMILL_RETURN_IF_ERROR(
      CheckSource(config().limits.max_clip_bytes, begin.source().encoding(),
                  static_cast<int64_t>(begin.source().data().size())));
  if (auto status = ReadEncoding(begin.source().encoding(), &clip.encoding);
      !status.ok()) {
    return status;
  }
  SourceFormat format = SourceFormat::kBvh;
  if (auto status = ReadFormat(begin.source().format(), &format);
      !status.ok()) {
    return status;
  }
  int64_t bytes = Budget::kFreeBytes + DecoderBytes(clip.encoding);
  const absl::Status read =
      begin.has_options() ? ReadOptions(begin.options(), format, &clip.options)
                          : ReadDefaultOptions(format, &clip.options);
  if (!read.ok()) return read;
  const bool has_more = AddUnknownFields(begin, &clip.options);
  if (begin.has_options() || has_more) bytes += OptionsBytes(*clip.options);
  // Append counts the memory that grows with the clip.
  return parts_.admission.TryEnter(*caller_, peer_, bytes, &clip.ticket);
}

absl::Status ClipQueue::End(const v1::ClipEnd& end) {
  if (incoming_ == nullptr) return StreamOutOfOrder("end outside a clip");
  const ClipPtr clip = std::exchange(incoming_, nullptr);
  if (end.abandon()) {
    clip->is_abandoned = true;
    Remove(clip);
  } else {
    Complete(clip.get());
  }
  return absl::OkStatus();
}

void ClipQueue::Append(std::string bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  parts_.observer.AddBytes(size, 0);
  StreamClip& clip = *incoming_;
  if (clip.refused || bytes.empty()) return;
  clip.bytes += size;
  const int64_t limit = config().limits.max_clip_bytes;
  if (Exceeds(clip.bytes, limit)) {
    return Refuse(&clip, LimitExceeded("max_clip_bytes", limit, clip.bytes));
  }
  if (auto status = clip.ticket.Grow(size); !status.ok()) {
    return Refuse(&clip, status);
  }
  if (!clip.queued_at) clip.queued_at = parts_.now();
  clip.chunk = std::move(bytes);
  clip.chunk_bytes = size;
  AddIncoming(size);
}

void ClipQueue::Refuse(StreamClip* clip, const absl::Status& status) {
  ConvertResult result;
  result.status = status;
  parts_.observer.AddRefusedClip(clip->key, status);
  clip->refused = std::move(result);
  dropped_ = std::move(clip->work);
  clip->chunk = {};
  UsedChunk(clip);
  DropOutgoing(clip);
  clip->options = default_options_.front();
  clip->ticket.Release();
}

void ClipQueue::Complete(StreamClip* clip) {
  clip->has_ended = true;
  if (!clip->queued_at) clip->queued_at = parts_.now();
}

void ClipQueue::Remove(const ClipPtr& clip) {
  UsedChunk(clip.get());
  AddOutgoing(clip.get(), -clip->outgoing_bytes);
  clip->outgoing.clear();
  Release(clip.get());
  clips_.remove(clip);
}

// The ticket of a clip that a worker runs, or is going to run, counts until the
// worker drops the clip.
void ClipQueue::Release(StreamClip* clip) {
  FreeKey(clip);
  if (!clip->is_running) clip->ticket.Release();
}

void ClipQueue::FreeKey(StreamClip* clip) {
  if (std::exchange(clip->owns_key, false)) keys_.erase(clip->key);
}

void ClipQueue::DropOutgoing(StreamClip* clip) {
  int64_t dropped = 0;
  for (const ResponseFrame& frame : clip->outgoing) dropped += frame.bytes;
  clip->outgoing.clear();
  AddOutgoing(clip, -dropped);
}

void ClipQueue::UsedChunk(StreamClip* clip) {
  const int64_t bytes = std::exchange(clip->chunk_bytes, 0);
  AddIncoming(-bytes);
  static_cast<void>(clip->ticket.Grow(-bytes));
}

void ClipQueue::AddIncoming(int64_t bytes) {
  incoming_bytes_ += bytes;
  parts_.memory.Add(bytes);
}

void ClipQueue::AddOutgoing(StreamClip* clip, int64_t bytes) {
  clip->outgoing_bytes += bytes;
  outgoing_bytes_ += bytes;
  parts_.memory.Add(bytes);
}

bool ClipQueue::WindowIsOpen() const {
  const ServiceLimits& limits = config().service;
  if (has_chunk() && !incoming_->is_running) return false;
  const auto clips = static_cast<int64_t>(clips_.size());
  if (incoming_ == nullptr &&
      Exceeds(clips + 1, limits.max_unfinished_clips_per_stream)) {
    return false;
  }
  if (incoming_bytes_ + outgoing_bytes_ == 0) return true;
  return !Exceeds(incoming_bytes_, limits.max_unfinished_bytes_per_stream) &&
         !parts_.memory.IsCrowded();
}

// The frames of later clips may wait for those of the first clip. So the first
// clip must not wait for theirs: that would be a deadlock.
bool ClipQueue::MustPause(const StreamClip& clip) const {
  const int64_t limit = config().service.max_unsent_bytes_per_stream;
  const bool is_first = !clips_.empty() && clips_.front().get() == &clip;
  const int64_t unsent = is_first ? clip.outgoing_bytes : outgoing_bytes_;
  return Exceeds(unsent, limit) || (unsent > 0 && parts_.memory.IsCrowded());
}

bool ClipQueue::CanRun(const StreamClip& clip) const {
  if (clip.is_running || clip.has_result) return false;
  if (clip.refused) return clip.has_ended;
  return (clip.chunk_bytes > 0 || clip.has_ended) && !MustPause(clip);
}

void ClipQueue::TakeRunnable(std::vector<ClipPtr>* runnable) {
  for (const ClipPtr& clip : clips_) {
    if (!CanRun(*clip)) continue;
    runnable->push_back(clip);
    clip->is_running = true;
  }
}

void ClipQueue::AddFrame(StreamClip* clip, ResponseFrame frame) {
  const int64_t bytes = frame.bytes;
  parts_.observer.AddBytes(0, frame.data_bytes);
  if (frame.drawn_bytes == 0) {
    clip->ticket.Count(bytes);
    frame.drawn_bytes = bytes;
  }
  clip->outgoing.push_back(std::move(frame));
  AddOutgoing(clip, bytes);
}

ClipPtr ClipQueue::PickWrite(ResponseFrame* frame, bool* more_follows) {
  for (const ClipPtr& clip : clips_) {
    if (!clip->outgoing.empty()) {
      *frame = std::move(clip->outgoing.front());
      clip->outgoing.pop_front();
      *more_follows = !clip->outgoing.empty();
      // A peer that has the result may reuse the key, and begin another clip.
      if (clip->has_result && clip->outgoing.empty()) {
        FreeKey(clip.get());
        clip->ticket.Keep(frame->drawn_bytes);
      }
      return clip;
    }
    if (ordered_) break;
  }
  return nullptr;
}

void ClipQueue::Written(const ClipPtr& clip, const ResponseFrame& frame) {
  if (clip->is_abandoned) return;
  AddOutgoing(clip.get(), -frame.bytes);
  static_cast<void>(clip->ticket.Grow(-frame.drawn_bytes));
  if (!clip->has_result || !clip->outgoing.empty()) return;
  const auto now = parts_.now();
  if (!clip->refused) {
    parts_.observer.AddStage(Stage::kWrite, now - clip->made_at);
    parts_.observer.AddStage(Stage::kTotal, now - clip->begun_at);
  }
  Remove(clip);
}

void ClipQueue::AbandonAll() {
  incoming_.reset();
  while (!clips_.empty()) {
    const ClipPtr clip = clips_.front();
    clip->is_abandoned = true;
    Remove(clip);
  }
}

void ClipQueue::Clear() {
  AddIncoming(-incoming_bytes_);
  parts_.memory.Add(-std::exchange(outgoing_bytes_, 0));
  for (const ClipPtr& clip : clips_) Release(clip.get());
  clips_.clear();
  ticket_.Release();
}

}  // namespace bvhmill::server
