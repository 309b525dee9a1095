#include "bvhmill/anim/avatar/avatar_limbs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/source_pose.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

constexpr std::span<const Limb> kArms = std::span(kLimbs).first<4>();
constexpr std::span<const Limb> kLegs = std::span(kLimbs).last<4>();
constexpr std::array<Limb, 2> kFeet = {
    {{"mAnkleLeft", "mFootLeft"}, {"mAnkleRight", "mFootRight"}}};

size_t IndexOf(std::string_view name) {
  return static_cast<size_t>(FindAvatarJoint(name));
}

double DotOf(const Vec3<double>& a, const Vec3<double>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3<double> Cross(const Vec3<double>& a, const Vec3<double>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
          a[0] * b[1] - a[1] * b[0]};
}

Vec3<double> Minus(const Vec3<double>& a, const Vec3<double>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vec3<double> Middle(const Vec3<double>& a, const Vec3<double>& b) {
  return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
}

// False if the vector has no length, or is not finite.
bool Normalize(Vec3<double>* v) {
  const double length = std::sqrt(DotOf(*v, *v));
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
  const double w = 1 + DotOf(a, b);
  if (w < kOpposite) return {0, 0, 1, 0};
  const double length = std::sqrt(DotOf(axis, axis) + w * w);
  return {axis[0] / length, axis[1] / length, axis[2] / length, w / length};
}

// The rotation about the unit vector `axis` that brings `a` as near to `b` as
// possible.
Quat<double> SwingAbout(const Vec3<double>& axis, const Vec3<double>& a,
                        const Vec3<double>& b) {
  const Vec3<double> side = Cross(axis, a);
  const double along = DotOf(a, b) - DotOf(axis, a) * DotOf(axis, b);
  const double half = std::atan2(DotOf(side, b), along) / 2;
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
  // `source`. None if the two agree: it would only be rounding.
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

// An arm is at rest if it is stretched out, and also if it hangs down.
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
  return std::atan2(std::sqrt(DotOf(cross, cross)), DotOf(a, b)) *
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
  return std::sqrt(DotOf(bone, bone));
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

double UnrestOf(const PoseView& pose) {
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

}  // namespace bvhmill
