// The rows of an .anim of Second Life, which is read as a whole: a clip on the
// skeleton of the avatar.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/anim_clip_maker.h"
#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/anim/format/anim_reader.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/internal/clip_limits.h"
#include "bvhmill/pipeline/internal/rows/held_rows.h"
#include "bvhmill/pipeline/internal/source_reader.h"
#include "bvhmill/pipeline/internal/stopwatch.h"

namespace bvhmill {
namespace {

// Upper bound of the memory for reading a file, without the rows: kCopies times
// the bytes of the file, plus kFixedBytes. The reader keeps three lists: the
// keys, their sorted copy, and their times. Each takes at most twice the bytes
// of the file. kFixedBytes are for joints, constraints and the avatar.
constexpr int64_t kCopies = 6;
constexpr int64_t kFixedBytes = int64_t{128} << 10;

// A clip that was read.
struct AnimClip {
  StreamResult read;
  // Set if the skeleton was read.
  ClipHeader header;
};

absl::Status MakeRows(const AnimMotion& motion, const ReadOptions& options,
                      IssueLog* log, Motion* rows, AnimClip* out) {
  AnimToClipOptions how;
  how.reference_frame = false;
  AnimClipMaker maker(motion, how);
  Clip clip;
  BVHMILL_RETURN_IF_ERROR(maker.MakeHeader(options.budget, log, &clip));
  if (!CheckClipLimits(clip.skeleton, clip.motion.frames, options.limits, log))
    return absl::OkStatus();
  const size_t values =
      static_cast<size_t>(clip.motion.frames) * clip.skeleton.channels.size();
  BVHMILL_RETURN_IF_ERROR(HoldFrom(options.budget, HeldRows::BytesOf(values)));
  clip.motion.values.swap(rows->values);
  BVHMILL_RETURN_IF_ERROR(maker.MakeRows(options.budget, &clip));
  *rows = std::move(clip.motion);
  // As if the clip were read from text, where a NaN has no sign.
  for (float& value : rows->values) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  }
  const auto source = std::make_shared<SourceSkeleton>();
  source->skeleton = std::move(clip.skeleton);
  out->header = {source, rows->frame_time, rows->frames};
  out->read = {/*skeleton_read=*/true, /*motion_read=*/true, rows->frames};
  return absl::OkStatus();
}

// Reads the clip in `bytes`, and its rows into `rows`, whose memory is used
// again. If the budget refuses, nothing is read; its failure says why.
AnimClip ReadAnimClip(std::string_view bytes, const ReadOptions& options,
                      IssueLog* log, Motion* rows) {
  AnimClip clip;
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t held = kCopies * size + kFixedBytes;
  const bool is_too_large = Exceeds(size, options.limits.max_clip_bytes);
  if (!is_too_large && !HoldFrom(options.budget, held).ok()) return clip;
  AnimReadOptions how;
  how.limits = options.limits;
  const AnimReadResult read = ReadAnim(bytes, how, log);
  // The log says why a longer animation is refused.
  if (read.read && read.motion.duration <= kMaxAnimSeconds) {
    const absl::Status made = MakeRows(read.motion, options, log, rows, &clip);
    if (!made.ok()) clip.read = {};
  }
  if (!is_too_large) ReturnTo(options.budget, held);
  return clip;
}

// Gathers the bytes of a clip.
class AnimReader final : public PieceReader {
 public:
  AnimReader(const ReadOptions& options, IssueLog* log, ClipReceiver* receiver)
      : options_(options), log_(*log), receiver_(*receiver) {}

  bool Push(std::string_view piece) override;
  StreamResult Finish() override;

 private:
  bool Reserve(size_t size);
  void PassOn(const Motion& rows, AnimClip* clip);

  const ReadOptions options_;
  IssueLog& log_;
  ClipReceiver& receiver_;
  std::string bytes_;
  // Bytes that are drawn from the budget.
  int64_t held_ = 0;
  // The clip has too many bytes, or the budget has no memory for them.
  bool is_too_large_ = false;
  bool is_refused_ = false;
};

bool AnimReader::Push(std::string_view piece) {
  const size_t size = bytes_.size() + piece.size();
  is_too_large_ |=
      Exceeds(static_cast<int64_t>(size), options_.limits.max_clip_bytes);
  if (is_too_large_) return false;
  is_refused_ |= !Reserve(size);
  if (!is_refused_) bytes_ += piece;
  return !is_refused_;
}

// False if the budget refuses. While the bytes move, both blocks count.
bool AnimReader::Reserve(size_t size) {
  if (size <= bytes_.capacity()) return true;
  const size_t capacity = std::max(size, 2 * bytes_.capacity());
  const auto more = static_cast<int64_t>(capacity);
  if (!HoldFrom(options_.budget, more).ok()) return false;
  bytes_.reserve(capacity);
  ReturnTo(options_.budget, std::exchange(held_, more));
  return true;
}

StreamResult AnimReader::Finish() {
  if (is_too_large_) {
    Location location;
    location.byte_offset = 0;
    log_.Add(IssueCode::LIMIT_CLIP_BYTES, location,
             {{"limit", std::to_string(options_.limits.max_clip_bytes)}});
  }
  if (is_too_large_ || is_refused_) return {};
  Motion rows;
  AnimClip clip = ReadAnimClip(bytes_, options_, &log_, &rows);
  bytes_ = {};
  ReturnTo(options_.budget, std::exchange(held_, 0));
  if (clip.read.skeleton_read) PassOn(rows, &clip);
  ReturnTo(options_.budget, HeldRows::BytesOf(rows.values.size()));
  return clip.read;
}

void AnimReader::PassOn(const Motion& rows, AnimClip* clip) {
  const int64_t width = clip->header.width();
  const int64_t tile = std::max<int64_t>(kTileValues / width, 1);
  const std::span<const float> values = rows.values;
  bool goes_on = receiver_.OnHeader(clip->header);
  for (int64_t first = 0; goes_on && first < rows.frames; first += tile) {
    const int64_t frames = std::min(tile, rows.frames - first);
    goes_on =
        receiver_.OnFrames(first, frames,
                           values.subspan(static_cast<size_t>(first * width),
                                          static_cast<size_t>(frames * width)));
  }
  clip->read.motion_read = goes_on;
}

}  // namespace

void ConvertAnim(std::string_view bytes, const WholeConversion& conversion) {
  AnimClip clip;
  {
    const StageTimer timer(&conversion.result->times.read);
    clip = ReadAnimClip(bytes, conversion.pipeline->HowToRead(),
                        conversion.pipeline->log(),
                        &conversion.workspace->read.motion);
  }
  ConvertRows(clip.read.skeleton_read ? &clip.header : nullptr, clip.read,
              conversion);
}

std::unique_ptr<PieceReader> MakeAnimReader(const ReadOptions& options,
                                            IssueLog* log,
                                            ClipReceiver* receiver) {
  return std::make_unique<AnimReader>(options, log, receiver);
}

}  // namespace bvhmill
