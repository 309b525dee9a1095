// DATA_CUT: in one step at least DATA_CUT.share of the moving joints turn far
// more than in the steps before and after it.
//
// DATA_FIRST_FRAME_APART, DATA_LAST_FRAME_APART: the first or the last step of
// the clip is a cut, or a jump of a joint. The first pose may also fade into
// the motion over 2 to 4 frames.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/event_tests.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// A joint moves if one of its steps is above this.
constexpr double kMovingDegrees = 0.05;
// An issue lists at most this many cuts, the largest ones.
constexpr size_t kMostListedCuts = 16;

// A reference pose may fade into the motion over this many frames.
constexpr int64_t kFewestFadeFrames = 2;
constexpr int64_t kMostFadeFrames = 4;
// The frames after the fade with which it is compared.
constexpr int64_t kFramesAfterFade = 4;
constexpr double kLeastFadeDegrees = 1;
constexpr float kFadeRatio = 3;

// The step from frame - 1 to `frame`.
struct BodyStep {
  int64_t frame = 0;
  // Joints whose step is above 1 degree and above three times those before and
  // after it.
  double joints = 0;
  // The sum over joints of the part of their step above both neighbours.
  double degrees = 0;
};

// How an end of the clip stands apart from the frame next to it.
struct Apart {
  int64_t frame = 0;
  // More than one if a pose fades into the motion.
  int64_t frames = 1;
  // The number of joints that step, at least 1, and their largest step in
  // degrees (`degrees`).
  double joints = 1;
  // The joint, if there is only one; else -1.
  int32_t node = -1;
  double degrees = 0;
  // Rotations stand apart.
  bool by_rotation = false;
  // The largest step of a position, as a share of the reach; 0 if no position
  // stands apart.
  double reach = 0;

  bool is_apart() const { return by_rotation || reach > 0; }
};

// A reference pose that fades into the motion.
struct FadeIn {
  // The first frame of the motion; 0 if no joint takes part.
  int64_t frames = 0;
  // Joints that turn in each of these frames by more than 1 degree, and by more
  // than three times the largest step of the four frames after them.
  double joints = 0;
  // The largest sum of the steps of such a joint, in degrees.
  double degrees = 0;
};

FadeIn FadeOf(const MotionClip& clip, int64_t frames) {
  FadeIn fade;
  fade.frames = frames;
  const float least_step = StepOf(kLeastFadeDegrees);
  for (size_t track = 0; track < clip.rotations; ++track) {
    const float* const first = clip.sums[track].first_steps.data() + 1;
    const float* const end = first + frames;
    if (*first <= least_step) continue;
    const float least = *std::min_element(first, end);
    const float after = *std::max_element(end, end + kFramesAfterFade);
    if (least <= least_step || least <= kFadeRatio * kFadeRatio * after)
      continue;
    double degrees = 0;
    for (const float* step = first; step < end; ++step) {
      degrees += AngleDegrees(double{*step});
    }
    ++fade.joints;
    fade.degrees = std::max(fade.degrees, degrees);
  }
  return fade;
}

// The number of frames in which the most joints take part. O(joints).
FadeIn FindFadeIn(const MotionClip& clip) {
  FadeIn best;
  for (int64_t n = kFewestFadeFrames; n <= kMostFadeFrames; ++n) {
    if (n + kFramesAfterFade >= clip.frames) break;
    const FadeIn fade = FadeOf(clip, n);
    if (fade.joints > best.joints) best = fade;
  }
  return best;
}

std::string Count(double count) {
  return std::to_string(static_cast<int64_t>(count));
}

class CutRules final : public MotionRule {
 public:
  explicit CutRules(const MotionClip& clip) : MotionRule(clip) {}
  void Decide(IssueLog* log) override;

 private:
  double Moving() const;
  BodyStep StepTo(int64_t frame) const;
  bool IsLarge(const BodyStep& step) const;
  Apart ApartAt(const BodyStep& step, bool is_first) const;
  Apart FirstApart() const;
  bool Leaps(size_t track, bool is_first) const;
  void LogApart(IssueCode code, const Apart& apart, IssueLog* log) const;
  std::vector<BodyStep> FindCuts() const;
  void LogCuts(IssueLog* log) const;

  // Joints that move.
  double moving_ = 0;
  // The least degrees of a cut: DATA_CUT.usual times the mean step of the clip,
  // because in a restless clip many joints leap together by chance.
  double least_cut_ = 0;
  // The limits of jumps.
  EventLimits rotations_;
  EventLimits positions_;
};

double CutRules::Moving() const {
  const float least = StepOf(kMovingDegrees);
  const auto begin = clip_.sums.begin();
  return static_cast<double>(
      std::count_if(begin, begin + static_cast<ptrdiff_t>(clip_.rotations),
                    [least](const auto& s) { return s.max_step > least; }));
}

BodyStep CutRules::StepTo(int64_t frame) const {
  return {frame, FrameTotals::FrameZero(clip_.totals.jumpers)[frame],
          2 * kDegrees *
              double{FrameTotals::FrameZero(clip_.totals.excess)[frame]}};
}

bool CutRules::IsLarge(const BodyStep& step) const {
  return step.joints >= clip_[Threshold::DATA_CUT_joints] &&
         step.joints >= clip_[Threshold::DATA_CUT_share] * moving_ &&
         step.degrees >= clip_[Threshold::DATA_CUT_degrees] * moving_;
}

// True if the first or the last step of the clip meets the conditions of a
// jump.
bool CutRules::Leaps(size_t track, bool is_first) const {
  const TrackSums& sums = clip_.sums[track];
  const EventLimits& limits = track < clip_.rotations ? rotations_ : positions_;
  const std::array<float, 3> steps =
      is_first ? std::array{0.0F, sums.first_steps[1], sums.first_steps[2]}
               : std::array{sums.step_before_last, sums.last_step, 0.0F};
  const Around at = {&steps[1], nullptr, limits};
  if (!MayBeJump(at)) return false;
  const auto jump = JumpAt(clip_, at, 0);
  return jump && IsProved(clip_, jump->proof, jump->compared, track);
}

// Tests the step by the conditions of a cut for all joints, and by those of a
// jump for each joint.
Apart CutRules::ApartAt(const BodyStep& step, bool is_first) const {
  const MotionClip& clip = clip_;
  Apart apart;
  apart.frame = is_first ? 0 : step.frame;
  apart.joints = std::max(step.joints, 1.0);
  apart.by_rotation = IsLarge(step);
  const bool is_cut = apart.by_rotation;
  std::vector<int32_t> nodes;
  const auto size = [&](size_t track) {
    return is_first ? clip.sums[track].first_steps[1]
                    : clip.sums[track].last_step;
  };
  float largest = 0;
  for (size_t i = 0; i < clip.rotations; ++i) {
    largest = std::max(largest, size(i));
    if (Leaps(i, is_first)) nodes.push_back(clip.tracks[i].node);
  }
  apart.degrees = AngleDegrees(largest);
  apart.by_rotation = is_cut || !nodes.empty();
  const double reach = clip.facts->reach;
  for (size_t i = clip.rotations; reach > 0 && i < clip.tracks.size(); ++i) {
    if (!Leaps(i, is_first)) continue;
    nodes.push_back(clip.tracks[i].node);
    apart.reach = std::max(apart.reach, std::sqrt(double{size(i)}) / reach);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  apart.joints = std::max(apart.joints, static_cast<double>(nodes.size()));
  if (!is_cut && apart.joints == 1 && !nodes.empty()) apart.node = nodes[0];
  return apart;
}

// The frames in which the pose of frame 0 fades into the motion, or frame 0
// alone.
Apart CutRules::FirstApart() const {
  const MotionClip& clip = clip_;
  const FadeIn fade = FindFadeIn(clip);
  const bool fades = fade.joints >= clip[Threshold::DATA_CUT_joints] &&
                     fade.joints >= clip[Threshold::DATA_CUT_share] * moving_;
  if (!fades) return ApartAt(StepTo(1), /*is_first=*/true);
  Apart apart;
  apart.frames = fade.frames;
  apart.joints = fade.joints;
  apart.degrees = fade.degrees;
  apart.by_rotation = true;
  return apart;
}

void CutRules::LogApart(IssueCode code, const Apart& apart,
                        IssueLog* log) const {
  std::string amount;
  if (apart.by_rotation) amount = Short(apart.degrees) + " degrees";
  if (apart.reach > 0) {
    amount +=
        (amount.empty() ? "" : " and ") + Short(apart.reach) + " of the reach";
  }
  const bool is_one = apart.node >= 0;
  IssueArgs args = {{"joints", Count(apart.joints)},
                    {"where", is_one ? QuotedNode(clip_, apart.node)
                                     : Count(apart.joints) + " joints"},
                    {"amount", amount},
                    {"degrees", Short(apart.degrees)}};
  if (apart.reach > 0) args.emplace_back("reach", Short(apart.reach));
  Location at = is_one ? MotionLocation(clip_, apart.node, apart.frame)
                       : FrameLocation(apart.frame);
  const std::string last = std::to_string(apart.frames - 1);
  if (apart.frames > 1) at.last_frame = apart.frames - 1;
  if (code == IssueCode::DATA_FIRST_FRAME_APART) {
    args.emplace_back("which", apart.frames == 1
                                   ? "frame 0 is"
                                   : "frames 0 to " + last + " are");
    args.emplace_back("frames", std::to_string(apart.frames));
  }
  log->Add(code, at, std::move(args));
}

// All cuts, the largest one first.
std::vector<BodyStep> CutRules::FindCuts() const {
  std::vector<BodyStep> cuts;
  for (int64_t t = 2; t < clip_.frames - 1; ++t) {
    const BodyStep step = StepTo(t);
    const bool is_cut = step.joints >= 1 && step.degrees >= least_cut_;
    if (is_cut && IsLarge(step)) cuts.push_back(step);
  }
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const BodyStep& a, const BodyStep& b) {
                     return a.degrees > b.degrees;
                   });
  return cuts;
}

void CutRules::LogCuts(IssueLog* log) const {
  MotionFacts& facts = *clip_.facts;
  const std::vector<BodyStep> cuts = FindCuts();
  if (cuts.empty()) return;
  for (const BodyStep& cut : cuts) facts.cuts.push_back(cut.frame);
  const size_t listed = std::min(cuts.size(), kMostListedCuts);
  std::vector<int64_t> frames(
      facts.cuts.begin(), facts.cuts.begin() + static_cast<ptrdiff_t>(listed));
  std::sort(frames.begin(), frames.end());
  std::sort(facts.cuts.begin(), facts.cuts.end());
  const BodyStep& worst = cuts.front();
  IssueArgs args = {{"joints", Count(worst.joints)},
                    {"moving", Count(moving_)},
                    {"degrees", Short(worst.degrees / moving_)},
                    {"frames", FrameList(frames)}};
  if (listed > 1) args.emplace_back("at", FrameList(frames));
  const size_t others = cuts.size() - listed;
  std::string not_listed;
  if (others > 0) {
    not_listed = "; the list of frames lacks " + std::to_string(others) +
                 (others == 1 ? " smaller step" : " smaller steps");
    args.emplace_back("others", std::to_string(others));
  }
  args.emplace_back("not_listed", std::move(not_listed));
  log->Add(IssueCode::DATA_CUT, FrameLocation(worst.frame), std::move(args),
           static_cast<int64_t>(cuts.size()));
}

// Writes first_apart, last_apart and cuts of the facts.
void CutRules::Decide(IssueLog* log) {
  MotionFacts& facts = *clip_.facts;
  if (facts.has_many_repeats) return;
  moving_ = Moving();
  least_cut_ = clip_[Threshold::DATA_CUT_usual] * 2 * kDegrees *
               AllSteps(clip_) / static_cast<double>(clip_.frames - 1);
  rotations_ = RotationLimits(clip_);
  if (facts.reach > 0) positions_ = PositionLimits(clip_);
  const Apart first = FirstApart();
  const Apart last = ApartAt(StepTo(clip_.frames - 1), /*is_first=*/false);
  facts.first_apart = first.is_apart();
  facts.last_apart = last.is_apart();
  if (first.is_apart()) {
    LogApart(IssueCode::DATA_FIRST_FRAME_APART, first, log);
  }
  if (last.is_apart()) LogApart(IssueCode::DATA_LAST_FRAME_APART, last, log);
  LogCuts(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeCutRules(const MotionClip& clip) {
  return std::make_unique<CutRules>(clip);
}

}  // namespace bvhmill
