// The memory of this process, as the system states it.

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/limits/memory.h"
#include "tests/server/limits/resources.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kOneMebi = int64_t{1} << 20;
// The process takes less than this for other purposes during a test.
constexpr int64_t kOther = 64 * kOneMebi;

TEST(ProcessMemoryTest, AddressSpaceIsNoMemoryUntilItIsFilled) {
  constexpr int64_t kSpace = 512 * kOneMebi;
  constexpr int64_t kFilled = 256 * kOneMebi;
  const server::MemoryUse before = server::ReadMemoryUse();
  EXPECT_GT(before.resident, 0);
  Space space(kSpace);
  const server::MemoryUse empty = server::ReadMemoryUse();
  EXPECT_NEAR(empty.address_space - before.address_space, kSpace, kOther);
  EXPECT_NEAR(empty.resident, before.resident, kOther);
  space.Fill(kFilled);
  const server::MemoryUse filled = server::ReadMemoryUse();
  EXPECT_NEAR(filled.address_space, empty.address_space, kOther);
  EXPECT_NEAR(filled.resident - empty.resident, kFilled, kOther);
  EXPECT_NEAR(server::ResidentBytes(), filled.resident, kOther);
}

TEST(ProcessMemoryTest, TheBoundOnAddressSpaceIsThatOfTheProcess) {
  const auto space = static_cast<rlim_t>(server::ReadMemoryUse().address_space +
                                         1024 * kOneMebi);
  {
    const SoftLimit limit(RLIMIT_AS, space);
    EXPECT_EQ(server::ReadMemoryBounds().address_space,
              static_cast<int64_t>(space));
  }
  const SoftLimit limit(RLIMIT_AS, RLIM_INFINITY);
  EXPECT_EQ(server::ReadMemoryBounds().address_space, 0);
}

TEST(ProcessMemoryTest, TheBoundOnMemoryIsAtMostThatOfTheMachine) {
  const int64_t bound = server::ReadMemoryBounds().resident;
  EXPECT_GT(bound, server::ResidentBytes());
  EXPECT_LE(bound, sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

}  // namespace
}  // namespace bvhmill::testing
