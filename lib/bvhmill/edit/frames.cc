#include <algorithm>
#include <cmath>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/edit/editing.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {
namespace {

// Rates that differ by less than this fraction count as one rate.
constexpr double kSameRate = 1e-4;
// If the frame time differs from 1 / rate by less than this fraction, the
// difference is rounding.
constexpr double kSameTime = 1e-12;
// Units of work for a node whose pose is blended.
constexpr int64_t kBlendWork = 80;

absl::Status RateUnknown(std::string_view field) {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = std::string(kFrameRateUnknown),
                        .field = std::string(field),
                        .message = "the clip states no usable frame time"});
}

// The first frame that is not before `seconds`.
int64_t FrameAt(double seconds, double rate) {
  const double place = std::ceil(seconds * rate - kFrameTolerance);
  return static_cast<int64_t>(std::min(place, static_cast<double>(kMaxFrames)));
}

// The frames that the edits ask for, with an end and a step.
absl::Status FindRange(const ClipEdits& edits, const Motion& motion,
                       FrameRange* range) {
  constexpr std::string_view kTrim = "options.edits.trim";
  *range = edits.frames;
  range->step = std::max<int64_t>(range->step, 1);
  if (edits.trim.begin_seconds > 0 || edits.trim.end_seconds > 0) {
    if (!HasRate(motion.frame_time)) return RateUnknown(kTrim);
    const double rate = StatedFrameRate(motion.frame_time);
    range->begin = FrameAt(edits.trim.begin_seconds, rate);
    range->end = FrameAt(edits.trim.end_seconds, rate);
    if (range->end > 0 && range->end <= range->begin) {
      return InvalidField(kTrim, "no frame of the clip is in this time");
    }
    if (range->begin > 0 && range->begin >= motion.frames) {
      return InvalidField(
          kTrim, "begins at " + Short(edits.trim.begin_seconds) +
                     " s, but the last frame of the clip is at " +
                     Short(static_cast<double>(motion.frames - 1) / rate) +
                     " s");
    }
  }
  const bool has_end = range->end != 0 && range->end < motion.frames;
  if (!has_end) range->end = motion.frames;
  if (range->begin == 0 || range->begin < motion.frames) {
    return absl::OkStatus();
  }
  return InvalidField("options.edits.frames",
                      "begins at " + std::to_string(range->begin) +
                          ", but the clip has " +
                          std::to_string(motion.frames) + " frames");
}

absl::Status SelectFrames(const FrameRange& range, Editing* editing) {
  const MotionSize size = editing->size();
  editing->clip->motion.frame_time *= static_cast<double>(range.step);
  const int64_t frames = range.end <= range.begin
                             ? 0
                             : (range.end - range.begin - 1) / range.step + 1;
  if (frames == size.frames) return absl::OkStatus();
  const auto width = static_cast<size_t>(size.columns);
  BVHMILL_RETURN_IF_ERROR(ReserveRows({frames, size.columns}, editing));
  BVHMILL_RETURN_IF_ERROR(EachFrame(
      frames, kValueWork * size.columns, editing->budget, [&](int64_t frame) {
        const auto row =
            RowAt(*editing->clip, range.begin + frame * range.step);
        std::copy_n(
            row.begin(), width,
            editing->spare->data() + static_cast<size_t>(frame) * width);
      }));
  AcceptRows(frames, editing->skeleton(), editing);
  return absl::OkStatus();
}

absl::Status Resample(const Resampling& rate, Interpolation interpolation,
                      Editing* editing) {
  const Skeleton& skeleton = editing->skeleton();
  const MotionSize size = editing->size();
  const int64_t frames =
      ResampledFrames(rate, size.frames, kMaxFrames).value_or(kMaxFrames);
  const auto width = static_cast<size_t>(size.columns);
  BVHMILL_RETURN_IF_ERROR(ReserveRows({frames, size.columns}, editing));
  BVHMILL_RETURN_IF_ERROR(EachFrame(
      frames, kBlendWork * static_cast<int64_t>(skeleton.nodes.size()),
      editing->budget, [&](int64_t frame) {
        SamplePose(skeleton, editing->clip->motion.values, size.frames,
                   PlaceOfFrame(rate, frame), interpolation,
                   std::span<float>(*editing->spare)
                       .subspan(static_cast<size_t>(frame) * width, width));
      }));
  AcceptRows(frames, skeleton, editing);
  return absl::OkStatus();
}

}  // namespace

absl::Status EditFrames(const ClipEdits& edits, Editing* editing) {
  Motion& motion = editing->clip->motion;
  FrameRange range;
  if (edits.fps != 0 && !HasRate(motion.frame_time)) {
    return RateUnknown(kResampleField);
  }
  BVHMILL_RETURN_IF_ERROR(FindRange(edits, motion, &range));
  const double stated = edits.fps == 0 ? 0 : StatedFrameRate(motion.frame_time);
  BVHMILL_RETURN_IF_ERROR(SelectFrames(range, editing));
  if (edits.state_fps > 0) {
    motion.frame_time = 1 / WrittenFrameRate(edits.state_fps);
  }
  if (edits.fps == 0) return absl::OkStatus();
  const double from = stated / static_cast<double>(range.step);
  const double to = WrittenFrameRate(edits.fps);
  const bool is_exact =
      std::abs(edits.fps * motion.frame_time - 1) <= kSameTime;
  if (!is_exact) motion.frame_time = 1 / to;
  if (std::abs(to / from - 1) < kSameRate) return absl::OkStatus();
  return Resample(ResamplingOf(from, to), edits.interpolation, editing);
}

}  // namespace bvhmill
