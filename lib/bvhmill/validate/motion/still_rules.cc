// Rows that repeat the row before: a clip that stands still, a part that does,
// and single repeats.

#include <algorithm>
#include <array>
#include <string>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// Rows that repeat the row `first`, up to row `last`.
struct Run {
  int64_t first = 0;
  int64_t last = 0;

  int64_t rows() const { return last - first; }
};

// The number of frames of a scene of Blender, if its user does not change it.
constexpr int64_t kBlenderFrames = 250;
// Runs this near to an end of the clip are left over from an edit.
constexpr int64_t kNearEnd = 2;
// A run of this many rows or more counts as one of this many.
constexpr size_t kLengths = 128;

class StillRules final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  bool IsLong(const Run& run) const;
  void EndRun(bool ends_clip);
  void LogLong(IssueLog* log) const;
  void LogShort(IssueLog* log);

  const MotionClip* clip_ = nullptr;
  int64_t frames_ = 0;
  bool in_run_ = false;
  Run run_;
  // The longest one of the middle, and those at the ends of the clip.
  Run middle_;
  Run start_;
  Run end_;
  int64_t long_runs_ = 0;
  // Short runs: how many of each length; those that are not near an end.
  std::array<int64_t, kLengths> lengths_ = {};
  int64_t short_runs_ = 0;
  int64_t short_rows_ = 0;
  int64_t first_short_ = 0;
  int64_t last_short_ = 0;
  int64_t inner_runs_ = 0;
  // The last short run was not known to be inner when it ended.
  Run last_inner_;
};

void StillRules::Begin(const MotionClip& clip) {
  *this = StillRules();
  clip_ = &clip;
}

bool StillRules::IsLong(const Run& run) const {
  // Frame times are rounded.
  constexpr double kRounding = 0.999;
  const auto rows = static_cast<double>(run.rows());
  return rows >= (*clip_)[Threshold::DATA_FROZEN_FRAMES_frames] &&
         rows * clip_->facts->dt >=
             kRounding * (*clip_)[Threshold::DATA_FROZEN_FRAMES_seconds];
}

void StillRules::EndRun(bool ends_clip) {
  in_run_ = false;
  if (IsLong(run_)) {
    ++long_runs_;
    Run& kind = run_.first == 0 ? start_ : ends_clip ? end_ : middle_;
    if (run_.rows() > kind.rows()) kind = run_;
    return;
  }
  if (short_runs_++ == 0) first_short_ = run_.first;
  last_short_ = run_.last;
  short_rows_ += run_.rows();
  ++lengths_[std::min(static_cast<size_t>(run_.rows()), kLengths - 1)];
  if (run_.first < kNearEnd) return;
  ++inner_runs_;
  last_inner_ = run_;
}

void StillRules::Add(const MotionBlock& block) {
  for (int64_t t = block.first; t < block.end(); ++t) {
    const bool repeats = block.repeats[static_cast<size_t>(t - block.first)];
    if (repeats && !in_run_) run_.first = t - 1;
    if (repeats) run_.last = t;
    if (!repeats && in_run_) EndRun(false);
    in_run_ = repeats;
  }
  frames_ = block.end();
}

void StillRules::LogLong(IssueLog* log) const {
  const auto share = [&](const Run& run) {
    return static_cast<double>(run.rows() + 1) / static_cast<double>(frames_);
  };
  const auto is_warning = [&](const Run& run) {
    return &run == &middle_ ||
           share(run) >= (*clip_)[Threshold::DATA_FROZEN_FRAMES_share];
  };
  const auto is_worse = [&](const Run& a, const Run& b) {
    if (b.rows() == 0 || is_warning(a) != is_warning(b)) {
      return a.rows() > 0 && (b.rows() == 0 || is_warning(a));
    }
    return a.rows() > b.rows();
  };
  const Run* worst = &middle_;
  for (const Run* run : {&start_, &end_}) {
    if (is_worse(*run, *worst)) worst = run;
  }
  if (worst->rows() == 0) return;
  const char* where = worst == &start_ ? "start"
                      : worst == &end_ ? "end"
                                       : "middle";
  Location at = FrameLocation(worst->first);
  at.last_frame = worst->last;
  const int64_t frames = worst->rows() + 1;
  const bool is_blender = frames_ == kBlenderFrames && worst == &end_;
  log->AddAs(
      is_warning(*worst) ? Severity::kWarning : Severity::kHint,
      IssueCode::DATA_FROZEN_FRAMES, at,
      {{"where", where},
       {"frames", std::to_string(frames)},
       {"seconds", Short(static_cast<double>(frames) * clip_->facts->dt)},
       {"first", std::to_string(worst->first)},
       {"last", std::to_string(worst->last)},
       {"range",
        is_blender ? " (250 frames are the default of a Blender scene)" : ""}},
      long_runs_);
}

void StillRules::LogShort(IssueLog* log) {
  const MotionClip& clip = *clip_;
  const double share =
      static_cast<double>(short_rows_) / static_cast<double>(frames_);
  const bool is_often = share >= clip[Threshold::DATA_REPEATED_FRAMES_share];
  clip.facts->has_many_repeats = is_often;
  const auto most = std::max_element(lengths_.begin(), lengths_.end());
  const auto runs = static_cast<double>(short_runs_);
  const bool is_regular =
      is_often && runs >= clip[Threshold::DATA_REPEATED_FRAMES_runs] &&
      static_cast<double>(*most) >=
          clip[Threshold::DATA_REPEATED_FRAMES_equal_runs] * runs;
  const bool is_dropped =
      static_cast<double>(inner_runs_) >=
      std::max(clip[Threshold::DATA_REPEATED_FRAMES_dropped_runs], 1.0);
  if (!is_regular && !is_dropped) return;
  const int64_t stride = is_regular ? most - lengths_.begin() + 1 : 0;
  const std::string reading =
      is_regular ? "every pose stands " + std::to_string(stride) + " times"
                 : "frames were dropped";
  log->Add(IssueCode::DATA_REPEATED_FRAMES, FrameLocation(first_short_ + 1),
           {{"frames", std::to_string(short_rows_)},
            {"runs", std::to_string(short_runs_)},
            {"stride", std::to_string(stride)},
            {"reading", reading},
            {"first", std::to_string(first_short_)},
            {"last", std::to_string(last_short_)}});
}

void StillRules::Finish(IssueLog* log) {
  const bool all = in_run_ && run_.first == 0;
  if (in_run_) EndRun(true);
  if (all && frames_ >= 2 && !clip_->skeleton->channels.empty()) {
    Location at = FrameLocation(0);
    at.last_frame = frames_ - 1;
    log->Add(IssueCode::DATA_FROZEN_CLIP, at,
             {{"frames", std::to_string(frames_)}});
    return;
  }
  // Whether a run is near the end is known now.
  if (inner_runs_ > 0 && last_inner_.last >= frames_ - kNearEnd) --inner_runs_;
  LogLong(log);
  LogShort(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeStillRules() {
  return std::make_unique<StillRules>();
}

}  // namespace bvhmill
