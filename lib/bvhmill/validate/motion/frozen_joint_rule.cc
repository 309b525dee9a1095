// DATA_FROZEN_JOINT: the rotation channels of a joint keep their values for
// DATA_FROZEN_JOINT.seconds or more while the body moves, and the joint turns
// in the rest of the clip. A joint that also rests at other times is probably
// animated by keys: it is a hint if the clip was captured, and not reported
// otherwise. One more issue reports hands of which no finger ever moves.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

// A track whose channels are equal in the frames first .. last.
struct Still {
  int32_t track = 0;
  int64_t first = 0;
  int64_t last = 0;

  int64_t steps() const { return last - first; }
};

// Fewer finger joints are no hands.
constexpr int64_t kFewestFingers = 3;

struct Joint {
  Still longest;
  int64_t still_steps = 0;
};

class FrozenJointRule final : public MotionRule {
 public:
  explicit FrozenJointRule(const MotionClip& clip) : MotionRule(clip) {}
  void Look(const MotionBlock& block) override;
  void Append(const MotionRule& later) override {
    AppendFound(static_cast<const FrozenJointRule&>(later).found_, &found_);
  }
  int64_t Bytes() const override { return BytesOf(found_); }
  void Decide(IssueLog* log) override;

 private:
  bool IsEqual(const MotionBlock& block, size_t i) const;
  void JoinRuns();
  void JudgeClip();
  bool OftenRests(const Joint& joint) const;
  bool MostlyRests(const Joint& joint) const;
  bool IsKeyed(const Joint& joint) const;
  double BodySteps(int64_t first, int64_t last) const;
  bool IsFrozen(size_t track) const;
  void Log(size_t track, IssueLog* log) const;
  void LogFingers(IssueLog* log) const;

  // The runs of each block. A run across blocks is one record for each block.
  std::vector<Still> found_;
  std::vector<Joint> joints_;
  // Few joints of the clip rest often, so it was captured and not animated by
  // keys.
  bool is_captured_ = false;
};

// True if the frame of index `i` repeats the channels of the frame before.
bool FrozenJointRule::IsEqual(const MotionBlock& block, size_t i) const {
  const auto columns = clip_.ColumnsOf(clip_.tracks[block.track]);
  return std::all_of(columns.begin(), columns.end(), [&](const auto& column) {
    const float* v = block.ValuesOf(column.column) + i;
    return v[0] == v[-1];
  });
}

void FrozenJointRule::Look(const MotionBlock& block) {
  if (block.track >= clip_.rotations) return;
  const auto id = static_cast<int32_t>(block.track);
  Still run = {id, -1, -1};
  if (block.change == 0) {
    run = {id, std::max<int64_t>(block.first - 1, 0), block.end() - 1};
  }
  const auto add_frame = [&](size_t i) {
    const int64_t frame = block.FrameOf(i);
    // No step leads to frame 0, and none to frames after the clip.
    const bool is_step = frame > 0 && frame < block.end();
    if (!is_step || !IsEqual(block, i)) return;
    if (run.last != frame - 1) {
      if (run.steps() > 0) found_.push_back(run);
      run.first = frame - 1;
    }
    run.last = frame;
  };
  const RestBits& rests = block.sums.rests;
  for (size_t word = 0; block.change != 0 && word < rests.size(); ++word) {
    for (uint32_t bits = rests[word]; bits != 0; bits &= bits - 1) {
      add_frame(kStepLead + word * kStepParts +
                static_cast<size_t>(std::countr_zero(bits)));
    }
  }
  if (run.steps() > 0) found_.push_back(run);
}

// Joins the runs of neighbouring blocks.
void FrozenJointRule::JoinRuns() {
  joints_.assign(clip_.rotations, {});
  ForEachTrack(&found_, [&](size_t track, std::span<const Still> runs) {
    Joint& joint = joints_[track];
    Still run = {0, -1, -1};
    for (const Still& next : runs) {
      joint.still_steps += next.steps();
      if (next.first == run.last) {
        run.last = next.last;
      } else {
        run = next;
      }
      if (run.steps() > joint.longest.steps()) joint.longest = run;
    }
  });
}

void FrozenJointRule::JudgeClip() {
  const MotionClip& clip = clip_;
  const auto all = static_cast<double>(clip.facts->frames - 1);
  const double least = clip[Threshold::DATA_FROZEN_JOINT_degrees_per_second] *
                       all * clip.facts->dt;
  double moving = 0;
  double resting = 0;
  for (size_t track = 0; track < joints_.size(); ++track) {
    if (2 * kDegrees * clip.sums[track].steps < least) continue;
    const auto still = static_cast<double>(joints_[track].still_steps);
    ++moving;
    if (still > clip[Threshold::DATA_FROZEN_JOINT_still] * all) ++resting;
  }
  is_captured_ = resting <= clip[Threshold::DATA_FROZEN_JOINT_joints] * moving;
}

// True if the joint also stands still at other times, so its rest may be meant.
bool FrozenJointRule::OftenRests(const Joint& joint) const {
  const auto all = static_cast<double>(clip_.facts->frames - 1);
  const auto still = static_cast<double>(joint.still_steps);
  const auto run = static_cast<double>(joint.longest.steps());
  return still - run > clip_[Threshold::DATA_FROZEN_JOINT_still] * (all - run);
}

// True if the joint is animated by keys.
bool FrozenJointRule::IsKeyed(const Joint& joint) const {
  const auto all = static_cast<double>(clip_.facts->frames - 1);
  const double most = clip_[Threshold::DATA_FROZEN_JOINT_captured_still];
  const bool is_clamped =
      is_captured_ && static_cast<double>(joint.still_steps) <= most * all;
  return OftenRests(joint) && !is_clamped;
}

// The sum of the steps of all joints to the frames first + 1 .. last.
double FrozenJointRule::BodySteps(int64_t first, int64_t last) const {
  const float* steps = FrameTotals::FrameZero(clip_.totals.steps);
  return std::accumulate(steps + first + 1, steps + last + 1, 0.0);
}

bool FrozenJointRule::IsFrozen(size_t track) const {
  const MotionFacts& facts = *clip_.facts;
  const Joint& joint = joints_[track];
  const auto run = static_cast<double>(joint.longest.steps());
  const double run_frames = run + 1;
  const auto all = static_cast<double>(facts.frames - 1);
  const double outside = all - run;
  if (run_frames * facts.dt < clip_[Threshold::DATA_FROZEN_JOINT_seconds] ||
      run_frames < clip_[Threshold::DATA_FROZEN_JOINT_frames] || run < 1 ||
      outside < clip_[Threshold::DATA_FROZEN_JOINT_frames]) {
    return false;
  }
  const TrackSums& sums = clip_.sums[track];
  double steps = sums.steps;
  if (facts.first_apart) steps -= std::sqrt(sums.first_steps[1]);
  if (facts.last_apart) steps -= std::sqrt(sums.last_step);
  const double speed = 2 * kDegrees * steps / outside / facts.dt;
  const double body = BodySteps(facts.first_frame(), facts.last_frame());
  return !IsKeyed(joint) &&
         speed >= clip_[Threshold::DATA_FROZEN_JOINT_degrees_per_second] &&
         BodySteps(joint.longest.first, joint.longest.last) / run >=
             clip_[Threshold::DATA_FROZEN_JOINT_body] * body / all;
}

// True if the joint rests for more than half of the clip in one run.
bool FrozenJointRule::MostlyRests(const Joint& joint) const {
  return 2 * joint.longest.steps() > clip_.facts->frames - 1;
}

void FrozenJointRule::Log(size_t track, IssueLog* log) const {
  const Joint& joint = joints_[track];
  const Still& run = joint.longest;
  const int32_t node = clip_.tracks[track].node;
  const int64_t frames = run.steps() + 1;
  Location at = MotionLocation(clip_, node, run.first);
  at.last_frame = run.last;
  IssueArgs args = {{"joint", QuotedNode(clip_, node)},
                    {"first", std::to_string(run.first)},
                    {"last", std::to_string(run.last)},
                    {"frames", std::to_string(frames)}};
  AddSeconds(clip_, frames, ", for ", &args);
  const bool is_hint = OftenRests(joint) || MostlyRests(joint);
  log->AddAs(is_hint ? Severity::kHint : Severity::kWarning,
             IssueCode::DATA_FROZEN_JOINT, at, std::move(args));
}

// If no finger ever moves, the hands were not captured.
void FrozenJointRule::LogFingers(IssueLog* log) const {
  const Skeleton& skeleton = *clip_.skeleton;
  const int64_t last = clip_.facts->frames - 1;
  const auto still_joints =
      std::count_if(joints_.begin(), joints_.end(),
                    [&](const Joint& j) { return j.still_steps == last; });
  if (still_joints < kFewestFingers) return;
  int64_t fingers = 0;
  int32_t first = -1;
  double others = 0;
  for (size_t track = 0; track < joints_.size(); ++track) {
    const int32_t node = clip_.tracks[track].node;
    const bool is_still = joints_[track].still_steps == last;
    if (!is_still) others += clip_.sums[track].steps;
    if (!IsFinger(skeleton, node)) continue;
    if (!is_still) return;
    if (fingers++ == 0) first = node;
  }
  if (fingers < kFewestFingers || others == 0) return;
  Location at = MotionLocation(clip_, first, 0);
  at.last_frame = last;
  IssueArgs args = {
      {"joint", QuotedNode(clip_, first) + ", like " +
                    std::to_string(fingers - 1) + " other joints of fingers,"},
      {"first", "0"},
      {"last", std::to_string(last)},
      {"frames", std::to_string(last + 1)}};
  AddSeconds(clip_, last + 1, ", for ", &args);
  log->AddAs(Severity::kInfo, IssueCode::DATA_FROZEN_JOINT, at, std::move(args),
             fingers);
}

void FrozenJointRule::Decide(IssueLog* log) {
  JoinRuns();
  JudgeClip();
  for (size_t track = 0; track < joints_.size(); ++track) {
    if (IsFrozen(track)) Log(track, log);
  }
  LogFingers(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeFrozenJointRule(const MotionClip& clip) {
  return std::make_unique<FrozenJointRule>(clip);
}

}  // namespace bvhmill
