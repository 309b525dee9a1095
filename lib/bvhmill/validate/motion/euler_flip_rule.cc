// DATA_EULER_FLIP: from one frame to the next a channel of a joint changes by
// more than half a turn, or two channels by more than DATA_EULER_FLIP.degrees,
// while the joint turns by less than a quarter of the change. All joints
// together are one issue.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// A joint that turns by this share of the change of an angle, or more, follows
// the angle.
constexpr double kFollows = 0.25;
constexpr double kHalfTurn = 180;

// A step in which an angle jumps.
struct Flip {
  int32_t track = 0;
  int64_t frame = 0;
  // The angle changes by more than half a turn.
  bool is_wrap = false;
};

using Changes = std::array<float, kStepStride + kStepParts>;

// For each index of a block, the largest change of a column since the frame
// before.
Changes ChangesOf(const MotionBlock& block,
                  std::span<const TrackColumn> columns) {
  Changes changes = {};
  const size_t end = kStepLead + static_cast<size_t>(block.frames);
  for (const TrackColumn& column : columns) {
    const float* const v = block.ValuesOf(column.column);
    for (size_t i = kStepLead; i < end; ++i) {
      const float change = std::abs(v[i] - v[i - 1]);
      changes[i] = changes[i] < change ? change : changes[i];
    }
  }
  return changes;
}

class EulerFlipRule final : public MotionRule {
 public:
  explicit EulerFlipRule(const MotionClip& clip);
  void Look(const MotionBlock& block) override;
  void Append(const MotionRule& later) override {
    AppendFound(static_cast<const EulerFlipRule&>(later).found_, &found_);
  }
  int64_t Bytes() const override { return BytesOf(found_); }
  void Decide(IssueLog* log) override;

 private:
  // A step without a larger change of an angle is no flip.
  float least_change_ = 0;
  std::vector<Flip> found_;
};

EulerFlipRule::EulerFlipRule(const MotionClip& clip) : MotionRule(clip) {
  // Leaves room for the rounding of differences.
  constexpr double kLess = 0.9999;
  least_change_ = static_cast<float>(
      kLess * std::min(clip[Threshold::DATA_EULER_FLIP_degrees], kHalfTurn));
}

void EulerFlipRule::Look(const MotionBlock& block) {
  const size_t track = block.track;
  if (track >= clip_.rotations || block.change <= least_change_) return;
  const auto columns = clip_.ColumnsOf(clip_.tracks[track]);
  const double flip = clip_[Threshold::DATA_EULER_FLIP_degrees];
  const Changes changes = ChangesOf(block, columns);
  for (int64_t t = std::max<int64_t>(block.first, 1); t < block.end(); ++t) {
    const size_t i = block.IndexOf(t);
    if (changes[i] <= least_change_) continue;
    double most = 0;
    int large = 0;
    for (const TrackColumn& column : columns) {
      const float* v = block.ValuesOf(column.column) + i;
      const double change = std::abs(double{v[0]} - double{v[-1]});
      most = std::max(most, change);
      large += change > flip ? 1 : 0;
    }
    const bool is_wrap = most > kHalfTurn;
    if (!is_wrap && large < 2) continue;
    if (StepDegrees(block.steps[i]) >= kFollows * most) continue;
    found_.push_back({static_cast<int32_t>(track), t, is_wrap});
  }
}

// Ignores the steps from and to frames that stand apart.
void EulerFlipRule::Decide(IssueLog* log) {
  const MotionFacts& facts = *clip_.facts;
  std::erase_if(found_, [&](const Flip& flip) {
    return flip.frame <= facts.first_frame() || flip.frame > facts.last_frame();
  });
  if (found_.empty()) return;
  Flip first = found_.front();
  int64_t last = 0;
  int64_t wraps = 0;
  std::vector<bool> has_flip(clip_.rotations);
  for (const Flip& flip : found_) {
    if (flip.frame < first.frame) first = flip;
    last = std::max(last, flip.frame);
    wraps += flip.is_wrap ? 1 : 0;
    has_flip[static_cast<size_t>(flip.track)] = true;
  }
  const auto all = static_cast<int64_t>(found_.size());
  const auto joints = std::count(has_flip.begin(), has_flip.end(), true);
  const int32_t node = clip_.tracks[static_cast<size_t>(first.track)].node;
  log->AddAs(wraps < all ? Severity::kHint : Severity::kInfo,
             IssueCode::DATA_EULER_FLIP,
             MotionLocation(clip_, node, first.frame),
             {{"joint", QuotedNode(clip_, node)},
              {"joints", std::to_string(joints)},
              {"wraps", std::to_string(wraps)},
              {"flips", std::to_string(all - wraps)},
              {"first", std::to_string(first.frame)},
              {"last", std::to_string(last)}},
             all);
}

}  // namespace

std::unique_ptr<MotionRule> MakeEulerFlipRule(const MotionClip& clip) {
  return std::make_unique<EulerFlipRule>(clip);
}

}  // namespace bvhmill
