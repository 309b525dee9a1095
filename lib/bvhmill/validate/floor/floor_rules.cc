// Rules about feet and the floor; CheckFloor in rules.h lists their faults. The
// floor is the height below which the lowest foot is in a tenth of the frames.
// A shift of the whole figure in a part of the clip is DATA_BELOW_FLOOR if the
// figure sinks, and DATA_FLOOR_DRIFT if it rises. DATA_FOOT_SKATE compares the
// median speed of feet that touch the floor with its threshold, for the whole
// clip and then for its parts.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/skeletons/up_axis.h"
#include "bvhmill/validate/floor/floor_measure.h"
#include "bvhmill/validate/rules.h"

namespace bvhmill {
namespace {

constexpr const char* kDirectionNames[] = {"X", "Y", "Z", "-X", "-Y", "-Z"};

// The share of frames whose lowest foot may be below the floor.
constexpr double kFloorShare = 0.1;

// Reaches. If the height of the root above the feet varies less, it says little
// about the scale of the root.
constexpr double kBentLegs = 0.005;

// The trunk of the figure, as indices of Landmarks::nodes.
std::vector<int32_t> TrunkIn(const SkeletonFacts& facts) {
  const std::vector<int32_t>& nodes = facts.landmarks.nodes;
  std::vector<int32_t> trunk;
  for (const int32_t joint : facts.trunk.joints) {
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), joint);
    if (at == nodes.end() || *at != joint) break;
    trunk.push_back(static_cast<int32_t>(at - nodes.begin()));
  }
  // The trunk is that of the first ROOT; the figure may have another one.
  return trunk.empty() ? std::vector<int32_t>{0} : trunk;
}

class FloorRules {
 public:
  explicit FloorRules(const CheckedClip& clip)
      : clip_(clip),
        trunk_(TrunkIn(clip.facts)),
        measure_(clip, trunk_, BodyRoot()) {}
  void Run(IssueLog* log);

 private:
  // The direction along which floor and feet are judged; `clear` is the one in
  // which the head is above the feet.
  int UpFor(std::optional<int> clear) const;
  void CheckUp(std::optional<int> up, IssueLog* log) const;
  void CheckSinking(double floor, const std::optional<ShiftPart>& part,
                    IssueLog* log);
  void CheckDrift(const FootSteps& feet, const std::optional<ShiftPart>& part,
                  IssueLog* log);
  void CheckOffset(int up, double floor, IssueLog* log) const;
  void CheckSlide(const FootSlide& slide, const FootSteps& feet,
                  IssueLog* log) const;
  void CheckWay(const FootSlide& slide, IssueLog* log) const;
  double Limit(Threshold threshold) const { return clip_[threshold]; }
  int32_t NodeOf(int32_t landmark) const {
    return clip_.facts.landmarks.nodes[static_cast<size_t>(landmark)];
  }
  // The index of the body root in the trunk.
  size_t BodyRoot() const {
    for (size_t i = 0; i < trunk_.size(); ++i) {
      if (NodeOf(trunk_[i]) == clip_.motion.body_root) return i;
    }
    return 0;
  }
  // The body root of the figure.
  Location AtRoot() const {
    return LocationOf(clip_, NodeOf(trunk_[BodyRoot()]));
  }
  Location AtRoot(int64_t first, int64_t last) const {
    Location at = LocationAtFrame(clip_, NodeOf(trunk_[BodyRoot()]), first);
    at.last_frame = last;
    return at;
  }

  const CheckedClip& clip_;
  std::vector<int32_t> trunk_;
  FloorMeasure measure_;
};

void FloorRules::Run(IssueLog* log) {
  const MotionFacts& motion = clip_.motion;
  if (!measure_.is_finite() || measure_.counted() == 0) return;
  const std::optional<int> clear =
      ClearDirection(measure_.Up(), Limit(Threshold::DATA_UP_AXIS_GUESS_share));
  CheckUp(clear, log);
  if (motion.frames < kFewestMotionFrames) return;
  const int up = UpFor(clear);
  measure_.SetUp(up);
  const double floor = measure_.HeightOf(kFloorShare);
  // Feet beyond the bins are in another unit than the skeleton. Their heights
  // cannot be counted, and their steps say nothing.
  const bool is_near = !HeightBins::IsAtEnd(floor);
  const FootSteps feet = measure_.StepsOn(floor);
  const auto part = FindShiftPart(feet, Limit(Threshold::DATA_FLOOR_DRIFT_rise),
                                  Limit(Threshold::DATA_FLOOR_DRIFT_legs));
  if (is_near) CheckSinking(floor, part, log);
  CheckDrift(feet, part, log);
  CheckOffset(up, floor, log);
  // A median needs more than a few pairs of frames.
  const bool are_enough = measure_.frames() >= kFewestMotionFrames;
  if (!is_near || !are_enough) return;
  const FootSlide slide =
      measure_.Slide(floor + Limit(Threshold::DATA_FOOT_SKATE_height),
                     Limit(Threshold::DATA_FOOT_SKATE_vertical));
  if (!IsBeyondRates(clip_.frame_time)) CheckSlide(slide, feet, log);
  CheckWay(slide, log);
}

int FloorRules::UpFor(std::optional<int> clear) const {
  switch (clip_.source.up_axis) {
    case UpAxis::kY:
      return kPlusY;
    case UpAxis::kZ:
      return kPlusZ;
    case UpAxis::kX:
      return kPlusX;
    case UpAxis::kUnknown:
      break;
  }
  if (clear) return *clear;
  return clip_.motion.seems_z_up ? kPlusZ : kPlusY;
}

void FloorRules::CheckUp(std::optional<int> up, IssueLog* log) const {
  if (clip_.source.up_axis != UpAxis::kUnknown) return;
  if (!up || *up == kPlusY) return;
  const std::array<double, 3> mean = measure_.Up();
  const auto axis = AxisOfDirection(*up);
  log->Add(IssueCode::DATA_UP_AXIS_GUESS, AtRoot(),
           {{"evidence", "the head is above the feet along " +
                             std::string(kDirectionNames[*up]) + ", by " +
                             Short(std::fabs(mean[axis])) +
                             " of the distance in the mean over the clip"},
            {"axis", kDirectionNames[*up]}});
}

void FloorRules::CheckSinking(double floor,
                              const std::optional<ShiftPart>& part,
                              IssueLog* log) {
  // This part comes first: its level may be the floor of most frames, or of
  // few.
  if (part && part->rise < -Limit(Threshold::DATA_BELOW_FLOOR_depth)) {
    return log->Add(IssueCode::DATA_BELOW_FLOOR,
                    AtRoot(part->first, part->last),
                    {{"depth", Short(-part->rise)},
                     {"frames", std::to_string(part->last - part->first + 1)}});
  }
  const int64_t judged =
      measure_.CountBelow(floor - Limit(Threshold::DATA_BELOW_FLOOR_depth));
  if (judged == 0) return;
  const bool are_few = static_cast<double>(judged) <=
                       Limit(Threshold::DATA_BELOW_FLOOR_share) *
                           static_cast<double>(measure_.counted());
  // The frames from the first to the last of them, if they are neighbours. The
  // frames beside a single judged one need not be below the floor.
  const int64_t least = (judged - 1) * measure_.step() + 1;
  if (static_cast<double>(least) < Limit(Threshold::DATA_BELOW_FLOOR_frames) ||
      !are_few) {
    return;
  }
  const LowestFoot lowest = measure_.Lowest();
  const auto& nodes = clip_.facts.landmarks.nodes;
  log->Add(IssueCode::DATA_BELOW_FLOOR,
           LocationAtFrame(clip_, nodes[static_cast<size_t>(lowest.node)],
                           lowest.frame),
           {{"depth", Short(floor - lowest.height)},
            {"frames", std::to_string(judged * measure_.step())}});
}

void FloorRules::CheckDrift(const FootSteps& feet,
                            const std::optional<ShiftPart>& part,
                            IssueLog* log) {
  if (part && part->rise > 0) {
    return log->Add(IssueCode::DATA_FLOOR_DRIFT,
                    AtRoot(part->first, part->last),
                    {{"direction", "up"},
                     {"rise", Short(part->rise)},
                     {"where", "and back, with the whole figure"}});
  }
  const double seconds =
      static_cast<double>(clip_.motion.frames) * clip_.motion.dt;
  const auto parts = measure_.PartHeights();
  if (seconds < Limit(Threshold::DATA_FLOOR_DRIFT_seconds) || !parts) return;
  const double least = Limit(Threshold::DATA_FLOOR_DRIFT_step);
  bool rises = true;
  bool falls = true;
  for (size_t i = 1; i < parts->size(); ++i) {
    const double step = (*parts)[i] - (*parts)[i - 1];
    rises = rises && step > least;
    falls = falls && -step > least;
  }
  const double rise = parts->back() - parts->front();
  const double limit = Limit(Threshold::DATA_FLOOR_DRIFT_rise);
  // Jumps of the root do not count: they are DATA_JUMP.
  const double drifted = rise - LiftedAtOnce(feet);
  if ((!rises && !falls) || std::fabs(rise) <= limit ||
      (rises ? drifted : -drifted) <= limit) {
    return;
  }
  log->Add(IssueCode::DATA_FLOOR_DRIFT, AtRoot(),
           {{"direction", rises ? "up" : "down"},
            {"rise", Short(std::fabs(rise))},
            {"where", "from the first to the last fifth of the clip"}});
}

void FloorRules::CheckOffset(int up, double floor, IssueLog* log) const {
  const double height = SignOfDirection(up) * floor;
  const std::string axis(1, "XYZ"[AxisOfDirection(up)]);
  if (std::fabs(floor) > Limit(Threshold::DATA_ROOT_SCALE_distance) &&
      measure_.root_moves()) {
    return log->Add(IssueCode::DATA_ROOT_SCALE, AtRoot(),
                    {{"what", "the floor under the feet"},
                     {"value", Short(height)},
                     {"unit", "reaches from 0 along " + axis}});
  }
  if (std::fabs(floor) <= Limit(Threshold::DATA_FLOOR_OFFSET_distance)) return;
  log->Add(IssueCode::DATA_FLOOR_OFFSET, AtRoot(),
           {{"height", Short(height * clip_.motion.reach)},
            {"axis", axis},
            {"share", Short(std::fabs(floor))}});
}

void FloorRules::CheckSlide(const FootSlide& slide, const FootSteps& feet,
                            IssueLog* log) const {
  // Less contact is enough for feet that the body carries along, that walk in
  // place, or that are fast.
  const bool is_carried =
      slide.root_is_still ||
      std::fabs(slide.gain) >= Limit(Threshold::DATA_FOOT_SKATE_gain);
  const bool is_fast = slide.median > Limit(Threshold::DATA_FOOT_SKATE_fast);
  const double share =
      Limit(is_carried || is_fast ? Threshold::DATA_FOOT_SKATE_carried_share
                                  : Threshold::DATA_FOOT_SKATE_share);
  if (slide.contact >= share &&
      slide.median > Limit(Threshold::DATA_FOOT_SKATE_speed)) {
    return log->Add(IssueCode::DATA_FOOT_SKATE, AtRoot(),
                    {{"median", Short(slide.median)},
                     {"gain", Short(slide.root_is_still ? 0 : slide.gain)}});
  }
  const auto part =
      FindSlidePart(feet, {Limit(Threshold::DATA_FOOT_SKATE_part_seconds),
                           Limit(Threshold::DATA_FOOT_SKATE_part_speed),
                           Limit(Threshold::DATA_FOOT_SKATE_part_contrast)});
  if (!part) return;
  log->Add(IssueCode::DATA_FOOT_SKATE, AtRoot(part->first, part->last),
           {{"median", Short(part->median)}, {"gain", Short(part->gain)}});
}

// In the right unit the root rises as far as the legs stretch, and feet on the
// floor stand. If the unit of the root is too large, its numbers are too small:
// it moves in the same rhythm, but by a share of the way.
void FloorRules::CheckWay(const FootSlide& slide, IssueLog* log) const {
  const double most = Limit(Threshold::DATA_ROOT_SCALE_way);
  const double least = Limit(Threshold::DATA_ROOT_SCALE_correlation);
  const auto add = [&](const char* what, double share) {
    log->Add(IssueCode::DATA_ROOT_SCALE, AtRoot(),
             {{"what", what},
              {"value", Short(100 * share)},
              {"unit", "% of what its feet on the floor ask for"}});
  };
  const RootRise rise = measure_.Rise();
  if (rise.legs >= kBentLegs && rise.gain < most && rise.correlation >= least) {
    return add("the rise and fall of the root", rise.gain);
  }
  if (slide.contact < Limit(Threshold::DATA_FOOT_SKATE_carried_share)) return;
  // If the root moves by the share s of its way, a foot that should stand moves
  // back by 1 - s while the root moves forth by s.
  const double share = 1 / std::fabs(1 - slide.gain);
  if (share < most && std::fabs(slide.correlation) >= least) {
    add("the way of the root", share);
  }
}

}  // namespace

void CheckFloor(const CheckedClip& clip, IssueLog* log) {
  const bool is_judged = !clip.landmarks.empty() && clip.motion.reach > 0 &&
                         clip.motion.non_finite_rows == 0;
  if (is_judged) FloorRules(clip).Run(log);
}

}  // namespace bvhmill
