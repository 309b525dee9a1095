// The rows of an .anim of Second Life, which is read as a whole: a clip on the
// skeleton of the avatar.

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
#include "bvhmill/pipeline/internal/source_reader.h"

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

// Gathers the bytes of a clip.
class AnimReader final : public PieceReader {
 public:
  AnimReader(const ReadOptions& options, IssueLog* log, ParsedClip* clip)
      : options_(options), log_(*log), clip_(*clip) {
    MakeEmpty(clip);
  }

  bool Push(std::string_view piece) override;
  void Finish() override;

 private:
  bool Reserve(size_t size);

  const ReadOptions options_;
  IssueLog& log_;
  ParsedClip& clip_;
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

void AnimReader::Finish() {
  if (is_too_large_) {
    Location location;
    location.byte_offset = 0;
    log_.Add(IssueCode::LIMIT_CLIP_BYTES, location,
             {{"limit", std::to_string(options_.limits.max_clip_bytes)}});
  }
  if (is_too_large_ || is_refused_) return;
  ReadAnimInto(bytes_, options_, &log_, &clip_);
  bytes_ = {};
  ReturnTo(options_.budget, std::exchange(held_, 0));
}

}  // namespace

// If the budget refuses, nothing is read; its failure says why.
void ReadAnimInto(std::string_view bytes, const ReadOptions& options,
                  IssueLog* log, ParsedClip* clip) {
  MakeEmpty(clip);
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t held = kCopies * size + kFixedBytes;
  const bool is_too_large = Exceeds(size, options.limits.max_clip_bytes);
  if (!is_too_large && !HoldFrom(options.budget, held).ok()) return;
  AnimReadOptions how;
  how.limits = options.limits;
  const AnimReadResult read = ReadAnim(bytes, how, log);
  // The log says why a longer animation is refused.
  if (read.read && read.motion.duration <= kMaxAnimSeconds) {
    // A failure is one of the budget, which keeps it.
    static_cast<void>(MakeClip(read.motion, options, log, clip));
  }
  if (!is_too_large) ReturnTo(options.budget, held);
}

std::unique_ptr<PieceReader> MakeAnimReader(const ReadOptions& options,
                                            IssueLog* log, ParsedClip* clip) {
  return std::make_unique<AnimReader>(options, log, clip);
}

}  // namespace bvhmill
