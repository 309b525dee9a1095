#include "client/cli/picture/sampled_poses.h"

#include <utility>

namespace bvhmill::client {

SampledPoses::SampledPoses(std::vector<int32_t> joints)
    : joints_(std::move(joints)) {}

void SampledPoses::Add(std::span<const float> positions) {
  const int64_t frame = frames_++;
  if (frame % step_ != 0) return;
  if (poses_.size() == kMaxPoses) DropEverySecond();
  if (frame % step_ != 0) return;
  SampledPose pose;
  pose.frame = frame;
  pose.points.reserve(joints_.size());
  for (const int32_t joint : joints_) {
    const float* const at = positions.data() + 3 * static_cast<size_t>(joint);
    pose.points.push_back({at[0], at[1], at[2]});
  }
  poses_.push_back(std::move(pose));
}

void SampledPoses::DropEverySecond() {
  // The first stays: a vector that is moved to itself is empty.
  for (size_t i = 1; 2 * i < poses_.size(); ++i) {
    poses_[i] = std::move(poses_[2 * i]);
  }
  poses_.resize((poses_.size() + 1) / 2);
  step_ *= 2;
}

}  // namespace bvhmill::client
