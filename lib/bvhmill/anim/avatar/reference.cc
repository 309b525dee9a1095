#include "bvhmill/anim/avatar/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/limbs.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

// The value below which `share` of the values are.
double AtShare(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(
                           share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The heights of a source in the sampled frames.
struct Heights {
  std::vector<double> hips;
  std::vector<double> lowest;
  std::vector<double> legs;
};

Heights LookAtHeights(const Clip& clip, const Plan& plan,
                      std::span<const int32_t> drivers, int64_t first,
                      SourcePose* pose) {
  Heights heights;
  const auto pelvis = static_cast<size_t>(drivers[0]);
  const int64_t frames = clip.motion.frames - first;
  const int64_t samples = std::min(frames, kReferenceSamples);
  for (int64_t i = 0; i < samples; ++i) {
    SolveSourcePose(clip, plan, first + i * frames / samples, pose);
    double lowest = pose->places[pelvis][1];
    for (const Vec3<double>& place : pose->places) {
      lowest = std::min(lowest, place[1]);
    }
    heights.hips.push_back(pose->places[pelvis][1]);
    heights.lowest.push_back(lowest);
    const auto leg = LegLength({drivers, pose->places, {}});
    if (leg) heights.legs.push_back(*leg);
  }
  return heights;
}

}  // namespace

std::optional<HeightError> FindHeightError(const Clip& clip, const Plan& plan,
                                           std::span<const int32_t> drivers,
                                           int64_t first, const HeightMap& map,
                                           SourcePose* scratch) {
  if (drivers[0] < 0) return std::nullopt;
  const Heights heights = LookAtHeights(clip, plan, drivers, first, scratch);
  if (heights.legs.empty()) return std::nullopt;
  const double leg = AtShare(heights.legs, 0.5);
  const double floor = AtShare(heights.lowest, 0.5);
  // The error if the source were `raise` higher.
  const auto error = [&](const HeightMap& by, double raise) {
    std::vector<double> legs;
    for (const double hips : heights.hips) {
      const double avatar =
          kAvatarHipHeight + by.metres_per_unit * (hips + raise - by.zero);
      legs.push_back(avatar / AvatarLegLength() - (hips - floor) / leg);
    }
    return AtShare(std::move(legs), 0.5);
  };
  HeightError found;
  found.legs = error(map, 0);
  const auto mends = [&](const HeightMap& by, double raise) {
    return std::fabs(error(by, raise)) < kHeightTolerance;
  };
  const double offset = clip.skeleton.nodes[0].offset[1];
  if (mends(map, offset)) {
    found.mend = "root_offset add";
  } else if (mends(map, -floor)) {
    found.mend = "floor";
  } else if (map.zero > 0 &&
             mends({kAvatarHipHeight / map.zero, map.zero}, 0)) {
    found.mend = "anim_scale_to_avatar";
  }
  return found;
}

namespace {

constexpr double kOddDegrees = 45;
constexpr double kOddLegDegrees = 60;

// The difference of a pose from the avatar's rest pose, in degrees.
struct PoseError {
  double trunk = 0;
  double legs = 0;
  double arms = 0;
  // A leg has a length.
  bool has_leg = false;
  // False if hips and shoulders are in one place, as in a lost frame: the pose
  // is then no reference.
  bool has_trunk = false;

  double Most() const { return std::max({trunk, legs, arms}); }
  bool IsSmall() const { return Most() <= kOddDegrees; }
};

double DegreesOf(const Quat<double>& q) {
  const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  return 2 * std::atan2(sine, std::fabs(q.w)) * kDegreesPerRadian<double>;
}

struct TrunkPart {
  TrunkEnd end;
  // The joint of the avatar that moves with it.
  std::string_view joint;
};
constexpr std::array<TrunkPart, 2> kParts = {
    {{TrunkEnd::kHips, "mPelvis"}, {TrunkEnd::kShoulders, "mChest"}}};

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The unit vector along the sum of unit vectors; none if the sum is 0.
std::optional<Vec3<double>> MeanOf(std::span<const Vec3<double>> vectors) {
  Vec3<double> sum = {};
  for (const Vec3<double>& v : vectors) {
    for (size_t k = 0; k < 3; ++k) sum[k] += v[k];
  }
  const double length = std::hypot(sum[0], sum[1], sum[2]);
  if (!(length > 0)) return std::nullopt;
  return Vec3<double>{sum[0] / length, sum[1] / length, sum[2] / length};
}

class Chooser {
 public:
  Chooser(const Clip& clip, const Plan& plan, std::span<const int32_t> drivers,
          const ClipToAnimOptions& options, SourcePose* scratch)
      : clip_(clip),
        plan_(plan),
        drivers_(drivers),
        options_(options),
        pose_(*scratch) {}

  ReferenceChoice Choose() {
    LookAtFrames();
    FindBones();
    const PoseError rest = ErrorAt(kRestPoseFrame);
    choice_.rest_degrees = rest.Most();
    const PoseError first = ErrorAt(0);
    switch (options_.reference) {
      case AnimReference::kRestPose:
        Take(kRestPoseFrame, rest, LimbsIfAsked());
        break;
      case AnimReference::kFirstFrame:
        Take(0, first, LimbsIfAsked());
        break;
      case AnimReference::kAuto:
        TakeBest(rest, first);
        LookAtFirstFrames();
        break;
    }
    return choice_;
  }

 private:
  PoseView ViewAt(int64_t frame) {
    SolveSourcePose(clip_, plan_, frame, &pose_);
    PoseView view{drivers_, pose_.places, {}};
    view.heading = HeadingOf(view);
    return view;
  }

  int32_t DriverOf(std::string_view joint) const {
    return drivers_[static_cast<size_t>(FindAvatarJoint(joint))];
  }

  PoseError ErrorAt(int64_t frame) {
    const PoseView view = ViewAt(frame);
    PoseError error;
    error.has_trunk = TrunkLean(view).has_value();
    error.has_leg = LegLength(view).has_value();
    for (size_t part = 0; part < kParts.size(); ++part) {
      const auto turn = TrunkTurn(view, kParts[part].end);
      if (!turn) continue;
      error.trunk =
          std::max({error.trunk, DegreesOf(*turn), MotionError(view, part)});
    }
    error.legs = FarthestLimb(view, Limbs::kLegs).degrees;
    error.arms = FarthestLimb(view, Limbs::kArms).degrees;
    return error;
  }

  // The rotation of the node that drives a part of the trunk; none if no node
  // does.
  std::optional<Quat<double>> NodeTurn(size_t part) const {
    const int32_t node = DriverOf(kParts[part].joint);
    if (node < 0) return std::nullopt;
    return pose_.turns[static_cast<size_t>(node)];
  }

  // Adds the rotation of the trunk in the axes of the node that drives it. If
  // the node moves rigidly with the trunk, it is the same in all frames.
  void AddTrunkInNode(const PoseView& view) {
    for (size_t part = 0; part < kParts.size(); ++part) {
      const auto node = NodeTurn(part);
      const auto turn = TrunkTurn(view, kParts[part].end);
      if (!node || !turn) continue;
      trunk_in_node_[part].push_back(
          Multiply(Conjugate(*node), Multiply(view.heading, *turn)));
    }
  }

  // The median difference between the avatar's trunk and that of the source, in
  // degrees, if `view`, the solved pose, is the reference. Some files turn the
  // hips, and turn all nodes below them back.
  double MotionError(const PoseView& view, size_t part) const {
    const auto node = NodeTurn(part);
    if (!node) return 0;
    const Quat<double> at_rest = Multiply(Conjugate(*node), view.heading);
    std::vector<double> degrees;
    for (const Quat<double>& turn : trunk_in_node_[part]) {
      degrees.push_back(DegreesOf(Multiply(Conjugate(turn), at_rest)));
    }
    return Median(std::move(degrees));
  }

  // Adds the direction of each limb in the axes of the node that drives it.
  void AddLimbs(const PoseView& view) {
    for (size_t i = 0; i < kLimbs.size(); ++i) {
      const auto along = AlongLimb(view, kLimbs[i]);
      if (!along) continue;
      const int32_t node = DriverOf(kLimbs[i].begin);
      limbs_[i].push_back(TurnVector(
          Conjugate(pose_.turns[static_cast<size_t>(node)]), *along));
    }
  }

  void FindBones() {
    for (size_t i = 0; i < kLimbs.size(); ++i) {
      choice_.bones[i] = MeanOf(limbs_[i]);
      if (!choice_.bones[i]) continue;
      std::vector<double> degrees;
      for (const Vec3<double>& bone : limbs_[i]) {
        degrees.push_back(DegreesBetween(bone, *choice_.bones[i]));
      }
      const double median = Median(std::move(degrees));
      if (median > choice_.loosest_limb.degrees) {
        choice_.loosest_limb = {DriverOf(kLimbs[i].begin), median};
      }
    }
  }

  // The directions of limbs and trunk in a frame, and the place of the pelvis.
  struct Shape {
    std::array<std::optional<Vec3<double>>, kLimbs.size() + 1> along;
    Vec3<double> pelvis = {};
  };
  Shape ShapeAt(int64_t frame) {
    PoseView view = ViewAt(frame);
    Shape shape;
    for (size_t i = 0; i < kLimbs.size(); ++i) {
      shape.along[i] = AlongLimb(view, kLimbs[i]);
    }
    shape.along.back() = AlongLimb(view, {"mPelvis", "mNeck"});
    const int32_t pelvis = DriverOf("mPelvis");
    if (pelvis >= 0) shape.pelvis = pose_.places[static_cast<size_t>(pelvis)];
    return shape;
  }

  static double MostDegrees(const Shape& a, const Shape& b) {
    double degrees = 0;
    for (size_t i = 0; i < a.along.size(); ++i) {
      if (!a.along[i] || !b.along[i]) continue;
      degrees = std::max(degrees, DegreesBetween(*a.along[i], *b.along[i]));
    }
    return degrees;
  }

  void LookAtFirstFrames() {
    constexpr double kApartDegrees = 30;
    constexpr double kLessThan = 0.25;
    if (clip_.motion.frames < 4) return;
    const Shape first = ShapeAt(0);
    const Shape second = ShapeAt(1);
    const double step = MostDegrees(first, second);
    if (step < kApartDegrees) return;
    if (MostDegrees(second, ShapeAt(2)) >= step * kLessThan) return;
    choice_.first_apart = {step,
                           std::hypot(second.pelvis[0] - first.pelvis[0],
                                      second.pelvis[1] - first.pelvis[1],
                                      second.pelvis[2] - first.pelvis[2])};
    choice_.skips_first_frame = true;
  }

  // Finds the frame with the least StandingError, and the least lean of the
  // trunk.
  void LookAtFrames() {
    const int64_t frames = clip_.motion.frames;
    const int64_t samples = std::min(frames, kReferenceSamples);
    for (int64_t i = 0; i < samples; ++i) {
      const int64_t frame = i * frames / samples;
      const PoseView view = ViewAt(frame);
      AddLimbs(view);
      has_legs_ = has_legs_ || LegLength(view);
      const auto lean = TrunkLean(view);
      if (!lean) continue;
      AddTrunkInNode(view);
      choice_.least_lean = std::min(choice_.least_lean.value_or(*lean), *lean);
      const double error = StandingError(view);
      if (!(error < least_standing_error_)) continue;
      least_standing_error_ = error;
      best_frame_ = frame;
    }
  }

  // For a reference that the caller states.
  PoseMatch LimbsIfAsked() const {
    return options_.match_limbs ? PoseMatch::kLimbs : PoseMatch::kNone;
  }

  void Take(int64_t frame, const PoseError& error, PoseMatch match) {
    choice_.frame = frame;
    choice_.match = match;
    choice_.skips_first_frame = frame == 0 && clip_.motion.frames > 1;
    choice_.odd_degrees = match == PoseMatch::kNone
                              ? std::max(error.trunk, error.legs)
                              : error.trunk;
  }

  void TakeBest(const PoseError& rest, const PoseError& first) {
    const bool has_trunk = choice_.least_lean.has_value();
    const bool lacks_legs = !rest.has_leg && has_legs_;
    const bool is_rest_odd =
        lacks_legs || rest.trunk > kOddDegrees || rest.legs > kOddLegDegrees;
    if (!has_trunk || (rest.IsSmall() && !lacks_legs)) {
      Take(kRestPoseFrame, rest, PoseMatch::kLimbs);
    } else if (first.has_trunk && first.IsSmall()) {
      Take(0, first, PoseMatch::kLimbs);
    } else if (!is_rest_odd) {
      Take(kRestPoseFrame, rest, PoseMatch::kLimbs);
    } else {
      choice_.frame = std::max<int64_t>(best_frame_, 0);
      choice_.match = PoseMatch::kWhole;
    }
  }

  const Clip& clip_;
  const Plan& plan_;
  const std::span<const int32_t> drivers_;
  const ClipToAnimOptions& options_;
  SourcePose& pose_;
  ReferenceChoice choice_;
  // One rotation for each sampled frame, for each part of the trunk.
  std::array<std::vector<Quat<double>>, kParts.size()> trunk_in_node_;
  // The directions of each limb in the sampled frames.
  std::array<std::vector<Vec3<double>>, kLimbs.size()> limbs_;
  bool has_legs_ = false;
  int64_t best_frame_ = -1;
  double least_standing_error_ = std::numeric_limits<double>::infinity();
};

}  // namespace

ReferenceChoice ChooseReference(const Clip& clip, const Plan& plan,
                                std::span<const int32_t> drivers,
                                const ClipToAnimOptions& options,
                                SourcePose* scratch) {
  return Chooser(clip, plan, drivers, options, scratch).Choose();
}

}  // namespace bvhmill
