// Two neighbouring rows that are exchanged: the body steps too far, all of it
// steps back, and it steps too far again.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// The frames that a verdict about frame t compares: t - kBefore to t + kAfter.
constexpr int64_t kBefore = 3;
constexpr int64_t kAfter = 4;
// Frames without a kink at each end of the clip.
constexpr int64_t kWithoutKink = 1;
// Frames of the block before that the next one needs.
constexpr size_t kHistory = kBefore + kAfter + 1;
// The steps to and from exchanged rows are twice the step between them. Where a
// motion turns round and plays backwards, there is no such step.
constexpr double kMostOverBack = 3;
// Pairs whose frames are kept; the others are counted.
constexpr size_t kMostPairs = 64;

// Rows `frame` and frame + 1.
struct Pair {
  int64_t frame = 0;
  // The step back from one to the other, summed over joints.
  double degrees = 0;
};

// Sums over joints at a frame and around it, in radians.
using Sums = std::array<float, kHistory + kStepStride>;

class ExchangedRowsRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  bool IsExchanged(const float* kinks, const float* steps) const;
  bool IsCut(const Pair& pair) const;

  const MotionClip* clip_ = nullptr;
  // Index kHistory is the first frame of the block.
  Sums kinks_ = {};
  Sums steps_ = {};
  std::vector<Pair> pairs_;
  int64_t others_ = 0;
};

void ExchangedRowsRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  kinks_.fill(0);
  steps_.fill(0);
  pairs_.clear();
  others_ = 0;
}

// Both point at the sums of the first of the two frames.
bool ExchangedRowsRule::IsExchanged(const float* kinks,
                                    const float* steps) const {
  const MotionClip& clip = *clip_;
  const double kink = std::min(kinks[0], kinks[1]);
  const double near = std::max(kinks[-1], kinks[2]);
  if (kink < clip[Threshold::DATA_ROWS_EXCHANGED_near] * near ||
      kDegrees * kink < clip[Threshold::DATA_ROWS_EXCHANGED_degrees]) {
    return false;
  }
  const double far = std::max({kinks[-3], kinks[-2], kinks[3], kinks[4]});
  const double out = std::min(steps[0], steps[2]);
  const double outside = std::max(steps[-1], steps[3]);
  return kink >= clip[Threshold::DATA_ROWS_EXCHANGED_far] * far &&
         out >= clip[Threshold::DATA_ROWS_EXCHANGED_steps] * outside &&
         out >= clip[Threshold::DATA_ROWS_EXCHANGED_back] * double{steps[1]} &&
         out <= kMostOverBack * double{steps[1]};
}

void ExchangedRowsRule::Add(const MotionBlock& block) {
  const auto frames = static_cast<size_t>(block.frames);
  const StepTotals& totals = *block.totals;
  // The kink of the frame before the block is known now.
  std::copy_n(totals.kinks.data() + kStepLead - 1, frames + 1,
              kinks_.data() + kHistory - 1);
  std::copy_n(totals.steps.data() + kStepLead, frames,
              steps_.data() + kHistory);
  const int64_t begin =
      std::max(block.first - kAfter - kWithoutKink, kWithoutKink + kBefore);
  for (int64_t t = begin; t < block.end() - kAfter - kWithoutKink; ++t) {
    const auto i = static_cast<size_t>(t - block.first + int64_t{kHistory});
    if (!IsExchanged(&kinks_[i], &steps_[i])) continue;
    if (pairs_.size() == kMostPairs) {
      ++others_;
    } else {
      pairs_.push_back({t, 2 * kDegrees * double{steps_[i + 1]}});
    }
  }
  std::copy_n(kinks_.data() + frames, kHistory, kinks_.data());
  std::copy_n(steps_.data() + frames, kHistory, steps_.data());
}

bool ExchangedRowsRule::IsCut(const Pair& pair) const {
  const auto& cuts = clip_->facts->cuts;
  return std::any_of(cuts.begin(), cuts.end(), [&](int64_t cut) {
    return cut >= pair.frame && cut <= pair.frame + 2;
  });
}

void ExchangedRowsRule::Finish(IssueLog* log) {
  if (clip_->facts->has_many_repeats) return;
  std::erase_if(pairs_, [this](const Pair& pair) { return IsCut(pair); });
  if (pairs_.empty()) return;
  const Pair& worst = *std::max_element(
      pairs_.begin(), pairs_.end(),
      [](const Pair& a, const Pair& b) { return a.degrees < b.degrees; });
  const std::string frame = std::to_string(worst.frame);
  const std::string next = std::to_string(worst.frame + 1);
  Location at = FrameLocation(worst.frame);
  at.last_frame = worst.frame + 1;
  log->Add(
      IssueCode::DATA_ROWS_EXCHANGED, at,
      {{"first", frame}, {"last", next}, {"degrees", Short(worst.degrees)}},
      static_cast<int64_t>(pairs_.size()) + others_);
}

}  // namespace

std::unique_ptr<MotionRule> MakeExchangedRowsRule() {
  return std::make_unique<ExchangedRowsRule>();
}

}  // namespace bvhmill
