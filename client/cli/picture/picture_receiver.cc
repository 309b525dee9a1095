#include "client/cli/picture/picture_receiver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "client/cli/picture/pose_view.h"

namespace bvhmill::client {
namespace {

constexpr char kPositions[] = "picture.positions";
constexpr char kRotations[] = "picture.rotations";
// Joints whose turns are kept: 1 MB.
constexpr size_t kMaxTurning = 1024;
// The places in the clip that the poses of a picture show.
constexpr double kPlaces[] = {0.1, 0.5, 0.9};
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

bool IsTurning(const JointInfo& joint) {
  return joint.channels.find_first_of("xyz") != std::string::npos;
}

// The angle between two unit quaternions of four numbers, in degrees. 4 asin of
// half their distance is exact for small angles; q and -q are the same.
float StepOf(const float* a, const float* b) {
  float minus = 0;
  float plus = 0;
  for (size_t i = 0; i < 4; ++i) {
    minus += (a[i] - b[i]) * (a[i] - b[i]);
    plus += (a[i] + b[i]) * (a[i] + b[i]);
  }
  const float distance = std::sqrt(std::min(minus, plus));
  if (!std::isfinite(distance)) return kUnknown;
  return 4 * std::asin(std::min(distance / 2, 1.0F)) * 180 /
         std::numbers::pi_v<float>;
}

// The pose that is nearest to `frame`.
const SampledPose& NearestTo(double frame,
                             const std::vector<SampledPose>& poses) {
  return *std::min_element(
      poses.begin(), poses.end(), [&](const auto& a, const auto& b) {
        return std::abs(static_cast<double>(a.frame) - frame) <
               std::abs(static_cast<double>(b.frame) - frame);
      });
}

std::optional<Point3> AxisOf(std::string_view name) {
  const bool is_down = name.starts_with('-');
  if (is_down || name.starts_with('+')) name.remove_prefix(1);
  const size_t axis = std::string_view("XYZ").find(name);
  if (name.size() != 1 || axis == std::string_view::npos) return std::nullopt;
  Point3 out = {};
  out[axis] = is_down ? -1 : 1;
  return out;
}

Point3 GuessedUp(const Report& report) {
  for (const Issue& issue : report.issues) {
    if (issue.code != "DATA_UP_AXIS_GUESS") continue;
    for (const auto& [name, value] : issue.args) {
      const auto axis = AxisOf(value);
      if (name == "axis" && axis) return *axis;
    }
    return {0, 0, 1};
  }
  return {0, 1, 0};
}

}  // namespace

void AddPictureOutputs(std::vector<OutputRequest>* outputs) {
  PositionsFormat positions;
  positions.with_end_sites = true;
  outputs->push_back({kPositions, positions});
  RotationsFormat rotations;
  rotations.with_end_sites = true;
  outputs->push_back({kRotations, rotations});
}

Point3 UpOf(const ClipEdits& edits, const Report& report) {
  const UpAxis stated =
      edits.to_up != UpAxis::kUnknown ? edits.to_up : edits.source.up_axis;
  if (stated == UpAxis::kY) return {0, 1, 0};
  if (stated == UpAxis::kZ) return {0, 0, 1};
  return GuessedUp(report);
}

absl::Status PictureReceiver::Begin(const ClipInfo& info,
                                    std::span<const OutputInfo> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].id == kPositions) positions_ = i;
    if (outputs[i].id == kRotations) rotations_ = i;
  }
  joints_ = info.joints;
  drawn_ = ChooseDrawnJoints(joints_, kMaxPoints);
  position_frames_ = FrameCutter(3 * joints_.size());
  rotation_frames_ = FrameCutter(4 * joints_.size());
  poses_ = SampledPoses(drawn_.joints);
  steps_.assign(std::min(joints_.size(), kMaxTurning) + 1, 0);
  turns_.emplace(steps_.size());
  last_rotations_.clear();
  return absl::OkStatus();
}

absl::Status PictureReceiver::Data(size_t output, std::string_view bytes) {
  if (output == positions_) {
    position_frames_.Add(
        bytes, [&](std::span<const float> frame) { poses_.Add(frame); });
  } else if (output == rotations_) {
    rotation_frames_.Add(
        bytes, [&](std::span<const float> frame) { AddRotations(frame); });
  }
  return absl::OkStatus();
}

void PictureReceiver::AddRotations(std::span<const float> rotations) {
  const bool is_first = last_rotations_.empty();
  double sum = 0;
  int64_t turning = 0;
  const size_t count = steps_.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    steps_[i] = is_first ? kUnknown
                         : StepOf(rotations.data() + 4 * i,
                                  last_rotations_.data() + 4 * i);
    if (!IsTurning(joints_[i]) || !std::isfinite(steps_[i])) continue;
    sum += steps_[i];
    ++turning;
  }
  steps_[count] = turning > 0
                      ? static_cast<float>(sum / static_cast<double>(turning))
                      : kUnknown;
  turns_->Add(steps_);
  last_rotations_.assign(rotations.begin(), rotations.end());
}

std::optional<size_t> PictureReceiver::TurningJoint(
    const Location& location) const {
  const size_t count = steps_.size() - 1;
  const auto is_it = [&](size_t i) {
    return i < count && IsTurning(joints_[i]) &&
           joints_[i].name == location.joint_name;
  };
  if (!location.joint || !location.frame) return std::nullopt;
  if (is_it(static_cast<size_t>(*location.joint))) {
    return static_cast<size_t>(*location.joint);
  }
  // Edits may have moved it.
  std::optional<size_t> found;
  for (size_t i = 0; i < count; ++i) {
    if (!is_it(i)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

void PictureReceiver::AddCurves(const Report& report,
                                ClipPicture* picture) const {
  picture->frames_per_value = turns_->frames_per_value();
  picture->curves.push_back(turns_->CurveOf(steps_.size() - 1));
  for (const Issue& issue : report.issues) {
    if (picture->curves.size() > kMaxCurves) break;
    const std::optional<size_t> joint = TurningJoint(issue.location);
    if (!joint) continue;
    const bool is_there =
        std::any_of(picture->curves.begin(), picture->curves.end(),
                    [&](const TurnCurve& curve) {
                      return curve.joint == static_cast<int32_t>(*joint);
                    });
    if (is_there) continue;
    picture->curves.push_back(turns_->CurveOf(*joint));
    picture->curves.back().joint = static_cast<int32_t>(*joint);
    picture->curves.back().name = joints_[*joint].name;
  }
}

std::optional<ClipPicture> PictureReceiver::Finish(const Report& report,
                                                   const Point3& up) {
  if (!turns_ || poses_.poses().empty()) return std::nullopt;
  ClipPicture picture;
  picture.parents = std::move(drawn_.parents);
  const PoseView view = ChooseView(poses_.poses(), up);
  for (const double place : kPlaces) {
    const double frame = place * static_cast<double>(poses_.frames() - 1);
    const SampledPose& pose = NearestTo(frame, poses_.poses());
    const bool is_new =
        picture.poses.empty() || picture.poses.back().frame != pose.frame;
    if (is_new) picture.poses.push_back(Project(pose, view));
  }
  picture.height = MedianHeight(poses_.poses(), up);
  AddCurves(report, &picture);
  return picture;
}

}  // namespace bvhmill::client
