// DATA_GIMBAL_NEAR: the first and the last Euler angle of a joint turn far more
// than the joint does, in frames whose middle angle is within
// DATA_GIMBAL_NEAR.degrees of gimbal lock (90 degrees). The excess over all
// such steps is DATA_GIMBAL_NEAR.excess or more. Only for three different axes.

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/math/motion_steps.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

constexpr double kTurn = 360;
constexpr double kRightAngle = 90;

// Sums over the steps of a track near gimbal lock, in degrees.
struct NearLock {
  int32_t track = 0;
  // The larger change of the two outer angles: its part above twice the step of
  // the joint (`excess`), and all of it (`outer`). Then the steps.
  double excess = 0;
  double outer = 0;
  double steps = 0;
  int64_t count = 0;
  int64_t first = 0;
  int64_t last = 0;
  // The place of the largest excess.
  int64_t frame = 0;
  double most = -1;

  // Adds the steps of later frames.
  void Add(const NearLock& later);
};

void NearLock::Add(const NearLock& later) {
  excess += later.excess;
  outer += later.outer;
  steps += later.steps;
  if (count == 0) first = later.first;
  count += later.count;
  last = later.last;
  if (later.most <= most) return;
  most = later.most;
  frame = later.frame;
}

// |remainder(angle, period)|; fast for small angles.
double Remainder(double angle, double period) {
  const double size = std::abs(angle);
  return size <= period / 2 ? size : std::abs(std::remainder(angle, period));
}

// The difference of two angles without full turns.
double Wrapped(double a, double b) { return Remainder(a - b, kTurn); }

class GimbalRule final : public MotionRule {
 public:
  explicit GimbalRule(const MotionClip& clip)
      : MotionRule(clip), near_(clip[Threshold::DATA_GIMBAL_NEAR_degrees]) {}
  void Look(const MotionBlock& block) override;
  void Append(const MotionRule& later) override {
    AppendFound(static_cast<const GimbalRule&>(later).found_, &found_);
  }
  int64_t Bytes() const override { return BytesOf(found_); }
  void Decide(IssueLog* log) override;

 private:
  bool HasLock(const MotionTrack& track) const;
  // True near gimbal lock, where both outer axes are the same line.
  bool IsNear(double middle) const {
    return kRightAngle - Remainder(middle, kTurn / 2) < near_;
  }
  bool MayBeNear(const MotionBlock& block, int32_t column) const;
  NearLock NearLockIn(const MotionBlock& block) const;

  double near_ = 0;
  // One for each block in which a track is near gimbal lock.
  std::vector<NearLock> found_;
};

bool GimbalRule::HasLock(const MotionTrack& track) const {
  const auto columns = clip_.ColumnsOf(track);
  return columns.size() == 3 && columns[0].axis != columns[1].axis &&
         columns[1].axis != columns[2].axis &&
         columns[0].axis != columns[2].axis;
}

bool GimbalRule::MayBeNear(const MotionBlock& block, int32_t column) const {
  // The rounding of LargestRemainder.
  constexpr double kSlack = 1e-3;
  const float largest = block.ranges[static_cast<size_t>(column)].largest;
  if (double{largest} < kRightAngle - near_) return false;
  const size_t end = StepEnd(static_cast<size_t>(block.frames));
  const float share = LargestRemainder(block.ValuesOf(column), end, kTurn / 2);
  return 0.5 - double{share} < near_ / (kTurn / 2) + kSlack;
}

// Skips the first and the last step, which may be no part of the motion.
NearLock GimbalRule::NearLockIn(const MotionBlock& block) const {
  const auto columns = clip_.ColumnsOf(clip_.tracks[block.track]);
  const float* const outer[] = {block.ValuesOf(columns[0].column),
                                block.ValuesOf(columns[2].column)};
  const float* middle = block.ValuesOf(columns[1].column);
  NearLock near;
  near.track = static_cast<int32_t>(block.track);
  const int64_t end = std::min(block.end(), clip_.frames - 1);
  for (int64_t t = std::max<int64_t>(block.first, 2); t < end; ++t) {
    const size_t i = block.IndexOf(t);
    if (!IsNear(middle[i]) || !IsNear(middle[i - 1])) continue;
    const double change = std::max(Wrapped(outer[0][i], outer[0][i - 1]),
                                   Wrapped(outer[1][i], outer[1][i - 1]));
    const double step = StepDegrees(block.steps[i]);
    const double excess = std::max(change - 2 * step, 0.0);
    near.Add({0, excess, change, step, 1, t, t, t, excess});
  }
  return near;
}

void GimbalRule::Look(const MotionBlock& block) {
  if (block.track >= clip_.rotations || block.sums.max_step == 0) return;
  const MotionTrack& which = clip_.tracks[block.track];
  if (!HasLock(which)) return;
  if (!MayBeNear(block, clip_.ColumnsOf(which)[1].column)) return;
  const NearLock near = NearLockIn(block);
  if (near.count > 0) found_.push_back(near);
}

void GimbalRule::Decide(IssueLog* log) {
  ForEachTrack(&found_, [&](size_t track, std::span<const NearLock> blocks) {
    NearLock near;
    for (const NearLock& block : blocks) near.Add(block);
    if (near.excess < clip_[Threshold::DATA_GIMBAL_NEAR_excess] ||
        near.outer < clip_[Threshold::DATA_GIMBAL_NEAR_ratio] * near.steps) {
      return;
    }
    const int32_t node = clip_.tracks[track].node;
    log->Add(IssueCode::DATA_GIMBAL_NEAR,
             MotionLocation(clip_, node, near.frame),
             {{"joint", QuotedNode(clip_, node)},
              {"degrees", Short(near.excess)},
              {"frames", std::to_string(near.count)},
              {"first", std::to_string(near.first)},
              {"last", std::to_string(near.last)}},
             near.count);
  });
}

}  // namespace

std::unique_ptr<MotionRule> MakeGimbalRule(const MotionClip& clip) {
  return std::make_unique<GimbalRule>(clip);
}

}  // namespace bvhmill
