#include "bvhmill/validate/motion/cut_finder.h"

#include <algorithm>
#include <cmath>
#include <string>
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
  first_ = last_ = {};
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

void CutFinder::Keep(const CutCandidate& step) {
  const auto smallest = std::min_element(
      slots_.begin(), slots_.end(), [](const auto& a, const auto& b) {
        return (a ? a->degrees : -1) < (b ? b->degrees : -1);
      });
  if (*smallest && (*smallest)->degrees >= step.degrees) return;
  if (*smallest) replaced_ |= 1U << (smallest - slots_.begin());
  *smallest = step;
}

void CutFinder::Add(const MotionBlock& block) {
  replaced_ = 0;
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
  return -1;
}

// The conditions of a cut for all joints, or of a jump for one of them.
bool CutFinder::IsApart(const CutCandidate& step, bool is_first) const {
  const MotionClip& clip = *clip_;
  if (IsCandidate(step, Moving())) return true;
  const double dt = clip.facts->dt;
  const double frames = static_cast<double>(clip.facts->frames - 1);
  for (size_t i = 0; i < clip.rotations; ++i) {
    const TrackSums& sums = clip.sums[i];
    const double turn =
        StepDegrees(is_first ? sums.first_step : sums.last_step);
    const double next =
        StepDegrees(is_first ? sums.second_step : sums.step_before_last);
    if (turn - next < clip[Threshold::DATA_JUMP_degrees] || 4 * next > turn) {
      continue;
    }
    const double mean = std::max(2 * kDegrees * sums.steps / frames, 0.2);
    if ((turn - next) / (dt * dt) >=
            clip[Threshold::DATA_JUMP_degrees_per_second2] ||
        (turn >= clip[Threshold::DATA_JUMP_calm_degrees] &&
         turn >= clip[Threshold::DATA_JUMP_calm_ratio] * mean)) {
      return true;
    }
  }
  return false;
}

void CutFinder::LogApart(IssueCode code, const CutCandidate& step,
                         bool is_first, IssueLog* log) const {
  double largest = 0;
  for (size_t i = 0; i < clip_->rotations; ++i) {
    const TrackSums& sums = clip_->sums[i];
    largest = std::max(
        largest, AngleDegrees(is_first ? sums.first_step : sums.last_step));
  }
  log->Add(code, FrameLocation(is_first ? 0 : step.frame),
           {{"joints", Count(std::max(step.joints, 1.0))},
            {"degrees", Short(largest)}});
}

void CutFinder::Finish(IssueLog* log) {
  MotionFacts& facts = *clip_->facts;
  if (facts.has_many_repeats) return;
  facts.first_apart = IsApart(first_, true);
  facts.last_apart = IsApart(last_, false);
  if (facts.first_apart) {
    LogApart(IssueCode::DATA_FIRST_FRAME_APART, first_, true, log);
  }
  if (facts.last_apart) {
    LogApart(IssueCode::DATA_LAST_FRAME_APART, last_, false, log);
  }
  const double moving = Moving();
  const CutCandidate* worst = nullptr;
  for (size_t i = 0; i < kSlots; ++i) {
    accepted_[i] =
        slots_[i] && IsCandidate(*slots_[i], moving) && !IsUsual(*slots_[i]);
    if (!accepted_[i]) continue;
    facts.cuts.push_back(slots_[i]->frame);
    if (!worst || slots_[i]->degrees > worst->degrees) worst = &*slots_[i];
  }
  if (worst == nullptr) return;
  std::sort(facts.cuts.begin(), facts.cuts.end());
  std::string frames;
  for (const int64_t frame : facts.cuts) {
    frames += (frames.empty() ? "" : ", ") + std::to_string(frame);
  }
  log->Add(IssueCode::DATA_CUT, FrameLocation(worst->frame),
           {{"joints", Count(worst->joints)},
            {"moving", Count(moving)},
            {"degrees", Short(worst->degrees / moving)},
            {"frames", frames}},
           static_cast<int64_t>(facts.cuts.size()));
}

}  // namespace bvhmill
