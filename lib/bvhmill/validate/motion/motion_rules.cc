#include "bvhmill/validate/motion/motion_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/motion/events/cut_finder.h"
#include "bvhmill/validate/motion/frame_time_rule.h"
#include "bvhmill/validate/motion/motion_blocks.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

using MakeRule = std::unique_ptr<MotionRule> (*)();

constexpr MakeRule kRules[] = {
#define BVHMILL_MOTION_RULE(factory) factory,
#include "bvhmill/validate/motion/rules.inc"
#undef BVHMILL_MOTION_RULE
};

// Adds an issue if rules have left the clip out, and the caller ignores the
// issue that says so.
void LogNotJudged(const MotionFacts& facts, IssueLog* log) {
  constexpr IssueCode kValues[] = {IssueCode::DATA_NOT_FINITE,
                                   IssueCode::DATA_OUT_OF_RANGE};
  const auto is_listed = [log](IssueCode code) { return log->HasListed(code); };
  const auto is_ignored = [log](IssueCode code) {
    return log->HasIgnored(code);
  };
  // An issue of one code speaks for both.
  if (facts.non_finite_rows > 0 &&
      std::any_of(std::begin(kValues), std::end(kValues), is_ignored) &&
      std::none_of(std::begin(kValues), std::end(kValues), is_listed)) {
    log->Add(
        IssueCode::DATA_NOT_JUDGED, {},
        {{"what", "faults of the motion"}, {"why", "a value is not finite"}});
  }
  if (facts.has_many_repeats &&
      log->HasIgnored(IssueCode::DATA_REPEATED_FRAMES)) {
    log->Add(IssueCode::DATA_NOT_JUDGED, {},
             {{"what", "spikes, jumps and cuts"},
              {"why", "many frames are repeated"}});
  }
}

class MotionRules final : public RowObserver {
 public:
  MotionRules() {
    for (const MakeRule make : kRules) rules_.push_back(make());
  }

  int64_t MemoryBytes(const Skeleton& skeleton,
                      const SkeletonFacts& /*facts*/) const override {
    return MotionBlocks::MemoryBytes(skeleton) +
           static_cast<int64_t>(skeleton.channels.size()) * kRuleChannelBytes +
           MotionBlocks::MaxTracks(skeleton) * kRuleTrackBytes *
               static_cast<int64_t>(rules_.size());
  }

  void Begin(const ObservedClip& clip) override {
    clip_.emplace(clip);
    blocks_.Begin(clip);
    cuts_.Begin(blocks_.clip());
    blocks_.clip().cuts = &cuts_;
    for (const auto& rule : rules_) rule->Begin(blocks_.clip());
  }

  void Add(const ObservedRows& rows) override {
    int64_t done = 0;
    while (done < rows.frames) {
      if (blocks_.IsFull()) Pass(/*is_last=*/false);
      done += blocks_.Take(rows, done);
    }
  }

  // A clip with void rows is refused, and nothing is logged about it.
  void Truncate(int64_t /*frames*/) override {}

  void Finish(IssueLog* log) override {
    MotionClip& clip = blocks_.clip();
    if (clip.facts->frames = blocks_.frames(); clip.facts->frames == 0) return;
    Pass(/*is_last=*/true);
    FindBodyRoot();
    if (clip.facts->frames > 1) LogFrameTime(clip, log);
    if (clip.facts->non_finite_rows > 0) {
      log->SetNonFiniteRows(clip.facts->non_finite_rows,
                            blocks_.non_finite_runs());
      return LogNotJudged(*clip.facts, log);
    }
    // The rules about rows that repeat come first.
    rules_.front()->Finish(log);
    LogNotJudged(*clip.facts, log);
    if (clip.facts->frames < kFewestMotionFrames) return;
    cuts_.Finish(log);
    for (size_t i = 1; i < rules_.size(); ++i) rules_[i]->Finish(log);
  }

 private:
  void FindBodyRoot() {
    const std::vector<int32_t>& joints = clip_->facts.trunk.joints;
    if (joints.empty()) return;
    const int32_t stated = clip_->motion.stated_root;
    if (std::find(joints.begin(), joints.end(), stated) != joints.end()) {
      clip_->motion.body_root = stated;
      return;
    }
    if (joints.size() == 1) {
      clip_->motion.body_root = joints[0];
      return;
    }
    clip_->motion.body_root = FindBodyRoots(
        clip_->skeleton, std::span(&clip_->facts.trunk, 1),
        clip_->motion.moving_columns, clip_->conventions.joint_positions)[0];
  }
  // Gives the block to the rules, unless the clip has values that are not
  // finite.
  void Pass(bool is_last) {
    const MotionBlock* block = blocks_.Finish(is_last);
    if (block == nullptr) return;
    cuts_.Add(*block);
    for (const auto& rule : rules_) rule->Add(*block);
  }

  std::optional<ObservedClip> clip_;
  MotionBlocks blocks_;
  CutFinder cuts_;
  std::vector<std::unique_ptr<MotionRule>> rules_;
};

}  // namespace

std::unique_ptr<RowObserver> MakeMotionRules() {
  return std::make_unique<MotionRules>();
}

}  // namespace bvhmill
