#include "bvhmill/validate/motion/events/cut_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

// A joint moves if it ever turns by more in a step.
constexpr double kMovingDegrees = 0.05;

std::string Count(double count) {
  return std::to_string(static_cast<int64_t>(count));
}

}  // namespace

void CutFinder::Begin(const MotionClip& clip) {
  clip_ = &clip;
  slots_.fill(std::nullopt);
  accepted_.fill(false);
  replaced_ = 0;
  others_ = 0;
  largest_other_ = {};
  other_frames_.clear();
  first_ = last_ = {};
  fade_ = {};
}

double CutFinder::Moving() const {
  const float least = StepOf(kMovingDegrees);
  const auto begin = clip_->sums.begin();
  return static_cast<double>(
      std::count_if(begin, begin + static_cast<ptrdiff_t>(clip_->rotations),
                    [least](const auto& s) { return s.max_step > least; }));
}

bool CutFinder::IsCandidate(const CutCandidate& step, double moving) const {
  const MotionClip& clip = *clip_;
  return step.joints >= clip[Threshold::DATA_CUT_joints] &&
         step.joints >= clip[Threshold::DATA_CUT_share] * moving &&
         step.degrees >= clip[Threshold::DATA_CUT_degrees] * moving;
}

// In a restless clip many joints leap together by chance.
bool CutFinder::IsUsual(const CutCandidate& step) const {
  double steps = 0;
  for (size_t i = 0; i < clip_->rotations; ++i) steps += clip_->sums[i].steps;
  const double mean = 2 * kDegrees * steps / (clip_->facts->frames - 1);
  return step.degrees < (*clip_)[Threshold::DATA_CUT_usual] * mean;
}

bool CutFinder::IsCutAtEnd(const CutCandidate& step, double moving) const {
  return IsCandidate(step, moving) && !IsUsual(step);
}

void CutFinder::LeaveOut(const CutCandidate& step) {
  if (others_++ == 0 || step.degrees > largest_other_.degrees) {
    largest_other_ = step;
  }
  other_frames_.push_back(step.frame);
}

void CutFinder::Keep(const CutCandidate& step) {
  const auto smallest = std::min_element(
      slots_.begin(), slots_.end(), [](const auto& a, const auto& b) {
        return (a ? a->degrees : -1) < (b ? b->degrees : -1);
      });
  if (*smallest && (*smallest)->degrees >= step.degrees) return LeaveOut(step);
  if (*smallest) {
    replaced_ |= 1U << (smallest - slots_.begin());
    LeaveOut(**smallest);
  }
  *smallest = step;
}

void CutFinder::Add(const MotionBlock& block) {
  replaced_ = 0;
  std::erase_if(other_frames_,
                [&](int64_t frame) { return frame < block.first - kLag; });
  if (block.first == 0) fade_ = FindFadeIn(*clip_, block);
  const StepTotals& totals = *block.totals;
  double moving = -1;
  const int64_t begin = std::max<int64_t>(block.BeginFor(1), 1);
  for (int64_t t = begin; t < block.EndFor(1); ++t) {
    const size_t i = block.IndexOf(t);
    const CutCandidate step = {t, totals.jumpers[i],
                               2 * kDegrees * double{totals.excess[i]}};
    if (t == 1) first_ = step;
    if (block.is_last && t + 1 == block.end()) last_ = step;
    if (t == 1 || step.joints < 1) continue;
    if (block.is_last && t + 1 == block.end()) continue;
    if (moving < 0) moving = Moving();
    if (IsCandidate(step, moving)) Keep(step);
  }
}

int CutFinder::SlotOf(int64_t frame) const {
  for (size_t i = 0; i < kSlots; ++i) {
    if (slots_[i] && slots_[i]->frame == frame) return static_cast<int>(i);
  }
  const bool is_other = std::find(other_frames_.begin(), other_frames_.end(),
                                  frame) != other_frames_.end();
  return is_other ? kOthers : -1;
}

// The conditions of a jump, in the first or the last step of the clip.
bool CutFinder::Leaps(size_t track, bool is_first) const {
  const TrackSums& sums = clip_->sums[track];
  const EventLimits& limits =
      track < clip_->rotations ? rotations_ : positions_;
  const std::array<float, 3> steps =
      is_first ? std::array{0.0F, sums.first_step, sums.second_step}
               : std::array{sums.step_before_last, sums.last_step, 0.0F};
  const auto jump = JumpAt(*clip_, {&steps[1], nullptr, limits}, 0);
  return jump && IsProved(*clip_, jump->proof, jump->compared, track);
}

// The conditions of a cut for all joints, or of a jump for one of them.
Apart CutFinder::ApartAt(const CutCandidate& step, bool is_first) const {
  const MotionClip& clip = *clip_;
  Apart apart;
  apart.frame = is_first ? 0 : step.frame;
  apart.joints = std::max(step.joints, 1.0);
  apart.by_rotation = IsCandidate(step, Moving());
  const bool is_cut = apart.by_rotation;
  std::vector<int32_t> nodes;
  const auto size = [&](size_t track) {
    return is_first ? clip.sums[track].first_step : clip.sums[track].last_step;
  };
  for (size_t i = 0; i < clip.rotations; ++i) {
    apart.degrees = std::max(apart.degrees, AngleDegrees(size(i)));
    if (Leaps(i, is_first)) nodes.push_back(clip.tracks[i].node);
  }
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
Apart CutFinder::FirstApart() const {
  const MotionClip& clip = *clip_;
  const bool fades = fade_.joints >= clip[Threshold::DATA_CUT_joints] &&
                     fade_.joints >= clip[Threshold::DATA_CUT_share] * Moving();
  if (!fades) return ApartAt(first_, /*is_first=*/true);
  Apart apart;
  apart.frames = fade_.frames;
  apart.joints = fade_.joints;
  apart.degrees = fade_.degrees;
  apart.by_rotation = true;
  return apart;
}

void CutFinder::LogApart(IssueCode code, const Apart& apart,
                         IssueLog* log) const {
  std::string amount;
  if (apart.by_rotation) amount = Short(apart.degrees) + " degrees";
  if (apart.reach > 0) {
    amount +=
        (amount.empty() ? "" : " and ") + Short(apart.reach) + " of the reach";
  }
  const bool is_one = apart.node >= 0;
  IssueArgs args = {{"joints", Count(apart.joints)},
                    {"where", is_one ? QuotedNode(*clip_, apart.node)
                                     : Count(apart.joints) + " joints"},
                    {"amount", amount},
                    {"degrees", Short(apart.degrees)}};
  if (apart.reach > 0) args.emplace_back("reach", Short(apart.reach));
  Location at = is_one ? MotionLocation(*clip_, apart.node, apart.frame)
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

void CutFinder::Finish(IssueLog* log) {
  MotionFacts& facts = *clip_->facts;
  if (facts.has_many_repeats) return;
  rotations_ = RotationLimits(*clip_);
  if (facts.reach > 0) positions_ = PositionLimits(*clip_);
  const Apart first = FirstApart();
  const Apart last = ApartAt(last_, false);
  facts.first_apart = first.is_apart();
  facts.last_apart = last.is_apart();
  if (first.is_apart()) {
    LogApart(IssueCode::DATA_FIRST_FRAME_APART, first, log);
  }
  if (last.is_apart()) LogApart(IssueCode::DATA_LAST_FRAME_APART, last, log);
  LogCuts(log);
}

void CutFinder::LogCuts(IssueLog* log) {
  MotionFacts& facts = *clip_->facts;
  const double moving = Moving();
  const CutCandidate* worst = nullptr;
  for (size_t i = 0; i < kSlots; ++i) {
    accepted_[i] = slots_[i] && IsCutAtEnd(*slots_[i], moving);
    if (!accepted_[i]) continue;
    facts.cuts.push_back(slots_[i]->frame);
    if (!worst || slots_[i]->degrees > worst->degrees) worst = &*slots_[i];
  }
  if (worst == nullptr) return;
  const bool has_others = others_ > 0 && IsCutAtEnd(largest_other_, moving);
  accepted_[kOthers] = has_others;
  std::sort(facts.cuts.begin(), facts.cuts.end());
  IssueArgs args = {{"joints", Count(worst->joints)},
                    {"moving", Count(moving)},
                    {"degrees", Short(worst->degrees / moving)},
                    {"frames", FrameList(facts.cuts)}};
  if (facts.cuts.size() > 1) args.emplace_back("at", FrameList(facts.cuts));
  const int64_t others = has_others ? others_ : 0;
  std::string not_listed;
  if (has_others) {
    not_listed = "; the list of frames lacks " + std::to_string(others) +
                 (others == 1 ? " smaller step" : " smaller steps");
    args.emplace_back("others", std::to_string(others));
  }
  args.emplace_back("not_listed", std::move(not_listed));
  log->Add(IssueCode::DATA_CUT, FrameLocation(worst->frame), std::move(args),
           static_cast<int64_t>(facts.cuts.size()) + others);
}

}  // namespace bvhmill
