// Joints whose outer Euler angles swing near gimbal lock.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/math/motion_columns.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

constexpr double kTurn = 360;
constexpr double kRightAngle = 90;

// Sums over steps near gimbal lock, in degrees.
struct Swing {
  // The part of the outer angles' change above twice the step, the change
  // itself, and the steps.
  double excess = 0;
  double outer = 0;
  double steps = 0;
  int64_t count = 0;
  int64_t first = 0;
  int64_t last = 0;
  // The place of the largest excess.
  int64_t frame = 0;
  double most = -1;
};

// |remainder(angle, period)|, quick for the small angles that most are.
double Remainder(double angle, double period) {
  const double size = std::abs(angle);
  return size <= period / 2 ? size : std::abs(std::remainder(angle, period));
}

// The difference of two angles without full turns.
double Wrapped(double a, double b) { return Remainder(a - b, kTurn); }

class GimbalRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  bool HasLock(const MotionTrack& track) const;
  // The angle is near one at which the outer axes are the same line.
  bool IsNear(double middle) const {
    return kRightAngle - Remainder(middle, kTurn / 2) < near_;
  }
  bool MayBeNear(const MotionBlock& block, int32_t column) const;
  void Walk(const MotionBlock& block, size_t track);

  const MotionClip* clip_ = nullptr;
  double near_ = 0;
  std::vector<Swing> swings_;
};

void GimbalRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  near_ = clip[Threshold::DATA_GIMBAL_NEAR_degrees];
  swings_.assign(clip.rotations, {});
}

bool GimbalRule::HasLock(const MotionTrack& track) const {
  const auto columns = clip_->ColumnsOf(track);
  return columns.size() == 3 && columns[0].axis != columns[1].axis &&
         columns[1].axis != columns[2].axis &&
         columns[0].axis != columns[2].axis;
}

bool GimbalRule::MayBeNear(const MotionBlock& block, int32_t column) const {
  // Rounding of the search.
  constexpr double kSlack = 1e-3;
  const float largest = block.ranges[static_cast<size_t>(column)].largest;
  if (double{largest} < kRightAngle - near_) return false;
  const size_t end = StepEnd(static_cast<size_t>(block.frames));
  const float share = LargestRemainder(block.ValuesOf(column), end, kTurn / 2);
  return 0.5 - double{share} < near_ / (kTurn / 2) + kSlack;
}

// The first and the last step are left out: they may be no part of the motion.
void GimbalRule::Walk(const MotionBlock& block, size_t track) {
  const auto columns = clip_->ColumnsOf(clip_->tracks[track]);
  const float* steps = block.StepsOf(track);
  const float* const outer[] = {block.ValuesOf(columns[0].column),
                                block.ValuesOf(columns[2].column)};
  const float* middle = block.ValuesOf(columns[1].column);
  Swing& swing = swings_[track];
  const int64_t end = block.is_last ? block.end() - 1 : block.end();
  for (int64_t t = std::max<int64_t>(block.first, 2); t < end; ++t) {
    const size_t i = block.IndexOf(t);
    if (!IsNear(middle[i]) || !IsNear(middle[i - 1])) continue;
    const double change = std::max(Wrapped(outer[0][i], outer[0][i - 1]),
                                   Wrapped(outer[1][i], outer[1][i - 1]));
    const double step = StepDegrees(steps[i]);
    const double excess = std::max(change - 2 * step, 0.0);
    swing.excess += excess;
    swing.outer += change;
    swing.steps += step;
    if (swing.count++ == 0) swing.first = t;
    swing.last = t;
    if (excess <= swing.most) continue;
    swing.most = excess;
    swing.frame = t;
  }
}

void GimbalRule::Add(const MotionBlock& block) {
  for (size_t track = 0; track < swings_.size(); ++track) {
    const MotionTrack& which = clip_->tracks[track];
    if (block.max_steps[track] == 0 || !HasLock(which)) continue;
    if (MayBeNear(block, clip_->ColumnsOf(which)[1].column)) {
      Walk(block, track);
    }
  }
}

void GimbalRule::Finish(IssueLog* log) {
  const MotionClip& clip = *clip_;
  for (size_t track = 0; track < swings_.size(); ++track) {
    const Swing& swing = swings_[track];
    if (swing.count == 0 ||
        swing.excess < clip[Threshold::DATA_GIMBAL_NEAR_excess] ||
        swing.outer < clip[Threshold::DATA_GIMBAL_NEAR_ratio] * swing.steps) {
      continue;
    }
    const int32_t node = clip.tracks[track].node;
    log->Add(IssueCode::DATA_GIMBAL_NEAR,
             MotionLocation(clip, node, swing.frame),
             {{"joint", QuotedNode(clip, node)},
              {"degrees", Short(swing.excess)},
              {"frames", std::to_string(swing.count)},
              {"first", std::to_string(swing.first)},
              {"last", std::to_string(swing.last)}},
             swing.count);
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeGimbalRule() {
  return std::make_unique<GimbalRule>();
}

}  // namespace bvhmill
