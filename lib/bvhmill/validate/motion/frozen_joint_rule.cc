// Joints that stand still while the body moves.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// Frames first .. last have equal channels.
struct Still {
  int64_t first = 0;
  int64_t last = 0;
  // The steps of the whole body up to `first`, then from there to `last`.
  double body = 0;

  int64_t steps() const { return last - first; }
};

struct Joint {
  Still run;
  Still longest;
  int64_t still_steps = 0;
};

class FrozenJointRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  bool IsEqual(const MotionBlock& block, const MotionTrack& track,
               size_t i) const;
  bool MayRest(const MotionBlock& block, size_t track) const;
  void Move(const MotionBlock& block, int64_t first, int64_t last,
            Joint* joint) const;
  void Walk(const MotionBlock& block, size_t track);
  void AddBody(const MotionBlock& block);
  void AddStill(const MotionBlock& block, Joint* joint);
  void EndRun(int64_t next, double body, Joint* joint) const;
  void JudgeClip();
  bool OftenRests(const Joint& joint) const;
  bool MostlyRests(const Joint& joint) const;
  bool IsKeyed(const Joint& joint) const;
  bool IsFrozen(size_t track) const;
  void Log(size_t track, IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  std::vector<Joint> joints_;
  // The steps of the whole body up to each frame of the block, and up to the
  // end of the block before.
  std::vector<double> body_;
  double body_before_ = 0;
  double first_step_ = 0;
  double last_step_ = 0;
  // Few joints of the clip rest often, so it is no animation by keys.
  bool is_captured_ = false;
};

void FrozenJointRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  joints_.assign(clip.rotations, {});
  body_before_ = first_step_ = last_step_ = 0;
}

// The channels of the frame of index `i` are those of the frame before.
bool FrozenJointRule::IsEqual(const MotionBlock& block,
                              const MotionTrack& track, size_t i) const {
  const auto columns = clip_->ColumnsOf(track);
  return std::all_of(columns.begin(), columns.end(), [&](const auto& column) {
    const float* v = block.ValuesOf(column.column) + i;
    return v[0] == v[-1];
  });
}

// The run has ended before frame `next`; the body has made steps of `body` up
// to its last frame.
void FrozenJointRule::EndRun(int64_t next, double body, Joint* joint) const {
  Still& run = joint->run;
  run.last = next - 1;
  if (run.steps() > joint->longest.steps()) {
    joint->longest = {run.first, run.last, body - run.body};
  }
  run.first = next;
}

// The joint moves in the frames from `first` to `last`, both of the block.
void FrozenJointRule::Move(const MotionBlock& block, int64_t first,
                           int64_t last, Joint* joint) const {
  const auto body = [&](int64_t t) {
    return t < block.first ? body_before_
                           : body_[static_cast<size_t>(t - block.first)];
  };
  if (joint->run.first < first - 1) EndRun(first, body(first - 1), joint);
  joint->run = {last, last, body(last)};
}

void FrozenJointRule::Walk(const MotionBlock& block, size_t track) {
  Joint& joint = joints_[track];
  const MotionTrack& which = clip_->tracks[track];
  const float* steps = block.StepsOf(track);
  const size_t end = block.IndexOf(block.end());
  const auto is_rest = [steps](size_t at) { return steps[at] == 0; };
  for (size_t i = kStepLead; i < end; ++i) {
    const size_t rest = FirstOf(i, end, is_rest);
    const bool is_equal =
        rest < end && block.FrameOf(rest) > 0 && IsEqual(block, which, rest);
    const size_t moved = is_equal || rest == end ? rest : rest + 1;
    if (moved > i) {
      Move(block, block.FrameOf(i), block.FrameOf(moved - 1), &joint);
    }
    if (is_equal) ++joint.still_steps;
    i = rest;
  }
}

// The joint may rest in the block, or rested before it.
bool FrozenJointRule::MayRest(const MotionBlock& block, size_t track) const {
  return block.min_steps[track] == 0 || block.first == 0 ||
         joints_[track].run.first < block.first - 1;
}

void FrozenJointRule::AddBody(const MotionBlock& block) {
  const auto frames = static_cast<size_t>(block.frames);
  const auto& totals = block.totals->steps;
  body_.resize(frames);
  double body = body_before_;
  for (size_t k = 0; k < frames; ++k) {
    body += double{totals[kStepLead + k]};
    body_[k] = body;
  }
  if (block.first == 0 && frames > 1) first_step_ = totals[kStepLead + 1];
  if (block.is_last && frames > 0) last_step_ = totals[kStepLead + frames - 1];
}

void FrozenJointRule::Add(const MotionBlock& block) {
  AddBody(block);
  const double body = body_.empty() ? body_before_ : body_.back();
  for (size_t track = 0; track < joints_.size(); ++track) {
    if (block.changes[track] == 0 && block.frames > 0) {
      // No step leads to frame 0, where the run begins.
      const bool is_first = block.first == 0;
      joints_[track].still_steps += block.frames - (is_first ? 1 : 0);
      if (is_first) joints_[track].run = {0, 0, body_[0]};
    } else if (MayRest(block, track)) {
      Walk(block, track);
    } else {
      joints_[track].run = {block.end() - 1, block.end() - 1, body};
    }
  }
  body_before_ = body;
}

void FrozenJointRule::JudgeClip() {
  const MotionClip& clip = *clip_;
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

// The joint also stands still at other times, so that it may rest by itself.
bool FrozenJointRule::OftenRests(const Joint& joint) const {
  const auto all = static_cast<double>(clip_->facts->frames - 1);
  const auto still = static_cast<double>(joint.still_steps);
  const auto run = static_cast<double>(joint.longest.steps());
  return still - run >
         (*clip_)[Threshold::DATA_FROZEN_JOINT_still] * (all - run);
}

// The clip is animated by keys, as far as this joint is concerned.
bool FrozenJointRule::IsKeyed(const Joint& joint) const {
  const auto all = static_cast<double>(clip_->facts->frames - 1);
  const double most = (*clip_)[Threshold::DATA_FROZEN_JOINT_captured_still];
  const bool is_clamped =
      is_captured_ && static_cast<double>(joint.still_steps) <= most * all;
  return OftenRests(joint) && !is_clamped;
}

bool FrozenJointRule::IsFrozen(size_t track) const {
  const MotionClip& clip = *clip_;
  const MotionFacts& facts = *clip.facts;
  const Joint& joint = joints_[track];
  const auto run = static_cast<double>(joint.longest.steps());
  const double run_frames = run + 1;
  const auto all = static_cast<double>(facts.frames - 1);
  const double outside = all - run;
  if (run_frames * facts.dt < clip[Threshold::DATA_FROZEN_JOINT_seconds] ||
      run_frames < clip[Threshold::DATA_FROZEN_JOINT_frames] || run < 1 ||
      outside < clip[Threshold::DATA_FROZEN_JOINT_frames]) {
    return false;
  }
  double steps = clip.sums[track].steps;
  if (facts.first_apart) steps -= std::sqrt(clip.sums[track].first_step);
  if (facts.last_apart) steps -= std::sqrt(clip.sums[track].last_step);
  const double speed = 2 * kDegrees * steps / outside / facts.dt;
  double body = body_before_;
  if (facts.first_apart) body -= first_step_;
  if (facts.last_apart) body -= last_step_;
  return !IsKeyed(joint) &&
         speed >= clip[Threshold::DATA_FROZEN_JOINT_degrees_per_second] &&
         joint.longest.body / run >=
             clip[Threshold::DATA_FROZEN_JOINT_body] * body / all;
}

// The joint rests for more than half of the clip.
bool FrozenJointRule::MostlyRests(const Joint& joint) const {
  return 2 * joint.longest.steps() > clip_->facts->frames - 1;
}

void FrozenJointRule::Log(size_t track, IssueLog* log) const {
  const Joint& joint = joints_[track];
  const Still& run = joint.longest;
  const int32_t node = clip_->tracks[track].node;
  const int64_t frames = run.steps() + 1;
  Location at = MotionLocation(*clip_, node, run.first);
  at.last_frame = run.last;
  IssueArgs args = {{"joint", QuotedNode(*clip_, node)},
                    {"first", std::to_string(run.first)},
                    {"last", std::to_string(run.last)},
                    {"frames", std::to_string(frames)}};
  AddSeconds(*clip_, frames, ", for ", &args);
  const bool is_hint = OftenRests(joint) || MostlyRests(joint);
  log->AddAs(is_hint ? Severity::kHint : Severity::kWarning,
             IssueCode::DATA_FROZEN_JOINT, at, std::move(args));
}

void FrozenJointRule::Finish(IssueLog* log) {
  JudgeClip();
  for (size_t track = 0; track < joints_.size(); ++track) {
    EndRun(clip_->facts->frames, body_before_, &joints_[track]);
    if (IsFrozen(track)) Log(track, log);
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeFrozenJointRule() {
  return std::make_unique<FrozenJointRule>();
}

}  // namespace bvhmill
