// The list of --passed.

#include "client/cli/dataset/checksums.h"

#include <gtest/gtest.h>

namespace bvhmill::client {
namespace {

TEST(ChecksumLines, AreSortedAndEscaped) {
  EXPECT_EQ(ChecksumLines({}), "");
  EXPECT_EQ(ChecksumLines({{"b c.bvh", "01"},
                           {"a\nb.bvh", "02"},
                           {"a\\n.bvh", "03"},
                           {"a\r.bvh", "04"},
                           {"caf\xe9.bvh", "05"}}),
            "\\02  a\\nb.bvh\n"
            "\\04  a\\r.bvh\n"
            "\\03  a\\\\n.bvh\n"
            "01  b c.bvh\n"
            "05  caf\xe9.bvh\n");
}

}  // namespace
}  // namespace bvhmill::client
