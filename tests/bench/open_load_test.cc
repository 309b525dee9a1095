// Open load, where no server is needed.

#include "bench/server/open_load.h"

#include <gtest/gtest.h>

namespace bvhmill::bench {
namespace {

// Nothing listens on port 1: a call that begins is lost.
constexpr char kNobody[] = "127.0.0.1:1";

TEST(CallAtRate, BeginsNoCallAtRate0) {
  for (const double rate : {0.0, -1.0}) {
    const Load load = CallAtRate(kNobody, {}, rate, 0.05);
    EXPECT_EQ(load.begun_per_s, 0) << rate;
    EXPECT_EQ(load.good_per_s, 0) << rate;
    EXPECT_EQ(load.lost, 0) << rate;
  }
}

TEST(CallAtRate, LosesTheCallsThatNoServerAnswers) {
  const Load load = CallAtRate(kNobody, {}, 100, 0.05);
  EXPECT_GT(load.begun_per_s, 0);
  EXPECT_EQ(load.good_per_s, 0);
  EXPECT_GT(load.lost, 0);
  EXPECT_EQ(load.refused, 0);
}

}  // namespace
}  // namespace bvhmill::bench
