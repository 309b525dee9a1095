// Joints that turn back and forth more often than a person can.

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

// Slower rates do not show fast reversals.
constexpr double kLongestFrameTime = 1 / 23.9;
// In a shorter clip, one second of jitter is a warning.
constexpr double kShortClip = 4;

// Reversals of a joint by seconds.
struct Jitter {
  // The second that is counted now, its reversals and the sum of their kinks.
  int32_t window = 0;
  int32_t count = 0;
  double degrees = 0;
  // The same with those whose kinks are larger than those of a steady noise.
  int32_t wild_count = 0;
  double wild_degrees = 0;
  // Over noisy seconds; `steady` of them have enough reversals without large
  // kinks.
  int32_t noisy = 0;
  int32_t steady = 0;
  int32_t first = 0;
  int32_t last = 0;
  int32_t most_count = 0;
  int32_t most_window = 0;
  int64_t all_count = 0;
  double all_degrees = 0;
};

class JitterRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void CountIn(const MotionBlock& block, size_t track, int64_t begin,
               int64_t end);
  void CloseWindow(Jitter* jitter) const;
  void Log(size_t track, IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  float least_step_ = 0;
  float most_kink_ = 0;
  double fewest_ = 0;
  // Frames of a second; 0 if the clip is not judged.
  int64_t window_frames_ = 0;
  std::vector<Jitter> jitters_;
};

void JitterRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  least_step_ = StepOf(clip[Threshold::DATA_JITTER_degrees]);
  most_kink_ = KinkOf(clip[Threshold::DATA_JITTER_most_degrees]);
  fewest_ = std::max(clip[Threshold::DATA_JITTER_reversals], 1.0);
  const double dt = clip.facts->dt;
  constexpr double kMostFrames = 1e9;
  window_frames_ =
      dt <= kLongestFrameTime && !IsTooSlow(clip.frame_time)
          ? static_cast<int64_t>(std::min(std::round(1 / dt), kMostFrames))
          : 0;
  jitters_.assign(clip.rotations, {});
}

void JitterRule::CloseWindow(Jitter* jitter) const {
  const bool is_steady = jitter->count >= fewest_;
  const int32_t count = is_steady ? jitter->count : jitter->wild_count;
  if (count >= fewest_) {
    jitter->steady += is_steady ? 1 : 0;
    if (jitter->noisy++ == 0) jitter->first = jitter->window;
    jitter->last = jitter->window;
    jitter->all_count += count;
    jitter->all_degrees += is_steady ? jitter->degrees : jitter->wild_degrees;
    if (count > jitter->most_count) {
      jitter->most_count = count;
      jitter->most_window = jitter->window;
    }
  }
  jitter->count = jitter->wild_count = 0;
  jitter->degrees = jitter->wild_degrees = 0;
}

// Counts the reversals in frames of one window.
void JitterRule::CountIn(const MotionBlock& block, size_t track, int64_t begin,
                         int64_t end) {
  const auto count_below = [&](float most_kink) {
    return SumReversals(block.StepsOf(track), block.KinksOf(track),
                        block.IndexOf(begin), block.IndexOf(end), least_step_,
                        most_kink);
  };
  const Reversals all = count_below(HUGE_VALF);
  if (all.count == 0) return;
  const bool has_large = block.max_kinks[track] >= most_kink_;
  const Reversals found = has_large ? count_below(most_kink_) : all;
  Jitter& jitter = jitters_[track];
  const auto window = static_cast<int32_t>(begin / window_frames_);
  if (window != jitter.window) CloseWindow(&jitter);
  jitter.window = window;
  jitter.count += static_cast<int32_t>(found.count);
  jitter.degrees += kDegrees * found.kink_roots;
  jitter.wild_count += static_cast<int32_t>(all.count);
  jitter.wild_degrees += kDegrees * all.kink_roots;
}

// The frames next to the first and the last one are left out: these may be no
// part of the motion.
void JitterRule::Add(const MotionBlock& block) {
  if (window_frames_ == 0) return;
  const int64_t begin = std::max<int64_t>(block.BeginFor(1), 2);
  const int64_t end = block.is_last ? block.end() - 2 : block.EndFor(1);
  for (size_t track = 0; track < jitters_.size(); ++track) {
    if (block.max_turns[track] < least_step_) continue;
    for (int64_t at = begin; at < end;) {
      const int64_t next =
          std::min(end, (at / window_frames_ + 1) * window_frames_);
      CountIn(block, track, at, next);
      at = next;
    }
  }
}

void JitterRule::Log(size_t track, IssueLog* log) const {
  const Jitter& jitter = jitters_[track];
  const int32_t node = clip_->tracks[track].node;
  const int64_t frames = clip_->facts->frames;
  const double seconds = static_cast<double>(frames) * clip_->facts->dt;
  const bool is_warning =
      jitter.steady >= (*clip_)[Threshold::DATA_JITTER_seconds] ||
      jitter.noisy >= (*clip_)[Threshold::DATA_JITTER_wild_seconds] ||
      (jitter.steady > 0 && seconds < kShortClip);
  const auto end_of = [&](int64_t window) {
    return std::min((window + 1) * window_frames_, frames) - 1;
  };
  Location at =
      MotionLocation(*clip_, node, jitter.most_window * window_frames_);
  at.last_frame = end_of(jitter.most_window);
  log->AddAs(is_warning ? Severity::kWarning : Severity::kHint,
             IssueCode::DATA_JITTER, at,
             {{"joint", QuotedNode(*clip_, node)},
              {"seconds", std::to_string(jitter.noisy)},
              {"reversals", std::to_string(jitter.most_count)},
              {"degrees", Short(jitter.all_degrees /
                                static_cast<double>(jitter.all_count))},
              {"first", std::to_string(jitter.first * window_frames_)},
              {"last", std::to_string(end_of(jitter.last))}},
             jitter.noisy);
}

void JitterRule::Finish(IssueLog* log) {
  for (size_t track = 0; track < jitters_.size(); ++track) {
    CloseWindow(&jitters_[track]);
    if (jitters_[track].noisy > 0) Log(track, log);
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeJitterRule() {
  return std::make_unique<JitterRule>();
}

}  // namespace bvhmill
