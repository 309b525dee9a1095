// The motion rules against their slow twin, over random clips and over clips
// with random faults.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <tuple>

#include "tests/support/clips.h"
#include "tests/validate/motion_clips.h"
#include "tests/validate/reference/motion_reference.h"

namespace bvhmill::testing {
namespace {

Finding FindingOf(const Issue& issue) {
  Finding out{issue.code, issue.severity};
  out.node = issue.location.joint.value_or(-1);
  out.frame = issue.location.frame.value_or(-1);
  out.last_frame = issue.location.last_frame.value_or(-1);
  out.occurrences = issue.occurrences;
  for (const auto& [name, value] : issue.args) {
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (end == value.c_str() + value.size()) out.numbers[name] = number;
  }
  return out;
}

std::vector<Finding> FastFindings(const Clip& clip, int64_t range_blocks) {
  ReportOptions options;
  options.max_issues = 0;
  std::vector<Finding> out;
  for (const Issue& issue : MotionReport(clip, options, range_blocks).issues) {
    if (issue.code != "DATA_FRAME_TIME_ODD") out.push_back(FindingOf(issue));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tie(a.code, a.node) < std::tie(b.code, b.node);
                   });
  return out;
}

std::string Name(const Finding& f) {
  return f.code + " joint " + std::to_string(f.node) + " frame " +
         std::to_string(f.frame) + " to " + std::to_string(f.last_frame) +
         " x" + std::to_string(f.occurrences) + " " +
         std::string(SeverityName(f.severity));
}

void ExpectSame(std::vector<Finding> got, std::vector<Finding> expected,
                const std::string& code) {
  const auto is_other = [&](const Finding& f) {
    return !code.empty() && f.code != code;
  };
  std::erase_if(expected, is_other);
  std::erase_if(got, is_other);
  std::string names;
  for (const Finding& f : got) names += Name(f) + "\n";
  std::string expected_names;
  for (const Finding& f : expected) expected_names += Name(f) + "\n";
  ASSERT_EQ(names, expected_names);
  for (size_t i = 0; i < got.size(); ++i) {
    for (const auto& [name, value] : expected[i].numbers) {
      ASSERT_TRUE(got[i].numbers.contains(name)) << Name(got[i]) << name;
      // Issues state four digits.
      const double bound = 1e-3 * std::abs(value) + 1e-9;
      EXPECT_TRUE(std::abs(got[i].numbers.at(name) - value) <= bound)
          << Name(got[i]) << " " << name << " " << got[i].numbers.at(name)
          << " " << value;
    }
  }
}

// Compares all findings, or those of one code; in one range, and in ranges of
// one block.
void ExpectTwins(const Clip& clip, const std::string& code = {}) {
  const std::vector<Finding> expected = ReferenceFindings(clip);
  ExpectSame(FastFindings(clip, 0), expected, code);
  ExpectSame(FastFindings(clip, 1), expected, code);
}

TEST(MotionTwin, AgreesOnRandomValues) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    ExpectTwins(RandomClip({.scales = true}, 5 + seed % 50, seed));
  }
}

TEST(MotionTwin, AgreesOnMoreCutsThanAreListed) {
  for (const float growth : {-1.0F, 1.0F}) {
    ExpectTwins(ClipOfCuts(30, 50, growth));
  }
}

TEST(MotionTwin, AgreesOnClipsThatWereWrittenAtAHigherRate) {
  for (int64_t kept = 1; kept <= 12; ++kept) {
    for (int64_t of = kept + 1; of <= 13; ++of) {
      SCOPED_TRACE(std::to_string(kept) + " of " + std::to_string(of));
      Clip clip = MovingClip({.frames = 200, .frames_per_second = 60});
      TakeRows([=](int64_t t) { return t * kept / of; }, &clip);
      ExpectTwins(clip);
    }
  }
}

TEST(MotionTwin, AgreesOnFilledGapsAndCarriedPoses) {
  std::mt19937_64 random(5);
  for (const double rate : {12.0, 30.0, 60.0, 120.0}) {
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      Clip clip =
          MovingClip({.frames = 700, .frames_per_second = rate, .seed = seed});
      const auto first = static_cast<int64_t>(random() % 500);
      const auto frames = static_cast<int64_t>(2 + random() % 150);
      SCOPED_TRACE(std::to_string(first) + " for " + std::to_string(frames));
      (seed % 2 == 0 ? FillGap : CarryPose)(first, first + frames, &clip);
      ExpectTwins(clip);
    }
  }
}

// Puts one random fault into a clip.
void AddFault(std::mt19937_64* random, Clip* clip) {
  const int64_t frames = clip->motion.frames;
  const auto below = [random](int64_t n) {
    return static_cast<int64_t>((*random)() % static_cast<uint64_t>(n));
  };
  const auto joints = static_cast<int64_t>(clip->skeleton.nodes.size()) - 1;
  const auto node = static_cast<int32_t>(1 + below(joints));
  const auto channel = static_cast<int32_t>(below(3));
  const auto size = static_cast<float>(5 + below(120));
  const int64_t first = below(frames);
  const int64_t length = 1 + below(20);
  const int64_t last = std::min(first + length, frames) - 1;
  switch (below(8)) {
    case 0:
      return AddTo(node, channel, size, first, first, clip);
    case 1:
      return AddTo(node, channel, size, first, last, clip);
    case 2:
      return AddTo(node, channel, size, first, frames - 1, clip);
    case 3:
      return TakeRows(
          [=](int64_t t) {
            return t < first ? t : std::max(first, t - length);
          },
          clip);
    case 4:
      return TakeRows(
          [=](int64_t t) {
            return t < first ? t : std::min(frames - 1, t + length);
          },
          clip);
    case 5:
      for (int64_t t = first; t < std::min(first + 150, frames); ++t) {
        AddTo(node, channel, t % 2 == 0 ? size / 40 : 0, t, t, clip);
      }
      return;
    case 6:
      return AddTo(node, channel, 360, first, frames - 1, clip);
    default:
      return AddTo(0, channel, size / 40, first, last, clip);
  }
}

TEST(MotionTwin, AgreesOnClipsWithFaults) {
  std::mt19937_64 random(7);
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    MotionShape shape;
    shape.seed = seed;
    shape.frames = 40 + static_cast<int64_t>(seed * 7 % 300);
    shape.joints = 2 + static_cast<int>(seed % 9);
    const double rates[] = {25, 30, 60, 120, 240};
    shape.frames_per_second = rates[seed % 5];
    shape.tempo = seed % 11 == 0 ? 0.1 : 1;
    Clip clip = MovingClip(shape);
    const uint64_t faults = random() % 5;
    for (uint64_t i = 0; i < faults; ++i) AddFault(&random, &clip);
    ExpectTwins(clip);
  }
}

TEST(MotionTwin, AgreesOnJumpsAtSlowRates) {
  for (const double rate : {12.0, 15.0, 17.0, 20.0, 22.0, 24.0}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(std::to_string(rate) + " " + std::to_string(seed));
      Clip clip =
          MovingClip({.frames = 200, .frames_per_second = rate, .seed = seed});
      const auto at = static_cast<int64_t>(20 + 7 * seed);
      const auto degrees = static_cast<float>(10 + 4 * seed);
      AddTo(3, 1, degrees, at, seed % 2 == 0 ? at : 199, &clip);
      ExpectTwins(clip);
    }
  }
}

// Several exchanges near each other, and near the ends of blocks and clips.
TEST(MotionTwin, AgreesOnRowsThatAreExchanged) {
  std::mt19937_64 random(5);
  const auto below = [&random](uint64_t n) {
    return static_cast<int64_t>(random() % n);
  };
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    SCOPED_TRACE(seed);
    const double rates[] = {24, 30, 60, 120};
    MotionShape shape;
    shape.seed = seed;
    shape.frames = 230 + below(60);
    shape.joints = 3 + static_cast<int>(seed % 7);
    shape.frames_per_second = rates[seed % 4];
    Clip clip = MovingClip(shape);
    for (int64_t i = below(7); i >= 0; --i) {
      const int64_t begin = seed % 3 == 0 ? 0 : shape.frames - 70;
      const int64_t first = begin + below(40);
      ExchangeRows(first, first + 1 + below(seed % 2 == 0 ? 4 : 28), &clip);
    }
    ExpectTwins(clip, "DATA_ROWS_EXCHANGED");
  }
}

}  // namespace
}  // namespace bvhmill::testing
