// The subject of the reading benchmark.

#include "bench/read/read_runs.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace bvhmill::bench {
namespace {

// Its rows point into its text.
TEST(Subject, IsNeitherCopiedNorMoved) {
  EXPECT_FALSE(std::is_copy_constructible_v<Subject>);
  EXPECT_FALSE(std::is_move_constructible_v<Subject>);
  EXPECT_FALSE(std::is_copy_assignable_v<Subject>);
  EXPECT_FALSE(std::is_move_assignable_v<Subject>);
}

}  // namespace
}  // namespace bvhmill::bench
