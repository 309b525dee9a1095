#include "bvhmill/anim/avatar/limbs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

// The values of one frame; the rest pose has none.
class FrameValues {
 public:
  FrameValues(const Clip& clip, int64_t frame) {
    if (frame == kRestPoseFrame) return;
    const size_t width = clip.skeleton.channels.size();
    row_ = clip.motion.values.data() + static_cast<size_t>(frame) * width;
  }

  bool is_rest() const { return row_ == nullptr; }

  double At(int32_t column) const {
    const float value = row_[column];
    return std::isfinite(value) ? value : 0.0;
  }

 private:
  const float* row_ = nullptr;
};

Quat<double> LocalTurn(const Plan& plan, const PlanNode& node,
                       const FrameValues& values) {
  Quat<double> q;
  if (values.is_rest()) return q;
  for (int32_t i = 0; i < node.step_count; ++i) {
    const RotationStep& step = plan.steps[StepIndex(node, i)];
    q = Multiply(q, AxisQuat(step.axis, values.At(step.column)));
  }
  return q;
}

Vec3<double> LocalShift(const Node& node, const PlanNode& plan,
                        const FrameValues& values) {
  Vec3<double> shift = {};
  for (size_t k = 0; k < shift.size(); ++k) {
    const int32_t column = plan.position_column[k];
    shift[k] = values.is_rest() || column < 0
                   ? node.offset[k]
                   : plan.offset[k] + values.At(column);
  }
  return shift;
}

}  // namespace

void SolveSourcePose(const Clip& clip, const Plan& plan, int64_t frame,
                     SourcePose* pose) {
  const FrameValues values(clip, frame);
  const size_t count = plan.nodes.size();
  pose->turns.resize(count);
  pose->places.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const PlanNode& node = plan.nodes[i];
    Quat<double> turn = LocalTurn(plan, node, values);
    Vec3<double> place = LocalShift(clip.skeleton.nodes[i], node, values);
    if (node.parent >= 0) {
      const auto parent = static_cast<size_t>(node.parent);
      turn = Multiply(pose->turns[parent], turn);
      place = Transform<double>(ToMatrix(pose->turns[parent]),
                                pose->places[parent], place);
    }
    pose->turns[i] = turn;
    pose->places[i] = place;
  }
}

Vec3<double> TurnVector(const Quat<double>& q, const Vec3<double>& v) {
  return Transform<double>(ToMatrix(q), {}, v);
}

Quat<double> Conjugate(const Quat<double>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}

namespace {

constexpr std::span<const Limb> kArms = std::span(kLimbs).first<4>();
constexpr std::span<const Limb> kLegs = std::span(kLimbs).last<4>();
constexpr std::array<Limb, 2> kFeet = {
    {{"mAnkleLeft", "mFootLeft"}, {"mAnkleRight", "mFootRight"}}};

size_t IndexOf(std::string_view name) {
  return static_cast<size_t>(FindAvatarJoint(name));
}

Vec3<double> Middle(const Vec3<double>& a, const Vec3<double>& b) {
  return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
}

// False if the length of the vector is 0 or not finite.
bool Normalize(Vec3<double>* v) {
  const double length = std::sqrt(Dot(*v, *v));
  if (!(length > 0) || !std::isfinite(length)) return false;
  for (double& part : *v) part /= length;
  return true;
}

// The shortest rotation from a to b, which are unit vectors. If they are
// opposite, the rotation is about the axis ahead, like an arm that is lifted
// from one side over the head to the other.
Quat<double> Swing(const Vec3<double>& a, const Vec3<double>& b) {
  constexpr double kOpposite = 1e-6;
  const Vec3<double> axis = Cross(a, b);
  const double w = 1 + Dot(a, b);
  if (w < kOpposite) return {0, 0, 1, 0};
  const double length = std::sqrt(Dot(axis, axis) + w * w);
  return {axis[0] / length, axis[1] / length, axis[2] / length, w / length};
}

// The rotation about the unit vector `axis` that brings `a` as near to `b` as
// possible.
Quat<double> SwingAbout(const Vec3<double>& axis, const Vec3<double>& a,
                        const Vec3<double>& b) {
  const Vec3<double> side = Cross(axis, a);
  const double along = Dot(a, b) - Dot(axis, a) * Dot(axis, b);
  const double half = std::atan2(Dot(side, b), along) / 2;
  const double s = std::sin(half);
  return {axis[0] * s, axis[1] * s, axis[2] * s, std::cos(half)};
}

// Places of the avatar's joints at rest, relative to the pelvis's parent.
std::vector<Vec3<double>> MakeRestPlaces() {
  std::vector<Vec3<double>> places;
  for (const AvatarJoint& joint : AvatarJoints()) {
    Vec3<double> place = {};
    if (joint.parent >= 0) place = places[static_cast<size_t>(joint.parent)];
    for (size_t k = 0; k < 3; ++k) place[k] += joint.rest[(k + 1) % 3];
    places.push_back(place);
  }
  return places;
}

// Places of the avatar's joints: at rest, or in a pose of the source that is
// turned to face ahead.
class Places {
 public:
  static Places AtRest() {
    static const std::vector<Vec3<double>>* const kRest =
        new std::vector<Vec3<double>>(MakeRestPlaces());
    Places places;
    places.rest_ = kRest->data();
    return places;
  }
  static Places Of(const PoseView& pose) {
    Places places;
    places.pose_ = &pose;
    return places;
  }

  std::optional<Vec3<double>> At(std::string_view name) const {
    const size_t joint = IndexOf(name);
    if (pose_ == nullptr) return rest_[joint];
    const int32_t node = pose_->drivers[joint];
    if (node < 0) return std::nullopt;
    return TurnVector(Conjugate(pose_->heading),
                      pose_->places[static_cast<size_t>(node)]);
  }

  // The unit vector along a limb.
  std::optional<Vec3<double>> Along(const Limb& limb) const {
    const auto begin = At(limb.begin);
    const auto end = At(limb.end);
    if (!begin || !end) return std::nullopt;
    Vec3<double> bone = Minus(*end, *begin);
    if (!Normalize(&bone)) return std::nullopt;
    return bone;
  }

  // The unit vector from the right joint to the left one.
  std::optional<Vec3<double>> Across(TrunkEnd end) const {
    return end == TrunkEnd::kHips ? Along({"mHipRight", "mHipLeft"})
                                  : Along({"mShoulderRight", "mShoulderLeft"});
  }

  // The unit vector from hips to shoulders.
  std::optional<Vec3<double>> Up() const {
    const auto left_hip = At("mHipLeft");
    const auto right_hip = At("mHipRight");
    const auto left = At("mShoulderLeft");
    const auto right = At("mShoulderRight");
    if (!left_hip || !right_hip || !left || !right) return std::nullopt;
    Vec3<double> up =
        Minus(Middle(*left, *right), Middle(*left_hip, *right_hip));
    if (!Normalize(&up)) return std::nullopt;
    return up;
  }

 private:
  const Vec3<double>* rest_ = nullptr;
  const PoseView* pose_ = nullptr;
};

std::optional<double> DegreesOff(const PoseView& pose, const Limb& limb) {
  const auto source = Places::Of(pose).Along(limb);
  const auto avatar = Places::AtRest().Along(limb);
  if (!source || !avatar) return std::nullopt;
  return DegreesBetween(*avatar, *source);
}

void TakeFarthest(const PoseView& pose, std::span<const Limb> limbs,
                  OddLimb* odd) {
  for (const Limb& limb : limbs) {
    const std::optional<double> degrees = DegreesOff(pose, limb);
    if (!degrees || (odd->avatar_joint >= 0 && *degrees <= odd->degrees)) {
      continue;
    }
    *odd = {FindAvatarJoint(limb.begin), *degrees};
  }
}

// Turns joints from the root to the leaves; each follows the one above it.
class Matcher {
 public:
  Matcher(const PoseView& pose, std::span<const Quat<double>> turns,
          const LimbBones& bones, PoseMatch match)
      : pose_(pose),
        turns_of_nodes_(turns),
        bones_(bones),
        is_whole_(match == PoseMatch::kWhole) {}

  std::vector<Quat<double>> Match() {
    const size_t count = AvatarJoints().size();
    turns_.resize(count);
    for (size_t i = 0; i < count; ++i) turns_[i] = TurnOf(i);
    return std::move(turns_);
  }

 private:
  Quat<double> TurnOf(size_t joint) const {
    const AvatarJoint& at = AvatarJoints()[joint];
    const Quat<double> above =
        at.parent < 0 ? Quat<double>() : turns_[static_cast<size_t>(at.parent)];
    if (const auto trunk = TrunkOf(at.name)) return *trunk;
    if (const auto limb = LimbFrom(at.name)) return FollowLimb(*limb, above);
    if (const Limb* foot = FootFrom(at.name)) {
      return FollowFoot(*foot, is_whole_ ? above : Quat<double>());
    }
    return is_whole_ || FollowsAlways(at.name) ? above : Quat<double>();
  }

  std::optional<Quat<double>> TrunkOf(std::string_view name) const {
    if (!is_whole_) return std::nullopt;
    if (name == "mPelvis") return TrunkTurn(pose_, TrunkEnd::kHips);
    if (name == "mChest") return TrunkTurn(pose_, TrunkEnd::kShoulders);
    return std::nullopt;
  }

  // The index into kLimbs of the limb that begins at a joint.
  static std::optional<size_t> LimbFrom(std::string_view name) {
    for (size_t i = 0; i < kLimbs.size(); ++i) {
      if (kLimbs[i].begin == name) return i;
    }
    return std::nullopt;
  }

  static const Limb* FootFrom(std::string_view name) {
    const auto it =
        std::find_if(kFeet.begin(), kFeet.end(),
                     [&](const Limb& foot) { return foot.begin == name; });
    return it == kFeet.end() ? nullptr : &*it;
  }

  // Fingers and toes.
  static bool FollowsAlways(std::string_view name) {
    return name.starts_with("mWrist") || name.starts_with("mHand") ||
           name.starts_with("mFoot") || name.starts_with("mToe");
  }

  // `above`, followed by the shortest rotation from the avatar's limb to
  // `source`. Only `above` if the two agree: the rotation would be a rounding
  // error.
  Quat<double> Follow(const Limb& limb, const Vec3<double>& source,
                      const Quat<double>& above) const {
    constexpr double kSameDegrees = 0.01;
    const auto avatar = Places::AtRest().Along(limb);
    const Vec3<double> turned = TurnVector(above, *avatar);
    if (DegreesBetween(turned, source) < kSameDegrees) return above;
    return Multiply(Swing(turned, source), above);
  }

  Quat<double> FollowLimb(size_t limb, const Quat<double>& above) const {
    const auto& bone = bones_[limb];
    if (!bone) return above;
    const int32_t node = pose_.drivers[IndexOf(kLimbs[limb].begin)];
    const Vec3<double> in_world =
        TurnVector(turns_of_nodes_[static_cast<size_t>(node)], *bone);
    return Follow(kLimbs[limb], TurnVector(Conjugate(pose_.heading), in_world),
                  above);
  }

  // `above`, unless the source's foot then points elsewhere.
  Quat<double> FollowFoot(const Limb& foot, const Quat<double>& above) const {
    constexpr double kOddDegrees = 30;
    const auto source = Places::Of(pose_).Along(foot);
    const auto avatar = Places::AtRest().Along(foot);
    const bool is_odd =
        source && avatar &&
        DegreesBetween(TurnVector(above, *avatar), *source) > kOddDegrees;
    return is_odd ? Follow(foot, *source, above) : above;
  }

  const PoseView& pose_;
  const std::span<const Quat<double>> turns_of_nodes_;
  const LimbBones& bones_;
  const bool is_whole_;
  std::vector<Quat<double>> turns_;
};

// Degrees between a limb of the source and that of the avatar at rest, turned
// by `trunk`; 0 if the source lacks it.
double DegreesFrom(const PoseView& pose, const Limb& limb,
                   const Quat<double>& trunk) {
  const auto source = Places::Of(pose).Along(limb);
  const auto avatar = Places::AtRest().Along(limb);
  if (!source || !avatar) return 0;
  return DegreesBetween(TurnVector(trunk, *avatar), *source);
}

// As DegreesFrom, but an arm is also at rest if it hangs down.
double ArmDegrees(const PoseView& pose, const Limb& limb,
                  const Quat<double>& trunk) {
  const auto source = Places::Of(pose).Along(limb);
  if (!source) return 0;
  const Vec3<double> down = TurnVector(trunk, {0, -1, 0});
  return std::min(DegreesFrom(pose, limb, trunk),
                  DegreesBetween(down, *source));
}

}  // namespace

double DegreesBetween(const Vec3<double>& a, const Vec3<double>& b) {
  const Vec3<double> cross = Cross(a, b);
  return std::atan2(std::sqrt(Dot(cross, cross)), Dot(a, b)) *
         kDegreesPerRadian<double>;
}

std::optional<Vec3<double>> AlongLimb(const PoseView& pose, const Limb& limb) {
  PoseView here = pose;
  here.heading = {};
  return Places::Of(here).Along(limb);
}

Quat<double> HeadingOf(const PoseView& pose) {
  constexpr double kNoHeading = 1e-3;
  PoseView here = pose;
  here.heading = {};
  for (const TrunkEnd end : {TrunkEnd::kHips, TrunkEnd::kShoulders}) {
    const auto across = Places::Of(here).Across(end);
    if (!across) continue;
    const double flat = std::hypot((*across)[0], (*across)[2]);
    if (!(flat > 0 && flat >= std::fabs((*across)[1]))) continue;
    const double angle = std::atan2(-(*across)[2], (*across)[0]);
    if (std::fabs(angle) < kNoHeading) return {};
    return {0, std::sin(angle / 2), 0, std::cos(angle / 2)};
  }
  return {};
}

std::optional<Quat<double>> TrunkTurn(const PoseView& pose, TrunkEnd end) {
  const Places source = Places::Of(pose);
  const Places avatar = Places::AtRest();
  const auto across = source.Across(end);
  const auto up = source.Up();
  if (!across || !up) return std::nullopt;
  const Quat<double> aligned = Swing(*avatar.Across(end), *across);
  const Vec3<double> lifted = TurnVector(aligned, *avatar.Up());
  return Multiply(SwingAbout(*across, lifted, *up), aligned);
}

std::optional<double> TrunkLean(const PoseView& pose) {
  const auto up = Places::Of(pose).Up();
  if (!up) return std::nullopt;
  return DegreesBetween(*up, {0, 1, 0});
}

OddLimb FarthestLimb(const PoseView& pose, Limbs limbs) {
  OddLimb odd;
  if (limbs != Limbs::kLegs) TakeFarthest(pose, kArms, &odd);
  if (limbs != Limbs::kArms) TakeFarthest(pose, kLegs, &odd);
  return odd;
}

namespace {

double LengthOf(const Places& places, const Limb& limb) {
  const auto begin = places.At(limb.begin);
  const auto end = places.At(limb.end);
  if (!begin || !end) return 0;
  const Vec3<double> bone = Minus(*end, *begin);
  return std::sqrt(Dot(bone, bone));
}

// The length of the longer complete leg; 0 if there is none.
double LegOf(const Places& places) {
  double length = 0;
  for (size_t side = 0; side < 2; ++side) {
    const double thigh = LengthOf(places, kLegs[side]);
    const double shin = LengthOf(places, kLegs[side + 2]);
    if (thigh > 0 && shin > 0) length = std::max(length, thigh + shin);
  }
  return length;
}

// Length of a leg less its height from ankle to hip, over its length: that of
// the straighter leg; 1 if there is no complete leg.
double BendOf(const Places& places) {
  double bend = 1;
  for (size_t side = 0; side < 2; ++side) {
    const double length =
        LengthOf(places, kLegs[side]) + LengthOf(places, kLegs[side + 2]);
    const auto hip = places.At(kLegs[side].begin);
    const auto ankle = places.At(kLegs[side + 2].end);
    if (!hip || !ankle || !(length > 0)) continue;
    bend = std::min(bend, 1 - ((*hip)[1] - (*ankle)[1]) / length);
  }
  return bend;
}

}  // namespace

std::optional<double> LegLength(const PoseView& pose) {
  const double length = LegOf(Places::Of(pose));
  if (!(length > 0) || !std::isfinite(length)) return std::nullopt;
  return length;
}

double LegSlack(const PoseView& pose) {
  constexpr double kLeastBend = 0.02;
  const double length = LegOf(Places::Of(pose));
  if (!(length > 0) || !std::isfinite(length)) return 0;
  const double bend = BendOf(Places::Of(pose)) - BendOf(Places::AtRest());
  return bend > kLeastBend ? bend * length : 0;
}

double AvatarLegLength() { return LegOf(Places::AtRest()); }

std::vector<Quat<double>> MatchPose(const PoseView& pose,
                                    std::span<const Quat<double>> turns,
                                    const LimbBones& bones, PoseMatch match) {
  if (match == PoseMatch::kNone) {
    return std::vector<Quat<double>>(AvatarJoints().size());
  }
  return Matcher(pose, turns, bones, match).Match();
}

double StandingError(const PoseView& pose) {
  constexpr double kLessImportant = 0.25;
  const auto hips = TrunkTurn(pose, TrunkEnd::kHips);
  const auto shoulders = TrunkTurn(pose, TrunkEnd::kShoulders);
  const auto lean = TrunkLean(pose);
  if (!hips || !shoulders || !lean) {
    return std::numeric_limits<double>::infinity();
  }
  double legs = *lean;
  for (const Limb& leg : kLegs) {
    legs = std::max(legs, DegreesFrom(pose, leg, *hips));
  }
  double others = 0;
  for (const Limb& arm : kArms) {
    others = std::max(others, ArmDegrees(pose, arm, *shoulders));
  }
  for (const Limb& foot : kFeet) {
    others = std::max(others, DegreesFrom(pose, foot, *hips));
  }
  return legs + kLessImportant * others;
}

namespace {

struct Half {
  // The limb from here on, and this half of it.
  std::string_view whole;
  std::string_view half;
  // The joint that turns it, the next one below, and the collar or the half
  // above.
  std::string_view joint;
  std::string_view below;
  std::string_view above;
};
constexpr std::array<Half, 8> kHalves = {
    {{"left arm", "left upper arm", "mShoulderLeft", "mElbowLeft",
      "mCollarLeft"},
     {"right arm", "right upper arm", "mShoulderRight", "mElbowRight",
      "mCollarRight"},
     {"left leg", "left thigh", "mHipLeft", "mKneeLeft", "mPelvis"},
     {"right leg", "right thigh", "mHipRight", "mKneeRight", "mPelvis"},
     {"left forearm", "left forearm", "mElbowLeft", "mWristLeft",
      "mShoulderLeft"},
     {"right forearm", "right forearm", "mElbowRight", "mWristRight",
      "mShoulderRight"},
     {"left shin", "left shin", "mKneeLeft", "mAnkleLeft", "mHipLeft"},
     {"right shin", "right shin", "mKneeRight", "mAnkleRight", "mHipRight"}}};
constexpr size_t kFirstLowerHalf = 4;

constexpr std::array<std::string_view, 6> kSpine = {
    "mTorso", "mChest", "mSpine1", "mSpine2", "mSpine3", "mSpine4"};

template <size_t kCount>
bool IsOneOf(std::string_view name,
             const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool HangsOnSpine(std::string_view name) {
  return name == "mNeck" || name == "mHead" || name.starts_with("mCollar") ||
         name.starts_with("mShoulder");
}

// A node, and its neighbours that drive the avatar.
struct Place {
  // The joint of the avatar that it drives, or else that the nearest node above
  // drives; -1 if there is none.
  int32_t at_or_above = -1;
  bool is_driver = false;
  // It drives nothing and moves.
  bool is_unknown = false;
  // The longest chain of unknown nodes from here down; 0 above a driver.
  size_t chain = 0;
  // The first driven joint below; -1 if there is none.
  int32_t driven_below = -1;
};

class Finder {
 public:
  Finder(const Clip& clip, std::span<const int32_t> drivers)
      : clip_(clip), drivers_(drivers), places_(clip.skeleton.nodes.size()) {}

  std::optional<MissingLimb> Find() {
    LookDown();
    LookUp();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].is_unknown) continue;
      const std::string_view limb = LimbMovedBy(i);
      if (!limb.empty()) return MissingLimb{limb, NodesFrom(i)};
    }
    return std::nullopt;
  }

 private:
  bool IsDriven(std::string_view joint) const {
    return drivers_[static_cast<size_t>(FindAvatarJoint(joint))] >= 0;
  }
  static std::string_view NameOf(int32_t joint) {
    return joint < 0 ? "" : AvatarJoints()[static_cast<size_t>(joint)].name;
  }

  bool Moves(const Node& node) const {
    constexpr float kLeastDegrees = 1;
    const size_t stride = clip_.skeleton.channels.size();
    const auto first = static_cast<size_t>(node.first_channel);
    const auto channels = ChannelsOf(clip_.skeleton, node);
    for (size_t c = 0; c < channels.size(); ++c) {
      if (!IsRotation(channels[c])) continue;
      const float* value = clip_.motion.values.data() + first + c;
      for (int64_t frame = 1; frame < clip_.motion.frames; ++frame) {
        const float now = value[static_cast<size_t>(frame) * stride];
        if (std::fabs(now - value[0]) > kLeastDegrees) return true;
      }
    }
    return false;
  }

  void LookDown() {
    for (size_t joint = 0; joint < drivers_.size(); ++joint) {
      if (drivers_[joint] < 0) continue;
      Place& place = places_[static_cast<size_t>(drivers_[joint])];
      place.is_driver = true;
      place.at_or_above = static_cast<int32_t>(joint);
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      const Node& node = clip_.skeleton.nodes[i];
      Place& place = places_[i];
      if (place.is_driver || IsEndSite(node)) continue;
      if (node.parent >= 0) {
        place.at_or_above =
            places_[static_cast<size_t>(node.parent)].at_or_above;
      }
      place.is_unknown = Moves(node);
    }
  }

  void LookUp() {
    for (size_t i = places_.size(); i-- > 0;) {
      Place& place = places_[i];
      place.chain += place.is_unknown;
      const int32_t parent = clip_.skeleton.nodes[i].parent;
      if (parent < 0) continue;
      Place& above = places_[static_cast<size_t>(parent)];
      const int32_t driven =
          place.is_driver ? place.at_or_above : place.driven_below;
      if (driven >= 0) above.driven_below = driven;
      if (!place.is_driver) above.chain = std::max(above.chain, place.chain);
    }
  }

  // The limb of the avatar that unknown node `i` moves in the source; "" if the
  // avatar misses nothing.
  std::string_view LimbMovedBy(size_t i) const {
    const Place& place = places_[i];
    const std::string_view above = NameOf(place.at_or_above);
    const std::string_view below = NameOf(place.driven_below);
    const bool has_spine =
        std::any_of(kSpine.begin(), kSpine.end(),
                    [&](std::string_view joint) { return IsDriven(joint); });
    if (!has_spine && HangsOnSpine(below)) return "spine";
    for (size_t h = 0; h < kHalves.size(); ++h) {
      const Half& half = kHalves[h];
      if (IsDriven(half.joint)) continue;
      if (below == half.below) return half.half;
      if (!below.empty() || IsDriven(half.below)) continue;
      const bool is_lower = h >= kFirstLowerHalf;
      if (is_lower && above == half.above) return half.whole;
      if (!is_lower && place.chain >= 2 && CanHang(half, above)) {
        return half.whole;
      }
    }
    return "";
  }

  // True if a whole arm or leg may hang on `above`, or on no driven joint.
  static bool CanHang(const Half& half, std::string_view above) {
    if (above == half.above) return true;
    const bool is_leg = half.above == "mPelvis";
    return is_leg ? above.empty() : IsOneOf(above, kSpine) || above == "mNeck";
  }

  // Node `i` and the unknown nodes below it, without those below a driver.
  std::vector<int32_t> NodesFrom(size_t i) const {
    std::vector<bool> is_below(places_.size());
    std::vector<int32_t> nodes;
    for (size_t j = i; j < places_.size(); ++j) {
      const int32_t parent = clip_.skeleton.nodes[j].parent;
      is_below[j] = j == i || (parent >= 0 && !places_[j].is_driver &&
                               is_below[static_cast<size_t>(parent)]);
      if (is_below[j] && places_[j].is_unknown) {
        nodes.push_back(static_cast<int32_t>(j));
      }
    }
    return nodes;
  }

  const Clip& clip_;
  const std::span<const int32_t> drivers_;
  std::vector<Place> places_;
};

}  // namespace

std::optional<MissingLimb> FindMissingLimb(const Clip& clip,
                                           std::span<const int32_t> drivers) {
  return Finder(clip, drivers).Find();
}

}  // namespace bvhmill
