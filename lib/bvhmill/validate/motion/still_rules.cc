// Rows that repeat the row before: a clip that stands still, a part that does,
// and single repeats.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "bvhmill/report/repeated_rows.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// The number of frames of a scene of Blender, if its user does not change it.
constexpr int64_t kBlenderFrames = 250;

class StillRules final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void LogStill(IssueLog* log) const;
  void LogRepeats(IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  std::optional<RepeatedRows> rows_;
};

void StillRules::Begin(const MotionClip& clip) {
  clip_ = &clip;
  rows_.emplace(*clip.thresholds, clip.facts->dt);
}

void StillRules::Add(const MotionBlock& block) {
  for (int64_t t = block.first; t < block.end(); ++t) {
    rows_->Add(block.repeats[static_cast<size_t>(t - block.first)] != 0);
  }
}

void StillRules::LogStill(IssueLog* log) const {
  const auto share = [&](const RepeatRun& run) {
    return static_cast<double>(run.rows() + 1) /
           static_cast<double>(rows_->frames());
  };
  const auto is_warning = [&](const RepeatRun& run) {
    return &run == &rows_->middle() ||
           share(run) >= (*clip_)[Threshold::DATA_FROZEN_FRAMES_share];
  };
  const auto is_worse = [&](const RepeatRun& a, const RepeatRun& b) {
    if (b.rows() == 0 || is_warning(a) != is_warning(b)) {
      return a.rows() > 0 && (b.rows() == 0 || is_warning(a));
    }
    return a.rows() > b.rows();
  };
  const RepeatRun* worst = &rows_->middle();
  for (const RepeatRun* run : {&rows_->start(), &rows_->end()}) {
    if (is_worse(*run, *worst)) worst = run;
  }
  if (worst->rows() == 0) return;
  const char* where = worst == &rows_->start() ? "start"
                      : worst == &rows_->end() ? "end"
                                               : "middle";
  Location at = FrameLocation(worst->first);
  at.last_frame = worst->last;
  const int64_t frames = worst->rows() + 1;
  const bool is_blender =
      rows_->frames() == kBlenderFrames && worst == &rows_->end();
  IssueArgs args = {
      {"where", where},
      {"frames", std::to_string(frames)},
      {"first", std::to_string(worst->first)},
      {"last", std::to_string(worst->last)},
      {"range",
       is_blender ? " (250 frames are the default of a Blender scene)" : ""}};
  AddSeconds(*clip_, frames, ", ", &args);
  log->AddAs(is_warning(*worst) ? Severity::kWarning : Severity::kHint,
             IssueCode::DATA_FROZEN_FRAMES, at, std::move(args),
             rows_->stills());
}

void StillRules::LogRepeats(IssueLog* log) const {
  if (!rows_->are_reported()) return;
  const std::string stride = std::to_string(rows_->stride());
  const std::string poses = std::to_string(rows_->poses());
  const auto& some = rows_->some();
  std::string reading = "frames were dropped";
  if (rows_->stride() > 0) {
    reading = std::string("every pose stands ") +
              (rows_->is_uneven() ? "about " : "") + stride + " times";
  } else if (some.poses > 0) {
    reading = std::to_string(some.poses) + " of " + poses + " poses stand " +
              std::to_string(some.rows) + " times";
  }
  log->Add(
      IssueCode::DATA_REPEATED_FRAMES, FrameLocation(rows_->first() + 1),
      {{"frames", std::to_string(rows_->repeats())},
       {"runs", std::to_string(rows_->runs())},
       {"stride", stride},
       {"poses", poses},
       {"reading", std::move(reading)},
       {"left_out",
        rows_->are_many() ? "; spikes, jumps and cuts are not judged" : ""},
       {"first", std::to_string(rows_->first())},
       {"last", std::to_string(rows_->last())}});
}

void StillRules::Finish(IssueLog* log) {
  rows_->Finish();
  if (rows_->are_all() && !clip_->skeleton->channels.empty()) {
    Location at = FrameLocation(0);
    at.last_frame = rows_->frames() - 1;
    log->Add(IssueCode::DATA_FROZEN_CLIP, at,
             {{"frames", std::to_string(rows_->frames())}});
    return;
  }
  clip_->facts->has_many_repeats = rows_->are_many();
  LogStill(log);
  LogRepeats(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeStillRules() {
  return std::make_unique<StillRules>();
}

}  // namespace bvhmill
