#include "tests/validate/motion_clips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "bvhmill/validate/motion/motion_rules.h"
#include "tests/support/clips.h"
#include "tests/support/one_thread.h"
#include "tests/validate/checked_parts.h"

namespace bvhmill::testing {
namespace {

Skeleton MovingSkeleton(int joints) {
  constexpr int kChain = 5;
  SkeletonBuilder builder;
  const int root = builder.Root("Hips", "XYZzxy");
  int parent = root;
  for (int i = 0; i < joints; ++i) {
    if (i % kChain == 0) parent = root;
    parent =
        builder.Joint(parent, "J" + std::to_string(i + 1), "zxy", {0, 2, 0});
  }
  return builder.Build();
}

// A value over time: a mean, and three sines.
struct Curve {
  double mean = 0;
  double size[3] = {};
  double hertz[3] = {};
  double phase[3] = {};

  double At(double seconds) const {
    double value = mean;
    for (int k = 0; k < 3; ++k) {
      value += size[k] *
               std::sin(2 * std::numbers::pi * (hertz[k] * seconds + phase[k]));
    }
    return value;
  }
};

Curve MakeCurve(double size, std::mt19937_64* random) {
  std::uniform_real_distribution<double> unit(0, 1);
  Curve curve;
  curve.mean = size * (unit(*random) - 0.5);
  for (int k = 0; k < 3; ++k) {
    curve.size[k] = size * (0.3 + 0.7 * unit(*random)) / (k + 1);
    curve.hertz[k] = 0.2 + 1.4 * unit(*random);
    curve.phase[k] = unit(*random);
  }
  return curve;
}

}  // namespace

Clip MovingClip(const MotionShape& shape) {
  std::mt19937_64 random(shape.seed);
  std::uniform_real_distribution<double> noise(-0.01, 0.01);
  Clip clip;
  clip.skeleton = MovingSkeleton(shape.joints);
  clip.motion.frames = shape.frames;
  clip.motion.frame_time = 1 / shape.frames_per_second;
  std::vector<Curve> curves;
  for (const Channel channel : clip.skeleton.channels) {
    curves.push_back(MakeCurve(IsPosition(channel) ? 3 : 20, &random));
  }
  for (int64_t t = 0; t < shape.frames; ++t) {
    const double seconds =
        shape.tempo * static_cast<double>(t) * clip.motion.frame_time;
    for (const Curve& curve : curves) {
      clip.motion.values.push_back(
          static_cast<float>(curve.At(seconds) + shape.tempo * noise(random)));
    }
  }
  return clip;
}

float& ValueAt(Clip* clip, int64_t frame, int32_t node, int32_t channel) {
  const int32_t column =
      clip->skeleton.nodes[static_cast<size_t>(node)].first_channel + channel;
  return clip->motion
      .values[static_cast<size_t>(frame) * clip->skeleton.channels.size() +
              static_cast<size_t>(column)];
}

void TakeRows(const std::function<int64_t(int64_t)>& source, Clip* clip) {
  const auto before = clip->motion.values;
  const auto width = static_cast<int64_t>(clip->skeleton.channels.size());
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    std::copy_n(before.begin() + source(t) * width, width,
                clip->motion.values.begin() + t * width);
  }
}

void StandStill(int32_t node, Clip* clip) {
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    for (const int k : {0, 1, 2}) ValueAt(clip, t, node, k) = 0;
  }
}

void ExchangeRows(int64_t first, int64_t second, Clip* clip) {
  TakeRows(
      [=](int64_t t) {
        if (t == first) return second;
        return t == second ? first : t;
      },
      clip);
}

void AddTo(int32_t node, int32_t channel, float amount, int64_t first,
           int64_t last, Clip* clip) {
  for (int64_t t = first; t <= last; ++t) {
    ValueAt(clip, t, node, channel) += amount;
  }
}

void FillGap(int64_t first, int64_t last, Clip* clip) {
  const auto width = static_cast<int64_t>(clip->skeleton.channels.size());
  float* const values = clip->motion.values.data();
  for (int64_t t = first + 1; t < last; ++t) {
    const float share =
        static_cast<float>(t - first) / static_cast<float>(last - first);
    for (int64_t c = 0; c < width; ++c) {
      const float from = values[first * width + c];
      values[t * width + c] = from + share * (values[last * width + c] - from);
    }
  }
}

void CarryPose(int64_t first, int64_t last, Clip* clip) {
  const Clip before = *clip;
  const auto width = static_cast<int64_t>(clip->skeleton.channels.size());
  for (int64_t t = first + 1; t < clip->motion.frames; ++t) {
    const int64_t source = std::max(first, t - (last - first));
    for (int64_t c = clip->skeleton.nodes[0].channel_count; c < width; ++c) {
      clip->motion.values[static_cast<size_t>(t * width + c)] =
          before.motion.values[static_cast<size_t>(source * width + c)];
    }
  }
}

Clip ClipOfCuts(int cuts, float first, float growth) {
  Clip clip = MovingClip({.frames = 25 * (cuts + 1)});
  const int64_t last = clip.motion.frames - 1;
  float degrees = first;
  for (int cut = 1; cut <= cuts; ++cut, degrees += growth) {
    const float turn = cut % 2 == 0 ? -degrees : degrees;
    for (int32_t node = 1; node <= 10; ++node) {
      AddTo(node, 1, turn, int64_t{25} * cut, last, &clip);
    }
  }
  return clip;
}

Report MotionReport(const Clip& clip, const ReportOptions& options,
                    int64_t range_blocks) {
  CheckedParts parts(clip, options.thresholds);
  IssueLog log(options);
  OneThread parallel;
  Budget budget;
  MotionMemory memory;
  if (range_blocks > 0) memory.range_blocks = range_blocks;
  const absl::Status status =
      CheckMotion(parts.checked(), &parallel, &budget, &memory, &log);
  EXPECT_TRUE(status.ok()) << status;
  return log.Finish(true, true);
}

ReportOptions OnlyCode(const std::string& code) {
  ReportOptions options;
  options.only = {code};
  return options;
}

std::vector<std::string> MotionIssues(const Report& report) {
  std::vector<std::string> out;
  for (const Issue& issue : report.issues) {
    const Location& at = issue.location;
    std::string text =
        std::string(SeverityName(issue.severity)) + " " + issue.code;
    if (at.joint) text += " joint " + std::to_string(*at.joint);
    if (at.frame) text += " frame " + std::to_string(*at.frame);
    if (at.last_frame) text += " to " + std::to_string(*at.last_frame);
    if (issue.occurrences > 1) {
      text += " x" + std::to_string(issue.occurrences);
    }
    out.push_back(text);
  }
  return out;
}

std::string ArgOf(const Report& report, const std::string& code,
                  const std::string& name) {
  for (const Issue& issue : report.issues) {
    if (issue.code != code) continue;
    for (const auto& [key, value] : issue.args) {
      if (key == name) return value;
    }
  }
  return {};
}

}  // namespace bvhmill::testing
