#include "bvhmill/base/budget.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Limits LimitsOf(int64_t memory, int64_t work, int64_t per_byte) {
  Limits limits;
  limits.max_clip_memory_bytes = memory;
  limits.max_clip_work = work;
  limits.max_clip_work_per_byte = per_byte;
  return limits;
}

TEST(BudgetTest, RefusesMemoryAboveTheLimitAndDrawsNothingThen) {
  Budget budget(LimitsOf(100, 0, 0), nullptr);
  EXPECT_TRUE(budget.Hold(60).ok());
  EXPECT_TRUE(budget.Hold(40).ok());
  const absl::Status refused = budget.Hold(1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(MessageOf(refused)),
              HasSubstr("max_clip_memory_bytes = 100"));
  EXPECT_EQ(budget.held(), 100);
  const CallError error = CallErrorOf(refused);
  EXPECT_EQ(error.reason, "LIMIT_EXCEEDED");
  EXPECT_EQ(error.limit_name, "max_clip_memory_bytes");
  EXPECT_EQ(error.limit, 100);
  EXPECT_EQ(budget.failure(), refused);
  budget.Return(1);
  EXPECT_TRUE(budget.Hold(1).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(budget.Hold(kMax)));
}

TEST(BudgetTest, AsksTheHolderInStepsAndTellsItWhatIsFreed) {
  constexpr int64_t kStep = int64_t{64} << 10;
  std::vector<int64_t> asked;
  Budget budget({}, nullptr, [&](int64_t bytes) {
    asked.push_back(bytes);
    return bytes > 8 * kStep ? absl::ResourceExhaustedError("busy")
                             : absl::OkStatus();
  });
  // The first bytes are free, and so is what was granted by rounding up.
  EXPECT_TRUE(budget.Hold(Budget::kFreeBytes).ok());
  EXPECT_THAT(asked, ElementsAre());
  EXPECT_TRUE(budget.Hold(1).ok());
  EXPECT_TRUE(budget.Hold(kStep - 1).ok());
  EXPECT_THAT(asked, ElementsAre(kStep));
  EXPECT_EQ(MessageOf(budget.Hold(9 * kStep)), "busy");
  EXPECT_EQ(budget.held(), Budget::kFreeBytes + kStep);
  EXPECT_TRUE(budget.Hold(5 * kStep + 1).ok());
  budget.Return(3 * kStep);
  EXPECT_EQ(budget.held(), Budget::kFreeBytes + 3 * kStep + 1);
  budget.Return(1 + kStep);
  EXPECT_THAT(asked, ElementsAre(kStep, 9 * kStep, 6 * kStep, -5 * kStep));
  EXPECT_EQ(MessageOf(budget.failure()), "busy");
}

TEST(BudgetTest, AllowsWorkForEachByteThatCame) {
  Budget budget(LimitsOf(0, 100, 10), nullptr);
  EXPECT_TRUE(budget.Work(100).ok());
  budget.AddInput(3);
  EXPECT_TRUE(budget.Work(30).ok());
  const absl::Status refused = budget.Work(1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(MessageOf(refused)),
              HasSubstr("max_clip_work = 100, and 10 for each of its 3 bytes"));
  EXPECT_EQ(budget.work(), 131);
  const CallError error = CallErrorOf(refused);
  EXPECT_EQ(error.limit_name, "max_clip_work");
  EXPECT_EQ(error.limit, 100);
}

TEST(BudgetTest, SaysWhatWorkWouldBeTooMuchWithoutDrawingIt) {
  Budget budget(LimitsOf(0, 100, 0), nullptr);
  EXPECT_TRUE(budget.CheckWork(100).ok());
  EXPECT_EQ(budget.work(), 0);
  EXPECT_TRUE(budget.Work(1).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(budget.CheckWork(100)));
  EXPECT_EQ(budget.work(), 1);
  EXPECT_EQ(CallErrorOf(budget.failure()).limit_name, "max_clip_work");
}

TEST(BudgetTest, RefusesSumsThatOverflow) {
  Budget budget(LimitsOf(0, 100, 1), nullptr);
  EXPECT_TRUE(absl::IsResourceExhausted(budget.Work(kMax)));
  Budget wide(LimitsOf(0, 100, kMax), nullptr);
  wide.AddInput(kMax);
  EXPECT_TRUE(wide.Work(kMax).ok());
}

TEST(BudgetTest, StopsWhenCancelled) {
  CancelToken cancel;
  Budget budget(LimitsOf(0, 0, 0), &cancel);
  EXPECT_TRUE(budget.Work(kMax).ok());
  cancel.Cancel();
  EXPECT_TRUE(absl::IsCancelled(budget.Work(0)));
}

TEST(BudgetTest, NullIsABudgetWithoutLimits) {
  EXPECT_TRUE(HoldFrom(nullptr, kMax).ok());
  EXPECT_TRUE(WorkFrom(nullptr, kMax).ok());
  ReturnTo(nullptr, kMax);
}

}  // namespace
}  // namespace bvhmill
