#include "bvhmill/pipeline/internal/anim_source.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/anim_clip_maker.h"
#include "bvhmill/anim/format/anim_format.h"
#include "bvhmill/anim/format/anim_reader.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/internal/clip_limits.h"

namespace bvhmill {
namespace {

// Upper bound of the memory for reading a file, without the rows: kCopies times
// the bytes of the file, plus kFixedBytes. The reader keeps three lists: the
// keys, their sorted copy, and their times. Each takes at most twice the bytes
// of the file. kFixedBytes are for joints, constraints and the avatar.
constexpr int64_t kCopies = 6;
constexpr int64_t kFixedBytes = int64_t{128} << 10;

absl::Status MakeClip(const AnimMotion& motion, const ReadOptions& options,
                      IssueLog* log, ParsedClip* out) {
  AnimToClipOptions how;
  how.reference_frame = false;
  AnimClipMaker maker(motion, how);
  Clip clip;
  BVHMILL_RETURN_IF_ERROR(maker.MakeHeader(options.budget, log, &clip));
  if (!CheckClipLimits(clip.skeleton, clip.motion.frames, options.limits, log))
    return absl::OkStatus();
  const int64_t values =
      clip.motion.frames * static_cast<int64_t>(clip.skeleton.channels.size());
  BVHMILL_RETURN_IF_ERROR(
      HoldFrom(options.budget, values * static_cast<int64_t>(sizeof(float))));
  clip.motion.values.swap(out->motion.values);
  BVHMILL_RETURN_IF_ERROR(maker.MakeRows(options.budget, &clip));
  // As if the clip were read from text, where a NaN has no sign.
  for (float& value : clip.motion.values) {
    if (std::isnan(value)) value = std::numeric_limits<float>::quiet_NaN();
  }
  out->motion = std::move(clip.motion);
  const auto source = std::make_shared<SourceSkeleton>();
  source->skeleton = std::move(clip.skeleton);
  out->source = source;
  out->skeleton_read = out->motion_read = true;
  return absl::OkStatus();
}

}  // namespace

AnimReader::AnimReader(const ReadOptions& options, IssueLog* log,
                       ParsedClip* clip)
    : options_(options), log_(*log), clip_(*clip) {
  MakeEmpty(clip);
}

bool AnimReader::Add(std::string_view bytes) {
  const size_t size = bytes_.size() + bytes.size();
  is_too_large_ |=
      Exceeds(static_cast<int64_t>(size), options_.limits.max_clip_bytes);
  if (is_too_large_) return false;
  is_refused_ |= !Reserve(size);
  if (!is_refused_) bytes_ += bytes;
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

void AnimReader::Finish() {
  if (is_too_large_) {
    Location location;
    location.byte_offset = 0;
    log_.Add(IssueCode::LIMIT_CLIP_BYTES, location,
             {{"limit", std::to_string(options_.limits.max_clip_bytes)}});
  }
  if (!is_too_large_ && !is_refused_) Read();
  bytes_ = {};
  ReturnTo(options_.budget, std::exchange(held_, 0));
}

// If the budget refuses, nothing is read; its failure says why.
void AnimReader::Read() {
  const int64_t held =
      kCopies * static_cast<int64_t>(bytes_.size()) + kFixedBytes;
  if (!HoldFrom(options_.budget, held).ok()) return;
  AnimReadOptions how;
  how.limits = options_.limits;
  const AnimReadResult read = ReadAnim(bytes_, how, &log_);
  // The log says why a longer animation is refused.
  if (read.read && read.motion.duration <= kMaxAnimSeconds) {
    // A failure is one of the budget, which keeps it.
    static_cast<void>(MakeClip(read.motion, options_, &log_, &clip_));
  }
  ReturnTo(options_.budget, held);
}

}  // namespace bvhmill
