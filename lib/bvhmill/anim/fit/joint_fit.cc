#include "bvhmill/anim/fit/joint_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/base/status.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

// Units of work: for a node or a rotation on the path between two nodes; for a
// frame whose rotation is compared with that at rest; for a frame that
// MeasureRotation or MeasurePosition measures.
constexpr int64_t kPathUnits = 6;
constexpr int64_t kRestUnits = 1;
constexpr int64_t kMeasureUnits = 40;

constexpr float kMillimetres = 1000.0F;

// True if the error exceeds the bound by more than single precision explains. A
// bound of 0 cannot be missed.
bool IsMissed(float error, float bound) {
  constexpr float kNoise = 0.002F;
  return bound > 0 && error > bound * (1 + kNoise) + kNoise / 2;
}

int64_t BytesOf(const std::vector<AnimKey>& keys) {
  return static_cast<int64_t>(keys.size() * sizeof(AnimKey));
}

}  // namespace

// Finds the steps of one joint. The steps of all joints are not kept: they may
// be many times the rotations of the skeleton.
absl::Status JointFit::FindSteps(const DrivenJoint& driven) {
  constexpr auto kStepBytes =
      static_cast<int64_t>(sizeof(DriveStep) + sizeof(float));
  const Plan& plan = *source_.frames.plan;
  const DrivePath path = FindPath(plan, driven.base, driven.node);
  work().Spend((path.nodes + path.steps) * kPathUnits);
  const auto capacity = static_cast<int64_t>(steps_.capacity());
  if (path.steps > capacity) {
    BVHMILL_RETURN_IF_ERROR(memory_.Draw((path.steps - capacity) * kStepBytes));
  }
  SetSteps(plan, path, &steps_);
  return absl::OkStatus();
}

// Draws the most memory that the keys of a curve can need. HoldOnly then
// returns all except that of the actual keys.
absl::Status JointFit::HoldKeys() { return key_memory_.Draw(MaxKeyBytes()); }

void JointFit::HoldOnly(const std::vector<AnimKey>& keys) {
  key_memory_.GiveBack(MaxKeyBytes() - BytesOf(keys));
}

int64_t JointFit::MaxKeyBytes() const {
  return 2 * source_.frames.count * static_cast<int64_t>(sizeof(AnimKey));
}

void JointFit::Drop(const AnimJoint& joint) {
  key_memory_.GiveBack(BytesOf(joint.rotations) + BytesOf(joint.positions));
}

absl::Status JointFit::Fit(const DrivenJoint& driven, bool is_pelvis,
                           const FitBounds& bounds, FittedJoint* fitted) {
  *fitted = {};
  fitted->joint.name =
      AvatarJoints()[static_cast<size_t>(driven.avatar_joint)].name;
  BVHMILL_RETURN_IF_ERROR(FindSteps(driven));
  BVHMILL_RETURN_IF_ERROR(AddRotations(driven, bounds.degrees, fitted));
  if (FillPosition(driven, is_pelvis, fitted)) {
    BVHMILL_RETURN_IF_ERROR(AddPositions(driven, bounds.millimetres, fitted));
  }
  return work().ok() ? absl::OkStatus() : work().Pay();
}

absl::Status JointFit::AddRotations(const DrivenJoint& driven,
                                    float max_degrees, FittedJoint* fitted) {
  fitted->repaired =
      FillRotation(source_.frames, driven, steps_, &rotation_, &work());
  const int64_t rest_units = source_.frames.count * kRestUnits;
  if (!work().Spend(rest_units)) return work().Pay();
  fitted->turns = LeavesRest();
  BVHMILL_RETURN_IF_ERROR(HoldKeys());
  FitResult fit =
      FitRotation(rotation_, source_.times,
                  max_degrees / kDegreesPerRadian<float>, &workspace_);
  HoldOnly(fit.keys);
  if (!work().ok()) return work().Pay();
  fitted->degrees = fit.error * kDegreesPerRadian<float>;
  if (IsMissed(fitted->degrees, max_degrees)) {
    fitted->missed.push_back(
        {driven.node, 0, fitted->degrees, max_degrees, " degrees"});
    work().Spend(source_.frames.count * kMeasureUnits);
    MeasureRotation(rotation_, source_.times, fit.keys,
                    &fitted->missed.back().frame);
  }
  fitted->joint.rotations = std::move(fit.keys);
  return absl::OkStatus();
}

// True if the rotation is outside the bound around rest in any frame.
bool JointFit::LeavesRest() const {
  const float least = std::cos(std::min(source_.options.max_degrees, 1.0F) /
                               kDegreesPerRadian<float> / 2);
  for (const float w : rotation_.q[3]) {
    if (w < least) return true;
  }
  return false;
}

bool JointFit::HasPosition(int32_t node) const {
  const PlanNode& at = source_.frames.plan->nodes[static_cast<size_t>(node)];
  return std::any_of(at.position_column.begin(), at.position_column.end(),
                     [](int32_t column) { return column >= 0; });
}

// False if no position is written for this joint. Bones keep the lengths of the
// avatar; joints of the face may move in their parents.
bool JointFit::FillPosition(const DrivenJoint& driven, bool is_pelvis,
                            FittedJoint* fitted) {
  if (is_pelvis) {
    if (!source_.options.pelvis_position) return false;
    fitted->repaired +=
        FillPelvisPosition(source_.frames, source_.drive, &position_, &work());
    return true;
  }
  if (!HasPosition(driven.node)) return false;
  const int64_t repaired = FillJointPosition(source_.frames, source_.drive,
                                             driven, &position_, &work());
  const float range = RangeOfPosition();
  const bool is_kept = source_.options.joint_positions ||
                       (fitted->joint.name.starts_with("mFace") &&
                        range > source_.options.max_mm);
  if (is_kept) {
    fitted->repaired += repaired;
  } else {
    fitted->left_out = range;
  }
  return is_kept;
}

// The largest difference of two positions along an axis, in millimetres.
float JointFit::RangeOfPosition() const {
  float range = 0;
  for (const FloatArray& values : position_.p) {
    const auto [least, most] =
        std::minmax_element(values.begin(), values.end());
    range = std::max(range, (*most - *least) * kMillimetres);
  }
  return range;
}

absl::Status JointFit::AddPositions(const DrivenJoint& driven, float max_mm,
                                    FittedJoint* fitted) {
  if (!work().ok()) return work().Pay();
  fitted->clamped = ClampPositions(&fitted->farthest);
  BVHMILL_RETURN_IF_ERROR(HoldKeys());
  FitResult fit =
      FitPosition(position_, source_.times, max_mm / kMillimetres, &workspace_);
  HoldOnly(fit.keys);
  if (!work().ok()) return work().Pay();
  fitted->millimetres = fit.error * kMillimetres;
  if (IsMissed(fitted->millimetres, max_mm)) {
    fitted->missed.push_back(
        {driven.node, 0, fitted->millimetres, max_mm, " mm"});
    work().Spend(source_.frames.count * kMeasureUnits);
    MeasurePosition(position_, source_.times, fit.keys,
                    &fitted->missed.back().frame);
  }
  fitted->joint.positions = std::move(fit.keys);
  return absl::OkStatus();
}

// Returns the number of clamped values. Sets `farthest` to the largest value.
int64_t JointFit::ClampPositions(float* farthest) {
  int64_t clamped = 0;
  *farthest = 0;
  for (FloatArray& values : position_.p) {
    for (float& value : values) {
      *farthest = std::max(*farthest, std::fabs(value));
      if (std::fabs(value) <= kAnimPositionRange) continue;
      value = std::copysign(kAnimPositionRange, value);
      ++clamped;
    }
  }
  return clamped;
}

}  // namespace bvhmill
