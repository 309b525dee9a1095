#include "bvhmill/validate/pose_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/joint_rotation.h"
#include "bvhmill/validate/rule_input.h"

namespace bvhmill {
namespace {

using Row = std::span<const float>;

// Without a count of bits, which is a call on CPUs of any age.
bool IsPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

class PoseRules final : public RowObserver {
 public:
  int64_t MemoryBytes(const Skeleton& skeleton,
                      const SkeletonFacts& /*facts*/) const override {
    return static_cast<int64_t>(kRows * skeleton.channels.size() *
                                sizeof(float));
  }
  void Begin(const ObservedClip& clip) override;
  void Add(const ObservedRows& rows) override;
  void Truncate(int64_t /*frames*/) override {}
  void Finish(IssueLog* log) override;

 private:
  // The first two rows, the last two, and the last two whose number is a power
  // of two.
  enum Kept {
    kFirst,
    kSecond,
    kLast,
    kBeforeLast,
    kPower,
    kBeforePower,
    kRows
  };

  void Keep(Kept kept, Row row) {
    std::copy(row.begin(), row.end(), rows_[kept].begin());
  }
  void CheckPairs(IssueLog* log) const;
  void CheckRestPose(IssueLog* log) const;
  void CheckLoop(IssueLog* log) const;
  double Limit(Threshold threshold) const {
    return clip_->thresholds[threshold];
  }

  std::optional<ObservedClip> clip_;
  std::array<std::vector<float>, kRows> rows_;
  int64_t frames_ = 0;
};

void PoseRules::Begin(const ObservedClip& clip) {
  clip_.emplace(clip);
  frames_ = 0;
  for (auto& row : rows_) row.assign(clip.skeleton.channels.size(), 0.0F);
}

void PoseRules::Add(const ObservedRows& rows) {
  const size_t width = clip_->skeleton.channels.size();
  const auto row = [&](int64_t i) {
    return rows.values.subspan(static_cast<size_t>(i) * width, width);
  };
  for (int64_t i = 0; i < rows.frames; ++i) {
    const int64_t frame = frames_ + i;
    if (frame == 0) Keep(kFirst, row(i));
    if (frame == 1) Keep(kSecond, row(i));
    if (IsPowerOfTwo(frame)) {
      std::swap(rows_[kPower], rows_[kBeforePower]);
      Keep(kPower, row(i));
    }
  }
  if (rows.frames > 0) {
    std::swap(rows_[kLast], rows_[kBeforeLast]);
    if (rows.frames > 1) Keep(kBeforeLast, row(rows.frames - 2));
    Keep(kLast, row(rows.frames - 1));
  }
  frames_ += rows.frames;
}

void PoseRules::CheckPairs(IssueLog* log) const {
  const auto length = [&](int32_t node) {
    return double{
        Length(clip_->skeleton.nodes[static_cast<size_t>(node)].offset)};
  };
  for (const auto& [left, right] : clip_->facts.mirror_pairs) {
    const double longer = std::max(length(left), length(right));
    const double shorter = std::min(length(left), length(right));
    const double share = longer > 0 ? 1 - shorter / longer : 0;
    if (share <= Limit(Threshold::DATA_ASYMMETRY_difference) ||
        longer <=
            Limit(Threshold::DATA_ASYMMETRY_reach) * clip_->motion.reach) {
      continue;
    }
    log->Add(IssueCode::DATA_ASYMMETRY, LocationOf(*clip_, left),
             {{"joint", QuotedName(clip_->skeleton, left)},
              {"other", QuotedName(clip_->skeleton, right)},
              {"length", Short(length(left))},
              {"other_length", Short(length(right))},
              {"percent", Short(100 * share)}});
  }
}

// A pose that stands apart is the reference of a capture; one that does not is
// where the motion begins.
void PoseRules::CheckRestPose(IssueLog* log) const {
  const Skeleton& skeleton = clip_->skeleton;
  const double limit = Limit(Threshold::DATA_REST_POSE_degrees);
  const double angle = LargestAngle(skeleton, rows_[kFirst], {}, limit);
  if (!(angle <= limit)) return;
  const double moved =
      LargestAngle(skeleton, rows_[kFirst], rows_[kSecond], limit);
  if (!(moved > limit)) return;
  Location at;
  at.frame = 0;
  log->Add(IssueCode::DATA_REST_POSE, at, {{"degrees", Short(angle)}});
}

void PoseRules::CheckLoop(IssueLog* log) const {
  const Skeleton& skeleton = clip_->skeleton;
  const MotionFacts& motion = clip_->motion;
  const int64_t frames = motion.last_frame() - motion.first_frame() + 1;
  if (static_cast<double>(frames) * motion.dt <
      Limit(Threshold::DATA_LOOP_seconds)) {
    return;
  }
  const Row first = rows_[motion.first_apart ? kSecond : kFirst];
  const Row last = rows_[motion.last_apart ? kBeforeLast : kLast];
  const double limit = Limit(Threshold::DATA_LOOP_degrees);
  const double angle = LargestAngle(skeleton, first, last, limit);
  if (!(angle <= limit)) return;
  // It is elsewhere in between.
  const double moved =
      std::max(LargestAngle(skeleton, first, rows_[kPower], limit),
               LargestAngle(skeleton, first, rows_[kBeforePower], limit));
  if (!(moved > limit)) return;
  Location at;
  at.frame = motion.last_frame();
  log->Add(IssueCode::DATA_LOOP, at, {{"degrees", Short(angle)}});
}

void PoseRules::Finish(IssueLog* log) {
  CheckPairs(log);
  if (frames_ < 2 || clip_->motion.non_finite_rows > 0) return;
  CheckRestPose(log);
  CheckLoop(log);
}

}  // namespace

std::unique_ptr<RowObserver> MakePoseRules() {
  return std::make_unique<PoseRules>();
}

}  // namespace bvhmill
