// The repair of spikes against the rule that finds them: two implementations of
// docs/validate.md. Spikes of one frame have sizes around the thresholds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/edit/repair.h"
#include "tests/validate/motion_clips.h"

namespace bvhmill::testing {
namespace {

// The issues of the repair of `clip`.
Report Repaired(Clip* clip) {
  IssueLog log({});
  EXPECT_TRUE(
      RepairClip({.replace_spikes = true}, {}, nullptr, clip, &log).ok());
  return log.Finish(true, true);
}

bool Holds(const Report& report, const Location& at) {
  return std::any_of(
      report.issues.begin(), report.issues.end(), [&](const Issue& issue) {
        const Location& place = issue.location;
        return place.joint == at.joint && place.frame <= at.frame &&
               place.last_frame.value_or(*place.frame) >= *at.frame;
      });
}

// The rule also finds spikes of several frames, which are not replaced. An
// issue about several spikes may be about such ones.
bool HasSeveral(const Report& report) {
  return std::any_of(
      report.issues.begin(), report.issues.end(), [](const Issue& issue) {
        return issue.occurrences > 1 || issue.location.last_frame.has_value();
      });
}

class Choices {
 public:
  explicit Choices(uint64_t seed) : random_(seed) {}
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(n));
  }
  // A random size from `least` to `most`, uniform in its logarithm.
  double Size(double least, double most) {
    return least * std::pow(most / least,
                            std::uniform_real_distribution(0.0, 1.0)(random_));
  }

 private:
  std::mt19937_64 random_;
};

// A motion in which a joint may turn steadily, with a spike in one frame.
Clip ClipWithSpike(uint64_t seed) {
  Choices choices(seed);
  constexpr double kRates[] = {10, 23.976, 24, 25, 30, 60, 120};
  MotionShape shape;
  shape.frames = 12 + choices.Below(100);
  shape.frames_per_second = kRates[choices.Below(7)];
  shape.joints = 3;
  shape.seed = seed;
  shape.tempo = choices.Size(0.03, 1);
  Clip clip = MovingClip(shape);
  const auto node = static_cast<int32_t>(choices.Below(4));
  const auto channel = static_cast<int32_t>(choices.Below(3));
  // Often near an end.
  const int64_t from_end =
      1 + choices.Below(choices.Below(3) == 0 ? 6 : shape.frames - 2);
  const int64_t t =
      choices.Below(2) == 0 ? from_end : shape.frames - 1 - from_end;
  const double size =
      choices.Below(8) == 0 ? choices.Size(150, 210) : choices.Size(1.5, 150);
  const float unit = node == 0 ? 0.03F : 1.0F;
  if (node > 0 && choices.Below(2) == 0) {
    const auto rate = static_cast<float>(choices.Size(0.5, 40));
    for (int64_t i = 0; i < shape.frames; ++i) {
      AddTo(node, channel, rate * static_cast<float>(i), i, i, &clip);
    }
  }
  AddTo(node, channel, unit * static_cast<float>(size), t, t, &clip);
  if (choices.Below(4) == 0) {
    const int64_t apart = 2 + choices.Below(3);
    const int64_t other = t > apart ? t - apart : t + apart;
    AddTo(node, channel,
          unit * static_cast<float>(size * choices.Size(0.05, 1)), other, other,
          &clip);
  }
  return clip;
}

TEST(ReplacedSpikes, AreThoseThatTheRuleFinds) {
  int with_spikes = 0;
  int without = 0;
  int left = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    Clip clip = ClipWithSpike(seed);
    const Report report = MotionReport(clip, OnlyCode("DATA_SPIKE"));
    if (HasSeveral(report)) continue;
    const Report repairs = Repaired(&clip);
    ASSERT_EQ(repairs.issues.empty(), report.issues.empty());
    for (const Issue& issue : report.issues) {
      ASSERT_TRUE(Holds(repairs, issue.location)) << issue.message;
    }
    // Each spike of one frame that the rule still finds is logged as left.
    const Report after = MotionReport(clip, OnlyCode("DATA_SPIKE"));
    for (const Issue& issue : after.issues) {
      if (issue.location.last_frame.has_value()) continue;
      ASSERT_TRUE(Holds(repairs, issue.location)) << issue.message;
      ++left;
    }
    ++(report.issues.empty() ? without : with_spikes);
  }
  EXPECT_GE(with_spikes, 1500);
  EXPECT_GE(without, 1000);
  EXPECT_LE(left, with_spikes / 10);
}

}  // namespace
}  // namespace bvhmill::testing
