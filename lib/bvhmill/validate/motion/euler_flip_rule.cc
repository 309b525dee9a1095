// Euler angles that jump where the rotation does not.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// A joint that turns by this share of the change of an angle or more follows
// it.
constexpr double kFollows = 0.25;
constexpr double kHalfTurn = 180;

// The first step, the last one, and all between.
enum Part { kFirst, kMiddle, kLast, kParts };

struct Counts {
  int64_t wraps = 0;
  int64_t flips = 0;
  int64_t joints = 0;
  int64_t frame = -1;
  int64_t last_frame = -1;
  int32_t node = 0;
};

using Changes = std::array<float, kStepStride>;

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
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void Walk(const MotionBlock& block, size_t track);
  void Count(bool is_wrap, int64_t frame, Part part, size_t track);
  Counts Total() const;

  const MotionClip* clip_ = nullptr;
  // A step with no larger change of an angle is neither.
  float least_change_ = 0;
  // Parts of the clip, as bits, in which a joint has such a step.
  std::vector<uint8_t> seen_;
  std::array<Counts, kParts> counts_;
};

void EulerFlipRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  // Leaves room for the rounding of differences.
  constexpr double kLess = 0.9999;
  least_change_ = static_cast<float>(
      kLess * std::min(clip[Threshold::DATA_EULER_FLIP_degrees], kHalfTurn));
  seen_.assign(clip.rotations, 0);
  counts_ = {};
}

void EulerFlipRule::Count(bool is_wrap, int64_t frame, Part part,
                          size_t track) {
  Counts& counts = counts_[part];
  ++(is_wrap ? counts.wraps : counts.flips);
  // Tracks come one after the other, block by block.
  if (counts.frame < 0 || frame < counts.frame) {
    counts.frame = frame;
    counts.node = clip_->tracks[track].node;
  }
  counts.last_frame = std::max(counts.last_frame, frame);
  seen_[track] = static_cast<uint8_t>(seen_[track] | 1U << part);
}

void EulerFlipRule::Walk(const MotionBlock& block, size_t track) {
  const auto columns = clip_->ColumnsOf(clip_->tracks[track]);
  const float* steps = block.StepsOf(track);
  const double flip = (*clip_)[Threshold::DATA_EULER_FLIP_degrees];
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
    if (StepDegrees(steps[i]) >= kFollows * most) continue;
    const bool is_last = block.is_last && t + 1 == block.end();
    Count(is_wrap, t, t == 1 ? kFirst : is_last ? kLast : kMiddle, track);
  }
}

void EulerFlipRule::Add(const MotionBlock& block) {
  for (size_t track = 0; track < seen_.size(); ++track) {
    if (block.changes[track] > least_change_) Walk(block, track);
  }
}

// Without the steps to frames that stand apart.
Counts EulerFlipRule::Total() const {
  const bool counted[kParts] = {!clip_->facts->first_apart, true,
                                !clip_->facts->last_apart};
  Counts total;
  uint32_t parts = 0;
  for (size_t part = 0; part < kParts; ++part) {
    const Counts& counts = counts_[part];
    if (!counted[part] || counts.frame < 0) continue;
    parts |= 1U << part;
    total.wraps += counts.wraps;
    total.flips += counts.flips;
    if (total.frame < 0) {
      total.frame = counts.frame;
      total.node = counts.node;
    }
    total.last_frame = counts.last_frame;
  }
  total.joints = std::count_if(seen_.begin(), seen_.end(), [&](uint8_t seen) {
    return (seen & parts) != 0;
  });
  return total;
}

void EulerFlipRule::Finish(IssueLog* log) {
  const Counts total = Total();
  if (total.frame < 0) return;
  const Location at = MotionLocation(*clip_, total.node, total.frame);
  log->AddAs(total.flips > 0 ? Severity::kHint : Severity::kInfo,
             IssueCode::DATA_EULER_FLIP, at,
             {{"joint", QuotedNode(*clip_, total.node)},
              {"joints", std::to_string(total.joints)},
              {"wraps", std::to_string(total.wraps)},
              {"flips", std::to_string(total.flips)},
              {"first", std::to_string(total.frame)},
              {"last", std::to_string(total.last_frame)}},
             total.wraps + total.flips);
}

}  // namespace

std::unique_ptr<MotionRule> MakeEulerFlipRule() {
  return std::make_unique<EulerFlipRule>();
}

}  // namespace bvhmill
