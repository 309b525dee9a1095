#include "bvhmill/pipeline/internal/clip_in_memory.h"

#include <cmath>
#include <cstdint>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/clip/finite.h"
#include "bvhmill/pipeline/internal/clip_limits.h"

namespace bvhmill {
namespace {

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

// Logs the values that are not finite, as if they had been read as words.
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

}  // namespace bvhmill
