#include "bvhmill/anim/avatar/avatar_drive.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/drive_steps.h"
#include "bvhmill/anim/format/anim_format.h"

namespace bvhmill {
namespace {

// The range of hip heights of persons, from a child to a giant, in metres.
constexpr double kLeastHipHeight = 0.5;
constexpr double kMaxHipHeight = 1.5;

class Maker {
 public:
  Maker(const Clip& clip, const Plan& plan, const ClipToAnimOptions& options)
      : clip_(clip), plan_(plan), options_(options) {}

  AvatarDrive Make() {
    FindDrivers();
    drive_.missing_limb = FindMissingLimb(clip_, drivers_);
    drive_.reference =
        ChooseReference(clip_, plan_, drivers_, options_, &pose_);
    SolveReference();
    SetScaleAndZero();
    drive_.heading = view_.heading;
    drive_.odd_limb = FarthestLimb(view_, Limbs::kAll);
    swings_ = MatchPose(view_, pose_.turns, drive_.reference.bones,
                        drive_.reference.match);
    for (size_t i = 0; i < drivers_.size(); ++i) {
      if (drivers_[i] >= 0) AddJoint(static_cast<int32_t>(i));
    }
    FindHeight();
    return std::move(drive_);
  }

 private:
  int32_t AvatarJointOf(size_t node) const {
    if (IsEndSite(clip_.skeleton.nodes[node])) return -1;
    return FindAvatarJoint(options_.joint_names.empty()
                               ? clip_.skeleton.nodes[node].name
                               : options_.joint_names[node]);
  }

  void FindDrivers() {
    drivers_.assign(AvatarJoints().size(), -1);
    for (size_t i = 0; i < clip_.skeleton.nodes.size(); ++i) {
      const int32_t joint = AvatarJointOf(i);
      if (joint >= 0 && drivers_[static_cast<size_t>(joint)] < 0) {
        drivers_[static_cast<size_t>(joint)] = static_cast<int32_t>(i);
      } else if (!IsEndSite(clip_.skeleton.nodes[i])) {
        drive_.left_out.push_back(static_cast<int32_t>(i));
      }
    }
  }

  // Solves the reference pose. A matched pose may face anywhere; the heading is
  // then that of the first frame.
  void SolveReference() {
    const int64_t first = drive_.reference.first_apart ? 1 : 0;
    SolveSourcePose(clip_, plan_, first, &pose_);
    view_ = {drivers_, pose_.places, {}};
    if (drivers_[0] >= 0) {
      first_place_ = pose_.places[static_cast<size_t>(drivers_[0])];
    }
    const bool is_whole = drive_.reference.match == PoseMatch::kWhole;
    const Quat<double> first_heading = HeadingOf(view_);
    SolveSourcePose(clip_, plan_, drive_.reference.frame, &pose_);
    view_.places = pose_.places;
    if (!options_.align_heading) return;
    view_.heading = is_whole ? first_heading : HeadingOf(view_);
  }

  // The height of the hips above the ground on straight legs, in units of the
  // source.
  double StandingHeight() const {
    if (drive_.reference.match == PoseMatch::kWhole) {
      const auto leg = LegLength(view_);
      if (leg) return *leg * kAvatarHipHeight / AvatarLegLength();
    }
    const double height = pose_.places[static_cast<size_t>(drivers_[0])][1];
    double lowest = height;
    for (const Vec3<double>& place : pose_.places) {
      lowest = std::min(lowest, place[1]);
    }
    return height - lowest + LegSlack(view_);
  }

  void FindHeight() {
    if (options_.pelvis_height != PelvisHeight::kStanding) return;
    drive_.height_error = FindHeightError(
        clip_, plan_, drivers_, drive_.reference.skips_first_frame ? 1 : 0,
        {drive_.metres_per_unit, drive_.pelvis_zero[1]}, &pose_);
  }

  // True if the unit is not known, and one inch for a unit would give a hip
  // height that no person has.
  bool CannotBeInch(double standing) const {
    if (options_.metres_per_unit > 0 || !LegLength(view_)) return false;
    const double height = standing * kInchMetres;
    return height < kLeastHipHeight || height > kMaxHipHeight;
  }

  void SetScaleAndZero() {
    drive_.metres_per_unit =
        options_.metres_per_unit > 0 ? options_.metres_per_unit : kInchMetres;
    if (drivers_[0] < 0) return;
    const double standing = StandingHeight();
    drive_.guesses_scale = !options_.scale_to_avatar && CannotBeInch(standing);
    if ((options_.scale_to_avatar || drive_.guesses_scale) && standing > 0) {
      drive_.metres_per_unit = kAvatarHipHeight / standing;
    }
    drive_.pelvis_zero = first_place_;
    if (options_.pelvis_height == PelvisHeight::kStanding) {
      drive_.pelvis_zero[1] = standing;
    }
  }

  // The nearest joint above that is driven; -1 if there is none.
  int32_t DrivenAbove(int32_t joint) const {
    do {
      joint = AvatarJoints()[static_cast<size_t>(joint)].parent;
    } while (joint >= 0 && drivers_[static_cast<size_t>(joint)] < 0);
    return joint;
  }

  void AddJoint(int32_t avatar_joint) {
    DrivenJoint joint;
    joint.avatar_joint = avatar_joint;
    joint.node = drivers_[static_cast<size_t>(avatar_joint)];
    const int32_t above = DrivenAbove(avatar_joint);
    if (above >= 0) joint.base = drivers_[static_cast<size_t>(above)];
    joint.before = Conjugate(view_.heading);
    if (joint.base >= 0) {
      joint.before =
          Multiply(joint.before, pose_.turns[static_cast<size_t>(joint.base)]);
      joint.before = Multiply(Conjugate(swings_[static_cast<size_t>(above)]),
                              joint.before);
    }
    joint.after = Multiply(
        Conjugate(pose_.turns[static_cast<size_t>(joint.node)]), view_.heading);
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
  // For each joint of the avatar, the node that drives it, or -1.
  std::vector<int32_t> drivers_;
  // The reference pose.
  SourcePose pose_;
  PoseView view_;
  // The place of the pelvis in the first frame.
  Vec3<double> first_place_ = {};
  // The rotations of the avatar's joints in their reference pose.
  std::vector<Quat<double>> swings_;
};

}  // namespace

AvatarDrive MakeAvatarDrive(const Clip& clip, const Plan& plan,
                            const ClipToAnimOptions& options) {
  return Maker(clip, plan, options).Make();
}

}  // namespace bvhmill
