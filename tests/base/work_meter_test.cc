// Costs that are drawn from a budget in parts, and memory that is given back.

#include <gtest/gtest.h>

#include "bvhmill/base/budget.h"

namespace bvhmill::testing {
namespace {

TEST(WorkMeter, DrawsWhenAPartIsFull) {
  Budget budget;
  WorkMeter work(&budget);
  EXPECT_TRUE(work.Spend(WorkMeter::kPart - 1));
  EXPECT_EQ(budget.work(), 0);
  EXPECT_TRUE(work.Spend(1));
  EXPECT_EQ(budget.work(), WorkMeter::kPart);
  EXPECT_TRUE(work.Spend(7));
  EXPECT_TRUE(work.Pay().ok());
  EXPECT_EQ(budget.work(), WorkMeter::kPart + 7);
}

TEST(WorkMeter, StaysRefused) {
  CancelToken token;
  Budget budget({}, &token);
  WorkMeter work(&budget);
  token.Cancel();
  EXPECT_TRUE(work.Spend(5));
  EXPECT_EQ(work.Pay().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(work.Spend(1));
  EXPECT_FALSE(work.ok());
  EXPECT_EQ(work.Pay().code(), absl::StatusCode::kCancelled);
}

TEST(WorkMeter, HasNoLimitWithoutABudget) {
  WorkMeter work;
  EXPECT_TRUE(work.Spend(100 * WorkMeter::kPart));
  EXPECT_TRUE(work.Pay().ok());
}

TEST(HeldMemory, IsGivenBackWhenItEnds) {
  Limits limits;
  limits.max_clip_memory_bytes = 100;
  Budget budget(limits, nullptr);
  {
    HeldMemory memory(&budget);
    EXPECT_TRUE(memory.Draw(60).ok());
    EXPECT_EQ(memory.Draw(41).code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(budget.held(), 60);
    memory.GiveBack(20);
    EXPECT_TRUE(memory.Draw(41).ok());
    EXPECT_EQ(memory.bytes(), 81);
  }
  EXPECT_EQ(budget.held(), 0);
}

TEST(HeldMemory, PassesToItsNewOwner) {
  Budget budget;
  {
    HeldMemory memory(&budget);
    EXPECT_TRUE(memory.Draw(60).ok());
    EXPECT_EQ(memory.Leave(), 60);
  }
  EXPECT_EQ(budget.held(), 60);
  { HeldMemory(&budget).Adopt(60); }
  EXPECT_EQ(budget.held(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
