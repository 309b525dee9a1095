#include "bvhmill/pipeline/internal/sources.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/clip/clip.h"

namespace bvhmill {
namespace {

int64_t DepthOf(const Skeleton& skeleton) {
  std::vector<int64_t> depths;
  int64_t most = 0;
  for (const Node& node : skeleton.nodes) {
    const int64_t above =
        node.parent < 0 ? 0 : depths[static_cast<size_t>(node.parent)];
    depths.push_back(above + (IsEndSite(node) ? 0 : 1));
    most = std::max(most, depths.back());
  }
  return most;
}

// Logs the first limit that a clip with `skeleton` and `frames` exceeds. False
// if there is one. O(nodes).
bool CheckClipLimits(const Skeleton& skeleton, int64_t frames,
                     const Limits& limits, IssueLog* log) {
  const struct {
    int64_t value;
    int64_t limit;
    IssueCode code;
  } checks[] = {
      {static_cast<int64_t>(skeleton.nodes.size()), limits.max_joints,
       IssueCode::LIMIT_JOINTS},
      {DepthOf(skeleton), limits.max_depth, IssueCode::LIMIT_DEPTH},
      {static_cast<int64_t>(skeleton.channels.size()), limits.max_channels,
       IssueCode::LIMIT_CHANNELS},
      {frames, limits.max_frames, IssueCode::LIMIT_FRAMES},
  };
  for (const auto& check : checks) {
    if (!Exceeds(check.value, check.limit)) continue;
    log->Add(check.code, {}, {{"limit", std::to_string(check.limit)}});
    return false;
  }
  return true;
}

Location LocationOf(const Skeleton& skeleton, int64_t frame, int64_t column) {
  Location location;
  const int32_t node = NodeOfColumn(skeleton, column);
  location.joint = node;
  location.joint_name = DisplayName(skeleton, node);
  location.frame = frame;
  location.channel = static_cast<int32_t>(
      column - skeleton.nodes[static_cast<size_t>(node)].first_channel);
  return location;
}

// Logs values that are not finite, with the words that a file would have.
void LogNonFinite(const ClipRows& clip, IssueLog* log) {
  log->SetValues(static_cast<int64_t>(clip.values.size()));
  if (AreFinite(clip.values)) return;
  const Skeleton& skeleton = clip.skeleton->skeleton;
  const size_t width = skeleton.channels.size();
  for (size_t i = 0; i < clip.values.size(); ++i) {
    const float value = clip.values[i];
    if (std::isfinite(value)) continue;
    const auto column = static_cast<int64_t>(i % width);
    constexpr IssueCode kCode = IssueCode::DATA_NOT_FINITE;
    if (log->Repeat(kCode, NodeOfColumn(skeleton, column))) continue;
    const char* word = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    log->Add(kCode,
             LocationOf(skeleton, static_cast<int64_t>(i / width), column),
             {{"word", Quote(word)}});
  }
}

}  // namespace

absl::Status CheckRows(const ClipRows& clip) {
  if (clip.skeleton == nullptr) return InvalidField("skeleton", "is missing");
  if (clip.frames < 0) return InvalidField("frames", "is negative");
  const size_t width = clip.skeleton->skeleton.channels.size();
  const size_t rows = width == 0 ? 0 : clip.values.size() / width;
  const bool fits = width == 0 ? clip.values.empty()
                               : static_cast<size_t>(clip.frames) == rows &&
                                     clip.values.size() % width == 0;
  return fits ? absl::OkStatus() : InvalidField("values", "has the wrong size");
}

void CopyClip(const ClipRows& clip, const ReadOptions& options, IssueLog* log,
              ParsedClip* read) {
  const auto bytes = static_cast<int64_t>(clip.values.size_bytes());
  if (!CheckClipLimits(clip.skeleton->skeleton, clip.frames, options.limits,
                       log) ||
      !HoldFrom(options.budget, bytes).ok()) {
    return;
  }
  read->source = clip.skeleton;
  read->motion.frames = clip.frames;
  read->motion.frame_time = clip.frame_time;
  read->motion.values.assign(clip.values.begin(), clip.values.end());
  read->skeleton_read = read->motion_read = true;
  LogNonFinite(clip, log);
}

namespace {

// Upper bound of the memory to read an .anim, without the rows: kCopies times
// the bytes of the file, plus kFixedBytes. The reader keeps three lists: the
// keys, their sorted copy, and their times. Each has at most twice the bytes of
// the file. kFixedBytes are for joints, constraints and the avatar.
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
  // In text, a NaN has no sign.
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

// False if the budget refuses. Both blocks count while the bytes move.
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

// Reads nothing if the budget refuses; its failure states why.
void AnimReader::Read() {
  const int64_t held =
      kCopies * static_cast<int64_t>(bytes_.size()) + kFixedBytes;
  if (!HoldFrom(options_.budget, held).ok()) return;
  AnimReadOptions how;
  how.limits = options_.limits;
  const AnimReadResult read = ReadAnim(bytes_, how, &log_);
  // ReadAnim has logged an error if the animation is longer.
  if (read.read && read.motion.duration <= kMaxAnimSeconds) {
    // A failure is one of the budget, which keeps it.
    static_cast<void>(MakeClip(read.motion, options_, &log_, &clip_));
  }
  ReturnTo(options_.budget, held);
}

}  // namespace bvhmill
