#include "tests/edit/edits.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/clips.h"

namespace bvhmill::testing {

Clip Edited(const ClipEdits& edits, Clip clip, const Conventions& conventions) {
  const absl::Status status =
      EditClip(edits, conventions, {}, nullptr, &clip, nullptr);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(clip.motion.values.size(), static_cast<size_t>(clip.motion.frames) *
                                           clip.skeleton.channels.size());
  return clip;
}

absl::Status StatusOfEdit(const ClipEdits& edits, Clip clip,
                          const Limits& limits) {
  return EditClip(edits, {}, limits, nullptr, &clip, nullptr);
}

std::vector<std::vector<std::array<double, 3>>> WorldOf(
    const Clip& clip, const Conventions& conventions) {
  const OracleClip oracle = OracleOf(clip);
  std::vector<std::vector<std::array<double, 3>>> frames;
  for (size_t frame = 0; frame < oracle.frames; ++frame) {
    const OraclePose pose = SolveOracle(oracle, frame, conventions);
    std::vector<std::array<double, 3>>& nodes = frames.emplace_back();
    for (const Matrix4& m : pose.world) {
      nodes.push_back({m.at[0][3], m.at[1][3], m.at[2][3]});
    }
  }
  return frames;
}

std::string PathOf(const Skeleton& skeleton, size_t node) {
  const Node& self = skeleton.nodes[node];
  const std::string name = IsEndSite(self) ? "-" : self.name;
  if (self.parent < 0) return name;
  return PathOf(skeleton, static_cast<size_t>(self.parent)) + ">" + name;
}

std::vector<std::string> PathsOf(const Skeleton& skeleton) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    paths.push_back(PathOf(skeleton, i));
  }
  return paths;
}

Clip WavingClip(const Skeleton& skeleton, int64_t frames) {
  Clip clip = CountingClip(skeleton, frames);
  clip.motion.frame_time = 1.0 / 30;
  const size_t columns = skeleton.channels.size();
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const auto frame = static_cast<double>(i / columns);
    const auto column = static_cast<double>(i % columns);
    clip.motion.values[i] = static_cast<float>(
        500 * std::sin(0.05 * frame * (1 + 0.1 * column) + column));
  }
  return clip;
}

}  // namespace bvhmill::testing
