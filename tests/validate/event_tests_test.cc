// The quick conditions of spikes and jumps leave out none.

#include "bvhmill/validate/motion/events/event_tests.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "bvhmill/validate/motion/motion_facts.h"

namespace bvhmill {
namespace {

constexpr int kDraws = 200'000;
// Steps and kinks from four frames before to four frames after.
constexpr size_t kAround = 9;
constexpr size_t kMiddle = 4;

struct Drawn {
  std::array<float, kAround> steps;
  std::array<float, kAround> kinks;
};

// Sizes of all orders, so that the steps beside one are often much smaller.
Drawn Draw(std::mt19937* random) {
  std::uniform_real_distribution<float> exponent(-6, 1);
  std::uniform_real_distribution<float> share(0, 1);
  Drawn drawn;
  for (float& step : drawn.steps) step = std::pow(10.0F, exponent(*random));
  for (float& kink : drawn.kinks) kink = std::pow(10.0F, exponent(*random));
  // Half of them go out and back: the kink is nearly twice the sum of steps.
  if (share(*random) < 0.5F) {
    drawn.steps[kMiddle + 1] = drawn.steps[kMiddle] * (0.8F + share(*random));
    const float both = drawn.steps[kMiddle] + drawn.steps[kMiddle + 1];
    drawn.kinks[kMiddle] = both * (2 - 0.3F * share(*random));
  }
  return drawn;
}

struct Found {
  int spikes = 0;
  int jumps = 0;
};

// Compares the quick conditions with the whole ones.
Found Compare(const EventLimits& limits, const MotionClip& clip) {
  std::mt19937 random(20);
  Found found;
  for (int i = 0; i < kDraws; ++i) {
    const Drawn drawn = Draw(&random);
    const Around at{drawn.steps.data() + kMiddle, drawn.kinks.data() + kMiddle,
                    limits, true};
    const bool has_spike = SpikeAt(clip, at, 5).has_value();
    const bool has_jump = JumpAt(clip, at, 5).has_value();
    found.spikes += has_spike ? 1 : 0;
    found.jumps += has_jump ? 1 : 0;
    EXPECT_TRUE(!has_spike || MayBeSpike(at)) << i;
    EXPECT_TRUE(!has_jump || MayBeJump(at)) << i;
  }
  return found;
}

class EventTests : public ::testing::TestWithParam<double> {};

TEST_P(EventTests, TheQuickConditionsLeaveOutNone) {
  const Thresholds thresholds;
  MotionFacts facts;
  facts.dt = 1 / GetParam();
  facts.reach = 1.5;
  MotionClip clip;
  clip.thresholds = &thresholds;
  clip.facts = &facts;
  for (const EventLimits& limits :
       {RotationLimits(clip), PositionLimits(clip)}) {
    const Found found = Compare(limits, clip);
    EXPECT_GT(found.spikes, 100);
    EXPECT_GT(found.jumps, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(FramesPerSecond, EventTests,
                         ::testing::Values(24.0, 30.0, 60.0, 120.0, 240.0));

}  // namespace
}  // namespace bvhmill
