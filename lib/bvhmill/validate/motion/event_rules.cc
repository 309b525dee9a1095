// DATA_SPIKE: a rotation or a position leaves its path for one or a few frames
// and comes back, faster than people move or far faster than the joint moves
// otherwise. Two jumps within DATA_SPIKE.seconds are a spike if the second one
// leads back.
//
// DATA_JUMP: it jumps within 1 to 3 steps and does not come back.
//
// An event at a cut is part of the cut and is not reported.

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/event_tests.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

// A jump of several steps leads at least this share of their sum away.
constexpr double kLeastStraight = 0.8;

// At this rate and slower ones, toes that push off turn there and back within a
// frame or two.
constexpr double kPushOffFrameTime = 1 / 45.0;
// The toes of both feet turn about as sharply. A spike that is this many times
// as sharp as any kink of the other foot is no part of the gait.
constexpr double kSharperThanGait = 2;

// The last frame of a jump.
int64_t EndOf(const TrackEvent& jump) { return jump.frame + jump.steps - 1; }

// A spike, or a jump that may be one end of a spike.
struct FoundEvent {
  int32_t track = 0;
  TrackEvent event;
  bool is_spike = false;
  // The steps of a spike, which a cut may explain.
  uint8_t spike_steps = 0;
};

// The proved spikes, or the proved jumps, of a track.
struct EventTally {
  int64_t events = 0;
  // The frames at which they begin.
  std::vector<int64_t> frames;
  // The first one if several are equally large.
  TrackEvent worst;
};

class EventRules final : public MotionRule {
 public:
  explicit EventRules(const MotionClip& clip);
  void Look(const MotionBlock& block) override;
  void Append(const MotionRule& later) override {
    AppendFound(static_cast<const EventRules&>(later).found_, &found_);
  }
  int64_t Bytes() const override { return BytesOf(found_); }
  void Decide(IssueLog* log) override;

 private:
  const EventLimits& LimitsOf(size_t track) const {
    return track < clip_.rotations ? rotations_ : positions_;
  }
  void LookAt(const MotionBlock& block, size_t i);
  std::optional<TrackEvent> SpreadJumpAt(size_t track, const Around& at,
                                         int64_t t) const;
  std::optional<TrackEvent> AnyJumpAt(size_t track, const Around& at,
                                      int64_t t) const;
  bool HasCut(int64_t frame, int64_t steps) const;
  double KinkOfOtherFoot(size_t track) const;
  bool LeadsBack(size_t track, const TrackEvent& open,
                 const TrackEvent& jump) const;
  void DecideTrack(size_t track, std::span<const FoundEvent> found,
                   IssueLog* log) const;
  void Log(IssueCode code, const EventTally& tally, size_t track,
           IssueLog* log) const;

  EventLimits rotations_;
  EventLimits positions_;
  // The longest spike, in frames.
  int64_t window_ = 0;
  std::vector<FoundEvent> found_;
};

EventRules::EventRules(const MotionClip& clip) : MotionRule(clip) {
  rotations_ = RotationLimits(clip);
  if (clip.facts->reach > 0) positions_ = PositionLimits(clip);
  // Frame times are rounded.
  constexpr double kRounding = 1.001;
  constexpr double kLongest = 1e6;
  window_ = static_cast<int64_t>(std::clamp(
      clip[Threshold::DATA_SPIKE_seconds] / clip.facts->dt * kRounding, 2.0,
      kLongest));
}

// The first and the last frame of a clip have no event.
void EventRules::Look(const MotionBlock& block) {
  const bool is_judged =
      block.track < clip_.rotations || clip_.facts->reach > 0;
  if (!is_judged) return;
  const EventScreen& screen = LimitsOf(block.track).screen;
  if (block.sums.max_step < std::min(screen.spread_step, screen.pulse_step) &&
      block.sums.max_kink < screen.least_kink) {
    return;
  }
  const EventBits may_be =
      MayBeEvents(block.steps.data(), block.kinks.data(),
                  StepEnd(static_cast<size_t>(block.frames)), screen);
  for (size_t word = 0; word < may_be.size(); ++word) {
    for (uint32_t bits = may_be[word]; bits != 0; bits &= bits - 1) {
      const size_t i = kStepLead + word * kStepParts +
                       static_cast<size_t>(std::countr_zero(bits));
      const int64_t t = block.FrameOf(i);
      if (t >= 1 && t < clip_.frames - 1) LookAt(block, i);
    }
  }
}

void EventRules::LookAt(const MotionBlock& block, size_t i) {
  const int64_t t = block.FrameOf(i);
  const bool is_inner = t >= kLocalMargin && t + kLocalMargin < clip_.frames;
  const size_t track = block.track;
  const Around at{&block.steps[i], &block.kinks[i], LimitsOf(track), is_inner};
  const auto id = static_cast<int32_t>(track);
  if (MayBeSpike(at)) {
    if (const auto spike = SpikeAt(clip_, at, t)) {
      found_.push_back({id, *spike, true, 2});
    }
  }
  if (MayBePulse(at)) {
    if (const auto pulse = PulseAt(clip_, clip_.tracks[track], at, t)) {
      found_.push_back({id, *pulse, true, kPulseSteps});
    }
  }
  if (t < 2 || !(MayBeJump(at) || MayBeSpread(at) || MayBeLocalJump(at))) {
    return;
  }
  if (const auto jump = AnyJumpAt(track, at, t)) {
    found_.push_back({id, *jump});
  }
}

// A jump of several steps in about one direction.
std::optional<TrackEvent> EventRules::SpreadJumpAt(size_t track,
                                                   const Around& at,
                                                   int64_t t) const {
  if (!MayBeSpread(at)) return std::nullopt;
  const auto [steps, is_quick] = SpreadAt(at);
  if (steps == 1) return std::nullopt;
  const MotionTrack& which = clip_.tracks[track];
  TrackEvent jump;
  jump.frame = static_cast<int32_t>(t);
  jump.steps = static_cast<uint8_t>(steps);
  const double square = StepBetween(PoseAt(clip_, which, t - 1),
                                    PoseAt(clip_, which, EndOf(jump)));
  const double way = at.limits.step_unit * std::sqrt(square);
  double sum = 0;
  for (int n = 0; n < steps; ++n) sum += at.Step(n);
  if (way < kLeastStraight * sum) return std::nullopt;
  const bool is_rotation = at.limits.has_calm_forms;
  jump.proof = is_rotation && !is_quick ? Proof::kCalmStep : Proof::kCertain;
  jump.size = jump.compared = static_cast<float>(way);
  jump.stated = static_cast<float>(is_rotation ? AngleDegrees(square) : way);
  return jump;
}

// A jump of any form, or the end of a spike.
std::optional<TrackEvent> EventRules::AnyJumpAt(size_t track, const Around& at,
                                                int64_t t) const {
  auto jump = JumpAt(clip_, at, t);
  const int sides = SidesOfJump(clip_, clip_.tracks[track], at, t);
  constexpr int kBoth = kCalmBefore | kCalmAfter;
  const bool is_calm_beside = (sides & kBoth) == kBoth;
  if (!jump && !is_calm_beside) jump = SpreadJumpAt(track, at, t);
  if (!jump && sides == 0) return std::nullopt;
  if (!jump) jump = StepEvent(at, t, Proof::kEndOfSpike);
  if (is_calm_beside) jump->proof = Proof::kCertain;
  jump->sides = static_cast<uint8_t>(sides);
  return jump;
}

// True if one of the `steps` steps from that to `frame` on is a cut.
bool EventRules::HasCut(int64_t frame, int64_t steps) const {
  const auto& cuts = clip_.facts->cuts;
  const auto cut = std::lower_bound(cuts.begin(), cuts.end(), frame);
  return cut != cuts.end() && *cut < frame + steps;
}

// Two jumps as a spike; nullopt if one of them is not calm enough to be its
// end.
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
  spike.frames = jump.frame - open.frame;
  spike.steps = 1;
  return spike;
}

// The largest kink of the toes of the other foot, in degrees. 0 if the track is
// no toe, or the rate is above that of kPushOffFrameTime.
double EventRules::KinkOfOtherFoot(size_t track) const {
  const auto& nodes = clip_.skeleton->nodes;
  const auto node_of = [&](size_t i) -> const Node& {
    return nodes[static_cast<size_t>(clip_.tracks[i].node)];
  };
  const bool may_push_off = clip_.facts->dt >= kPushOffFrameTime &&
                            track < clip_.rotations && IsToe(node_of(track));
  float most = 0;
  for (size_t i = 0; may_push_off && i < clip_.rotations; ++i) {
    const bool is_other =
        node_of(i).parent != node_of(track).parent && IsToe(node_of(i));
    if (is_other) most = std::max(most, clip_.sums[i].max_kink);
  }
  return KinkDegrees(most);
}

bool EventRules::LeadsBack(size_t track, const TrackEvent& open,
                           const TrackEvent& jump) const {
  const MotionTrack& which = clip_.tracks[track];
  const double away =
      LimitsOf(track).step_unit *
      std::sqrt(StepBetween(PoseAt(clip_, which, open.frame - 1),
                            PoseAt(clip_, which, EndOf(jump))));
  return away <= clip_[Threshold::DATA_SPIKE_back_after_jumps] *
                     std::min(open.size, jump.size);
}

void EventRules::DecideTrack(size_t track, std::span<const FoundEvent> found,
                             IssueLog* log) const {
  EventTally spikes;
  EventTally jumps;
  const double gait = kSharperThanGait * KinkOfOtherFoot(track);
  const auto add = [&](const TrackEvent& event, bool is_cut,
                       EventTally* tally) {
    if (is_cut || !IsProved(clip_, event.proof, event.compared, track)) return;
    if (tally == &spikes && event.size < gait) return;
    const bool is_worse =
        tally->events == 0 || event.size > tally->worst.size ||
        (event.size == tally->worst.size && event.frame < tally->worst.frame);
    if (is_worse) tally->worst = event;
    ++tally->events;
    tally->frames.push_back(event.frame);
  };
  std::optional<TrackEvent> open;
  const auto close = [&] {
    if (open) add(*open, HasCut(open->frame, open->steps), &jumps);
    open.reset();
  };
  for (const auto& [_, event, is_spike, steps] : found) {
    if (is_spike) {
      add(event, HasCut(event.frame, steps), &spikes);
      continue;
    }
    const bool is_near = open && event.frame - open->frame <= window_;
    const auto spike = is_near ? SpikeOf(*open, event) : std::nullopt;
    if (spike && LeadsBack(track, *open, event)) {
      const bool is_cut =
          HasCut(open->frame, open->steps) || HasCut(event.frame, event.steps);
      add(*spike, is_cut, &spikes);
      open.reset();
      continue;
    }
    if (event.proof == Proof::kEndOfSpike) {
      const bool keeps = is_near && open->proof != Proof::kEndOfSpike;
      if (keeps || (event.sides & kVeryCalmBefore) == 0) continue;
    }
    close();
    open = event;
  }
  close();
  Log(IssueCode::DATA_SPIKE, spikes, track, log);
  Log(IssueCode::DATA_JUMP, jumps, track, log);
}

void EventRules::Log(IssueCode code, const EventTally& tally, size_t track,
                     IssueLog* log) const {
  if (tally.events == 0) return;
  const TrackEvent& worst = tally.worst;
  const MotionTrack& which = clip_.tracks[track];
  const bool is_rotation = which.kind == TrackKind::kRotation;
  const std::string size = Short(worst.stated);
  std::vector<int64_t> frames = tally.frames;
  std::sort(frames.begin(), frames.end());
  Location at = MotionLocation(clip_, which.node, worst.frame);
  const int32_t span = std::max<int32_t>(worst.frames, worst.steps);
  if (span > 1) at.last_frame = worst.frame + span - 1;
  IssueArgs args = {
      {"joint", QuotedNode(clip_, which.node)},
      {"kind", is_rotation ? "rotation" : "position"},
      {"amount", is_rotation ? size + " degrees" : size + " of the reach"},
      {is_rotation ? "degrees" : "reach", size},
      {"first", std::to_string(frames.front())},
      {"last", std::to_string(frames.back())}};
  frames.resize(std::min(frames.size(), kMostListedFrames));
  if (tally.events > 1) args.emplace_back("at", FrameList(frames));
  if (worst.frames > 0) {
    args.emplace_back("frames", std::to_string(worst.frames));
  } else {
    args.emplace_back("within", worst.steps == 1
                                    ? "one frame"
                                    : std::to_string(worst.steps) + " frames");
  }
  log->Add(code, at, std::move(args), tally.events,
           is_rotation ? JointPart::kRotation : JointPart::kPosition);
}

void EventRules::Decide(IssueLog* log) {
  if (clip_.facts->has_many_repeats) return;
  ForEachTrack(&found_, [&](size_t track, std::span<const FoundEvent> found) {
    DecideTrack(track, found, log);
  });
}

}  // namespace

std::unique_ptr<MotionRule> MakeEventRules(const MotionClip& clip) {
  return std::make_unique<EventRules>(clip);
}

}  // namespace bvhmill
