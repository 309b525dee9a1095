#include <gtest/gtest.h>

#include <cstdint>

#include "server/limits/memory.h"

namespace bvhmill::testing {
namespace {

TEST(StreamMemoryTest, StreamsAreCrowdedBeyondTheLimit) {
  struct Case {
    int64_t limit;
    int64_t bytes;
    bool is_crowded;
  };
  const Case cases[] = {{100, 0, false},
                        {100, 100, false},
                        {100, 101, true},
                        {0, 1'000'000, false}};
  for (const Case& c : cases) {
    server::StreamMemory memory(c.limit);
    memory.Add(c.bytes);
    EXPECT_EQ(memory.bytes(), c.bytes);
    EXPECT_EQ(memory.IsCrowded(), c.is_crowded) << c.limit << " " << c.bytes;
    memory.Add(-c.bytes);
    EXPECT_EQ(memory.bytes(), 0);
    EXPECT_FALSE(memory.IsCrowded());
  }
}

}  // namespace
}  // namespace bvhmill::testing
