// DATA_FROZEN_CLIP: all rows are equal.
//
// DATA_FROZEN_FRAMES: a row repeats for DATA_FROZEN_FRAMES.seconds or more; or
// all joints but the root keep their pose for DATA_FROZEN_FRAMES.pose_seconds.
//
// DATA_REPEATED_FRAMES: there are several shorter runs of repeated rows.

#include <algorithm>
#include <string>
#include <utility>

#include "bvhmill/report/repeated_rows.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// The default number of frames of a Blender scene.
constexpr int64_t kBlenderFrames = 250;

// Carried poses: the root moves, and all other joints keep their pose.
struct CarriedPoses {
  // The rows that have the pose of row `first`, up to row `last`.
  RepeatRun run;
  bool in_run = false;
  RepeatRun longest;
  int64_t runs = 0;
  // Rows whose pose differs from that of the row before.
  int64_t moving = 0;
};

class StillRules final : public MotionRule {
 public:
  explicit StillRules(const MotionClip& clip)
      : MotionRule(clip), rows_(*clip.thresholds, clip.facts->dt) {}
  void Decide(IssueLog* log) override;

 private:
  void AddRows();
  void AddPose(int64_t frame, bool repeats, bool repeats_pose);
  void EndCarried();
  bool IsCarried() const;
  bool IsWarning(const RepeatRun& run) const;
  void Log(const RepeatRun& run, const char* apart, int64_t runs,
           IssueLog* log) const;
  void LogStills(IssueLog* log) const;
  void LogRepeats(IssueLog* log) const;

  RepeatedRows rows_;
  CarriedPoses carried_;
};

// A row without the channels of the first joint, which come first, is the pose.
void StillRules::AddRows() {
  const auto& nodes = clip_.skeleton->nodes;
  const auto root_width =
      static_cast<ptrdiff_t>(nodes.empty() ? 0 : nodes[0].channel_count);
  for (int64_t t = 0; t < clip_.frames; ++t) {
    const auto row = clip_.Row(t);
    const auto last = clip_.Row(std::max(t - 1, int64_t{0}));
    const bool repeats_pose =
        t > 0 && std::equal(last.begin() + root_width, last.end(),
                            row.begin() + root_width);
    const bool repeats =
        repeats_pose &&
        std::equal(last.begin(), last.begin() + root_width, row.begin());
    rows_.Add(repeats);
    AddPose(t, repeats, repeats_pose);
  }
  rows_.Finish();
  if (carried_.in_run) EndCarried();
}

void StillRules::AddPose(int64_t frame, bool repeats, bool repeats_pose) {
  if (!repeats_pose) ++carried_.moving;
  const bool is_carried = repeats_pose && !repeats;
  if (is_carried && !carried_.in_run) carried_.run.first = frame - 1;
  if (is_carried) carried_.run.last = frame;
  if (!is_carried && carried_.in_run) EndCarried();
  carried_.in_run = is_carried;
}

void StillRules::EndCarried() {
  const RepeatRun& run = carried_.run;
  const auto frames = static_cast<double>(run.rows() + 1);
  const MotionClip& clip = clip_;
  if (frames < clip[Threshold::DATA_FROZEN_FRAMES_frames] ||
      frames * clip.facts->dt <
          clip[Threshold::DATA_FROZEN_FRAMES_pose_seconds]) {
    return;
  }
  ++carried_.runs;
  if (run.rows() > carried_.longest.rows()) carried_.longest = run;
}

// True if poses are carried, and the pose moves in the rest of the clip.
bool StillRules::IsCarried() const {
  return carried_.runs > 0 && carried_.moving >= kFewestMotionFrames;
}

bool StillRules::IsWarning(const RepeatRun& run) const {
  const auto rows = static_cast<double>(run.rows() + 1);
  const bool is_inner = run.first > 0 && run.last + 1 < rows_.frames();
  return is_inner || rows >= clip_[Threshold::DATA_FROZEN_FRAMES_share] *
                                 static_cast<double>(rows_.frames());
}

void StillRules::Log(const RepeatRun& run, const char* apart, int64_t runs,
                     IssueLog* log) const {
  const bool is_end = run.last + 1 == rows_.frames();
  const char* where = run.first == 0 ? "start" : is_end ? "end" : "middle";
  Location at = FrameLocation(run.first);
  at.last_frame = run.last;
  const int64_t frames = run.rows() + 1;
  const bool is_blender = rows_.frames() == kBlenderFrames && is_end;
  IssueArgs args = {
      {"where", where},
      {"frames", std::to_string(frames)},
      {"first", std::to_string(run.first)},
      {"last", std::to_string(run.last)},
      {"apart", apart},
      {"range",
       is_blender ? " (250 frames are the default of a Blender scene)" : ""}};
  AddSeconds(clip_, frames, ", ", &args);
  log->AddAs(IsWarning(run) ? Severity::kWarning : Severity::kHint,
             IssueCode::DATA_FROZEN_FRAMES, at, std::move(args), runs);
}

// Logs the worst still, or the longest carried pose if that is longer.
void StillRules::LogStills(IssueLog* log) const {
  const auto is_worse = [&](const RepeatRun& a, const RepeatRun& b) {
    if (b.rows() == 0 || IsWarning(a) != IsWarning(b)) {
      return a.rows() > 0 && (b.rows() == 0 || IsWarning(a));
    }
    return a.rows() > b.rows();
  };
  const RepeatRun* worst = &rows_.middle();
  for (const RepeatRun* run : {&rows_.start(), &rows_.end()}) {
    if (is_worse(*run, *worst)) worst = run;
  }
  const int64_t carried = IsCarried() ? carried_.runs : 0;
  const int64_t runs = rows_.stills() + carried;
  if (carried > 0 && carried_.longest.rows() > worst->rows()) {
    Log(carried_.longest, " apart from the root", runs, log);
  } else if (worst->rows() > 0) {
    Log(*worst, "", runs, log);
  }
}

void StillRules::LogRepeats(IssueLog* log) const {
  if (!rows_.are_reported()) return;
  const std::string stride = std::to_string(rows_.stride());
  const std::string poses = std::to_string(rows_.poses());
  const auto& some = rows_.some();
  std::string reading = "frames were dropped";
  if (rows_.stride() > 0) {
    reading = std::string("every pose stands ") +
              (rows_.is_uneven() ? "about " : "") + stride + " times";
  } else if (some.poses > 0) {
    reading = std::to_string(some.poses) + " of " + poses + " poses stand " +
              std::to_string(some.rows) + " times";
  }
  log->Add(IssueCode::DATA_REPEATED_FRAMES, FrameLocation(rows_.first() + 1),
           {{"frames", std::to_string(rows_.repeats())},
            {"runs", std::to_string(rows_.runs())},
            {"stride", stride},
            {"poses", poses},
            {"reading", std::move(reading)},
            {"left_out",
             rows_.are_many() ? "; spikes, jumps and cuts are not judged" : ""},
            {"first", std::to_string(rows_.first())},
            {"last", std::to_string(rows_.last())}});
}

void StillRules::Decide(IssueLog* log) {
  AddRows();
  if (rows_.are_all() && !clip_.skeleton->channels.empty()) {
    Location at = FrameLocation(0);
    at.last_frame = rows_.frames() - 1;
    log->Add(IssueCode::DATA_FROZEN_CLIP, at,
             {{"frames", std::to_string(rows_.frames())}});
    return;
  }
  clip_.facts->has_many_repeats = rows_.are_many();
  LogStills(log);
  LogRepeats(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeStillRules(const MotionClip& clip) {
  return std::make_unique<StillRules>(clip);
}

}  // namespace bvhmill
