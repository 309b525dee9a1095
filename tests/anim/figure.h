#pragma once

// A figure whose joints drive most of the avatar, and its conversion.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bvhmill/anim/clip_to_anim.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {

inline ClipToAnimResult Convert(const Clip& clip,
                                const ClipToAnimOptions& options,
                                Report* report = nullptr) {
  IssueLog log({});
  ClipToAnimResult result;
  EXPECT_TRUE(ClipToAnim(clip, options, &result, &log).ok());
  const Report said = log.Finish(true, result.converted);
  if (report != nullptr) *report = said;
  return result;
}

// A figure whose hips look along +Z, with an extra bone in its spine and an
// arm that hangs on the neck.
inline Clip Figure(int64_t frames, uint64_t seed) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {0, 90, 0});
  const int spine = builder.Joint(hips, "Spine", "zyx", {0, 10, 0});
  const int extra = builder.Joint(spine, "Extra", "xyz", {0, 10, 0});
  const int chest = builder.Joint(extra, "Chest", "zxy", {0, 10, 0});
  const int neck = builder.Joint(chest, "Neck", "y", {0, 20, 0});
  const int arm = builder.Joint(neck, "LeftArm", "yxz", {15, 0, 0});
  builder.EndSite(arm, "", {30, 0, 0});
  const int left = builder.Joint(hips, "LeftLeg", "zxy", {10, 0, 0});
  builder.EndSite(left, "", {0, -90, 0});
  const int right = builder.Joint(hips, "RightLeg", "zxy", {-10, 0, 0});
  builder.EndSite(right, "", {0, -80, 0});
  Clip clip;
  clip.skeleton = builder.Build();
  clip.motion.frames = frames;
  clip.motion.frame_time = 0.02;
  const size_t width = clip.skeleton.channels.size();
  clip.motion.values.resize(static_cast<size_t>(frames) * width);
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const size_t frame = i / width;
    const double t = static_cast<double>(frame) * 0.05;
    const auto column = static_cast<double>(i % width + seed);
    clip.motion.values[i] =
        static_cast<float>(60 * std::sin(t + column * 1.7) + 0.1 * column);
  }
  return clip;
}

inline const std::vector<std::string> kNames = {
    "mPelvis", "abdomen", "", "mChest",    "mHead", "mShoulderLeft",
    "",        "lThigh",  "", "mHipRight", ""};

inline std::string Codes(const Report& report) {
  std::string codes;
  for (const Issue& issue : report.issues) codes += issue.code + " ";
  return codes;
}

}  // namespace bvhmill::testing
