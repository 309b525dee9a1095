#include "tests/edit/repair_clips.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bvhmill/edit/repair.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {

Clip SwingingLeg(int64_t frames) {
  Clip clip = SmallLeg(frames);
  const size_t width = clip.skeleton.channels.size();
  for (int64_t t = 0; t < frames; ++t) {
    for (size_t c = 0; c < width; ++c) {
      const double phase =
          static_cast<double>(t) * 0.02 + static_cast<double>(c);
      clip.motion.values[static_cast<size_t>(t) * width + c] =
          static_cast<float>((c < 3 ? 0.1 : 20) * std::sin(phase));
    }
  }
  return clip;
}

Clip Repeating(const Clip& poses, int64_t stride, int64_t first, int64_t last) {
  Clip out = poses;
  const auto width =
      static_cast<std::ptrdiff_t>(poses.skeleton.channels.size());
  out.motion.values.clear();
  out.motion.frames = 0;
  for (int64_t t = 0; t < poses.motion.frames; ++t) {
    const bool is_last = t + 1 == poses.motion.frames;
    const int64_t count = t == 0 ? first : is_last ? last : stride;
    for (int64_t i = 0; i < count; ++i) {
      const auto begin = poses.motion.values.begin() + t * width;
      out.motion.values.append(begin, begin + width);
      ++out.motion.frames;
    }
  }
  return out;
}

float& At(Clip* clip, int64_t frame, size_t column) {
  return clip->motion
      .values[static_cast<size_t>(frame) * clip->skeleton.channels.size() +
              column];
}

std::vector<std::string> Repaired(const Repairs& repairs, Clip* clip,
                                  const Thresholds& thresholds) {
  IssueLog log({});
  EXPECT_TRUE(RepairClip(repairs, thresholds, nullptr, clip, &log).ok());
  std::vector<std::string> out;
  for (const Issue& issue : log.Finish(true, true).issues) {
    std::string line = issue.code;
    if (issue.location.joint) {
      line += "@" + std::to_string(*issue.location.joint) + ":" +
              std::to_string(issue.location.frame.value_or(-1));
      if (issue.location.last_frame) {
        line += " to " + std::to_string(*issue.location.last_frame);
      }
    }
    out.push_back(line + " x" + std::to_string(issue.occurrences));
  }
  return out;
}

}  // namespace bvhmill::testing
