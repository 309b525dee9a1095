// The quick conditions of spikes and jumps leave out none.

#include "bvhmill/validate/motion/event_tests.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "bvhmill/validate/motion/motion_clip.h"

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

class EventTests : public ::testing::TestWithParam<double> {
 protected:
  EventTests() {
    facts_.dt = 1 / GetParam();
    facts_.reach = 1.5;
    clip_.thresholds = &thresholds_;
    clip_.facts = &facts_;
  }

  Thresholds thresholds_;
  MotionFacts facts_;
  MotionClip clip_;
};

TEST_P(EventTests, TheQuickConditionsLeaveOutNone) {
  for (const EventLimits& limits :
       {RotationLimits(clip_), PositionLimits(clip_)}) {
    const Found found = Compare(limits, clip_);
    EXPECT_GT(found.spikes, 100);
    EXPECT_GT(found.jumps, 100);
  }
}

// The vector code against its slow twin, the functions MayBe... of one frame.
TEST_P(EventTests, AreScreenedInBlocks) {
  std::mt19937 random(30);
  for (const EventLimits& limits :
       {RotationLimits(clip_), PositionLimits(clip_)}) {
    int found = 0;
    for (int round = 0; round < 500; ++round) {
      std::vector<float> steps;
      std::vector<float> kinks;
      while (steps.size() < kStepStride + kStepParts) {
        const Drawn drawn = Draw(&random);
        steps.insert(steps.end(), drawn.steps.begin(), drawn.steps.end());
        kinks.insert(kinks.end(), drawn.kinks.begin(), drawn.kinks.end());
      }
      const size_t end = StepEnd(1 + random() % kStepFrames);
      const EventBits bits =
          MayBeEvents(steps.data(), kinks.data(), end, limits.screen);
      for (size_t i = kStepLead; i < kStepLead + kStepFrames; ++i) {
        const Around at{&steps[i], &kinks[i], limits, true};
        const size_t k = i - kStepLead;
        const bool has_bit = (bits[k / 16] >> k % 16 & 1) != 0;
        // Kinks near by are compared for the few frames that are left.
        const bool may_be_local =
            steps[i] >= limits.screen.least_step &&
            std::min(kinks[i - 1], kinks[i]) >= limits.screen.local_kink;
        EXPECT_TRUE(may_be_local || !MayBeLocalJump(at)) << i;
        const bool may_be =
            i < end && (MayBeSpike(at) || MayBeJump(at) || MayBeSpread(at) ||
                        MayBePulse(at) || may_be_local);
        found += may_be ? 1 : 0;
        EXPECT_EQ(has_bit, may_be) << i;
      }
    }
    EXPECT_GT(found, 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(FramesPerSecond, EventTests,
                         ::testing::Values(24.0, 30.0, 60.0, 120.0, 240.0));

}  // namespace
}  // namespace bvhmill
