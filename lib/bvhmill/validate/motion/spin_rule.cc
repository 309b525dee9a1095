// Joints that turn too fast for three steps in a row.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// At slower rates the true angle of a step is not known: half a turn more or
// less looks the same.
constexpr double kLongestSpinFrameTime = 0.045;
constexpr int64_t kFramesLater = 2;

struct Spin {
  int64_t count = 0;
  int64_t first = 0;
  int64_t last = 0;
  // The place of the fastest one, and the least of its three steps.
  int64_t frame = 0;
  float step = 0;
};

class SpinRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  const MotionClip* clip_ = nullptr;
  float least_ = 0;
  std::vector<Spin> spins_;
};

void SpinRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  const double turn = std::min(
      clip[Threshold::DATA_SPIN_degrees_per_second] * clip.facts->dt, 360.0);
  // No step reaches the chord of more than half a turn.
  const double chord = 2 * std::sin(turn / 4 / kDegrees);
  const bool is_judged = !IsTooSlow(clip.frame_time) &&
                         clip.facts->dt < kLongestSpinFrameTime && turn > 0;
  least_ = is_judged ? static_cast<float>(chord * chord) : HUGE_VALF;
  spins_.assign(clip.rotations, {});
}

void SpinRule::Add(const MotionBlock& block) {
  const int64_t begin = std::max<int64_t>(block.BeginFor(kFramesLater), 2);
  for (size_t track = 0; track < spins_.size(); ++track) {
    // One of the three steps is in this block.
    if (block.max_steps[track] < least_) continue;
    const float* steps = block.StepsOf(track);
    Spin& spin = spins_[track];
    for (int64_t t = begin; t < block.EndFor(kFramesLater); ++t) {
      const float* at = steps + block.IndexOf(t);
      const float step = std::min({at[0], at[1], at[2]});
      if (!(step >= least_)) continue;
      if (spin.count++ == 0) spin.first = t;
      spin.last = t;
      if (step <= spin.step) continue;
      spin.step = step;
      spin.frame = t;
    }
  }
}

void SpinRule::Finish(IssueLog* log) {
  for (size_t track = 0; track < spins_.size(); ++track) {
    const Spin& spin = spins_[track];
    if (spin.count == 0) continue;
    const int32_t node = clip_->tracks[track].node;
    Location at = MotionLocation(*clip_, node, spin.frame);
    at.last_frame = spin.frame + kFramesLater;
    log->Add(IssueCode::DATA_SPIN, at,
             {{"joint", QuotedNode(*clip_, node)},
              {"degrees_per_second",
               Short(AngleDegrees(spin.step) / clip_->facts->dt)},
              {"first", std::to_string(spin.first)},
              {"last", std::to_string(spin.last)}},
             spin.count);
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeSpinRule() {
  return std::make_unique<SpinRule>();
}

}  // namespace bvhmill
