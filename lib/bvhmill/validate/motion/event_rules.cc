// Spikes and jumps of joints: poses that cannot belong to their neighbours.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/events/candidates.h"
#include "bvhmill/validate/motion/events/cut_finder.h"
#include "bvhmill/validate/motion/events/event_tests.h"
#include "bvhmill/validate/motion/events/pulses.h"
#include "bvhmill/validate/motion/events/track_events.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// Frames after each that an event needs.
constexpr int64_t kLater = 4;

// The way of a jump of several steps is at least this share of their sum.
constexpr double kLeastStraight = 0.8;

// The index of the last frame of a jump whose first one has index `i`.
size_t EndOf(int steps, size_t i) { return i + static_cast<size_t>(steps) - 1; }

class EventRules final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  const EventLimits& LimitsOf(size_t track) const {
    return track < clip_->rotations ? rotations_ : positions_;
  }
  int SlotOf(int64_t frame, int steps) const;
  TrackEvents* EventsOf(size_t track);
  void Walk(const MotionBlock& block, size_t track);
  int SidesAt(const MotionBlock& block, size_t track, const Around& at,
              int64_t t) const;
  std::optional<TrackEvent> SpreadJumpAt(const MotionBlock& block, size_t track,
                                         const Around& at, int64_t t) const;
  std::optional<TrackEvent> AnyJumpAt(const MotionBlock& block, size_t track,
                                      const Around& at, int64_t t) const;
  void AddPulse(const MotionBlock& block, size_t track, const Around& at,
                int64_t t);
  void AddJump(const MotionBlock& block, size_t track, const TrackEvent& jump);
  void CloseOpen(TrackEvents* events) const;
  EventTally Proved(const EventList& list, size_t track) const;
  void Log(IssueCode code, const EventList& list, size_t track,
           IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  EventLimits rotations_;
  EventLimits positions_;
  // The longest spike, in frames.
  int64_t window_ = 0;
  // The track had a large step or kink in the block before.
  std::vector<uint8_t> is_hot_;
  // An index of events_ for each track, or -1.
  std::vector<int32_t> slots_;
  std::vector<TrackEvents> events_;
};

void EventRules::Begin(const MotionClip& clip) {
  clip_ = &clip;
  rotations_ = RotationLimits(clip);
  if (clip.facts->reach > 0) positions_ = PositionLimits(clip);
  // Frame times are rounded.
  constexpr double kRounding = 1.001;
  constexpr double kLongest = 1e6;
  window_ = static_cast<int64_t>(std::clamp(
      clip[Threshold::DATA_SPIKE_seconds] / clip.facts->dt * kRounding, 2.0,
      kLongest));
  is_hot_.assign(clip.tracks.size(), 0);
  slots_.assign(clip.tracks.size(), -1);
  events_.clear();
}

// The slot of the first cut among the steps to `frame` and to the frames after
// it; -1 if there is none.
int EventRules::SlotOf(int64_t frame, int steps) const {
  int slot = -1;
  for (int n = 0; n < steps && slot < 0; ++n) {
    slot = clip_->cuts->SlotOf(frame + n);
  }
  return slot;
}

TrackEvents* EventRules::EventsOf(size_t track) {
  if (slots_[track] < 0) {
    slots_[track] = static_cast<int32_t>(events_.size());
    events_.emplace_back().track = track;
  }
  return &events_[static_cast<size_t>(slots_[track])];
}

void EventRules::Add(const MotionBlock& block) {
  if (const uint32_t replaced = clip_->cuts->replaced(); replaced != 0) {
    for (TrackEvents& events : events_) {
      events.spikes.Release(replaced);
      events.jumps.Release(replaced);
      const bool is_released =
          events.open_slot >= 0 && (replaced >> events.open_slot & 1) != 0;
      if (is_released) events.open_slot = CutFinder::kOthers;
    }
  }
  const size_t tracks =
      clip_->facts->reach > 0 ? clip_->tracks.size() : clip_->rotations;
  for (size_t track = 0; track < tracks; ++track) {
    const EventLimits& limits = LimitsOf(track);
    const bool is_hot = block.max_steps[track] >= limits.spread_step ||
                        block.max_kinks[track] >= limits.least_kink;
    if (is_hot || is_hot_[track] != 0) Walk(block, track);
    is_hot_[track] = is_hot ? 1 : 0;
  }
}

void EventRules::Walk(const MotionBlock& block, size_t track) {
  const int64_t begin = std::max<int64_t>(block.BeginFor(kLater), 1);
  const int64_t end = block.is_last ? block.end() - 1 : block.EndFor(kLater);
  const EventLimits& limits = LimitsOf(track);
  const float* const steps = block.StepsOf(track);
  const float* const kinks = block.KinksOf(track);
  const size_t first = block.IndexOf(begin);
  const size_t last =
      first + static_cast<size_t>(std::max(end - begin, int64_t{0}));
  const Candidates candidates =
      FindCandidates(steps, kinks, first, last, limits);
  for (size_t i = NextCandidate(candidates, first, last); i < last;
       i = NextCandidate(candidates, i + 1, last)) {
    const bool may_be_local = (candidates[i] & kMayBeLocal) != 0 &&
                              MayBeLocalJump({steps + i, kinks + i, limits});
    const int64_t t = block.FrameOf(i);
    const bool is_inner =
        t >= kLocalMargin && (!block.is_last || t + kLocalMargin < block.end());
    const Around at{steps + i, kinks + i, limits, is_inner};
    if ((candidates[i] & kMayBeSpike) != 0) {
      if (const auto spike = SpikeAt(*clip_, at, t)) {
        EventsOf(track)->spikes.Add(*spike, SlotOf(t, /*steps=*/2));
      }
    }
    if ((candidates[i] & kMayBePulse) != 0) AddPulse(block, track, at, t);
    const bool may_be_jump =
        (candidates[i] & (kMayBeJump | kMayBeSpread)) != 0 || may_be_local;
    if (t < 2 || !may_be_jump) continue;
    if (const auto jump = AnyJumpAt(block, track, at, t)) {
      AddJump(block, track, *jump);
    }
  }
}

void EventRules::AddPulse(const MotionBlock& block, size_t track,
                          const Around& at, int64_t t) {
  const size_t before = block.IndexOf(t) - 1;
  PulsePoses poses;
  for (size_t k = 0; k < poses.size(); ++k) {
    poses[k] = PoseAt(*clip_, block, clip_->tracks[track], before + k);
  }
  const auto pulse = PulseAt(*clip_, at, poses, t);
  if (!pulse) return;
  EventsOf(track)->spikes.Add(*pulse, SlotOf(t, kPulseSteps));
}

int EventRules::SidesAt(const MotionBlock& block, size_t track,
                        const Around& at, int64_t t) const {
  if (!at.is_inner || !MayBeLocalJump(at)) return 0;
  JumpPoses poses;
  for (size_t k = 0; k < poses.size(); ++k) {
    poses[k] =
        PoseAt(*clip_, block, clip_->tracks[track], block.IndexOf(t) + k - 2);
  }
  return SidesOfJump(*clip_, at, poses);
}

// A jump of several steps that all lead the same way.
std::optional<TrackEvent> EventRules::SpreadJumpAt(const MotionBlock& block,
                                                   size_t track,
                                                   const Around& at,
                                                   int64_t t) const {
  if (!MayBeSpread(at)) return std::nullopt;
  const auto [steps, is_quick] = SpreadAt(at);
  if (steps == 1) return std::nullopt;
  const MotionTrack& which = clip_->tracks[track];
  const size_t i = block.IndexOf(t);
  const double square =
      StepBetween(PoseAt(*clip_, block, which, i - 1),
                  PoseAt(*clip_, block, which, EndOf(steps, i)));
  const double way = at.limits.step_unit * std::sqrt(square);
  double sum = 0;
  for (int n = 0; n < steps; ++n) sum += at.Step(n);
  if (way < kLeastStraight * sum) return std::nullopt;
  const bool is_rotation = at.limits.has_calm_forms;
  TrackEvent jump;
  jump.frame = t;
  jump.steps = steps;
  jump.proof = is_rotation && !is_quick ? Proof::kCalmStep : Proof::kCertain;
  jump.size = jump.compared = static_cast<float>(way);
  jump.stated = static_cast<float>(is_rotation ? AngleDegrees(square) : way);
  return jump;
}

// A jump by one of its forms, or the end of a spike.
std::optional<TrackEvent> EventRules::AnyJumpAt(const MotionBlock& block,
                                                size_t track, const Around& at,
                                                int64_t t) const {
  auto jump = JumpAt(*clip_, at, t);
  const int sides = SidesAt(block, track, at, t);
  constexpr int kBoth = kCalmBefore | kCalmAfter;
  const bool is_calm_beside = (sides & kBoth) == kBoth;
  if (!jump && !is_calm_beside) jump = SpreadJumpAt(block, track, at, t);
  if (!jump && sides == 0) return std::nullopt;
  if (!jump) jump = StepEvent(at, t, Proof::kEndOfSpike);
  if (is_calm_beside) jump->proof = Proof::kCertain;
  jump->sides = sides;
  return jump;
}

void EventRules::CloseOpen(TrackEvents* events) const {
  const bool is_jump =
      events->has_open && events->open.proof != Proof::kEndOfSpike;
  if (is_jump) events->jumps.Add(events->open, events->open_slot);
  events->has_open = false;
}

// Two jumps as a spike; nullopt if one of them proves nothing.
std::optional<TrackEvent> SpikeOf(const TrackEvent& open,
                                  const TrackEvent& jump) {
  const bool is_local =
      (open.sides & kVeryCalmBefore) != 0 && (jump.sides & kVeryCalmAfter) != 0;
  const bool has_end =
      open.proof == Proof::kEndOfSpike || jump.proof == Proof::kEndOfSpike;
  if (has_end && !is_local) return std::nullopt;
  const bool is_open_smaller = open.size < jump.size;
  TrackEvent spike = is_open_smaller ? open : jump;
  const TrackEvent& larger = is_open_smaller ? jump : open;
  if (is_local) {
    spike.proof = Proof::kCertain;
  } else if (spike.proof == Proof::kCertain) {
    spike.proof = larger.proof;
    if (larger.proof != Proof::kCertain) spike.compared = larger.compared;
  }
  if (spike.proof == Proof::kCalmStep) spike.proof = Proof::kCalmReturn;
  spike.frame = open.frame;
  spike.frames = static_cast<int32_t>(jump.frame - open.frame);
  spike.steps = 1;
  return spike;
}

// Two jumps are a spike if the second one leads back.
void EventRules::AddJump(const MotionBlock& block, size_t track,
                         const TrackEvent& jump) {
  const MotionTrack& which = clip_->tracks[track];
  const size_t i = block.IndexOf(jump.frame);
  const int slot = SlotOf(jump.frame, jump.steps);
  TrackEvents* events = EventsOf(track);
  const bool is_near =
      events->has_open && jump.frame - events->open.frame <= window_;
  if (is_near) {
    const double away =
        LimitsOf(track).step_unit *
        std::sqrt(StepBetween(
            events->pose, PoseAt(*clip_, block, which, EndOf(jump.steps, i))));
    const bool is_back =
        away <= (*clip_)[Threshold::DATA_SPIKE_back_after_jumps] *
                    std::min(events->open.size, jump.size);
    if (const auto spike = SpikeOf(events->open, jump); spike && is_back) {
      // It is at a cut if one of both jumps is.
      events->spikes.Add(*spike,
                         events->open_slot >= 0 ? events->open_slot : slot);
      events->has_open = false;
      return;
    }
  }
  if (jump.proof == Proof::kEndOfSpike) {
    const bool keeps = is_near && events->open.proof != Proof::kEndOfSpike;
    if (keeps || (jump.sides & kVeryCalmBefore) == 0) return;
  }
  CloseOpen(events);
  events->has_open = true;
  events->open = jump;
  events->open_slot = slot;
  events->pose = PoseAt(*clip_, block, which, i - 1);
}

// All events that are proved, and are at no cut.
EventTally EventRules::Proved(const EventList& list, size_t track) const {
  EventTally proved;
  const auto add = [&](const GradedEvents& events) {
    proved.Add(events.certain);
    for (const GradedEvents::Grade& grade : events.calm) {
      const bool counts = IsProved(*clip_, grade.proof, grade.most, track);
      if (counts) proved.Add(grade.tally);
    }
  };
  add(list.apart);
  if (!clip_->cuts->IsCut(CutFinder::kOthers)) add(list.at_others);
  for (const auto& [slot, event] : list.at_candidates) {
    const bool counts = !clip_->cuts->IsCut(slot) &&
                        IsProved(*clip_, event.proof, event.compared, track);
    if (counts) proved.Add(event);
  }
  return proved;
}

void EventRules::Log(IssueCode code, const EventList& list, size_t track,
                     IssueLog* log) const {
  const EventTally proved = Proved(list, track);
  if (proved.events == 0) return;
  const TrackEvent& worst = proved.worst;
  const MotionTrack& which = clip_->tracks[track];
  const bool is_rotation = which.kind == TrackKind::kRotation;
  const std::string size = Short(worst.stated);
  Location at = MotionLocation(*clip_, which.node, worst.frame);
  const int32_t span = std::max(worst.frames, worst.steps);
  if (span > 1) at.last_frame = worst.frame + span - 1;
  IssueArgs args = {
      {"joint", QuotedNode(*clip_, which.node)},
      {"kind", is_rotation ? "rotation" : "position"},
      {"amount", is_rotation ? size + " degrees" : size + " of the reach"},
      {is_rotation ? "degrees" : "reach", size},
      {"first", std::to_string(proved.frames.front())},
      {"last", std::to_string(proved.last)}};
  if (proved.events > 1) args.emplace_back("at", FrameList(proved.frames));
  if (worst.frames > 0) {
    args.emplace_back("frames", std::to_string(worst.frames));
  } else {
    args.emplace_back("within", worst.steps == 1
                                    ? "one frame"
                                    : std::to_string(worst.steps) + " frames");
  }
  log->Add(code, at, std::move(args), proved.events,
           is_rotation ? JointPart::kRotation : JointPart::kPosition);
}

void EventRules::Finish(IssueLog* log) {
  if (clip_->facts->has_many_repeats) return;
  std::sort(events_.begin(), events_.end(),
            [](const TrackEvents& a, const TrackEvents& b) {
              return a.track < b.track;
            });
  for (TrackEvents& events : events_) {
    CloseOpen(&events);
    Log(IssueCode::DATA_SPIKE, events.spikes, events.track, log);
    Log(IssueCode::DATA_JUMP, events.jumps, events.track, log);
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeEventRules() {
  return std::make_unique<EventRules>();
}

}  // namespace bvhmill
