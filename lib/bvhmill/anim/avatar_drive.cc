#include "bvhmill/anim/avatar_drive.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/anim/avatar.h"
#include "bvhmill/anim/drive_steps.h"

namespace bvhmill {
namespace {

constexpr double kNoHeading = 1e-3;
// Height of the avatar's mPelvis at rest, metres.
constexpr double kAvatarHipHeight = 1.067015;

Quat<double> Conjugate(const Quat<double>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}

class Maker {
 public:
  Maker(const Clip& clip, const Plan& plan, const ClipToAnimOptions& options)
      : clip_(clip), plan_(plan), options_(options) {}

  AvatarDrive Make() {
    FindDrivers();
    SolveReference();
    SetHeading();
    SetScaleAndZero();
    drive_.heading = pose_.heading;
    drive_.odd_limb = FarthestLimb(pose_);
    swings_.resize(AvatarJoints().size());
    if (options_.match_limbs) swings_ = LimbSwings(pose_);
    for (size_t i = 0; i < pose_.drivers.size(); ++i) {
      if (pose_.drivers[i] >= 0) AddJoint(static_cast<int32_t>(i));
    }
    return std::move(drive_);
  }

 private:
  const Node& NodeAt(int32_t node) const {
    return clip_.skeleton.nodes[static_cast<size_t>(node)];
  }
  const PlanNode& PlanAt(int32_t node) const {
    return plan_.nodes[static_cast<size_t>(node)];
  }

  int32_t AvatarJointOf(size_t node) const {
    if (IsEndSite(clip_.skeleton.nodes[node])) return -1;
    return FindAvatarJoint(options_.joint_names.empty()
                               ? clip_.skeleton.nodes[node].name
                               : options_.joint_names[node]);
  }

  void FindDrivers() {
    pose_.drivers.assign(AvatarJoints().size(), -1);
    for (size_t i = 0; i < clip_.skeleton.nodes.size(); ++i) {
      const int32_t joint = AvatarJointOf(i);
      if (joint >= 0 && pose_.drivers[static_cast<size_t>(joint)] < 0) {
        pose_.drivers[static_cast<size_t>(joint)] = static_cast<int32_t>(i);
      } else if (!IsEndSite(clip_.skeleton.nodes[i])) {
        drive_.left_out.push_back(static_cast<int32_t>(i));
      }
    }
  }

  // A value of the first frame; 0 if it is not finite.
  double FirstValue(int32_t column) const {
    const float value = clip_.motion.values[static_cast<size_t>(column)];
    return std::isfinite(value) ? value : 0.0;
  }

  Quat<double> ReferenceTurn(const PlanNode& node) const {
    Quat<double> q;
    if (options_.reference == AnimReference::kRestPose) return q;
    for (int32_t i = 0; i < node.step_count; ++i) {
      const RotationStep& step = plan_.steps[StepIndex(node, i)];
      q = Multiply(q, AxisQuat(step.axis, FirstValue(step.column)));
    }
    return q;
  }

  // The translation in the reference pose. At rest it is the OFFSET, also of
  // joints whose positions replace it.
  Vec3<double> ReferenceShift(size_t index) const {
    const Node& node = clip_.skeleton.nodes[index];
    const PlanNode& plan = plan_.nodes[index];
    const bool is_rest = options_.reference == AnimReference::kRestPose;
    Vec3<double> shift = {};
    for (size_t k = 0; k < shift.size(); ++k) {
      const int32_t column = plan.position_column[k];
      shift[k] = is_rest || column < 0 ? node.offset[k]
                                       : plan.offset[k] + FirstValue(column);
    }
    return shift;
  }

  void SolveReference() {
    const size_t count = plan_.nodes.size();
    turns_.resize(count);
    pose_.places.resize(count);
    for (size_t i = 0; i < count; ++i) {
      turns_[i] = ReferenceTurn(plan_.nodes[i]);
      pose_.places[i] = ReferenceShift(i);
      if (plan_.nodes[i].parent < 0) continue;
      const auto parent = static_cast<size_t>(plan_.nodes[i].parent);
      turns_[i] = Multiply(turns_[parent], turns_[i]);
      pose_.places[i] = TurnVector(turns_[parent], pose_.places[i]);
      for (size_t k = 0; k < 3; ++k)
        pose_.places[i][k] += pose_.places[parent][k];
    }
  }

  // From the right one to the left one in the reference pose; false if they are
  // not both there.
  bool FindAcross(std::string_view left, std::string_view right,
                  Vec3<double>* across) const {
    const int32_t a = pose_.drivers[static_cast<size_t>(FindAvatarJoint(left))];
    const int32_t b =
        pose_.drivers[static_cast<size_t>(FindAvatarJoint(right))];
    if (a < 0 || b < 0) return false;
    for (size_t k = 0; k < 3; ++k) {
      (*across)[k] = pose_.places[static_cast<size_t>(a)][k] -
                     pose_.places[static_cast<size_t>(b)][k];
    }
    const double flat = std::hypot((*across)[0], (*across)[2]);
    return flat > 0 && flat >= std::fabs((*across)[1]);
  }

  // The left side of a figure that looks ahead is at +X.
  void SetHeading() {
    Vec3<double> across = {};
    if (!options_.align_heading ||
        (!FindAcross("mHipLeft", "mHipRight", &across) &&
         !FindAcross("mShoulderLeft", "mShoulderRight", &across))) {
      return;
    }
    const double angle = std::atan2(-across[2], across[0]);
    if (std::fabs(angle) < kNoHeading) return;
    pose_.heading = {0, std::sin(angle / 2), 0, std::cos(angle / 2)};
  }

  void SetScaleAndZero() {
    drive_.metres_per_unit = options_.metres_per_unit;
    const int32_t pelvis = pose_.drivers[0];
    if (pelvis < 0) return;
    double lowest = pose_.places[static_cast<size_t>(pelvis)][1];
    const double height = lowest;
    for (const Vec3<double>& place : pose_.places) {
      lowest = std::min(lowest, place[1]);
    }
    const double standing = height - lowest;
    if (options_.scale_to_avatar && standing > 0) {
      drive_.metres_per_unit = kAvatarHipHeight / standing;
    }
    drive_.pelvis_zero = FirstPlace(pelvis);
    if (options_.pelvis_height == PelvisHeight::kStanding) {
      drive_.pelvis_zero[1] = standing;
    }
  }

  // Where the node is in the first frame.
  Vec3<double> FirstPlace(int32_t node) const {
    Vec3<double> place = {};
    for (; node >= 0; node = PlanAt(node).parent) {
      const PlanNode& plan = PlanAt(node);
      for (int32_t i = plan.step_count; i-- > 0;) {
        const RotationStep& step = plan_.steps[StepIndex(plan, i)];
        place = TurnVector(AxisQuat(step.axis, FirstValue(step.column)), place);
      }
      for (size_t k = 0; k < place.size(); ++k) {
        const int32_t column = plan.position_column[k];
        place[k] += plan.offset[k] + (column < 0 ? 0.0 : FirstValue(column));
      }
    }
    return place;
  }

  // The next joint above that is driven; -1 if there is none.
  int32_t DrivenAbove(int32_t joint) const {
    do {
      joint = AvatarJoints()[static_cast<size_t>(joint)].parent;
    } while (joint >= 0 && pose_.drivers[static_cast<size_t>(joint)] < 0);
    return joint;
  }

  void AddJoint(int32_t avatar_joint) {
    DrivenJoint joint;
    joint.avatar_joint = avatar_joint;
    joint.node = pose_.drivers[static_cast<size_t>(avatar_joint)];
    const int32_t above = DrivenAbove(avatar_joint);
    if (above >= 0) joint.base = pose_.drivers[static_cast<size_t>(above)];
    joint.before = Conjugate(pose_.heading);
    if (joint.base >= 0) {
      joint.before =
          Multiply(joint.before, turns_[static_cast<size_t>(joint.base)]);
      joint.before = Multiply(Conjugate(swings_[static_cast<size_t>(above)]),
                              joint.before);
    }
    joint.after = Multiply(Conjugate(turns_[static_cast<size_t>(joint.node)]),
                           pose_.heading);
    joint.after =
        Multiply(joint.after, swings_[static_cast<size_t>(avatar_joint)]);
    if (avatar_joint == 0) {
      drive_.pelvis = static_cast<int32_t>(drive_.joints.size());
    }
    drive_.joints.push_back(std::move(joint));
  }

  const Clip& clip_;
  const Plan& plan_;
  const ClipToAnimOptions& options_;
  AvatarDrive drive_;
  ReferencePose pose_;
  // Of the nodes in the world, in the reference pose.
  std::vector<Quat<double>> turns_;
  // What joints of the avatar are turned by in their reference pose.
  std::vector<Quat<double>> swings_;
};

}  // namespace

Vec3<double> TurnVector(const Quat<double>& q, const Vec3<double>& v) {
  return Transform<double>(ToMatrix(q), {}, v);
}

AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options) {
  return Maker(clip, plan, options).Make();
}

}  // namespace bvhmill
