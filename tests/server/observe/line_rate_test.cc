// How often lines of one kind may be written.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "server/observe/log.h"

namespace bvhmill::testing {
namespace {

using server::LineRate;
using std::chrono::milliseconds;
using std::chrono::seconds;

const auto kBegin = LineRate::Clock::time_point(seconds(100));

int Allowed(LineRate* rate, const std::string& kind, int lines,
            LineRate::Clock::time_point now) {
  int allowed = 0;
  for (int i = 0; i < lines; ++i) allowed += rate->Allow(kind, now);
  return allowed;
}

TEST(LineRateTest, ABurstAndThenOneASecond) {
  LineRate rate(5);
  EXPECT_EQ(Allowed(&rate, "k", 100, kBegin), 5);
  EXPECT_EQ(Allowed(&rate, "k", 100, kBegin + milliseconds(900)), 0);
  EXPECT_EQ(Allowed(&rate, "k", 100, kBegin + milliseconds(1'100)), 1);
  EXPECT_EQ(Allowed(&rate, "k", 100, kBegin + seconds(4)), 3);
  // However long it was quiet, no more than a burst.
  EXPECT_EQ(Allowed(&rate, "k", 100, kBegin + seconds(4'000)), 5);
}

TEST(LineRateTest, KindsAreCountedApart) {
  LineRate rate(2);
  EXPECT_EQ(Allowed(&rate, "a", 10, kBegin), 2);
  EXPECT_EQ(Allowed(&rate, "b", 3, kBegin), 2);
  const auto held = rate.Take();
  ASSERT_EQ(held.size(), 2);
  EXPECT_EQ(held[0].kind, "a");
  EXPECT_EQ(held[0].lines, 8);
  EXPECT_EQ(held[1].kind, "b");
  EXPECT_EQ(held[1].lines, 1);
  EXPECT_TRUE(rate.Take().empty());
}

TEST(LineRateTest, KindsBeyondTheMostThatAreKnownAreOne) {
  LineRate rate(1);
  int allowed = 0;
  for (int i = 0; i < 10'000; ++i) {
    allowed += rate.Allow(std::to_string(i), kBegin);
  }
  EXPECT_EQ(allowed, static_cast<int>(LineRate::kMaxKinds) + 1);
  const auto held = rate.Take();
  ASSERT_EQ(held.size(), 1);
  EXPECT_EQ(held[0].kind, "other");
  EXPECT_EQ(held[0].lines, 10'000 - allowed);
}

}  // namespace
}  // namespace bvhmill::testing
