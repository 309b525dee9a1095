// The format and the compression of a clip follow from its name.

#include <gtest/gtest.h>

#include <optional>

#include "bvhmill/files/inputs.h"

namespace bvhmill::testing {
namespace {

struct NameCase {
  const char* name;
  std::optional<SourceFormat> format;
  Encoding encoding;
  const char* unpacked;
};

TEST(PackedNameTest, StatesTheFormatAndTheCompression) {
  const NameCase cases[] = {
      {"a.bvh", SourceFormat::kBvh, Encoding::kIdentity, "a.bvh"},
      {"b/A.BVH", SourceFormat::kBvh, Encoding::kIdentity, "b/A.BVH"},
      {"a.anim", SourceFormat::kAnim, Encoding::kIdentity, "a.anim"},
      {"a.bvh.gz", SourceFormat::kBvh, Encoding::kGzip, "a.bvh"},
      {"A.Bvh.GZ", SourceFormat::kBvh, Encoding::kGzip, "A.Bvh"},
      {"a.anim.zst", SourceFormat::kAnim, Encoding::kZstd, "a.anim"},
      {".bvh", SourceFormat::kBvh, Encoding::kIdentity, ".bvh"},
      {".bvh.gz", SourceFormat::kBvh, Encoding::kGzip, ".bvh"},
      {"bvh", {}, Encoding::kIdentity, "bvh"},
      {"", {}, Encoding::kIdentity, ""},
      {"a.gz", {}, Encoding::kIdentity, "a.gz"},
      {".zst", {}, Encoding::kIdentity, ".zst"},
      {"a.bvh.txt", {}, Encoding::kIdentity, "a.bvh.txt"},
      {"a.bvhgz", {}, Encoding::kIdentity, "a.bvhgz"},
      {"a.bvh.gz.zst", {}, Encoding::kIdentity, "a.bvh.gz.zst"}};
  for (const NameCase& c : cases) {
    EXPECT_EQ(FormatOfName(c.name), c.format) << c.name;
    EXPECT_EQ(EncodingOfName(c.name), c.encoding) << c.name;
    EXPECT_EQ(EncodingOfFile(c.name, "HIERARCHY"), c.encoding) << c.name;
    EXPECT_EQ(EncodingOfFile(c.name, "\x1f\x8b\x08"), Encoding::kGzip)
        << c.name;
    EXPECT_EQ(WithoutPacking(c.name), c.unpacked) << c.name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
